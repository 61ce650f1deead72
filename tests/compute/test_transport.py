"""Transport between distinct points against matchings of all points, one by one."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy.optimize import linear_sum_assignment
from tests.compute.oracles import (
    KINDS,
    cloud,
    costs_with_the_diagonal,
    long_bars,
    near_the_diagonal,
    off_the_diagonal,
    repeated,
    whole_numbers,
)

from pbow.compute.bottleneck import bottleneck
from pbow.compute.matching import wasserstein
from pbow.compute.transport import (
    transport,
    transport_distance,
    transport_tile,
)

ORDERS = [1.0, 1.5, 2.0, 7.0]
METRICS = [1.0, 2.0, math.inf]
REPEATED = [repeated(kind) for kind in KINDS]

each_order = pytest.mark.parametrize("order", ORDERS)
each_metric = pytest.mark.parametrize("metric", METRICS)


def counted(diagram):
    """Flat distinct points off the diagonal, sorted by their middles, and counts."""
    points = off_the_diagonal(diagram)[0].reshape(-1, 2)
    distinct, counts = np.unique(points, axis=0, return_counts=True)
    middles = 0.5 * distinct[:, 0] + 0.5 * distinct[:, 1]
    by_middle = np.lexsort((distinct[:, 1], distinct[:, 0], middles))
    return distinct[by_middle].ravel(), counts[by_middle]


def distance(A, B, order, metric=math.inf):
    return transport_distance(*counted(A), *counted(B), order, metric)


def distance_of_all(A, B, order, metric=math.inf):
    return wasserstein(*off_the_diagonal(A), *off_the_diagonal(B), order, metric)


@pytest.mark.parametrize("kind", REPEATED)
@each_order
@each_metric
def test_distances_are_those_of_the_assignment_problem(kind, order, metric, rng):
    for _ in range(15):
        A, B = (kind(rng, rng.integers(0, 25)) for _ in range(2))
        powers = costs_with_the_diagonal(A, B, metric) ** order
        expected = powers[linear_sum_assignment(powers)].sum() ** (1.0 / order)
        found = distance(A, B, order, metric)
        assert_allclose(found, expected, rtol=1e-11)
        assert distance(B, A, order, metric) == found
        assert distance(A, rng.permutation(A), order, metric) == 0.0


@pytest.mark.parametrize("kind", REPEATED)
@each_metric
def test_of_order_inf_they_are_bottleneck_distances_to_the_bit(kind, metric, rng):
    for _ in range(15):
        A, B = (kind(rng, rng.integers(0, 40)) for _ in range(2))
        expected = bottleneck(*off_the_diagonal(A), *off_the_diagonal(B), metric)
        assert distance(A, B, math.inf, metric) == expected


@pytest.mark.parametrize("kind", [cloud, near_the_diagonal, whole_numbers, long_bars])
@pytest.mark.parametrize("order", [1.0, 2.0, 3.0])
@pytest.mark.parametrize("sizes", [(300, 400), (400, 300)])
def test_large_diagrams_have_the_distance_of_their_matching(kind, sizes, order, rng):
    A, B = (repeated(kind)(rng, n) for n in sizes)
    assert_allclose(distance(A, B, order), distance_of_all(A, B, order), rtol=1e-11)


@pytest.mark.parametrize("kind", [cloud, near_the_diagonal, whole_numbers, long_bars])
def test_without_repeated_points_it_is_the_same_too(kind, rng):
    A, B = kind(rng, 60), kind(rng, 50)
    assert_allclose(distance(A, B, 2.0), distance_of_all(A, B, 2.0), rtol=1e-11)


@pytest.mark.parametrize("kind", [cloud, near_the_diagonal, whole_numbers, long_bars])
@pytest.mark.parametrize("sizes", [(25, 40), (40, 25)])
def test_prices_prove_that_no_flow_costs_less(kind, sizes, rng):
    A, B = (np.unique(kind(rng, n), axis=0) for n in sizes)
    A, B = (D[D[:, 1] > D[:, 0]] for D in (A, B))
    n, m = len(A), len(B)
    counts = rng.integers(1, 50, size=n + m)
    table = costs_with_the_diagonal(A, B) ** 2
    costs = np.concatenate((table[:n, :m].ravel(), table[:n, m], table[n, :m]))
    flows, prices = np.empty(len(costs), np.int64), np.empty(n + m)
    transport(costs, counts[:n], counts[n:], flows, prices)
    pairs = flows[: n * m].reshape(n, m)
    assert (flows >= 0).all()
    assert_array_equal(pairs.sum(axis=1) + flows[n * m : n * m + n], counts[:n])
    assert_array_equal(pairs.sum(axis=0) + flows[n * m + n :], counts[n:])
    # Any flow costs at least the prices of all that is moved, by these alone.
    rounding = 1e-14 * costs.max()
    slack = table[:n, :m] - prices[:n, np.newaxis] - prices[n:]
    assert slack.min() >= -rounding
    assert (prices <= costs[n * m :] + rounding).all()
    assert_allclose(flows @ costs, prices @ counts, rtol=1e-12)


@pytest.mark.parametrize("order", [1.0, 2.0, 16.0, 100.0, 2000.0, 1e300])
def test_tiny_distances_of_long_bars_are_precise(order, rng):
    few = cloud(rng, 10)
    A = np.repeat(few, 4, axis=0)
    moves = rng.uniform(-1e-9, 1e-9, size=few.shape)
    B = np.repeat(few + moves, 4, axis=0)
    steps = np.abs(B - A).max(axis=1)
    expected = steps.max() * ((steps / steps.max()) ** order).sum() ** (1.0 / order)
    assert_allclose(distance(A, B, order), expected, rtol=1e-9)


@pytest.mark.parametrize("order", [*ORDERS, math.inf])
@each_metric
@pytest.mark.parametrize("factor", [2.0**-1000, 2.0**-30, 2.0**330])
def test_powers_of_two_scale_distances_exactly(order, metric, factor, rng):
    A, B = repeated(cloud)(rng, 30), repeated(cloud)(rng, 40)
    scaled = distance(factor * A, factor * B, order, metric)
    assert scaled == factor * distance(A, B, order, metric)


@pytest.mark.parametrize("order", [*ORDERS, math.inf])
def test_against_nothing_every_point_goes_to_the_diagonal(order):
    A = [[0.0, 2.0], [0.0, 2.0], [1.0, 7.0], [5.0, 5.0]]
    expected = np.linalg.norm([1.0, 1.0, 3.0], order)
    assert_allclose(distance(A, [], order), expected, rtol=1e-15)
    assert distance([], [], order) == 0.0


def test_counts_alone_make_diagrams_different():
    A, B = [[0.0, 2.0]] * 3, [[0.0, 2.0]] * 7
    assert distance(A, B, 1.0) == distance(B, A, 1.0) == 4.0


@st.composite
def tied_diagrams(draw):
    """Multiples of 1/4, of which few are different."""
    quarter = st.integers(-8, 8).map(lambda k: k / 4)
    point = st.tuples(quarter, quarter).map(sorted)
    few = draw(st.lists(point, max_size=4))
    counts = draw(st.lists(st.integers(0, 6), min_size=4, max_size=4))
    points = np.array(few, float).reshape(-1, 2)
    return np.repeat(points, counts[: len(points)], axis=0)


@given(
    tied_diagrams(),
    tied_diagrams(),
    st.sampled_from([*ORDERS, math.inf]),
    st.sampled_from(METRICS),
)
def test_ties_do_no_harm(A, B, order, metric):
    expected = distance_of_all(A, B, order, metric)
    assert_allclose(distance(A, B, order, metric), expected, rtol=1e-12, atol=1e-15)


@pytest.mark.parametrize("order", [1.0, 2.0, math.inf])
def test_tiles_hold_the_distances_that_are_wanted(order, rng):
    X = [counted(repeated(cloud)(rng, n)) for n in (7, 1, 12, 3, 9)]
    points, counts = (np.concatenate(arrays) for arrays in zip(*X, strict=True))
    offsets = np.cumsum([0] + [len(c) for _, c in X])
    wanted = rng.uniform(size=(2, 3)) < 0.5
    out = np.full((2, 3), -1.0)
    left, right = (points, counts, offsets[1:4]), (points, counts, offsets[2:6])
    transport_tile(*left, *right, order, 2.0, wanted, out)
    expected = [
        [transport_distance(*A, *B, order, 2.0) for B in X[2:5]] for A in X[1:3]
    ]
    assert_array_equal(out, np.where(wanted, expected, -1.0))
