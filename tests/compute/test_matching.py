"""Matchings against the assignment problems that define them."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.testing import assert_allclose, assert_array_equal
from scipy.optimize import linear_sum_assignment

from pbow.compute.matching import NOBODY, match, wasserstein, wasserstein_tile

ORDERS = [1.0, 1.5, 2.0, 3.0, 7.0]


def as_loops_want_it(diagram):
    """Flat points off the diagonal, sorted by their middles, and these."""
    points = np.asarray(diagram, float).reshape(-1, 2)
    points = points[0.5 * (points[:, 1] - points[:, 0]) > 0]
    middles = 0.5 * points[:, 0] + 0.5 * points[:, 1]
    by_middle = np.lexsort((points[:, 1], points[:, 0], middles))
    return points[by_middle].ravel(), middles[by_middle]


def distance(A, B, order):
    pair = (*as_loops_want_it(A), *as_loops_want_it(B))
    return wasserstein(*pair, order)


def costs_with_the_diagonal(A, B):
    """The square matrix in which every point has a diagonal point of its own."""
    n, m = len(A), len(B)
    costs = np.zeros((n + m, n + m))
    costs[:n, :m] = np.abs(A[:, None] - B[None]).max(axis=2).reshape(n, m)
    costs[:n, m:] = 0.5 * (A[:, 1:] - A[:, :1])
    costs[n:, :m] = 0.5 * (B[:, 1] - B[:, 0])
    return costs


def expected_distance(A, B, order):
    """What the definition says, by scipy's solver of assignment problems."""
    if len(A) + len(B) == 0:
        return 0.0
    costs = costs_with_the_diagonal(A, B)
    if not math.isinf(order):
        powers = costs**order
        return powers[linear_sum_assignment(powers)].sum() ** (1.0 / order)
    # The least t for which a matching without any cost above t is there.
    candidates = np.unique(costs)
    low, high = 0, len(candidates) - 1
    while low < high:
        at = (low + high) // 2
        above = (costs > candidates[at]).astype(float)
        if above[linear_sum_assignment(above)].sum() == 0.0:
            high = at
        else:
            low = at + 1
    return candidates[low]


def spread(rng, n):
    births = rng.uniform(size=n)
    return np.c_[births, births + rng.exponential(0.5, size=n)]


def near_the_diagonal(rng, n):
    births = rng.normal(size=n)
    persistences = rng.exponential(0.05, size=n)
    return np.c_[births, births + persistences * rng.choice([1.0, 10.0], size=n)]


def whole_numbers(rng, n):
    births = rng.integers(-3, 4, size=n).astype(float)
    return np.c_[births, births + rng.integers(0, 5, size=n)]


def all_born_at_0(rng, n):
    return np.c_[np.zeros(n), rng.gamma(4.0, 0.2, size=n)]


def all_dying_at_1(rng, n):
    return np.c_[rng.uniform(-1.0, 1.0, size=n), np.ones(n)]


def all_equal(rng, n):
    return np.tile([0.25, 1.5], (n, 1))


def long_bars(rng, n):
    """All are candidates for all."""
    return np.c_[0.1 * rng.uniform(size=n), 1.0 + rng.uniform(size=n)]


def neighbors_of_one(rng, n):
    """Points 1 ulp apart, many of which have the same middle but for its rounding."""
    ulps = rng.integers(0, 4, size=(n, 2)) * 2.0**-52
    return np.array([1.0, 1.5]) + ulps * rng.integers(0, 2, size=(n, 1))


def neighbors_born_at_1(rng, n):
    return np.c_[np.ones(n), 1.5 + rng.integers(0, 4, size=n) * 2.0**-52]


KINDS = [
    spread,
    near_the_diagonal,
    whole_numbers,
    all_born_at_0,
    all_dying_at_1,
    all_equal,
    long_bars,
    neighbors_of_one,
    neighbors_born_at_1,
]
each_kind = pytest.mark.parametrize("kind", KINDS)


@each_kind
@pytest.mark.parametrize("order", ORDERS)
def test_distances_are_those_of_the_assignment_problem(kind, order, rng):
    for _ in range(40):
        A, B = (kind(rng, rng.integers(0, 25)) for _ in range(2))
        assert_allclose(
            distance(A, B, order), expected_distance(A, B, order), rtol=1e-11
        )


@each_kind
@pytest.mark.parametrize("order", [*ORDERS, math.inf])
def test_swapping_diagrams_does_not_change_a_bit(kind, order, rng):
    for _ in range(20):
        A, B = (kind(rng, rng.integers(0, 25)) for _ in range(2))
        assert distance(A, B, order) == distance(B, A, order)


@pytest.mark.parametrize("kind", [spread, near_the_diagonal, whole_numbers, long_bars])
@pytest.mark.parametrize("sizes", [(120, 150), (150, 120), (130, 130)])
@pytest.mark.parametrize("order", [1.0, 2.0, 3.0])
def test_prices_prove_that_no_matching_costs_less(kind, sizes, order, rng):
    A, B = (kind(rng, n) for n in sizes)
    (rows, row_middles), (columns, column_middles) = map(as_loops_want_it, (A, B))
    n, m = len(row_middles), len(column_middles)
    costs = costs_with_the_diagonal(rows.reshape(-1, 2), columns.reshape(-1, 2))
    costs **= order
    row_costs, column_costs = costs[:n, m].copy(), costs[n, :m].copy()
    partners, prices = np.empty(n, np.int32), np.empty(m)
    match(
        *(rows, row_middles, row_costs, columns, column_middles, column_costs),
        *(order, 1.0, partners, prices),
    )
    paired = np.flatnonzero(partners != NOBODY)
    assert len(set(partners[paired])) == len(paired) > 0
    left = np.setdiff1d(np.arange(m), partners)
    total = costs[paired, partners[paired]].sum() + column_costs[left].sum()
    total += row_costs[partners == NOBODY].sum()
    # Any matching costs at least the sum of these, by their definition alone.
    assert (prices <= column_costs).all()
    offers = (costs[:n, :m] - prices).min(axis=1)
    bound = np.minimum(offers, row_costs).sum() + prices.sum()
    assert_allclose(total, bound, rtol=1e-12)


