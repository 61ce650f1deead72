import pickle
from dataclasses import dataclass

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from pbow._utils.records import ArrayRecord, as_finite, check_range
from pbow.errors import shown


@dataclass(frozen=True, slots=True, eq=False)
class Pair(ArrayRecord):
    """Two arrays, the second one as long as the first."""

    one: np.ndarray
    two: np.ndarray

    def __post_init__(self):
        n = len(self._keep("one", (None, 2)))
        self._keep("two", (n,))


def test_arrays_are_copied_and_read_only_also_after_pickling():
    one = np.zeros((3, 2), order="F")
    pair = Pair(one, [1, 2, 3])
    one[0, 0] = 5.0
    for record in (pair, pickle.loads(pickle.dumps(pair))):
        assert_array_equal(record.one, np.zeros((3, 2)))
        assert record.one.flags.c_contiguous
        assert record.two.dtype == np.float64
        with pytest.raises(ValueError, match="read-only"):
            record.two[0] = 2.0


@pytest.mark.parametrize(
    ("one", "two", "message"),
    [
        (np.zeros((3, 3)), np.zeros(3), r"one of shape \(n, 2\); got \(3, 3\)"),
        (np.zeros(2), np.zeros(2), r"one of shape \(n, 2\); got \(2,\)"),
        (np.zeros((3, 2)), np.zeros(2), r"two of shape \(3,\); got \(2,\)"),
    ],
)
def test_shapes_are_checked(one, two, message):
    with pytest.raises(ValueError, match=message):
        Pair(one, two)


NO_NUMBERS = [None, "1", b"1", ["1"], {}, [{}], object(), [[1], [1, 2]], [1j]]
NO_NUMBERS += [np.nan, [np.inf], 10**400, [10**400], 10**5000, [10**5000]]
NO_NUMBERS += [np.array(["1.5"], object), np.array([10**30, "1.5"], object)]


@pytest.mark.parametrize("values", NO_NUMBERS, ids=lambda values: shown(values, 20))
def test_whatever_is_no_finite_number_is_a_value_error(values):
    with pytest.raises(ValueError, match="Expected it to be an array of finite numb"):
        as_finite("it", values)


def test_whole_numbers_beyond_64_bits_are_numbers():
    assert_array_equal(as_finite("it", [10**30, 1]), [1e30, 1.0])


def test_the_first_number_out_of_range_is_named():
    check_range("it", np.array([0.0, 1.0]), 0.0, 1.0)
    with pytest.raises(ValueError, match=r"Expected it between 0 and 1; got 1\.5"):
        check_range("it", np.array([0.5, 1.5, 2.5]), 0.0, 1.0)
