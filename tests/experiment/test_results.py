"""What is committed in experiments/results belongs together, and is complete."""

from functools import cache
from pathlib import Path

import pandas as pd
import pytest
from experiments import cell_by_cell, choose_defaults

from pbow.experiment import Folder, make_table, read_experiment, summarize
from pbow.experiment.sheets import is_powered
from pbow.experiment.table import make_powered_table

EXPERIMENTS = Path(__file__).parents[2] / "experiments"
NAMES = sorted(path.parent.name for path in EXPERIMENTS.glob("results/*/runs.csv"))

each = pytest.mark.parametrize("name", NAMES)


@cache
def read(name):
    folder = Folder(EXPERIMENTS / "results" / name)
    return read_experiment(folder.declaration), folder.load()


def test_the_results_of_all_experiments_are_here():
    declared = {path.stem for path in EXPERIMENTS.glob("*.toml")}
    assert {*NAMES} == declared - {"quick"}


@each
def test_results_are_of_the_declaration_as_it_stands(name):
    kept = EXPERIMENTS / "results" / name / "experiment.toml"
    assert kept.read_text() == (EXPERIMENTS / f"{name}.toml").read_text()


@each
def test_every_cell_is_complete_or_says_why_not(name):
    outcomes = summarize(*read(name)).values()
    open_ends = [
        outcome.cell.name
        for outcome in outcomes
        if not (outcome.is_complete or outcome.over_budget or outcome.impossible)
    ]
    assert open_ends == []


@each
def test_the_table_is_of_these_runs(name):
    experiment, runs = read(name)
    make = make_powered_table if is_powered(experiment) else make_table
    table = EXPERIMENTS / "results" / name / "table.md"
    assert table.read_text(encoding="utf-8") == make(experiment, runs)


def test_the_page_of_all_cells_is_of_these_runs():
    assert cell_by_cell.PAGE.read_text(encoding="utf-8") == cell_by_cell.page()


def test_the_tables_of_the_defaults_are_of_the_measured_rows():
    for name, text in choose_defaults.tables().items():
        path = choose_defaults.RESULTS / name
        assert path.read_text(encoding="utf-8") == text


def test_the_readme_has_the_numbers_of_the_defaults():
    readme = (EXPERIMENTS.parent / "README.md").read_text(encoding="utf-8")
    titles, rows = {}, {}
    for line in readme.splitlines():
        cells = [cell.strip("* ") for cell in line.split("|")[1:-1]]
        if "3D Shape Segm." in cells:
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
