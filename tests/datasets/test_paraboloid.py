import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from pbow.datasets import remove_paraboloid


def paraboloid(height, width, coefficients):
    y, x = np.mgrid[:height, :width].astype(float)
    return sum(
        c * term
        for c, term in zip(coefficients, (1.0, x, y, x * x, x * y, y * y), strict=True)
    )


numbers = st.floats(-10, 10)


@given(st.integers(1, 12), st.integers(1, 12), st.tuples(*[numbers] * 6))
def test_of_a_paraboloid_nothing_is_left(height, width, coefficients):
    bowl = paraboloid(height, width, coefficients) * np.ones((height, width))
    assert_allclose(remove_paraboloid(bowl), 0.0, atol=1e-9)


# In flat maps some terms are the same as others.
@pytest.mark.parametrize("shape", [(9, 14), (2, 9), (1, 7), (3, 4)])
def test_what_is_left_is_the_residual_of_least_squares(rng, shape):
    depth = rng.normal(size=shape)
    y, x = np.mgrid[: shape[0], : shape[1]].reshape(2, -1)
    terms = np.column_stack((x**0, x, y, x * x, x * y, y * y))
    fit, *_ = np.linalg.lstsq(terms, depth.ravel(), rcond=None)
    expected = depth - (terms @ fit).reshape(depth.shape)
    assert_allclose(remove_paraboloid(depth), expected, atol=1e-12)


def test_it_is_centered_and_curvature_does_not_matter(rng):
    texture = rng.normal(size=(20, 30))
    left = remove_paraboloid(texture)
    assert abs(left.mean()) < 1e-13
    bowl = paraboloid(20, 30, (5, -1, 2, 0.3, -0.2, 0.1))
    assert_allclose(remove_paraboloid(texture + bowl), left, atol=1e-10)
    assert_allclose(remove_paraboloid(left), left, atol=1e-13)


def test_several_maps_are_treated_one_by_one(rng):
    maps = rng.normal(size=(4, 8, 9))
    maps[2, 3, 3] = np.nan
    one_by_one = np.stack([remove_paraboloid(each) for each in maps])
    assert_allclose(remove_paraboloid(maps), one_by_one, atol=1e-12)


def test_pixels_that_were_not_measured_have_no_part_and_stay_so(rng):
    bump = np.zeros((10, 10))
    bump[4, 6] = 1.0
    depth = paraboloid(10, 10, (1, 1, 1, 1, 1, 1)) + bump
    there = rng.uniform(size=(10, 10)) < 0.7
    there[4, 6] = False
    left = remove_paraboloid(np.where(there, depth, np.nan))
    assert_array_equal(np.isnan(left), ~there)
    assert_allclose(left[there], 0.0, atol=1e-10)


def test_a_map_without_any_pixel_measured_stays_so():
    assert np.isnan(remove_paraboloid(np.full((3, 3), np.nan))).all()
    assert remove_paraboloid(np.empty((0, 5, 5))).shape == (0, 5, 5)
    assert remove_paraboloid(np.empty((2, 0, 5))).shape == (2, 0, 5)


def test_the_largest_depths_give_finite_numbers():
    depth = 1e100 * np.array([[1.0, -1.0, 1.0], [-1.0, np.nan, 1.0], [1.0, 1.0, -1.0]])
    assert np.isfinite(remove_paraboloid(depth)[~np.isnan(depth)]).all()
    whole = np.full((5, 5), 1e100)
    assert_allclose(remove_paraboloid(whole) / 1e100, 0.0, atol=1e-12)


def test_whole_numbers_become_floats_and_the_input_stays():
    depth = np.arange(100, dtype=np.uint16).reshape(10, 10)
    left = remove_paraboloid(depth)
    assert left.dtype == np.float64
    assert_array_equal(depth, np.arange(100).reshape(10, 10))
    floats = depth.astype(float)
    remove_paraboloid(floats)
    assert_array_equal(floats, depth)


@pytest.mark.parametrize(
    ("depth", "message"),
    [
        (
            np.zeros(5),
            r"numbers of shape \(h, w\) or \(n, h, w\); got float64 of shape",
        ),
        (np.zeros((2, 2, 2, 2)), "or"),
        ([["a", "b"]], "Expected depth maps to be numbers"),
        ([[1.0, np.inf]], r"at most 1e\+100, or NaN where there is none; got inf"),
        ([[np.nan, -1e101]], r"at most 1e\+100, or NaN where .*; got -1e\+101"),
    ],
    ids=["one axis", "four axes", "words", "inf", "too large"],
)
def test_what_is_no_depth_map_is_refused(depth, message):
    with pytest.raises(ValueError, match=message):
        remove_paraboloid(depth)
