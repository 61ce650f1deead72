"""Matchings against the assignment problems that define them."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.testing import assert_allclose, assert_array_equal
from scipy.optimize import linear_sum_assignment
from tests.compute.oracles import (
    KINDS,
    cloud,
    costs_with_the_diagonal,
    long_bars,
    near_the_diagonal,
    off_the_diagonal,
    whole_numbers,
)

from pbow.compute.jit import interpreted
from pbow.compute.matching import (
    NOBODY,
    _are_on_a_line,
    _reach,
    match,
    wasserstein,
    wasserstein_tile,
)

ORDERS = [1.0, 1.5, 2.0, 3.0, 7.0]


METRICS = [1.0, 2.0, math.inf]


def distance(A, B, order, metric=math.inf):
    pair = (*off_the_diagonal(A), *off_the_diagonal(B))
    return wasserstein(*pair, order, metric)


def expected_distance(A, B, order, metric=math.inf):
    """What the definition says, by scipy's solver of assignment problems."""
    powers = costs_with_the_diagonal(A, B, metric) ** order
    return powers[linear_sum_assignment(powers)].sum() ** (1.0 / order)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("metric", METRICS)
def test_distances_are_those_of_the_assignment_problem(kind, order, metric, rng):
    for _ in range(20):
        A, B = (kind(rng, rng.integers(0, 25)) for _ in range(2))
        found = distance(A, B, order, metric)
        assert_allclose(found, expected_distance(A, B, order, metric), rtol=1e-11)
        assert distance(B, A, order, metric) == found
        assert distance(A, rng.permutation(A), order, metric) == 0.0


@pytest.mark.parametrize("kind", [cloud, near_the_diagonal, whole_numbers, long_bars])
@pytest.mark.parametrize("sizes", [(120, 150), (150, 120), (130, 130)])
@pytest.mark.parametrize(
    ("order", "metric"),
    [(1.0, math.inf), (2.0, math.inf), (3.0, math.inf), (1.0, 1.0), (2.0, 2.0)],
)
def test_prices_prove_that_no_matching_costs_less(kind, sizes, order, metric, rng):
    A, B = (kind(rng, n) for n in sizes)
    (rows, row_middles), (columns, column_middles) = map(off_the_diagonal, (A, B))
    n, m = len(row_middles), len(column_middles)
    costs = costs_with_the_diagonal(rows.reshape(-1, 2), columns.reshape(-1, 2), metric)
    costs **= order
    row_costs, column_costs = costs[:n, m].copy(), costs[n, :m].copy()
    partners, prices = np.empty(n, np.int32), np.empty(m)
    match(
        *(rows, row_middles, row_costs, columns, column_middles, column_costs),
        *(order, metric, 1.0, math.inf, partners, prices),
    )
    paired = np.flatnonzero(partners != NOBODY)
    assert len(set(partners[paired])) == len(paired) > 0
    left = np.setdiff1d(np.arange(m), partners)
    total = costs[paired, partners[paired]].sum() + column_costs[left].sum()
    total += row_costs[partners == NOBODY].sum()
    # Any matching costs at least the sum of these, by their definition alone.
    assert (prices <= column_costs * (1 + 1e-15)).all()
    offers = (costs[:n, :m] - prices).min(axis=1)
    bound = np.minimum(offers, row_costs).sum() + prices.sum()
    assert_allclose(total, bound, rtol=1e-12)


@pytest.mark.parametrize("order", [1.0, 2.0, 3.0, 16.0, 100.0, 2000.0, 1e300])
def test_tiny_distances_of_long_bars_are_precise(order, rng):
    A = cloud(rng, 40)
    moves = rng.uniform(-1e-9, 1e-9, size=A.shape)
    steps = np.abs((A + moves) - A).max(axis=1)
    expected = steps.max() * ((steps / steps.max()) ** order).sum() ** (1.0 / order)
    assert_allclose(distance(A, A + moves, order), expected, rtol=1e-9)


