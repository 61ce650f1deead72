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

__all__ = ["LogPersistence", "PerLabelWords", "TiedMixture", "WeightsByLabels"]


class LogPersistence(TransformerMixin, BaseEstimator):
    """Replace persistence p by log(1 + p / s), s being `share` of the median.

    Zero stays zero; points that crowd near the diagonal are pulled apart.
    """

    def __init__(self, share: float = 0.1) -> None:
        self.share = share

    def fit(self, X: Diagrams, y: Any = None) -> Self:
        """Take the median of the training points."""
        persistence = X.points[:, 1] - X.points[:, 0]
        self.unit_ = self.share * np.median(persistence[persistence > 0.0])
        return self

    def transform(self, X: Diagrams) -> Diagrams:
        """Move the deaths."""
        births, deaths = X.points.T
        # Births in the same unit; the words are whitened, which takes it out again.
        moved = births / self.unit_ + np.log1p((deaths - births) / self.unit_)
        return Diagrams(
            np.column_stack((births / self.unit_, moved)), X.offsets, name=X.parts[0]
        )


class PerLabelWords(TransformerMixin, BaseEstimator):
    """Learn a mixture per label, and encode by the posteriors of all words together."""

    def __init__(
        self, n_words: int = 140, temperature: float = 2.0, random_state: Any = None
    ) -> None:
        self.n_words = n_words
        self.temperature = temperature
        self.random_state = random_state

    def fit(self, X: Diagrams, y: Any) -> Self:
        """Learn the same number of words from the diagrams of each label."""
        labels = np.unique(y)
        size = max(2, self.n_words // len(labels))
        words = StablePersistenceBoW(
            size, temperature=self.temperature, random_state=self.random_state
        )
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
        self, sample: np.ndarray, n_words: int, seed: int
    ) -> GaussianCodebook:
        scale = sample.std(axis=0)
        n_words = min(n_words, len(np.unique(sample, axis=0)))
        mixture = GaussianMixture(n_words, covariance_type="tied", random_state=seed)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            mixture.fit(sample / scale)
        covariance = mixture.covariances_ * scale * scale[:, np.newaxis]
        return GaussianCodebook(
            mixture.weights_,
            mixture.means_ * scale,
            np.tile(covariance, (n_words, 1, 1)),
            scale,
        )


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
