"""Histograms of nearest words: the loops of persistence bag-of-words."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numba import njit
from numpy.typing import NDArray

from pbow.compute.assign import label_brute
from pbow.compute.grid import label_grid
from pbow.compute.normalize import normalize_row, normalize_rows
from pbow.compute.ramp import ramp_weight

__all__ = ["count_brute", "count_grid", "count_in_numpy"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

# Points labelled at a time: whole diagrams as far as possible, but never so many that
# their labels leave the cache.
CHUNK = 4096


@njit(nogil=True, cache=True)
def count_brute(
    points: Floats,
    offsets: Ints,
    words: Floats,
    inverse: Floats,
    ramp: Floats,
    how: int,
    out: Floats,
) -> None:
    """Set ``out[d, k]`` to the weight of the points of diagram d nearest to word k.

    ``ramp`` is (low, high) or empty: every point weighs 1. Rows are normalised (see
    ``normalize_row``). Cost: n_points * n_words distances.
    """
    labels = np.empty(CHUNK, np.int32)
    diagram = 0
    for start in range(offsets[0], offsets[-1], CHUNK):
        stop = min(start + CHUNK, offsets[-1])
        label_brute(points, start, words, inverse, labels[: stop - start])
        diagram = _add(points, offsets, ramp, how, labels, start, stop, diagram, out)


@njit(nogil=True, cache=True)
def count_grid(
    points: Floats,
    offsets: Ints,
    words: Floats,
    inverse: Floats,
    frame: Floats,
    cells: NDArray[np.int16],
    starts: NDArray[np.int32],
    candidates: NDArray[np.int32],
    ramp: Floats,
    how: int,
    out: Floats,
) -> None:
    """Like :func:`count_brute`, with the same result, through a grid over the words."""
    labels = np.empty(CHUNK, np.int32)
    diagram = 0
    for start in range(offsets[0], offsets[-1], CHUNK):
        stop = min(start + CHUNK, offsets[-1])
        label_grid(
            points,
            start,
            words,
            inverse,
            frame,
            cells,
            starts,
            candidates,
            labels[: stop - start],
        )
        diagram = _add(points, offsets, ramp, how, labels, start, stop, diagram, out)


@njit(nogil=True, cache=True)
def _add(
    points: Floats,
    offsets: Ints,
    ramp: Floats,
    how: int,
    labels: NDArray[np.int32],
    start: int,
    stop: int,
    diagram: int,
    out: Floats,
) -> int:
    """Add labelled points ``start:stop``; return the diagram that goes on at stop."""
    while diagram < out.shape[0]:
        first = max(start, offsets[diagram])
        last = min(stop, offsets[diagram + 1])
        row = out[diagram]
        block, found = points[first:last], labels[first - start : last - start]
        # Unsigned, because an index that may be negative is looked at twice.
        if ramp.shape[0] == 0:
            for t in range(last - first):
                row[np.uint32(found[t])] += 1.0
        else:
            for t in range(last - first):
                persistence = block[t, 1] - block[t, 0]
                weight = ramp_weight(persistence, ramp[0], ramp[1])
                row[np.uint32(found[t])] += weight
        if offsets[diagram + 1] > stop:
            break
        # Now, while the row is in the cache.
        normalize_row(row, how)
        diagram += 1
    return diagram


def count_in_numpy(
    points: Floats,
    offsets: Ints,
    words: Floats,
    inverse: Floats,
    ramp: Callable[[Floats], Floats] | None,
    how: int,
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
    return normalize_rows(out.reshape(shape), how)
