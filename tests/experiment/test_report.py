import json
from html.parser import HTMLParser

import pytest

from pbow.experiment import RunsTable, read_experiment
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


class Tags(HTMLParser):
    """Collects the tags and attributes of a page."""

    def __init__(self, page):
        super().__init__()
        self.tags, self.attributes = [], []
        self.feed(page)

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += attrs


@pytest.fixture
def declared(tmp_path):
    (tmp_path / "x.toml").write_text(TEXT)
    return read_experiment(tmp_path / "x.toml")


@pytest.fixture
def runs(declared, make_up):
    return make_up(declared, lambda *_: (0.5, 0.8))


def test_the_page_has_tables_choices_and_the_declaration(declared, runs, tmp_path):
    write_report(declared, runs, tmp_path / "page.html")
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert "80.0 ± 0.0" in page
    assert "81.0 ± 1.5" in page
    assert "A &amp; B" in page
    assert "make = &#34;PersistenceBoW&#34;" in page
    assert "Chosen parameters" in page


def test_hostile_names_are_text_and_nothing_is_fetched(declared, runs, tmp_path):
    write_report(declared, runs, tmp_path / "page.html")
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    found = Tags(page)
    assert not {"script", "img", "link", "b"} & set(found.tags)
    assert not {name for name, _ in found.attributes} & {"src", "href", "onerror"}
    assert "default-src 'none'" in page


def test_figures_are_inside_the_page(declared, runs, tmp_path):
    (tmp_path / "curve.png").write_bytes(b"\x89PNG")
    captions = {"curve": {"title": "Curve", "caption": "Up & down."}}
    (tmp_path / "captions.json").write_text(json.dumps(captions))
    write_report(declared, runs, tmp_path / "page.html", figures=tmp_path)
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert "data:image/png;base64,iVBORw==" in page
    assert "Up &amp; down." in page


def test_a_folder_without_captions_has_no_figures(declared, tmp_path):
    write_report(declared, RunsTable({}), tmp_path / "page.html", figures=tmp_path)
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert "<figure>" not in page
    assert "0 of 2 runs" in page
