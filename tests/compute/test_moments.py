from itertools import pairwise

import numpy as np
import pytest
from numpy.testing import assert_allclose

from pbow import Diagrams
from pbow.compute.likelihood import LANES
from pbow.compute.mixture import pack, pad
from pbow.compute.moments import TWICE, sum_gradients, sum_residuals
from pbow.compute.normalize import NORMALIZATIONS, normalize_rows
from pbow.weighting import Ramp

NO_RAMP = np.empty(0)
RAW = NORMALIZATIONS[None]


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
        packed = pack(self.weights, self.means, self.covariances)
        self.components = pad(packed, LANES)

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


def sums_by(loop, X, mixture, ramp=None, code=RAW, factors=None):
    """Call a loop on diagrams, without factors unless there are some."""
    if factors is None:
        factors = np.ones((len(mixture.weights), 2 if loop is sum_residuals else 4))
    out = np.full((len(X.offsets) - 1, factors.size), np.nan)
    options = (mixture.components, limits_of(ramp), factors, code)
    loop(X.points, X.offsets, *options, out)
    return out


@pytest.mark.parametrize("ramp", RAMPS)
@pytest.mark.parametrize("n_words", [1, 3, 4, 11])
def test_residuals_match_the_definition(ragged, rng, n_words, ramp):
    mixture, points = Mixture(rng, n_words, correlation=0.6), in_plane(ragged)
    shares = mixture.posteriors(points)
    shares *= (ramp or np.ones_like)(points[:, 1])[:, None]
    terms = shares[:, :, None] * (points[:, None] - mixture.means)
    expected = sums_by_diagram(terms, ragged.offsets)
    out = sums_by(sum_residuals, ragged, mixture, ramp)
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
    out = sums_by(sum_gradients, ragged, mixture, ramp)
    assert_allclose(out, expected, rtol=1e-10, atol=1e-11)


@pytest.mark.parametrize("far", [50.0, 1e3, 1e30])
def test_a_point_far_from_all_words_keeps_its_posteriors(rng, far):
    mixture = Mixture(rng, 5)
    points = np.array([[far, 2.0 * far], [-far, 0.5 * far], [0.0, far]])
    apart = np.column_stack((points[:, 0], points[:, 1] - points[:, 0]))
    shares = mixture.posteriors(apart)
    out = sums_by(sum_residuals, Diagrams(points, np.arange(4)), mixture)
    expected = (shares[:, :, None] * (apart[:, None] - mixture.means)).reshape(3, 10)
    assert_allclose(out, expected, rtol=1e-10, atol=1e-10 * far)


@pytest.mark.parametrize("far", [1e30, 1e100])
@pytest.mark.parametrize("size", [1.0, 1e-100])
def test_gradients_are_finite_however_far_a_point_is(rng, far, size):
    mixture = Mixture(rng, 5)
    packed = pack(mixture.weights, size * mixture.means, size**2 * mixture.covariances)
    mixture.components = pad(packed, LANES)
    points = np.array([[-far, 0.0], [0.5 * far, far], [0.1 * size, 0.3 * size]])
    X = Diagrams(points, [0, 3])
    for code in (*NORMALIZATIONS.values(), TWICE):
        assert np.isfinite(sums_by(sum_gradients, X, mixture, code=code)).all()


@pytest.mark.parametrize("loop", [sum_residuals, sum_gradients])
def test_sums_are_multiplied_by_factors_and_normalized(ragged, rng, loop):
    mixture = Mixture(rng, 7)
    raw = sums_by(loop, ragged, mixture)
    factors = rng.uniform(0.5, 2.0, size=(7, raw.shape[1] // 7))
    for code in (NORMALIZATIONS["sqrt"], NORMALIZATIONS["sqrt-l2"]):
        expected = normalize_rows(raw * factors.ravel(), code)
        out = sums_by(loop, ragged, mixture, code=code, factors=factors)
        assert_allclose(out, expected, rtol=1e-13, atol=1e-15)
    twice = sums_by(loop, ragged, mixture, code=TWICE, factors=factors)
    assert_allclose(twice, normalize_rows(expected, code), rtol=1e-13, atol=1e-15)


@pytest.mark.parametrize("loop", [sum_residuals, sum_gradients])
def test_fewer_factors_leave_out_every_second_sum(ragged, rng, loop):
    mixture = Mixture(rng, 7)
    whole = sums_by(loop, ragged, mixture)
    factors = np.ones((7, whole.shape[1] // 14))
    half = sums_by(loop, ragged, mixture, factors=factors)
    assert half.tobytes() == whole[:, ::2].tobytes()


@pytest.mark.parametrize("loop", [sum_residuals, sum_gradients])
def test_the_same_points_give_the_same_bits_in_any_block(ragged, rng, loop):
    mixture = Mixture(rng, 7)
    whole = sums_by(loop, ragged, mixture)
    for d in range(len(ragged)):
        alone = sums_by(loop, ragged[d : d + 1], mixture)
        assert alone.tobytes() == whole[d].tobytes()
    assert not whole[0].any()
