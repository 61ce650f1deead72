"""Mixtures and clusters, and what they make of awkward diagrams."""

from fractions import Fraction
from itertools import pairwise

import numpy as np
from tests.compute.awkward import MOST, TINY, errors_of, in_fractions, largest_of
from tests.compute.awkward_words import limits_of, ramp_of, weight_of
from tests.compute.oracles import (
    nearest_by_definition,
)

from pbow import Diagrams
from pbow.codebook import SMALLEST_SCALE
from pbow.compute.expectation import expect
from pbow.compute.kmeans import lloyd
from pbow.compute.likelihood import LANES, sum_likelihoods, sum_posteriors
from pbow.compute.mixture import maximize, pack, pad, weigh
from pbow.compute.moments import sum_gradients, sum_residuals
from pbow.compute.tiles import tile


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
    _, tiles = tile(points)
    moments, _ = expect(tiles, components, np.empty((2, len(points))), 1000)
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
