"""What there is to run, in which order, and by which key."""

from dataclasses import replace

import pytest
from tests.experiment.fake_runs import declared, made_up

from pbow.experiment.plan import (
    best_inside,
    finalists,
    is_shared,
    matrix_key,
    n_repetitions,
    over_budget_key,
    plan,
    plan_cell,
)
from pbow.experiment.runs import FINAL, MATRIX, SCREEN, Run

TEXT = """
seed = 3
repetitions = 2
[classifier]
finalists = 2
[datasets.shapes]
shapes = { n_per_class = 5 }
[descriptors.PBoW]
make = "PersistenceBoW"
grid = { n_words = [10, 20, 30] }
[descriptors.SWK]
make = "SlicedWassersteinKernel"
similarity = "max-distance"
grid.n_directions = [20, 30]
[descriptors.SWK-default]
make = "SlicedWassersteinKernel"
"""


@pytest.fixture
def experiment(tmp_path):
    return declared(tmp_path, TEXT)


def stages(tasks):
    return [task.stage for task in tasks]


def screened(accuracy, validation, repetition, **params):
    return Run(
        key="",
        stage=SCREEN,
        dataset="",
        descriptor="",
        params=params,
        repetition=repetition,
        accuracy=accuracy,
        validation=validation,
    )


def test_many_combinations_are_screened_before_finalists_are_known(experiment):
    cell = experiment.cell("shapes", "PBoW")
    tasks = plan_cell(experiment, cell, {})
    assert stages(tasks) == [SCREEN] * 6
    order = [(task.params["n_words"], task.repetition) for task in tasks]
    assert order == [(10, 0), (10, 1), (20, 0), (20, 1), (30, 0), (30, 1)]
    runs = made_up(experiment, lambda _, params, __: params.get("n_words", 0) / 100)
    screening = {key: run for key, run in runs.items() if run.stage == SCREEN}
    tasks = plan_cell(experiment, cell, screening)
    assert stages(tasks) == [SCREEN] * 6 + [FINAL] * 4
    assert {task.params["n_words"] for task in tasks[6:]} == {20, 30}
    screening.pop(next(iter(screening)))
    assert stages(plan_cell(experiment, cell, screening)) == [SCREEN] * 6


def test_few_combinations_are_not_screened(experiment):
    tasks = plan_cell(experiment, experiment.cell("shapes", "SWK"), {})
    assert stages(tasks) == [MATRIX, MATRIX, FINAL, FINAL, FINAL, FINAL]
    assert [task.repetition for task in tasks] == [None, None, 0, 1, 0, 1]


def test_distances_are_shared_by_similarities_of_distances_alone(experiment):
    shared = {cell.descriptor.name: is_shared(cell) for cell in experiment.cells}
    assert shared == {"PBoW": False, "SWK": True, "SWK-default": False}


def test_the_plan_is_that_of_all_cells(experiment):
    tasks = plan(experiment, {})
    assert tasks == [
        task for cell in experiment.cells for task in plan_cell(experiment, cell, {})
    ]
    assert len({task.key for task in tasks}) == len(tasks)


def test_the_best_inside_each_repetition_go_on_the_first_of_equals():
    runs = [
        screened(0.1, 0.5, 0, n=1),
        screened(0.1, 0.9, 1, n=1),
        screened(0.1, 0.5, 0, n=2),
        screened(0.1, 0.2, 1, n=2),
        screened(0.9, 0.4, 0, n=3),
        screened(0.9, 0.1, 1, n=3),
    ]
    assert best_inside(1, runs) == {('{"n": 1}', 0), ('{"n": 1}', 1)}
    # The third is best on the test parts, and so goes on in every repetition.
    assert finalists(1, runs) == [
        ({"n": 1}, 0),
        ({"n": 1}, 1),
        ({"n": 3}, 0),
        ({"n": 3}, 1),
    ]
    both = {('{"n": 1}', 0), ('{"n": 2}', 0), ('{"n": 1}', 1), ('{"n": 2}', 1)}
    assert best_inside(2, runs) == both


def test_what_has_no_validation_is_behind_what_has(experiment):
    runs = [screened(0.5, None, 0, n=1), screened(None, 0.0, 0, n=2)]
    assert best_inside(1, runs) == {('{"n": 2}', 0)}
    assert finalists(1, runs) == [({"n": 1}, 0), ({"n": 2}, 0)]


