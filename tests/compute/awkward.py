"""Awkward diagrams of all kinds and scales, and the size of an error."""

import math
from decimal import Decimal, localcontext
from fractions import Fraction

import numpy as np

from pbow import Diagrams

# Diagrams take coordinates up to 1e100 and refuse larger ones.
SCALES = (1e-300, 1e-150, 1e-30, 1.0, 1e30, 1e99)
MOST = 5  # points of a diagram: sentences are slow
TINY = 5e-324


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
    return (
        np.c_[rng.normal(size=n), rng.normal(size=n)].min(axis=1)[:, None]
        + np.c_[np.zeros(n), 10.0 ** rng.uniform(-14, 1, size=n)]
    )


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


def errors_of(found, expected, size=None, *, n_lost=6):
    """Return the largest difference over its size, by default that of the expected.

    What rounds to a number below the smallest normal one has lost digits, which nobody
    can give back: half a dozen of the smallest numbers, or `n_lost`, do not count.
    """
    found = np.asarray(found, float).ravel().tolist()
    expected = list(np.asarray(expected, object).ravel())
    assert len(found) == len(expected)
    worst = 0.0
    for value, truth in zip(found, expected, strict=True):
        if not math.isfinite(value):
            return math.inf
        apart = abs(Fraction(value) - Fraction(truth)) - n_lost * Fraction(TINY)
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
