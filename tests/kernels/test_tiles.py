"""The cut of a matrix of pairs into tiles, and the filling of them."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from pbow import Diagrams
from pbow.kernels._tiles import (
    BYTES_PER_STRIP,
    MOST_TILES_PER_ROW,
    Blocks,
    Comparison,
    _cut,
    _Layout,
    _side,
    fill,
)

LAYOUTS = [
    _Layout(_cut(n_rows, side), _cut(n_columns, side), symmetric)
    for n_rows, n_columns, side, symmetric in [
        (7, 7, 3, True),
        (6, 6, 1, True),
        (7, 12, 4, False),
        (12, 2, 5, False),
        (1, 1, 8, True),
        (0, 4, 2, False),
    ]
]
each_layout = pytest.mark.parametrize("layout", LAYOUTS)


def shape_of(layout):
    return tuple(c[-1].stop if c else 0 for c in (layout.rows, layout.columns))


@each_layout
@pytest.mark.parametrize("width", [1, 2, 100])
def test_tiles_of_all_strips_cover_every_pair_once(layout, width):
    seen = np.zeros(shape_of(layout), int)
    for above, beside, tiles in layout.strips(layout.tiles(), width):
        for r, c in tiles:
            rows, columns = layout.rows[r], layout.columns[c]
            assert above.start <= rows.start < rows.stop <= above.stop
            assert beside.start <= columns.start < columns.stop <= beside.stop
            seen[rows, columns] += 1
            if layout.symmetric and rows != columns:
                seen[columns, rows] += 1
    assert_array_equal(seen, np.ones_like(seen))


@each_layout
def test_pairs_of_chosen_tiles_are_counted(layout, rng):
    chosen = layout.tiles()
    chosen &= rng.random(chosen.shape) < 0.5
    mask = np.zeros(shape_of(layout), bool)
    for r, c in np.argwhere(chosen):
        mask[layout.rows[r], layout.columns[c]] = True
    assert layout.n_pairs(chosen) == mask.sum()


def test_a_tile_is_neither_short_nor_long():
    assert _side((1000, 1000), 1.0) == 64  # as large as they get
    assert _side((1000, 1000), 1e6) == 10  # a tenth of a second
    assert _side((1000, 1000), 1e9) == 1
    assert _side((30, 30), 1e6) == 1  # some for every thread
    assert _side((30, 30), 1e4) == 14  # but none of almost nothing
    assert _side((30, 30), 1e6, lanes=8) == 8  # nor with idle lanes
    assert _side((30, 30), 1e7, lanes=8) == 3  # unless it takes too long
    assert _side((10**6, 10), 1e9) == 10**6 // MOST_TILES_PER_ROW
    assert _side((570, 570), 1e4) == 64  # not 35, which would leave a remainder
    assert _side((570, 570), 5e4) == 32
    assert _side((1000, 1000), 1.0, BYTES_PER_STRIP / 5) == 5


def counts(n):
    """Diagrams of 0, 1, 2, ... points."""
    return {"H1": Diagrams.from_list([[[0.0, 1.0]] * i for i in range(n)])}


def sizes(parts):
    return np.diff(parts["H1"].offsets).astype(float)


def compare(one, other, rows, columns):
    x, y = one[rows, None], other[columns]
    return 1000.0 * np.abs(x - y) + x * y


@pytest.mark.parametrize("n_jobs", [1, 3])
@pytest.mark.parametrize("bytes_per_diagram", [1.0, 1e7, 1e9])
@pytest.mark.parametrize("in_file", [False, True])
def test_pairs_are_filled_in_strips_and_threads(
    n_jobs, bytes_per_diagram, in_file, tmp_path
):
    comparison = Comparison(sizes, compare, 1e6, bytes_per_diagram)
    options = {"n_jobs": n_jobs, "key": lambda: "key", "progress": False}
    left, right = counts(50), counts(33)
    out = tmp_path / "matrix.npy" if in_file else None
    matrix = fill(comparison, left, right, out=out, **options)
    everything = slice(0, 50)
    expected = compare(np.arange(50.0), np.arange(50.0), everything, everything)
    assert_array_equal(matrix, expected[:, :33])
    assert_array_equal(fill(comparison, left, None, out=None, **options), expected)


def test_a_block_is_made_once_for_all_tiles_beside_each_other():
    made = []

    def make(where):
        made.append((where.start, where.stop))
        return object()

    blocks = Blocks(make)
    one, other = blocks[0:4], blocks[4:8]
    assert one is blocks[0:4]
    assert one is not other
    assert made == [(0, 4), (4, 8)]


def test_a_strip_is_not_prepared_again_for_the_next_one():
    prepared = []

    def prepare(parts):
        prepared.append(sizes(parts).tolist())
        return sizes(parts)

    # Two strips each way; a tile has one diagram.
    comparison = Comparison(prepare, compare, 1e9, BYTES_PER_STRIP / 2)
    options = {"n_jobs": 1, "out": None, "key": lambda: "key", "progress": False}
    fill(comparison, counts(4), None, **options)
    assert prepared == [[0, 1], [2, 3]]
    prepared.clear()
    fill(comparison, counts(4), counts(2), **options)
    assert prepared == [[0, 1], [0, 1], [2, 3]]
