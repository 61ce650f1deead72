"""Bottleneck distances against the matchings that define them, to the bit."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.sparse import csr_array
from scipy.sparse.csgraph import maximum_bipartite_matching
from tests.compute.oracles import (
    KINDS,
    cloud,
    costs_with_the_diagonal,
    off_the_diagonal,
)

from pbow.compute.bottleneck import _are_on_a_line, bottleneck
from pbow.compute.jit import interpreted

each_kind = pytest.mark.parametrize("kind", KINDS)


def distance(A, B, metric=np.inf):
    return bottleneck(*off_the_diagonal(A), *off_the_diagonal(B), metric)


def distance_by_definition(A, B, metric):
    """The least cost within which all can be matched, each with a diagonal point."""
    costs = costs_with_the_diagonal(A, B, metric)
    for threshold in np.unique(costs):
        partners = maximum_bipartite_matching(csr_array(costs <= threshold))
        if (partners >= 0).all():
            return threshold
    return 0.0


@each_kind
def test_the_distance_is_that_of_the_definition(kind, rng):
    for _ in range(30):
        A, B = (kind(rng, rng.integers(0, 15)) for _ in range(2))
        assert distance(A, B) == distance_by_definition(A, B, np.inf)


@each_kind
@pytest.mark.parametrize("metric", [1.0, 2.0])
def test_in_other_metrics_too_but_for_rounding(kind, metric, rng):
    for _ in range(30):
        A, B = (kind(rng, rng.integers(0, 15)) for _ in range(2))
        expected = distance_by_definition(A, B, metric)
        assert_allclose(distance(A, B, metric), expected, rtol=1e-14)
        assert distance(A, B, metric) == distance(B, A, metric)


@each_kind
def test_swapping_diagrams_or_their_points_changes_nothing(kind, rng):
    for _ in range(10):
        A, B = (kind(rng, rng.integers(0, 60)) for _ in range(2))
        assert distance(A, B) == distance(B, A) == distance(rng.permutation(A), B)
        assert distance(A, rng.permutation(A)) == 0.0


@pytest.mark.parametrize("factor", [2.0**-900, 2.0**-40, 2.0**300])
def test_powers_of_two_scale_the_distance_exactly(factor, rng):
    A, B = cloud(rng, 30), cloud(rng, 40)
    assert distance(A * factor, B * factor) == distance(A, B) * factor


@pytest.mark.parametrize("axis", [0, 1])
@pytest.mark.parametrize("odd", range(4))
@pytest.mark.parametrize("move", [(-5.0, 2.0), (2.0, 5.0)])
def test_one_point_may_be_off_the_line_of_all_others(axis, odd, move, rng):
    # Points on a line may be paired in their order; with any other they may not. After
    # the move the odd point is the first, or the last, by its middle.
    for _ in range(5):
        A, B = (cloud(rng, 4) for _ in range(2))
        for points in (A, B):
            points[:, axis] = 0.0 if axis == 0 else 9.0
        A[odd] += move
        A, B = (np.sort(points, axis=1) for points in (A, B))
        assert distance(A, B) == distance_by_definition(A, B, np.inf)
        assert distance(B, A) == distance_by_definition(A, B, np.inf)


def test_of_two_points_off_one_line_the_one_with_the_later_middle_may_come_first():
    # In the order of middles the distance would be 1.
    A, B = np.array([[0.0, 20.0], [0.5, 19.75]]), np.array([[0.0, 19.0], [0.0, 20.0]])
    assert distance(A, B) == distance(B, A) == 0.75


def test_diagrams_on_one_line_are_recognized():
    are_on_a_line = interpreted(_are_on_a_line)
    born_at_0, born_at_1 = np.array([0.0, 2.0, 0.0, 5.0]), np.array([1.0, 2.0])
    assert are_on_a_line(born_at_0, born_at_0[2:])
    assert are_on_a_line(born_at_0[:2], born_at_1)  # both die at 2
    assert not are_on_a_line(born_at_0, born_at_1)
    assert not are_on_a_line(born_at_0, born_at_0[:0])
