"""Statistics, images, heat maps, and the rows they end in."""

import math
from collections import Counter
from decimal import Decimal, localcontext
from fractions import Fraction
from itertools import pairwise

import numpy as np
from numba import njit
from scipy.special import ndtr
from tests.compute.awkward import MOST, errors_of, largest_of, root, share_of
from tests.compute.awkward_mixtures import halves_of

from pbow import Diagrams
from pbow.codebook import SMALLEST_SCALE
from pbow.compute.distinct import distinct_points
from pbow.compute.exponential import half_to_64
from pbow.compute.heat import root_densities
from pbow.compute.image import extent, make_axis, sum_images, sum_lines
from pbow.compute.normalize import NORMALIZATIONS, normalize_row, normalize_rows
from pbow.compute.select import N_BINS, add_bins, keep_bins, thin
from pbow.compute.statistics import N_STATISTICS, summarize, summarize_births
from pbow.compute.sums import sum_of
from pbow.weighting import Ramp


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
    return [ndtr(-a) - ndtr(-b) if a > 0 else ndtr(b) - ndtr(a) for a, b in pairwise(z)]


def images(case):
    """``image``: masses of Gaussians in pixels, relative to points times deviations.

    A place is rounded relative to the box, which is so many standard deviations wide.
    """
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
                for value, (low, high) in zip(
                    (birth, death - birth), boxes, strict=True
                )
            ]
            expected[d] += np.outer(*masses)
            expected_lines[d] += masses[0]
    deviations = max(1.0, *((high - low) / bandwidth for low, high in boxes))
    worst = 0.0
    for d, points in enumerate(X):
        size = max(1, len(points)) * deviations
        worst = max(
            worst,
            errors_of(out[d], expected[d], size),
            errors_of(lines[d], expected_lines[d], size),
        )
    return worst


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
