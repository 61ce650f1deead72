import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from pbow.compute.normalize import NORMALIZATIONS, normalize_row, normalize_rows


def normalized(row, normalization):
    """What both ways make of a row: the same bits."""
    row = np.array(row, dtype=float)
    (expected,) = normalize_rows(row[np.newaxis], NORMALIZATIONS[normalization])
    normalize_row(row, NORMALIZATIONS[normalization])
    assert_array_equal(row, expected)
    return row


def test_each_normalization_is_its_formula():
    assert_array_equal(normalized([4, 0, -9], None), [4, 0, -9])
    assert_array_equal(normalized([4, 0, -9], "sqrt"), [2, 0, -3])
    assert_allclose(normalized([4, 0, -9], "sqrt-l2"), np.array([2, 0, -3]) / 13**0.5)
    assert_allclose(normalized([3, 0, -4], "lipschitz"), np.array([3, 0, -4]) / 6)
    smooth = np.sqrt(np.array([3, 0, 4]) + 0.1) - np.sqrt(0.1)
    assert_allclose(normalized([3, 0, -4], "smooth-sqrt"), smooth * [1, 1, -1])


@pytest.mark.parametrize("normalization", NORMALIZATIONS)
def test_zeros_stay_zeros(normalization):
    assert_array_equal(normalized([0.0, 0.0], normalization), [0.0, 0.0])


def test_squares_that_overflow_do_not_matter():
    row = np.array([[3e200, 4e200]])
    assert_allclose(normalize_rows(row, NORMALIZATIONS["lipschitz"]), [[0.6, 0.8]])


def test_sums_that_overflow_do_not_matter():
    row = np.array([[1.5e308, -0.5e308, 1e308], [1.5, -0.5, 1.0]])
    huge, small = normalize_rows(row, NORMALIZATIONS["sqrt-l2"])
    assert_allclose(huge, small)


def test_next_to_nothing_does_not_become_something():
    assert np.abs(normalized([1e-300, 0.0], "sqrt-l2")).max() < 1e-100


@pytest.mark.parametrize("n", [7, 8, 9, 16, 27])
def test_rows_of_any_length_are_summed_completely(n, rng):
    row = rng.normal(size=n)
    roots = np.copysign(np.sqrt(np.abs(row)), row)
    expected = roots / np.sqrt(np.abs(row).sum())
    assert_allclose(normalized(row, "sqrt-l2"), expected)
    expected = row / (1 + np.sqrt((row**2).sum()))
    assert_allclose(normalized(row, "lipschitz"), expected)
