"""Variants of the words that were tried beside those of the library.

docs/defaults.md has what came out. None of them is worth a parameter.
"""

import warnings
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.feature_selection import f_classif
from sklearn.mixture import GaussianMixture

from pbow import Diagrams, StablePersistenceBoW
from pbow.codebook import GaussianCodebook
from pbow.encoding import encode_likelihoods


class LogPersistence(TransformerMixin, BaseEstimator):
    """Replace persistence p by log(1 + p / s), s being a tenth of the median.

    Zero stays zero; points that crowd near the diagonal are pulled apart.
    """

    def fit(self, X: Diagrams, y: Any = None) -> Self:
        """Take the median of the training points."""
        persistence = X.points[:, 1] - X.points[:, 0]
        self.unit_ = 0.1 * np.median(persistence[persistence > 0.0])
        return self

    def transform(self, X: Diagrams) -> Diagrams:
        """Move the deaths."""
        # Births in the same unit; the words are whitened, which takes it out again.
        births, deaths = X.points.T
        moved = births / self.unit_ + np.log1p((deaths - births) / self.unit_)
        points = np.column_stack((births / self.unit_, moved))
        return Diagrams(points, X.offsets, name=X.parts[0])


class PerLabelWords(TransformerMixin, BaseEstimator):
    """Learn a mixture per label, and encode by the posteriors of all words together."""

    def __init__(self, random_state: Any = None) -> None:
        self.random_state = random_state

    def fit(self, X: Diagrams, y: Any) -> Self:
        """Learn the same number of words, 140 in all, from diagrams of each label."""
        labels, seed = np.unique(y), self.random_state
        n_words = max(2, 140 // len(labels))
        words = StablePersistenceBoW(n_words, temperature=2.0, random_state=seed)
        (part,) = X.parts
        books = [words.fit(X[y == k]).codebooks_[part] for k in labels]
        arrays = {
            name: np.concatenate([getattr(book, name) for book in books])
            for name in ("weights", "means", "covariances")
        }
        arrays["weights"] /= len(books)
        self.codebook_ = GaussianCodebook(**arrays, scale=books[0].scale)
        return self

    def transform(self, X: Diagrams) -> np.ndarray:
        """Return square roots of the sums of posteriors."""
        return encode_likelihoods(
            X.finite(), self.codebook_, scale="posterior", normalize="sqrt"
        )


class TiedMixture(StablePersistenceBoW):
    """Learn tied words by expectation maximization, as scikit-learn does."""

    def _learn_words(
        self, sample: np.ndarray, n_words: tuple[int, ...], seed: int
    ) -> GaussianCodebook:
        scale = sample.std(axis=0)
        n_points = len(np.unique(sample, axis=0))
        books = []
        for n in sorted({min(size, n_points) for size in n_words}):
            mixture = GaussianMixture(n, covariance_type="tied", random_state=seed)
            with warnings.catch_warnings(action="ignore", category=ConvergenceWarning):
                mixture.fit(sample / scale)
            covariance = mixture.covariances_ * scale * scale[:, np.newaxis]
            shapes = np.tile(covariance, (n, 1, 1))
            means = mixture.means_ * scale
            books.append(GaussianCodebook(mixture.weights_, means, shapes, scale))
        return GaussianCodebook.join(books)


class WeightsByLabels(TransformerMixin, BaseEstimator):
    """Multiply features by the root of the share of their variance between labels."""

    def fit(self, X: np.ndarray, y: Any) -> Self:
        """Take eta squared, of the analysis of variance, per feature."""
        with np.errstate(invalid="ignore", divide="ignore"):
            F, _ = f_classif(X, y)
        n_labels = len(np.unique(y))
        between = np.nan_to_num(F) * (n_labels - 1)
        self.weights_ = np.sqrt(between / (between + len(y) - n_labels))
        return self

    def transform(self, X: np.ndarray) -> np.ndarray:
        """Multiply."""
        return X * self.weights_
