from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from pbow import Diagrams
from pbow.compute.heat import log_map, pack, project, root_densities

FRAME = np.array([0.1, 0.2, 3.0, 4.0])


def densities_by_definition(X, frame, births, deaths):
    """Shares of the sum of 0.5**(squared distance) at every place of the grid."""
    rows = []
    for i, j in pairwise(X.offsets):
        x, y = ((X.points[i:j] - frame[:2]) * frame[2:]).T
        squares_x = (x[:, None] - births) ** 2
        squares_y = (y[:, None] - deaths) ** 2
        heat = 0.5 ** (squares_x[:, :, None] + squares_y[:, None, :])
        rows.append((heat.sum(axis=0) / heat.sum()).ravel())
    return np.array(rows)


def rows_of(X, frame, births, deaths):
    rows = np.zeros((len(X), births.size * deaths.size))
    root_densities(X.points, X.offsets, frame, births, deaths, rows)
    return rows


@pytest.mark.parametrize(("height", "width"), [(2, 2), (5, 8), (11, 11), (20, 1)])
def test_squares_are_shares_of_the_heat(ragged, height, width):
    X = ragged[1:]
    births, deaths = np.linspace(0, 3, height), np.linspace(0, 4, width)
    rows = rows_of(X, FRAME, births, deaths)
    expected = densities_by_definition(X, FRAME, births, deaths)
    assert_allclose(rows**2, expected, rtol=1e-12)
    assert_allclose(np.linalg.norm(rows, axis=1), 1.0, rtol=1e-14)


def test_an_empty_diagram_has_no_heat(ragged):
    axis = np.linspace(0, 3, 5)
    assert not rows_of(ragged, FRAME, axis, axis)[0].any()


def test_an_axis_of_rate_0_is_not_there(ragged):
    births = np.linspace(0, 3, 7)
    frame = np.array([0.1, 0.0, 3.0, 0.0])
    moved = Diagrams(ragged.points + np.array([0.0, 5.0]), ragged.offsets)
    alone = rows_of(ragged, frame, births, np.zeros(1))
    assert_array_equal(rows_of(moved, frame, births, np.zeros(1)), alone)


@pytest.mark.parametrize("far", [50.0, 1e4, 1e60, 1e100])
def test_heat_far_from_the_grid_is_at_the_nearest_place(far):
    axis = np.linspace(0, 3, 4)
    frame = np.array([0.0, 0.0, 1.0, 1.0])
    X = Diagrams.from_list([[[1.2, far]], [[-far, 1.9]], [[-far, far]], [[far, far]]])
    rows = rows_of(X, frame, axis, axis).reshape(4, 4, 4)
    column = 0.5 ** (0.5 * (axis - 1.2) ** 2)
    assert_allclose(rows[0, :, -1], column / np.linalg.norm(column))
    column = 0.5 ** (0.5 * (axis - 1.9) ** 2)
    assert_allclose(rows[1, 0], column / np.linalg.norm(column))
    assert_allclose(rows[2, 0, 3], 1.0)
    assert_allclose(rows[3, 3, 3], 1.0)


def test_heat_that_squares_of_distances_cannot_tell_is_shared_out():
    frame = np.array([0.0, 0.0, 1e100, 1e100])
    X = Diagrams.from_list([[[-1e100, 1e100]], [[1e100, 1e100], [-1e99, 1e-100]]])
    rows = rows_of(X, frame, np.arange(3.0), np.arange(3.0))
    assert_allclose((rows**2).sum(axis=1), 1.0)
    assert_allclose(rows[0, 2], 1.0)


def test_of_points_far_from_the_grid_the_nearest_counts():
    axis = np.linspace(0, 3, 4)
    frame = np.array([0.0, 0.0, 1.0, 1.0])
    X = Diagrams.from_list([[[1.2, 60.0], [0.0, 99.0]], [[1.2, 60.0]]])
    both, alone = rows_of(X, frame, axis, axis)
    assert_allclose(both, alone, atol=1e-15)


def test_a_grid_without_width_shares_heat_out_evenly(ragged):
    rows = rows_of(ragged[1:], FRAME, np.zeros(3), np.zeros(3))
    assert_allclose(rows, 1 / 3)


def exp_map(vectors, centre):
    """Walk from the centre along great circles, as far as the vectors are long."""
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    # numpy's sinc(t) is sin(pi t) / (pi t).
    return np.cos(lengths) * centre + np.sinc(lengths / np.pi) * vectors


def unit(rows):
    return rows / np.linalg.norm(rows, axis=-1, keepdims=True)


@given(st.integers(0, 10**6), st.integers(2, 30), st.floats(-12, 0))
def test_the_log_map_is_the_inverse_of_the_exp_map(seed, size, exponent):
    rng = np.random.default_rng(seed)
    centre = unit(rng.normal(size=size))
    near = unit(centre + 10.0**exponent * rng.normal(size=(5, size)))
    vectors = near.copy()
    log_map(vectors, centre)
    assert_allclose(vectors @ centre, 0.0, atol=1e-13)
    assert_allclose(exp_map(vectors, centre), near, atol=1e-13)
    again = exp_map(vectors, centre)
    log_map(again, centre)
    assert_allclose(again, vectors, atol=1e-13)


def test_the_centre_and_its_antipode_have_logarithm_0():
    centre = np.array([0.6, 0.0, 0.8])
    rows = np.array([centre, -centre, 0 * centre])
    log_map(rows, centre)
    assert_allclose(rows, 0.0, atol=1e-15)


@pytest.mark.parametrize(("size", "n_directions"), [(1, 1), (7, 3), (16, 8), (45, 11)])
def test_projections_are_a_matrix_product_that_rows_do_not_change(
    rng, size, n_directions
):
    rows, origin = rng.normal(size=(13, size)), rng.normal(size=size)
    directions = rng.normal(size=(n_directions, size))
    out = np.empty((13, n_directions))
    project(rows, origin, pack(directions), out)
    assert_allclose(out, (rows - origin) @ directions.T, rtol=1e-12, atol=1e-13)
    alone = np.empty((1, n_directions))
    project(rows[5:6], origin, pack(directions), alone)
    assert_array_equal(alone, out[5:6])
