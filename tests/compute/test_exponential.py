import numpy as np
import pytest
from numba import config, njit
from numpy.testing import assert_allclose, assert_array_equal

from pbow.compute.exponential import half_to


@njit
def fill(d, out):
    for i in range(len(d)):
        out[i] = half_to(d[i])


def halves(d):
    out = np.empty_like(d)
    fill(d, out)
    return out


def test_powers_are_right_to_the_last_digits_down_to_the_smallest_normal_number(rng):
    tiny = 10.0 ** rng.uniform(-320, 2, 999)
    d = np.concatenate((rng.uniform(0, 1022, 200_000), tiny, np.arange(1023.0)))
    assert_allclose(halves(d), np.exp2(-d), rtol=1e-15)


def test_powers_below_the_smallest_normal_number_are_zero(rng):
    assert not halves(rng.uniform(1022.6, 1100, 1_000)).any()


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_to_the_zeroth_is_one_and_far_on_is_zero(dtype):
    d = np.array([0.0, -0.0, 1e4, 1e30, np.inf], dtype=dtype)
    assert_array_equal(halves(d), [1, 1, 0, 0, 0])


def test_single_precision_is_right_to_its_last_digits(rng):
    d = rng.uniform(0, 126, 200_000).astype(np.float32)
    assert_allclose(halves(d), np.exp2(-d.astype(np.float64)), rtol=2e-7)


@pytest.mark.skipif(bool(config.DISABLE_JIT), reason="loops are run by Python here")
def test_a_power_that_chooses_its_precision_is_for_loops_alone():
    with pytest.raises(TypeError):
        half_to(0.5)
