"""Expectation maximisation is compared with a slow reference, round by round."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.special import logsumexp
from tests.compute.oracles import log_densities

from pbow.compute.expectation import expect
from pbow.compute.expectation import log_densities as logs_of
from pbow.compute.mixture import maximize, pack, weigh
from pbow.compute.tiles import tile

FLOOR = 1e-4


def round_by_definition(points, weights, means, covariances, diagonal):
    logs = log_densities(points, weights, means, covariances)
    shares = np.exp(logs - logsumexp(logs, axis=1, keepdims=True))
    mass = shares.sum(axis=0)
    means = shares.T @ points / mass[:, None]
    new = []
    for k, mean in enumerate(means):
        apart = points - mean
        c = (shares[:, k, None] * apart).T @ apart / mass[k]
        if diagonal:
            new.append(np.diag(np.maximum(np.diag(c), FLOOR)))
        else:
            values, vectors = np.linalg.eigh(c)
            new.append(vectors @ np.diag(np.maximum(values, FLOOR)) @ vectors.T)
    return mass / len(points), means, np.array(new), logsumexp(logs, axis=1)


@pytest.fixture
def points(rng):
    tilted = rng.multivariate_normal([0, 0], [[0.2, 0.15], [0.15, 0.2]], size=400)
    line = np.column_stack((rng.uniform(2, 3, size=200), np.full(200, 0.5)))
    return np.concatenate((tilted, line))


@pytest.mark.parametrize("diagonal", [True, False])
@pytest.mark.parametrize("n_words", [1, 3, 8, 9])
def test_rounds_follow_the_definition(points, diagonal, n_words):
    weights = np.full(n_words, 1.0 / n_words)
    means = points[:: len(points) // n_words][:n_words].copy()
    covariances = np.tile(0.1 * np.eye(2), (n_words, 1, 1))
    expected = (weights.copy(), means.copy(), covariances.copy())
    order, tiles = tile(points)
    densities = np.empty((2, len(points)))
    for _ in range(4):
        components = pack(weights, means, covariances)
        moments, likelihood = expect(tiles, components, densities, 1000)
        means, covariances = maximize(
            moments, means, covariances, diagonal=diagonal, floor=FLOOR
        )
        weights = weigh(moments[0])
        *expected, log_density = round_by_definition(points, *expected, diagonal)
        assert_allclose(logs_of(densities), log_density[order], rtol=1e-9, atol=1e-9)
        assert likelihood == pytest.approx(log_density.sum())
        for ours, theirs in zip((weights, means, covariances), expected, strict=True):
            assert_allclose(ours, theirs, rtol=1e-7, atol=1e-10)
    assert weights.sum() == pytest.approx(1.0)


@pytest.mark.parametrize(
    "covariance",
    [[[0, 0], [0, 0]], [[1, 1], [1, 1]], [[1e-9, 0], [0, 3]], [[5e-324, 0], [0, 0]]],
)
def test_eigenvalues_are_raised_to_the_floor_and_no_further(covariance):
    c = np.array(covariance, dtype=float)
    moments = np.array([[10, 0, 0, 10 * c[0, 0], 10 * c[0, 1], 10 * c[1, 1]]]).T
    _, covariances = maximize(
        moments, np.zeros((1, 2)), np.zeros((1, 2, 2)), diagonal=False, floor=0.01
    )
    values, vectors = np.linalg.eigh(c)
    expected = vectors @ np.diag(np.maximum(values, 0.01)) @ vectors.T
    assert_allclose(covariances[0], expected, atol=1e-12)


def test_a_component_without_points_keeps_its_place():
    means, shapes = np.array([[0.0, 0.0], [9.0, 9.0]]), np.tile(np.eye(2), (2, 1, 1))
    moments = np.zeros((6, 2))
    moments[:, 0] = [10, 0, 0, 10, 0, 10]
    means, covariances = maximize(moments, means, shapes, diagonal=True, floor=0.01)
    weights = weigh(moments[0])
    assert_allclose(means[1], [9.0, 9.0])
    assert_allclose(covariances[1], np.eye(2))
    assert 0.0 < weights[1] < 1e-15