@pytest.mark.parametrize("order", [1.0, 2.0, 3.0, 16.0, 100.0, 2000.0, 1e300])
def test_tiny_distances_of_long_bars_are_precise(order, rng):
    A = spread(rng, 40)
    moves = rng.uniform(-1e-9, 1e-9, size=A.shape)
    steps = np.abs((A + moves) - A).max(axis=1)
    expected = steps.max() * ((steps / steps.max()) ** order).sum() ** (1.0 / order)
    assert_allclose(distance(A, A + moves, order), expected, rtol=1e-9)


@pytest.mark.parametrize("order", [64.0, 1000.0])
def test_high_orders_come_near_to_the_bottleneck_distance(order, rng):
    A, B = spread(rng, 30), spread(rng, 35)
    low = distance(A, B, math.inf)
    assert low <= distance(A, B, order) <= 65 ** (1 / order) * low * (1 + 1e-12)


@pytest.mark.parametrize("order", [*ORDERS, math.inf])
@pytest.mark.parametrize("factor", [2.0**-1000, 2.0**-30, 2.0**330])
def test_powers_of_two_scale_distances_exactly(order, factor, rng):
    for kind in (spread, near_the_diagonal):
        A, B = kind(rng, 20), kind(rng, 25)
        scaled = distance(factor * A, factor * B, order)
        assert scaled == factor * distance(A, B, order)


@pytest.mark.parametrize("order", [1.0, 2.0, math.inf])
def test_far_from_0_nothing_is_lost(order, rng):
    # Multiples of 2**-10, which stay exact when they move.
    A, B = (np.round(1024 * spread(rng, 30)) / 1024 for _ in range(2))
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


@pytest.mark.parametrize("order", [*ORDERS, math.inf])
@each_kind
def test_a_diagram_has_distance_0_to_itself_in_any_order(kind, order, rng):
    A = kind(rng, 50)
    assert distance(A, rng.permutation(A), order) == 0.0


def test_large_diagrams_are_matched_at_the_least_cost(rng):
    A, B = near_the_diagonal(rng, 500), near_the_diagonal(rng, 450)
    assert_allclose(distance(A, B, 2.0), expected_distance(A, B, 2.0), rtol=1e-11)
    A, B = whole_numbers(rng, 300), whole_numbers(rng, 350)
    for order in (1.0, 2.0):
        expected = expected_distance(A, B, order)
        assert_allclose(distance(A, B, order), expected, rtol=1e-11)
    A, B = long_bars(rng, 200), long_bars(rng, 230)
    for order in (1.0, 2.0):
        expected = expected_distance(A, B, order)
        assert_allclose(distance(A, B, order), expected, rtol=1e-11)


@pytest.mark.parametrize("order", [1.0, 2.0, 3.0, 1000.0])
def test_equal_points_with_equal_middles_have_distance_0_in_any_order(order):
    points = np.array([[0.0, 4.0], [1.0, 3.0], [1.5, 3.5]])
    rows, columns = points.ravel(), points[[1, 0, 2]].ravel()
    middles = np.array([2.0, 2.0, 2.5])
    assert wasserstein(rows, middles, columns, middles, order) == 0.0


# Multiples of 1/4: ties everywhere, and sums of powers without rounding.
quarters = st.integers(-8, 8).map(lambda k: k / 4)


@st.composite
def tied_diagrams(draw):
    n = draw(st.integers(0, 9))
    points = draw(arrays(float, (n, 2), elements=quarters))
    return np.sort(points, axis=1)


@given(tied_diagrams(), tied_diagrams(), st.sampled_from([*ORDERS, math.inf]))
def test_ties_do_no_harm(A, B, order):
    assert_allclose(
        distance(A, B, order), expected_distance(A, B, order), rtol=1e-12, atol=1e-15
    )


@given(
    tied_diagrams(),
    tied_diagrams(),
    tied_diagrams(),
    st.floats(1.0, 30.0) | st.just(math.inf),
)
def test_distances_are_a_metric(A, B, C, order):
    AB, BC, AC = (distance(*pair, order) for pair in ((A, B), (B, C), (A, C)))
    assert AC <= (AB + BC) * (1 + 1e-12)
    same = np.array_equal(as_loops_want_it(A)[0], as_loops_want_it(B)[0])
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
    X = [as_loops_want_it(spread(rng, n)) for n in (7, 0, 12, 3, 9)]
    points, middles = (np.concatenate(arrays) for arrays in zip(*X, strict=True))
    offsets = np.cumsum([0] + [len(m) for _, m in X])

    def tile(rows, columns, *, mirrored):
        left = (points, middles, offsets[rows.start : rows.stop + 1])
        right = (points, middles, offsets[columns.start : columns.stop + 1])
        out = np.full((rows.stop - rows.start, columns.stop - columns.start), np.nan)
        wasserstein_tile(*left, *right, order, mirrored, out)
        return out

    expected = np.array([[wasserstein(*A, *B, order) for B in X] for A in X])
    whole = slice(0, 5)
    assert_array_equal(tile(whole, whole, mirrored=True), expected)
    assert_array_equal(tile(whole, whole, mirrored=False), expected)
    some = tile(slice(1, 3), slice(2, 5), mirrored=False)
    assert_array_equal(some, expected[1:3, 2:5])
