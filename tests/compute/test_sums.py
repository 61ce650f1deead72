import numpy as np
import pytest
from numba import njit

from pbow.compute import sums
from pbow.compute.sums import sum_of


@njit
def sum_between(values, i, n):
    return sums.sum_between(values, i, n)  # which loops call, and Python cannot


@pytest.mark.parametrize("n", [0, 1, 7, 8, 9, 1000, 1003])
def test_the_sum_is_that_of_eight_sums_side_by_side(rng, n):
    values = rng.normal(size=n) * 10.0 ** rng.integers(-9, 9, size=n)
    whole = n - n % 8
    lanes = [0.0] * 8
    for i in range(n):
        lanes[i % 8 if i < whole else 0] += values[i]
    s0, s1, s2, s3, s4, s5, s6, s7 = lanes
    assert sum_of(values) == ((s0 + s4) + (s1 + s5)) + ((s2 + s6) + (s3 + s7))


def test_numbers_of_single_precision_are_summed_in_double():
    assert sum_of(np.array([1.0, 2.0**-30], np.float32)) == 1.0 + 2.0**-30


def test_a_part_is_summed_as_if_it_were_alone(rng):
    values = rng.normal(size=100)
    for first, last in ((0, 100), (3, 3), (3, 20), (41, 100)):
        part = sum_between(values, np.uint64(first), np.uint64(last))
        assert part == sum_of(values[first:last].copy())
