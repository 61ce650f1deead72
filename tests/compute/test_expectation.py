"""Responsibilities and densities are compared with those of SciPy's Gaussians."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.special import logsumexp
from tests.compute.oracles import log_densities

from pbow.compute.expectation import expect
from pbow.compute.expectation import log_densities as logs_of
from pbow.compute.mixture import pack
from pbow.compute.tiles import TILE, tile


def test_shorter_calls_give_the_same_bits(rng):
    points = rng.normal(size=(600, 2))
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
