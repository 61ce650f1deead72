import numpy as np
import pytest

from pbow.io.results import as_floats, check_results, from_list_by_dimension


def test_results_may_come_from_a_generator():
    assert check_results((i for i in range(3)), "f()") == [0, 1, 2]


@pytest.mark.parametrize(
    "sample",
    [
        [],
        [[]],
        [np.empty((0, 2)), [[0, 1]]],
        ([], [[0, 1]]),
        np.array([np.zeros((1, 2)), np.zeros((2, 2))], dtype=object),
    ],
)
def test_a_list_of_arrays_is_taken_by_place(sample):
    assert list(from_list_by_dimension(sample, 0, "f()")) == list(range(len(sample)))


@pytest.mark.parametrize(
    "sample",
    [
        np.zeros((3, 2)),
        [[0, 1], [0, 2]],
        [(0, 1)],
        [0, 1],
        7,
        None,
        "text",
        np.array(1.0),
    ],
)
def test_one_diagram_is_not_a_list_of_diagrams(sample):
    with pytest.raises(ValueError, match=r"Result 4 .* Wrap one result in a list, \[f"):
        from_list_by_dimension(sample, 4, "f()")


def test_a_generator_of_arrays_loses_none():
    arrays = ([[dim, dim + 1]] for dim in range(3))
    found = from_list_by_dimension(arrays, 0, "f()")
    assert found == {0: [[0, 1]], 1: [[1, 2]], 2: [[2, 3]]}


@pytest.mark.parametrize(
    "values",
    [
        [[1, 2], [3]],
        np.array([[0, 1j]]),
        pytest.param(
            np.array([[0, np.longdouble("1e4000")]], object),
            marks=pytest.mark.skipif(
                np.finfo(np.longdouble).maxexp == 1024, reason="as large as a double"
            ),
        ),
    ],
    ids=str,
)
def test_what_is_no_array_of_numbers_is_named(values):
    with pytest.raises(ValueError, match=r"The thing is not an array of numbers"):
        as_floats(values, "The thing")


def test_a_number_is_no_list_of_results():
    with pytest.raises(ValueError, match="Expected a list of results"):
        check_results(np.array(1.0), "f()")
