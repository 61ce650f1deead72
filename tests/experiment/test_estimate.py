"""How much work there is, and how much of it is left."""

import pytest
from tests.experiment.fake_runs import declared, made_up

from pbow.experiment.estimate import Work, count_work, estimate_work, progress_of
from pbow.experiment.runs import FINAL, SCREEN

TEXT = """
repetitions = 2
[classifier]
finalists = 2
costs = [1.0, 10.0]
folds = 3
[datasets.one]
surfaces = { n_diagrams = 30, n_points = 15 }
[datasets.two]
surfaces = { n_diagrams = 20, n_points = 15 }
repetitions = 1
[descriptors.PBoW]
make = "PersistenceBoW"
grid = { n_words = [2, 3, 4] }
[descriptors.PI]
make = "PersistenceImage"
only = ["one"]
"""


@pytest.fixture
def experiment(tmp_path):
    return declared(tmp_path, TEXT)


def test_the_work_is_counted_before_anything_is_run(experiment):
    # 7 machines are the whole protocol: two costs in three folds, and the test.
    assert count_work(experiment) == Work(
        n_combinations=3 + 3 + 1,
        whole_grid=7 * (3 * 2 + 3 * 1 + 1 * 2),
        screening=3 * (3 * 2 + 3 * 1),
        finals=7 * (3 * 2 + 3 * 1 + 1 * 2),
    )


def test_each_data_set_has_an_estimate(experiment):
    one, two = estimate_work(experiment)
    assert (one.dataset.name, two.dataset.name) == ("one", "two")
    assert one.work.n_combinations == 4
    assert two.work == Work(3, 21, 9, 21)
    for item in (one, two):
        assert item.whole_grid_seconds > 0.0
        assert item.reduced_seconds > 0.0


def test_nothing_is_known_of_the_time_before_the_first_run(experiment):
    # Screening of 3 * 2 and 3 * 1 runs, 3 finalists each, and 2 runs without.
    done, total, left = progress_of(experiment, experiment.cells, {}, 1)
    assert (done, total, left) == (0, 9 + 3 * 2 + 3 * 1 + 2, None)


def test_when_all_is_done_nothing_is_left(experiment):
    runs = made_up(experiment, lambda *_: 0.5)
    done, total, left = progress_of(experiment, experiment.cells, runs, 1)
    assert done == total == len(runs)
    assert left == 0.0


def test_the_time_left_is_that_of_runs_like_those_that_are_missing(experiment):
    runs = made_up(experiment, lambda *_: 0.5, seconds={"fit": 2.0})
    in_one = [
        key
        for key, run in runs.items()
        if (run.dataset, run.descriptor, run.stage) == ("one", "PBoW", FINAL)
    ]
    runs.pop(in_one[0])
    _, _, left = progress_of(experiment, experiment.cells, runs, 1)
    assert left == 2.0
    _, _, left = progress_of(experiment, experiment.cells, runs, 4)
    assert left == 0.5


def test_other_cells_tell_the_time_of_a_cell_that_has_no_run(experiment):
    runs = made_up(
        experiment, lambda *_: 0.5, without=["two/PBoW"], seconds={"fit": 2.0}
    )
    done, total, left = progress_of(experiment, experiment.cells, runs, 1)
    assert total - done == 3 + 3
    assert left == 12.0


def test_a_stage_of_which_no_run_is_done_has_no_time(experiment):
    runs = made_up(experiment, lambda *_: 0.5)
    screening = {key: run for key, run in runs.items() if run.stage == SCREEN}
    assert progress_of(experiment, experiment.cells, screening, 1)[2] is None
