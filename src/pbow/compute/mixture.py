"""Gaussian mixtures in the plane by expectation maximisation.

``points`` is (n, 2). Components are kept as in ``likelihood``: a triangular root of half
the precision matrix and a log factor, padded to a multiple of LANES; moments are taken
about the old means, so that nothing cancels.
"""

from __future__ import annotations

import math

import numpy as np
from numba import njit
from numpy.typing import NDArray

from pbow.compute.exponential import CONTRACT, exp64
from pbow.compute.likelihood import LANES

__all__ = ["expect", "maximize", "pack"]

Floats = NDArray[np.float64]

PADDING = -1e300  # a log factor whose exponential is 0, and finite


@njit(nogil=True, cache=True)
def pack(
    weights: Floats, means: Floats, covariances: Floats, components: Floats
) -> None:
    """Fill ``components`` (6, padded) of ``weights``, ``means`` and ``covariances``.

    Rows: mean x, mean y, L11, L21, L22, log(weight * density at the mean).
    """
    components[:] = 0.0
    components[5] = PADDING
    for k in range(weights.shape[0]):
        # Root of the covariance first: the inverse of a triangle is exact to rounding.
        xx, xy, yy = covariances[k, 0, 0], covariances[k, 1, 0], covariances[k, 1, 1]
        a = math.sqrt(xx)
        b = xy / a
        c = math.sqrt(max(yy - b * b, 1e-14 * yy))
        root_half = math.sqrt(0.5)
        components[0, k] = means[k, 0]
        components[1, k] = means[k, 1]
        components[2, k] = root_half / a
        components[3, k] = -root_half * b / (a * c)
        components[4, k] = root_half / c
        components[5, k] = math.log(weights[k]) - math.log(2.0 * math.pi * a * c)


@njit(nogil=True, cache=True, fastmath=CONTRACT)
def expect(
    points: Floats, components: Floats, moments: Floats, densities: Floats
) -> float:
    """Fill ``moments`` (6, padded) with each component's share of the points.

    Rows: sum of responsibilities r, of r dx, r dy, r dx dx, r dx dy, r dy dy, with dx,
    dy from the component's mean. ``densities[i]`` is the log density of point i. Returns
    their mean. Points are summed in their order. Cost: one exponential a point and
    component.
    """
    n, width = points.shape[0], components.shape[1]
    mean_x, mean_y = components[0], components[1]
    l11, l21, l22, log_factor = components[2], components[3], components[4], components[5]
    logs = np.empty(width)
    share = np.empty(width)
    lanes = np.empty(LANES)
    moments[:] = 0.0
    s0, sx, sy = moments[0], moments[1], moments[2]
    sxx, sxy, syy = moments[3], moments[4], moments[5]
    # Factors may be far above 1 where components are small: exp wants logs <= 0.
    top = log_factor.max()
    mean_density = 0.0
    for i in range(n):
        x, y = points[i, 0], points[i, 1]
        for k in range(width):
            dx = x - mean_x[k]
            dy = y - mean_y[k]
            u = dx * l11[k]
            v = dx * l21[k] + dy * l22[k]
            logs[k] = log_factor[k] - top - (u * u + v * v)
        shift = 0.0
        total = _exponentials(logs, shift, share, lanes)
        if total < 1e-250:
            shift = logs.max()
            total = _exponentials(logs, shift, share, lanes)
        log_density = math.log(total) + shift + top
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


@njit(nogil=True, cache=True, fastmath=CONTRACT)
def _exponentials(logs: Floats, shift: float, share: Floats, lanes: Floats) -> float:
    """Set ``share = exp(logs - shift)`` and return its sum."""
    for k in range(logs.shape[0]):
        share[k] = exp64(logs[k] - shift)
    lanes[:] = 0.0
    for first in range(0, logs.shape[0], LANES):
        for lane in range(LANES):
            lanes[lane] += share[first + lane]
    total = 0.0
    for lane in range(LANES):
        total += lanes[lane]
    return total


@njit(nogil=True, cache=True)
def maximize(
    moments: Floats,
    n_points: int,
    diagonal: bool,  # noqa: FBT001 - numba takes positional arguments only
    floor: float,
    weights: Floats,
    means: Floats,
    covariances: Floats,
) -> None:
    """Set weights, means and covariances from ``moments`` about the old means.

    Variances (eigenvalues, if not ``diagonal``) are raised to at least ``floor``. A
    component that no point belongs to keeps its place, with next to no weight.
    """
    total = 0.0
    for k in range(weights.shape[0]):
        mass = moments[0, k]
        weights[k] = max(mass / n_points, 1e-20)
        total += weights[k]
        if mass < 1e-10:
            continue
        dx, dy = moments[1, k] / mass, moments[2, k] / mass
        means[k, 0] += dx
        means[k, 1] += dy
        xx = moments[3, k] / mass - dx * dx
        xy = moments[4, k] / mass - dx * dy
        yy = moments[5, k] / mass - dy * dy
        if diagonal:
            xx, xy, yy = max(xx, floor), 0.0, max(yy, floor)
        else:
            xx, xy, yy = _raise_eigenvalues(xx, xy, yy, floor)
        covariances[k, 0, 0] = xx
        covariances[k, 0, 1] = covariances[k, 1, 0] = xy
        covariances[k, 1, 1] = yy
    for k in range(weights.shape[0]):
        weights[k] /= total


@njit(nogil=True, cache=True)
def _raise_eigenvalues(
    xx: float, xy: float, yy: float, floor: float
) -> tuple[float, float, float]:
    """Clamp both eigenvalues of a symmetric 2 x 2 matrix from below."""
    middle = 0.5 * (xx + yy)
    radius = math.hypot(0.5 * (xx - yy), xy)
    small, large = middle - radius, middle + radius
    if small >= floor:
        return xx, xy, yy
    if large <= floor or radius == 0.0:
        return max(xx, floor), 0.0, max(yy, floor)
    # A = small P + large (I - P): change only the eigenvalue of the projector P.
    rise = (floor - small) / (2.0 * radius)
    return (
        xx + rise * (large - xx),
        xy - rise * xy,
        yy + rise * (large - yy),
    )
