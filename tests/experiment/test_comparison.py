import numpy as np
import pytest
from scipy import stats
from tests.experiment.fake_runs import declared, made_up, over_budget

from pbow.experiment.comparison import (
    by_corrected_t_test,
    column_title,
    compare,
    stand_in_for,
)

TEXT = """
repetitions = 5
[datasets.one]
shapes = {}
[datasets.two]
shapes = { n_points = 60 }
repetitions = 4
[descriptors.A]
make = "PersistenceBoW"
[descriptors.B]
make = "PersistenceBoW"
params = { n_words = 20 }
[descriptors.C]
make = "PersistenceBoW"
grid = { n_words = [30, 40] }
"""

# Ahead of B in every repetition, of C in four of five.
SCORES = {
    "A": [0.90, 0.91, 0.92, 0.93, 0.94],
    "B": [0.80, 0.82, 0.85, 0.88, 0.92],
    "C": [0.95, 0.86, 0.85, 0.84, 0.83],
}


def score(name, params, repetition):
    del params
    return SCORES[name.split("/")[1]][repetition]


@pytest.fixture
def experiment(tmp_path):
    return declared(tmp_path, TEXT)


def test_the_best_and_what_the_test_cannot_tell_from_it_are_marked(experiment):
    cells = compare(experiment, made_up(experiment, score))
    column = {name: cells["one", name] for name in "ABC"}
    assert [cell.is_best for cell in column.values()] == [True, False, False]
    assert [cell.is_marked for cell in column.values()] == [True, False, True]
    # Of A - C the ranks are 1.5, 1.5, 3, 4, 5, the first one negative: three patterns
    # of 32 have so small a sum.
    assert [cell.p_value for cell in column.values()] == [1.0, 0.0625, 6 / 32]


def test_four_repetitions_tell_no_method_from_the_best(experiment):
    cells = compare(experiment, made_up(experiment, score))
    assert cells["two", "B"].p_value == 0.125
    assert all(cells["two", name].is_marked for name in "ABC")


def test_means_and_sample_standard_deviations_are_in_percent(experiment):
    cell = compare(experiment, made_up(experiment, score))["one", "B"]
    assert cell.nested.mean == pytest.approx(85.4)
    assert cell.nested.std == pytest.approx(np.std([80, 82, 85, 88, 92], ddof=1))


def test_a_single_repetition_has_no_standard_deviation(tmp_path):
    experiment = declared(tmp_path, TEXT.replace("= 5", "= 1"))
    cell = compare(experiment, made_up(experiment, score))["one", "A"]
    assert (cell.nested.mean, cell.nested.std) == (90.0, None)


def test_a_cell_that_is_not_complete_takes_no_part(experiment):
    runs = made_up(experiment, score, without=["one/A"])
    cells = compare(experiment, runs)
    missing = cells["one", "A"]
    assert (missing.nested, missing.authors, missing.p_value) == (None, None, None)
    assert not any((missing.is_best, missing.is_marked, missing.is_fastest))
    assert missing.status == "0 of 5 runs"
    assert cells["one", "C"].is_best  # 86.6, and A's is not known


def test_a_cell_over_its_budget_says_so_until_it_is_complete(experiment):
    cell = experiment.cell("one", "A")
    note = over_budget(experiment, cell, "over 45 minutes after 0 of 5 runs")
    runs = made_up(experiment, score, without=["one/A"]) | note
    assert compare(experiment, runs)["one", "A"].status == "over budget: 0 of 5 runs"
    assert compare(experiment, runs)["one", "A"].note.startswith("over 45 minutes")
    later = compare(experiment, made_up(experiment, score) | note)["one", "A"]
    assert (later.status, later.note) == ("complete", "")


def test_a_column_without_a_complete_cell_has_no_best(experiment):
    cells = compare(experiment, {})
    assert not any(cell.is_best or cell.is_fastest for cell in cells.values())


def test_the_first_of_equally_good_and_fast_methods_is_the_best(experiment):
    cells = compare(experiment, made_up(experiment, lambda *_: 0.5))
    assert [cells["one", name].is_best for name in "ABC"] == [True, False, False]
    assert [cells["one", name].is_fastest for name in "ABC"] == [True, False, False]
    assert all(cells["one", name].is_marked for name in "ABC")


def test_the_fastest_is_by_the_time_of_the_representation_alone(experiment):
    runs = {}
    for key, run in made_up(experiment, score).items():
        slow = {"fit": 2.0, "encode": 2.0, "classify": 0.0}
        quick = {"fit": 2.0, "encode": 1.9, "classify": 99.0}
        run.seconds.update(quick if run.descriptor == "B" else slow)
        runs[key] = run
    cells = compare(experiment, runs)
    assert [cells["one", name].is_fastest for name in "ABC"] == [False, True, False]


def test_fits_are_counted_over_all_runs_of_a_cell(experiment):
    cells = compare(experiment, made_up(experiment, score))
    assert (cells["one", "A"].n_fits, cells["one", "A"].n_capped) == (5 * 26, 5)
    assert (cells["two", "C"].n_fits, cells["two", "C"].n_capped) == (8 * 26, 8)


def test_the_corrected_t_test_takes_the_sizes_of_both_parts(experiment):
    runs = made_up(experiment, score)
    p = compare(experiment, runs, by_corrected_t_test)["one", "B"].p_value
    differences = np.array([10, 9, 7, 5, 2])
    t = differences.mean() / np.sqrt(differences.var(ddof=1) * (1 / 5 + 20 / 80))
    assert p == pytest.approx(2 * stats.t.sf(t, 4))


def test_a_stand_in_is_named_in_the_title_of_its_column(tmp_path):
    experiment = declared(
        tmp_path,
        """
        [datasets.a]
        load = "geomat-standin"
        [datasets.b]
        load = "petrosurf3d-standin"
        title = "PetroSurf3D Stand-in"
        [datasets.c]
        shapes = {}
        title = "My stand-in"
        [datasets.d]
        load = "reddit-5k"
        [descriptors.A]
        make = "PersistenceBoW"
        """,
    )
    a, b, c, d = experiment.datasets
    assert [stand_in_for(entry) for entry in (a, b, d)] == [
        "GeoMat",
        "PetroSurf3D",
        None,
    ]
    assert stand_in_for(c) is not None
    titles = [column_title(entry) for entry in (a, b, c, d)]
    assert titles == ["a (stand-in)", "PetroSurf3D Stand-in", "My stand-in", "d"]
