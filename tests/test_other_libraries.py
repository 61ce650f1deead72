"""Vectors and words as other libraries compute them, where these are right.

Diagrams are compared in tests/homology (gudhi, ripser, cripser), distances in
tests/test_distances.py (Hera, POT), kernels in tests/kernels (gudhi, Hera).
"""

from itertools import pairwise

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.metrics import pairwise_distances_argmin
from sklearn.mixture import GaussianMixture

from pbow.codebook import KMeansCodebook, learn_gaussian
from pbow.encoding import encode_counts, encode_likelihoods
from pbow.vectorizers import (
    PersistenceImage,
    PersistenceLandscape,
    PersistenceStatistics,
)


def in_plane(X):
    return np.column_stack((X.points[:, 0], X.points[:, 1] - X.points[:, 0]))


def sums_by_diagram(rows, X):
    return np.array([rows[i:j].sum(axis=0) for i, j in pairwise(X.offsets)])


@pytest.fixture
def vector_methods():
    return pytest.importorskip("gudhi.representations.vector_methods")


def test_landscapes_are_those_of_gudhi(ragged, vector_methods):
    ours = PersistenceLandscape(n_levels=4, resolution=50).fit(ragged)
    times = ours.grids_["H1"].times(50)
    theirs = vector_methods.Landscape(
        num_landscapes=4,
        resolution=50,
        sample_range=[times[0], times[-1]],
        keep_endpoints=True,
    )
    # Its levels are those of the authors of landscapes, times the root of 2.
    expected = theirs.fit_transform(list(ragged)[1:]) / np.sqrt(2.0)
    assert_allclose(ours.transform(ragged)[1:], expected, rtol=1e-12, atol=1e-14)


def test_the_entropy_of_lifetimes_is_that_of_gudhi(ragged, vector_methods):
    statistics = PersistenceStatistics().fit(ragged)
    assert statistics.get_feature_names_out()[-1].endswith("entropy")
    expected = vector_methods.Entropy(mode="scalar").fit_transform(list(ragged)[1:])
    assert_allclose(statistics.transform(ragged)[1:, -1], expected[:, 0], rtol=1e-12)


def test_images_are_those_of_persim(ragged):
    images = pytest.importorskip("persim.images")
    n, deviation = 8, 0.15
    ours = PersistenceImage(
        n, bandwidth=deviation, weight=None, box=((0.0, 1.0), (0.0, 1.0))
    )
    theirs = images.PersistenceImager(
        birth_range=(0.0, 1.0),
        pers_range=(0.0, 1.0),
        pixel_size=1.0 / n,
        weight=lambda birth, persistence, **_: np.ones_like(birth),
        kernel_params={"sigma": deviation**2 * np.eye(2)},
    )
    expected = [theirs.transform(F).ravel() for F in list(ragged)[1:]]
    found = ours.fit(ragged).transform(ragged)[1:]
    assert_allclose(found, expected, rtol=1e-9, atol=1e-12)


def test_nearest_words_are_those_of_scikit_learn(ragged, rng):
    scale = np.array([0.5, 2.0])
    book = KMeansCodebook(rng.uniform(size=(20, 2)), scale)
    nearest = pairwise_distances_argmin(in_plane(ragged) / scale, book.words / scale)
    expected = sums_by_diagram(np.eye(20)[nearest], ragged)
    assert_array_equal(encode_counts(ragged, book), expected)


@pytest.mark.parametrize("covariance", ["diag", "full"])
def test_posteriors_and_densities_are_those_of_scikit_learn(ragged, covariance):
    points = in_plane(ragged)
    book = learn_gaussian(
        points, 5, covariance=covariance, whiten=False, n_init=1, seed=0
    )
    mixture = GaussianMixture(5, covariance_type="full")
    mixture.weights_, mixture.means_ = book.weights, book.means
    mixture.covariances_ = book.covariances
    roots = np.linalg.cholesky(np.linalg.inv(book.covariances))
    mixture.precisions_cholesky_ = roots
    expected = sums_by_diagram(mixture.predict_proba(points), ragged)
    found = encode_likelihoods(ragged, book, scale="posterior")
    assert_allclose(found, expected, rtol=1e-9, atol=1e-12)
    weighted = encode_likelihoods(ragged, book, scale="density").sum(axis=1)
    densities = np.exp(mixture.score_samples(points))[:, np.newaxis]
    assert_allclose(weighted, sums_by_diagram(densities, ragged).ravel(), rtol=1e-9)
