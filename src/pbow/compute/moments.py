"""Moments of points about the components of a mixture, shared out by posteriors.

The loops of soft VLAD and of Fisher vectors. Components are those of ``likelihood``, in
float64, with log factors of at most 0. ``factors`` is (real components, columns of
each); ``out`` has all columns side by side. Sums are multiplied by the factors, cut at
LARGEST, and each row is normalized: TWICE, or see ``normalize_row``. Where there is a
factor for every second sum only, the others, of persistences, are left out. Each
diagram is summed in the order of its points, whatever the block.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from pbow.compute.exponential import half_to_64
from pbow.compute.jit import contracted, contracted_helper, helper
from pbow.compute.likelihood import (
    BATCH,
    GROUP,
    LOG_2,
    distance,
    far_shares,
    place,
)
from pbow.compute.normalize import SQRT_L2, normalize_row
from pbow.compute.sums import sum_of
from pbow.compute.vlad import residual

__all__ = ["TWICE", "sum_gradients", "sum_residuals"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

TWICE = 101  # beside those of ``normalize``: square roots and the L2 norm, twice
# Of features: their sum is finite.
LARGEST = 1e300
# (x - mean) / deviation is ROOT times what ``likelihood`` calls u.
ROOT = math.sqrt(2.0 * LOG_2)
# Squares are cut here: a share of 0 times infinity would not be 0.
LARGEST_SQUARE = 1e300
# Below this, likelihoods have lost digits; the slow way has its own scale.
FAINT = 1e-250


def sum_residuals(
    points: Floats,
    offsets: Ints,
    components: Floats,
    ramp: Floats,
    factors: Floats,
    normalization: int,
    out: Floats,
) -> None:
    """Set two columns of component k to sums over diagram d of r_k times differences.

    They are the differences of birth and of persistence from the mean of k. r_k is the
    posterior of component k at the point, times the point's weight by ``ramp``.
    Differences within rounding are 0, as in ``vlad``. Cost: one power of 2 per point
    and component.
    """
    frame, batch = np.array([0.0, 0.0, 1.0, 1.0]), np.empty((3, BATCH))
    share = np.empty((GROUP, components.shape[1]))
    sums = np.zeros((2, components.shape[1]))
    _sum_residuals(
        *(points, offsets, components, ramp, factors, normalization),
        *(frame, batch, share, sums, out),
    )


@contracted
def _sum_residuals(
    points: Floats,
    offsets: Ints,
    components: Floats,
    ramp: Floats,
    factors: Floats,
    normalization: int,
    frame: Floats,
    batch: Floats,
    share: Floats,
    sums: Floats,
    out: Floats,
) -> None:
    width = components.shape[1]
    b, p, weight = batch[0], batch[1], batch[2]
    share0, share1 = share[0], share[1]
    share2, share3 = share[2], share[3]
    sums_b, sums_p = sums[0], sums[1]
    mean_b, mean_p = components[0], components[1]
    for d in range(out.shape[0]):
        for start in range(offsets[d], offsets[d + 1], BATCH):
            size = place(points, start, offsets[d + 1], frame, ramp, batch)
            for t in range(0, size, GROUP):
                _share_out(batch, t, components, share)
                b0, b1 = b[t], b[t + 1]
                b2, b3 = b[t + 2], b[t + 3]
                p0, p1 = p[t], p[t + 1]
                p2, p3 = p[t + 2], p[t + 3]
                w0, w1 = weight[t], weight[t + 1]
                w2, w3 = weight[t + 2], weight[t + 3]
                for k in range(width):
                    mb, mp = mean_b[k], mean_p[k]
                    r0, r1 = w0 * share0[k], w1 * share1[k]
                    r2, r3 = w2 * share2[k], w3 * share3[k]
                    in_b = (sums_b[k] + r0 * residual(b0, mb)) + r1 * residual(b1, mb)
                    in_p = (sums_p[k] + r0 * residual(p0, mp)) + r1 * residual(p1, mp)
                    sums_b[k] = (in_b + r2 * residual(b2, mb)) + r3 * residual(b3, mb)
                    sums_p[k] = (in_p + r2 * residual(p2, mp)) + r3 * residual(p3, mp)
        _finish(sums, factors, normalization, out[d])


def sum_gradients(
    points: Floats,
    offsets: Ints,
    components: Floats,
    ramp: Floats,
    factors: Floats,
    normalization: int,
    out: Floats,
) -> None:
    """Set four columns of component k to sums over diagram d.

    They are those of r_k x, r_k y, r_k (x * x - 1) and r_k (y * y - 1), with x and y
    the point's birth and persistence minus the mean, over the standard deviation, and
    r_k the posterior times the point's weight by ``ramp``. Components are
    axis-parallel: L21 is 0. Cost: one power of 2 per point and component.
    """
    frame, batch = np.array([0.0, 0.0, 1.0, 1.0]), np.empty((3, BATCH))
    share = np.empty((GROUP, components.shape[1]))
    sums = np.zeros((4, components.shape[1]))
    rates = ROOT * components[[2, 4]]
    _sum_gradients(
        *(points, offsets, components, rates, ramp, factors, normalization),
        *(frame, batch, share, sums, out),
    )


@contracted
def _sum_gradients(
    points: Floats,
    offsets: Ints,
    components: Floats,
    rates: Floats,
    ramp: Floats,
    factors: Floats,
    normalization: int,
    frame: Floats,
    batch: Floats,
    share: Floats,
    sums: Floats,
    out: Floats,
) -> None:
    width = components.shape[1]
    b, p, weight = batch[0], batch[1], batch[2]
    share0, share1 = share[0], share[1]
    share2, share3 = share[2], share[3]
    sums_x, sums_y = sums[0], sums[1]
    sums_xx, sums_yy = sums[2], sums[3]
    mean_b, mean_p = components[0], components[1]
    rate_b, rate_p = rates[0], rates[1]
    for d in range(out.shape[0]):
        for start in range(offsets[d], offsets[d + 1], BATCH):
            size = place(points, start, offsets[d + 1], frame, ramp, batch)
            for t in range(0, size, GROUP):
                _share_out(batch, t, components, share)
                b0, b1 = b[t], b[t + 1]
                b2, b3 = b[t + 2], b[t + 3]
                p0, p1 = p[t], p[t + 1]
                p2, p3 = p[t + 2], p[t + 3]
                w0, w1 = weight[t], weight[t + 1]
                w2, w3 = weight[t + 2], weight[t + 3]
                for k in range(width):
                    mb, rb = mean_b[k], rate_b[k]
                    mp, rp = mean_p[k], rate_p[k]
                    r0, r1 = w0 * share0[k], w1 * share1[k]
                    r2, r3 = w2 * share2[k], w3 * share3[k]
                    x0, x1 = (b0 - mb) * rb, (b1 - mb) * rb
                    x2, x3 = (b2 - mb) * rb, (b3 - mb) * rb
                    y0, y1 = (p0 - mp) * rp, (p1 - mp) * rp
                    y2, y3 = (p2 - mp) * rp, (p3 - mp) * rp
                    in_x = (sums_x[k] + r0 * x0) + r1 * x1
                    in_y = (sums_y[k] + r0 * y0) + r1 * y1
                    in_xx = (sums_xx[k] + r0 * _excess(x0)) + r1 * _excess(x1)
                    in_yy = (sums_yy[k] + r0 * _excess(y0)) + r1 * _excess(y1)
                    sums_x[k] = (in_x + r2 * x2) + r3 * x3
                    sums_y[k] = (in_y + r2 * y2) + r3 * y3
                    sums_xx[k] = (in_xx + r2 * _excess(x2)) + r3 * _excess(x3)
                    sums_yy[k] = (in_yy + r2 * _excess(y2)) + r3 * _excess(y3)
        _finish(sums, factors, normalization, out[d])


@contracted_helper
def _excess(x: float) -> float:
    """Return x * x - 1, at most LARGEST_SQUARE."""
    excess = x * x - 1.0
    return excess if excess < LARGEST_SQUARE else LARGEST_SQUARE


@contracted_helper
def _share_out(batch: Floats, t: int, components: Floats, share: Floats) -> None:
    """Set ``share`` to the likelihoods of a group of points, from t on.

    Their weights, in ``batch``, are divided by the sum over components: the product of
    both is a posterior.
    """
    b, p, weight = batch[0], batch[1], batch[2]
    share0, share1 = share[0], share[1]
    share2, share3 = share[2], share[3]
    mean_b, mean_p, log_factor = components[0], components[1], components[5]
    l11, l21, l22 = components[2], components[3], components[4]
    b0, b1 = b[t], b[t + 1]
    b2, b3 = b[t + 2], b[t + 3]
    p0, p1 = p[t], p[t + 1]
    p2, p3 = p[t + 2], p[t + 3]
    for k in range(components.shape[1]):
        mb, mp, u = mean_b[k], mean_p[k], l11[k]
        v, w, less = l21[k], l22[k], log_factor[k]
        share0[k] = half_to_64(distance(b0, p0, mb, mp, u, v, w) - less)
        share1[k] = half_to_64(distance(b1, p1, mb, mp, u, v, w) - less)
        share2[k] = half_to_64(distance(b2, p2, mb, mp, u, v, w) - less)
        share3[k] = half_to_64(distance(b3, p3, mb, mp, u, v, w) - less)
    for i in range(GROUP):
        total = sum_of(share[i])
        if total < FAINT:
            width = np.uint64(components.shape[1])
            total, _ = far_shares(
                b[t + i], p[t + i], components, np.uint64(0), width, share[i]
            )
        weight[t + i] /= total


@helper
def _finish(sums: Floats, factors: Floats, normalization: int, row: Floats) -> None:
    """Set ``row`` to the normalized columns of ``sums``, and those to 0."""
    n_columns = factors.shape[1]
    step = sums.shape[0] // n_columns
    for k in range(factors.shape[0]):
        for i in range(n_columns):
            value = sums[i * step, k] * factors[k, i]
            row[k * n_columns + i] = min(max(value, -LARGEST), LARGEST)
    for i in range(sums.shape[0]):
        for k in range(sums.shape[1]):
            sums[i, k] = 0.0
    # Never a literal, for which the function would be compiled again.
    n_times, each = 1, normalization
    if normalization == TWICE:
        n_times, each = 2, SQRT_L2
    for _ in range(n_times):
        normalize_row(row, each)
