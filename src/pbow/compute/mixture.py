"""Gaussian mixtures in the plane by expectation maximization.

``points`` is (n, 2). Components are kept as in ``likelihood``, padded. Moments are
taken about the old means, so that nothing cancels.
"""

from __future__ import annotations

import math

import numpy as np
from numba import njit
from numpy.typing import NDArray

from pbow.compute.exponential import contracted, half_to_64
from pbow.compute.likelihood import LOG_2, VECTOR_BYTES
from pbow.compute.sums import sum_of

__all__ = ["LEAST_SHARE", "expect", "maximize", "pack", "raise_eigenvalues"]

Floats = NDArray[np.float64]

LOG_ROOT_2_PI = 0.5 * math.log(2.0 * math.pi)
LEAST_MASS = 1e-10
LEAST_WEIGHT = 1e-20
# Of a variance, what is left of it given the other coordinate: the least that can be
# told from rounding.
LEAST_SHARE = 1e-14


def pack(
    weights: Floats, means: Floats, covariances: Floats, dtype: str = "float64"
) -> Floats:
    """Return components as the compiled loops want them, (6, padded for ``dtype``).

    Rows: mean x, mean y, L11, L21, L22, log2(weight * density at the mean); in one
    dimension mean y, L21 and L22 are 0.
    """
    n_words, n_dims = means.shape
    lanes = VECTOR_BYTES // np.dtype(dtype).itemsize
    components = np.zeros((6, -(-n_words // lanes) * lanes))
    components[5] = -np.inf
    mean_x, mean_y, l11, l21, l22, logs = components[:, :n_words]
    half = math.sqrt(0.5 / LOG_2)
    root_x = np.sqrt(covariances[:, 0, 0])
    mean_x[:] = means[:, 0]
    l11[:] = half / root_x
    logs[:] = np.log(weights) - np.log(root_x) - LOG_ROOT_2_PI
    if n_dims == 2:
        # The root of the covariance first: a triangle's inverse is exact to rounding.
        slope = covariances[:, 1, 0] / root_x
        rest = covariances[:, 1, 1] - slope * slope
        root_y = np.sqrt(np.maximum(rest, LEAST_SHARE * covariances[:, 1, 1]))
        mean_y[:] = means[:, 1]
        l21[:] = -half * (slope / root_y) / root_x
        l22[:] = half / root_y
        logs -= np.log(root_y) + LOG_ROOT_2_PI
    logs /= LOG_2
    return components


def expect(
    points: Floats, components: Floats, densities: Floats, points_per_call: int
) -> tuple[Floats, float]:
    """Return each component's share of the points as ``moments`` (6, padded).

    Rows: sum of responsibilities r, of r dx, r dy, r dx dx, r dx dy, r dy dy, with dx,
    dy from the component's mean. ``densities[i]`` is set to the log density of point i;
    their mean is returned, too. Points are summed in their order. Cost: one power of 2
    per point and component; compiled calls end after ``points_per_call``.
    """
    moments, mean_density = np.zeros_like(components), 0.0
    for start in range(0, len(points), points_per_call):
        stop = min(start + points_per_call, len(points))
        mean_density = _expect(
            points, start, stop, components, moments, densities, mean_density
        )
    return moments, mean_density


@contracted
def _expect(
    points: Floats,
    start: int,
    stop: int,
    components: Floats,
    moments: Floats,
    densities: Floats,
    mean_density: float,
) -> float:
    """Add points ``start:stop`` to ``moments``; return the mean log density so far."""
    width = components.shape[1]
    mean_x, mean_y = components[0], components[1]
    l11, l21, l22, log_factor = (
        components[2],
        components[3],
        components[4],
        components[5],
    )
    logs = np.empty(width)
    share = np.empty(width)
    s0, sx, sy = moments[0], moments[1], moments[2]
    sxx, sxy, syy = moments[3], moments[4], moments[5]
    # Factors may be far above 1 where components are small: powers want logs <= 0.
    top = _largest(log_factor)
    for i in range(start, stop):
        x, y = points[i, 0], points[i, 1]
        for k in range(width):
            dx = x - mean_x[k]
            dy = y - mean_y[k]
            u = dx * l11[k]
            v = dx * l21[k] + dy * l22[k]
            logs[k] = log_factor[k] - top - (u * u + v * v)
        shift = 0.0
        total = _powers(logs, shift, share)
        if total < 1e-250:
            shift = _largest(logs)
            total = _powers(logs, shift, share)
        log_density = math.log(total) + LOG_2 * (shift + top)
        densities[i] = log_density
        mean_density += (log_density - mean_density) / (i + 1)
        inverse = 1.0 / total
        for k in range(width):
            r = share[k] * inverse
            dx = x - mean_x[k]
            dy = y - mean_y[k]
            s0[k] += r
            sx[k] += r * dx
            sy[k] += r * dy
            sxx[k] += r * dx * dx
            sxy[k] += r * dx * dy
            syy[k] += r * dy * dy
    return mean_density


@contracted
def _powers(logs: Floats, shift: float, share: Floats) -> float:
    """Set ``share = 2**(logs - shift)`` and return its sum."""
    for k in range(logs.shape[0]):
        share[k] = half_to_64(shift - logs[k])
    return sum_of(share)


@njit(nogil=True, cache=True)
def _largest(values: Floats) -> float:
    """Return the largest number; np.max is slow to compile."""
    largest = -np.inf
    for value in values:
        largest = value if value > largest else largest
    return largest


def maximize(
    moments: Floats,
    means: Floats,
    covariances: Floats,
    *,
    diagonal: bool,
    floor: float,
) -> tuple[Floats, Floats, Floats]:
    """Return weights, means and covariances from ``moments`` about the old means.

    Variances (eigenvalues, if not ``diagonal``) are raised to at least ``floor``. A
    component that no point belongs to keeps its place, with next to no weight.
    """
    mass, *sums = moments[:, : len(means)]
    weights = np.maximum(mass / mass.sum(), LEAST_WEIGHT)
    alive = mass > LEAST_MASS
    dx, dy, xx, xy, yy = np.array(sums) / np.where(alive, mass, 1.0)
    xx, xy, yy = xx - dx * dx, xy - dx * dy, yy - dy * dy
    if diagonal:
        xx, xy, yy = np.maximum(xx, floor), np.zeros_like(xy), np.maximum(yy, floor)
    else:
        xx, xy, yy = raise_eigenvalues(xx, xy, yy, floor)
    new = np.moveaxis(np.array([[xx, xy], [xy, yy]]), 2, 0)
    return (
        weights / weights.sum(),
        means + np.where(alive, (dx, dy), 0.0).T,
        np.where(alive[:, np.newaxis, np.newaxis], new, covariances),
    )


def raise_eigenvalues(
    xx: Floats, xy: Floats, yy: Floats, floor: float
) -> tuple[Floats, Floats, Floats]:
    """Clamp the eigenvalues of symmetric 2 x 2 matrices from below."""
    middle, radius = 0.5 * (xx + yy), np.hypot(0.5 * (xx - yy), xy)
    small, large = middle - radius, middle + radius
    round_ = (large <= floor) | (radius == 0.0)
    # A = small P + large (I - P): only the eigenvalue of the projector P changes. Where
    # the matrix is not made round, 2 radius exceeds the rise: nothing overflows.
    rise = np.maximum(floor - small, 0.0) / np.where(round_, np.inf, 2.0 * radius)
    return (
        np.where(round_, np.maximum(xx, floor), xx + rise * (large - xx)),
        np.where(round_, 0.0, xy - rise * xy),
        np.where(round_, np.maximum(yy, floor), yy + rise * (large - yy)),
    )
