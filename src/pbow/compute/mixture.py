"""Gaussian mixtures in the plane: components for loops, and maximization.

Moments are taken about the old means, so that nothing cancels.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from pbow.compute.likelihood import LOG_2

__all__ = [
    "LEAST_SHARE",
    "maximize",
    "pack",
    "pad",
    "raise_eigenvalues",
    "weigh",
]

Floats = NDArray[np.float64]

LOG_ROOT_2_PI = 0.5 * math.log(2.0 * math.pi)
LEAST_MASS = 1e-10
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
