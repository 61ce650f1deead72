"""k-means in the plane: k-means++ seeding and Lloyd's iterations.

``points`` is (n, 2), already in the coordinates in which distances are taken.
"""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

from pbow.compute.assign import BLOCK, INFINITY, scan_block
from pbow.compute.random import draw_unit
from pbow.compute.sums import sum_of

__all__ = ["lloyd", "seed_plusplus"]

Floats = NDArray[np.float64]

# A quarter, and less by far more than rounding errors.
QUARTER = 0.25 * (1.0 - 1e-9)
# Squares below this have lost digits.
SMALLEST_SQUARE = 1e-290
# With fewer, distances between the words take longer than what they save.
POINTS_PER_WORD = 8


def seed_plusplus(
    points: Floats, stream: np.uint64, n_trials: int, words: Floats, words_per_call: int
) -> int:
    """Choose ``words`` among ``points`` by squared distances, greedily.

    The first is drawn at random. For each other, ``n_trials`` candidates are drawn,
    with probabilities proportional to the squared distance to the nearest word chosen
    before; the one that leaves the least sum of such distances is taken. Returns how
    many could be chosen: fewer than ``len(words)`` means that there are no more
    distinct points. Cost: n * n_words * (1 + n_trials); compiled calls end after
    ``words_per_call``.
    """
    n, n_words = len(points), len(words)
    # Coordinates apart: the compiler does not vectorize over pairs.
    x, y = np.ascontiguousarray(points.T)
    squared = np.full(n, np.inf)
    chosen = np.empty(n_words + 1, np.int64)
    chosen[0] = min(int(draw_unit(stream, np.uint64(0)) * n), n - 1)
    n_found = 0
    for first in range(0, n_words, words_per_call):
        last = min(first + words_per_call, n_words)
        n_found = _seed(x, y, squared, stream, n_trials, first, last, chosen)
        if n_found < last:
            break
    words[:n_found] = points[chosen[:n_found]]
    return n_found


