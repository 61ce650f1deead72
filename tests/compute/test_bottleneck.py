"""Bottleneck distances against the matchings that define them, to the bit."""

import numpy as np
import pytest
from scipy.sparse import csr_array
from scipy.sparse.csgraph import maximum_bipartite_matching

from pbow.compute.bottleneck import bottleneck


def as_loops_want_it(points):
    points = points[points[:, 1] > points[:, 0]]
    middles = 0.5 * points[:, 0] + 0.5 * points[:, 1]
    by_middle = np.lexsort((points[:, 1], points[:, 0], middles))
    return points[by_middle].ravel(), middles[by_middle]


def distance(A, B):
    return bottleneck(*as_loops_want_it(A), *as_loops_want_it(B))


def distance_by_definition(A, B):
    """The least cost within which all can be matched, each with a diagonal point."""
    n, m = len(A), len(B)
    costs = np.zeros((n + m, n + m))
    costs[:n, :m] = np.abs(A[:, None] - B[None]).max(axis=2)
    costs[:n, m:] = 0.5 * (A[:, 1:] - A[:, :1])
    costs[n:, :m] = 0.5 * (B[:, 1] - B[:, 0])
    for threshold in np.unique(costs):
        partners = maximum_bipartite_matching(csr_array(costs <= threshold))
        if (partners >= 0).all():
            return threshold
    return 0.0


def spread(rng, n):
    births = rng.uniform(size=n)
    return np.c_[births, births + rng.exponential(0.5, size=n)]


def whole_numbers(rng, n):
    births = rng.integers(-3, 4, size=n).astype(float)
    return np.c_[births, births + rng.integers(0, 5, size=n)]


def long_bars(rng, n):
    return np.c_[0.1 * rng.uniform(size=n), 1.0 + rng.uniform(size=n)]


def born_together(rng, n):
    return np.c_[np.zeros(n), rng.gamma(4.0, 0.2, size=n)]


def dying_together(rng, n):
    return np.c_[rng.uniform(-1.0, 1.0, size=n), np.ones(n)]


def one_ulp_apart(rng, n):
    return np.array([1.0, 1.5]) + rng.integers(0, 4, size=(n, 2)) * 2.0**-52


each_kind = pytest.mark.parametrize(
    "kind",
    [spread, whole_numbers, long_bars, born_together, dying_together, one_ulp_apart],
)


@each_kind
def test_the_distance_is_that_of_the_definition(kind, rng):
    for _ in range(30):
        A, B = (kind(rng, rng.integers(0, 15)) for _ in range(2))
        assert distance(A, B) == distance_by_definition(A, B)


@each_kind
def test_swapping_diagrams_or_their_points_changes_nothing(kind, rng):
    for _ in range(10):
        A, B = (kind(rng, rng.integers(0, 60)) for _ in range(2))
        assert distance(A, B) == distance(B, A) == distance(rng.permutation(A), B)
        assert distance(A, rng.permutation(A)) == 0.0


@pytest.mark.parametrize("factor", [2.0**-900, 2.0**-40, 2.0**300])
def test_powers_of_two_scale_the_distance_exactly(factor, rng):
    A, B = spread(rng, 30), spread(rng, 40)
    assert distance(A * factor, B * factor) == distance(A, B) * factor
