"""Residuals to the nearest word, summed per word: the loops of VLAD.

Coordinates are scaled as in ``assign``: x = birth * inverse[0], y = (death - birth) *
inverse[1]. A residual of at most ROUNDING times the coordinate is 0: the words of
repeated points lie on them but for rounding, which square roots and norms would blow
up.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pbow.compute.assign import BLOCK, label_brute
from pbow.compute.grid import Grid, label_grid
from pbow.compute.jit import exact, helper, is_compiled, loop
from pbow.compute.normalize import normalize_row, normalize_rows
from pbow.compute.ramp import point_weight

__all__ = [
    "INTRA",
    "ROUNDING",
    "compiled_loops",
    "residual",
    "vlad_brute",
    "vlad_grid",
    "vlad_in_numpy",
]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

ROUNDING = 1e-12
INTRA = 100  # beside those of ``normalize``: square roots, L2 per word, L2 of the row
# Points labeled at a time by a grid, so that their labels stay in the cache.
CHUNK = 4096


def vlad_brute(
    points: Floats,
    offsets: Ints,
    words: Floats,
    inverse: Floats,
    ramp: Floats,
    normalization: int,
    out: Floats,
) -> None:
    """Add to ``out[d, 2k]`` the sum of x - word_x over diagram d's points nearest to k.

    And to ``out[d, 2k + 1]`` that of y - word_y; ``out`` starts as zeros. Ties go to
    the lowest k. ``ramp`` is (low, high, power) or empty: every point weighs 1. Points
    are summed in their order. Rows are normalized (INTRA, or see ``normalize_row``).
    Cost: n_points * n_words distances.
    """
    floats, labels = np.empty((4, BLOCK)), np.empty(BLOCK, np.int32)
    _vlad_brute(
        *(points, offsets, words, inverse, floats, ramp, normalization, labels, out)
    )


def vlad_grid(
    points: Floats,
    offsets: Ints,
    words: Floats,
    inverse: Floats,
    grid: Grid,
    ramp: Floats,
    normalization: int,
    out: Floats,
) -> None:
    """Like :func:`vlad_brute`, with the same result, through a grid over the words."""
    labels = np.empty(CHUNK, np.int32)
    _vlad_grid(
        *(points, offsets, words, inverse, grid, ramp, normalization, labels, out)
    )


def compiled_loops() -> list[str]:
    """Return which of "brute" and "grid" are compiled already."""
    loops: dict[str, Any] = {"brute": _vlad_brute, "grid": _vlad_grid}
    return [name for name, loop in loops.items() if is_compiled(loop)]


@loop
def _vlad_brute(
    points: Floats,
    offsets: Ints,
    words: Floats,
    inverse: Floats,
    floats: Floats,
    ramp: Floats,
    normalization: int,
    labels: NDArray[np.int32],
    out: Floats,
) -> None:
    # Not of a literal type, for which the helper would be compiled again.
    diagram: Any = np.int64(0)
    flat = points.reshape(2 * points.shape[0])
    for start in range(offsets[0], offsets[-1], BLOCK):
        stop = min(start + BLOCK, offsets[-1])
        label_brute(flat, start, stop, words, inverse, floats)
        for t in range(stop - start):
            labels[t] = int(floats[3, t])
        diagram = _add(
            points,
            offsets,
            words,
            inverse,
            ramp,
            normalization,
            labels,
            start,
            stop,
            diagram,
            out,
        )


@loop
def _vlad_grid(
    points: Floats,
    offsets: Ints,
    words: Floats,
    inverse: Floats,
    grid: Grid,
    ramp: Floats,
    normalization: int,
    labels: NDArray[np.int32],
    out: Floats,
) -> None:
    # Not of a literal type, for which the helper would be compiled again.
    diagram: Any = np.int64(0)
    for start in range(offsets[0], offsets[-1], CHUNK):
        stop = min(start + CHUNK, offsets[-1])
        label_grid(points, start, words, inverse, grid, labels[: stop - start])
        diagram = _add(
            points,
            offsets,
            words,
            inverse,
            ramp,
            normalization,
            labels,
            start,
            stop,
            diagram,
            out,
        )


@helper
def _add(
    points: Floats,
    offsets: Ints,
    words: Floats,
    inverse: Floats,
    ramp: Floats,
    normalization: int,
    labels: NDArray[np.int32],
    start: int,
    stop: int,
    diagram: int,
    out: Floats,
) -> int:
    """Add labeled points ``start:stop``; return the diagram that goes on at stop."""
    # Unsigned and of one axis: an index that may be negative is compared twice.
    one, two = np.uint64(1), np.uint64(2)
    inverse_x, inverse_y = inverse[0], inverse[1]
    flat = words.reshape(2 * words.shape[0])
    while diagram < out.shape[0]:
        first = max(start, offsets[diagram])
        end = offsets[diagram + 1]
        found = labels[first - start : min(stop, end) - start]
        near = points[first : first + found.shape[0]]
        row = out[diagram]
        for t in range(found.shape[0]):
            birth = near[t, 0]
            persistence = near[t, 1] - birth
            at = two * np.uint64(found[t])
            weight = point_weight(persistence, ramp)
            row[at] += weight * residual(birth * inverse_x, flat[at])
            row[at + one] += weight * residual(persistence * inverse_y, flat[at + one])
        if end > stop:
            break
        # Now, while the row is in the cache.
        if normalization == INTRA:
            _normalize_words(row)
        else:
            normalize_row(row, normalization)
        diagram += 1
    return diagram


@exact
def residual(x: float, word: float) -> float:
    """Return x - word, and 0 where that is within rounding."""
    apart = x - word
    return apart if abs(apart) > ROUNDING * abs(x) else 0.0


@loop
def _normalize_words(row: Floats) -> None:
    """Take signed square roots, divide each word by its norm, and the row by its norm.

    A word of zeros stays one; all others have the norm 1 before the last step.
    """
    n_filled = 0
    for k in range(0, row.shape[0], 2):
        n_filled += abs(row[k]) + abs(row[k + 1]) > 0.0
    factor = 1.0 / math.sqrt(max(n_filled, 1))
    for k in range(0, row.shape[0], 2):
        # The squared norm of square roots.
        size = abs(row[k]) + abs(row[k + 1])
        size = size if size > 0.0 else 1.0
        row[k] = math.copysign(math.sqrt(abs(row[k]) / size) * factor, row[k])
        row[k + 1] = math.copysign(
            math.sqrt(abs(row[k + 1]) / size) * factor, row[k + 1]
        )


def vlad_in_numpy(
    points: Floats,
    offsets: Ints,
    words: Floats,
    inverse: Floats,
    ramp: Callable[[Floats], Floats] | None,
    normalization: int,
) -> Floats:
    """Return what :func:`vlad_brute` would set, bit for bit, without compiling."""
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
    weights = 1.0 if ramp is None else ramp(persistences)
    shape = (len(offsets) - 1, len(words), 2)
    places = labels + np.repeat(np.arange(shape[0]) * shape[1], np.diff(offsets))
    out = np.empty(shape)
    for axis, coordinate in enumerate((x, y)):
        residuals = coordinate - words[labels, axis]
        residuals[np.abs(residuals) <= ROUNDING * np.abs(coordinate)] = 0.0
        sums = np.bincount(places, weights * residuals, shape[0] * shape[1])
        out[:, :, axis] = sums.reshape(shape[:2])
    if normalization == INTRA:
        sizes = np.abs(out).sum(axis=2, keepdims=True)
        n_filled = np.maximum((sizes > 0.0).sum(axis=1, keepdims=True), 1)
        roots = np.sqrt(np.abs(out) / np.where(sizes > 0.0, sizes, 1.0))
        out = np.copysign(roots * (1.0 / np.sqrt(n_filled)), out)
    rows = out.reshape(shape[0], 2 * shape[1])
    return rows if normalization == INTRA else normalize_rows(rows, normalization)
