import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.spatial.distance import cdist

from pbow.compute.sparse_rips import (
    _edge_value,
    _longest_square,
    find_sparse_edges,
    order_farthest_first,
    room_for_edges,
)


def ordered(points, points_per_call=1000):
    return order_farthest_first(np.ascontiguousarray(points.T), points_per_call)


@pytest.mark.parametrize("n_coordinates", [1, 2, 5])
def test_each_point_is_the_farthest_from_those_before(rng, n_coordinates):
    points = rng.uniform(size=(40, n_coordinates))
    order, radii = ordered(points)
    assert order[0] == 0
    assert radii[0] == np.inf
    distances = cdist(points, points)
    for place in range(1, 40):
        nearest = distances[order[:place]].min(axis=0)
        assert order[place] == np.argmax(nearest)
        assert_allclose(radii[place], nearest.max(), rtol=1e-12)


def test_among_points_as_far_the_first_comes_first():
    points = np.array([[0.0], [1.0], [-1.0], [0.0], [1.0]])
    order, radii = ordered(points)
    assert_array_equal(order, [0, 1, 2, 3, 4])
    assert_array_equal(radii, [np.inf, 1.0, 1.0, 0.0, 0.0])


def test_no_points_have_no_order():
    order, radii = ordered(np.empty((0, 3)))
    assert len(order) == len(radii) == 0
    options = (np.empty((3, 0)), radii, 0.5, 1.0)
    assert find_sparse_edges(*options, room_for_edges(0), 1000) == 0


def balls_meet(d, older, younger, epsilon):
    """Smallest t at which two balls, of radii min(t, r / epsilon), meet; or None."""

    def grown(t):
        return min(t, older / epsilon) + min(t, younger / epsilon)

    for t in (d / 2, d - younger / epsilon, d):
        if grown(t) >= d * (1 - 1e-12) and t <= younger / (epsilon * (1 - epsilon)):
            return t
    return None


@pytest.mark.parametrize("max_value", [9.0, 0.5])
@pytest.mark.parametrize("epsilon", [0.2, 0.5, 0.9])
def test_edges_enter_when_their_balls_meet(rng, epsilon, max_value):
    points = rng.uniform(size=(50, 2))
    order, radii = ordered(points)
    points = points[order]
    columns = np.ascontiguousarray(points.T)
    options = (columns, radii, epsilon, max_value)
    n_edges = find_sparse_edges(*options, room_for_edges(0), 1000)
    older, younger, values = edges = room_for_edges(n_edges)
    assert find_sparse_edges(*options, edges, 1000) == n_edges
    found = dict(zip(zip(older, younger, strict=True), values, strict=True))
    distances = cdist(points, points)
    expected = {}
    for j in range(50):
        for i in range(j):
            t = balls_meet(distances[i, j], radii[i], radii[j], epsilon)
            if t is not None and 2 * t <= max_value:
                expected[i, j] = 2 * t
    assert found == pytest.approx(expected)
    assert len(found) == n_edges


def test_shorter_calls_give_the_same_bits(rng):
    points = rng.uniform(size=(200, 3))
    order, radii = ordered(points)
    assert_array_equal(ordered(points, 7), (order, radii))
    options = (np.ascontiguousarray(points[order].T), radii, 0.5, 9.0)
    edges, again = room_for_edges(20_000), room_for_edges(20_000)
    n_edges = find_sparse_edges(*options, edges, 1000)
    assert find_sparse_edges(*options, again, 7) == n_edges
    for one, other in zip(edges, again, strict=True):
        assert_array_equal(one[:n_edges], other[:n_edges])


@pytest.mark.parametrize("epsilon", [0.1, 0.5, 0.9])
def test_no_edge_is_longer_than_the_bound_and_some_nearly_reach_it(epsilon):
    longest = np.sqrt(_longest_square(0.3, epsilon))
    # The older point stays as long as it takes.
    assert np.isfinite(_edge_value(longest * (1 - 1e-6), 1e9, 0.3, epsilon))
    assert _edge_value(longest * (1 + 1e-6), 1e9, 0.3, epsilon) == np.inf