@pytest.mark.parametrize("order", [64.0, 1000.0])
def test_high_orders_come_near_to_the_bottleneck_distance(order, rng):
    A, B = cloud(rng, 30), cloud(rng, 35)
    low = distance(A, B, math.inf)
    assert low <= distance(A, B, order) <= 65 ** (1 / order) * low * (1 + 1e-12)


@pytest.mark.parametrize("order", [*ORDERS, math.inf])
@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize("factor", [2.0**-1000, 2.0**-30, 2.0**330])
def test_powers_of_two_scale_distances_exactly(order, metric, factor, rng):
    for kind in (cloud, near_the_diagonal):
        A, B = kind(rng, 20), kind(rng, 25)
        scaled = distance(factor * A, factor * B, order, metric)
        assert scaled == factor * distance(A, B, order, metric)


@pytest.mark.parametrize("order", [1.0, 2.0, math.inf])
def test_far_from_0_nothing_is_lost(order, rng):
    # Multiples of 2**-10, which stay exact when they move.
    A, B = (np.round(1024 * cloud(rng, 30)) / 1024 for _ in range(2))
    expected = distance(A, B, order)
    assert distance(A + 2.0**40, B + 2.0**40, order) == expected


@pytest.mark.parametrize("order", [*ORDERS, math.inf])
def test_one_point_against_a_thousand(order, rng):
    A, B = np.array([[0.0, 3.0]]), near_the_diagonal(rng, 1000)
    halves = 0.5 * (B[:, 1] - B[:, 0])
    # The point has one of the thousand, all others are left; or all are.
    ways = [np.append(halves, 1.5)]
    for j in np.flatnonzero(halves > np.sort(halves)[-50]):
        ways.append(np.append(np.delete(halves, j), np.abs(A[0] - B[j]).max()))
    expected = min(np.linalg.norm(costs, order) for costs in ways)
    assert_allclose(distance(A, B, order), expected, rtol=1e-11)


@pytest.mark.parametrize("order", [*ORDERS, math.inf])
def test_against_nothing_every_point_goes_to_the_diagonal(order):
    A = [[0.0, 2.0], [1.0, 7.0], [5.0, 5.0]]
    expected = np.linalg.norm([1.0, 3.0, 0.0], order)
    assert_allclose(distance(A, [], order), expected, rtol=1e-15)
    assert distance([], [], order) == 0.0
    assert distance([[5.0, 5.0]], [[1.0, 1.0]], order) == 0.0


@pytest.mark.parametrize(
    ("kind", "n", "m", "order"),
    [
        (near_the_diagonal, 500, 450, 2.0),
        (whole_numbers, 300, 350, 1.0),
        (whole_numbers, 300, 350, 2.0),
        (long_bars, 200, 230, 1.0),
        (long_bars, 200, 230, 2.0),
    ],
)
@pytest.mark.parametrize("metric", METRICS)
def test_large_diagrams_are_matched_at_the_least_cost(rng, kind, n, m, order, metric):
    A, B = kind(rng, n), kind(rng, m)
    expected = expected_distance(A, B, order, metric)
    assert_allclose(distance(A, B, order, metric), expected, rtol=1e-11)


