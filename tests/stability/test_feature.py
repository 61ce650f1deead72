"""What one point adds, and its slopes, against differences and grids."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from pbow.compute.normalize import EPSILON, NORMALIZATIONS, normalize_rows
from pbow.stability.feature import Feature

each_feature = pytest.mark.parametrize(
    ("normalize", "power"),
    [(None, 1), ("smooth-sqrt", 1), ("sqrt", 2), (None, 2), ("smooth-sqrt", 2)],
)


@each_feature
def test_a_slope_is_the_derivative_by_the_share_times_the_share_over_the_ramp(
    normalize, power
):
    feature, s, r = Feature.of(normalize, power), np.array([0.3]), np.array([0.6])
    step = 1e-6

    def value(share):
        return normalize_rows(
            np.array([[r[0] ** power * share]]), NORMALIZATIONS[normalize]
        )

    derivative = (value(0.3 + step) - value(0.3 - step))[0] / (2 * step)
    assert_allclose(feature.slope(s, r), derivative * s / r, rtol=1e-6)


@each_feature
@given(
    s=st.tuples(st.floats(0, 1), st.floats(0, 1)),
    r=st.tuples(st.floats(0, 1), st.floats(0, 1)),
    k0=st.floats(-5, 5),
    k1=st.floats(-5, 5),
)
def test_the_largest_product_is_at_least_that_of_a_grid(normalize, power, s, r, k0, k1):
    feature = Feature.of(normalize, power)
    (s0, s1), (r0, r1) = sorted(s), sorted(r)
    ends = (np.array([s0]), np.array([s1])), (np.array([r0]), np.array([r1]))
    [largest] = feature.largest(*ends, np.array([k0]), np.array([k1]))
    grid_s, grid_r = np.meshgrid(np.linspace(s0, s1, 101), np.linspace(r0, r1, 11))
    products = feature.slope(grid_s, grid_r) * (k0 - k1 * grid_s)
    assert largest >= products.max() - 1e-12
    # With one ramp, the bound is the supremum.
    at = feature.steep_end(r0, r1)
    products = feature.slope(grid_s[0], np.full(101, at)) * (k0 - k1 * grid_s[0])
    assert largest <= max(products.max(), 0.0) * 1.001 + 1e-3


def test_the_slope_at_zero_is_the_steepest():
    assert Feature.of(None, 1).steepest == Feature.of("lipschitz", 2).steepest == 1.0
    assert Feature.of("smooth-sqrt", 1).steepest == 0.5 / np.sqrt(EPSILON)
    assert Feature.of("sqrt", 2).steepest == np.inf


def test_where_numbers_overflow_the_largest_product_is_still_above_all():
    feature, ends = Feature.of("smooth-sqrt", 1), (np.zeros(1), np.ones(1))
    huge = np.full(1, 1e200)
    [largest] = feature.largest(ends, (np.ones(1), np.ones(1)), huge, huge)
    s = np.linspace(0, 1, 101)
    assert largest >= (feature.slope(s, np.ones(101)) * (1 - s)).max() * 1e200
