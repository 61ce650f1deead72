from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.mixture import GaussianMixture

from pbow import Diagrams
from pbow.vectorizers import PersistenceFisherVector


def gradients_by_definition(diagram, book):
    """The Fisher vector of Perronnin et al., 2010, without 1 / n; words in rows."""
    points = np.column_stack((diagram[:, 0], diagram[:, 1] - diagram[:, 0]))
    deviations = np.sqrt(np.diagonal(book.covariances, axis1=1, axis2=2))
    mixture = GaussianMixture(book.n_words, covariance_type="diag")
    mixture.weights_, mixture.means_ = book.weights, book.means
    mixture.covariances_ = deviations**2
    mixture.precisions_cholesky_ = 1.0 / deviations
    posteriors = mixture.predict_proba(points)[:, :, None]
    apart = (points[:, None] - book.means) / deviations
    roots = np.sqrt(book.weights)[:, None]
    by_mean = (posteriors * apart).sum(axis=0) / roots
    by_variance = (posteriors * (apart**2 - 1)).sum(axis=0) / (np.sqrt(2) * roots)
    return np.hstack((by_mean, by_variance)), posteriors


@pytest.mark.parametrize("whiten", [True, False])
def test_features_are_the_definition(ragged, whiten):
    fitted = PersistenceFisherVector(
        5, whiten=whiten, normalize=None, random_state=0
    ).fit(ragged)
    book = fitted.codebooks_["H1"]
    for diagram, row in zip(ragged, fitted.transform(ragged), strict=True):
        expected = np.zeros(20)
        if len(diagram):
            expected = gradients_by_definition(diagram, book)[0].ravel()
        assert_allclose(row, expected, rtol=1e-10, atol=1e-10)


def test_the_descriptor_is_the_improved_fisher_vector(ragged):
    fitted = PersistenceFisherVector.paper(4, random_state=0).fit(ragged)
    book = fitted.codebooks_["H1"]
    features = fitted.transform(ragged)
    for diagram, row in zip(ragged, features, strict=True):
        if not len(diagram):
            assert not row.any()
            continue
        expected = gradients_by_definition(diagram, book)[0].ravel() / len(diagram)
        expected = np.sign(expected) * np.sqrt(np.abs(expected))
        expected /= np.linalg.norm(expected)
        assert_allclose(row, expected, rtol=1e-10, atol=1e-10)


def test_the_training_points_have_next_to_no_gradient(ragged):
    # Expectation maximization stops where their likelihood is stationary.
    fisher = PersistenceFisherVector(
        1, temperature=1.0, normalize=None, random_state=0
    ).fit(ragged)
    assert_allclose(fisher.transform(ragged).sum(axis=0), 0.0, atol=1e-8)


def test_wide_words_have_counts_in_their_variances(ragged):
    wide = PersistenceFisherVector(
        1, temperature=100.0, normalize=None, random_state=0
    ).fit_transform(ragged)
    counts = -ragged.sizes[:, None] / np.sqrt(2.0)
    assert_allclose(wide[:, 2:], np.repeat(counts, 2, axis=1), rtol=1e-2)


def test_features_have_no_unit(ragged):
    stretched = Diagrams(ragged.points * 1000.0, ragged.offsets)
    plain, thousand = (
        PersistenceFisherVector(4, random_state=0).fit_transform(X)
        for X in (ragged, stretched)
    )
    assert_allclose(thousand, plain, rtol=1e-6, atol=1e-6)


def test_covariances_of_a_file_must_be_diagonal(ragged):
    fitted = PersistenceFisherVector(2, random_state=0).fit(ragged)
    book = fitted.codebooks_["H1"]
    covariances = book.covariances.copy()
    covariances[1, 0, 1] = covariances[1, 1, 0] = 0.1 * covariances[1].min(
        where=np.eye(2, dtype=bool), initial=np.inf
    )
    fitted.codebooks_ = {"H1": replace(book, covariances=covariances)}
    with pytest.raises(ValueError, match="diagonal covariances; that of word 1"):
        fitted._check_learnt()
