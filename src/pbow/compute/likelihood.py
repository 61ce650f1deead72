"""Sums of Gaussian likelihoods: the loops of stable persistence bag-of-words.

Components are the columns of ``components``, 6 rows each: mean birth, mean persistence,
three entries of a triangular root L of half the precision matrix, and the logarithm of
a factor. With (db, dp) a point's difference from the mean, u = L11 db and
v = L21 db + L22 dp,

    likelihood = factor * exp(-(u * u + v * v)).

``components`` is float64 or float32 and sets the precision of the loop. Its columns
are padded to a multiple of LANES with zeros and a factor of 0, so that the compiler
needs no remainder loop; ``out`` has the columns of real components only. ``frame`` is
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
from pbow.compute.normalize import normalize_row
from pbow.compute.ramp import ramp_weight

__all__ = ["LANES", "sum_likelihoods", "sum_posteriors"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

LANES = 8
LARGEST_64 = np.finfo(np.float64).max
LARGEST_32 = np.float64(np.finfo(np.float32).max)


@njit(nogil=True, cache=True, fastmath=CONTRACT)
def sum_likelihoods(
    points: Floats,
    offsets: Ints,
    frame: Floats,
    components: Floats,
    factors: Floats,
    ramp: Floats,
    how: int,
    out: Floats,
) -> None:
    """Set ``out[d, k]`` to the sum over diagram d of component k's likelihoods.

    ``ramp`` is (low, high) or empty: every point weighs 1. Rows are normalised (see
    ``normalize_row``). Points are summed in their order, whatever the block.
    ``factors``, in float64, stand for the last row of ``components``; results beyond
    the range of ``out`` are its largest number. Cost: one exponential a point and
    component.
    """
    width = components.shape[1]
    sums = np.zeros(width, components.dtype)
    point = np.empty(3, components.dtype)
    point[2] = 1
    mean_b, mean_p = components[0], components[1]
    l11, l21, l22 = components[2], components[3], components[4]
    largest = LARGEST_64 if components.itemsize == 8 else LARGEST_32
    for d in range(out.shape[0]):
        sums[:] = 0
        for t in range(offsets[d], offsets[d + 1]):
            persistence = points[t, 1] - points[t, 0]
            point[0] = (points[t, 0] - frame[0]) * frame[2]
            point[1] = (persistence - frame[1]) * frame[3]
            if ramp.shape[0] == 2:
                point[2] = ramp_weight(persistence, ramp[0], ramp[1])
            b, p, weight = point[0], point[1], point[2]
            for k in range(width):
                db = b - mean_b[k]
                dp = p - mean_p[k]
                u = db * l11[k]
                v = db * l21[k] + dp * l22[k]
                sums[k] += weight * exponential(-(u * u + v * v))
        for k in range(out.shape[1]):
            out[d, k] = min(factors[k] * np.float64(sums[k]), largest)
        normalize_row(out[d], how)


@njit(nogil=True, cache=True, fastmath=CONTRACT)
def sum_posteriors(
    points: Floats,
    offsets: Ints,
    frame: Floats,
    components: Floats,
    ramp: Floats,
    how: int,
    out: Floats,
) -> None:
    """Set ``out[d, k]`` to the sum over diagram d of component k's share of each point.

    As :func:`sum_likelihoods`, but the likelihoods of a point are divided by their sum:
    every point gives 1, or its weight, in all. The log factors are at most 0.
    """
    width = components.shape[1]
    sums = np.zeros(width, components.dtype)
    share = np.empty(width, components.dtype)
    lanes = np.empty(LANES, components.dtype)
    point = np.empty(4, components.dtype)
    point[2] = 1
    # Below this, likelihoods have lost digits; the slow way has its own scale.
    faint = 1e-250 if components.itemsize == 8 else 1e-25
    mean_b, mean_p = components[0], components[1]
    l11, l21, l22, log_factor = (
        components[2],
        components[3],
        components[4],
        components[5],
    )
    for d in range(out.shape[0]):
        sums[:] = 0
        for t in range(offsets[d], offsets[d + 1]):
            persistence = points[t, 1] - points[t, 0]
            point[0] = (points[t, 0] - frame[0]) * frame[2]
            point[1] = (persistence - frame[1]) * frame[3]
            if ramp.shape[0] == 2:
                point[2] = ramp_weight(persistence, ramp[0], ramp[1])
            b, p = point[0], point[1]
            for k in range(width):
                db = b - mean_b[k]
                dp = p - mean_p[k]
                u = db * l11[k]
                v = db * l21[k] + dp * l22[k]
                share[k] = exponential(log_factor[k] - (u * u + v * v))
            lanes[:] = 0
            for first in range(0, width, LANES):
                for lane in range(LANES):
                    lanes[lane] += share[first + lane]
            total = 0.0
            for lane in range(LANES):
                total += lanes[lane]
            if total < faint:
                far_b = (points[t, 0] - frame[0]) * frame[2]
                far_p = (persistence - frame[1]) * frame[3]
                total = _far_shares(far_b, far_p, components, share)
            point[3] = point[2] / total
            rate = point[3]
            for k in range(width):
                sums[k] += rate * share[k]
        for k in range(out.shape[1]):
            out[d, k] = sums[k]
        normalize_row(out[d], how)


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
