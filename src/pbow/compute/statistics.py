"""Statistics of the births, deaths, midpoints and lifetimes of a diagram."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from pbow.compute.jit import loop
from pbow.compute.sums import sum_of

__all__ = ["N_STATISTICS", "summarize", "summarize_births"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

# Of one quantity, see _summarize.
N_STATISTICS = 9
# Squares of smaller differences would lose digits, or vanish; so many times them, none.
SMALL, FACTOR = 1e-140, 2.0**900


@loop
def summarize(points: Floats, offsets: Ints, out: Floats) -> None:
    """Set ``out[d]`` to statistics of diagram d; of an empty one to zeros.

    Births, deaths, midpoints and lifetimes, nine statistics of each (``_summarize``);
    then the number of points, and the entropy of the lifetimes. Whatever the order of
    the points, the bits are the same. Cost: four sorts.
    """
    values = np.empty(_longest(offsets))
    for d in range(out.shape[0]):
        start, n = offsets[d], offsets[d + 1] - offsets[d]
        row = out[d]
        row[:] = 0.0
        if n == 0:
            continue
        some = values[:n]
        for t in range(n):
            some[t] = points[start + t, 0]
        _summarize(some, row, 0)
        for t in range(n):
            some[t] = points[start + t, 1]
        _summarize(some, row, N_STATISTICS)
        for t in range(n):
            some[t] = 0.5 * (points[start + t, 0] + points[start + t, 1])
        _summarize(some, row, 2 * N_STATISTICS)
        for t in range(n):
            some[t] = points[start + t, 1] - points[start + t, 0]
        _summarize(some, row, 3 * N_STATISTICS)
        row[4 * N_STATISTICS] = n
        row[4 * N_STATISTICS + 1] = _entropy(some)


@loop
def summarize_births(points: Floats, offsets: Ints, out: Floats) -> None:
    """Set ``out[d]`` to the statistics of births alone, and the number of points."""
    values = np.empty(_longest(offsets))
    for d in range(out.shape[0]):
        start, n = offsets[d], offsets[d + 1] - offsets[d]
        row = out[d]
        row[:] = 0.0
        if n == 0:
            continue
        for t in range(n):
            values[t] = points[start + t, 0]
        _summarize(values[:n], row, 0)
        row[N_STATISTICS] = n


@loop
def _longest(offsets: Ints) -> int:
    longest = 0
    for d in range(offsets.shape[0] - 1):
        longest = max(longest, offsets[d + 1] - offsets[d])
    return longest


@loop
def _summarize(values: Floats, row: Floats, at: int) -> None:
    """Sort values, and set row[at:at + 9] to their statistics.

    Mean, standard deviation (divided by n), median, interquartile range, range, and the
    quantiles 0.1, 0.25, 0.75, 0.9.
    """
    n = values.shape[0]
    values.sort()
    least = values[0]
    # Relative to the least, so that equal values have no deviation by rounding.
    apart = np.empty(n)
    factor = 1.0 if values[n - 1] - least >= SMALL else FACTOR
    for t in range(n):
        apart[t] = (values[t] - least) * factor
    mean = sum_of(apart) / n
    for t in range(n):
        apart[t] = (apart[t] - mean) * (apart[t] - mean)
    lower, upper = _quantile(values, 0.25), _quantile(values, 0.75)
    row[at] = least + mean / factor
    row[at + 1] = math.sqrt(sum_of(apart) / n) / factor
    row[at + 2] = 0.5 * (values[(n - 1) // 2] + values[n // 2])
    row[at + 3] = upper - lower
    row[at + 4] = values[n - 1] - least
    row[at + 5] = _quantile(values, 0.1)
    row[at + 6] = lower
    row[at + 7] = upper
    row[at + 8] = _quantile(values, 0.9)


@loop
def _quantile(values: Floats, share: float) -> float:
    """Return the quantile of sorted values, linear between neighbors, as numpy does.

    Measured from the nearer neighbor: rounding never leads past the other one.
    """
    place = share * (values.shape[0] - 1)
    k = int(place)
    between = place - k
    low, high = values[k], values[min(k + 1, values.shape[0] - 1)]
    quantile: float = low + (high - low) * between
    if between >= 0.5:
        quantile = high - (high - low) * (1.0 - between)
    return quantile


@loop
def _entropy(lifetimes: Floats) -> float:
    """Return -sum p log(p), where p are shares of the total lifetime, and 0 log 0 = 0.

    Of no lifetime at all it is 0.
    """
    total = sum_of(lifetimes)
    entropy = 0.0
    for t in range(lifetimes.shape[0]):
        share = lifetimes[t] / total if total > 0.0 else 0.0
        if share > 0.0:
            entropy -= share * math.log(share)
    return entropy
