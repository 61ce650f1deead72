"""Expectation: what share each component of a Gaussian mixture has in each point.

Components are kept as in ``likelihood``, padded.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pbow.compute.exponential import bits_of_64, float_of_64, half_to
from pbow.compute.jit import contracted
from pbow.compute.likelihood import LOG_2, distance, far_shares
from pbow.compute.mixture import pad
from pbow.compute.tiles import LANES, TILE, Tiles, add_moments, find_near

__all__ = ["expect", "log_densities"]

Floats = NDArray[np.float64]

# Below this, likelihoods have lost digits; the slow way has its own scale.
FAINT = 1e-250
# What is smaller than a sum by a factor of 2 ** FAR does not change it: it has 53 bits.
FAR = 56.0
# Of a float64: its digits, and those of 1.
MANTISSA, BITS_OF_1 = 2**52 - 1, 1023 << 52
# Unsigned: an index that may be negative is compared twice.
ZERO, TILE_U, N_SUMS = np.uint64(0), np.uint64(TILE), np.uint64(6 * LANES)


def expect(
    tiles: Tiles, components: Floats, densities: Floats, points_per_call: int
) -> tuple[Floats, float]:
    """Return each component's share of the points as ``moments`` (6, components).

    Rows: sum of responsibilities r, of r dx, r dy, r dx dx, r dx dy, r dy dy, with dx,
    dy from the component's mean. Also returns the log-likelihood. The density of point
    i of the tiles is set to ``densities[0, i] * 2 ** densities[1, i]``. In a tile,
    components whose density is negligible are left out, see :func:`find_near`; each
    changes the density of a point by less than its rounding. Cost: one power of 2 per
    point and component of its tile; compiled calls end after ``points_per_call``,
    rounded up to whole tiles.
    """
    n, unit = components.shape[1], components[5].max()
    packed = pad(components, LANES)
    width = packed.shape[1]
    sums, shares = np.zeros(width * 6 * LANES), np.empty(width * TILE)
    bounds, near = np.empty((2, width)), np.zeros(width, np.uint64)
    few, exponents = np.ones((3, TILE)), np.zeros(TILE, np.int64)
    n_tiles, step = len(tiles.boxes), -(-points_per_call // TILE)
    for first in range(0, n_tiles, step):
        _expect(
            *tiles,
            first,
            min(first + step, n_tiles),
            packed,
            unit,
            bounds,
            near,
            shares,
            few,
            exponents,
            sums,
            densities,
        )
    moments: Floats = np.einsum("kml->mk", sums.reshape(width, 6, LANES)[:n])
    whole = float(exponents.sum()) + float(densities[1].sum())
    return moments, LOG_2 * whole + float(np.log(few[2]).sum())


def log_densities(densities: Floats) -> Floats:
    """Return the logarithms of densities as :func:`expect` gives them."""
    logarithms: Floats = np.log(densities[0]) + LOG_2 * densities[1]
    return logarithms


@contracted
def _expect(
    x: Floats,
    y: Floats,
    boxes: Floats,
    first: int,
    last: int,
    components: Floats,
    unit: float,
    bounds: Floats,
    near: NDArray[np.uint64],
    shares: Floats,
    few: Floats,
    exponents: NDArray[np.int64],
    sums: Floats,
    densities: Floats,
) -> None:
    """Add tiles ``first:last`` to ``sums``, LANES for each, and set their densities.

    The largest factor is two to the power of ``unit``. Of the product of all densities,
    ``exponents`` and ``few[2]`` have TILE parts. Other arguments are scratch.
    """
    total, inverse, product = few[0], few[1], few[2]
    for at in range(first, last):
        low = np.uint64(at) * TILE_U
        size = min(TILE, densities.shape[1] - at * TILE)
        n_near = find_near(boxes, at, components, FAR, bounds, near)
        for t in range(TILE):
            total[t] = 0.0
        for j in range(n_near):
            k, start = near[j], np.uint64(j) * TILE_U
            mx, my, less = components[0, k], components[1, k], components[5, k]
            a, b, c = components[2, k], components[3, k], components[4, k]
            for t in range(TILE):
                point = low + np.uint64(t)
                away = distance(x[point], y[point], mx, my, a, b, c)
                power = half_to(away - less)
                shares[start + np.uint64(t)] = power
                total[t] += power
        for t in range(size):
            point = low + np.uint64(t)
            densities[1, point] = unit
            if total[t] < FAINT:
                alone = bounds[0]
                total[t], shift = far_shares(
                    *(x[point], y[point], components),
                    *(ZERO, np.uint64(alone.shape[0]), alone),
                )
                densities[1, point] += shift
                for j in range(n_near):
                    shares[j * TILE + t] = alone[near[j]]
            densities[0, point] = total[t]
        for t in range(size, TILE):
            total[t] = 1.0
        for t in range(TILE):
            inverse[t] = 1.0 / total[t]
            # One logarithm for all: of a product, the exponent is kept apart.
            bits = bits_of_64(product[t] * total[t])
            exponents[t] += (bits >> 52) - 1023
            product[t] = float_of_64((bits & MANTISSA) | BITS_OF_1)
        # The last point, once more, has no share.
        for t in range(size, TILE):
            inverse[t] = 0.0
        for j in range(n_near):
            k, start = near[j], np.uint64(j) * TILE_U
            add_moments(
                *(shares, start, inverse, x, y, low),
                *(components[0, k], components[1, k], sums, k * N_SUMS),
            )
