from dataclasses import replace

import pytest
from tests.experiment.fake_runs import declared, made_up

from pbow.experiment.plan import plan_cell
from pbow.experiment.runs import FINAL
from pbow.experiment.selection import summarize
from pbow.experiment.table import make_table

TEXT = """
repetitions = 3
[classifier]
finalists = 1
[datasets.shapes]
shapes = {}
[descriptors.PBoW]
make = "PersistenceBoW"
grid = { n_words = [10, 20, 30] }
"""

# 10 words are best inside the training part, 30 words on the test part; on the whole
# training part, 30 words would win inside as well.
INSIDE = {10: 0.9, 20: 0.7, 30: 0.6}
TESTED = {10: 0.5, 20: 0.6, 30: 0.8}


@pytest.fixture
def experiment(tmp_path):
    return declared(tmp_path, TEXT)


@pytest.fixture
def runs(experiment):
    made = made_up(experiment, lambda _, params, repetition: TESTED[params["n_words"]])
    made = {key: run for key, run in made.items() if run.stage != FINAL}
    changed = {
        key: replace(run, validation=INSIDE[run.params["n_words"]])
        for key, run in made.items()
    }
    for task in plan_cell(experiment, experiment.cells[0], changed):
        if task.stage == FINAL:
            n_words = task.params["n_words"]
            [like] = [
                run
                for run in made.values()
                if (run.params, run.repetition) == (task.params, task.repetition)
            ]
            changed[task.key] = replace(
                like,
                key=task.key,
                stage=FINAL,
                validation=0.99 if n_words == 30 else 0.9,
            )
    return changed


def test_what_the_test_parts_let_go_on_cannot_win_inside(experiment, runs):
    outcome = summarize(experiment, runs)["shapes", "PBoW"]
    assert [run.params["n_words"] for run in outcome.nested] == [10, 10, 10]
    assert [run.params["n_words"] for run in outcome.authors] == [30, 30, 30]


def test_without_a_screening_all_combinations_compete(tmp_path):
    experiment = declared(tmp_path, TEXT.replace("finalists = 1", "finalists = 3"))
    runs = made_up(experiment, lambda _, params, repetition: INSIDE[params["n_words"]])
    outcome = summarize(experiment, runs)["shapes", "PBoW"]
    assert [run.params["n_words"] for run in outcome.nested] == [10, 10, 10]
    assert outcome.accuracies == [90.0, 90.0, 90.0]


def as_impossible(runs, n_words):
    """Make all runs with so many words ones that could not be made."""
    failed = {"accuracy": None, "validation": None, "note": "cannot be run: too few"}
    return {
        key: replace(run, **failed) if run.params["n_words"] == n_words else run
        for key, run in runs.items()
    }


def test_a_combination_that_cannot_be_run_is_never_chosen(tmp_path):
    experiment = declared(tmp_path, TEXT.replace("finalists = 1", "finalists = 3"))
    runs = made_up(experiment, lambda _, params, repetition: INSIDE[params["n_words"]])
    outcome = summarize(experiment, as_impossible(runs, 10))["shapes", "PBoW"]
    assert outcome.accuracies == [70.0, 70.0, 70.0]
    assert outcome.impossible is None


def test_a_cell_of_which_nothing_can_be_run_has_no_number(tmp_path):
    only_ten = TEXT.replace("[10, 20, 30]", "[10]")
    experiment = declared(tmp_path, only_ten)
    runs = made_up(experiment, lambda *_: 0.9)
    outcome = summarize(experiment, as_impossible(runs, 10))["shapes", "PBoW"]
    assert not outcome.is_complete
    assert outcome.accuracies == []
    assert "too few" in outcome.impossible.note
    table = make_table(experiment, as_impossible(runs, 10))
    assert "cannot be run" in table
    assert "0.0" not in table.split("Percent")[0]
