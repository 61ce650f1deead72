"""Sums of Gaussian likelihoods: the loops of stable persistence bag-of-words.

Components are the columns of ``components``, 6 rows each: mean birth, mean persistence,
three entries of a triangular root L of half the precision matrix, and the logarithm of
a factor. With (db, dp) a point's difference from the mean, u = L11 db and
v = L21 db + L22 dp,

    likelihood = factor * exp(-(u * u + v * v)).

``components`` is float64 or float32 and sets the precision of the exponentials; sums
are float64, as ``out``. Its columns are padded to a multiple of LANES with zeros and a
factor of 0, so that the compiler needs no remainder loop; ``out`` has the columns of
real components only. ``frame`` is
(birth, persistence, rate of births, rate of persistences): coordinates are taken
relative to the first two and times the rates, in float64, before they are rounded to
the loop's precision, so that float32 neither overflows nor loses digits far from 0.
"""

from __future__ import annotations

import math

import numpy as np
from numba import njit
from numpy.typing import NDArray

from pbow.compute.exponential import CONTRACT, exponential
from pbow.compute.ramp import ramp_weight

__all__ = ["LANES", "sum_lanes", "sum_likelihoods", "sum_posteriors"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

LANES = 8


@njit(nogil=True, cache=True, fastmath=CONTRACT)
def sum_likelihoods(
    points: Floats,
    offsets: Ints,
    frame: Floats,
    components: Floats,
    ramp: Floats,
    out: Floats,
) -> None:
    """Set ``out[d, k]`` to the sum over diagram d of component k's exponentials.

    These are likelihoods without their factors. ``ramp`` is (low, high) or empty: every
    point weighs 1. Points are summed in their order, whatever the block. Cost: one
    exponential a point and component.
    """
    width = components.shape[1]
    totals = np.zeros(width)
    sums = np.zeros(width, components.dtype)
    pair = np.empty((2, 3), components.dtype)
    mean_b, mean_p = components[0], components[1]
    l11, l21, l22 = components[2], components[3], components[4]
    for d in range(out.shape[0]):
        n_open = 0
        for t in range(offsets[d], offsets[d + 1], 2):
            _place(points, t, offsets[d + 1], frame, ramp, pair)
            b0, p0, weight0 = pair[0, 0], pair[0, 1], pair[0, 2]
            b1, p1, weight1 = pair[1, 0], pair[1, 1], pair[1, 2]
            for k in range(width):
                e0 = exponential(
                    -_distance(b0, p0, mean_b[k], mean_p[k], l11[k], l21[k], l22[k])
                )
                e1 = exponential(
                    -_distance(b1, p1, mean_b[k], mean_p[k], l11[k], l21[k], l22[k])
                )
                sums[k] = (sums[k] + weight0 * e0) + weight1 * e1
            n_open = _close(sums, totals, n_open + 1)
        _finish(sums, totals, out[d])


@njit(nogil=True, cache=True, fastmath=CONTRACT)
def _distance(
    b: float,
    p: float,
    mean_b: float,
    mean_p: float,
    l11: float,
    l21: float,
    l22: float,
) -> float:
    """Return u * u + v * v: half the squared Mahalanobis distance."""
    db = b - mean_b
    dp = p - mean_p
    u = db * l11
    v = db * l21 + dp * l22
    return u * u + v * v


@njit(nogil=True, cache=True)
def _place(
    points: Floats, t: int, stop: int, frame: Floats, ramp: Floats, pair: Floats
) -> None:
    """Set ``pair`` to (birth, persistence, weight) of points t and t + 1.

    Two points at a time read the components once, and give the processor twice as much
    to do while it waits for one exponential. Where the diagram ends after the first,
    the second is the same with weight 0, which leaves sums as they are.
    """
    for i in range(2):
        at = min(t + i, stop - 1)
        persistence = points[at, 1] - points[at, 0]
        pair[i, 0] = (points[at, 0] - frame[0]) * frame[2]
        pair[i, 1] = (persistence - frame[1]) * frame[3]
        pair[i, 2] = 1.0
        if ramp.shape[0] == 2:
            pair[i, 2] = ramp_weight(persistence, ramp[0], ramp[1])
    if t + 1 == stop:
        pair[1, 2] = 0.0


@njit(nogil=True, cache=True, fastmath=CONTRACT)
def sum_posteriors(
    points: Floats,
    offsets: Ints,
    frame: Floats,
    components: Floats,
    ramp: Floats,
    out: Floats,
) -> None:
    """Set ``out[d, k]`` to the sum over diagram d of component k's share of each point.

    As :func:`sum_likelihoods`, but the likelihoods of a point are divided by their sum:
    every point gives 1, or its weight, in all. The log factors are at most 0.
    """
    width = components.shape[1]
    totals = np.zeros(width)
    sums = np.zeros(width, components.dtype)
    share = np.empty((2, width), components.dtype)
    pair = np.empty((2, 3), components.dtype)
    lanes = np.empty(LANES, components.dtype)
    share0, share1 = share[0], share[1]
    mean_b, mean_p, log_factor = components[0], components[1], components[5]
    l11, l21, l22 = components[2], components[3], components[4]
    # Below this, likelihoods have lost digits; the slow way has its own scale.
    faint = 1e-250 if components.itemsize == 8 else 1e-25
    for d in range(out.shape[0]):
        n_open = 0
        for t in range(offsets[d], offsets[d + 1], 2):
            _place(points, t, offsets[d + 1], frame, ramp, pair)
            b0, p0, b1, p1 = pair[0, 0], pair[0, 1], pair[1, 0], pair[1, 1]
            for k in range(width):
                share0[k] = exponential(
                    log_factor[k]
                    - _distance(b0, p0, mean_b[k], mean_p[k], l11[k], l21[k], l22[k])
                )
                share1[k] = exponential(
                    log_factor[k]
                    - _distance(b1, p1, mean_b[k], mean_p[k], l11[k], l21[k], l22[k])
                )
            for i in range(2):
                total = sum_lanes(share[i], lanes)
                if total < faint:
                    at = min(t + i, offsets[d + 1] - 1)
                    far_b = (points[at, 0] - frame[0]) * frame[2]
                    far_p = (points[at, 1] - points[at, 0] - frame[1]) * frame[3]
                    total = _far_shares(far_b, far_p, components, share[i])
                pair[i, 2] /= total
            rate0, rate1 = pair[0, 2], pair[1, 2]
            for k in range(width):
                sums[k] = (sums[k] + rate0 * share0[k]) + rate1 * share1[k]
            n_open = _close(sums, totals, n_open + 1)
        _finish(sums, totals, out[d])


@njit(nogil=True, cache=True)
def _close(sums: Floats, totals: Floats, n_open: int) -> int:
    """Move ``sums`` to ``totals`` after every 16 pairs; return how many are open.

    A long sum of small terms loses digits, in float32 most of them; a sum of short sums
    does not.
    """
    if n_open < 16:
        return n_open
    for k in range(sums.shape[0]):
        totals[k] += sums[k]
        sums[k] = 0.0
    return 0


@njit(nogil=True, cache=True)
def _finish(sums: Floats, totals: Floats, row: Floats) -> None:
    """Set ``row`` to the totals, and start again at 0."""
    for k in range(totals.shape[0]):
        totals[k] += sums[k]
        sums[k] = 0.0
    for k in range(row.shape[0]):
        row[k] = totals[k]
    for k in range(totals.shape[0]):
        totals[k] = 0.0


@njit(nogil=True, cache=True)
def sum_lanes(values: Floats, lanes: Floats) -> float:
    """Sum a multiple of LANES numbers in LANES sums side by side, then those in order.

    One sum would wait for each addition to end before the next. ``lanes`` is scratch.
    """
    for lane in range(LANES):
        lanes[lane] = 0.0
    for first in range(0, values.shape[0], LANES):
        for lane in range(LANES):
            lanes[lane] += values[first + lane]
    total = 0.0
    for lane in range(LANES):
        total += lanes[lane]
    return total


@njit(nogil=True, cache=True)
def _far_shares(b: float, p: float, components: Floats, share: Floats) -> float:
    """Fill ``share`` relative to the largest likelihood, and return the sum.

    A point so far that even logarithms overflow is shared out as at the means.
    """
    largest = -np.inf
    total = 0.0
    for repeat in range(2):
        for k in range(share.shape[0]):
            db = b - np.float64(components[0, k])
            dp = p - np.float64(components[1, k])
            u = db * components[2, k]
            v = db * components[3, k] + dp * components[4, k]
            logarithm = np.float64(components[5, k]) - (u * u + v * v)
            if repeat == 0:
                largest = max(largest, logarithm)
            elif largest == -np.inf:
                share[k] = math.exp(components[5, k])
                total += share[k]
            else:
                share[k] = math.exp(logarithm - largest)
                total += share[k]
    return total
