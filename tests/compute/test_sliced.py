from itertools import pairwise

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from pbow import Diagrams
from pbow.compute.sliced import (
    empty_projections,
    project,
    slices_between,
    slices_within,
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


def projections(X, n_lines):
    out = empty_projections(X.points, X.offsets, n_lines)
    half = len(X) // 2  # in two blocks, as threads would
    for block in ((0, half), (half, len(X))):
        project(X.points, X.offsets, lines(n_lines), out, *block)
    return out


def compare(X, n_lines):
    X = Diagrams.from_list(X)
    out = np.zeros((len(X), len(X)))
    slices_within(*projections(X, n_lines), out)
    return out


@pytest.mark.parametrize("n_lines", [1, 2, 3, 8, 11])
def test_sums_over_lines_follow_the_definition(ragged, n_lines):
    expected = [
        [sum(by_sorting(F, G, line) for line in lines(n_lines)) for G in ragged]
        for F in ragged
    ]
    assert_allclose(compare(ragged, n_lines), expected, rtol=1e-12, atol=1e-12)


def test_projections_are_sorted_and_closed_by_infinity(ragged):
    points_on, feet_on, starts = projections(ragged, 5)
    for values in (points_on, feet_on):
        for first, after in pairwise(starts):
            assert (np.diff(values[:, first:after], axis=1) >= 0).all()
            assert (values[:, after - 1] == np.inf).all()
    finite = np.isfinite(points_on[0])
    assert finite.sum() == len(ragged.points)
    on_axis = np.sort(-ragged.points[:, 1])  # at -90 degrees
    assert_allclose(np.sort(points_on[0, finite]), on_axis, rtol=1e-14, atol=1e-16)


def test_points_on_the_diagonal_are_left_out_exactly(ragged, rng):
    more = [rng.permutation(np.r_[F, [[0.3, 0.3], [-1e6, -1e6]]]) for F in ragged]
    assert_array_equal(compare(more, 7), compare(ragged, 7))


def test_all_ways_to_walk_a_block_agree(ragged):
    prepared = projections(ragged, 5)
    on, feet, starts = prepared
    whole, block, within = np.zeros((30, 30)), np.zeros((9, 4)), np.zeros((8, 8))
    slices_between(*prepared, *prepared, whole)
    assert_array_equal(whole, whole.T)
    slices_between(on, feet, starts[5:15], on, feet, starts[11:16], block)
    assert_array_equal(block, whole[5:14, 11:15])
    slices_within(on, feet, starts[2:11], within)
    assert_array_equal(within, whole[2:10, 2:10])


coordinate = st.floats(-1e100, 1e100) | st.floats(-1, 1)
diagram = st.lists(st.tuples(coordinate, coordinate).map(sorted), max_size=7)


@given(st.lists(diagram, min_size=1, max_size=4), st.integers(1, 6))
@example([[[0, 1]] * 3, [[0, 1]] * 2, [[0, 1], [0, 2]], [[0.25, 0.75]] * 4, []], 4)
def test_any_diagrams_follow_the_definition(X, n_lines):
    out = compare(X, n_lines)
    expected = [
        [sum(by_sorting(F, G, line) for line in lines(n_lines)) for G in X] for F in X
    ]
    largest = max((abs(c) for F in X for point in F for c in point), default=0.0)
    assert np.isfinite(out).all()
    assert_allclose(out, expected, rtol=1e-12, atol=1e-13 * largest)
    assert_array_equal(np.diagonal(out), 0.0)
