"""k-means in the plane: k-means++ seeding and Lloyd's iterations.

``points`` is (n, 2), already in the coordinates in which distances are taken.
"""

from __future__ import annotations

import math

import numpy as np
from numba import njit
from numpy.typing import NDArray

from pbow.compute.assign import BLOCK, INFINITY, scan_block
from pbow.compute.random import draw_unit
from pbow.compute.sums import sum_of

__all__ = ["lloyd", "seed_plusplus"]

Floats = NDArray[np.float64]


@njit(nogil=True, cache=True)
def seed_plusplus(points: Floats, stream: np.uint64, words: Floats) -> int:
    """Choose ``words`` among ``points`` by squared distances, greedily.

    The first is drawn at random. For each other, a few candidates are drawn, with
    probabilities proportional to the squared distance to the nearest word chosen
    before; the one that leaves the least sum of such distances is taken. Returns how
    many could be chosen: fewer than ``len(words)`` means that there are no more
    distinct points. Cost: n * n_words * (2 + log(n_words)).
    """
    n, n_words = points.shape[0], words.shape[0]
    n_trials = 2 + np.int64(math.log(n_words))
    # Coordinates apart: the compiler does not vectorise over pairs.
    x, y, squared = np.empty(n), np.empty(n), np.empty(n)
    for i in range(n):
        x[i], y[i], squared[i] = points[i, 0], points[i, 1], INFINITY
    block_sums = np.empty((n + BLOCK - 1) // BLOCK)
    nearer, sums = np.empty(BLOCK), np.empty(block_sums.shape[0])
    chosen = min(np.int64(draw_unit(stream, np.uint64(0)) * n), n - 1)
    n_draws = 1
    for k in range(n_words):
        words[k, 0], words[k, 1] = x[chosen], y[chosen]
        total = _approach(x, y, chosen, squared, squared, block_sums)
        if k + 1 == n_words:
            break
        if not total > 0.0:
            return k + 1
        smallest = INFINITY
        for _ in range(n_trials):
            share = draw_unit(stream, np.uint64(n_draws))
            n_draws += 1
            candidate = _walk_to(share * total, squared, block_sums)
            left = _approach(x, y, candidate, squared, nearer, sums)
            if left < smallest:
                smallest, chosen = left, candidate
    return len(words)


@njit(nogil=True, cache=True)
def _approach(
    x: Floats,
    y: Floats,
    word: int,
    squared: Floats,
    nearer: Floats,
    block_sums: Floats,
) -> float:
    """Return the sum of ``squared`` distances if point ``word`` were a word, too.

    ``block_sums`` are the parts of that sum. ``nearer`` gets the distances if it is as
    long as ``squared``, and is scratch for BLOCK of them otherwise.
    """
    n = x.shape[0]
    to_x, to_y = x[word], y[word]
    total = 0.0
    for block in range(block_sums.shape[0]):
        low, high = block * BLOCK, min(n, (block + 1) * BLOCK)
        # Slices from 0, or nothing would be vectorised: see assign.
        some_x, some_y, before = x[low:high], y[low:high], squared[low:high]
        after = nearer[low:high] if nearer.shape[0] == n else nearer[: high - low]
        for i in range(high - low):
            dx, dy = some_x[i] - to_x, some_y[i] - to_y
            d = dx * dx + dy * dy
            after[i] = d if d < before[i] else before[i]
        block_sums[block] = sum_of(after)
        total += block_sums[block]
    return total


@njit(nogil=True, cache=True)
def _walk_to(rest: float, squared: Floats, block_sums: Floats) -> int:
    """Walk the block sums, then the points of one block, to a share of their sum."""
    block = 0
    while block < block_sums.shape[0] - 1 and rest >= block_sums[block]:
        rest -= block_sums[block]
        block += 1
    chosen = -1
    for i in range(block * BLOCK, min(squared.shape[0], (block + 1) * BLOCK)):
        if squared[i] > 0.0:
            chosen = i
            if rest < squared[i]:
                break
            rest -= squared[i]
    # Rounding may have led to a block without weight.
    return chosen if chosen >= 0 else _furthest(squared)


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
        inertia += sum_of(smallest[:size])
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
