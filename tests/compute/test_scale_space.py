import math
from decimal import Decimal, localcontext

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from pbow import Diagrams
from pbow.compute.distinct import distinct_points
from pbow.compute.scale_space import (
    FEW_NODES,
    LANES,
    NODES_A_POINT,
    REACH,
    empty_heat,
    frames_of,
    heat_between,
    heat_of_each,
    spread,
)


def with_50_digits(F, G, s):
    """The sum that defines the kernel, as it is written, in decimal arithmetic."""
    with localcontext() as context:
        context.prec = 50
        four = 4 * Decimal(s) ** 2
        total = Decimal(0)
        F, G = ([[Decimal(x) for x in p] for p in A.tolist()] for A in (F, G))
        for b, d in F:
            for c, e in G:
                total += (-((b - c) ** 2 + (d - e) ** 2) / four).exp()
                total -= (-((b - e) ** 2 + (d - c) ** 2) / four).exp()
        return float(total)


def in_double(F, G, s):
    """The same, of many points."""
    apart = ((F[:, None] - G) ** 2).sum(axis=2)
    mirrored = ((F[:, None] - G[:, ::-1]) ** 2).sum(axis=2)
    return (np.exp(-apart / (4 * s**2)) - np.exp(-mirrored / (4 * s**2))).sum()


def heat(X, s):
    X = X if isinstance(X, Diagrams) else Diagrams.from_list(X)
    diagrams = distinct_points(X.points, X.offsets)
    out = empty_heat(diagrams, s)
    half = len(X) // 2  # in two blocks, as threads would
    for block in ((0, half), (half, len(X))):
        spread(*diagrams, out, np.empty(2 * REACH + 1), *block)
    return out


def between(prepared, rows, columns):
    frames = frames_of(prepared, *columns)
    return heat_between(prepared, slice(*rows), prepared, slice(*columns), frames)


def compare(X, s):
    prepared = heat(X, s)
    everything = (0, len(X))
    return between(prepared, everything, everything), prepared


def without_nodes(prepared):
    return prepared._replace(widths=np.zeros_like(prepared.widths))


def few_points(rng, n=5, scale=1.0):
    births = rng.normal(size=n) * scale
    return np.c_[births, births + rng.exponential(size=n) * scale]


def many_points(rng):
    return few_points(rng, 300)


@pytest.mark.parametrize("n", [5, 25])
@pytest.mark.parametrize("s", [0.03, 0.3, 3.0, 300.0])
def test_points_and_nodes_follow_the_definition_to_50_digits(rng, n, s):
    X = [few_points(rng, n), few_points(rng, n + 3)]
    by_nodes, prepared = compare(X, s)
    assert (prepared.widths > 0).all() == (s * n > 5.0)
    by_points = between(without_nodes(prepared), (0, 2), (0, 2))
    expected = [[with_50_digits(A, B, s) for B in X] for A in X]
    assert_allclose(by_nodes, expected, rtol=2e-14)
    assert_allclose(by_points, expected, rtol=2e-14)


@pytest.mark.parametrize("s", [0.2, 0.5, 2.0, 20.0])
def test_nodes_and_points_give_the_same(rng, s):
    X = [many_points(rng), many_points(rng) * 0.5, many_points(rng) + 4.0]
    by_nodes, prepared = compare(X, s)
    assert (prepared.widths > 0).all()
    by_points = between(without_nodes(prepared), (0, 3), (0, 3))
    size = np.sqrt(np.diagonal(by_points))
    assert_allclose(by_nodes / size / size[:, None], by_points / size / size[:, None])
    assert_allclose(by_nodes, by_points, rtol=1e-12, atol=1e-14 * size.max() ** 2)


@pytest.mark.parametrize("persistence", [1e-3, 1e-6, 1e-9, 1e-12])
@pytest.mark.parametrize("n_points", [1, 40])
def test_nothing_is_lost_next_to_the_diagonal(n_points, persistence):
    point = np.array([[1.0, 1.0 + persistence]])
    exactly = point[0, 1] - point[0, 0]
    out, prepared = compare([np.repeat(point, n_points, axis=0)], 0.5)
    assert prepared.widths[0] > 0
    expected = n_points**2 * -math.expm1(-(exactly**2) / (2 * 0.5**2))
    assert_allclose(out[0, 0], expected, rtol=2e-14)
    by_points = between(without_nodes(prepared), (0, 1), (0, 1))
    assert_allclose(by_points[0, 0], expected, rtol=2e-14)


@pytest.mark.parametrize("s", [0.05, 0.4, 4.0])
def test_a_point_many_times_is_a_point_with_a_weight(rng, s):
    counts = rng.integers(1, 50, size=(8, 5))
    X = [np.repeat(few_points(rng), n, axis=0) for n in counts]
    out, prepared = compare([rng.permutation(F) for F in X], s)
    expected = [[in_double(F, G, s) for G in X] for F in X]
    largest = np.max(expected)
    assert_allclose(out, expected, rtol=1e-12, atol=1e-13 * largest)
    by_points = between(without_nodes(prepared), (0, 8), (0, 8))
    assert_allclose(by_points, expected, rtol=1e-12, atol=1e-13 * largest)
    assert prepared.columns.shape[1] == 8 * LANES


