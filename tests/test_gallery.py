"""Every script of the gallery runs from its first line to its last."""

import runpy
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parent.parent / "examples"
SCRIPTS = sorted(EXAMPLES.glob("plot_*.py"))


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.stem)
def test_the_script_runs_and_draws(script, tmp_path, monkeypatch):
    pytest.importorskip("gudhi")
    pyplot = pytest.importorskip("matplotlib.pyplot")
    monkeypatch.chdir(tmp_path)
    shown = []
    monkeypatch.setattr(pyplot, "show", lambda: shown.extend(pyplot.get_fignums()))
    try:
        runpy.run_path(str(script))
    finally:
        pyplot.close("all")
    assert shown
    assert not list(tmp_path.iterdir())


def test_there_are_scripts():
    assert SCRIPTS
