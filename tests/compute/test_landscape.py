from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from pbow import Diagrams
from pbow.compute.landscape import (
    BLOCK,
    END,
    HEIGHT,
    LINE,
    MOST_NUMBERS,
    PLACE,
    SLOPE,
    TIMES,
    _no_lines,
    _peel,
    compare_levels,
    sample_levels,
)


def levels_by_definition(diagram, times, n_levels):
    """Return the tents at each time, largest first."""
    tents = np.zeros((max(n_levels, len(diagram)), len(times)))
    for tent, (birth, death) in zip(tents, diagram, strict=False):
        tent[:] = np.maximum(0.0, np.minimum(times - birth, death - times))
    return np.sort(tents, axis=0)[::-1][:n_levels]


def integrals_by_definition(one, other):
    """Return the integrals of (a - b)**2 and a * b, summed over levels, as fractions.

    Lines of tents meet at means of two coordinates. Between these, levels are straight
    and Simpson's rule has no error.
    """

    def levels(diagram, time):
        tents = [max(Fraction(0), min(time - b, d - time)) for b, d in diagram]
        return sorted(tents, reverse=True) + [Fraction(0)] * n_more[len(tents)]

    one, other = ([[Fraction(x) for x in p] for p in d] for d in (one, other))
    most = max(len(one), len(other))
    n_more = {n: most - n for n in (len(one), len(other))}
    numbers = [x for point in one + other for x in point]
    meetings = sorted({(x + y) / 2 for x in numbers for y in numbers})
    squares = products = Fraction(0)
    for start, stop in pairwise(meetings):
        for time, weight in ((start, 1), ((start + stop) / 2, 4), (stop, 1)):
            share = weight * (stop - start) / 6
            for a, b in zip(levels(one, time), levels(other, time), strict=True):
                squares += share * (a - b) ** 2
                products += share * a * b
    return squares, products


def prepared(diagrams):
    """Sort points, and leave those of no persistence out."""
    return Diagrams.from_list(
        [sorted((p for p in d if p[0] < p[1]), key=_order) for d in diagrams]
    )


def _order(point):
    return point[0], -point[1]


def compare(left, right, *, product, symmetric=False):
    out = np.full((len(left), len(right)), np.nan)
    compare_levels(
        left.points,
        left.offsets,
        right.points,
        right.offsets,
        product,
        symmetric,
        out,
    )
    return out


# Whole numbers, so that births, deaths and meetings of tents coincide.
points = st.tuples(st.integers(-4, 4), st.integers(0, 5)).map(
    lambda point: [float(point[0]), float(point[0] + point[1])]
)
whole_diagrams = st.lists(points, max_size=6)


@given(whole_diagrams, whole_diagrams)
def test_integrals_match_the_definition_where_everything_coincides(one, other):
    squares, products = integrals_by_definition(one, other)
    left, right = prepared([one]), prepared([other])
    distance = compare(left, right, product=False)[0, 0]
    assert_allclose(distance, np.sqrt(float(squares)), rtol=1e-14)
    product = compare(left, right, product=True)[0, 0]
    assert_allclose(product, float(products), rtol=1e-14)


@given(whole_diagrams, whole_diagrams, st.integers(1, 5), st.integers(0, 4))
def test_equal_levels_are_compared_as_often_as_they_are_there(one, other, n, m):
    one, other = one[:3] * n + one[3:], other[:2] * m + other
    squares, products = integrals_by_definition(one, other)
    left, right = prepared([one]), prepared([other])
    distance = compare(left, right, product=False)[0, 0]
    assert_allclose(distance, np.sqrt(float(squares)), rtol=1e-14)
    product = compare(left, right, product=True)[0, 0]
    assert_allclose(product, float(products), rtol=1e-14)


def test_equal_levels_are_stored_once():
    diagram = [[0.0, 4.0]] * 50 + [[1.0, 3.0]] * 20 + [[2.0, 6.0]] * 20
    X = prepared([diagram])
    levels = np.empty((2, 91), np.int64)
    _, _, n_levels = _peel(X.points, 0, 90, _no_lines(), 2 * LINE, levels)
    # The first with the last; the first alone; the second with (2, 4), which was left
    # of the last; (2, 3), which was left of these.
    assert levels[TIMES, :n_levels].tolist() == [20, 30, 20, 20]


