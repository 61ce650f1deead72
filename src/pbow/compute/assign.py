"""The nearest word of every point, by brute force.

"Nearest" is by ``(x - word_x)**2 + (y - word_y)**2`` as float64 arithmetic gives it,
with x = birth * inverse[0], y = (death - birth) * inverse[1] and words scaled likewise;
ties go to the lowest index.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pbow.compute.jit import inlined

__all__ = ["BLOCK", "label_brute", "scan_block"]

Floats = NDArray[np.float64]

BLOCK = 256  # points at a time: what is known of them stays in the nearest cache
INFINITY = np.inf


@inlined
def label_brute(
    flat: Floats,
    start: int,
    stop: int,
    words: Floats,
    inverse: Floats,
    floats: Floats,
) -> None:
    """Set ``floats[3, t]`` to the word nearest to point ``start + t``, before ``stop``.

    At most BLOCK points. ``flat`` has their births and deaths on one axis: the compiler
    cannot know that a point has two coordinates, and would not vectorize. ``floats`` is
    (4, BLOCK), see :func:`scan_block`. Cost: n_words distances per point, vectorized
    over points.
    """
    x, y = floats[0], floats[1]
    inverse_x, inverse_y = inverse[0], inverse[1]
    # From 0: with an offset in the index, it might be negative for all that is known,
    # and again nothing would be vectorized.
    block = flat[2 * start : 2 * stop]
    for t in range(stop - start):
        birth = block[2 * t]
        x[t] = birth * inverse_x
        y[t] = (block[2 * t + 1] - birth) * inverse_y
    scan_block(words, stop - start, floats)


@inlined
def scan_block(words: Floats, size: int, floats: Floats) -> None:
    """Set the smallest squared distance and the nearest word of ``size`` points.

    Rows of ``floats``: x and y, which are given, the distance, and the number of the
    word, in float64, so that it is chosen in the same vectors as the distance.
    """
    x, y = floats[0], floats[1]
    smallest, nearest = floats[2], floats[3]
    for t in range(size):
        smallest[t] = INFINITY
        nearest[t] = 0.0
    last = words.shape[0] - 1
    # Two words per pass: the running minimum is loaded and stored less often. The last
    # of an odd number comes twice, and is not nearer than itself.
    for k in range(0, last + 1, 2):
        other = min(k + 1, last)
        x0, y0 = words[k, 0], words[k, 1]
        x1, y1 = words[other, 0], words[other, 1]
        first, second = float(k), float(other)
        for t in range(size):
            best, which = smallest[t], nearest[t]
            dx, dy = x[t] - x0, y[t] - y0
            d = dx * dx + dy * dy
            if d < best:
                best, which = d, first
            dx, dy = x[t] - x1, y[t] - y1
            d = dx * dx + dy * dy
            if d < best:
                best, which = d, second
            smallest[t], nearest[t] = best, which