@njit(nogil=True, cache=True)
def _seed(
    x: Floats,
    y: Floats,
    squared: Floats,
    stream: np.uint64,
    n_trials: int,
    first: int,
    last: int,
    chosen: NDArray[np.int64],
) -> int:
    """Add words ``first:last`` and choose the one after each; return how many."""
    block_sums = np.empty((x.shape[0] + BLOCK - 1) // BLOCK)
    nearer, sums = np.empty(BLOCK), np.empty(block_sums.shape[0])
    for k in range(first, last):
        total = _approach(x, y, chosen[k], squared, squared, block_sums)
        # The last entry of all is not a word.
        if k + 2 == chosen.shape[0]:
            break
        if not total > 0.0:
            return k + 1
        smallest = INFINITY
        chosen[k + 1] = chosen[k]
        for trial in range(n_trials):
            share = draw_unit(stream, np.uint64(1 + k * n_trials + trial))
            candidate = _walk_to(share * total, squared, block_sums)
            left = _approach(x, y, candidate, squared, nearer, sums)
            if left < smallest:
                smallest, chosen[k + 1] = left, candidate
    return last


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
        # Slices from 0, or nothing would be vectorized: see assign.
        some_x, some_y, before = x[low:high], y[low:high], squared[low:high]
        after = nearer[low:high] if nearer.shape[0] == n else nearer[: high - low]
        for i in range(high - low):
            dx, dy = some_x[i] - to_x, some_y[i] - to_y
            d = dx * dx + dy * dy
            after[i] = d if d < before[i] else before[i]
        block_sums[block] = sum_of(after)
        total += block_sums[block]
    return total


@njit(nogil=True, cache=True, inline="always")
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


def lloyd(
    points: Floats,
    words: Floats,
    max_iter: int,
    tolerance: float,
    labels: NDArray[np.int32],
    points_per_call: int,
) -> tuple[float, int]:
    """Move ``words`` to the means of their points until nothing changes.

    Stops when no label changes, when the sum of squared distances falls by less than
    ``tolerance`` of itself, or after ``max_iter`` rounds. A word without points
    restarts at the point furthest from its word. Returns that sum for the final words,
    and the number of rounds. Cost of a round: n * n_words distances; compiled calls end
    after ``points_per_call``, rounded up to whole blocks.
    """
    squared = np.empty(len(points))
    reach = np.zeros(len(words))
    step = -(-points_per_call // BLOCK) * BLOCK

    def assign() -> tuple[float, int]:
        inertia, n_changed = 0.0, 0
        for start in range(0, len(points), step):
            stop = min(start + step, len(points))
            inertia, changed = _assign(
                points, start, stop, words, reach, labels, squared, inertia
            )
            n_changed += changed
        return inertia, n_changed

    previous = np.inf
    inertia, _ = assign()
    rounds = 0
    while rounds < max_iter:
        rounds += 1
        _move(points, labels, squared, words, reach)
        inertia, n_changed = assign()
        if n_changed == 0 or previous - inertia <= tolerance * inertia:
            break
        previous = inertia
    return inertia, rounds


@njit(nogil=True, cache=True)
def _assign(
    points: Floats,
    start: int,
    stop: int,
    words: Floats,
    reach: Floats,
    labels: NDArray[np.int32],
    squared: Floats,
    inertia: float,
) -> tuple[float, int]:
    """Label points ``start:stop``; add their squared distances, count the changes.

    A point nearer to the word of its label than ``reach`` (squared) keeps it; others
    are compared with all words.
    """
    x = np.empty(BLOCK)
    y = np.empty(BLOCK)
    smallest = np.empty(BLOCK)
    nearest = np.empty(BLOCK, np.int64)
    is_open, which = np.empty(BLOCK, np.uint64), np.empty(BLOCK, np.uint64)
    n_changed = 0
    for low in range(start, stop, BLOCK):
        size = min(BLOCK, stop - low)
        some, known, distances = points[low:], labels[low:], squared[low:]
        for t in range(size):
            k = np.uint64(known[t])
            dx, dy = some[t, 0] - words[k, 0], some[t, 1] - words[k, 1]
            distances[t] = dx * dx + dy * dy
            is_open[t] = distances[t] >= reach[k]
        # No branches: a processor would guess wrong at every third point.
        end = np.uint64(0)
        for t in range(size):
            x[end], y[end], which[end] = some[t, 0], some[t, 1], np.uint64(t)
            end += is_open[t]
        n_open = int(end)
        scan_block(x, y, n_open, words, smallest, nearest)
        for t in range(n_open):
            at = which[t]
            n_changed += known[at] != nearest[t]
            known[at] = nearest[t]
            distances[at] = smallest[t]
        inertia += sum_of(distances[:size])
    return inertia, n_changed


@njit(nogil=True, cache=True)
def _move(
    points: Floats,
    labels: NDArray[np.int32],
    squared: Floats,
    words: Floats,
    reach: Floats,
) -> None:
    """Move each word to the mean of its points; restart those that have none.

    Sets ``reach`` to the square of half the distance to the nearest other word: a point
    nearer than that has no other nearest word. Where that is not worth its time, to 0.
    """
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
    if n_words * POINTS_PER_WORD <= n:
        for k in range(n_words):
            reach[k] = INFINITY
            for j in range(k):
                dx, dy = words[k, 0] - words[j, 0], words[k, 1] - words[j, 1]
                d = QUARTER * (dx * dx + dy * dy)
                reach[j] = d if d < reach[j] else reach[j]
                reach[k] = d if d < reach[k] else reach[k]
        for k in range(n_words):
            reach[k] = reach[k] if reach[k] > SMALLEST_SQUARE else 0.0


@njit(nogil=True, cache=True, inline="always")
def _furthest(squared: Floats) -> int:
    """Return the first index of the largest number; np.argmax is slow to compile."""
    furthest = 0
    for i in range(squared.shape[0]):
        if squared[i] > squared[furthest]:
            furthest = i
    return furthest
