import base64
from dataclasses import dataclass
from html.parser import HTMLParser
from pathlib import Path

import pytest
from tests.experiment.fake_runs import declared, made_up, over_budget

from pbow.experiment.report import write_report
from pbow.experiment.sheets import paper_table

TEXT = """
title = "Shapes & <script>alert(1)</script>"
repetitions = 5
[classifier]
finalists = 1
[datasets.shapes]
title = 'Shapes "and" <b>more</b>'
shapes = {}
[datasets.geomat]
load = "geomat-standin"
[descriptors.PBoW]
title = "P<b>oW"
make = "PersistenceBoW"
grid = { n_words = [10, 20], weighting = ["uniform", "ramp"] }
[descriptors.PBoW.on.shapes]
paper = { score = 98.0, std = 2.2, seconds = 0.8, best = true }
optimum = { n_words = 20, weighting = "ramp" }
[descriptors.PL]
make = "LandscapeKernel"
"""

VOID = {"meta", "img"}


class Page(HTMLParser):
    """Reads a page; every element must be closed in order."""

    def __init__(self, text):
        super().__init__()
        self.open, self.elements, self.texts = [], [], []
        self.feed(text)
        self.close()
        assert not self.open

    def handle_starttag(self, tag, attributes):
        self.elements.append((tag, dict(attributes)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.texts.append(data)

    def all(self, tag):
        return [attributes for name, attributes in self.elements if name == tag]


@dataclass
class Picture:
    name: str
    title: str
    caption: str
    png: Path


def score(name, params, repetition):
    del name
    return 0.8 + (params.get("n_words", 0) + repetition) / 1000


@pytest.fixture
def experiment(tmp_path):
    return declared(tmp_path, TEXT)


@pytest.fixture
def report(experiment, tmp_path):
    """Write a report and return its text and the page as it was parsed."""

    def write(runs, figures=(), of=experiment):
        path = tmp_path / "report.html"
        write_report(of, runs, figures, path)
        text = path.read_text(encoding="utf-8")
        return text, Page(text)

    return write


def test_names_are_text_whatever_they_contain(experiment, report):
    text, page = report(made_up(experiment, score))
    assert "<script" not in text
    assert "<b>" not in text
    assert "Shapes & <script>alert(1)</script>" in page.texts
    assert 'Shapes "and" <b>more</b>' in page.texts


def test_one_of_a_kind_is_not_called_many(report, tmp_path):
    text = """
    repetitions = 1
    [datasets.shapes]
    shapes = {}
    [descriptors.PL]
    make = "LandscapeKernel"
    """
    experiment = declared(tmp_path, text)
    _, page = report(made_up(experiment, score), of=experiment)
    assert (
        "1 method (PL) on 1 data set (shapes). Complete: 1 of 1 cell; done: 1 of the 1 "
        "run known to be needed. Seed 0."
    ) in page.texts


def test_the_page_needs_nothing_from_elsewhere(experiment, report, tmp_path):
    png = tmp_path / "some.png"
    png.write_bytes(b"\x89PNG")
    figure = Picture("curve", "A title", "A caption", png)
    text, page = report(made_up(experiment, score), [figure])
    assert "http" not in text
    assert "url(" not in text
    assert not page.all("script") + page.all("link")


def test_the_page_fits_a_phone_and_the_dark(experiment, report):
    text, page = report(made_up(experiment, score))
    viewport = {"name": "viewport", "content": "width=device-width, initial-scale=1"}
    assert viewport in page.all("meta")
    assert "prefers-color-scheme: dark" in text
    scrolling = [div for div in page.all("div") if div.get("class") == "scroll"]
    assert len(scrolling) == len(page.all("table"))


def test_every_text_of_the_table_is_on_the_page(experiment, report):
    runs = made_up(experiment, score)
    text, page = report(runs)
    seen = {data.replace("\xa0", " ") for data in page.texts}
    table = paper_table(experiment, runs)
    for sheet in table.sheets:
        blocks = [block for section in sheet.sections for block in section]
        entries = [e for block in blocks for line in block.lines for e in line.entries]
        assert {entry.text for entry in entries} <= seen
        assert {block.title for block in blocks} <= seen
        assert set(sheet.columns) <= seen
    assert set(table.caption.split("\n\n")) <= seen
    assert "<strong>98.0&nbsp;±&nbsp;2.2</strong>" in text


def test_chosen_parameters_stand_beside_the_papers_optimum(experiment, report):
    _, page = report(made_up(experiment, score))
    choice = page.texts.index("n_words = 20, weighting = uniform")
    assert page.texts[choice : choice + 8] == [
        "n_words = 20, weighting = uniform",
        "10",
        "n_words = 20, weighting = uniform",
        "n_words = 20, weighting = ramp",
        "50",
        "82.0, 82.1, 82.2, 82.3, 82.4",
        "1",
        "25 of 250",
    ]


def test_parameters_that_differ_between_repetitions_are_counted(experiment, report):
    def changing(name, params, repetition):
        del name
        return 0.9 if params.get("n_words") == (20 if repetition < 2 else 10) else 0.5

    _, page = report(made_up(experiment, changing))
    expected = (
        "n_words = 10, weighting = uniform (3 times); "
        "n_words = 20, weighting = uniform (2 times)"
    )
    assert expected in page.texts


def test_a_cell_that_is_not_complete_says_why(experiment, report):
    cell = experiment.cell("geomat", "PL")
    runs = made_up(experiment, score, without=["geomat/PL"])
    runs |= over_budget(experiment, cell, "over 45 minutes, 43% of the distances")
    _, page = report(runs)
    assert "over budget: 0 of 5 runs" in page.texts
    assert "over 45 minutes, 43% of the distances" in page.texts


def test_figures_are_part_of_the_page(experiment, report, tmp_path):
    png = tmp_path / "some.png"
    png.write_bytes(b"\x89PNG and more")
    figure = Picture("curve", 'Size "N" & <more>', "What <it> shows", png)
    _, page = report(made_up(experiment, score), [figure])
    [image] = page.all("img")
    assert image["alt"] == 'Size "N" & <more>'
    kind, data = image["src"].split(",")
    assert kind == "data:image/png;base64"
    assert base64.b64decode(data) == png.read_bytes()
    assert " What <it> shows" in page.texts


def test_versions_and_machines_are_listed_with_their_runs(experiment, report):
    runs = made_up(
        experiment, score, versions={"numpy": "2.1", "pbow": "0.1"}, machine="A & B"
    )
    stranger = next(iter(runs.values()))
    _, page = report(runs | {"of another experiment": stranger})
    assert f"{len(runs)} runs: A & B; numpy 2.1, pbow 0.1" in page.texts


def test_before_anything_was_run_there_is_a_page_as_well(report):
    _, page = report({})
    assert "Nothing was run yet." in page.texts


def test_many_repetitions_get_the_table_with_the_corrected_test(tmp_path, report):
    text = TEXT.replace("repetitions = 5", "repetitions = 8")
    experiment = declared(tmp_path, text)
    _, page = report(made_up(experiment, score), of=experiment)
    assert any("corrected resampled t-test" in data for data in page.texts)
    assert not any("Wilcoxon" in data for data in page.texts)


def test_the_declaration_is_on_the_page_word_for_word(report):
    _, page = report({})
    assert TEXT in page.texts


def test_a_report_that_fails_leaves_the_old_one(experiment, tmp_path):
    path = tmp_path / "report.html"
    path.write_text("old", encoding="utf-8")
    missing = Picture("curve", "A title", "A caption", tmp_path / "missing.png")
    with pytest.raises(FileNotFoundError):
        write_report(experiment, {}, [missing], path)
    assert path.read_text(encoding="utf-8") == "old"
