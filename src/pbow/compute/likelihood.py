"""Sums of Gaussian likelihoods: the loops of stable persistence bag-of-words.

Components are the columns of ``components``, 6 rows each: mean birth, mean persistence,
three entries of a triangular root L of log2(e) / 2 times the precision matrix, and the
logarithm, to the base 2, of a factor. With (db, dp) a point's difference from the mean,
u = L11 db and v = L21 db + L22 dp,

    likelihood = factor * 0.5**(u * u + v * v).

``components`` is float64 or float32 and sets the precision of the powers; sums are
float64, as ``out``. Components of several mixtures stand side by side, and ``ends`` has
the column where each of them ends. Their columns are padded, with zeros and a factor of
0, to as many as fill whole vectors of the processor; ``out`` has the same columns.
``frame`` is (birth, persistence, rate of births, rate of persistences): coordinates are
taken relative to the first two and times the rates, in float64, before they are rounded
to the loop's precision, so that float32 neither overflows nor loses digits far from 0.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from pbow.compute.exponential import half_to
from pbow.compute.jit import contracted, contracted_helper, helper, inlined
from pbow.compute.ramp import point_weight
from pbow.compute.sums import sum_between

__all__ = [
    "BATCH",
    "GROUP",
    "LANES",
    "LOG_2",
    "distance",
    "far_shares",
    "place",
    "sum_likelihoods",
    "sum_posteriors",
]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

LANES = 4  # numbers of a vector of the processor; of single precision, twice as many
LOG_2 = math.log(2.0)

# Points at a time in the innermost loop: components are read once for all of them, and
# the processor has something to do while it waits for one power.
GROUP = 4
# Points that are summed in the precision of the components. A long sum of small terms
# loses digits, in float32 most of them; a float64 sum of short sums does not.
BATCH = 32


def sum_likelihoods(
    points: Floats,
    offsets: Ints,
    frame: Floats,
    components: Floats,
    ramp: Floats,
    out: Floats,
) -> None:
    """Set ``out[d, k]`` to the sum over diagram d of component k's powers.

    These are likelihoods without their factors. ``ramp`` is (low, high, power) or
    empty: every point weighs 1. Points are summed in their order, whatever the block.
    Cost: one power of 2 per point and component.
    """
    batch, sums = _scratch(components, 3), np.zeros_like(components[0])
    _sum_likelihoods(points, offsets, frame, components, ramp, batch, sums, out)


def _scratch(components: Floats, n_rows: int) -> Floats:
    # Not in the compiled loops: to compile an allocation takes a tenth of a second.
    return np.empty((n_rows, BATCH), components.dtype)


@contracted
def _sum_likelihoods(
    points: Floats,
    offsets: Ints,
    frame: Floats,
    components: Floats,
    ramp: Floats,
    batch: Floats,
    sums: Floats,
    out: Floats,
) -> None:
    width = components.shape[1]
    b, p, weight = batch[0], batch[1], batch[2]
    mean_b, mean_p = components[0], components[1]
    l11, l21, l22 = components[2], components[3], components[4]
    for d in range(out.shape[0]):
        row = out[d]
        for k in range(width):
            row[k] = 0.0
        for start in range(offsets[d], offsets[d + 1], BATCH):
            size = place(points, start, offsets[d + 1], frame, ramp, batch)
            for t in range(0, size, GROUP):
                # In pairs: a tuple of more takes much longer to compile.
                b0, b1 = b[t], b[t + 1]
                b2, b3 = b[t + 2], b[t + 3]
                p0, p1 = p[t], p[t + 1]
                p2, p3 = p[t + 2], p[t + 3]
                w0, w1 = weight[t], weight[t + 1]
                w2, w3 = weight[t + 2], weight[t + 3]
                for k in range(width):
                    mb, mp, u = mean_b[k], mean_p[k], l11[k]
                    v, w = l21[k], l22[k]
                    e0 = half_to(distance(b0, p0, mb, mp, u, v, w))
                    e1 = half_to(distance(b1, p1, mb, mp, u, v, w))
                    e2 = half_to(distance(b2, p2, mb, mp, u, v, w))
                    e3 = half_to(distance(b3, p3, mb, mp, u, v, w))
                    sums[k] = (((sums[k] + w0 * e0) + w1 * e1) + w2 * e2) + w3 * e3
            _add(sums, row)


@contracted_helper
def distance(
    b: float,
    p: float,
    mean_b: float,
    mean_p: float,
    l11: float,
    l21: float,
    l22: float,
) -> float:
    """Return u * u + v * v: squared Mahalanobis distance times log2(e) / 2."""
    db = b - mean_b
    dp = p - mean_p
    u = db * l11
    v = db * l21 + dp * l22
    return u * u + v * v


@helper
def place(
    points: Floats, start: int, stop: int, frame: Floats, ramp: Floats, batch: Floats
) -> int:
    """Set ``batch`` to births, persistences, weights from ``start``; return how many.

    The last group is filled up with the last point at weight 0, which leaves sums as
    they are.
    """
    size = min(BATCH, stop - start)
    for t in range(size):
        birth, death = points[start + t, 0], points[start + t, 1]
        batch[0, t] = (birth - frame[0]) * frame[2]
        batch[1, t] = (death - birth - frame[1]) * frame[3]
        batch[2, t] = point_weight(death - birth, ramp)
    while size % GROUP:
        batch[0, size], batch[1, size] = batch[0, size - 1], batch[1, size - 1]
        batch[2, size] = 0.0
        size += 1
    return size


def sum_posteriors(
    points: Floats,
    offsets: Ints,
    frame: Floats,
    components: Floats,
    ends: Ints,
    ramp: Floats,
    out: Floats,
) -> None:
    """Set ``out[d, k]`` to the sum over diagram d of component k's share of each point.

    As :func:`sum_likelihoods`, but the likelihoods of a point are divided by their sum
    over a mixture: to each mixture every point gives 1, or its weight, in all. The log
    factors are at most 0.
    """
    batch, sums = _scratch(components, 4), np.zeros_like(components[0])
    share, total_of = np.empty_like(components[:GROUP]), np.empty(GROUP)
    _sum_posteriors(
        *(points, offsets, frame, components, ends, ramp),
        *(batch, sums, share, total_of, out),
    )


@contracted
def _sum_posteriors(
    points: Floats,
    offsets: Ints,
    frame: Floats,
    components: Floats,
    ends: Ints,
    ramp: Floats,
    batch: Floats,
    sums: Floats,
    share: Floats,
    total_of: Floats,
    out: Floats,
) -> None:
    width = components.shape[1]
    b, p = batch[0], batch[1]
    weight, rest = batch[2], batch[3]
    share0, share1 = share[0], share[1]
    share2, share3 = share[2], share[3]
    mean_b, mean_p, log_factor = components[0], components[1], components[5]
    l11, l21, l22 = components[2], components[3], components[4]
    # Below this, likelihoods have lost digits; the slow way has its own scale.
    faint = 1e-250 if components.itemsize == 8 else 1e-25
    for d in range(out.shape[0]):
        row = out[d]
        for k in range(width):
            row[k] = 0.0
        for start in range(offsets[d], offsets[d + 1], BATCH):
            size = place(points, start, offsets[d + 1], frame, ramp, batch)
            for t in range(0, size, GROUP):
                b0, b1 = b[t], b[t + 1]
                b2, b3 = b[t + 2], b[t + 3]
                p0, p1 = p[t], p[t + 1]
                p2, p3 = p[t + 2], p[t + 3]
                for k in range(width):
                    mb, mp, u = mean_b[k], mean_p[k], l11[k]
                    v, w, less = l21[k], l22[k], log_factor[k]
                    share0[k] = half_to(distance(b0, p0, mb, mp, u, v, w) - less)
                    share1[k] = half_to(distance(b1, p1, mb, mp, u, v, w) - less)
                    share2[k] = half_to(distance(b2, p2, mb, mp, u, v, w) - less)
                    share3[k] = half_to(distance(b3, p3, mb, mp, u, v, w) - less)
                first = np.uint64(0)
                for g in range(ends.shape[0]):
                    end = np.uint64(ends[g])
                    total_of[0] = sum_between(share0, first, end)
                    total_of[1] = sum_between(share1, first, end)
                    total_of[2] = sum_between(share2, first, end)
                    total_of[3] = sum_between(share3, first, end)
                    for i in range(GROUP):
                        total = total_of[i]
                        if total < faint:
                            at = min(start + t + i, offsets[d + 1] - 1)
                            far_b = (points[at, 0] - frame[0]) * frame[2]
                            far_p = points[at, 1] - points[at, 0] - frame[1]
                            far_p *= frame[3]
                            total, _ = far_shares(
                                far_b, far_p, components, first, end, share[i]
                            )
                        rest[i] = weight[t + i] / total
                    w0, w1 = rest[0], rest[1]
                    w2, w3 = rest[2], rest[3]
                    for k in range(first, end):
                        half = (sums[k] + w0 * share0[k]) + w1 * share1[k]
                        sums[k] = (half + w2 * share2[k]) + w3 * share3[k]
                    first = end
            _add(sums, row)


@inlined
def _add(sums: Floats, row: Floats) -> None:
    """Move ``sums`` to ``row``."""
    for k in range(sums.shape[0]):
        row[k] += sums[k]
        sums[k] = 0.0


@helper
def far_shares(
    b: float,
    p: float,
    components: Floats,
    first: np.uint64,
    end: np.uint64,
    share: Floats,
) -> tuple[float, float]:
    """Fill ``share[first:end]`` relative to the largest; return sum, and its log.

    The logarithm is of the largest, to the base 2. A point so far that even logarithms
    overflow is shared out as at the means.
    """
    total, largest = 0.0, -np.inf
    for repeat in range(2):
        for k in range(first, end):
            logarithm = np.float64(components[5, k])
            if repeat == 0 or largest > -np.inf:
                logarithm -= distance(
                    *(b, p, np.float64(components[0, k]), np.float64(components[1, k])),
                    *(np.float64(components[2, k]), np.float64(components[3, k])),
                    np.float64(components[4, k]),
                )
            if repeat == 0:
                largest = logarithm if logarithm > largest else largest
            else:
                relative = logarithm - largest if largest > -np.inf else logarithm
                share[k] = math.exp(LOG_2 * relative)
                total += share[k]
    return total, largest
