"""Passes over the consolidated diagram: order statistics and random draws.

Every pass is a sum or a filter over points, so blocks of points can be walked one by
one and their results merged. Points are counted through all blocks; ``first`` is the
number of points before the block.
"""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

from pbow.compute.exponential import bits_of_64
from pbow.compute.ramp import ramp_weight
from pbow.compute.random import draw_bits

__all__ = ["N_BINS", "add_bins", "keep_bins", "keep_small_keys", "pick", "total_weight"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

# The upper bits of a non-negative float64 (11 of exponent, 5 of fraction) grow with it.
SHIFT = 47
N_BINS = 1 << 16
# Whole-number weights make sums exact, hence the same for any cut into blocks.
FULL_WEIGHT = 1 << 20


@njit(nogil=True, cache=True)
def add_bins(points: Floats, counts: Ints) -> None:
    """Add the block's persistences to a histogram over their upper bits."""
    for i in range(points.shape[0]):
        counts[bits_of_64(points[i, 1] - points[i, 0]) >> SHIFT] += 1


@njit(nogil=True, cache=True)
def keep_bins(points: Floats, wanted: NDArray[np.bool_], out: Floats) -> int:
    """Copy the persistences whose bin is ``wanted`` to ``out``; return how many."""
    n = 0
    for i in range(points.shape[0]):
        persistence = points[i, 1] - points[i, 0]
        if wanted[bits_of_64(persistence) >> SHIFT]:
            out[n] = persistence
            n += 1
    return n


@njit(nogil=True, cache=True)
def keep_small_keys(
    stream: np.uint64,
    first: int,
    n_points: int,
    limit: np.uint64,
    keys: NDArray[np.uint64],
    rows: Ints,
) -> int:
    """List the block's points whose random key is below ``limit`` (uint64).

    The key of point i is draw i of ``stream``. Returns how many there are; those beyond
    the room in ``keys`` and ``rows`` are counted but not listed.
    """
    n = 0
    for i in range(n_points):
        key = draw_bits(stream, np.uint64(first + i))
        if key < limit:
            if n < keys.shape[0]:
                keys[n] = key
                rows[n] = i
            n += 1
    return n


@njit(nogil=True, cache=True)
def whole_weight(persistence: float, low: float, high: float) -> np.int64:
    """Return the ramp's weight as a whole number from 0 to FULL_WEIGHT."""
    return np.int64(ramp_weight(persistence, low, high) * FULL_WEIGHT + 0.5)


@njit(nogil=True, cache=True)
def total_weight(points: Floats, low: float, high: float) -> np.int64:
    """Return the sum of the whole weights of the block."""
    total = np.int64(0)
    for i in range(points.shape[0]):
        total += whole_weight(points[i, 1] - points[i, 0], low, high)
    return total


@njit(nogil=True, cache=True)
def pick(
    points: Floats, low: float, high: float, before: np.int64, draws: Ints, rows: Ints
) -> None:
    """Set ``rows[j]`` to the point at which the running weight passes ``draws[j]``.

    ``draws`` ascend; ``before`` is the weight of the blocks before this one.
    """
    reached = before
    j = 0
    for i in range(points.shape[0]):
        if j == draws.shape[0]:
            return
        reached += whole_weight(points[i, 1] - points[i, 0], low, high)
        while j < draws.shape[0] and draws[j] < reached:
            rows[j] = i
            j += 1
