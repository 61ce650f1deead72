import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.stats import multivariate_normal

from pbow import StablePersistenceBoW
from pbow.vectorizers import PersistenceVLAD, SoftPersistenceVLAD


def residuals_by_scipy(diagram, book):
    """Sum, per word, posteriors times differences from the mean."""
    points = np.column_stack((diagram[:, 0], diagram[:, 1] - diagram[:, 0]))
    components = zip(book.weights, book.means, book.covariances, strict=True)
    densities = [w * multivariate_normal(m, c).pdf(points) for w, m, c in components]
    posteriors = np.column_stack([np.atleast_1d(each) for each in densities])
    posteriors /= posteriors.sum(axis=1, keepdims=True)
    apart = (points[:, None] - book.means) / book.scale
    return (posteriors[:, :, None] * apart).sum(axis=0).ravel()


@pytest.mark.parametrize("covariance", ["diag", "full", "tied"])
@pytest.mark.parametrize("whiten", [True, False])
def test_features_are_sums_of_posteriors_times_differences(ragged, covariance, whiten):
    fitted = SoftPersistenceVLAD(
        5, covariance=covariance, whiten=whiten, normalize=None, random_state=0
    ).fit(ragged)
    book = fitted.codebooks_["H1"]
    expected = [residuals_by_scipy(diagram, book) for diagram in ragged if len(diagram)]
    features = fitted.transform(ragged)
    assert_allclose(features[ragged.sizes > 0], expected, rtol=1e-10, atol=1e-10)


def test_the_descriptor_follows_the_authors_program(ragged):
    fitted = SoftPersistenceVLAD.paper(4, random_state=0).fit(ragged)
    book = fitted.codebooks_["H1"]
    for diagram, row in zip(ragged, fitted.transform(ragged), strict=True):
        if not len(diagram):
            assert not row.any()
            continue
        expected = residuals_by_scipy(diagram, book)
        for _ in range(2):
            expected = np.sign(expected) * np.sqrt(np.abs(expected))
            expected /= max(np.linalg.norm(expected), 1e-12)
        assert_allclose(row, expected, rtol=1e-10, atol=1e-10)


def test_words_are_those_of_the_stable_bag_of_words(ragged):
    vlad = SoftPersistenceVLAD(4, temperature=2.0, random_state=0).fit(ragged)
    bow = StablePersistenceBoW(4, temperature=2.0, random_state=0).fit(ragged)
    for name in ("weights", "means", "covariances"):
        one, other = (getattr(v.codebooks_["H1"], name) for v in (vlad, bow))
        assert (one == other).all()


def test_narrow_words_far_apart_share_points_as_the_nearest_word_does(rng):
    centers = np.array([[0.0, 1.0], [5.0, 2.0], [0.0, 9.0]])
    points = centers[rng.integers(0, 3, size=300)] + rng.normal(0, 0.05, size=(300, 2))
    points[:, 1] += points[:, 0]
    X = np.split(points, 10)
    hard, soft = (
        model.set_params(whiten=False, normalize=None, random_state=0).fit_transform(X)
        for model in (PersistenceVLAD(3), SoftPersistenceVLAD(3, temperature=1.0))
    )
    assert_allclose(soft, hard, atol=1e-6)
