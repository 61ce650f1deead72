"""Nearest words, counts and residuals of awkward diagrams."""

from fractions import Fraction
from itertools import pairwise

import numpy as np
from numba import njit
from tests.compute.awkward import MOST, cloud, errors_of, share_of
from tests.compute.oracles import (
    label_by,
    nearest_by_definition,
)

from pbow.codebook import SMALLEST_SCALE
from pbow.compute.assign import label_brute
from pbow.compute.count import count_brute, count_grid, count_in_numpy
from pbow.compute.grid import build_grid, label_grid
from pbow.compute.ramp import ramp_weight
from pbow.compute.vlad import vlad_brute, vlad_grid, vlad_in_numpy
from pbow.weighting import Ramp


def words_of(case, n_words=4):
    """Return words in scaled coordinates: some points, and the inverse of the scale.

    As a codebook does, whose scale is that of the data.
    """
    inverse = np.full(2, 1.0 / max(case.unit, SMALLEST_SCALE))
    points = np.concatenate((case.diagram(n_words), cloud(case.rng, 1) * case.unit))
    plane = np.c_[points[:, 0], points[:, 1] - points[:, 0]]
    return (plane * inverse)[:n_words].copy(), inverse


def ramp_of(case):
    """Return a ramp, or none."""
    low, high = sorted(case.rng.choice([0.0, 0.1, 1.0, 2.0], size=2) * case.unit)
    power = int(case.rng.integers(1, 3))
    return None if case.rng.random() < 0.3 else Ramp(low, high, power)


def limits_of(ramp):
    return np.empty(0) if ramp is None else np.array([ramp.low, ramp.high, ramp.power])


def weight_of(ramp, point):
    """Return the weight of a point, as a fraction."""
    if ramp is None:
        return Fraction(1)
    # Persistence is what float64 makes of it, to the nearest.
    persistence = Fraction(point[1] - point[0])
    low, high = Fraction(ramp.low), Fraction(ramp.high)
    if persistence >= high:
        return Fraction(1)
    if persistence <= low:
        return Fraction(0)
    return ((persistence - low) / (high - low)) ** ramp.power


def nearest_words(case):
    """``assign`` and ``grid``: the nearest word as float64 arithmetic gives it."""
    words, inverse = words_of(case, int(case.rng.integers(1, 40)))
    points = np.concatenate([case.diagram() for _ in range(4)])
    with np.errstate(over="ignore"):
        expected = nearest_by_definition(points, words, inverse)
    return max(
        share_of(label_by(loop, points, words, inverse), expected)
        for loop in (label_brute, label_grid)
    )


def counts(case):
    """``count``: the weights of the points nearest to each word, by every loop."""
    X, (words, inverse), ramp = case.collection(), words_of(case), ramp_of(case)
    labels = nearest_by_definition(X.points, words, inverse)
    expected = np.full((len(X), len(words)), Fraction(0))
    for d, (i, j) in enumerate(pairwise(X.offsets)):
        for t in range(i, j):
            expected[d, labels[t]] += weight_of(ramp, X.points[t])
    limits = None if ramp is None else limits_of(ramp)
    outs = np.zeros((3, len(X), len(words)))
    given = (X.points, X.offsets, words, inverse)
    count_brute(*given, limits, 0, outs[0])
    count_grid(*given, build_grid(words), limits, 0, outs[1])
    outs[2] = count_in_numpy(*given, ramp, 0)
    return max(errors_of(out, expected, size=1) for out in outs)


def residuals(case):
    """``vlad``: sums of differences to the nearest word, relative to the largest."""
    X, (words, inverse), ramp = case.collection(), words_of(case), ramp_of(case)
    labels = nearest_by_definition(X.points, words, inverse)
    expected = np.full((len(X), len(words), 2), Fraction(0))
    size = Fraction(1)
    for d, (i, j) in enumerate(pairwise(X.offsets)):
        for t in range(i, j):
            birth, death = X.points[t]
            place = Fraction(birth), Fraction(death - birth)
            for c in range(2):
                scaled = place[c] * Fraction(inverse[c])
                size = max(size, abs(scaled))
                part = scaled - Fraction(words[labels[t], c])
                expected[d, labels[t], c] += weight_of(ramp, X.points[t]) * part
    outs = np.zeros((3, len(X), 2 * len(words)))
    given = (X.points, X.offsets, words, inverse)
    vlad_brute(*given, limits_of(ramp), 0, outs[0])
    vlad_grid(*given, build_grid(words), limits_of(ramp), 0, outs[1])
    outs[2] = vlad_in_numpy(*given, ramp, 0)
    return max(errors_of(out, expected, size) for out in outs)


@njit
def _ramp_weights(persistences, low, high):
    return np.array([ramp_weight(p, low, high) for p in persistences])


def ramps(case):
    """``ramp``: 0 up to low, 1 from high on, and a line between."""
    points, ramp = case.diagram(MOST), None
    while ramp is None:
        ramp = ramp_of(case)
    ramp = Ramp(ramp.low, ramp.high)
    found = _ramp_weights(points[:, 1] - points[:, 0], ramp.low, ramp.high)
    return errors_of(found, [weight_of(ramp, point) for point in points], size=1)
