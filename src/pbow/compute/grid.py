"""The nearest word of every point, through a grid; the same labels as by brute force.

The grid is a function of the words alone. A cell knows the words that can be nearest to
any of its points; most know one, and their points need no distance at all. Cells at the
rim always hold a list, which serves points up to ``reach`` beyond the grid, too; points
further out are compared with every word. Conventions are those of ``assign``.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pbow.compute.assign import BLOCK, INFINITY
from pbow.compute.jit import inlined, loop

__all__ = ["MOST_WORDS", "Grid", "build_grid", "label_grid"]

Floats = NDArray[np.float64]
Labels = NDArray[np.int32]
Codes = NDArray[Any]

# Cells per axis; a power of two, halved down to 1 while pruning. With one byte each,
# the table that every point is looked up in fills half of a small second-level cache.
N_CELLS = 512
MOST_LISTS = 65535
MOST_WORDS = 65534
# Cells at the rim reach this many times the size of the words' box from its center.
# Further out, words become equally far within rounding, and pruning could not be exact.
REACH = 4.0
SMALLEST_BOX = 1e-100

ONE, TWO = np.uint32(1), np.uint32(2)


class Grid(NamedTuple):
    """What :func:`build_grid` knows of some words, for :func:`label_grid`.

    Attributes
    ----------
    frame : ndarray of shape (8,)
        x and y of the corner, cells per unit of x and of y, x and y of the center,
        reach in x and in y.
    codes : ndarray of shape (N_CELLS * N_CELLS,)
        The nearest word of all points of a cell; n_words for "one of two"; n_words + 1
        for "one of a list". One byte each where that is enough.
    pairs : ndarray of shape (2 * N_CELLS * N_CELLS,)
        The two words, ascending, of cells that are not sure; of a longer list the
        first.
    lists : ndarray of shape (N_CELLS * N_CELLS,)
        The number l of the list of cells that have one.
    starts, candidates : ndarray
        List l is candidates[starts[l]:starts[l + 1]], ascending; list 0 has all words.
    """

    frame: Floats
    codes: Codes
    pairs: Codes
    lists: NDArray[np.uint16]
    starts: Labels
    candidates: Labels


def build_grid(words: Floats) -> Grid:
    """Return the grid over at most MOST_WORDS scaled ``words``.

    Cost: about 2 ms for 50 words, growing with their square root; 1.3 to 5 MB.
    """
    dtype = np.uint8 if len(words) + 1 < 256 else np.uint16
    codes = np.empty(N_CELLS * N_CELLS, dtype)
    pairs = np.empty(2 * N_CELLS * N_CELLS, dtype)
    lists = np.empty(N_CELLS * N_CELLS, np.uint16)
    frame, starts, candidates = _fill(words, codes, pairs, lists)
    return Grid(frame, codes, pairs, lists, starts, candidates)


@loop
def _fill(
    words: Floats, codes: Codes, pairs: Codes, lists: NDArray[np.uint16]
) -> tuple[Floats, Labels, Labels]:
    """Fill ``codes``, ``pairs`` and ``lists``; return the rest of the grid."""
    n_words = words.shape[0]
    frame, half, slack = np.empty(8), np.empty(2), np.empty(2)
    _lay_out(words, frame, half, slack)
    candidates = np.empty(n_words + 4 * N_CELLS * N_CELLS, np.int32)
    starts = np.empty(2 + MOST_LISTS, np.int32)
    for k in range(n_words):
        candidates[k] = k
    starts[0], starts[1] = 0, n_words
    n_lists = 1

    # Depth first over squares of cells, each with the words its parent could not drop.
    depth = 2
    while 1 << (depth - 2) < N_CELLS:
        depth += 1
    square = np.empty((4 * depth, 3), np.int64)  # row, column, cells per side
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
        cell = row * N_CELLS + column
        if n_listed == 1 and inner:
            for i in range(side):
                codes[cell + i * N_CELLS : cell + i * N_CELLS + side] = listed[0]
        elif side == 1:
            pairs[2 * cell] = listed[0]
            pairs[2 * cell + 1] = listed[min(n_listed, 2) - 1]
            if n_listed == 2 and inner:
                codes[cell] = n_words
                continue
            codes[cell] = n_words + 1
            lists[cell] = 0
            end = starts[n_lists]
            if n_lists < MOST_LISTS and end + n_listed <= candidates.shape[0]:
                candidates[end : end + n_listed] = listed[:n_listed]
                lists[cell] = n_lists
                n_lists += 1
                starts[n_lists] = end + n_listed
        else:
            side //= 2
            for quarter in range(4):
                square[top, 0] = row + side * (quarter // 2)
                square[top, 1] = column + side * (quarter % 2)
                square[top, 2] = side
                size_of[top] = n_listed
                kept[top, :n_listed] = listed[:n_listed]
                top += 1
    return frame, starts[: n_lists + 1].copy(), candidates[: starts[n_lists]].copy()


@loop
def _lay_out(words: Floats, frame: Floats, half: Floats, slack: Floats) -> None:
    """Fill the grid's ``frame``, half the size of a cell, and its rounding."""
    for axis in range(2):
        low, high = words[0, axis], words[0, axis]
        for k in range(words.shape[0]):
            low, high = min(low, words[k, axis]), max(high, words[k, axis])
        size = high - low
        # Of closer words, cells per unit could overflow: one cell has them all.
        if not size > SMALLEST_BOX:
            size = max(abs(high), 1.0)
        # A margin, because points scatter around the outermost words.
        corner = low - 0.125 * size
        half[axis] = 0.5 * 1.25 * size / N_CELLS
        frame[axis] = corner
        frame[2 + axis] = 0.5 / half[axis]
        frame[4 + axis] = corner + N_CELLS * half[axis]
        frame[6 + axis] = REACH * size
        # A point may fall into the neighbor of its cell by rounding.
        largest = max(abs(low), abs(high)) + REACH * size
        slack[axis] = 1e-6 * half[axis] + 1e-14 * largest