def peel(X):
    """Return each level of one diagram as rows: end, slope, height at time 0."""
    levels = np.empty((2, len(X.points) + 1), np.int64)
    n_points = len(X.points)
    lines, _, n_levels = _peel(X.points, 0, n_points, _no_lines(), 2 * LINE, levels)
    return [
        lines[start - LINE : stop - LINE].reshape(-1, LINE)[:, [END, SLOPE, HEIGHT]]
        for k, (start, stop) in enumerate(pairwise(levels[PLACE, : n_levels + 1]))
        for _ in range(levels[TIMES, k])
    ]


@given(whole_diagrams)
def test_every_level_is_as_short_as_it_can_be(diagram):
    levels = peel(prepared([diagram]))
    alive = [sum(b <= t < d for b, d in diagram) for t in np.arange(-4, 9)]
    assert len(levels) == max(alive)
    for level in levels:
        assert_array_equal(level[[0, -1], 0], [-np.inf, np.inf])
        assert (np.diff(level[:, 0]) > 0.0).all()


@pytest.mark.parametrize(
    "kind", ["any", "nested", "born together", "in steps", "whole"]
)
def test_lines_of_many_points_give_the_levels(rng, kind):
    n_points = 5 * BLOCK + 3
    births, deaths = np.sort(rng.normal(size=(2, n_points)), axis=0)
    if kind == "nested":
        births, deaths = -np.sort(rng.uniform(size=(2, n_points)), axis=1)
        deaths = -deaths
    elif kind == "born together":
        births = np.full(n_points, births.min())
    elif kind == "in steps":
        births, deaths = np.sort(births), np.sort(deaths)
    elif kind == "whole":
        births, deaths = np.rint(3 * births), np.rint(3 * deaths) + 1.0
    X = prepared([np.c_[births, deaths].tolist()])
    times = rng.uniform(births.min(), deaths.max(), size=200)
    levels = peel(X)
    expected = levels_by_definition(X.points, times, len(X.points))
    assert_array_equal(expected[len(levels) :], 0.0)
    for level, heights in zip(levels, expected, strict=False):
        _, slope, height = level[np.searchsorted(level[:, 0], times)].T
        assert_allclose(slope * times + height, heights, atol=1e-13)


@pytest.mark.parametrize(
    ("birth", "size", "rtol"),
    [
        (0.0, 1.0, 1e-13),
        # Where lines meet is rounded to 1e-10, which has the square of its effect.
        (1e6, 1e-3, 1e-12),
        (-3e6, 1e-3, 1e-12),
    ],
)
def test_integrals_match_the_definition_wherever_points_are(rng, birth, size, rtol):
    diagrams = []
    for n_points in (0, 1, 2, 4, 6):
        births = birth + size * rng.normal(size=n_points)
        lives = size * rng.uniform(0.5, 3.0, size=n_points)
        diagrams.append(np.c_[births, births + lives].tolist())
    X = prepared(diagrams)
    expected = [[integrals_by_definition(a, b) for b in diagrams] for a in diagrams]
    squares, products = np.moveaxis(np.array(expected, dtype=float), 2, 0)
    assert_allclose(compare(X, X, product=False), np.sqrt(squares), rtol=rtol)
    assert_allclose(compare(X, X, product=True), products, rtol=rtol)


def test_parallel_lines_keep_the_digits_of_their_difference():
    # As fractions, because 2 + 1e-9 is rounded.
    diagrams = [[[0.0, 2.0]], [[1e-9, 2.0 + 1e-9]]]
    squares, _ = integrals_by_definition(*diagrams)
    X = prepared(diagrams)
    distance = compare(X[:1], X[1:], product=False)[0, 0]
    assert_allclose(distance, np.sqrt(float(squares)), rtol=1e-12)


