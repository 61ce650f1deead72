"""Histograms of nearest words: the loops of persistence bag-of-words."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numba import none
from numpy.typing import NDArray

from pbow.compute.assign import BLOCK, label_brute
from pbow.compute.grid import Grid, label_grid
from pbow.compute.jit import inlined, is_compiled, loop
from pbow.compute.normalize import (
    LEAST_NORM,
    LIPSCHITZ,
    RAW,
    SQRT,
    SQRT_L2,
    normalize_row,
    normalize_rows,
)
from pbow.compute.ramp import point_weight

__all__ = ["compiled_loops", "count_brute", "count_grid", "count_in_numpy"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Tally = NDArray[np.int32]

# Points labeled at a time by a grid: whole diagrams as far as possible, but never so
# many that their labels leave the cache. And counts in a table.
CHUNK = 4096


def count_brute(
    points: Floats,
    offsets: Ints,
    words: Floats,
    inverse: Floats,
    ramp: Floats | None,
    normalization: int,
    out: Floats,
) -> None:
    """Set ``out[d, k]`` to the weight of the points of diagram d nearest to word k.

    ``ramp`` is (low, high, power), or None: every point weighs 1. Rows are normalized
    (see ``normalize_row``). Cost: n_points * n_words distances.
    """
    tally, floats = np.zeros(out.shape[1], np.int32), np.empty((4, BLOCK))
    options = (ramp, normalization, _table(normalization), tally)
    _count_brute(points.reshape(-1), offsets, words, inverse, floats, *options, out)
    if ramp is None:
        _normalize_long(offsets, normalization, out)


def count_grid(
    points: Floats,
    offsets: Ints,
    words: Floats,
    inverse: Floats,
    grid: Grid,
    ramp: Floats | None,
    normalization: int,
    out: Floats,
) -> None:
    """Like :func:`count_brute`, with the same result, through a grid over the words."""
    labels, tally = np.empty(CHUNK, np.int32), np.zeros(out.shape[1], np.int32)
    table = _table(normalization)
    options = (ramp, normalization, table, labels, tally)
    _count_grid(points, offsets, words, inverse, grid, *options, out)
    if ramp is None:
        _normalize_long(offsets, normalization, out)


def compiled_loops(*, has_ramp: bool) -> list[str]:
    """Return which of "brute" and "grid" are compiled already, with a ramp or without.

    These are compiled apart, by the type of their sixth argument.
    """
    loops: dict[str, Any] = {"brute": _count_brute, "grid": _count_grid}
    return [
        name
        for name, loop in loops.items()
        if is_compiled(loop, lambda types: (types[5] != none) == has_ramp)
    ]


@loop
def _count_brute(
    flat: Floats,
    offsets: Ints,
    words: Floats,
    inverse: Floats,
    floats: Floats,
    ramp: Floats | None,
    normalization: int,
    table: Floats,
    tally: Tally,
    out: Floats,
) -> None:
    diagram = 0
    labels = floats[3]
    for start in range(offsets[0], offsets[-1], BLOCK):
        stop = min(start + BLOCK, offsets[-1])
        label_brute(flat, start, stop, words, inverse, floats)
        # By the type of ramp: only what is needed is compiled.
        if ramp is None:
            diagram = _add_ones(
                offsets,
                labels,
                start,
                stop,
                diagram,
                normalization,
                table,
                tally,
                out,
            )
        else:
            diagram = _add_weights(
                flat,
                offsets,
                labels,
                start,
                stop,
                diagram,
                ramp,
                normalization,
                out,
            )


@loop
def _count_grid(
    points: Floats,
    offsets: Ints,
    words: Floats,
    inverse: Floats,
    grid: Grid,
    ramp: Floats | None,
    normalization: int,
    table: Floats,
    labels: Tally,
    tally: Tally,
    out: Floats,
) -> None:
    diagram = 0
    flat = points.reshape(2 * points.shape[0])
    for start in range(offsets[0], offsets[-1], CHUNK):
        stop = min(start + CHUNK, offsets[-1])
        label_grid(points, start, words, inverse, grid, labels[: stop - start])
        if ramp is None:
            diagram = _add_ones(
                offsets,
                labels,
                start,
                stop,
                diagram,
                normalization,
                table,
                tally,
                out,
            )
        else:
            diagram = _add_weights(
                flat,
                offsets,
                labels,
                start,
                stop,
                diagram,
                ramp,
                normalization,
                out,
            )


@inlined
def _add_ones(
    offsets: Ints,
    labels: NDArray[Any],
    start: int,
    stop: int,
    diagram: int,
    normalization: int,
    table: Floats,
    tally: Tally,
    out: Floats,
) -> int:
    """Count labeled points ``start:stop``; return the diagram that goes on at stop.

    ``tally`` is all 0 whenever a diagram begins. Counts become features by ``table``;
    those of a diagram of more points are left as they are.
    """
    while diagram < out.shape[0]:
        first = max(start, offsets[diagram])
        end = offsets[diagram + 1]
        found = labels[first - start : min(stop, end) - start]
        # Indices are unsigned: one that may be negative is compared twice.
        for t in range(found.shape[0]):
            tally[np.uint32(found[t])] += 1
        if end > stop:
            break
        # Now, while the row is in the cache.
        row = out[diagram]
        n_points = end - offsets[diagram]
        if n_points < table.shape[0]:
            factor = 1.0
            if normalization == SQRT_L2:
                factor = 1.0 / max(math.sqrt(n_points), LEAST_NORM)
            elif normalization == LIPSCHITZ:
                total = 0.0
                for k in range(tally.shape[0]):
                    count = float(tally[k])
                    total += count * count
                factor = 1.0 / (1.0 + math.sqrt(total))
            for k in range(row.shape[0]):
                row[k] = table[np.uint32(tally[k])] * factor
        else:
            for k in range(row.shape[0]):
                row[k] = tally[k]
        # In a loop of its own, which is vectorized.
        for k in range(tally.shape[0]):
            tally[k] = 0
        diagram += 1
    return diagram


def _table(normalization: int) -> Floats:
    """Return what becomes of the counts that most words have, but for a common factor.

    The factor follows from the number of points, or from the counts, which are whole
    numbers: their sums are exact in any order.
    """
    alone = {SQRT_L2: SQRT, LIPSCHITZ: RAW}.get(normalization, normalization)
    return normalize_rows(np.arange(float(CHUNK))[:, np.newaxis], alone).ravel()


def _normalize_long(offsets: Ints, normalization: int, out: Floats) -> None:
    """Normalize the rows of diagrams with more points than the table has counts."""
    long = np.diff(offsets) >= CHUNK
    if long.any():
        out[long] = normalize_rows(out[long], normalization)


@inlined
def _add_weights(
    flat: Floats,
    offsets: Ints,
    labels: NDArray[Any],
    start: int,
    stop: int,
    diagram: int,
    ramp: Floats,
    normalization: int,
    out: Floats,
) -> int:
    """Weigh labeled points ``start:stop``; return the diagram that goes on at stop."""
    while diagram < out.shape[0]:
        first = max(start, offsets[diagram])
        end = offsets[diagram + 1]
        found = labels[first - start : min(stop, end) - start]
        near = flat[2 * first : 2 * first + 2 * found.shape[0]]
        row = out[diagram]
        for t in range(found.shape[0]):
            persistence = near[2 * t + 1] - near[2 * t]
            row[np.uint32(found[t])] += point_weight(persistence, ramp)
        if end > stop:
            break
        # Now, while the row is in the cache.
        normalize_row(row, normalization)
        diagram += 1
    return diagram


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
