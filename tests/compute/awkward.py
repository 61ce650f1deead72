"""Awkward diagrams, and what each loop is to make of them, in exact arithmetic.

A check draws inputs of one kind at one scale, calls a loop, and returns its largest
error: the difference from the sentence that defines it, divided by the size that the
check states. Sentences are evaluated in fractions or in long decimals, so that they
neither overflow nor vanish; where a loop may only compare and choose, its error is the
share of wrong choices.
"""

import math
from collections import Counter
from decimal import Decimal, localcontext
from fractions import Fraction
from functools import cache
from itertools import pairwise

import numpy as np
import pytest
from numba import njit
from scipy.special import ndtr
from tests.compute.oracles import (
    label_by,
    nearest_by_definition,
    off_the_diagonal,
)

from pbow import Diagrams
from pbow.codebook import SMALLEST_SCALE
from pbow.compute.assign import label_brute
from pbow.compute.bottleneck import bottleneck
from pbow.compute.count import count_brute, count_grid, count_in_numpy
from pbow.compute.distinct import distinct_points
from pbow.compute.exponential import half_to_64
from pbow.compute.extended import extended_graphs
from pbow.compute.geodesic import shortest_paths
from pbow.compute.grid import build_grid, label_grid
from pbow.compute.heat import root_densities
from pbow.compute.image import extent, make_axis, sum_images, sum_lines
from pbow.compute.kmeans import lloyd
from pbow.compute.landscape import compare_levels, sample_levels
from pbow.compute.likelihood import LANES, sum_likelihoods, sum_posteriors
from pbow.compute.matching import wasserstein
from pbow.compute.mixture import expect, maximize, pack, pad, weigh
from pbow.compute.moments import sum_gradients, sum_residuals
from pbow.compute.normalize import NORMALIZATIONS, normalize_row, normalize_rows
from pbow.compute.ramp import ramp_weight
from pbow.compute.scale_space import (
    REACH,
    empty_heat,
    frames_of,
    heat_between,
    spread,
)
from pbow.compute.select import N_BINS, add_bins, keep_bins, thin
from pbow.compute.sliced import jumps_of, sum_over_lines
from pbow.compute.sparse_rips import order_farthest_first
from pbow.compute.statistics import N_STATISTICS, summarize, summarize_births
from pbow.compute.sums import sum_of
from pbow.compute.transport import transport_distance
from pbow.compute.union_find import sublevel_graphs
from pbow.compute.vlad import vlad_brute, vlad_grid, vlad_in_numpy
from pbow.errors import ItemError
from pbow.homology._clouds import check_clouds
from pbow.homology._common import SMALLEST_SPREAD
from pbow.kernels import LandscapeKernel
from pbow.weighting import Ramp

__all__ = ["CHECKS", "KINDS", "SCALES", "errors_of"]

# Diagrams take coordinates up to 1e100 and refuse larger ones.
SCALES = (1e-300, 1e-150, 1e-30, 1.0, 1e30, 1e99)
MOST = 5  # points of a diagram: sentences are slow
TINY = 5e-324


# -------------------------------------------------------------------------------------
# Diagrams


def cloud(rng, n):
    births = rng.normal(size=n)
    return np.c_[births, births + rng.exponential(0.5, size=n)]


def ties(rng, n):
    births = rng.integers(-2, 3, size=n).astype(float)
    return np.c_[births, births + rng.integers(0, 4, size=n)]


def duplicates(rng, n):
    return cloud(rng, 2)[rng.integers(0, 2, size=n)]


def born_together(rng, n):
    return np.c_[np.full(n, 0.25), 0.25 + rng.exponential(size=n)]


def collinear(rng, n):
    births = rng.integers(0, 8, size=n) / 8.0
    return np.c_[births, 1.5 * births + 0.25]


def next_to_the_diagonal(rng, n):
    births = rng.normal(size=n)
    return np.c_[births, births + 10.0 ** rng.uniform(-16, -3, size=n)]


def of_all_lengths(rng, n):
    """Persistence from next to nothing to far more than all births."""
    return np.c_[rng.normal(size=n), rng.normal(size=n)].min(axis=1)[:, None] + np.c_[
        np.zeros(n), 10.0 ** rng.uniform(-14, 1, size=n)
    ]


def signed_zeros(rng, n):
    births = rng.choice([-0.0, 0.0], size=n)
    return np.c_[births, births + rng.choice([-0.0, 0.0, 1.0, 2.0], size=n)]


def denormal(rng, n):
    """Few of the smallest numbers there are, whatever the scale."""
    births = rng.integers(-3, 4, size=n)
    return np.c_[births, births + rng.integers(0, 9, size=n)] * TINY


def one(rng, n):
    return cloud(rng, min(n, 1))


KINDS = {
    kind.__name__: kind
    for kind in (
        cloud,
        ties,
        duplicates,
        born_together,
        collinear,
        next_to_the_diagonal,
        of_all_lengths,
        signed_zeros,
        denormal,
        one,
    )
}


class Case:
    """One kind of diagrams at one scale, and the numbers to draw them from."""

    def __init__(self, kind, scale, rng):
        self.kind, self.scale, self.rng = kind, scale, rng
        # In units of these, coordinates are about 1.
        self.unit = TINY * 4 if kind == "denormal" else scale

    def diagram(self, n=None):
        n = int(self.rng.integers(0, MOST + 1)) if n is None else n
        points = KINDS[self.kind](self.rng, n)
        return points if self.kind == "denormal" else points * self.scale

    def collection(self, n=3):
        return Diagrams.from_list([self.diagram() for _ in range(n)])


