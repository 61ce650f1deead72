"""Fill a matrix of pairs of diagrams tile by tile.

Each pair is computed by itself, so the numbers do not depend on how the matrix is cut;
and the cut depends on the diagrams alone, so that a file begun with two threads can be
finished with eight.
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from itertools import product
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pbow._utils.threads import WORTH_A_THREAD, count_threads, for_each
from pbow.diagrams import Diagrams
from pbow.kernels._files import TileFile
from pbow.progress import Progress, reporting

__all__ = ["Comparison", "fill"]

Floats = NDArray[np.float64]
Parts = dict[str, Diagrams]

# A tile is one step of work: Ctrl-C waits for it to end.
NANOSECONDS_A_TILE = 1e8
# Less than this is lost in what a tile costs beside its pairs.
LEAST_NANOSECONDS_A_TILE = 2e6
LARGEST_SIDE = 64
# The journal of a file has one byte for each tile.
MOST_TILES_A_ROW = 4096
# What is prepared of the diagrams is kept for a strip of them; two strips at a time.
BYTES_A_STRIP = 1 << 27


@dataclass(frozen=True)
class Comparison:
    """How two collections are compared, pair by pair.

    `prepare` turns a strip of diagrams into what pairs need of them; `compare` returns
    a block of the matrix from two prepared strips. The rest is rough costs.
    """

    prepare: Callable[[Parts], Any]
    compare: Callable[[Any, Any, slice, slice], Floats]
    nanoseconds_a_pair: float
    bytes_a_diagram: float


class _Tile(NamedTuple):
    number: int
    rows: slice
    columns: slice

    @property
    def n_pairs(self) -> int:
        n_rows: int = self.rows.stop - self.rows.start
        n_columns: int = self.columns.stop - self.columns.start
        return n_rows * n_columns


@dataclass(frozen=True)
class _Layout:
    """The cut of a matrix into square tiles, numbered row by row of them.

    Of a symmetric one, only the tiles on and above the diagonal are there. They are
    numbered by arithmetic: millions of them take no memory.
    """

    shape: tuple[int, int]
    side: int
    symmetric: bool

    @property
    def size(self) -> tuple[int, int]:
        return -(-self.shape[0] // self.side), -(-self.shape[1] // self.side)

    @property
    def n_tiles(self) -> int:
        n_rows, _ = self.size
        return self._first_number(n_rows)

    def _first_number(self, row: int) -> int:
        before = row * (row - 1) // 2 if self.symmetric else 0
        return row * self.size[1] - before

    def tiles(self, rows: range, columns: range) -> Iterator[_Tile]:
        """Yield the tiles in some rows and columns of tiles."""
        for r in rows:
            first = r if self.symmetric else 0
            for c in range(max(first, columns.start), columns.stop):
                yield _Tile(
                    self._first_number(r) + c - first,
                    self._range(r, self.shape[0]),
                    self._range(c, self.shape[1]),
                )

    def strips(self, width: int) -> Iterator[tuple[range, range]]:
        """Yield rows and columns of tiles, `width` of them at a time."""
        n_rows, n_columns = self.size
        for r, c in product(range(0, n_rows, width), range(0, n_columns, width)):
            if not self.symmetric or r <= c:
                yield (
                    range(r, min(r + width, n_rows)),
                    range(c, min(c + width, n_columns)),
                )

    def diagrams(self, tiles: range, n_diagrams: int) -> slice:
        """Return the diagrams that rows, or columns, of tiles cover."""
        return slice(tiles.start * self.side, min(tiles.stop * self.side, n_diagrams))

    def n_pairs(self, tiles: NDArray[np.bool_]) -> int:
        """Return how many pairs are in those of all tiles that are chosen."""
        n_rows, n_columns = self.size
        heights = np.diff([*range(0, self.shape[0], self.side), self.shape[0]])
        widths = np.diff([*range(0, self.shape[1], self.side), self.shape[1]])
        total = 0
        for r in range(n_rows):
            chosen = tiles[self._first_number(r) : self._first_number(r + 1)]
            total += int(heights[r] * (widths[n_columns - len(chosen) :] @ chosen))
        return total

    def _range(self, k: int, n_diagrams: int) -> slice:
        return self.diagrams(range(k, k + 1), n_diagrams)


def fill(
    comparison: Comparison,
    left: Parts,
    right: Parts | None,
    *,
    n_jobs: int | None,
    out: str | os.PathLike[str] | None,
    key: Callable[[], str],
    progress: Progress,
) -> Floats:
    """Return the matrix of all pairs; `right` None compares `left` with itself.

    With `out` it is a memory map of that file, which is made or finished.
    """
    symmetric = right is None
    right = left if right is None else right
    shape = (_n_samples(left), _n_samples(right))
    side = _side(shape, comparison.nanoseconds_a_pair)
    layout = _Layout(shape, side, symmetric)
    work = comparison.nanoseconds_a_pair * shape[0] * shape[1]
    n_threads = min(count_threads(n_jobs), int(work / WORTH_A_THREAD))
    width = max(1, int(BYTES_A_STRIP / (side * comparison.bytes_a_diagram)))
    with (
        _matrix(layout, out, key) as matrix,
        reporting(
            progress,
            layout.n_pairs(np.ones(layout.n_tiles, np.bool_)),
            done=layout.n_pairs(matrix.done),
        ) as advance,
    ):
        for rows, columns in layout.strips(width):
            tiles = [
                t for t in layout.tiles(rows, columns) if not matrix.done[t.number]
            ]
            if not tiles:
                continue
            above, beside = (
                layout.diagrams(strip, n)
                for strip, n in zip((rows, columns), shape, strict=True)
            )
            one = comparison.prepare(_range(left, above))
            same = symmetric and above == beside
            other = one if same else comparison.prepare(_range(right, beside))

            def fill_in(
                tile: _Tile,
                one: Any = one,
                other: Any = other,
                first: tuple[int, int] = (above.start, beside.start),
            ) -> None:
                block = comparison.compare(
                    one,
                    other,
                    _shifted(tile.rows, first[0]),
                    _shifted(tile.columns, first[1]),
                )
                matrix.write(tile.rows, tile.columns, block)
                if symmetric and tile.rows != tile.columns:
                    matrix.write(tile.columns, tile.rows, block.T)
                matrix.mark(tile.number)
                advance(tile.n_pairs)

            for_each(fill_in, tiles, n_threads)
        return matrix.finish()


class _InMemory:
    """What :class:`TileFile` does, for a matrix in memory."""

    def __init__(self, shape: tuple[int, int], n_tiles: int) -> None:
        self._matrix = np.empty(shape)
        self.done = np.zeros(n_tiles, np.bool_)

    def write(self, rows: slice, columns: slice, values: Floats) -> None:
        self._matrix[rows, columns] = values

    def mark(self, tile: int) -> None:
        self.done[tile] = True

    def finish(self) -> Floats:
        return self._matrix


def _matrix(
    layout: _Layout, out: str | os.PathLike[str] | None, key: Callable[[], str]
) -> AbstractContextManager[_InMemory | TileFile]:
    if out is None:
        return nullcontext(_InMemory(layout.shape, layout.n_tiles))
    return TileFile(out, layout.shape, f"{key()}-{layout.side}", layout.n_tiles)


def _n_samples(parts: Parts) -> int:
    return len(next(iter(parts.values())))


def _side(shape: tuple[int, int], nanoseconds_a_pair: float) -> int:
    """Return the side of a tile: some for every thread, none of them short or long."""
    shortest, longest = (
        int(math.sqrt(nanoseconds / nanoseconds_a_pair))
        for nanoseconds in (LEAST_NANOSECONDS_A_TILE, NANOSECONDS_A_TILE)
    )
    wanted = min(LARGEST_SIDE, longest, max(shortest, max(shape) // 16))
    return max(1, wanted, max(shape) // MOST_TILES_A_ROW)


def _range(parts: Parts, rows: slice) -> Parts:
    return {name: part[rows] for name, part in parts.items()}


def _shifted(where: slice, first: int) -> slice:
    return slice(where.start - first, where.stop - first)