def test_points_too_far_to_overlap_are_passed_over(rng):
    # As many as fill several vectors, on either side of what is near.
    births = np.sort(rng.uniform(0.0, 3000.0, size=(3, 70)), axis=1)
    X = [np.c_[b, b + rng.exponential(size=70)] for b in births]
    prepared = without_nodes(heat(X, 1.0))
    expected = [[in_double(F, G, 1.0) for G in X] for F in X]
    assert_allclose(between(prepared, (0, 3), (0, 3)), expected, rtol=1e-12)


def test_diagrams_of_one_place_share_a_frame(rng):
    near = [few_points(rng, 10, scale=0.3) for _ in range(10)]
    X = [near[0], [], *near[1:6], near[6] + 1e4, *near[7:], near[0] - 1e4, []]
    prepared = heat([np.reshape(F, (-1, 2)) for F in X], 0.5)
    frames = frames_of(prepared, 0, len(X))
    assert [(f.first, f.last) for f in frames] == [(0, 7), (7, 8), (8, 11), (11, 12)]
    for frame in frames:
        assert frame.n_lanes % LANES == 0
        sizes = (prepared.heights * prepared.widths)[frame.first : frame.last]
        assert frame.height * frame.width <= 3 * sizes.max()
    assert frames_of(without_nodes(prepared), 0, len(X)) == []


def test_far_diagrams_of_many_points_do_not_overlap(rng):
    X = [many_points(rng), many_points(rng) + 1000.0, many_points(rng) - 1000.0]
    out, prepared = compare(X, 0.5)
    assert (prepared.widths > 0).all()
    assert_array_equal(out[~np.eye(3, dtype=bool)], 0.0)
    assert_allclose(np.diagonal(out), [in_double(F, F, 0.5) for F in X], rtol=1e-11)


@pytest.mark.parametrize("n_nodes", [9, 10, 11, 12])
def test_all_rows_of_an_overlap_count(n_nodes):
    # Points that are some nodes apart along the diagonal have 35 less so many rows in
    # common: groups of rows, and some that are left over.
    shift = n_nodes / (2.0 * np.sqrt(2.0))
    F = np.repeat([[0.0, 1.0]], 40, axis=0)
    out, prepared = compare([F, F + shift], 1.0)
    assert (prepared.widths > 0).all()
    assert_allclose(out[0, 1], in_double(F, F + shift, 1.0), rtol=1e-12)


def test_nodes_overlap_in_any_way_that_two_rectangles_can(rng):
    births = [(-3, 3), (-1, 1), (0, 6), (2, 4), (-6, 0)]
    lives = [0.1, 3.0, 20.0]
    X = [
        np.c_[b, b + rng.uniform(0, life, 200)]
        for low, high in births
        for life in lives
        for b in [rng.uniform(low, high, 200)]
    ]
    out, prepared = compare(X, 0.4)
    assert (prepared.widths > 0).all()
    expected = [[in_double(F, G, 0.4) for G in X] for F in X]
    assert_allclose(out, expected, rtol=1e-12, atol=1e-12 * np.max(expected))


def test_nodes_take_a_limited_memory(rng):
    X = [many_points(rng), few_points(rng, 20, scale=100.0), np.empty((0, 2))]
    prepared = heat(X, 0.1)
    assert FEW_NODES < prepared.nodes.size <= NODES_A_POINT * 320
    assert prepared.widths[1] == prepared.widths[2] == 0


@pytest.mark.parametrize(
    ("b", "d", "n"),
    [
        (370_000.0, 370_000.0, 40),
        (-3e6, -3e6, 40),
        (1e9 / 7.0, 1e9 / 7.0, 40),
        (0.0, 300.0, 1000),
        (0.0, 1500.0, 1000),
    ],
)
def test_digits_are_kept_far_from_the_origin_and_from_the_diagonal(b, d, n):
    lives = [(b, d + 1.0), (b + 0.4, d + 3.3), (b - 2.1, d)]
    out, prepared = compare([np.repeat([life], n, axis=0) for life in lives], 1.0)
    assert (prepared.widths > 0).all() == (d - b < 1000.0)
    once = [np.array([life]) for life in lives]
    expected = [[n**2 * with_50_digits(F, G, 1.0) for G in once] for F in once]
    size = np.sqrt(np.diagonal(expected))
    assert_allclose(
        out / size / size[:, None], expected / size / size[:, None], rtol=0, atol=5e-14
    )


def test_a_diagram_far_from_the_origin_is_compared_by_points(rng):
    X = [many_points(rng) + 1e9, many_points(rng) + 1e9]
    out, prepared = compare(X, 0.5)
    assert (prepared.widths == 0).all()
    shifted = [F - 1e9 for F in X]
    expected = [[in_double(F, G, 0.5) for G in shifted] for F in shifted]
    assert_allclose(out, expected, rtol=1e-12)


