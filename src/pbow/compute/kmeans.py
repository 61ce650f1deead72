"""k-means in the plane: k-means++ seeding and Lloyd's iterations.

``points`` is (n, 2), already in the coordinates in which distances are taken.
"""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

from pbow.compute.assign import BLOCK, INFINITY, scan_block
from pbow.compute.random import draw_unit

__all__ = ["lloyd", "seed_plusplus"]

Floats = NDArray[np.float64]


@njit(nogil=True, cache=True)
def seed_plusplus(points: Floats, stream: np.uint64, words: Floats) -> int:
    """Choose ``words`` among ``points`` by squared distances.

    The first is drawn at random, each other with a probability proportional to the
    squared distance to the nearest word chosen before; draw k of ``stream`` decides
    word k. Returns how many could be chosen: fewer than ``len(words)`` means that there
    are no more distinct points. Cost: n * n_words.
    """
    n = points.shape[0]
    n_blocks = (n + BLOCK - 1) // BLOCK
    squared = np.empty(n)
    for i in range(n):
        squared[i] = INFINITY
    block_sums = np.empty(n_blocks)
    chosen = min(np.int64(draw_unit(stream, np.uint64(0)) * n), n - 1)
    for k in range(words.shape[0]):
        x, y = points[chosen, 0], points[chosen, 1]
        words[k, 0], words[k, 1] = x, y
        total = 0.0
        for block in range(n_blocks):
            low, high = block * BLOCK, min(n, (block + 1) * BLOCK)
            # Slices from 0, or nothing would be vectorised: see assign.
            some, nearest = points[low:high], squared[low:high]
            for i in range(high - low):
                d = (some[i, 0] - x) ** 2 + (some[i, 1] - y) ** 2
                nearest[i] = d if d < nearest[i] else nearest[i]
            part = _sum(nearest)
            block_sums[block] = part
            total += part
        if k + 1 == words.shape[0]:
            break
        if not total > 0.0:
            return k + 1
        # Walk the block sums, then the points of one block, to the drawn share.
        rest = draw_unit(stream, np.uint64(k + 1)) * total
        block = 0
        while block < n_blocks - 1 and rest >= block_sums[block]:
            rest -= block_sums[block]
            block += 1
        chosen = -1
        for i in range(block * BLOCK, min(n, (block + 1) * BLOCK)):
            if squared[i] > 0.0:
                chosen = i
                if rest < squared[i]:
                    break
                rest -= squared[i]
        if chosen < 0:  # rounding led to a block without weight
            chosen = _furthest(squared)
    return len(words)


@njit(nogil=True, cache=True)
def lloyd(
    points: Floats,
    words: Floats,
    max_iter: int,
    tolerance: float,
    labels: NDArray[np.int32],
) -> tuple[float, int]:
    """Move ``words`` to the means of their points until nothing changes.

    Stops when no label changes, when the sum of squared distances falls by less than
    ``tolerance`` of itself, or after ``max_iter`` rounds. A word without points
    restarts at the point furthest from its word. Returns that sum for the final words,
    and the number of rounds. Cost a round: n * n_words distances.
    """
    squared = np.empty(points.shape[0])
    previous = np.inf
    inertia, _ = _assign(points, words, labels, squared)
    rounds = 0
    while rounds < max_iter:
        rounds += 1
        _move(points, labels, squared, words)
        inertia, n_changed = _assign(points, words, labels, squared)
        if n_changed == 0 or previous - inertia <= tolerance * inertia:
            break
        previous = inertia
    return inertia, rounds


@njit(nogil=True, cache=True)
def _assign(
    points: Floats, words: Floats, labels: NDArray[np.int32], squared: Floats
) -> tuple[float, int]:
    """Label every point; return the sum of squared distances and how many changed."""
    n = points.shape[0]
    x = np.empty(BLOCK)
    y = np.empty(BLOCK)
    smallest = np.empty(BLOCK)
    nearest = np.empty(BLOCK, np.int64)
    inertia = 0.0
    n_changed = 0
    for low in range(0, n, BLOCK):
        size = min(BLOCK, n - low)
        some, known, distances = points[low:], labels[low:], squared[low:]
        for t in range(size):
            x[t], y[t] = some[t, 0], some[t, 1]
        scan_block(x, y, size, words, smallest, nearest)
        for t in range(size):
            n_changed += known[t] != nearest[t]
            known[t] = nearest[t]
            distances[t] = smallest[t]
        inertia += _sum(smallest[:size])
    return inertia, n_changed


@njit(nogil=True, cache=True)
def _move(
    points: Floats, labels: NDArray[np.int32], squared: Floats, words: Floats
) -> None:
    """Move each word to the mean of its points; restart those that have none."""
    n, n_words = points.shape[0], words.shape[0]
    sums = np.empty((n_words, 2))
    counts = np.empty(n_words, np.int64)
    for k in range(n_words):
        sums[k, 0], sums[k, 1], counts[k] = 0.0, 0.0, 0
    for i in range(n):
        k = labels[i]
        # Relative to the word: sums stay small, and their rounding too.
        sums[k, 0] += points[i, 0] - words[k, 0]
        sums[k, 1] += points[i, 1] - words[k, 1]
        counts[k] += 1
    for k in range(n_words):
        if counts[k] > 0:
            words[k, 0] += sums[k, 0] / counts[k]
            words[k, 1] += sums[k, 1] / counts[k]
    for k in range(n_words):
        if counts[k] == 0:
            furthest = _furthest(squared)
            words[k, 0], words[k, 1] = points[furthest, 0], points[furthest, 1]
            squared[furthest] = 0.0  # so that two empty words do not meet


@njit(nogil=True, cache=True)
def _furthest(squared: Floats) -> int:
    """Return the first index of the largest number; np.argmax is slow to compile."""
    furthest = 0
    for i in range(squared.shape[0]):
        if squared[i] > squared[furthest]:
            furthest = i
    return furthest


@njit(nogil=True, cache=True)
def _sum(values: Floats) -> float:
    """Sum in eight sums side by side; one would wait for each addition to end."""
    s0, s1, s2, s3, s4, s5, s6, s7 = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    n = values.shape[0]
    for i in range(0, n - 7, 8):
        s0 += values[i]
        s1 += values[i + 1]
        s2 += values[i + 2]
        s3 += values[i + 3]
        s4 += values[i + 4]
        s5 += values[i + 5]
        s6 += values[i + 6]
        s7 += values[i + 7]
    for i in range(n - n % 8, n):
        s0 += values[i]
    return ((s0 + s4) + (s1 + s5)) + ((s2 + s6) + (s3 + s7))
