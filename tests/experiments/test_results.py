"""What is committed in experiments/results belongs together, and says what is said."""

import re
from functools import cache
from pathlib import Path

import pandas as pd
import pytest

from experiments import choose_defaults, claims, reddit_variants, verdicts
from pbow.experiment import Folder, progress
from pbow.experiment.tables import make_tables, summarize

EXPERIMENTS = Path(__file__).parents[2] / "experiments"
RESULTS = EXPERIMENTS / "results"
NAMES = sorted(path.parent.name for path in RESULTS.glob("*/runs.parquet"))

each = pytest.mark.parametrize("name", NAMES)


@cache
def read(name):
    folder = Folder(RESULTS / name)
    return folder.read_declaration(), folder.read()


@cache
def read_verdicts():
    return verdicts.read_verdicts()


def test_the_results_of_the_papers_experiments_are_here():
    declared = {path.stem for path in EXPERIMENTS.glob("*.toml")}
    assert {"exp_a", "exp_b"} <= {*NAMES} <= declared - {"quick"}


@each
def test_results_are_of_the_declaration_as_it_stands(name):
    kept = RESULTS / name / f"{name}.toml"
    assert kept.read_text() == (EXPERIMENTS / f"{name}.toml").read_text()


@each
def test_every_cell_is_complete_and_none_failed(name):
    cells = progress(*read(name))
    assert cells[~cells.complete].empty
    assert set(cells.errors) == {""}


@each
def test_every_run_says_by_what_it_was_made(name):
    _, runs = read(name)
    for record in runs.records.values():
        assert re.fullmatch("[0-9a-f]{12}", record["code"])
        assert re.fullmatch("[0-9a-f]{64}", record["data"])
        assert record["versions"].startswith("python 3")


@each
def test_the_table_is_of_these_runs(name):
    experiment, runs = read(name)
    table = RESULTS / name / "table.md"
    assert table.read_text(encoding="utf-8") == make_tables(experiment, runs)


def test_verdicts_are_of_these_runs():
    text = (RESULTS / "verdicts.md").read_text(encoding="utf-8")
    assert text == verdicts.to_markdown(read_verdicts())


def test_claims_are_of_these_runs():
    found = claims.check_claims(*map(claims.read_results, ("exp_a", "exp_b")))
    text = (RESULTS / "claims.md").read_text(encoding="utf-8")
    assert text == claims.to_markdown(found)


def test_the_table_of_reddit_variants_is_of_the_measured_rows():
    rows = pd.read_csv(RESULTS / "reddit" / "variants.csv")
    text = (RESULTS / "reddit" / "variants.md").read_text(encoding="utf-8")
    assert text == reddit_variants.to_markdown(rows)


@pytest.mark.parametrize(
    ("dataset", "n"),
    [
        ("synthetic", 8),
        ("synthetic-6", 8),
        ("shape-segmentation", 5),  # with the extra point of the authors' program
        ("shape-segmentation-h1", 6),  # without it
    ],
)
def test_so_many_of_eight_methods_agree_with_the_paper(dataset, n):
    found = read_verdicts().query("dataset == @dataset").verdict
    assert len(found) == 8
    assert (found == "agrees").sum() == n


def test_every_cell_that_differs_says_why():
    found = read_verdicts().query("verdict == 'differs'")
    assert found[found.why == ""].empty


def test_the_representations_of_the_whole_table_take_minutes():
    total = 0.0
    for name in ("exp_a", "exp_b"):
        summary = summarize(*read(name))
        paper = summary[summary.paper_seconds.notna() & (summary.variant_of == "")]
        one = paper.drop_duplicates(["dataset", "descriptor"])
        total += one.test_chosen_seconds.sum()
    assert total < 420.0


def test_the_tables_of_the_defaults_are_of_the_measured_rows():
    for name, text in choose_defaults.tables().items():
        path = choose_defaults.RESULTS / name
        assert path.read_text(encoding="utf-8") == text


def test_the_readme_has_the_numbers_of_the_defaults():
    readme = (EXPERIMENTS.parent / "README.md").read_text(encoding="utf-8")
    titles, rows = {}, {}
    for line in readme.splitlines():
        cells = [cell.strip("* ") for cell in line.split("|")[1:-1]]
        if "3D Shape Segm." in cells and "GeoMat stand-in" in cells:
            titles = cells[1:]
        elif titles and cells:
            rows[cells[0]] = dict(zip(titles, cells[1:], strict=True))
        elif titles:
            break
    finalists = pd.read_csv(choose_defaults.RESULTS / "finalists.csv")
    names = {"`certified()` sPBoW": "certified"}
    order = [names.get(row, row) for row in list(rows)[1:]]  # without the rule
    table = choose_defaults.accuracies(finalists, choose_defaults.MACHINES, order)
    assert len(order) >= 6
    for shown, row in zip(list(rows)[1:], order, strict=True):
        assert rows[shown] == table.loc[row, list(titles)].to_dict()


def test_the_readme_counts_verdicts():
    readme = (EXPERIMENTS.parent / "README.md").read_text(encoding="utf-8")
    found = read_verdicts()
    rows = re.findall(r"^\| (EXP-[AB], .+?) \|(.+)\|$", readme, re.MULTILINE)
    assert {data for data, _ in rows} == set(found[found.dataset != "synthetic-6"].data)
    for data, counts in rows:
        verdicts_of_data = found[found.data == data].verdict
        expected = [
            (verdicts_of_data == v).sum() for v in ("agrees", "undecided", "differs")
        ]
        assert list(map(int, counts.split("|"))) == [len(verdicts_of_data), *expected]


def test_the_numbers_of_the_notes_are_in_the_tables():
    paths = (*RESULTS.glob("*/table.md"), RESULTS / "reddit" / "variants.md")
    tables = "".join(path.read_text(encoding="utf-8") for path in paths)
    notes = (RESULTS / "notes.toml").read_text(encoding="utf-8")
    quoted = re.findall(r"\d+\.\d ± \d+\.\d", notes)
    assert len(quoted) > 10
    assert [number for number in quoted if number not in tables] == []