def test_a_data_set_may_have_its_own_number_of_repetitions(experiment):
    [dataset] = experiment.datasets
    assert n_repetitions(experiment, dataset) == 2
    assert n_repetitions(experiment, replace(dataset, repetitions=4)) == 4


def keys(tmp_path, *changes):
    text = TEXT
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    experiment = declared(tmp_path, text)
    runs = made_up(experiment, lambda *_: 0.5)
    return {
        (run.descriptor, run.stage, str(run.params), run.repetition): key
        for key, run in runs.items()
    }


def changed(tmp_path, *changes):
    """Return stages and descriptors whose keys are others after a change."""
    before, after = keys(tmp_path), keys(tmp_path, *changes)
    return {
        (name, stage)
        for name, stage, params, repetition in before.keys() & after.keys()
        if before[name, stage, params, repetition]
        != after[name, stage, params, repetition]
    }


ALL = {
    ("PBoW", SCREEN),
    ("PBoW", FINAL),
    ("SWK", MATRIX),
    ("SWK", FINAL),
    ("SWK-default", FINAL),
}
FINALS = {(name, stage) for name, stage in ALL if stage == FINAL}


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        (("seed = 3", "seed = 4"), ALL),
        (("n_per_class = 5", "n_per_class = 6"), ALL),
        (("[descriptors.PBoW]", "protocol = '50/50'\n[descriptors.PBoW]"), ALL),
        (("finalists = 2", "finalists = 2\nfolds = 3"), FINALS),
        (("finalists = 2", "finalists = 2\nmax_iterations = 9"), FINALS),
        (("finalists = 2", "finalists = 2\nscreen_rows = 9"), {("PBoW", SCREEN)}),
        (("finalists = 2", "finalists = 2\nscreen_iterations = 9"), {("PBoW", SCREEN)}),
        (("finalists = 2", "finalists = 2\ncosts = [1]"), ALL - {("SWK", MATRIX)}),
        (
            ('"PersistenceBoW"', '"PersistenceBoW"\nstandardize = true'),
            {("PBoW", SCREEN), ("PBoW", FINAL)},
        ),
        (
            ('"PersistenceBoW"', '"PersistenceBoW.paper"'),
            {("PBoW", SCREEN), ("PBoW", FINAL)},
        ),
        (("repetitions = 2", "repetitions = 3\nminutes_per_cell = 5"), set()),
        (('"PersistenceBoW"', '"PersistenceBoW"\ntitle = "Words"'), set()),
    ],
    ids=lambda value: value[1] if isinstance(value, tuple) else "",
)
def test_a_key_changes_with_what_the_result_depends_on(tmp_path, change, expected):
    assert changed(tmp_path, change) == expected


def test_keys_are_those_of_the_results_that_were_committed(experiment):
    cell = experiment.cell("shapes", "SWK")
    [first, *_] = plan_cell(experiment, cell, {})
    assert first.key == matrix_key(experiment, cell, {"n_directions": 20})
    assert first.key == "c09b49ded11aea96a6c7e85c"
    assert (
        plan_cell(experiment, experiment.cells[0], {})[0].key
        == "730ddb1dfbe22d6bf270a7f8"
    )
    assert plan_cell(experiment, cell, {})[-1].key == "4ea00bb8adb303a849b2b5e1"
    notes = {over_budget_key(experiment, cell) for cell in experiment.cells}
    assert len(notes) == 3


def test_a_run_without_folds_is_not_taken_for_one_with_them(tmp_path):
    one_cost = TEXT_OF_ONE.format(words="[2]")
    longer = TEXT_OF_ONE.format(words="[2, 20]")
    [alone] = plan(declared(tmp_path, one_cost), {})
    beside, _ = plan(declared(tmp_path, longer), {})
    assert alone.params == beside.params == {"n_words": 2}
    assert alone.key != beside.key


TEXT_OF_ONE = """
repetitions = 1
[classifier]
costs = [1.0]
[datasets.shapes]
shapes = {{}}
[descriptors.PBoW]
make = "PersistenceBoW"
grid = {{ n_words = {words} }}
"""
