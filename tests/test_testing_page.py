"""The page "How it is tested" is what the figures say."""

import importlib.util
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
FIGURES = sorted((ROOT / "docs" / "testing").glob("*.json"))


@pytest.fixture(scope="module")
def script():
    pytest.importorskip("jinja2")
    path = ROOT / "scripts" / "testing_page.py"
    spec = importlib.util.spec_from_file_location("testing_page", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_page_is_made_of_the_figures(script):
    text = (ROOT / "docs" / "testing.md").read_text(encoding="utf-8")
    advice = "run `python scripts/testing_page.py`"
    assert text == script.make_page(), advice


@pytest.mark.parametrize("path", FIGURES, ids=lambda path: path.stem)
def test_every_file_of_figures_has_a_section(path):
    template = path.with_name("page.md.jinja").read_text(encoding="utf-8")
    assert f"{{% if {path.stem} is defined %}}" in template
