"""The slow sentences that define features and distances, and a search for steep ones.

Points are rows (birth, persistence), or births alone.
"""

import math

import numpy as np
from scipy.optimize import linear_sum_assignment
from scipy.special import softmax

from pbow.codebook import GaussianCodebook
from pbow.compute.normalize import EPSILON

# Corners of the unit ball of each metric, in birth and persistence.
CORNERS = {
    "birth-death": np.array([(1, 0), (-1, 0), (1, -2), (-1, 2)]),
    "birth-persistence": np.array([(1, 1), (-1, -1), (1, -1), (-1, 1)]),
}


def make_codebook(means, deviations, correlations, weights=None):
    n_words = len(means)
    deviations = np.asarray(deviations, dtype=float)
    covariances = deviations[:, :, np.newaxis] * deviations[:, np.newaxis, :]
    covariances[:, 0, 1] *= correlations
    covariances[:, 1, 0] *= correlations
    return GaussianCodebook(
        weights=np.full(n_words, 1 / n_words) if weights is None else weights,
        means=np.asarray(means, dtype=float),
        covariances=covariances,
        scale=np.ones(2),
    )


def make_mixture(seed, n_words=5, *, full):
    """Random words, the first one on the diagonal, the second one narrow in birth."""
    rng = np.random.default_rng(seed)
    means = np.c_[rng.uniform(0, 1, n_words), rng.exponential(0.5, n_words)]
    means[:2, 1] = 0.0, 1.0
    deviations = np.exp(rng.uniform(-2.5, 0.0, (n_words, 2)))
    deviations[1] = 0.02, 0.3
    correlations = rng.uniform(-0.98, 0.98, n_words) if full else 0.0
    weights = rng.dirichlet(np.ones(n_words))
    return make_codebook(means, deviations, correlations, weights)


def births_only(weights, deviations):
    n_words = len(weights)
    covariances = np.reshape(deviations, (-1, 1, 1)) ** 2
    return GaussianCodebook(weights, np.zeros((n_words, 1)), covariances, np.ones(1))


def heights(codebook, scale):
    if scale == "peak":
        return np.ones(codebook.n_words)
    factor = (2 * np.pi) ** codebook.means.shape[1]
    volumes = np.sqrt(factor * np.linalg.det(codebook.covariances))
    return codebook.weights / volumes


def make_tied(seed, n_words=6, *, correlation=0.0, width=0.3, temperature=1.0):
    """Random words of one covariance; the first one is on the diagonal."""
    rng = np.random.default_rng(seed)
    means = np.c_[rng.uniform(0, 1, n_words), rng.exponential(0.5, n_words)]
    means[0, 1] = 0.0
    weights = rng.dirichlet(np.full(n_words, 3.0))
    deviations = np.tile([width, 1.3 * width], (n_words, 1))
    book = make_codebook(means, deviations, correlation, weights)
    return book.widened(temperature)


def shares(codebook, scale, points):
    """Return what each point adds to each word, before any weight."""
    n_dims = codebook.means.shape[1]
    offset = np.reshape(points, (-1, 1, n_dims)) - codebook.means
    precisions = np.linalg.inv(codebook.covariances)
    logs = -np.einsum("tki,kij,tkj->tk", offset, precisions, offset) / 2
    if scale == "posterior":
        determinants = np.linalg.det(codebook.covariances)
        return softmax(logs + np.log(codebook.weights / np.sqrt(determinants)), axis=1)
    return heights(codebook, scale) * np.exp(logs)


def encode(codebook, ramp, scale, points, normalize=None):
    """Return the definition: the sum over points of the words, and its root."""
    sums = _weighted(codebook, ramp, scale, points).sum(axis=0)
    return _normalized(sums, normalize)


def encode_each(codebook, ramp, scale, points, normalize=None):
    """Return the features of each point by itself."""
    return _normalized(_weighted(codebook, ramp, scale, points), normalize)