@pytest.mark.parametrize("kind", [cloud, near_the_diagonal, long_bars])
@pytest.mark.parametrize("metric", METRICS)
def test_within_a_limit_no_pair_is_longer(kind, metric, rng):
    A, B = kind(rng, 40), kind(rng, 50)
    (rows, row_middles), (columns, column_middles) = map(off_the_diagonal, (A, B))
    costs = costs_with_the_diagonal(rows.reshape(-1, 2), columns.reshape(-1, 2), metric)
    limit = np.median(costs[:40, :50].min(axis=1))
    row_costs, column_costs = costs[:40, 50].copy(), costs[40, :50].copy()
    partners, prices = np.empty(40, np.int32), np.empty(50)
    match(
        *(rows, row_middles, row_costs, columns, column_middles, column_costs),
        *(1.0, metric, 1.0, limit, partners, prices),
    )
    paired = np.flatnonzero(partners != NOBODY)
    assert (costs[paired, partners[paired]] <= limit).all()
    costs[:40, :50][costs[:40, :50] > limit] = 1e6
    expected = costs[linear_sum_assignment(costs)].sum()
    total = costs[paired, partners[paired]].sum()
    total += np.delete(row_costs, paired).sum()
    total += np.delete(column_costs, partners[paired]).sum()
    assert_allclose(total, expected, rtol=1e-11)


@pytest.mark.parametrize("order", [1.0, 2.0, 3.0, 1000.0])
def test_equal_points_with_equal_middles_have_distance_0_in_any_order(order):
    points = np.array([[0.0, 4.0], [1.0, 3.0], [1.5, 3.5]])
    rows, columns = points.ravel(), points[[1, 0, 2]].ravel()
    middles = np.array([2.0, 2.0, 2.5])
    assert wasserstein(rows, middles, columns, middles, order, math.inf) == 0.0


# Multiples of 1/4: ties everywhere, and sums of powers without rounding.
quarters = st.integers(-8, 8).map(lambda k: k / 4)


@st.composite
def tied_diagrams(draw):
    n = draw(st.integers(0, 9))
    points = draw(arrays(float, (n, 2), elements=quarters))
    return np.sort(points, axis=1)


@given(
    tied_diagrams(),
    tied_diagrams(),
    st.sampled_from(ORDERS),
    st.sampled_from(METRICS),
)
def test_ties_do_no_harm(A, B, order, metric):
    expected = expected_distance(A, B, order, metric)
    assert_allclose(distance(A, B, order, metric), expected, rtol=1e-12, atol=1e-15)


@given(
    tied_diagrams(),
    tied_diagrams(),
    tied_diagrams(),
    st.floats(1.0, 30.0) | st.just(math.inf),
    st.sampled_from(METRICS),
)
def test_distances_are_a_metric(A, B, C, order, metric):
    AB, BC, AC = (distance(*pair, order, metric) for pair in ((A, B), (B, C), (A, C)))
    assert AC <= (AB + BC) * (1 + 1e-12)
    same = np.array_equal(off_the_diagonal(A)[0], off_the_diagonal(B)[0])
    assert (AB == 0.0) == same


coordinates = st.floats(-1e100, 1e100)


@st.composite
def wild_diagrams(draw):
    points = draw(arrays(float, (draw(st.integers(0, 6)), 2), elements=coordinates))
    return np.sort(points, axis=1)


@given(wild_diagrams(), wild_diagrams(), st.floats(1.0, 1e3) | st.just(math.inf))
def test_whatever_comes_the_distance_is_between_its_bounds(A, B, order):
    result = distance(A, B, order)
    halves = [0.5 * (d[:, 1] - d[:, 0]).max(initial=0.0) for d in (A, B)]
    # Longer bars than all of the other diagram have to go somewhere; all may be left.
    assert abs(halves[0] - halves[1]) <= result * (1 + 1e-9)
    assert result <= (len(A) + len(B)) * max(halves) * (1 + 1e-9)


@pytest.mark.parametrize("order", [1.0, 2.0, math.inf])
def test_tiles_hold_the_distances_of_their_pairs(order, rng):
    X = [off_the_diagonal(cloud(rng, n)) for n in (7, 0, 12, 3, 9)]
    points, middles = (np.concatenate(arrays) for arrays in zip(*X, strict=True))
    offsets = np.cumsum([0] + [len(m) for _, m in X])

    wanted = rng.uniform(size=(2, 3)) < 0.5
    out = np.full((2, 3), -1.0)
    left, right = (points, middles, offsets[1:4]), (points, middles, offsets[2:6])
    wasserstein_tile(*left, *right, order, 2.0, wanted, out)
    expected = [[wasserstein(*A, *B, order, 2.0) for B in X[2:5]] for A in X[1:3]]
    assert_array_equal(out, np.where(wanted, expected, -1.0))


