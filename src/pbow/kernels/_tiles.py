"""Fill a matrix of pairs of diagrams tile by tile.

Each pair is computed by itself, so the numbers do not depend on how the matrix is cut;
and the cut depends on the diagrams alone, so that a file begun with two threads can be
finished with eight.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import product
from typing import Any, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from pbow._utils.files import AnyPath
from pbow._utils.matrix_file import Mark, Mask, fill_file
from pbow._utils.progress import progress_bar
from pbow._utils.threads import WORTH_A_THREAD, count_threads, for_each
from pbow.diagrams import Diagrams

__all__ = ["Blocks", "Comparison", "fill"]

Floats = NDArray[np.float64]
Parts = dict[str, Diagrams]
Tile = tuple[int, int]
Block = TypeVar("Block")

# A tile is one step of work: Ctrl-C waits for it to end.
NANOSECONDS_PER_TILE = 1e8
# Less than this is lost in what a tile costs beside its pairs.
LEAST_NANOSECONDS_PER_TILE = 2e6
LARGEST_SIDE = 64
# Loops over the diagrams of a tile are vectorized: so many leave no remainder.
WHOLE_VECTORS = 32
# The mask of tiles is in memory, with one byte per tile.
MOST_TILES_PER_ROW = 4096
# What is prepared of the diagrams is kept for a strip of them; two strips at a time.
BYTES_PER_STRIP = 1 << 27


class Blocks(Generic[Block]):
    """What is made of the diagrams of a tile, once for all tiles beside each other.

    Threads that need it at the same time make it twice, with the same result.
    """

    def __init__(self, make: Callable[[slice], Block]) -> None:
        self._make = make
        self._made: dict[tuple[int, int], Block] = {}

    def __getitem__(self, where: slice) -> Block:
        ends = (where.start, where.stop)
        if ends not in self._made:
            self._made.setdefault(ends, self._make(where))
        return self._made[ends]


@dataclass(frozen=True)
class Comparison:
    """How two collections are compared, pair by pair.

    `prepare` turns a strip of diagrams into what pairs need of them; `compare` returns
    a block of the matrix from two prepared strips. Costs are rough. Loops that work on
    several diagrams side by side have `lanes` for them, which tiles fill if they can.
    """

    prepare: Callable[[Parts], Any]
    compare: Callable[[Any, Any, slice, slice], Floats]
    nanoseconds_per_pair: float
    bytes_per_diagram: float
    lanes: int = 1


def fill(
    comparison: Comparison,
    left: Parts,
    right: Parts | None,
    *,
    n_jobs: int | None,
    out: AnyPath | None,
    key: Callable[[], str],
    progress: bool,
) -> Floats:
    """Return the matrix of all pairs; `right` None compares `left` with itself.

    With `out` it is a memory map of that file, which is created or finished.
    """
    symmetric = right is None
    right = left if right is None else right
    shape = (len(next(iter(left.values()))), len(next(iter(right.values()))))
    costs = comparison.nanoseconds_per_pair, comparison.bytes_per_diagram
    side = _side(shape, *costs, comparison.lanes)
    layout = _Layout(_cut(shape[0], side), _cut(shape[1], side), symmetric)
    work = comparison.nanoseconds_per_pair * shape[0] * shape[1]
    n_threads = min(count_threads(n_jobs), int(work / WORTH_A_THREAD))
    width = max(1, int(BYTES_PER_STRIP / (side * comparison.bytes_per_diagram)))
    wanted = layout.tiles()

    def fill_tiles(matrix: Floats, done: Mask, mark: Mark) -> None:
        total, n_done = layout.n_pairs(wanted), layout.n_pairs(wanted & done)
        bar = progress_bar(show=progress, total=total, done=n_done, unit="pairs")
        kept: dict[tuple[str, int], Any] = {}
        columns_of = "left" if symmetric else "right"
        with bar as advance:
            for above, beside, tiles in layout.strips(wanted & ~done, width):
                keys = ("left", above.start), (columns_of, beside.start)
                # Strips that follow each other share rows or columns.
                kept = {key: kept[key] for key in keys if key in kept}
                if keys[0] not in kept:
                    kept[keys[0]] = comparison.prepare(_range(left, above))
                if keys[1] not in kept:
                    kept[keys[1]] = comparison.prepare(_range(right, beside))
                one, other = kept[keys[0]], kept[keys[1]]

                def fill_tile(
                    tile: Tile,
                    one: Any = one,
                    other: Any = other,
                    first: Tile = (above.start, beside.start),
                ) -> None:
                    rows, columns = layout.rows[tile[0]], layout.columns[tile[1]]
                    block = comparison.compare(
                        one,
                        other,
                        _shifted(rows, first[0]),
                        _shifted(columns, first[1]),
                    )
                    matrix[rows, columns] = block
                    if symmetric and rows != columns:
                        matrix[columns, rows] = block.T
                    mark(*tile)
                    advance(block.size)

                for_each(fill_tile, tiles, n_threads, work)

    if out is None:
        matrix = np.empty(shape)
        fill_tiles(matrix, np.zeros_like(wanted), lambda row, column: None)
        return matrix
    return fill_file(out, shape, f"{key()}-{side}", wanted.shape, fill_tiles)


@dataclass(frozen=True)
class _Layout:
    """The cut of a matrix into tiles: slices of its rows and of its columns.

    Of a symmetric one, only the tiles on and above the diagonal are computed.
    """

    rows: list[slice]
    columns: list[slice]
    symmetric: bool

    def tiles(self) -> Mask:
        """Return which tiles are to be computed."""
        tiles = np.ones((len(self.rows), len(self.columns)), np.bool_)
        return np.triu(tiles) if self.symmetric else tiles

    def n_pairs(self, tiles: Mask) -> int:
        """Return how many pairs are in some tiles."""
        heights, widths = (
            np.array([s.stop - s.start for s in cut], np.int64)
            for cut in (self.rows, self.columns)
        )
        return int(heights @ tiles @ widths)

    def strips(
        self, tiles: Mask, width: int
    ) -> Iterator[tuple[slice, slice, list[Tile]]]:
        """Yield rows and columns that hold up to `width` tiles each way, and those."""
        starts = (range(0, n, width) for n in tiles.shape)
        for r, c in product(*starts):
            found = np.argwhere(tiles[r : r + width, c : c + width])
            if len(found):
                rows, columns = self.rows[r : r + width], self.columns[c : c + width]
                yield (
                    slice(rows[0].start, rows[-1].stop),
                    slice(columns[0].start, columns[-1].stop),
                    [(r + i, c + j) for i, j in found.tolist()],
                )


def _cut(n: int, side: int) -> list[slice]:
    return [slice(first, min(first + side, n)) for first in range(0, n, side)]


def _side(
    shape: tuple[int, int],
    nanoseconds_per_pair: float,
    bytes_per_diagram: float = 1.0,
    lanes: int = 1,
) -> int:
    """Return the side of a tile: some for every thread, none of them short or long.

    What is prepared of its diagrams is not more than a strip may have.
    """
    shortest, longest = (
        int(math.sqrt(nanoseconds / nanoseconds_per_pair))
        for nanoseconds in (LEAST_NANOSECONDS_PER_TILE, NANOSECONDS_PER_TILE)
    )
    wanted = min(LARGEST_SIDE, longest, max(shortest, max(shape) // 16, lanes))
    if wanted > WHOLE_VECTORS // 2:
        n_vectors = min(-(-wanted // WHOLE_VECTORS), longest // WHOLE_VECTORS)
        wanted = WHOLE_VECTORS * max(1, n_vectors)
    wanted = min(wanted, int(BYTES_PER_STRIP / bytes_per_diagram))
    return max(1, wanted, max(shape) // MOST_TILES_PER_ROW)


def _range(parts: Parts, rows: slice) -> Parts:
    return {name: part[rows] for name, part in parts.items()}


def _shifted(where: slice, first: int) -> slice:
    return slice(where.start - first, where.stop - first)
