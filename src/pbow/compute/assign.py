"""The nearest word of every point, by brute force.

"Nearest" is by ``(x - word_x)**2 + (y - word_y)**2`` as float64 arithmetic gives it,
with x = birth * inverse[0], y = (death - birth) * inverse[1] and words scaled likewise;
ties go to the lowest index.
"""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

__all__ = ["BLOCK", "label_brute", "scan_block"]

Floats = NDArray[np.float64]
Labels = NDArray[np.int32]

BLOCK = 256  # points at a time: what is known of them stays in the nearest cache
INFINITY = np.inf


@njit(nogil=True, cache=True)
def label_brute(
    points: Floats, start: int, words: Floats, inverse: Floats, labels: Labels
) -> None:
    """Set ``labels[t]`` to the word nearest to ``points[start + t]``.

    Cost: len(labels) * n_words distances, vectorized over points.
    """
    x = np.empty(BLOCK)
    y = np.empty(BLOCK)
    smallest = np.empty(BLOCK)
    nearest = np.empty(BLOCK, np.int64)
    inverse_x, inverse_y = inverse[0], inverse[1]
    # One axis: the compiler cannot know that a point has two coordinates. And slices
    # from 0: with an offset in the index, it might be negative for all that is known.
    # Either way nothing would be vectorized.
    flat = points.reshape(2 * points.shape[0])
    for low in range(0, labels.shape[0], BLOCK):
        size = min(BLOCK, labels.shape[0] - low)
        block = flat[2 * (start + low) : 2 * (start + low + size)]
        found = labels[low : low + size]
        for t in range(size):
            birth = block[2 * t]
            x[t] = birth * inverse_x
            y[t] = (block[2 * t + 1] - birth) * inverse_y
        scan_block(x, y, size, words, smallest, nearest)
        for t in range(size):
            found[t] = nearest[t]


@njit(nogil=True, cache=True)
def scan_block(
    x: Floats,
    y: Floats,
    size: int,
    words: Floats,
    smallest: Floats,
    nearest: NDArray[np.int64],
) -> None:
    """Set the smallest squared distance and the nearest word of ``size`` points."""
    for t in range(size):
        smallest[t] = INFINITY
        nearest[t] = 0
    n_words = words.shape[0]
    k = 0
    # Four words per pass: the running minimum is loaded and stored less often.
    while k + 4 <= n_words:
        x0, y0, x1, y1 = words[k, 0], words[k, 1], words[k + 1, 0], words[k + 1, 1]
        x2, y2 = words[k + 2, 0], words[k + 2, 1]
        x3, y3 = words[k + 3, 0], words[k + 3, 1]
        for t in range(size):
            best, which = smallest[t], nearest[t]
            d = (x[t] - x0) * (x[t] - x0) + (y[t] - y0) * (y[t] - y0)
            which = k if d < best else which
            best = d if d < best else best
            d = (x[t] - x1) * (x[t] - x1) + (y[t] - y1) * (y[t] - y1)
            which = k + 1 if d < best else which
            best = d if d < best else best
            d = (x[t] - x2) * (x[t] - x2) + (y[t] - y2) * (y[t] - y2)
            which = k + 2 if d < best else which
            best = d if d < best else best
            d = (x[t] - x3) * (x[t] - x3) + (y[t] - y3) * (y[t] - y3)
            which = k + 3 if d < best else which
            best = d if d < best else best
            smallest[t], nearest[t] = best, which
        k += 4
    while k < n_words:
        x0, y0 = words[k, 0], words[k, 1]
        for t in range(size):
            best, which = smallest[t], nearest[t]
            d = (x[t] - x0) * (x[t] - x0) + (y[t] - y0) * (y[t] - y0)
            nearest[t] = k if d < best else which
            smallest[t] = d if d < best else best
        k += 1