def errors_of(found, expected, size=None):
    """Return the largest difference over its size, by default that of the expected.

    What rounds to a number below the smallest normal one has lost digits, which nobody
    can give back: half a dozen of the smallest numbers do not count.
    """
    found = np.asarray(found, float).ravel().tolist()
    expected = list(np.asarray(expected, object).ravel())
    assert len(found) == len(expected)
    worst = 0.0
    for value, truth in zip(found, expected, strict=True):
        if not math.isfinite(value):
            return math.inf
        apart = abs(Fraction(value) - Fraction(truth)) - 6 * Fraction(TINY)
        if apart > 0:
            whole = Fraction(abs(truth) if size is None else size)
            worst = max(worst, float(min(apart / whole, 1)) if whole else math.inf)
    return worst


def share_of(found, expected):
    """Return the share of wrong choices."""
    found, expected = np.asarray(found), np.asarray(expected)
    assert found.shape == expected.shape
    return float(np.mean(found != expected)) if found.size else 0.0


def root(x):
    """Return the square root of a fraction, of any size, to 30 digits."""
    with localcontext() as context:
        context.prec = 30
        context.Emin, context.Emax = -(10**6), 10**6
        return Fraction((Decimal(x.numerator) / Decimal(x.denominator)).sqrt())


def power_of(x, order):
    with localcontext() as context:
        context.prec = 30
        context.Emin, context.Emax = -(10**6), 10**6
        base = Decimal(x.numerator) / Decimal(x.denominator)
        return Fraction(base**order) if base else Fraction(0)


def in_fractions(points):
    return [tuple(map(Fraction, point)) for point in np.asarray(points).tolist()]


def largest_of(*diagrams):
    """Return the largest coordinate."""
    return max((abs(x) for d in diagrams for x in np.ravel(d).tolist()), default=0.0)


# -------------------------------------------------------------------------------------
# Words


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


# -------------------------------------------------------------------------------------
# Mixtures


def mixture_of(case, n=3, *, is_diagonal=False):
    """Return weights, means and covariances in units of the scale."""
    rng = case.rng
    deviations = 10.0 ** rng.uniform(-3, 1, size=(n, 2))
    tilt = 0.0 if is_diagonal else 0.7
    shape = np.array([[1.0, tilt], [tilt, 1.0]])
    covariances = deviations[:, :, None] * shape * deviations[:, None, :]
    return rng.dirichlet(np.ones(n)), rng.normal(size=(n, 2)), covariances


def terms_of(X, frame, components):
    """Return squared distances times log2(e) / 2, as fractions, point by component."""
    mean_b, mean_p, l11, l21, l22, _ = components
    b = [(x - frame[0]) * frame[2] for x in X.points[:, 0]]
    p = [(d - x - frame[1]) * frame[3] for x, d in X.points]
    rows = []
    for x, y in zip(map(Fraction, b), map(Fraction, p), strict=True):
        apart = [
            (x - Fraction(mean_b[k]), y - Fraction(mean_p[k]))
            for k in range(len(mean_b))
        ]
        rows.append(
            [
                (db * Fraction(l11[k])) ** 2
                + (db * Fraction(l21[k]) + dp * Fraction(l22[k])) ** 2
                for k, (db, dp) in enumerate(apart)
            ]
        )
    return np.array(rows, object).reshape(len(X.points), len(mean_b))


def halves_of(d):
    """Return 0.5**d of fractions d; 0 if that is no normal number."""
    return 0.5 ** float(min(d, Fraction(5000)))


