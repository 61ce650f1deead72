import subprocess
import sys
from itertools import pairwise

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from pbow.compute.count import (
    CHUNK,
    compiled_loops,
    count_brute,
    count_grid,
    count_in_numpy,
)
from pbow.compute.grid import build_grid
from pbow.compute.normalize import NORMALIZATIONS, RAW, normalize_rows
from pbow.weighting import Ramp

ONES = np.ones(2)


def count_by_definition(points, offsets, words, weight):
    out = np.zeros((len(offsets) - 1, len(words)))
    for d, (start, stop) in enumerate(pairwise(offsets)):
        for birth, death in points[start:stop]:
            x = np.array([birth, death - birth])
            out[d, ((x - words) ** 2).sum(axis=1).argmin()] += weight(death - birth)
    return out


def brute(points, offsets, words, ramp, out):
    count_brute(points, offsets, words, ONES, ramp, RAW, out)


def grid(points, offsets, words, ramp, out):
    count_grid(points, offsets, words, ONES, build_grid(words), ramp, RAW, out)


each_way = pytest.mark.parametrize("count", [brute, grid])


@each_way
@pytest.mark.parametrize("limits", [(), (0.1, 0.6), (0.0, 0.2), (0.3, 0.3)])
@pytest.mark.parametrize("n_words", [1, 2, 17])
def test_counts_match_the_definition(ragged, rng, count, limits, n_words):
    words = rng.uniform(size=(n_words, 2))
    weight = Ramp(*limits) if limits else lambda _: 1.0
    out = np.zeros((len(ragged), n_words))
    ramp = np.array(limits) if limits else None
    count(ragged.points, ragged.offsets, words, ramp, out)
    expected = count_by_definition(ragged.points, ragged.offsets, words, weight)
    assert_allclose(out, expected, rtol=1e-13, atol=1e-15)


@each_way
@pytest.mark.parametrize(
    "sizes",
    [
        [CHUNK],
        [CHUNK, 0, 1],
        [CHUNK - 1, 1, 0, CHUNK, 5],
        [3 * CHUNK + 7, 0, 0],
        [0, 0, 0],
        [0, CHUNK + 1, 0, CHUNK - 1, 0],
    ],
    ids=str,
)
def test_diagrams_may_end_anywhere_in_a_chunk(rng, count, sizes):
    offsets = np.concatenate(([0], np.cumsum(sizes)))
    births = rng.uniform(size=offsets[-1])
    points = np.column_stack((births, births + rng.uniform(size=offsets[-1])))
    words = rng.uniform(size=(6, 2))
    out = np.zeros((len(sizes), 6))
    count(points, offsets, words, None, out)
    expected = count_by_definition(points, offsets, words, lambda _: 1.0)
    assert_array_equal(out, expected)


@pytest.mark.parametrize("normalization", [0, 1, 2, 3])
@pytest.mark.parametrize("ramp", [None, Ramp(0.1, 0.6), Ramp(0.3, 0.3)])
@pytest.mark.parametrize("n_words", [1, 7, 8, 29])
def test_numpy_gives_the_same_bits(ragged, rng, normalization, ramp, n_words):
    # Words on a lattice, so that there are ties.
    words = rng.integers(0, 4, size=(n_words, 2)) / 4
    inverse = np.array([0.7, 1.3])
    limits = None if ramp is None else np.array([ramp.low, ramp.high])
    out = np.zeros((len(ragged), n_words))
    count_brute(
        ragged.points, ragged.offsets, words, inverse, limits, normalization, out
    )
    expected = count_in_numpy(
        ragged.points, ragged.offsets, words, inverse, ramp, normalization
    )
    assert_array_equal(out, expected)


def test_numpy_gives_the_same_bits_where_squares_overflow():
    points, offsets = np.array([[-1e100, 1e100], [0.0, 1.0]]), np.array([0, 2])
    words, inverse = np.array([[0.0, 1e90], [0.0, 1.0]]), np.array([1e100, 1.0])
    out = np.zeros((1, 2))
    count_brute(points, offsets, words, inverse, None, RAW, out)
    assert_array_equal(count_in_numpy(points, offsets, words, inverse, None, RAW), out)


@pytest.mark.parametrize("normalization", NORMALIZATIONS.values(), ids=NORMALIZATIONS)
@pytest.mark.parametrize("n", [CHUNK - 1, CHUNK, CHUNK + 1, 3 * CHUNK])
def test_any_number_of_points_may_have_one_word(n, normalization):
    # As many as there are counts in the table, and one more or less.
    points, offsets = np.tile([0.0, 1.0], (n, 1)), np.array([0, n])
    words = np.array([[0.0, 1.0], [5.0, 5.0]])
    expected = count_in_numpy(points, offsets, words, ONES, None, normalization)
    for loop, grid_of in ((count_brute, ()), (count_grid, (build_grid(words),))):
        out = np.zeros((1, 2))
        loop(points, offsets, words, ONES, *grid_of, None, normalization, out)
        assert_array_equal(out, expected)


@pytest.mark.parametrize("has_ramp", [True, False])
def test_a_loop_that_has_run_is_compiled(ragged, has_ramp):
    ramp = np.array([0.1, 0.6, 1.0]) if has_ramp else None
    out = np.zeros((len(ragged.offsets) - 1, 2))
    brute(ragged.points, ragged.offsets, np.eye(2), ramp, out)
    assert "brute" in compiled_loops(has_ramp=has_ramp)


def test_with_and_without_a_ramp_loops_are_compiled_apart():
    code = (
        "import numpy as np; from pbow.compute.count import *; "
        "one = np.eye(2); out = np.zeros((1, 2)); "
        "count_brute(one, np.array([0, 2]), one, np.ones(2), None, 0, out); "
        "print(compiled_loops(has_ramp=False), compiled_loops(has_ramp=True))"
    )
    run = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert run.stdout == "['brute'] []\n"


@pytest.mark.parametrize("normalization", NORMALIZATIONS.values(), ids=NORMALIZATIONS)
def test_a_large_diagram_beside_small_ones_is_normalized_like_them(normalization):
    sizes = [3, CHUNK + 1, 0]
    points = np.tile([0.0, 1.0], (sum(sizes), 1))
    offsets, words = np.cumsum([0, *sizes]), np.array([[0.0, 1.0], [9.0, 9.0]])
    counts = np.array([[size, 0.0] for size in sizes])
    for out in (np.zeros((3, 2)), np.zeros((3, 2))):
        count_brute(points, offsets, words, ONES, None, normalization, out)
        assert_allclose(out, normalize_rows(counts, normalization), rtol=1e-15)
