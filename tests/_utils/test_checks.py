from functools import partial

import numpy as np
import pytest

from pbow._utils.checks import (
    check_dims,
    check_label_names,
    check_labels,
    check_location,
    check_option,
    is_finite_number,
    is_integer,
)
from pbow.errors import ParameterError


@pytest.mark.parametrize("value", [3, np.int8(3), np.uint64(2**63), 10**400])
def test_integers_of_any_type_and_size_are_integers(value):
    assert is_integer(value, 3)
    assert not is_integer(value, value + 1)


@pytest.mark.parametrize("value", [True, np.True_, 3.0, "3", None, np.array([3])])
def test_what_is_no_integer_is_none(value):
    assert not is_integer(value, 0)


@pytest.mark.parametrize("value", [0, -1.5, np.float32(2), 10**300])
def test_numbers_that_a_float_can_hold_are_finite(value):
    assert is_finite_number(value)


@pytest.mark.parametrize("value", [np.inf, np.nan, 10**400, True, "1", None, 1j])
def test_other_values_are_no_finite_numbers(value):
    assert not is_finite_number(value)


def test_an_option_is_one_of_the_choices():
    check_option("format", "csv", ("csv", None))
    check_option("format", None, ("csv", None))
    for value in ("xml", ["csv"], np.array(["csv", "csv"])):
        with pytest.raises(ParameterError, match="format to be one of 'csv', 'npy'"):
            check_option("format", value, ("npy", "csv"))


def test_dims_may_be_one_or_several():
    assert check_dims(1) == [1]
    assert check_dims(np.array([2, 0])) == [2, 0]
    assert check_dims(range(3)) == [0, 1, 2]
    refused = ["01", (), (True,), 1.0, [None], -1, 1000, 10**5000, (1, 1), np.array(1)]
    for dims in refused:
        with pytest.raises(ValueError, match="one or more different ints >= 0"):
            check_dims(dims)


def test_there_is_one_label_per_diagram():
    assert check_labels(["a", "b"], 2).tolist() == ["a", "b"]
    for labels in (["a", "b"], [["a"]] * 3):
        with pytest.raises(ValueError, match=r"one label per diagram, shape \(3,\)"):
            check_labels(labels, 3)


@pytest.mark.parametrize(
    "y", [[1, 2, 2], [True, 2, 0.5], ["b", "a", "a"], [b"b", b"a", b"a"]], ids=str
)
@pytest.mark.parametrize("kind", [list, tuple, np.array, partial(np.array, dtype="O")])
def test_labels_of_one_type_are_an_array(y, kind):
    assert check_labels(kind(y), 3).tolist() == np.array(y).tolist()


@pytest.mark.parametrize(
    "y",
    [
        [1, "a", "b"],
        (np.nan, "a", "b"),
        [None, "a", "b"],
        [None, 1, 2],
        [np.nan, 1.0, 2.0],
        np.array([1, "a", "b"], dtype=object),
        np.array([np.nan, 1.0, 2.0], dtype=object),
        np.array([np.nan, "a", "b"], dtype=object),
    ],
    ids=str,
)
def test_missing_and_mixed_labels_are_refused(y):
    with pytest.raises(ValueError, match="all numbers or all strings, and none miss"):
        check_labels(y, 3)


def test_labels_have_names():
    assert check_label_names(None, [3, 5]) == ["3", "5"]
    assert check_label_names(("x", "y"), [3, 5]) == ("x", "y")
    for names in (["x"], "xy", 5, iter("xy"), {"x", "y"}, {3: "x", 5: "y"}):
        with pytest.raises(ParameterError, match="a sequence of 2 names, one per"):
            check_label_names(names, [3, 5])


def test_raw_data_have_the_place_of_the_largest_location():
    check_location(4, 5, "vertex", "Diagram 0 has")
    check_location(-1, 0, "vertex", "Diagram 0 has")
    message = "Diagram 0 has a point at pixel 5, and there are 5. Pass the raw data"
    with pytest.raises(ValueError, match=message):
        check_location(5, 5, "pixel", "Diagram 0 has")
