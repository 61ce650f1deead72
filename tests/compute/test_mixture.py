"""Expectation maximisation is compared with a slow reference, round by round."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.special import logsumexp
from scipy.stats import multivariate_normal

from pbow.compute.expectation import expect
from pbow.compute.expectation import log_densities as logs_of
from pbow.compute.mixture import maximize, pack, weigh
from pbow.compute.tiles import TILE, tile

FLOOR = 1e-4


def log_densities(points, weights, means, covariances):
    return np.column_stack(
        [
            np.log(w) + multivariate_normal(m, c).logpdf(points)
            for w, m, c in zip(weights, means, covariances, strict=True)
        ]
    )


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


def test_shorter_calls_give_the_same_bits(points):
    shapes = np.tile(0.1 * np.eye(2), (3, 1, 1))
    components = pack(np.full(3, 1 / 3), points[:3].copy(), shapes)
    _, tiles = tile(points)
    whole, cut = np.empty((2, 2, len(points)))
    expected = expect(tiles, components, whole, len(points))
    found = expect(tiles, components, cut, TILE + 1)
    assert_array_equal(found[0], expected[0])
    assert found[1] == expected[1]
    assert_array_equal(cut, whole)


@pytest.mark.parametrize("spread", [1e-3, 0.1, 10.0])
@pytest.mark.parametrize("n_points", [1, TILE, 5 * TILE + 1])
def test_components_that_are_left_out_do_not_change_sums(rng, n_points, spread):
    points = rng.normal(size=(n_points, 2))
    means = rng.normal(size=(40, 2))
    roots = rng.normal(size=(40, 2, 2)) * spread
    covariances = roots @ roots.transpose(0, 2, 1) + 1e-2 * spread**2 * np.eye(2)
    weights = rng.dirichlet(np.full(40, 0.1)) + 1e-30
    order, tiles = tile(points)
    components = pack(weights, means, covariances)
    densities, alone = np.empty((2, 2, n_points))
    moments, likelihood = expect(tiles, components, densities, n_points)

    # A tile of a single point leaves out others than one of many.
    one_by_one = np.zeros_like(moments)
    for i, point in enumerate(points[order]):
        _, one = tile(point[np.newaxis])
        one_by_one += expect(one, components, alone[:, i : i + 1], 1)[0]
    size = np.abs(one_by_one).max(axis=1, keepdims=True)
    assert_allclose(moments / size, one_by_one / size, rtol=1e-9, atol=1e-13)
    assert_allclose(logs_of(densities), logs_of(alone), rtol=1e-12, atol=1e-12)
    shares = log_densities(points[order], weights, means, covariances)
    expected = logsumexp(shares, axis=1)
    assert_allclose(logs_of(densities), expected, rtol=1e-8, atol=1e-8)
    assert likelihood == pytest.approx(expected.sum())


def test_points_far_from_every_component_are_still_shared_out():
    points = np.array([[1e3, 0.0], [0.0, 0.0]])
    weights, means = np.array([0.5, 0.5]), np.array([[0.0, 0.0], [1.0, 0.0]])
    covariances = np.tile(1e-4 * np.eye(2), (2, 1, 1))
    order, tiles = tile(points)
    densities = np.empty((2, 2))
    components = pack(weights, means, covariances)
    moments, likelihood = expect(tiles, components, densities, 1000)
    assert_allclose(moments[0], [1, 1], atol=1e-12)
    expected = logsumexp(log_densities(points, weights, means, covariances), axis=1)
    assert_allclose(logs_of(densities), expected[order], rtol=1e-12)
    assert likelihood == pytest.approx(expected.sum())


def test_the_likelihood_of_many_points_neither_overflows_nor_vanishes(rng):
    points = rng.normal(size=(1100 * TILE, 2)) * 1e-3
    for deviation in (1e-9, 1e-3, 1e9):
        shape = deviation**2 * np.eye(2)[np.newaxis]
        components = pack(np.ones(1), np.zeros((1, 2)), shape)
        _, tiles = tile(points)
        _, likelihood = expect(tiles, components, np.empty((2, len(points))), 10_000)
        squares = (points / deviation) ** 2
        one = -np.log(2 * np.pi * deviation**2)
        assert likelihood == pytest.approx(one * len(points) - 0.5 * squares.sum())


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
