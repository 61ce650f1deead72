"""Bottleneck distances of persistence diagrams, exact.

Arrays are as in :mod:`pbow.compute.matching`: points flat, sorted by their middles, and
none on the diagonal.

Within a threshold t, points farther from the diagonal than t must be paired, with
points at distance t or less. By a theorem of Mendelsohn and Dulmage there is such a
matching if there is one that pairs those of the first diagram and another that pairs
those of the second: each diagram can be looked at by itself, and t is the larger of
two. For one diagram, points that must be paired are added one by one, with the path
that needs the least increase of t. Few must, once t is about right. Middles of points
differ by no more than their distance, in every metric of :func:`distance_of`.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pbow.compute.heap import sift_down, sift_up, without_outdated
from pbow.compute.jit import helper, inlined, loop

__all__ = [
    "ROUNDING",
    "bottleneck",
    "bottleneck_tile",
    "diagonal_factor",
    "distance_of",
    "first_from",
    "rounding_of",
    "to_diagonal",
]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Ids = NDArray[np.int32]

NOBODY = -1
ROUNDING = 1e-15
SQRT_HALF = math.sqrt(0.5)


@loop
def bottleneck_tile(
    left: Floats,
    left_middles: Floats,
    left_offsets: Ints,
    right: Floats,
    right_middles: Floats,
    right_offsets: Ints,
    metric: float,
    wanted: NDArray[np.bool_],
    out: Floats,
) -> None:
    """Set ``out[r, s]`` to the distance of diagrams r and s, where it is wanted."""
    for r in range(out.shape[0]):
        for s in range(out.shape[1]):
            if wanted[r, s]:
                out[r, s] = bottleneck(
                    left[2 * left_offsets[r] : 2 * left_offsets[r + 1]],
                    left_middles[left_offsets[r] : left_offsets[r + 1]],
                    right[2 * right_offsets[s] : 2 * right_offsets[s + 1]],
                    right_middles[right_offsets[s] : right_offsets[s + 1]],
                    metric,
                )


@loop
def bottleneck(
    rows: Floats,
    row_middles: Floats,
    columns: Floats,
    column_middles: Floats,
    metric: float,
) -> float:
    """Return the distance of two diagrams; the same, bit for bit, if they are swapped.

    It is one of the distances of two points, or of a point to the diagonal.
    """
    if _are_on_a_line(rows, columns):
        return _along_a_line(rows, columns, metric)
    slack = rounding_of(row_middles, column_middles)
    pair = (rows, row_middles, columns, column_middles, metric, slack)
    swapped = (columns, column_middles, rows, row_middles, metric, slack)
    threshold = _nearest(*swapped, _nearest(*pair, 0.0))
    return _pair(*swapped, _pair(*pair, threshold))


@helper
def _nearest(
    rows: Floats,
    row_middles: Floats,
    columns: Floats,
    column_middles: Floats,
    metric: float,
    slack: float,
    threshold: float,
) -> float:
    """Raise the threshold to what each row needs if it had all columns for itself."""
    for i in range(row_middles.shape[0]):
        least = to_diagonal(rows, i, metric)
        if least <= threshold:
            continue
        reach = least * (1.0 + ROUNDING) + slack
        first = first_from(column_middles, row_middles[i] - reach)
        for j in range(first, column_middles.shape[0]):
            if column_middles[j] > row_middles[i] + reach:
                break
            least = min(least, distance_of(rows, i, columns, j, metric))
            if least <= threshold:
                break
        threshold = max(threshold, least)
    return threshold


@helper
def _pair(
    rows: Floats,
    row_middles: Floats,
    columns: Floats,
    column_middles: Floats,
    metric: float,
    slack: float,
    threshold: float,
) -> float:
    """Raise the threshold until each row has a column, or the diagonal, within it."""
    n, m = row_middles.shape[0], column_middles.shape[0]
    owners = np.full(m, NOBODY, np.int32)
    choices = np.full(n, NOBODY, np.int32)
    lengths = np.full(m, math.inf)
    reached_from = np.empty(m, np.int32)
    for row in range(n):
        if to_diagonal(rows, row, metric) <= threshold:
            continue
        shortest, i, j = _shortest_path(
            row,
            rows,
            row_middles,
            columns,
            column_middles,
            metric,
            slack,
            threshold,
            owners,
            lengths,
            reached_from,
        )
        threshold = max(threshold, shortest)
        while True:
            j, choices[i] = choices[i], j
            if choices[i] != NOBODY:
                owners[choices[i]] = i
            if i == row:
                break
            i = reached_from[j]
    return threshold


@helper
def _shortest_path(
    row: int,
    rows: Floats,
    row_middles: Floats,
    columns: Floats,
    column_middles: Floats,
    metric: float,
    slack: float,
    threshold: float,
    owners: Ids,
    lengths: Floats,
    reached_from: Ids,
) -> tuple[float, int, int]:
    """Return the length of the shortest path from a row, its last row and column.

    A path goes from a row to a column, from there to the row that has it, and so on. It
    ends at a column that nobody has, or at a row that is left to the diagonal, column
    NOBODY; its length is that of the longest step, or the threshold. On the way back,
    columns are reached from rows. All ``lengths`` are inf before and after.
    """
    m = column_middles.shape[0]
    shortest, last_row, last_column = math.inf, row, NOBODY
    keys, items = np.empty(2 * m), np.empty(2 * m, np.int32)
    touched = np.empty(m, np.int32)
    # Not of a literal type, for which loops of the heap would be compiled again.
    size: Any = np.int64(0)
    n_touched = 0
    i, base = row, threshold
    while True:
        length = max(base, to_diagonal(rows, i, metric))
        if length < shortest:
            shortest, last_row, last_column = length, i, NOBODY
        if size + m > keys.shape[0]:
            items, keys = _enlarged(items, keys, size, m)
        reach = shortest * (1.0 + ROUNDING) + slack
        for j in range(first_from(column_middles, row_middles[i] - reach), m):
            if shortest <= threshold or column_middles[j] > row_middles[i] + reach:
                break
            length = max(base, distance_of(rows, i, columns, j, metric))
            if length >= min(shortest, lengths[j]):
                continue
            if owners[j] == NOBODY:
                shortest, last_row, last_column = length, i, j
                continue
            if lengths[j] == math.inf:
                touched[n_touched] = j
                n_touched += 1
            lengths[j], reached_from[j] = length, i
            sift_up(keys, items, size, length, np.int32(j))
            size += 1
        size = without_outdated(keys, items, size, lengths)
        if size == 0 or keys[0] >= shortest:
            break
        base, i = keys[0], owners[items[0]]
        size -= 1
        sift_down(keys, items, size, keys[size], items[size])
    for t in range(n_touched):
        lengths[touched[t]] = math.inf
    return shortest, last_row, last_column


@inlined
def _along_a_line(rows: Floats, columns: Floats, metric: float) -> float:
    """Return the distance of diagrams whose points all have the same birth, or death.

    Points on a line that are paired may be paired in their order: what the first i rows
    and j columns need follows from what fewer need. Cost: n_rows * n_columns.
    """
    n, m = rows.shape[0] // 2, columns.shape[0] // 2
    needs = np.zeros(m + 1)
    for j in range(m):
        needs[j + 1] = max(needs[j], to_diagonal(columns, j, metric))
    for i in range(n):
        alone = to_diagonal(rows, i, metric)
        before = needs[0]
        needs[0] = max(before, alone)
        for j in range(m):
            paired = max(before, distance_of(rows, i, columns, j, metric))
            before = needs[j + 1]
            row_left = max(before, alone)
            column_left = max(needs[j], to_diagonal(columns, j, metric))
            needs[j + 1] = min(paired, row_left, column_left)
    distance: float = needs[m]
    return distance


@inlined
def _are_on_a_line(rows: Floats, columns: Floats) -> bool:
    """Whether all points of two diagrams, none empty, have one birth, or one death."""
    if rows.shape[0] == 0 or columns.shape[0] == 0:
        return False
    same_birth = same_death = True
    for points in (rows, columns):
        for i in range(points.shape[0] // 2):
            same_birth &= points[2 * i] == columns[0]
            same_death &= points[2 * i + 1] == columns[1]
            if not same_birth and not same_death:
                return False
    return True


@helper
def first_from(middles: Floats, low: float) -> int:
    """Return the first place where middles are not below `low`."""
    start, stop = 0, middles.shape[0]
    while start < stop:
        at = (start + stop) // 2
        if middles[at] < low:
            start = at + 1
        else:
            stop = at
    return start


@inlined
def rounding_of(row_middles: Floats, column_middles: Floats) -> float:
    """Return by how much a difference of middles may be wrong, at most."""
    farthest = 0.0
    for middles in (row_middles, column_middles):
        if middles.shape[0] > 0:
            farthest = max(farthest, abs(middles[0]), abs(middles[-1]))
    return ROUNDING * farthest


@helper
def distance_of(rows: Floats, i: int, columns: Floats, j: int, metric: float) -> float:
    """Return the norm of the differences of row i and column j, in birth and death.

    The metric is 1, 2 or inf.
    """
    births: float = abs(rows[2 * i] - columns[2 * j])
    deaths: float = abs(rows[2 * i + 1] - columns[2 * j + 1])
    if metric == math.inf:
        return max(births, deaths)
    return births + deaths if metric == 1.0 else math.hypot(births, deaths)


@helper
def to_diagonal(points: Floats, i: int, metric: float) -> float:
    """Return the distance of point i to the diagonal, in the same norm."""
    distance: float = diagonal_factor(metric) * (points[2 * i + 1] - points[2 * i])
    return distance


@loop
def diagonal_factor(metric: float) -> float:
    """Return the distance to the diagonal of a point of persistence 1."""
    if metric == math.inf:
        return 0.5
    return 1.0 if metric == 1.0 else SQRT_HALF


@inlined
def _enlarged(items: Ids, keys: Floats, size: int, more: int) -> tuple[Ids, Floats]:
    """Return copies of two arrays, of which `size` are used, with room for more."""
    more_items = np.empty(2 * (size + more), np.int32)
    more_keys = np.empty(2 * (size + more))
    # Not by slices: that they fit would be checked, which takes seconds to compile.
    for k in range(size):
        more_items[k], more_keys[k] = items[k], keys[k]
    return more_items, more_keys
