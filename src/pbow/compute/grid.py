"""The nearest word of every point, through a grid; the same labels as by brute force.

The grid is a function of the words alone. A cell holds the words that can be nearest to
any of its points; most cells hold one, and their points need no distance at all. Cells
at the rim always hold a list, which serves points up to ``reach`` beyond the grid, too;
points further out are compared with every word. Conventions are those of ``assign``.
"""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

from pbow.compute.assign import BLOCK

__all__ = ["build_grid", "label_grid"]

Floats = NDArray[np.float64]
Codes = NDArray[np.int32]

# Cells an axis; a power of two, halved down to 1 while pruning. With 16 bits a cell,
# the table stays in a second-level cache.
N_CELLS = 512
MOST_LISTS = 32767
# Cells at the rim reach this many times the size of the words' box beyond it. Further
# out, words become equally far within rounding, and pruning could not be exact.
REACH = 4.0


@njit(nogil=True, cache=True)
def build_grid(
    words: Floats,
) -> tuple[Floats, NDArray[np.int16], Codes, Codes]:
    """Return ``frame, cells, starts, candidates`` of the grid over scaled ``words``.

    ``frame`` is (x of the corner, y of the corner, cells a unit of x, of y, x of the
    centre, y of the centre, reach in x, reach in y). A cell >= 0 is the nearest word of
    all its points; a cell c < 0 has candidates[starts[-c - 1]:starts[-c]], at least two
    ascending. Cell -1 means all words. For at most MOST_LISTS words.
    Cost: about 2 ms for 50 words, 5 ms for 300.
    """
    n_words = words.shape[0]
    frame, half, slack = np.empty(8), np.empty(2), np.empty(2)
    _lay_out(words, frame, half, slack)
    cells = np.empty((N_CELLS, N_CELLS), np.int16)
    candidates = np.empty(n_words + 4 * N_CELLS * N_CELLS, np.int32)
    starts = np.empty(1 + MOST_LISTS, np.int32)
    candidates[1] = 0
    for k in range(n_words):
        candidates[k] = k
    # A list of one word has it twice: readers always look at two.
    starts[0], starts[1] = 0, max(n_words, 2)
    n_lists = 1

    # Depth first over squares of cells, each with the words its parent could not drop.
    depth = 2
    while 1 << (depth - 2) < N_CELLS:
        depth += 1
    square = np.empty((4 * depth, 3), np.int64)  # row, column, cells a side
    size_of = np.empty(4 * depth, np.int64)
    kept = np.empty((4 * depth, n_words), np.int32)
    square[0, 0], square[0, 1], square[0, 2] = 0, 0, N_CELLS
    size_of[0] = n_words
    kept[0] = candidates[:n_words]
    top = 1
    listed = np.empty(n_words, np.int32)
    while top > 0:
        top -= 1
        row, column, side = square[top, 0], square[top, 1], square[top, 2]
        n_listed = _prune(
            words,
            frame,
            half,
            slack,
            row,
            column,
            side,
            kept[top, : size_of[top]],
            listed,
        )
        inner = min(row, column) > 0 and max(row, column) + side < N_CELLS
        if n_listed == 1 and inner:
            cells[row : row + side, column : column + side] = listed[0]
        elif side == 1:
            end = starts[n_lists]
            size = max(n_listed, 2)
            if n_lists == MOST_LISTS or end + size > candidates.shape[0]:
                cells[row, column] = -1
                continue
            candidates[end], candidates[end + 1] = listed[0], listed[0]
            candidates[end : end + n_listed] = listed[:n_listed]
            n_lists += 1
            starts[n_lists] = end + size
            cells[row, column] = -n_lists
        else:
            side //= 2
            for quarter in range(4):
                square[top, 0] = row + side * (quarter // 2)
                square[top, 1] = column + side * (quarter % 2)
                square[top, 2] = side
                size_of[top] = n_listed
                kept[top, :n_listed] = listed[:n_listed]
                top += 1
    end = starts[n_lists]
    return frame, cells, starts[: n_lists + 1].copy(), candidates[:end].copy()


@njit(nogil=True, cache=True)
def _lay_out(words: Floats, frame: Floats, half: Floats, slack: Floats) -> None:
    """Fill the grid's ``frame``, half the size of a cell, and its rounding."""
    for axis in range(2):
        low, high = words[0, axis], words[0, axis]
        for k in range(words.shape[0]):
            low, high = min(low, words[k, axis]), max(high, words[k, axis])
        size = high - low
        if not size > 0.0:
            size = max(abs(high), 1.0)
        # A margin, because points scatter around the outermost words.
        corner = low - 0.125 * size
        half[axis] = 0.5 * 1.25 * size / N_CELLS
        frame[axis] = corner
        frame[2 + axis] = 0.5 / half[axis]
        frame[4 + axis] = corner + N_CELLS * half[axis]
        frame[6 + axis] = REACH * size
        # A point may fall into the neighbour of its cell by rounding.
        largest = max(abs(low), abs(high)) + REACH * size
        slack[axis] = 1e-6 * half[axis] + 1e-14 * largest


@njit(nogil=True, cache=True)
def _prune(
    words: Floats,
    frame: Floats,
    half: Floats,
    slack: Floats,
    row: int,
    column: int,
    side: int,
    kept: Codes,
    listed: Codes,
) -> int:
    """List the words of ``kept`` that may be nearest somewhere in a square of cells."""
    left = frame[0] + 2.0 * half[0] * column
    right = frame[0] + 2.0 * half[0] * (column + side)
    bottom = frame[1] + 2.0 * half[1] * row
    top = frame[1] + 2.0 * half[1] * (row + side)
    if column == 0:
        left = frame[4] - frame[6]
    if column + side == N_CELLS:
        right = frame[4] + frame[6]
    if row == 0:
        bottom = frame[5] - frame[7]
    if row + side == N_CELLS:
        top = frame[5] + frame[7]
    x, y = 0.5 * (left + right), 0.5 * (bottom + top)
    half_x = 0.5 * (right - left) + slack[0]
    half_y = 0.5 * (top - bottom) + slack[1]
    nearest = kept[0]
    smallest = np.inf
    for k in kept:
        d = (x - words[k, 0]) ** 2 + (y - words[k, 1]) ** 2
        if d < smallest:
            smallest, nearest = d, k
    n_listed = 0
    spread = half_x * half_x + half_y * half_y
    for k in kept:
        d = (x - words[k, 0]) ** 2 + (y - words[k, 1]) ** 2
        # d_nearest - d_k is linear over the square: this is its largest value.
        largest = smallest - d
        largest += 2.0 * half_x * abs(words[nearest, 0] - words[k, 0])
        largest += 2.0 * half_y * abs(words[nearest, 1] - words[k, 1])
        # Squared distances carry a few roundings each, 2e-16 of their size or of the
        # smallest number; a word is dropped only where it loses by far more than that.
        margin = 1e-12 * (smallest + d + spread) + 1e-300
        if k == nearest or largest >= -margin:
            listed[n_listed] = k
            n_listed += 1
    return n_listed


@njit(nogil=True, cache=True)
def label_grid(
    points: Floats,
    start: int,
    words: Floats,
    inverse: Floats,
    frame: Floats,
    cells: NDArray[np.int16],
    starts: Codes,
    candidates: Codes,
    labels: Codes,
) -> None:
    """Set ``labels[t]`` to the word nearest to ``points[start + t]``.

    Cost: one look-up a point, and a few distances where the cell holds several words.
    """
    cell = np.empty(BLOCK, np.int32)
    unsure = np.empty(BLOCK, np.int32)
    flat = cells.reshape(N_CELLS * N_CELLS)
    inverse_x, inverse_y = inverse[0], inverse[1]
    rate_x, rate_y = inverse_x * frame[2], inverse_y * frame[3]
    shift_x, shift_y = -frame[0] * frame[2], -frame[1] * frame[3]
    centre_x, centre_y, reach_x, reach_y = frame[4], frame[5], frame[6], frame[7]
    last = np.float64(N_CELLS - 1)
    for low in range(0, labels.shape[0], BLOCK):
        size = min(BLOCK, labels.shape[0] - low)
        # Slices from 0: with an offset in the index, it might be negative for all the
        # compiler knows, and nothing would be vectorised.
        block = points[start + low : start + low + size]
        found = labels[low : low + size]
        for t in range(size):
            birth = block[t, 0]
            column = birth * rate_x + shift_x
            column = column if column > 0.0 else 0.0
            column = column if column < last else last
            row = (block[t, 1] - birth) * rate_y + shift_y
            row = row if row > 0.0 else 0.0
            row = row if row < last else last
            cell[t] = np.int32(row) * np.int32(N_CELLS) + np.int32(column)
        n_unsure = 0
        for t in range(size):
            known = flat[np.uint32(cell[t])]
            found[t] = known
            # Written always and kept only where unsure: no branch to mispredict.
            unsure[n_unsure] = t
            n_unsure += 1 if known < 0 else 0
        for u in range(n_unsure):
            at = np.uint32(unsure[u])
            birth = block[at, 0]
            x = birth * inverse_x
            y = (block[at, 1] - birth) * inverse_y
            code = -found[at]
            if abs(x - centre_x) > reach_x or abs(y - centre_y) > reach_y:
                code = 1
            first = starts[code - 1]
            # Two candidates without a branch: there are seldom more.
            k, other = candidates[first], candidates[first + 1]
            dx, dy = x - words[k, 0], y - words[k, 1]
            smallest = dx * dx + dy * dy
            dx, dy = x - words[other, 0], y - words[other, 1]
            d = dx * dx + dy * dy
            k = other if d < smallest else k
            smallest = d if d < smallest else smallest
            for c in range(first + 2, starts[code]):
                other = candidates[c]
                dx, dy = x - words[other, 0], y - words[other, 1]
                d = dx * dx + dy * dy
                if d < smallest:
                    k, smallest = other, d
            found[at] = k
