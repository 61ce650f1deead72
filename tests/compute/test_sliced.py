from itertools import pairwise

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from pbow import Diagrams
from pbow.compute.distinct import distinct_points
from pbow.compute.sliced import (
    BITS,
    NUMBER,
    _aligned,
    jumps_of,
    sum_over_lines,
)


def lines(n):
    angles = -np.pi / 2 + np.arange(n) * np.pi / n
    return np.column_stack((np.cos(angles), np.sin(angles)))


def by_sorting(F, G, line):
    """The L1 distance of sorted projections of F with G's feet, G with F's feet."""
    F, G = np.reshape(F, (-1, 2)), np.reshape(G, (-1, 2))
    feet = [np.repeat(A.mean(axis=1, keepdims=True), 2, axis=1) for A in (F, G)]
    one, other = np.concatenate((F, feet[1])), np.concatenate((G, feet[0]))
    return np.abs(np.sort(one @ line) - np.sort(other @ line)).sum()


def jumps(X, n_lines, first=0, last=None):
    X = Diagrams.from_list(X)
    last = len(X) if last is None else last
    return jumps_of(distinct_points(X.points, X.offsets), lines(n_lines), first, last)


def compare(X, n_lines):
    block = jumps(X, n_lines)
    return sum_over_lines(block, block)


def by_definition(X, n_lines):
    return [
        [sum(by_sorting(F, G, line) for line in lines(n_lines)) for G in X] for F in X
    ]


@pytest.mark.parametrize("n_lines", [1, 2, 3, 8, 11])
def test_sums_over_lines_follow_the_definition(ragged, n_lines):
    expected = by_definition(ragged, n_lines)
    assert_allclose(compare(ragged, n_lines), expected, rtol=1e-12, atol=1e-12)


def test_jumps_are_those_of_points_and_feet_in_the_order_of_the_line(ragged):
    block = jumps(ragged, 5)
    assert block.n_diagrams == 30
    for (cos, sin), (first, after) in zip(
        lines(5), pairwise(block.starts), strict=True
    ):
        places, codes = block.places[first:after], block.codes[first:after]
        assert places[-1] == np.inf
        assert (np.diff(places) >= 0.0).all()
        for i, F in enumerate(ragged):
            mine = (codes[:-1] & NUMBER) == i
            up = codes[:-1][mine] >> BITS > 0
            points, feet = np.sort(F @ (cos, sin)), np.sort(F.mean(axis=1))
            feet = np.sort(feet * (cos + sin))
            assert_allclose(places[:-1][mine][up], points, rtol=1e-14, atol=1e-15)
            assert_allclose(places[:-1][mine][~up], feet, rtol=1e-14, atol=1e-15)


def test_jumps_of_a_diagram_at_one_place_are_joined():
    # On the first line, at -90 degrees, only deaths count.
    block = jumps([[[0, 2], [1, 2], [1, 2]], [[0, 2]], [[-2, 6]]], 1)
    at = block.starts[1] - 1
    assert_allclose(block.places[:at], [-6, -2, -2, -2, -1.5, -1, -1])
    assert_array_equal(block.codes[:at] & NUMBER, [2, 0, 1, 2, 0, 0, 1])
    assert_array_equal(block.codes[:at] >> BITS, [1, 3, 1, -1, -2, -1, -1])


def test_points_on_the_diagonal_are_left_out_exactly(ragged, rng):
    more = [rng.permutation(np.r_[F, [[0.3, 0.3], [-1e6, -1e6]]]) for F in ragged]
    assert_array_equal(compare(more, 7), compare(ragged, 7))


def test_a_point_many_times_is_a_point_with_a_weight(rng):
    few = np.sort(rng.integers(0, 6, size=(12, 4, 2)), axis=2).astype(float)
    X = [np.repeat(F, rng.integers(1, 60, size=4), axis=0) for F in few]
    assert_allclose(compare(X, 9), by_definition(X, 9), rtol=1e-12, atol=1e-11)


def test_equal_diagrams_are_at_distance_0_exactly(ragged, rng):
    whole = [np.rint(9.0 * F) for F in ragged]
    X = [*ragged, *whole]
    D = compare([*X, *(rng.permutation(F) for F in X)], 8)
    assert_array_equal(np.diagonal(D, len(X)), 0.0)


def test_a_block_with_itself_is_exactly_symmetric(ragged):
    D = compare([np.rint(9.0 * F) for F in ragged], 8)
    assert_array_equal(D, D.T)
    assert_array_equal(np.diagonal(D), 0.0)


@pytest.mark.parametrize("scale", [1.0, 9.0])
def test_all_ways_to_cut_a_matrix_agree(ragged, scale):
    X = ragged if scale == 1.0 else [np.rint(scale * F) for F in ragged]
    whole = compare(X, 5)
    for rows, columns in [((0, 9), (9, 30)), ((3, 4), (8, 30)), ((2, 11), (12, 13))]:
        block = sum_over_lines(jumps(X, 5, *rows), jumps(X, 5, *columns))
        assert_array_equal(block, whole[slice(*rows), slice(*columns)])
        exchanged = sum_over_lines(jumps(X, 5, *columns), jumps(X, 5, *rows))
        assert_allclose(exchanged.T, block, rtol=1e-13)
        if scale == 1.0:  # no two places are equal
            assert_array_equal(exchanged.T, block)


coordinate = st.floats(-1e100, 1e100) | st.floats(-1, 1)
diagram = st.lists(st.tuples(coordinate, coordinate).map(sorted), max_size=7)


@given(st.lists(diagram, min_size=1, max_size=4), st.integers(1, 6))
@example([[[0, 1]] * 3, [[0, 1]] * 2, [[0, 1], [0, 2]], [[0.25, 0.75]] * 4, []], 4)
def test_any_diagrams_follow_the_definition(X, n_lines):
    out = compare(X, n_lines)
    expected = by_definition(X, n_lines)
    largest = max((abs(c) for F in X for point in F for c in point), default=0.0)
    assert np.isfinite(out).all()
    assert_allclose(out, expected, rtol=1e-12, atol=1e-13 * largest)
    assert_array_equal(np.diagonal(out), 0.0)


@pytest.mark.parametrize("size", [1, 8, 13])
def test_rows_begin_where_vectors_do(size):
    rooms = [_aligned(size) for _ in range(20)]
    for room in rooms:
        assert_array_equal(room, np.zeros(size))
        assert room.ctypes.data % 64 == 0  # bytes of the longest vectors
