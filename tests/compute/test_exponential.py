import numpy as np
import pytest
from numba import njit
from numpy.testing import assert_allclose, assert_array_equal

from pbow.compute.exponential import exponential


@njit
def fill(x, out):
    for i in range(len(x)):
        out[i] = exponential(x[i])


def exp(x):
    out = np.empty_like(x)
    fill(x, out)
    return out


def test_exp_is_right_to_the_last_digits_down_to_the_smallest_normal_number(rng):
    tiny = 10.0 ** rng.uniform(-320, 2, 999)
    x = np.concatenate((-rng.uniform(0, 708.3, 200_000), -tiny))
    assert_allclose(exp(x), np.exp(x), rtol=3e-15)


def test_exp_below_the_smallest_normal_number_is_zero(rng):
    assert not exp(-rng.uniform(708.4, 800, 1_000)).any()


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_exp_of_zero_is_one_and_of_anything_far_below_is_zero(dtype):
    x = np.array([0.0, -0.0, -1e4, -1e30, -np.inf], dtype=dtype)
    assert_array_equal(exp(x), [1, 1, 0, 0, 0])


def test_single_precision_is_right_to_its_last_digits(rng):
    x = -rng.uniform(0, 87, 200_000).astype(np.float32)
    assert_allclose(exp(x), np.exp(x.astype(np.float64)), rtol=2e-7)
