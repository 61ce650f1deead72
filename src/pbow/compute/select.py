"""Passes over the consolidated diagram: order statistics and random draws.

Every pass is a sum or a filter over points, so blocks of points can be walked one by
one and their results merged. Points are counted through all blocks; ``first`` is the
number of points before the block.
"""

from __future__ import annotations

import math

import numpy as np
from numba import njit
from numpy.typing import NDArray

from pbow.compute.assign import BLOCK
from pbow.compute.exponential import bits_of_64
from pbow.compute.random import draw_bits

__all__ = ["N_BINS", "add_bins", "keep_bins", "keep_small_keys", "pick", "total_weight"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

# The upper bits of a non-negative float64 (11 of exponent, 5 of fraction) grow with it.
SHIFT = np.uint64(47)
N_BINS = 1 << 16
# Whole-number weights make sums exact, hence the same for any cut into blocks.
FULL_WEIGHT = 1 << 20


@njit(nogil=True, cache=True)
def add_bins(points: Floats, counts: Ints) -> None:
    """Add the block's persistences to a histogram over their upper bits."""
    flat = points.reshape(2 * points.shape[0])
    for i in range(points.shape[0]):
        counts[_bin_of(flat[2 * i + 1] - flat[2 * i])] += 1


@njit(nogil=True, cache=True)
def _bin_of(persistence: float) -> np.uint64:
    # Unsigned, because an index that may be negative is looked at twice. And -0.0 is 0:
    # its sign is the highest bit.
    return np.uint64(bits_of_64(abs(persistence))) >> SHIFT


@njit(nogil=True, cache=True)
def keep_bins(points: Floats, wanted: NDArray[np.bool_], out: Floats) -> int:
    """Copy the persistences whose bin is ``wanted`` to ``out``; return how many."""
    flat = points.reshape(2 * points.shape[0])
    n = 0
    for i in range(points.shape[0]):
        persistence = flat[2 * i + 1] - flat[2 * i]
        if wanted[_bin_of(persistence)]:
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
def _weigh(
    points: Floats, start: int, size: int, low: float, high: float, out: Ints
) -> np.int64:
    """Set ``out`` to the whole weights of some points; return their sum.

    These are the ramp's, from 0 to FULL_WEIGHT, in a form without branches. Lengths are
    taken in a power of two near that of the ramp: exact, and no inverse overflows.
    """
    flat = points.reshape(2 * points.shape[0])
    some = flat[2 * start : 2 * (start + size)]
    unit = math.ldexp(1.0, min(-math.frexp(high - low)[1], 1023))
    rate = 1.0 / ((high - low) * unit) if high > low else 0.0
    total = np.int64(0)
    for i in range(size):
        persistence = some[2 * i + 1] - some[2 * i]
        weight = min(max((persistence - low) * unit * rate, 0.0), 1.0)
        weight = 1.0 if persistence >= high else weight
        # Not above 2**20: a whole number of 32 bits, which processors convert to.
        out[i] = np.int32(weight * FULL_WEIGHT + 0.5)
        total += out[i]
    return total


@njit(nogil=True, cache=True)
def total_weight(points: Floats, low: float, high: float) -> np.int64:
    """Return the sum of the whole weights of the block."""
    weights = np.empty(BLOCK, np.int64)
    total = np.int64(0)
    for start in range(0, points.shape[0], BLOCK):
        size = min(BLOCK, points.shape[0] - start)
        total += _weigh(points, start, size, low, high, weights)
    return total


@njit(nogil=True, cache=True)
def pick(
    points: Floats, low: float, high: float, before: np.int64, draws: Ints, rows: Ints
) -> None:
    """Set ``rows[j]`` to the point at which the running weight passes ``draws[j]``.

    ``draws`` ascend; ``before`` is the weight of the blocks before this one.
    """
    weights = np.empty(BLOCK, np.int64)
    reached = before
    j = 0
    for start in range(0, points.shape[0], BLOCK):
        if j == draws.shape[0]:
            return
        size = min(BLOCK, points.shape[0] - start)
        total = _weigh(points, start, size, low, high, weights)
        # Most blocks have no draw in them, and are not walked.
        if draws[j] >= reached + total:
            reached += total
            continue
        for i in range(size):
            reached += weights[i]
            while j < draws.shape[0] and draws[j] < reached:
                rows[j] = start + i
                j += 1
