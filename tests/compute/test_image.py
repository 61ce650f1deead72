from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy.special import ndtr

from pbow.compute.image import extent, make_axis, sum_images, sum_lines
from pbow.weighting import Ramp

NO_RAMP = np.array([-np.inf, -np.inf])


def masses(x, low, high, n_pixels, bandwidth):
    """What the Gaussian about each x (row) has in each pixel (column)."""
    edges = np.linspace(low, high, n_pixels + 1)
    z = (edges - x[:, None]) / bandwidth
    # Differences of small numbers, on whichever side these are.
    return np.where(
        z[:, :-1] > 0, ndtr(-z[:, :-1]) - ndtr(-z[:, 1:]), np.diff(ndtr(z), axis=1)
    )


def images_by_definition(points, offsets, births, lives, bandwidth, weight):
    b, p = points[:, 0], points[:, 1] - points[:, 0]
    rows = weight(p)[:, None] * masses(b, *births, bandwidth)
    columns = masses(p, *lives, bandwidth)
    return np.array(
        [(rows[i:j].T @ columns[i:j]).ravel() for i, j in pairwise(offsets)]
    )


# Narrow against a pixel, about one, wide; then so narrow, and so wide, that the tables
# would be too large.
BANDWIDTHS = [0.005, 0.03, 0.1, 0.7, 20.0, 1e-7, 3e3]


@pytest.mark.parametrize("bandwidth", BANDWIDTHS)
@pytest.mark.parametrize("n_pixels", [(1, 1), (20, 20), (7, 13), (50, 3)])
@pytest.mark.parametrize("limits", [(), (0.0, 1.0), (0.1, 0.5), (0.2, 0.2)])
def test_images_match_the_definition(ragged, bandwidth, n_pixels, limits):
    births, lives = (0.1, 0.9, n_pixels[0]), (0.0, 1.1, n_pixels[1])
    ramp, weight = NO_RAMP, np.ones_like
    if limits:
        ramp, weight = np.array(limits), Ramp(*limits)
    out = np.full((len(ragged), births[2] * lives[2]), np.nan)
    axes = make_axis(*births, bandwidth), make_axis(*lives, bandwidth)
    sum_images(ragged.points, ragged.offsets, ramp, *axes, out)
    expected = images_by_definition(
        ragged.points, ragged.offsets, births, lives, bandwidth, weight
    )
    assert_allclose(out, expected, rtol=0, atol=1e-13)


def test_there_is_a_table_but_for_extreme_bandwidths():
    with_table = [make_axis(0.0, 1.0, 20, b).cells > 0 for b in BANDWIDTHS]
    assert with_table == [True] * 5 + [False] * 2


@pytest.mark.parametrize("ratio", [2e-3, 0.02, 0.3, 1.0, 2.7, 30.0])
def test_a_table_is_exact_all_over_a_pixel_and_its_tails_have_their_digits(rng, ratio):
    x = 3.0 + np.concatenate(([0.0, 1 - 1e-16], rng.uniform(0, 1, 500)))
    out = np.empty((len(x), 7))
    axis = make_axis(0.0, 7.0, 7, 1.0 / ratio)
    assert axis.cells > 0
    points = np.column_stack((x, x))
    sum_lines(points, np.arange(len(x) + 1), axis, out)
    expected = masses(x, 0.0, 7.0, 7, 1.0 / ratio)
    assert_allclose(out, expected, rtol=0, atol=2e-15)
    near = np.abs(np.arange(7) + 0.5 - x[:, None]) * ratio < 8.0
    assert_allclose(out[near], expected[near], rtol=1e-7, atol=0)
    assert (out >= 0).all()


@pytest.mark.parametrize("bandwidth", BANDWIDTHS)
def test_lines_match_the_definition(ragged, bandwidth):
    out = np.full((len(ragged), 11), np.nan)
    axis = make_axis(0.1, 0.8, 11, bandwidth)
    sum_lines(ragged.points, ragged.offsets, axis, out)
    rows = masses(ragged.points[:, 0], 0.1, 0.8, 11, bandwidth)
    expected = [rows[i:j].sum(axis=0) for i, j in pairwise(ragged.offsets)]
    assert_allclose(out, expected, rtol=0, atol=1e-13)


numbers = st.floats(-1e100, 1e100)


@given(
    x=st.lists(numbers, min_size=1, max_size=20),
    low=numbers,
    width=st.floats(1e-290, 1e100),
    n_pixels=st.integers(1, 30),
    bandwidth=st.floats(5e-324, 1.7e308),
)
def test_a_line_has_at_most_the_mass_of_its_points(x, low, width, n_pixels, bandwidth):
    axis = make_axis(low, low + max(width, 1e-12 * abs(low)), n_pixels, bandwidth)
    out = np.empty((1, n_pixels))
    sum_lines(np.column_stack((x, x)), np.array([0, len(x)]), axis, out)
    assert (out >= 0).all()
    assert out.sum() <= len(x) * (1 + 1e-12)


def test_extent_is_that_of_births_and_persistences(ragged):
    b, d = ragged.points.T
    assert extent(ragged.points) == (b.min(), b.max(), (d - b).max(), d.max())
