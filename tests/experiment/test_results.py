"""What is committed in experiments/results belongs together, and is complete."""

from functools import cache
from pathlib import Path

import pytest
from experiments import cell_by_cell

from pbow.experiment import Folder, make_table, read_experiment, summarize
from pbow.experiment.comparison import compare
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


def test_the_readme_has_the_numbers_of_exp_b():
    experiment, runs = read("exp_b")
    rows = {
        "sPBoW, pbow's defaults, 100 words": "sPBoW-default",
        "PBoW, pbow's defaults, 100 words": "PBoW-default",
        "PersistenceStatistics": "Statistics",
        "Atol (GUDHI), 100 centers": "Atol",
        "persistence images, pbow's defaults": "PI-default",
        "persistence images, as in the paper": "PI",
        "PBoW, as in the paper": "PBoW",
        "sPBoW, as in the paper": "sPBoW",
    }
    cells = compare(experiment, runs)
    readme = (EXPERIMENTS.parent / "README.md").read_text(encoding="utf-8")
    lines = [line.replace("*", "") for line in readme.splitlines()]
    for label, name in rows.items():
        spreads = [cells[data.name, name].nested for data in experiment.datasets]
        numbers = [f"{spread.mean:.1f} ± {spread.std:.1f}" for spread in spreads]
        assert f"| {label} | {' | '.join(numbers)} |" in lines
