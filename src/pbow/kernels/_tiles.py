"""Fill a matrix of pairs of diagrams tile by tile.

Each pair is computed by itself, so the numbers do not depend on how the matrix is cut;
and the cut depends on the diagrams alone, so that a file begun with two threads can be
finished with eight.
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from itertools import pairwise, product
from typing import Any, NamedTuple

import numpy as np
from joblib import effective_n_jobs
from numpy.typing import NDArray

from pbow.diagrams import Diagrams
from pbow.kernels._files import TileFile
from pbow.progress import Progress, reporting
from pbow.threads import WORTH_A_THREAD, for_each

__all__ = ["Comparison", "fill"]

Floats = NDArray[np.float64]
Parts = dict[str, Diagrams]

# A tile is one step of work: Ctrl-C waits for it to end.
NANOSECONDS_A_TILE = 1e8
# Less than this is lost in what a tile costs beside its pairs.
LEAST_NANOSECONDS_A_TILE = 2e6
LARGEST_SIDE = 64
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
    tiles = _tiles(shape, side, symmetric=symmetric)
    work = comparison.nanoseconds_a_pair * shape[0] * shape[1]
    n_threads = min(effective_n_jobs(n_jobs), int(work / WORTH_A_THREAD))
    strip = side * max(1, int(BYTES_A_STRIP / (side * comparison.bytes_a_diagram)))
    with _matrix(shape, len(tiles), out, key, side) as matrix:
        missing = [tile for tile in tiles if not matrix.done[tile.number]]
        n_pairs = sum(tile.n_pairs for tile in tiles)
        n_done = n_pairs - sum(tile.n_pairs for tile in missing)
        with reporting(progress, n_pairs, done=n_done) as advance:
            for (rows, columns), group in _by_strips(missing, shape, strip):
                one = comparison.prepare(_range(left, rows))
                same = symmetric and rows == columns
                other = one if same else comparison.prepare(_range(right, columns))

                def fill_in(tile: _Tile, one: Any = one, other: Any = other) -> None:
                    block = comparison.compare(
                        one,
                        other,
                        _within(tile.rows, strip),
                        _within(tile.columns, strip),
                    )
                    matrix.write(tile.rows, tile.columns, block)
                    if symmetric and tile.rows != tile.columns:
                        matrix.write(tile.columns, tile.rows, block.T)
                    matrix.mark(tile.number)
                    advance(tile.n_pairs)

                for_each(fill_in, group, n_threads)
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
    shape: tuple[int, int],
    n_tiles: int,
    out: str | os.PathLike[str] | None,
    key: Callable[[], str],
    side: int,
) -> AbstractContextManager[_InMemory | TileFile]:
    if out is None:
        return nullcontext(_InMemory(shape, n_tiles))
    return TileFile(out, shape, f"{key()}-{side}", n_tiles)


def _n_samples(parts: Parts) -> int:
    return len(next(iter(parts.values())))


def _side(shape: tuple[int, int], nanoseconds_a_pair: float) -> int:
    """Return the side of a tile: some for every thread, none of them short or long."""
    shortest, longest = (
        int(math.sqrt(nanoseconds / nanoseconds_a_pair))
        for nanoseconds in (LEAST_NANOSECONDS_A_TILE, NANOSECONDS_A_TILE)
    )
    by_number = max(shape) // 16
    return max(1, min(LARGEST_SIDE, longest, max(shortest, by_number)))


def _tiles(shape: tuple[int, int], side: int, *, symmetric: bool) -> list[_Tile]:
    rows, columns = (_ranges(n, side) for n in shape)
    pairs = [(r, c) for r, c in product(rows, columns) if not symmetric or r <= c]
    return [_Tile(number, slice(*r), slice(*c)) for number, (r, c) in enumerate(pairs)]


def _by_strips(
    tiles: Iterable[_Tile], shape: tuple[int, int], strip: int
) -> Iterable[tuple[tuple[slice, slice], list[_Tile]]]:
    """Group tiles by the strips of rows and columns that they lie in."""
    groups: dict[tuple[int, int], list[_Tile]] = {}
    for tile in tiles:
        at = (tile.rows.start // strip, tile.columns.start // strip)
        groups.setdefault(at, []).append(tile)
    for at, group in groups.items():
        rows, columns = (
            slice(i * strip, min((i + 1) * strip, n))
            for i, n in zip(at, shape, strict=True)
        )
        yield (rows, columns), group


def _ranges(n: int, side: int) -> list[tuple[int, int]]:
    return list(pairwise([*range(0, n, side), n]))


def _range(parts: Parts, rows: slice) -> Parts:
    return {name: part[rows] for name, part in parts.items()}


def _within(where: slice, strip: int) -> slice:
    """Return the place in its strip."""
    start = where.start // strip * strip
    return slice(where.start - start, where.stop - start)
