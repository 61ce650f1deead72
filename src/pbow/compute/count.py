"""Histograms of nearest words: the loops of persistence bag-of-words."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from numba import njit
from numpy.typing import NDArray

from pbow.compute.assign import label_brute
from pbow.compute.grid import Grid, label_grid
from pbow.compute.normalize import (
    SQRT_L2,
    factor_of_roots,
    normalize_row,
    normalize_rows,
)
from pbow.compute.ramp import point_weight

__all__ = ["count_brute", "count_grid", "count_in_numpy"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

# Points labeled at a time: whole diagrams as far as possible, but never so many that
# their labels leave the cache.
CHUNK = 4096


@njit(nogil=True, cache=True)
def count_brute(
    points: Floats,
    offsets: Ints,
    words: Floats,
    inverse: Floats,
    ramp: Floats,
    normalization: int,
    out: Floats,
) -> None:
    """Set ``out[d, k]`` to the weight of the points of diagram d nearest to word k.

    ``ramp`` is (low, high, power) or empty: every point weighs 1. Rows are normalized
    (see ``normalize_row``). Cost: n_points * n_words distances.
    """
    labels = np.empty(CHUNK, np.int32)
    tally = np.zeros(out.shape[1], np.int32)
    roots = _table_of_roots()
    diagram = 0
    for start in range(offsets[0], offsets[-1], CHUNK):
        stop = min(start + CHUNK, offsets[-1])
        label_brute(points, start, words, inverse, labels[: stop - start])
        diagram = _add(
            points,
            offsets,
            ramp,
            normalization,
            labels,
            start,
            stop,
            diagram,
            tally,
            roots,
            out,
        )


@njit(nogil=True, cache=True)
def count_grid(
    points: Floats,
    offsets: Ints,
    words: Floats,
    inverse: Floats,
    grid: Grid,
    ramp: Floats,
    normalization: int,
    out: Floats,
) -> None:
    """Like :func:`count_brute`, with the same result, through a grid over the words."""
    labels = np.empty(CHUNK, np.int32)
    tally = np.zeros(out.shape[1], np.int32)
    roots = _table_of_roots()
    diagram = 0
    for start in range(offsets[0], offsets[-1], CHUNK):
        stop = min(start + CHUNK, offsets[-1])
        label_grid(points, start, words, inverse, grid, labels[: stop - start])
        diagram = _add(
            points,
            offsets,
            ramp,
            normalization,
            labels,
            start,
            stop,
            diagram,
            tally,
            roots,
            out,
        )


@njit(nogil=True, cache=True)
def _add(
    points: Floats,
    offsets: Ints,
    ramp: Floats,
    normalization: int,
    labels: NDArray[np.int32],
    start: int,
    stop: int,
    diagram: int,
    tally: NDArray[np.int32],
    roots: Floats,
    out: Floats,
) -> int:
    """Add labeled points ``start:stop``; return the diagram that goes on at stop.

    ``tally`` is all 0 whenever a diagram begins; ``roots[c]`` is the root of c.
    """
    while diagram < out.shape[0]:
        first = max(start, offsets[diagram])
        end = offsets[diagram + 1]
        found = labels[first - start : min(stop, end) - start]
        # Indices are unsigned: one that may be negative is looked at twice.
        if ramp.shape[0] == 0:
            for t in range(found.shape[0]):
                tally[np.uint32(found[t])] += 1
        else:
            row = out[diagram]
            for t in range(found.shape[0]):
                persistence = points[first + t, 1] - points[first + t, 0]
                row[np.uint32(found[t])] += point_weight(persistence, ramp)
        if end > stop:
            break
        # Now, while the row is in the cache.
        if ramp.shape[0] == 0:
            _write(tally, end - offsets[diagram], roots, normalization, out[diagram])
        else:
            normalize_row(out[diagram], normalization)
        diagram += 1
    return diagram


@njit(nogil=True, cache=True)
def _write(
    tally: NDArray[np.int32],
    n_points: int,
    roots: Floats,
    normalization: int,
    row: Floats,
) -> None:
    """Set ``row`` to the normalized ``tally`` of a diagram, and that to 0."""
    if normalization == SQRT_L2 and n_points < roots.shape[0]:
        # The same as by normalize_row, without computing a root.
        factor = factor_of_roots(n_points)
        for k in range(row.shape[0]):
            row[k] = roots[np.uint32(tally[k])] * factor
    else:
        for k in range(row.shape[0]):
            row[k] = tally[k]
        normalize_row(row, normalization)
    # In a loop of its own, which is vectorized.
    for k in range(tally.shape[0]):
        tally[k] = 0


@njit(nogil=True, cache=True)
def _table_of_roots() -> Floats:
    """Return the square roots of the counts that most diagrams have."""
    roots = np.empty(CHUNK)
    for c in range(CHUNK):
        roots[c] = math.sqrt(c)
    return roots


def count_in_numpy(
    points: Floats,
    offsets: Ints,
    words: Floats,
    inverse: Floats,
    ramp: Callable[[Floats], Floats] | None,
    normalization: int,
) -> Floats:
    """Return what :func:`count_brute` would set, bit for bit, without compiling."""
    births, persistences = points[:, 0], points[:, 1] - points[:, 0]
    x, y = births * inverse[0], persistences * inverse[1]
    labels = np.zeros(len(points), np.int64)
    smallest = np.full(len(points), np.inf)
    for k, (word_x, word_y) in enumerate(words):
        # Too far to square is infinitely far, without a warning, as in the loop.
        with np.errstate(over="ignore"):
            d = (x - word_x) * (x - word_x) + (y - word_y) * (y - word_y)
        labels[d < smallest] = k
        np.minimum(smallest, d, out=smallest)
    shape = (len(offsets) - 1, len(words))
    labels += np.repeat(np.arange(shape[0]) * shape[1], np.diff(offsets))
    weights = None if ramp is None else ramp(persistences)
    out = np.bincount(labels, weights, shape[0] * shape[1]).astype(np.float64)
    return normalize_rows(out.reshape(shape), normalization)
