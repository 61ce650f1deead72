from functools import partial

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.mixture import GaussianMixture

from pbow.codebook import GaussianCodebook, learn_gaussian, learn_kmeans
from pbow.codebook_size import SIZES, SizeCurve, _bic, choose_size

KMEANS = {"whiten": True, "n_init": 1, "seed": 0}


@pytest.fixture
def blobs(rng):
    centers = np.array([[0.0, 1.0], [1.0, 4.0], [3.0, 2.0], [5.0, 5.0], [2.0, 7.0]])
    return np.concatenate([rng.normal(c, 0.05, (100, 2)) for c in centers])


@pytest.mark.parametrize("covariance", ["diag", "full"])
def test_the_criterion_of_a_mixture_is_the_bic_of_scikit_learn(blobs, covariance):
    mixture = GaussianMixture(4, covariance_type=covariance, random_state=0).fit(blobs)
    covariances = mixture.covariances_
    if covariance == "diag":
        covariances = covariances[:, :, np.newaxis] * np.eye(2)
    codebook = GaussianCodebook(
        mixture.weights_, mixture.means_, covariances, np.ones(2)
    )
    assert_allclose(_bic(codebook, blobs), mixture.bic(blobs))


def test_the_criterion_of_tied_words_is_the_bic_of_scikit_learn(blobs):
    mixture = GaussianMixture(3, covariance_type="tied", random_state=0).fit(blobs)
    covariances = np.tile(mixture.covariances_, (3, 1, 1))
    codebook = GaussianCodebook(
        mixture.weights_, mixture.means_, covariances, np.ones(2)
    )
    assert_allclose(_bic(codebook, blobs), mixture.bic(blobs))


def test_births_alone_have_their_bic(blobs):
    births = blobs[:, :1]
    mixture = GaussianMixture(3, random_state=0).fit(births)
    codebook = GaussianCodebook(
        mixture.weights_, mixture.means_, mixture.covariances_, np.ones(1)
    )
    assert_allclose(_bic(codebook, births), mixture.bic(births))


def test_clusters_are_found_by_either_criterion(blobs):
    mixture = partial(learn_gaussian, covariance="diag", **KMEANS)
    n_words, curve = choose_size(blobs, mixture)
    assert n_words == 5
    assert curve.sizes[np.argmin(curve.values)] == 5
    n_words, curve = choose_size(blobs, partial(learn_kmeans, **KMEANS))
    assert n_words == 5
    assert curve.values[-1] <= 0.01 * curve.values[0] < curve.values[-2]


def test_the_order_of_points_in_a_diagram_does_not_matter(rng):
    pairs = np.array([[0.0, 1.0], [5.0, 4.0]]) + rng.normal(0, 0.01, (200, 2, 2))
    learn = partial(learn_kmeans, **KMEANS)
    for sample in (pairs.reshape(-1, 2), pairs[:, ::-1].reshape(-1, 2)):
        assert choose_size(sample, learn)[0] == 2


def test_noise_does_not_take_a_word_per_point(rng):
    sample = rng.uniform(size=(60, 2))
    n_words, curve = choose_size(sample, partial(learn_kmeans, **KMEANS))
    assert n_words < 30
    chosen = curve.values[curve.sizes == n_words]
    assert chosen <= 1.05 * curve.values.min()
    assert len(set(curve.sizes)) == len(curve.sizes)


def test_points_without_clusters_have_many_words(rng):
    sample = rng.uniform(size=(4000, 2))
    n_words, curve = choose_size(sample, partial(learn_kmeans, **KMEANS))
    # The distortion of a square falls like one over the number of words.
    assert n_words in {113, 160}
    assert (np.diff(curve.values) < 0).all()


def test_sizes_end_where_distinct_points_do(rng):
    sample = np.repeat(rng.uniform(size=(12, 2)), 50, axis=0)
    for learn in (learn_kmeans, partial(learn_gaussian, covariance="tied")):
        n_words, curve = choose_size(sample, partial(learn, **KMEANS))
        assert n_words <= 12
        assert curve.sizes.max() <= 12


def test_the_curve_is_a_record_of_two_arrays():
    curve = SizeCurve(np.array(SIZES[:2]), np.ones(2))
    with pytest.raises(ValueError, match="read-only"):
        curve.values[0] = 2.0
    with pytest.raises(ValueError, match="Expected values of shape"):
        SizeCurve(np.ones(2), np.ones(3))
