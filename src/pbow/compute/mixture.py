"""Gaussian mixtures in the plane by expectation maximization.

``points`` is (n, 2). Components are kept as in ``likelihood``, padded. Moments are
taken about the old means, so that nothing cancels.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from pbow.compute.exponential import half_to
from pbow.compute.jit import contracted
from pbow.compute.likelihood import (
    GROUP,
    LANES,
    LOG_2,
    distance,
    far_shares,
)
from pbow.compute.sums import sum_between

__all__ = [
    "LEAST_SHARE",
    "expect",
    "maximize",
    "pack",
    "pad",
    "raise_eigenvalues",
    "weigh",
]

Floats = NDArray[np.float64]

LOG_ROOT_2_PI = 0.5 * math.log(2.0 * math.pi)
LEAST_MASS = 1e-10
# Components per turn: a vector of eight numbers, or two of four.
TURN = 8
# Below this, likelihoods have lost digits; the slow way has its own scale.
FAINT = 1e-250
ZERO = np.uint64(0)
LEAST_WEIGHT = 1e-20
# Of a variance, what is left of it given the other coordinate: the least that can be
# told from rounding.
LEAST_SHARE = 1e-14


def pack(weights: Floats, means: Floats, covariances: Floats) -> Floats:
    """Return components as the compiled loops want them, (6, components).

    Rows: mean x, mean y, L11, L21, L22, log2(weight * density at the mean); in one
    dimension mean y, L21 and L22 are 0.
    """
    n_words, n_dims = means.shape
    components = np.zeros((6, n_words))
    mean_x, mean_y, l11, l21, l22, logs = components
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


def pad(components: Floats, multiple: int) -> Floats:
    """Return components with more of them, whose factor is 0, up to a ``multiple``.

    What is left over by vectorized loops is slow. The largest factor becomes 1: factors
    may be far above where components are small, but powers want logarithms <= 0.
    """
    n = components.shape[1]
    padded = np.zeros((6, -(-n // multiple) * multiple))
    padded[:, :n] = components
    padded[5, :n] -= components[5].max()
    padded[5, n:] = -np.inf
    return padded


def expect(
    points: Floats, components: Floats, densities: Floats, points_per_call: int
) -> Floats:
    """Return each component's share of the points as ``moments`` (6, components).

    Rows: sum of responsibilities r, of r dx, r dy, r dx dx, r dx dy, r dy dy, with dx,
    dy from the component's mean. ``densities[i]`` is set to the log density of point i.
    Points are summed in their order. Cost: one power of 2 per point and component;
    compiled calls end after ``points_per_call``.
    """
    n = components.shape[1]
    n_summed = -(-n // LANES) * LANES
    packed = pad(components, TURN)
    moments, shifts = np.zeros_like(packed), np.zeros(len(points))
    share, few = np.empty_like(packed[:GROUP]), np.empty((4, GROUP))
    for start in range(0, len(points), points_per_call):
        stop = min(start + points_per_call, len(points))
        _expect(
            *(points, start, stop, packed, n_summed, share, few),
            *(moments, densities, shifts),
        )
    np.log(densities, out=densities)
    densities += LOG_2 * components[5].max()
    if shifts.any():
        densities += LOG_2 * shifts
    return moments[:, :n]


@contracted
def _expect(
    points: Floats,
    start: int,
    stop: int,
    components: Floats,
    n_summed: int,
    share: Floats,
    few: Floats,
    moments: Floats,
    densities: Floats,
    shifts: Floats,
) -> None:
    """Add points ``start:stop`` to ``moments``, and set their densities.

    These are times two to the power of ``shifts``, which are 0 before: set where
    densities are too small. Components from ``n_summed`` on have a factor of 0.
    """
    width = components.shape[1]
    mean_x, mean_y, log_factor = components[0], components[1], components[5]
    l11, l21, l22 = components[2], components[3], components[4]
    share0, share1 = share[0], share[1]
    share2, share3 = share[2], share[3]
    x, y = few[0], few[1]
    inverse, total_of = few[2], few[3]
    last = np.uint64(n_summed)
    s0, sx, sy = moments[0], moments[1], moments[2]
    sxx, sxy, syy = moments[3], moments[4], moments[5]
    for first in range(start, stop, GROUP):
        for i in range(GROUP):
            at = min(first + i, stop - 1)
            x[i], y[i] = points[at, 0], points[at, 1]
        # In pairs: a tuple of more takes much longer to compile.
        x0, x1 = x[0], x[1]
        x2, x3 = x[2], x[3]
        y0, y1 = y[0], y[1]
        y2, y3 = y[2], y[3]
        for k in range(width):
            mx, my, a = mean_x[k], mean_y[k], l11[k]
            b, c, less = l21[k], l22[k], log_factor[k]
            share0[k] = half_to(distance(x0, y0, mx, my, a, b, c) - less)
            share1[k] = half_to(distance(x1, y1, mx, my, a, b, c) - less)
            share2[k] = half_to(distance(x2, y2, mx, my, a, b, c) - less)
            share3[k] = half_to(distance(x3, y3, mx, my, a, b, c) - less)
        total_of[0] = sum_between(share0, ZERO, last)
        total_of[1] = sum_between(share1, ZERO, last)
        total_of[2] = sum_between(share2, ZERO, last)
        total_of[3] = sum_between(share3, ZERO, last)
        for i in range(GROUP):
            total, at = total_of[i], min(first + i, stop - 1)
            if total < FAINT:
                total, shifts[at] = far_shares(
                    x[i], y[i], components, ZERO, last, share[i]
                )
            densities[at] = total
            # The last point, once more, has no share.
            inverse[i] = 1.0 / total if first + i < stop else 0.0
        n0, n1 = inverse[0], inverse[1]
        n2, n3 = inverse[2], inverse[3]
        for k in range(width):
            mx, my = mean_x[k], mean_y[k]
            r0, r1 = share0[k] * n0, share1[k] * n1
            r2, r3 = share2[k] * n2, share3[k] * n3
            dx0, dx1 = x0 - mx, x1 - mx
            dx2, dx3 = x2 - mx, x3 - mx
            dy0, dy1 = y0 - my, y1 - my
            dy2, dy3 = y2 - my, y3 - my
            s0[k] = (((s0[k] + r0) + r1) + r2) + r3
            sx[k] = (((sx[k] + r0 * dx0) + r1 * dx1) + r2 * dx2) + r3 * dx3
            sy[k] = (((sy[k] + r0 * dy0) + r1 * dy1) + r2 * dy2) + r3 * dy3
            xx = ((sxx[k] + r0 * dx0 * dx0) + r1 * dx1 * dx1) + r2 * dx2 * dx2
            sxx[k] = xx + r3 * dx3 * dx3
            xy = ((sxy[k] + r0 * dx0 * dy0) + r1 * dx1 * dy1) + r2 * dx2 * dy2
            sxy[k] = xy + r3 * dx3 * dy3
            yy = ((syy[k] + r0 * dy0 * dy0) + r1 * dy1 * dy1) + r2 * dy2 * dy2
            syy[k] = yy + r3 * dy3 * dy3


def maximize(
    moments: Floats,
    means: Floats,
    covariances: Floats,
    *,
    diagonal: bool,
    floor: float,
) -> tuple[Floats, Floats]:
    """Return means and covariances from ``moments`` about the old means.

    Variances (eigenvalues, if not ``diagonal``) are raised to at least ``floor``. A
    component that no point belongs to keeps its place and shape.
    """
    mass, sums = moments[0], moments[1:]
    alive = mass > LEAST_MASS
    all_alive = bool(alive.all())
    shares = sums / (mass if all_alive else np.where(alive, mass, 1.0))
    dx, dy, xx, xy, yy = shares
    xx, xy, yy = xx - dx * dx, xy - dx * dy, yy - dy * dy
    if diagonal:
        xx, xy, yy = np.maximum(xx, floor), np.zeros_like(xy), np.maximum(yy, floor)
    else:
        xx, xy, yy = raise_eigenvalues(xx, xy, yy, floor)
    moved, new = means + shares[:2].T, np.empty_like(covariances)
    new[:, 0, 0], new[:, 0, 1], new[:, 1, 0], new[:, 1, 1] = xx, xy, xy, yy
    if not all_alive:
        moved[~alive], new[~alive] = means[~alive], covariances[~alive]
    return moved, new


def weigh(mass: Floats) -> Floats:
    """Return the weights of components by their sums of responsibilities.

    One that no point belongs to has next to none.
    """
    weights: Floats = np.maximum(mass / mass.sum(), LEAST_WEIGHT)
    weights /= weights.sum()
    return weights


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