def _weighted(codebook, ramp, scale, points):
    points = np.reshape(points, (-1, codebook.means.shape[1]))
    weights = 1.0 if ramp is None else ramp(points[:, -1:])
    return weights * shares(codebook, scale, points)


def _normalized(sums, normalize):
    if normalize == "smooth-sqrt":
        # The difference of the roots, without its rounding where sums are small.
        return sums / (np.sqrt(sums + EPSILON) + math.sqrt(EPSILON))
    return np.sqrt(sums) if normalize == "sqrt" else sums


def distances(x, y, metric):
    """Return the distance of each point to its partner."""
    apart = np.abs(np.atleast_2d(x) - y)
    if metric == "birth-death" and apart.shape[1] == 2:
        deaths = np.abs((np.atleast_2d(x) - y).sum(axis=1))
        return np.maximum(apart[:, 0], deaths)
    return apart.max(axis=1)


def wasserstein(B, D, metric, order=1):
    """Return the distance of points (birth, persistence): an assignment problem."""
    B, D = np.reshape(B, (-1, 2)), np.reshape(D, (-1, 2))
    removal = 0.5 if metric == "birth-death" else 1.0
    cost = np.zeros((len(B) + len(D),) * 2)
    for i, x in enumerate(B):
        cost[i, : len(D)] = distances(x, D, metric) if len(D) else 0.0
    cost[: len(B), len(D) :] = removal * B[:, 1:]
    cost[len(B) :, : len(D)] = removal * D[:, 1]
    cost **= order
    return cost[linear_sum_assignment(cost)].sum() ** (1 / order)


def steepest_pairs(codebook, ramp, scale, normalize, metric, *, seed=0):
    """Return the largest change per distance that a search finds, for each word.

    Pairs of near points, at first near words, on the ramp and far away, then near the
    best ones.
    """
    rng = np.random.default_rng(seed)
    deviations = np.sqrt(np.diagonal(codebook.covariances, axis1=1, axis2=2))
    n_dims = deviations.shape[1]
    corners = CORNERS[metric] if n_dims == 2 else np.array([[1.0], [-1.0]])
    extent = np.ptp(codebook.means, axis=0) + deviations.max(axis=0)
    spreads = np.array([0.3, 1.0, 3.0, 30.0])[:, np.newaxis] * extent
    x = np.concatenate(
        [rng.normal(codebook.means.mean(axis=0), s, (3000, n_dims)) for s in spreads]
    )
    if ramp is not None:
        width = ramp.high - ramp.low
        on_ramp = x[::2].copy()
        on_ramp[:, 1] = ramp.low + width * rng.choice(
            [0.0, 1.0, rng.random()], len(on_ramp)
        )
        on_ramp[::2, 1] = ramp.low + width * rng.random(len(on_ramp[::2]))
        x = np.concatenate([np.c_[x[:, 0], np.abs(x[:, 1])], on_ramp])
        extent[1] = max(extent[1], width)
    step = 1e-6 * min(deviations.min(), np.inf if ramp is None else width)
    largest, spread = np.zeros(codebook.n_words), 0.1
    for _ in range(9):
        value = encode_each(codebook, ramp, scale, x, normalize)
        ratios = np.zeros_like(value)
        for corner in corners:
            y = x + step * corner
            change = np.abs(encode_each(codebook, ramp, scale, y, normalize) - value)
            ratio = change / distances(x, y, metric)[:, np.newaxis]
            if ramp is not None:
                ratio[y[:, 1] < 0.0] = 0.0
            ratios = np.maximum(ratios, ratio)
        largest = np.maximum(largest, ratios.max(axis=0))
        best = np.unique(np.argsort(ratios, axis=0)[-6:])
        x = np.repeat(x[best], 40, axis=0)
        x[1::2] += spread * extent * rng.normal(size=x[1::2].shape)
        x[::4, 0] += spread * extent[0] * rng.normal(size=len(x[::4]))
        if ramp is not None:
            x[:, 1] = np.abs(x[:, 1])
        spread /= 3.0
    return largest
