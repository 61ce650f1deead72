from itertools import pairwise

import numpy as np
import pytest
from numpy.testing import assert_allclose

from pbow.compute.mixture import pack
from pbow.compute.moments import sum_gradients, sum_residuals
from pbow.weighting import Ramp

NO_RAMP = np.empty(0)


class Mixture:
    """A mixture, its packed form, and its posteriors by the definition."""

    def __init__(self, rng, n_words, correlation=0.0):
        self.weights = rng.dirichlet(np.ones(n_words))
        self.means = rng.uniform(0.0, 1.0, size=(n_words, 2))
        self.deviations = rng.uniform(0.1, 0.5, size=(n_words, 2))
        shape = np.array([[1.0, correlation], [correlation, 1.0]])
        self.covariances = (
            self.deviations[:, :, None] * shape * self.deviations[:, None, :]
        )
        self.components = pack(self.weights, self.means, self.covariances)
        self.components[5] -= self.components[5].max()

    def posteriors(self, points):
        apart = points[:, None] - self.means
        squares = np.einsum(
            "nki,kij,nkj->nk", apart, np.linalg.inv(self.covariances), apart
        )
        determinants = np.linalg.det(self.covariances)
        logs = np.log(self.weights) - 0.5 * (np.log(determinants) + squares)
        shares = np.exp(logs - logs.max(axis=1, keepdims=True))
        return shares / shares.sum(axis=1, keepdims=True)


def in_plane(X):
    return np.column_stack((X.points[:, 0], X.points[:, 1] - X.points[:, 0]))


def sums_by_diagram(terms, offsets):
    """Sum terms (point, word, column) over each diagram, words side by side."""
    sums = [terms[i:j].sum(axis=0) for i, j in pairwise(offsets)]
    return np.array(sums).reshape(len(sums), -1)


RAMPS = [None, Ramp(0.1, 0.5), Ramp(0.0, 0.5, 2)]


def limits_of(ramp):
    return NO_RAMP if ramp is None else np.array([ramp.low, ramp.high, ramp.power])


@pytest.mark.parametrize("ramp", RAMPS)
@pytest.mark.parametrize("n_words", [1, 3, 4, 11])
def test_residuals_match_the_definition(ragged, rng, n_words, ramp):
    mixture, points = Mixture(rng, n_words, correlation=0.6), in_plane(ragged)
    shares = mixture.posteriors(points)
    shares *= (ramp or np.ones_like)(points[:, 1])[:, None]
    terms = shares[:, :, None] * (points[:, None] - mixture.means)
    expected = sums_by_diagram(terms, ragged.offsets)
    out = np.full_like(expected, np.nan)
    sum_residuals(
        ragged.points, ragged.offsets, mixture.components, limits_of(ramp), out
    )
    assert_allclose(out, expected, rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize("ramp", RAMPS)
@pytest.mark.parametrize("n_words", [1, 3, 4, 11])
def test_gradients_match_the_definition(ragged, rng, n_words, ramp):
    mixture, points = Mixture(rng, n_words), in_plane(ragged)
    shares = mixture.posteriors(points)
    shares *= (ramp or np.ones_like)(points[:, 1])[:, None]
    apart = (points[:, None] - mixture.means) / mixture.deviations
    terms = shares[:, :, None] * np.concatenate((apart, apart**2 - 1.0), axis=2)
    expected = sums_by_diagram(terms, ragged.offsets)
    out = np.full_like(expected, np.nan)
    sum_gradients(
        ragged.points, ragged.offsets, mixture.components, limits_of(ramp), out
    )
    assert_allclose(out, expected, rtol=1e-10, atol=1e-11)


@pytest.mark.parametrize("far", [50.0, 1e3, 1e30])
def test_a_point_far_from_all_words_keeps_its_posteriors(rng, far):
    mixture = Mixture(rng, 5)
    points = np.array([[far, 2.0 * far], [-far, 0.5 * far], [0.0, far]])
    apart = np.column_stack((points[:, 0], points[:, 1] - points[:, 0]))
    shares = mixture.posteriors(apart)
    out = np.empty((3, 10))
    sum_residuals(points, np.arange(4), mixture.components, NO_RAMP, out)
    expected = (shares[:, :, None] * (apart[:, None] - mixture.means)).reshape(3, 10)
    assert_allclose(out, expected, rtol=1e-10, atol=1e-10 * far)


@pytest.mark.parametrize("far", [1e30, 1e100])
@pytest.mark.parametrize("size", [1.0, 1e-100])
def test_gradients_are_finite_however_far_a_point_is(rng, far, size):
    mixture = Mixture(rng, 5)
    mixture.components = pack(
        mixture.weights, size * mixture.means, size**2 * mixture.covariances
    )
    mixture.components[5] -= mixture.components[5].max()
    points = np.array([[-far, 0.0], [far, 1.5 * far], [0.1 * size, 0.3 * size]])
    out = np.empty((1, 20))
    sum_gradients(points, np.array([0, 3]), mixture.components, NO_RAMP, out)
    assert np.isfinite(out).all()


@pytest.mark.parametrize("loop", [sum_residuals, sum_gradients])
def test_the_same_points_give_the_same_bits_in_any_block(ragged, rng, loop):
    components = Mixture(rng, 7).components
    per_word = 2 if loop is sum_residuals else 4
    whole = np.empty((len(ragged), 7 * per_word))
    loop(ragged.points, ragged.offsets, components, NO_RAMP, whole)
    for d in range(len(ragged)):
        alone = np.empty((1, 7 * per_word))
        loop(ragged.points, ragged.offsets[d : d + 2], components, NO_RAMP, alone)
        assert alone.tobytes() == whole[d].tobytes()
    assert not whole[0].any()
