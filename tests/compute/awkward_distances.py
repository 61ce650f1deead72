"""Distances and kernels of awkward diagrams."""

import math
from decimal import Decimal, localcontext
from fractions import Fraction
from functools import cache
from itertools import pairwise

import numpy as np
from tests.compute.awkward import (
    MOST,
    TINY,
    errors_of,
    in_fractions,
    largest_of,
    power_of,
    root,
    share_of,
)
from tests.compute.oracles import (
    off_the_diagonal,
)

from pbow import Diagrams
from pbow.compute.bottleneck import bottleneck
from pbow.compute.distinct import distinct_points
from pbow.compute.landscape import compare_levels, sample_levels
from pbow.compute.matching import wasserstein
from pbow.compute.scale_space import (
    REACH,
    empty_heat,
    frames_of,
    heat_between,
    spread,
)
from pbow.compute.sliced import jumps_of, sum_over_lines
from pbow.compute.transport import transport_distance
from pbow.kernels import LandscapeKernel


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
    out = sum_over_lines(block, block)
    # Every projection of a denormal number is rounded by half of the smallest.
    n_lost = 3 * MOST * n_lines
    return errors_of(out, expected, largest_of(X.points), n_lost=n_lost)


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
