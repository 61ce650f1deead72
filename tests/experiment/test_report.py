import json
import re

import pytest

from pbow.experiment.report import write_report

pytest.importorskip("jinja2")

TEXT = """
title = "<script>alert(1)</script>"
caption = "A & B"
repetitions = 2
[datasets.x]
title = "<img src=x onerror=alert(1)>"
surfaces = { n_diagrams = 20 }
[descriptors.PBoW]
title = "<b>PBoW"
make = "PersistenceBoW"
on.x.paper = { accuracy = 81.0, std = 1.5 }
"""


@pytest.fixture
def page(read, make_up, tmp_path):
    """Write the page of runs, and return it."""

    def write(*, done=True, **options):
        declared = read(TEXT)
        runs = make_up(declared, lambda *_: (0.5, 0.8)) if done else {}
        write_report(declared, runs, tmp_path / "page.html", **options)
        return (tmp_path / "page.html").read_text(encoding="utf-8")

    return write


def test_the_page_has_tables_choices_and_the_declaration_and_fetches_nothing(page):
    text = page()
    parts = ["80.0 ± 0.0", "81.0 ± 1.5", "A &amp; B", "Chosen parameters", "is bold"]
    parts += ["make = &#34;PersistenceBoW&#34;", "default-src 'none'"]
    assert [part for part in parts if part not in text] == []
    # Hostile names are text.
    tags = re.findall("<[^>]*>", text)
    assert not [tag for tag in tags if re.match("<(script|img|link|b)[ >]", tag)]
    assert not [tag for tag in tags if re.search("(src|href|onerror)=", tag)]


def test_figures_are_inside_the_page(page, tmp_path):
    text = page(done=False, figures=tmp_path)
    assert "0 of 2 runs" in text
    assert "<figure>" not in text
    (tmp_path / "curve.png").write_bytes(b"\x89PNG")
    captions = {"curve": {"title": "Curve", "caption": "Up & down."}}
    (tmp_path / "captions.json").write_text(json.dumps(captions))
    text = page(figures=tmp_path)
    assert "data:image/png;base64,iVBORw==" in text
    assert "Up &amp; down." in text
