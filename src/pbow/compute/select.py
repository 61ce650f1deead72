"""Passes over the consolidated diagram: order statistics and random draws.

Every pass is a sum or a filter over points, so blocks of points can be walked one by
one and their results merged. Points are counted through all blocks; ``first`` is the
number of points before the block.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from pbow.compute.exponential import bits_of_64
from pbow.compute.jit import loop
from pbow.compute.random import draw_bits, draw_unit, fill_bits

__all__ = [
    "N_BINS",
    "OFFSET_BITS",
    "SHIFT",
    "add_bins",
    "keep_bins",
    "keep_small_keys",
    "thin",
]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

# The upper bits of a non-negative float64 (11 of exponent, 5 of fraction) grow with it.
SHIFT = 47
N_BINS = 1 << 16
# Within a bin, numbers grow linearly with their lower bits. Of these the first ones are
# added up: whole numbers, whose sums are the same for any cut into blocks.
OFFSET_BITS = 20
REST = np.uint64(SHIFT - OFFSET_BITS)
OFFSET_MASK = np.uint64((1 << OFFSET_BITS) - 1)
# Points whose keys numpy draws in less time than it takes to load a compiled loop.
FEW = 100_000
# A Poisson variable of a larger mean is a sum of several: exp(-mean) stays large.
LARGEST_MEAN = 16.0


@loop
def add_bins(points: Floats, bins: Ints) -> None:
    """Add the block's persistences to a histogram over their upper bits.

    A row of ``bins`` is the number of persistences in that bin, and the sum of their
    next lower bits.
    """
    flat = points.reshape(2 * points.shape[0])
    for i in range(points.shape[0]):
        bits = _bits_of(flat[2 * i + 1] - flat[2 * i])
        k = bits >> np.uint64(SHIFT)
        bins[k, 0] += 1
        bins[k, 1] += np.int64((bits >> REST) & OFFSET_MASK)


@loop
def _bits_of(persistence: float) -> np.uint64:
    # Unsigned: an index that may be negative is compared twice. And -0.0 is 0:
    # its sign is the highest bit.
    return np.uint64(bits_of_64(abs(persistence)))


@loop
def keep_bins(points: Floats, wanted: NDArray[np.bool_], out: Floats) -> int:
    """Copy the persistences whose bin is ``wanted`` to ``out``; return how many.

    Those beyond the room in ``out`` are counted but not copied.
    """
    flat = points.reshape(2 * points.shape[0])
    n = 0
    for i in range(points.shape[0]):
        persistence = flat[2 * i + 1] - flat[2 * i]
        if wanted[_bits_of(persistence) >> np.uint64(SHIFT)]:
            if n < out.shape[0]:
                out[n] = persistence
            n += 1
    return n


def keep_small_keys(
    stream: np.uint64,
    first: int,
    n_points: int,
    limit: np.uint64,
    keys: NDArray[np.uint64],
    rows: Ints,
) -> int:
    """List the block's points whose random key is at most ``limit`` (uint64).

    The key of point i is draw i of ``stream``. Returns how many there are; those beyond
    the room in ``keys`` and ``rows`` are counted but not listed.
    """
    if n_points > FEW:
        n: int = _keep_small_keys(stream, first, n_points, limit, keys, rows)
        return n
    drawn = np.empty(n_points, np.uint64)
    fill_bits(stream, drawn, first)
    found = np.flatnonzero(drawn <= limit)
    listed = found[: len(keys)]
    keys[: len(listed)], rows[: len(listed)] = drawn[listed], listed
    return len(found)


@loop
def _keep_small_keys(
    stream: np.uint64,
    first: int,
    n_points: int,
    limit: np.uint64,
    keys: NDArray[np.uint64],
    rows: Ints,
) -> int:
    n = 0
    for i in range(n_points):
        key = draw_bits(stream, np.uint64(first + i))
        if key <= limit:
            if n < keys.shape[0]:
                keys[n] = key
                rows[n] = i
            n += 1
    return n


@loop
def thin(
    points: Floats,
    first: int,
    low: float,
    high: float,
    rate: float,
    stream: np.uint64,
    keys: NDArray[np.uint64],
    rows: Ints,
) -> int:
    """List each of the block's points in a random number of copies, with their keys.

    The number of copies is a Poisson variable; its mean is ``rate`` times the ramp of
    the persistence. What is drawn for point i depends on i and ``stream`` alone.
    Returns how many copies there are; those beyond the room in ``keys`` and ``rows``
    are counted but not listed.
    """
    flat = points.reshape(2 * points.shape[0])
    # Lengths in a power of two near that of the ramp: exact, and no inverse overflows.
    unit = math.ldexp(1.0, min(-math.frexp(high - low)[1], 1023))
    slope = 1.0 / ((high - low) * unit) if high > low else 0.0
    # No copy has a chance of exp(-mean) >= 1 - mean, and no mean is above the rate. So
    # below this draw there is none, whatever the weight; a little lower, for rounding.
    none_below = np.uint64(max(0.0, 1.0 - 1.000001 * rate) * (2.0**64 - 2048.0))
    n = 0
    for i in range(points.shape[0]):
        place = np.uint64(first + i)
        if draw_bits(stream, place) < none_below:
            continue
        persistence = flat[2 * i + 1] - flat[2 * i]
        weight = min(max((persistence - low) * unit * slope, 0.0), 1.0)
        weight = 1.0 if persistence >= high else weight
        mean = rate * weight
        if draw_unit(stream, place) < 1.0 - mean:
            continue
        own = draw_bits(~stream, place)
        for c in range(_poisson(mean, stream, own, place)):
            if n < keys.shape[0]:
                keys[n] = draw_bits(own, np.uint64(c))
                rows[n] = i
            n += 1
    return n


@loop
def _poisson(mean: float, stream: np.uint64, own: np.uint64, i: np.uint64) -> int:
    """Return a Poisson variable, by inversion of draw ``i`` of ``stream``.

    Of a large mean, the further terms are inversions of draws of ``own`` from the end.
    """
    n_terms = max(1, math.ceil(mean / LARGEST_MEAN))
    share = mean / n_terms
    total = 0
    for k in range(n_terms):
        u = draw_unit(stream, i) if k == 0 else draw_unit(own, ~np.uint64(k))
        chance = math.exp(-share)
        reached = chance
        copies = 0
        # Beyond, chances are below the rounding of their sum.
        while u >= reached and copies < 100:
            copies += 1
            chance *= share / copies
            reached += chance
        total += copies
    return total