@pytest.mark.parametrize("s", [0.02, 0.3, 5.0])
def test_all_ways_to_cut_a_matrix_agree(ragged, s):
    X = [*ragged, *(F + 40.0 for F in ragged[10:]), *(4.0 * F for F in ragged[3:5])]
    whole, prepared = compare(X, s)
    assert_array_equal(whole, whole.T)
    for rows, columns in [((5, 14), (11, 15)), ((0, 52), (7, 8)), ((3, 4), (0, 45))]:
        block = between(prepared, rows, columns)
        assert_array_equal(block, whole[slice(*rows), slice(*columns)])
    for first, last in [(0, 52), (3, 9), (31, 32)]:
        frames = frames_of(prepared, first, last)
        each = heat_of_each(prepared, slice(first, last), frames)
        assert_array_equal(each, np.diagonal(whole)[first:last])


@pytest.mark.parametrize("s", [0.02, 0.3, 5.0])
def test_exchanging_the_diagrams_changes_no_bit(rng, s):
    # By points and by nodes, also of equally many points, and the same with counts.
    sizes = [6, 6, 6, 30, 30, 100, 0]
    X = [few_points(rng, n) for n in sizes] * 3
    out, _ = compare([*X, X[0].repeat(2, axis=0), X[0].repeat(3, axis=0)], s)
    assert_array_equal(out, out.T)


coordinate = st.floats(-1e100, 1e100) | st.floats(-2, 2)


@given(
    st.lists(st.tuples(coordinate, coordinate).map(sorted), max_size=40),
    st.lists(st.tuples(coordinate, coordinate).map(sorted), max_size=4),
    st.sampled_from([1e-100, 1e-3, 1.0, 1e3, 1e100]),
)
def test_no_diagrams_give_nan_or_less_than_0(F, G, s):
    out, _ = compare([F * 20, F, G, []], s)
    assert np.isfinite(out).all()
    assert (out >= 0.0).all()
    assert_array_equal(out[3], 0.0)


@pytest.mark.parametrize("far", [1e12, -1e12])
def test_nodes_that_would_lose_digits_are_not_made(far):
    X = [np.repeat([[at, at + 1.0]], 40, axis=0) for at in (far, 0.0)]
    assert (heat(X, 1.0).widths > 0).tolist() == [False, True]


def test_diagrams_that_differ_in_deaths_alone_may_be_exchanged(rng):
    births = rng.normal(size=6)
    X = [np.column_stack((births, births + rng.exponential(size=6))) for _ in range(9)]
    out, prepared = compare(X, 0.02)
    assert (prepared.widths == 0).all()
    assert_array_equal(out, out.T)


@pytest.mark.parametrize("sizes", [(2, 9), (9, 2)])
def test_diagrams_of_any_two_sizes_are_compared_by_points(rng, sizes):
    X = [few_points(rng, n) for n in sizes]
    prepared = heat(X, 0.02)
    assert (prepared.widths == 0).all()
    ((found,),) = between(prepared, (0, 1), (1, 2))
    assert_allclose(found, in_double(*X, 0.02), rtol=1e-12)


@pytest.mark.parametrize("s", [0.02, 2.0])
def test_a_block_has_the_rows_and_columns_of_the_matrix(rng, s):
    X = [few_points(rng, n) for n in (9, 2, 14, 5, 1)]
    whole, prepared = compare(X, s)
    assert (prepared.widths > 0).any() == (s == 2.0)
    for rows, columns in [((1, 4), (2, 3)), ((2, 3), (0, 5)), ((3, 5), (3, 5))]:
        block = between(prepared, rows, columns)
        assert_array_equal(block, whole[slice(*rows), slice(*columns)])


@pytest.mark.parametrize("shift", [-1e3, 1e3])
def test_few_points_far_from_all_others_add_nothing(rng, shift):
    X = [few_points(rng, 20), few_points(rng, 11) + shift]
    prepared = without_nodes(heat(X, 0.5))
    assert_array_equal(between(prepared, (0, 1), (1, 2)), 0.0)


def test_small_diagrams_share_the_frame_of_a_large_one(rng):
    small = [few_points(rng, 6, scale=0.1) for _ in range(3)]
    large = np.column_stack((np.linspace(-6, 6, 40), np.linspace(6, 7, 40)))
    prepared = heat([small[0], large, *small[1:]], 0.5)
    sizes = prepared.heights * prepared.widths
    assert sizes[1] > 4 * sizes[0] > 0
    assert [(f.first, f.last) for f in frames_of(prepared, 1, 4)] == [(1, 4)]


@pytest.mark.parametrize(("times", "n_frames"), [(2.5, 1), (3.5, 2)])
def test_a_frame_is_at_most_three_times_as_large_as_its_largest_diagram(
    rng, times, n_frames
):
    F = few_points(rng, 6, scale=0.1)
    alone = heat([F], 0.5)
    # Along the diagonal, by so many rows of nodes.
    shift = 0.5 * (times - 1.0) * alone.heights[0] * alone.unit
    assert len(frames_of(heat([F, F + shift], 0.5), 0, 2)) == n_frames