@pytest.mark.parametrize("order", [1.0, 2.0])
def test_equal_diagrams_on_a_line_leave_the_other_pairs_of_a_tile(order, rng):
    deaths = [np.sort(rng.exponential(size=n)) for n in (4, 1, 3)]
    X = [np.column_stack((np.zeros(len(d)), d)) for d in (*deaths, deaths[0])]
    points, middles = (
        np.concatenate(arrays) for arrays in zip(*map(off_the_diagonal, X), strict=True)
    )
    offsets = np.cumsum([0, *map(len, X)])
    for first in (0, 2, 3):
        n = 4 - first
        tile = points, middles, offsets[first:]
        wanted = np.ones((n, 4), np.bool_)
        expected = [[expected_distance(A, B, order, 2.0) for B in X] for A in X[first:]]
        out = np.full((n, 4), -1.0)
        wasserstein_tile(*tile, points, middles, offsets, order, 2.0, wanted, out)
        assert_allclose(out, expected, rtol=1e-12)
        across = np.full((4, n), -1.0)
        turned = points, middles, offsets, *tile
        wasserstein_tile(*turned, order, 2.0, wanted.T.copy(), across)
        assert_allclose(across.T, expected, rtol=1e-12)


@pytest.mark.parametrize("order", [3.0, 100.0])
def test_tiny_distances_of_long_bars_are_precise_in_a_tile(order, rng):
    A = [cloud(rng, n) for n in (3, 5, 4)]
    B = [points + rng.uniform(-1e-9, 1e-9, size=points.shape) for points in A]
    sides = []
    for X in (A, B):
        pairs = zip(*map(off_the_diagonal, X), strict=True)
        sides += [np.concatenate(arrays) for arrays in pairs]
        sides.append(np.cumsum([0, *map(len, X)]))
    out = np.zeros((3, 3))
    wasserstein_tile(*sides, order, math.inf, np.ones((3, 3), np.bool_), out)
    assert_array_equal(out, [[distance(a, b, order) for b in B] for a in A])
    assert (np.diagonal(out) < 1e-7).all()


@pytest.mark.parametrize("metric", METRICS)
def test_middles_of_candidates_are_within_reach_and_no_reach_is_longer_than_needed(
    metric, rng
):
    reach_of = interpreted(_reach)
    for _ in range(200):
        h, other = rng.exponential(size=2)
        reach = reach_of(2.0 * h, 2.0 * other, metric) * (1 + 1e-12)
        apart = abs(h - other)
        # As far apart as middles of candidates may be, by the norm of (m - m', h - h').
        if metric == math.inf:
            assert reach >= h + other - apart
        elif metric == 1.0:
            assert reach >= h + other
        else:
            assert reach >= math.sqrt((h + other) ** 2 - apart**2)
        assert reach_of(2.0 * h, 2.0 * h, metric) == pytest.approx(2.0 * h)


def test_diagrams_with_the_same_births_or_the_same_deaths_are_on_a_line():
    X = [
        [[0.0, 1.0], [0.0, 3.0]],
        [[0.0, 2.0]],
        [[-1.0, 2.0], [1.0, 2.0]],
        [[5.0, 9.0]],
    ]
    points, middles = (
        np.concatenate(arrays) for arrays in zip(*map(off_the_diagonal, X), strict=True)
    )
    side = points, middles, np.cumsum([0, *map(len, X)])
    expected = np.eye(4, dtype=bool)
    for i, j in ((0, 1), (1, 2)):
        expected[i, j] = expected[j, i] = True
    assert_array_equal(_are_on_a_line((*side, *side)), expected)
