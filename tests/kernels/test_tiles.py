"""The cut of a matrix of pairs into tiles."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from pbow.kernels._tiles import MOST_TILES_A_ROW, _Layout, _side

LAYOUTS = [
    _Layout((7, 7), 3, symmetric=True),
    _Layout((6, 6), 1, symmetric=True),
    _Layout((7, 12), 4, symmetric=False),
    _Layout((12, 2), 5, symmetric=False),
    _Layout((1, 1), 8, symmetric=True),
    _Layout((0, 4), 2, symmetric=False),
]
each_layout = pytest.mark.parametrize("layout", LAYOUTS, ids=str)


@each_layout
@pytest.mark.parametrize("width", [1, 2, 100])
def test_tiles_of_all_strips_cover_every_pair_once(layout, width):
    seen = np.zeros(layout.shape, int)
    numbers = []
    for rows, columns in layout.strips(width):
        above = layout.diagrams(rows, layout.shape[0])
        beside = layout.diagrams(columns, layout.shape[1])
        for tile in layout.tiles(rows, columns):
            assert above.start <= tile.rows.start < tile.rows.stop <= above.stop
            assert beside.start <= tile.columns.start
            assert tile.columns.stop <= beside.stop
            seen[tile.rows, tile.columns] += 1
            if layout.symmetric and tile.rows != tile.columns:
                seen[tile.columns, tile.rows] += 1
            numbers.append(tile.number)
    assert_array_equal(seen, np.ones(layout.shape, int))
    assert sorted(numbers) == list(range(layout.n_tiles))


@each_layout
def test_pairs_of_chosen_tiles_are_counted(layout, rng):
    chosen = rng.random(layout.n_tiles) < 0.5
    tiles = [tile for strip in layout.strips(2) for tile in layout.tiles(*strip)]
    expected = sum(tile.n_pairs for tile in tiles if chosen[tile.number])
    assert layout.n_pairs(chosen) == expected


def test_a_tile_is_neither_short_nor_long():
    assert _side((1000, 1000), 1.0) == 64  # as large as they get
    assert _side((1000, 1000), 1e6) == 10  # a tenth of a second
    assert _side((1000, 1000), 1e9) == 1
    assert _side((30, 30), 1e6) == 1  # some for every thread
    assert _side((30, 30), 1e4) == 14  # but none of almost nothing
    assert _side((10**6, 10), 1e9) == 10**6 // MOST_TILES_A_ROW


def test_millions_of_tiles_take_no_memory():
    layout = _Layout((10**9, 10**9), 10, symmetric=True)
    assert layout.n_tiles == 10**8 * (10**8 + 1) // 2
    (tile,) = layout.tiles(range(10**8 - 1, 10**8), range(10**8 - 1, 10**8))
    assert tile.number == layout.n_tiles - 1
