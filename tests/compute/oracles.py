"""Slow sentences that define results, and diagrams of many kinds to try them on."""

import numpy as np
from numpy.testing import assert_array_equal
from scipy.stats import multivariate_normal

from pbow.compute.assign import BLOCK, label_brute
from pbow.compute.grid import build_grid, label_grid

__all__ = [
    "KINDS",
    "check_labels",
    "cloud",
    "costs_with_the_diagonal",
    "label_by",
    "log_densities",
    "long_bars",
    "near_the_diagonal",
    "off_the_diagonal",
    "repeated",
    "whole_numbers",
]


def cloud(rng, n):
    births = rng.normal(size=n)
    return np.column_stack((births, births + rng.exponential(0.3, size=n)))


def near_the_diagonal(rng, n):
    births = rng.normal(size=n)
    persistences = rng.exponential(0.05, size=n)
    return np.c_[births, births + persistences * rng.choice([1.0, 10.0], size=n)]


def whole_numbers(rng, n):
    births = rng.integers(-3, 4, size=n).astype(float)
    return np.c_[births, births + rng.integers(0, 5, size=n)]


def born_together(rng, n):
    return np.c_[np.zeros(n), rng.gamma(4.0, 0.2, size=n)]


def dying_together(rng, n):
    return np.c_[rng.uniform(-1.0, 1.0, size=n), np.ones(n)]


def all_equal(rng, n):
    return np.tile([0.25, 1.5], (n, 1))


def long_bars(rng, n):
    """All are candidates for all."""
    return np.c_[0.1 * rng.uniform(size=n), 1.0 + rng.uniform(size=n)]


def one_ulp_apart(rng, n):
    """Many have the same middle but for its rounding."""
    ulps = rng.integers(0, 4, size=(n, 2)) * 2.0**-52
    return np.array([1.0, 1.5]) + ulps * rng.integers(0, 2, size=(n, 1))


def one_ulp_apart_in_death(rng, n):
    return np.c_[np.ones(n), 1.5 + rng.integers(0, 4, size=n) * 2.0**-52]


KINDS = [
    cloud,
    near_the_diagonal,
    whole_numbers,
    born_together,
    dying_together,
    all_equal,
    long_bars,
    one_ulp_apart,
    one_ulp_apart_in_death,
]


def off_the_diagonal(diagram):
    """Flat points off the diagonal, sorted by their middles, and these."""
    points = np.asarray(diagram, float).reshape(-1, 2)
    points = points[0.5 * (points[:, 1] - points[:, 0]) > 0]
    middles = 0.5 * points[:, 0] + 0.5 * points[:, 1]
    by_middle = np.lexsort((points[:, 1], points[:, 0], middles))
    return points[by_middle].ravel(), middles[by_middle]


def repeated(kind):
    """The same kind of diagrams, in which few points are there many times."""

    def make(rng, n):
        few = kind(rng, max(1, n // 6))
        return few[rng.integers(0, len(few), size=n)]

    make.__name__ = f"{kind.__name__}_repeated"
    return make


def costs_with_the_diagonal(A, B, metric=np.inf):
    """The square matrix in which every point has a diagonal point of its own."""
    n, m = len(A), len(B)
    costs = np.zeros((n + m, n + m))
    costs[:n, :m] = np.linalg.norm(A[:, None] - B[None], metric, axis=2).reshape(n, m)
    # The nearest point of the diagonal is (m, m) with m = (birth + death) / 2.
    halves = [0.5 * (D[:, 1:] - D[:, :1]) * [[1.0, 1.0]] for D in (A, B)]
    costs[:n, m:] = np.linalg.norm(halves[0], metric, axis=1)[:, None]
    costs[n:, :m] = np.linalg.norm(halves[1], metric, axis=1)
    return costs


def nearest_by_definition(points, words, inverse):
    """Lowest index of the smallest (x - word_x)**2 + (y - word_y)**2."""
    x = points[:, 0] * inverse[0]
    y = (points[:, 1] - points[:, 0]) * inverse[1]
    labels = np.zeros(len(points), np.int32)
    smallest = np.full(len(points), np.inf)
    for k, (word_x, word_y) in enumerate(words):
        d = (x - word_x) * (x - word_x) + (y - word_y) * (y - word_y)
        labels[d < smallest] = k
        smallest = np.minimum(smallest, d)
    return labels


def label_by(loop, points, words, inverse=(1.0, 1.0), start=0):
    """Nearest words of the points from `start` on, by one of the two loops."""
    labels = np.full(len(points) - start, -1, np.int32)
    if loop is label_grid:
        loop(points, start, words, np.array(inverse), build_grid(words), labels)
        return labels
    floats = np.empty((4, BLOCK))
    for first in range(start, len(points), BLOCK):
        last = min(first + BLOCK, len(points))
        loop(points.reshape(-1), first, last, words, np.array(inverse), floats)
        labels[first - start : last - start] = floats[3, : last - first]
    return labels


def check_labels(points, words, inverse=(1.0, 1.0)):
    expected = nearest_by_definition(points, words, inverse)
    for loop in (label_brute, label_grid):
        assert_array_equal(label_by(loop, points, words, inverse), expected)


def log_densities(points, weights, means, covariances):
    """Log of weight times density of each point (row) and component (column)."""
    return np.column_stack(
        [
            np.log(w) + multivariate_normal(m, c).logpdf(points)
            for w, m, c in zip(weights, means, covariances, strict=True)
        ]
    )