def framed(case, components):
    """Return a frame in which coordinates are about 1, and padded components."""
    rate = 1.0 / max(case.unit, SMALLEST_SCALE)
    padded = np.zeros((6, -(-components.shape[1] // LANES) * LANES))
    padded[5] = -np.inf
    padded[:, : components.shape[1]] = components
    return np.array([0.0, 0.0, rate, rate]), padded


def likelihoods(case):
    """``likelihood``: sums of weighted Gaussians, relative to the weights.

    A power errs by the error of its exponent, which is relative.
    """
    X, ramp, components = case.collection(), ramp_of(case), pack(*mixture_of(case))
    frame, padded = framed(case, components)
    out = np.full((len(X), padded.shape[1]), np.nan)
    sum_likelihoods(X.points, X.offsets, frame, padded, limits_of(ramp), out)
    expected = np.zeros((len(X), components.shape[1]))
    terms = terms_of(X, frame, components)
    for d, (i, j) in enumerate(pairwise(X.offsets)):
        for t in range(i, j):
            weight = float(weight_of(ramp, X.points[t]))
            expected[d] += [weight * halves_of(term) for term in terms[t]]
    return errors_of(out[:, : components.shape[1]], expected, size=1)


def shares_of(terms, components):
    """Return posteriors of components, point by component.

    Relative to the nearest one; differences that are too small to be there in float64
    are none.
    """
    shares = np.zeros(terms.shape)
    logs = [Fraction(x) for x in components[5]]
    for t, row in enumerate(terms):
        heights = [term - log for term, log in zip(row, logs, strict=True)]
        least = min(heights)
        shares[t] = [halves_of(h - least) for h in heights]
    return shares / shares.sum(axis=1, keepdims=True)


def posteriors(case):
    """``likelihood``: sums of posteriors, relative to the number of points."""
    X, components = case.collection(), pack(*mixture_of(case))
    frame, padded = framed(case, components)
    out = np.full((len(X), padded.shape[1]), np.nan)
    ends = np.array([padded.shape[1]])
    sum_posteriors(X.points, X.offsets, frame, padded, ends, np.empty(0), out)
    shares = shares_of(terms_of(X, frame, components), components)
    expected = [shares[i:j].sum(axis=0) for i, j in pairwise(X.offsets)]
    return errors_of(out[:, : components.shape[1]], expected, size=1)


def _moments(case, loop):
    """Return sums over posteriors of what ``moments`` sums, and the slow ones.

    Its coordinates are those of the mixture: only diagrams of about its size.
    """
    is_gradient = loop is sum_gradients
    weights, means, covariances = mixture_of(case, is_diagonal=is_gradient)
    X = Diagrams.from_list([case.diagram() / case.unit for _ in range(3)])
    components = pack(weights, means, covariances)
    shares = shares_of(
        terms_of(X, np.array([0.0, 0.0, 1.0, 1.0]), components), components
    )
    plane = np.c_[X.points[:, 0], X.points[:, 1] - X.points[:, 0]]
    apart = plane[:, None] - means
    if is_gradient:
        deviations = np.sqrt(np.diagonal(covariances, axis1=1, axis2=2))
        apart /= deviations
        apart = np.concatenate((apart, apart**2 - 1.0), axis=2)
    terms = shares[:, :, None] * apart
    expected = np.array([terms[i:j].sum(axis=0) for i, j in pairwise(X.offsets)])
    n_columns = expected.shape[2]
    out = np.full((len(X), expected[0].size), np.nan)
    factors = np.ones((len(means), n_columns))
    given = (X.points, X.offsets, pad(components, LANES), np.empty(0), factors)
    loop(*given, 0, out)
    size = np.abs(terms).max(initial=1.0)
    return errors_of(out, expected, size)


def soft_residuals(case):
    """``moments``: sums of posteriors times differences, relative to the largest."""
    return _moments(case, sum_residuals)


def gradients(case):
    """``moments``: sums of a Fisher vector, relative to the largest term."""
    return _moments(case, sum_gradients)


def rounds(case):
    """``mixture``: one round of expectation and maximization, in whitened coordinates.

    Masses relative to the number of points, means and deviations to the coordinates.
    """
    X = Diagrams.from_list([case.diagram(MOST) / case.unit])
    points = np.c_[X.points[:, 0], X.points[:, 1] - X.points[:, 0]].copy()
    weights, means, covariances = mixture_of(case)
    components = pack(weights, means, covariances)
    shares = shares_of(
        terms_of(X, np.array([0.0, 0.0, 1.0, 1.0]), components), components
    )
    moments = expect(points, components, np.empty(len(points)), 1000)
    mass = shares.sum(axis=0)
    alive = mass > 1e-3
    new, shapes = maximize(moments, means, covariances, diagonal=True, floor=1e-6)
    expected = shares.T @ points / np.where(alive, mass, 1.0)[:, None]
    squares = (points - expected[:, None]) ** 2
    variances = np.einsum("nk,knc->kc", shares, squares)
    variances = np.maximum(variances / np.where(alive, mass, 1.0)[:, None], 1e-6)
    size = 1.0 + max(np.abs(points).max(initial=0.0), np.abs(means).max())
    found = np.diagonal(shapes, axis1=1, axis2=2)
    return max(
        errors_of(moments[0], mass, size=1),
        errors_of(weigh(moments[0]), np.maximum(mass / mass.sum(), 0), size=1),
        errors_of(new[alive], expected[alive], size),
        errors_of(found[alive], variances[alive], size**2),
    )


def clusters(case):
    """``kmeans``: words go to the means of the points nearest to them."""
    points = np.concatenate([case.diagram(MOST) for _ in range(3)]) / case.unit
    words = np.unique(points, axis=0)[:3].copy()
    labels = nearest_by_definition(
        np.c_[points[:, 0], points.sum(axis=1)], words, (1.0, 1.0)
    )
    # Of such points the second coordinate is as it was, but for rounding: choose anew.
    squares = ((points[:, None] - words) ** 2).sum(axis=2)
    labels = squares.argmin(axis=1)
    exact = in_fractions(points)
    expected = []
    for k in range(len(words)):
        mine = [exact[t] for t in np.flatnonzero(labels == k)]
        expected += [sum(axis) / len(mine) for axis in zip(*mine, strict=True)]
    lloyd(points, words, 1, 0.0, np.zeros(len(points), np.int32), 10_000)
    return errors_of(words, expected, size=max(largest_of(points), TINY))


# -------------------------------------------------------------------------------------
# Distances


def _least_cost(A, B, order, metric):
    """Return the least total cost of a matching, or its largest for order inf.

    Costs are distances to the power of the order: fractions, of rational squares for
    the Euclidean metric. Over rows, and sets of columns that are taken.
    """
    A, B = ([p for p in in_fractions(D) if p[0] < p[1]] for D in (A, B))

    def cost(births, deaths):
        births, deaths = abs(births), abs(deaths)
        if metric == 2.0:  # of order 2, or the square of a bottleneck
            return births**2 + deaths**2
        length = max(births, deaths) if metric == math.inf else births + deaths
        return length if order in {1.0, math.inf} else length ** int(order)

    def removal(point):
        half = (point[1] - point[0]) / 2
        return cost(half, half)

    join = max if order == math.inf else lambda x, y: x + y

    @cache
    def least(i, taken):
        if i == len(A):
            total = Fraction(0)
            for j, point in enumerate(B):
                if not taken >> j & 1:
                    total = join(total, removal(point))
            return total
        best = join(removal(A[i]), least(i + 1, taken))
        for j, point in enumerate(B):
            if not taken >> j & 1:
                step = cost(A[i][0] - point[0], A[i][1] - point[1])
                best = min(best, join(step, least(i + 1, taken | 1 << j)))
        return best

    return least(0, 0)


def _distance(A, B, order, metric):
    total = _least_cost(A, B, order, metric)
    if metric == 2.0 or order == 2.0:
        return root(total)
    if order in {1.0, math.inf}:
        return total
    return power_of(total, Decimal(1) / int(order))


WAYS = [
    (1.0, math.inf),
    (2.0, math.inf),
    (3.0, math.inf),
    (1.0, 1.0),
    (2.0, 1.0),
    (2.0, 2.0),
]


def _counted(diagram):
    points = off_the_diagonal(diagram)[0].reshape(-1, 2)
    distinct, counts = np.unique(points + 0.0, axis=0, return_counts=True)
    middles = 0.5 * distinct[:, 0] + 0.5 * distinct[:, 1]
    by_middle = np.lexsort((distinct[:, 1], distinct[:, 0], middles))
    return distinct[by_middle].ravel(), counts[by_middle]


def _two(case):
    """Return two diagrams, which are often near to each other."""
    A, B = case.diagram(), case.diagram()
    if len(A) == len(B) and case.rng.random() < 0.5:
        B = np.where(case.rng.random(A.shape) < 0.7, A, B)
        B = np.sort(B, axis=1)
    return A, B


def matchings(case):
    """``matching``: the Wasserstein distance, relative to it."""
    A, B = _two(case)
    order, metric = WAYS[case.rng.integers(len(WAYS))]
    pair = (*off_the_diagonal(A), *off_the_diagonal(B))
    return errors_of(
        [wasserstein(*pair, order, metric)],
        [_distance(*map(_kept, (A, B)), order, metric)],
    )


def flows(case):
    """``transport``: the same of distinct points with counts."""
    A, B = _two(case)
    order, metric = WAYS[case.rng.integers(len(WAYS))]
    found = transport_distance(*_counted(A), *_counted(B), order, metric)
    return errors_of([found], [_distance(*map(_kept, (A, B)), order, metric)])


def bottlenecks(case):
    """``bottleneck``: the bottleneck distance, relative to it."""
    A, B = _two(case)
    metric = [1.0, 2.0, math.inf][case.rng.integers(3)]
    pair = (*off_the_diagonal(A), *off_the_diagonal(B))
    found = bottleneck(*pair, metric)
    return errors_of([found], [_distance(*map(_kept, (A, B)), math.inf, metric)])


def _kept(diagram):
    """Return the points that count: the half of the smallest number is 0."""
    return off_the_diagonal(diagram)[0].reshape(-1, 2)


def _line_sums(F, G, line):
    """Return the L1 distance of sorted projections, each diagram with the other's feet.

    As fractions, on a line that float64 knows.
    """
    cos, sin = map(Fraction, line)
    F, G = ([p for p in in_fractions(D) if p[0] != p[1]] for D in (F, G))

    def along(points, others):
        feet = [(b + d) / 2 for b, d in others]
        projected = [b * cos + d * sin for b, d in points]
        return sorted(projected + [foot * (cos + sin) for foot in feet])

    pairs = zip(along(F, G), along(G, F), strict=True)
    return sum((abs(x - y) for x, y in pairs), Fraction(0))


def slices(case):
    """``sliced``: sums over lines, relative to the largest coordinate."""
    X, n_lines = case.collection(), 3
    angles = -np.pi / 2 + np.arange(n_lines) * np.pi / n_lines
    lines = np.column_stack((np.cos(angles), np.sin(angles)))
    block = jumps_of(distinct_points(X.points, X.offsets), lines, 0, len(X))
    expected = [[sum(_line_sums(F, G, line) for line in lines) for G in X] for F in X]
    return errors_of(sum_over_lines(block, block), expected, largest_of(X.points))


def _integrals(one, other):
    """Return the integrals of (a - b)**2 and of a * b over levels, as fractions."""
    one, other = map(in_fractions, (one, other))

    def levels(diagram, time):
        tents = [max(Fraction(0), min(time - b, d - time)) for b, d in diagram]
        filled = tents + [Fraction(0)] * (max(len(one), len(other)) - len(tents))
        return sorted(filled, reverse=True)

    numbers = [x for point in one + other for x in point]
    meetings = sorted({(x + y) / 2 for x in numbers for y in numbers})
    squares = products = Fraction(0)
    for start, stop in pairwise(meetings):
        for time, weight in ((start, 1), ((start + stop) / 2, 4), (stop, 1)):
            share = weight * (stop - start) / 6
            for a, b in zip(levels(one, time), levels(other, time), strict=True):
                squares += share * (a - b) ** 2
                products += share * a * b
    return squares, products


def _landscapes(case, *, product):
    X = Diagrams.from_list(
        [_by_birth(case.diagram(int(case.rng.integers(0, 4)))) for _ in range(2)]
    )
    expected = [[_integrals(F, G)[product] for G in X] for F in X]
    return X, expected, largest_of(X.points)


def _by_birth(points):
    kept = points[points[:, 0] < points[:, 1]]
    return kept[np.lexsort((-kept[:, 1], kept[:, 0]))]


def landscape_distances(case):
    """``landscape``: L2 distances, relative to the largest coordinate to the 3/2.

    Through the kernel, which multiplies coordinates whose cubes would vanish.
    """
    X, expected, size = _landscapes(case, product=False)
    out = LandscapeKernel().distances(X)
    return errors_of(
        out, [[root(x) for x in row] for row in expected], root(Fraction(size) ** 3)
    )


def landscape_products(case):
    """``landscape``: inner products, relative to the cube of the largest coordinate."""
    X, expected, size = _landscapes(case, product=True)
    out = np.full((2, 2), np.nan)
    compare_levels(X.points, X.offsets, X.points, X.offsets, True, False, out)
    return errors_of(out, expected, Fraction(size) ** 3)


def landscape_samples(case):
    """``landscape``: the largest tents at the times of a grid, to the bit."""
    X = case.collection()
    grid = np.linspace(-2.0, 3.0, 7) * case.unit
    rate = min(6.0 / max(5.0 * case.unit, TINY), 1e307)
    out = np.zeros((len(X), 2 * len(grid)))
    sample_levels(X.points, X.offsets, grid, rate, 2, out)
    expected = np.zeros((len(X), 2, len(grid)))
    for d, points in enumerate(X):
        tents = np.minimum(grid - points[:, :1], points[:, 1:] - grid)
        tents = np.sort(np.r_[np.maximum(tents, 0.0), np.zeros((2, len(grid)))], axis=0)
        expected[d] = tents[::-1][:2]
    return share_of(out, expected.reshape(out.shape))


def scale_space(case):
    """``scale_space``: overlaps of heat, relative to the root of both with themselves.

    With 60 digits and more: exponents differ by as little as persistences.
    """
    X = Diagrams.from_list([case.diagram(2) for _ in "ab"])
    s = float(np.clip(case.unit * 10.0 ** case.rng.uniform(-2, 2), 1e-149, 1e149))
    points = distinct_points(X.points, X.offsets)
    heat = empty_heat(points, s)
    spread(*points, heat, np.empty(2 * REACH + 1), 0, 2)
    where = slice(0, 2)
    out = heat_between(heat, where, heat, where, frames_of(heat, 0, 2))
    expected = [[_overlap(F, G, s) for G in X] for F in X]
    sizes = [
        [root(expected[i][i] * expected[j][j]) for j in range(2)] for i in range(2)
    ]
    return max(
        errors_of([out[i, j]], [expected[i][j]], sizes[i][j])
        for i in range(2)
        for j in range(2)
    )


def _overlap(F, G, s):
    with localcontext() as context:
        context.prec = 400
        context.Emin, context.Emax = -(10**9), 10**9
        four = 4 * Decimal(s) ** 2
        total = Decimal(0)
        F, G = ([list(map(Decimal, p)) for p in A.tolist()] for A in (F, G))
        for b, d in F:
            for c, e in G:
                near = ((b - c) ** 2 + (d - e) ** 2) / four
                mirrored = 2 * (d - b) * (e - c) / four
                if near < 800:
                    total += (-near).exp() * (1 - (-min(mirrored, Decimal(900))).exp())
        return Fraction(total.normalize())


# -------------------------------------------------------------------------------------
# Other vectors


def _quantile(values, share):
    place = Fraction(share) * (len(values) - 1)
    k = int(place)
    above = values[min(k + 1, len(values) - 1)]
    return values[k] + (above - values[k]) * (place - k)


def _statistics(values):
    values = sorted(map(Fraction, values))
    mean = sum(values) / len(values)
    variance = sum((v - mean) ** 2 for v in values) / len(values)
    low, first, middle, third, high = (
        _quantile(values, share) for share in (0.1, 0.25, 0.5, 0.75, 0.9)
    )
    spreads = [third - first, values[-1] - values[0]]
    return [mean, root(variance), middle, *spreads, low, first, third, high]


def statistics(case):
    """``statistics``: of births, deaths, middles, lifetimes, relative to the largest.

    Deviations and ranges are relative to the range.
    """
    X = case.collection()
    out = np.full((len(X), 4 * N_STATISTICS + 2), np.nan)
    summarize(X.points, X.offsets, out)
    of_births = np.full((len(X), N_STATISTICS + 1), np.nan)
    summarize_births(X.points, X.offsets, of_births)
    assert (of_births[:, :-1] == out[:, :N_STATISTICS]).all()
    worst = 0.0
    for row, points in zip(out, X, strict=True):
        if not len(points):
            worst = max(worst, errors_of(row, np.zeros(row.size)))
            continue
        births, deaths = points.T
        quantities = [births, deaths, 0.5 * (births + deaths), deaths - births]
        for k, values in enumerate(quantities):
            found = row[k * N_STATISTICS : (k + 1) * N_STATISTICS]
            expected = _statistics(values.tolist())
            spread_of = [1, 4]
            places = [0, 2, 3, 5, 6, 7, 8]
            largest = largest_of(values)
            worst = max(
                worst,
                errors_of(found[places], [expected[i] for i in places], largest),
                errors_of(
                    found[spread_of],
                    [expected[i] for i in spread_of],
                    # Of the range, and of what rounding leaves of it.
                    expected[4] + Fraction(largest) / 10**4,
                ),
            )
        total = sum(map(Fraction, quantities[3].tolist()))
        shares = [float(Fraction(p) / total) for p in quantities[3].tolist() if p]
        entropy = -sum(p * math.log(p) for p in shares if p)
        worst = max(worst, errors_of(row[-2:], [len(points), entropy], size=10))
    return worst


def _masses(x, low, width, n_pixels, bandwidth):
    """Return the mass of a Gaussian about x in each pixel; x is a fraction."""
    z = [
        float(max(min((low + i * width - x) / bandwidth, Fraction(50)), Fraction(-50)))
        for i in range(n_pixels + 1)
    ]
    return [
        ndtr(-a) - ndtr(-b) if a > 0 else ndtr(b) - ndtr(a) for a, b in pairwise(z)
    ]


def images(case):
    """``image``: masses of Gaussians in pixels, relative to the number of points."""
    if case.kind == "denormal":
        return 0.0  # boxes of pixels are wider: PersistenceImage sees to it
    X, n, rng = case.collection(), 3, case.rng
    bandwidth = case.unit * 10.0 ** rng.uniform(-3, 1)
    boxes = [(-1.0 * case.unit, 1.5 * case.unit), (0.0, 2.0 * case.unit)]
    axes = [make_axis(low, high, n, bandwidth) for low, high in boxes]
    out, lines = np.full((len(X), n * n), np.nan), np.full((len(X), n), np.nan)
    sum_images(X.points, X.offsets, np.array([-np.inf, -np.inf]), *axes, out)
    sum_lines(X.points, X.offsets, axes[0], lines)
    expected, expected_lines = np.zeros((len(X), n, n)), np.zeros((len(X), n))
    for d, points in enumerate(X):
        for birth, death in points.tolist():
            masses = [
                _masses(
                    Fraction(value),
                    Fraction(low),
                    (Fraction(high) - Fraction(low)) / n,
                    n,
                    Fraction(bandwidth),
                )
                for value, (low, high) in zip((birth, death - birth), boxes, strict=True)
            ]
            expected[d] += np.outer(*masses)
            expected_lines[d] += masses[0]
    return max(
        errors_of(out, expected, size=1), errors_of(lines, expected_lines, size=1)
    )


def extents(case):
    """``image``: the range of births, the largest persistence, the last death."""
    points = case.diagram(MOST)
    births, deaths = points.T
    expected = (births.min(), births.max(), (deaths - births).max(), deaths.max())
    return share_of(extent(points), expected)


def heat_maps(case):
    """``heat``: shares of the heat at places of a grid."""
    X = Diagrams.from_list([case.diagram(int(n)) for n in (1, 2, MOST)])
    births, deaths = np.linspace(0.0, 3.0, 3), np.linspace(0.0, 4.0, 4)
    rate = 1.0 / max(case.unit, SMALLEST_SCALE)
    frame = np.array([-case.unit, -case.unit, rate, 2.0 * rate])
    out = np.zeros((len(X), 12))
    root_densities(X.points, X.offsets, frame, births, deaths, out)
    expected = np.zeros((len(X), 12))
    for d, points in enumerate(X):
        squares = []
        for point in points:
            x, y = ((point - frame[:2]) * frame[2:]).tolist()
            squares.append(
                [
                    (Fraction(g) - Fraction(x)) ** 2 + (Fraction(h) - Fraction(y)) ** 2
                    for g in births
                    for h in deaths
                ]
            )
        least = min(min(row) for row in squares)
        heat = np.sum([[halves_of(q - least) for q in row] for row in squares], axis=0)
        expected[d] = heat / heat.sum()
    return errors_of(out**2, expected, size=1)


# -------------------------------------------------------------------------------------
# Rows, sums, selections


def normalizations(case):
    """``normalize``: each formula, relative to the largest entry of the row."""
    row = case.diagram(MOST).ravel()
    exact = [Fraction(x) for x in row.tolist()]
    signs = [(-1 if x < 0 else 1) for x in exact]
    roots = [s * root(abs(x)) for s, x in zip(signs, exact, strict=True)]
    norm = max(root(sum(abs(x) for x in exact)), Fraction(1e-12))
    length = root(sum(x * x for x in exact))
    epsilon = Fraction(0.1)
    expected = {
        None: exact,
        "sqrt": roots,
        "sqrt-l2": [x / norm for x in roots],
        "lipschitz": [x / (1 + length) for x in exact],
        "smooth-sqrt": [
            s * abs(x) / (root(abs(x) + epsilon) + root(epsilon))
            for s, x in zip(signs, exact, strict=True)
        ],
    }
    worst = 0.0
    for name, values in expected.items():
        by_row = row.copy()
        normalize_row(by_row, NORMALIZATIONS[name])
        by_rows = normalize_rows(row[np.newaxis].copy(), NORMALIZATIONS[name])[0]
        worst = max(worst, errors_of(by_row, values), errors_of(by_rows, values))
    return worst


@njit
def _sum(values):
    return sum_of(values)


def sums(case):
    """``sums``: a sum, relative to that of the absolute values."""
    values = np.concatenate([case.diagram().ravel() for _ in range(6)])
    exact = [Fraction(x) for x in values.tolist()]
    return errors_of([_sum(values)], [sum(exact)], sum(map(abs, exact)))


@njit
def _halves(d):
    return np.array([half_to_64(x) for x in d])


def halves(case):
    """``exponential``: powers of 1/2, relative to them."""
    d = np.abs(case.diagram(MOST)).ravel()
    with localcontext() as context:
        context.prec = 40
        expected = [
            Fraction(Decimal(2) ** -Decimal(x)) if x < 1022 else Fraction(0)
            for x in d.tolist()
        ]
    return errors_of(_halves(d), expected)


def distinct(case):
    """``distinct``: each point off the diagonal, and how often it is there."""
    X = case.collection()
    found = distinct_points(X.points, X.offsets)
    wrong = 0
    for (i, j), points in zip(pairwise(found.offsets), X, strict=True):
        expected = Counter((b + 0.0, d + 0.0) for b, d in points.tolist() if b < d)
        mine = dict(
            zip(
                ((b + 0.0, d + 0.0) for b, d in found.points[i:j].tolist()),
                found.counts[i:j].tolist(),
                strict=True,
            )
        )
        wrong += mine != dict(expected)
    return wrong / len(X)


def bins(case):
    """``select``: persistences by the bins that hold them, in order."""
    points = np.concatenate([case.diagram() for _ in range(3)])
    counted = np.zeros((N_BINS, 2), np.int64)
    add_bins(points, counted)
    kept = []
    for b in np.flatnonzero(counted[:, 0]):
        wanted = np.zeros(N_BINS, np.bool_)
        wanted[b] = True
        out = np.empty(counted[b, 0])
        keep_bins(points, wanted, out)
        kept += sorted(out.tolist())
    return share_of(kept, sorted((points[:, 1] - points[:, 0]).tolist()))


def copies(case):
    """``select``: points of weight 0 have no copies, and those of weight 1 the same."""
    ramp = Ramp(0.5 * case.unit, 0.5 * case.unit)
    points = np.concatenate([case.diagram() for _ in range(4)])
    weights = ramp(points[:, 1] - points[:, 0])
    keys, rows = np.empty(1000, np.uint64), np.empty(1000, np.int64)
    stream = np.uint64(case.rng.integers(2**63))
    n = thin(points, 0, ramp.low, ramp.high, 1.5, stream, keys, rows)
    # As if all had weight 1: a step that they are all beyond.
    every, all_rows = np.empty(1000, np.uint64), np.empty(1000, np.int64)
    m = thin(points, 0, -1.0, -1.0, 1.5, stream, every, all_rows)
    wanted = weights[all_rows[:m]] > 0
    same = n == wanted.sum() and (keys[:n] == every[:m][wanted]).all()
    return float(not same)


def farthest_first(case):
    """``sparse_rips``: the distance of each point from those before it in the order.

    Relative to the largest coordinate. Clouds that spread over less are refused.
    """
    points = case.diagram(MOST)
    if np.ptp(points, axis=0).max() < SMALLEST_SPREAD:
        with pytest.raises(ItemError, match="squares of distances vanish"):
            check_clouds([points])
        return 0.0
    order, radii = order_farthest_first(np.ascontiguousarray(points.T), 1000)
    exact = [in_fractions(points)[i] for i in order]
    expected = []
    for place in range(1, len(order)):
        squares = [
            min(
                (p[0] - q[0]) ** 2 + (p[1] - q[1]) ** 2
                for q in exact[:place]
            )
            for p in exact[place:]
        ]
        expected.append(root(max(squares)))
    return errors_of(radii[1:], expected, largest_of(points))


def paths(case):
    """``geodesic``: lengths of shortest paths, relative to them."""
    n, rng = 6, case.rng
    points = np.concatenate([case.diagram(MOST) for _ in range(2)])
    lengths = points[:, 1] - points[:, 0]
    ends = rng.integers(0, n, size=(len(lengths), 2))
    both = np.r_[ends, ends[:, ::-1]]
    order = np.lexsort((both[:, 1], both[:, 0]))
    starts = np.concatenate(([0], np.cumsum(np.bincount(both[:, 0], minlength=n))))
    distances, reached = np.empty(n), np.empty(n, np.int32)
    shortest_paths(
        0,
        starts.astype(np.int32),
        both[order, 1].astype(np.int32),
        np.r_[lengths, lengths][order],
        distances,
        reached,
    )
    expected = {0: Fraction(0)}
    for _ in range(n):
        for (a, b), length in zip(ends.tolist(), lengths.tolist(), strict=True):
            for u, v in ((a, b), (b, a)):
                if u in expected:
                    way = expected[u] + Fraction(length)
                    expected[v] = min(expected.get(v, way), way)
    found = {v: d for v, d in enumerate(distances.tolist()) if d != math.inf}
    assert found.keys() == expected.keys()
    return errors_of(list(found.values()), [expected[v] for v in found])


def _graph(case):
    """Return vertices' values and edges: at any scale, only their order counts."""
    values = np.concatenate([case.diagram(MOST).ravel(), [0.0, -0.0]])
    n = len(values)
    edges = case.rng.integers(0, n, size=(n + 2, 2))
    edges = np.unique(np.sort(edges[edges[:, 0] != edges[:, 1]], axis=1), axis=0)
    return values, edges.astype(np.int32)


def _pairs_of(filtration):
    """Return pairs (birth, death) by reduction of the boundary matrix, with dimensions.

    ``filtration`` has (value, simplex) in their order; points of no length are left out.
    """
    place = {simplex: i for i, (_, simplex) in enumerate(filtration)}
    columns, owner, pairs = {}, {}, []
    for j, (_, simplex) in enumerate(filtration):
        column = {place[simplex - {v}] for v in simplex} if len(simplex) > 1 else set()
        while column and max(column) in owner:
            column ^= columns[owner[max(column)]]
        if column:
            columns[j], owner[max(column)] = column, j
    killers = {*owner.values()}
    for i, (value, simplex) in enumerate(filtration):
        if i not in killers:
            death = filtration[owner[i]] if i in owner else None
            pairs.append((len(simplex) - 1, (value, simplex), death))
    return pairs


def sublevels(case):
    """``union_find``: pairs of the sublevel filtration, by the reduced boundary."""
    values, edges = _graph(case)
    n, m = len(values), len(edges)
    nodes, offsets = np.array([0, n]), np.array([0, m])
    components, loops = np.empty((n, 2)), np.empty((m, 2))
    sizes = np.zeros((2, 1), np.int64)
    sublevel_graphs(
        values, edges, nodes, offsets, np.bool_(False), components, sizes[0], loops,
        sizes[1],
    )  # fmt: skip
    simplices = [(values[v], frozenset([v])) for v in range(n)]
    simplices += [(values[list(e)].max(), frozenset(e)) for e in edges.tolist()]
    simplices.sort(key=lambda item: (item[0], len(item[1])))
    expected = [[], []]
    for dim, birth, death in _pairs_of(simplices):
        end = math.inf if death is None else death[0]
        if birth[0] < end:
            expected[dim].append((birth[0], end))
    found = [
        sorted(map(tuple, rows[:size].tolist()))
        for rows, size in ((components, sizes[0, 0]), (loops, sizes[1, 0]))
    ]
    return float(found != [sorted(part) for part in expected])


def extended(case):
    """``extended``: the four kinds of pairs, by the reduced boundary of the cone."""
    values, edges = _graph(case)
    n, m = len(values), len(edges)
    nodes, offsets = np.array([0, n]), np.array([0, m])
    rooms = [np.empty((size, 2)) for size in (n, n, n, m)]
    sizes = np.zeros((4, 1), np.int64)
    flat = [array for pair in zip(rooms, sizes, strict=True) for array in pair]
    extended_graphs(values, edges, nodes, offsets, np.bool_(False), *flat)
    found = [
        sorted(map(tuple, room[: size[0]].tolist()))
        for room, size in zip(rooms, sizes, strict=True)
    ]
    up = [(values[v], frozenset([v])) for v in range(n)]
    up += [(values[list(e)].max(), frozenset(e)) for e in edges.tolist()]
    up.sort(key=lambda item: (item[0], len(item[1])))
    cone = n
    down = [(values[v], frozenset([v, cone])) for v in range(n)]
    down += [(values[list(e)].min(), frozenset([*e, cone])) for e in edges.tolist()]
    down.sort(key=lambda item: (-item[0], len(item[1])))
    whole = [(-math.inf, frozenset([cone])), *up, *down]
    expected = [[], [], [], []]
    for dim, (b, one), death in _pairs_of(whole):
        if death is None or b == -math.inf:
            continue
        d, other = death
        if b == d:
            continue
        kind = (cone in one) + 2 * (cone in other)
        # Both going up, both going down, or one of each, in dimension 0 or 1.
        part = {0: 0, 3: 1, 2: 2 + dim}[kind]
        expected[part].append((min(b, d), max(b, d)))
    return float(found != [sorted(part) for part in expected])


# What is checked, and the largest error that is allowed.
CHECKS = {
    nearest_words: 0.0,
    counts: 1e-14,
    residuals: 1e-11,
    ramps: 1e-15,
    likelihoods: 1e-11,
    posteriors: 1e-9,
    soft_residuals: 1e-9,
    gradients: 1e-9,
    rounds: 1e-9,
    clusters: 1e-14,
    matchings: 1e-12,
    flows: 1e-12,
    bottlenecks: 1e-14,
    slices: 1e-14,
    landscape_distances: 1e-12,
    landscape_products: 1e-14,
    landscape_samples: 0.0,
    scale_space: 1e-12,
    statistics: 1e-12,
    images: 1e-13,
    extents: 0.0,
    heat_maps: 1e-10,
    normalizations: 1e-14,
    sums: 1e-14,
    halves: 1e-14,
    distinct: 0.0,
    bins: 0.0,
    copies: 0.0,
    farthest_first: 1e-14,
    paths: 1e-14,
    sublevels: 0.0,
    extended: 0.0,
}