@loop
def _prune(
    words: Floats,
    frame: Floats,
    half: Floats,
    slack: Floats,
    row: int,
    column: int,
    side: int,
    kept: Labels,
    listed: Labels,
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
        # A word in the same place comes later and cannot win. What overflowed stays.
        same = words[k, 0] == words[nearest, 0] and words[k, 1] == words[nearest, 1]
        if k == nearest or not (same or largest < -margin):
            listed[n_listed] = k
            n_listed += 1
    return n_listed


@inlined
def label_grid(
    points: Floats,
    start: int,
    words: Floats,
    inverse: Floats,
    grid: Grid,
    labels: Labels,
) -> None:
    """Set ``labels[t]`` to the word nearest to ``points[start + t]``.

    Cost: one look-up per point; two distances where the cell is not sure, seldom more.
    """
    frame, codes, pairs, lists, starts, candidates = grid
    n_words = words.shape[0]
    cell = np.empty(BLOCK, np.int32)
    unsure = np.empty(BLOCK, np.int32)
    listed = np.empty(BLOCK, np.int32)
    # One axis: the compiler cannot know that a point has two coordinates, and would
    # not vectorise. Indices are unsigned: one that may be negative is compared twice.
    flat, flat_words = points.reshape(2 * points.shape[0]), words.reshape(2 * n_words)
    inverse_x, inverse_y = inverse[0], inverse[1]
    rate_x, rate_y = inverse_x * frame[2], inverse_y * frame[3]
    shift_x, shift_y = -frame[0] * frame[2], -frame[1] * frame[3]
    last = np.float64(N_CELLS - 1)
    for low in range(0, labels.shape[0], BLOCK):
        size = min(BLOCK, labels.shape[0] - low)
        block = flat[2 * (start + low) : 2 * (start + low + size)]
        found = labels[low : low + size]
        for t in range(size):
            birth = block[2 * t]
            # In this order, what is not a number falls into the first cell, too.
            column = min(max(0.0, birth * rate_x + shift_x), last)
            row = (block[2 * t + 1] - birth) * rate_y + shift_y
            row = min(max(0.0, row), last)
            cell[t] = np.int32(row) * np.int32(N_CELLS) + np.int32(column)
        # Written always and kept only where unsure: no branch to mispredict.
        n_unsure = 0
        for t in range(size):
            known = codes[np.uint32(cell[t])]
            found[t] = known
            unsure[np.uint32(n_unsure)] = t
            n_unsure += 1 if known >= n_words else 0
        n_listed = 0
        for u in range(n_unsure):
            at = np.uint32(unsure[u])
            birth = block[TWO * at]
            x, y = birth * inverse_x, (block[TWO * at + ONE] - birth) * inverse_y
            listed[np.uint32(n_listed)] = at
            n_listed += 1 if found[at] > n_words else 0
            pair = TWO * np.uint32(cell[at])
            k, other = np.uint32(pairs[pair]), np.uint32(pairs[pair + ONE])
            dx, dy = x - flat_words[TWO * k], y - flat_words[TWO * k + ONE]
            d = dx * dx + dy * dy
            dx, dy = x - flat_words[TWO * other], y - flat_words[TWO * other + ONE]
            found[at] = other if dx * dx + dy * dy < d else k
        for u in range(n_listed):
            at = np.uint32(listed[u])
            birth = block[TWO * at]
            x, y = birth * inverse_x, (block[TWO * at + ONE] - birth) * inverse_y
            which = np.int64(lists[np.uint32(cell[at])])
            if abs(x - frame[4]) > frame[6] or abs(y - frame[5]) > frame[7]:
                which = np.int64(0)
            nearest, smallest = candidates[starts[which]], INFINITY
            for c in range(starts[which], starts[which + 1]):
                dx, dy = x - words[candidates[c], 0], y - words[candidates[c], 1]
                d = dx * dx + dy * dy
                if d < smallest:
                    nearest, smallest = candidates[c], d
            found[at] = nearest