@pytest.mark.parametrize("product", [False, True])
def test_half_the_work_gives_the_same_bits(ragged, product):
    X = prepared(ragged)
    half = compare(X, X, product=product, symmetric=True)
    assert_array_equal(half, half.T)
    assert_array_equal(half, compare(X, X, product=product))


@pytest.mark.parametrize("symmetric", [False, True])
def test_rows_that_do_not_fit_the_memory_at_once_are_taken_in_turns(rng, symmetric):
    n_points, n_diagrams = 400, 12
    births = np.sort(rng.uniform(size=(n_diagrams, n_points)), axis=1)
    X = Diagrams.from_list([np.c_[b, b + 1.0] for b in births])
    n_crossings = n_points * (n_points - 1) // 2
    assert n_diagrams * 2 * n_crossings * LINE > MOST_NUMBERS
    whole = compare(X, X, product=False, symmetric=symmetric)
    for i in (0, 5, 11):
        assert_array_equal(compare(X[i : i + 1], X, product=False)[0], whole[i])


@given(
    st.lists(
        st.tuples(
            st.floats(-3, 3, allow_subnormal=False), st.sampled_from([0, 0.5, 1, 7])
        ),
        max_size=12,
    ),
    st.integers(1, 4),
    st.integers(1, 9),
)
def test_samples_match_the_definition(points, n_levels, n_times):
    diagram = np.array([[b, b + p] for b, p in points]).reshape(-1, 2)
    X = Diagrams.from_list([diagram, [], diagram])
    grid = np.linspace(-2.0, 4.0, n_times + 2)[1:-1]
    out = np.zeros((3, n_levels * n_times))
    rate = (n_times - 1) / max(grid[-1] - grid[0], 1e-300)
    sample_levels(X.points, X.offsets, grid, rate, n_levels, out)
    expected = levels_by_definition(diagram, grid, n_levels).ravel()
    assert_array_equal(out, [expected, np.zeros_like(expected), expected])


@pytest.mark.parametrize("rate", [0.0, 0.3, 1.0, 1e9])
def test_a_wrong_rate_changes_nothing(ragged, rate):
    grid = np.array([0.1, 0.1, 0.3, 0.35, 0.9, 1.4])
    out = np.zeros((len(ragged), 3 * len(grid)))
    sample_levels(ragged.points, ragged.offsets, grid, rate, 3, out)
    expected = [levels_by_definition(d, grid, 3).ravel() for d in ragged]
    assert_array_equal(out, expected)


def test_a_tent_without_a_death_goes_up_for_ever():
    X = Diagrams.from_list([[[0.5, np.inf], [2.0, np.inf]]])
    out = np.zeros((1, 8))
    sample_levels(X.points, X.offsets, np.arange(4.0), 1.0, 2, out)
    assert_array_equal(out, [[0.0, 0.5, 1.5, 2.5, 0.0, 0.0, 0.0, 1.0]])


@pytest.mark.parametrize("more", range(4))
def test_levels_do_not_depend_on_the_room_for_them(more):
    # Tents far from each other need the most lines: three of each, and both ends.
    X = prepared([[[4.0 * i, 4.0 * i + 2.0] for i in range(3)]])
    expected = peel(X)
    levels = np.empty((2, 4), np.int64)
    lines = np.empty((2 + 3 * 3 + more) * LINE)
    lines[: 2 * LINE] = _no_lines()
    lines, _, n_levels = _peel(X.points, 0, 3, lines, 2 * LINE, levels)
    assert n_levels == len(expected) == 1
    start, stop = levels[PLACE, :2]
    found = lines[start - LINE : stop - LINE].reshape(-1, LINE)
    assert_array_equal(found[:, [END, SLOPE, HEIGHT]], expected[0])


@pytest.mark.parametrize("product", [False, True])
def test_of_equal_sides_the_diagonal_is_computed_as_well(rng, product):
    births = np.sort(rng.normal(size=(3, 4)), axis=1)
    X = prepared([np.c_[b, b + rng.exponential(size=4)].tolist() for b in births])
    half = compare(X, X, product=product, symmetric=True)
    assert_array_equal(half, compare(X, X, product=product))
    assert (np.diagonal(half) > 0.0).all() == product
