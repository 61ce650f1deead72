"""What every vectorizer shares: parts, points that never die, rows, names."""

from __future__ import annotations

from abc import ABCMeta, abstractmethod
from collections.abc import Collection, Iterator
from itertools import pairwise
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from pbow._utils.checks import check_n_jobs, is_finite_number
from pbow.diagrams import Diagrams, check_diagrams
from pbow.essential import (
    check_again,
    check_births,
    check_essential,
    finite_parts,
    parts_with_points,
)

__all__ = ["PartsVectorizer"]

# Points that are copied at a time while diagrams are encoded: 16 MiB.
ROWS_OF_POINTS = 1 << 20


class PartsVectorizer(TransformerMixin, BaseEstimator, metaclass=ABCMeta):
    """Learn from each part of the training diagrams, then describe diagrams by rows.

    Subclasses say what is learnt (:meth:`_learn`) and how a part is described with it
    (:meth:`_encode_part`, :meth:`_column_names`).
    """

    # The attribute that holds what was learnt: a dict with each part that has columns.
    _by_part: ClassVar[str]

    essential: str | float
    n_jobs: int | None

    def fit(self, X: Any, y: Any = None) -> Self:
        """Learn from diagrams, each part for itself.

        Parameters
        ----------
        X : Diagrams or list of array-like of shape (n_points_i, 2)
            Training diagrams. Several parts come as Diagrams, as a list of dicts
            ``{part: array}`` or as a dict of lists; a plain list is a part "H1".
        y : None
            Ignored; here for the scikit-learn API.

        Returns
        -------
        self : object
            The fitted vectorizer.
        """
        X = check_diagrams(X, min_samples=1)
        self._check_params(X.parts)
        parts = finite_parts(X, self.essential)
        parts = parts_with_points(parts, X, self.essential)
        learnt = self._learn(parts, births_only=set(parts) - set(X.parts))
        # All at once, so that a fit that fails leaves nothing half done.
        self.__dict__.update(learnt, parts_=X.parts, _essential=self.essential)
        return self

    def fit_transform(self, X: Any, y: Any = None, **fit_params: Any) -> NDArray[Any]:
        """Learn from diagrams, and describe the same ones.

        Parameters
        ----------
        X : Diagrams or list of array-like of shape (n_points_i, 2)
            Training diagrams.
        y : None
            Ignored; here for the scikit-learn API.
        **fit_params
            None are known; here for the scikit-learn API.

        Returns
        -------
        H : ndarray of shape (n_samples, n_features_out)
            One row per sample.
        """
        # An iterator would be empty the second time.
        X = list(X) if isinstance(X, Iterator) else X
        features: NDArray[Any] = super().fit_transform(X, y, **fit_params)
        return features

    def transform(self, X: Any) -> NDArray[Any]:
        """Describe diagrams with what was learnt.

        Parameters
        ----------
        X : Diagrams or list of array-like of shape (n_points_i, 2)
            Diagrams with the parts that were there in fit, in any order; a plain list
            stands for the only part. An empty diagram is a row of zeros.

        Returns
        -------
        H : ndarray of shape (n_samples, n_features_out)
            One row per sample; the columns of the parts stand side by side.
        """
        check_is_fitted(self)
        check_again(self)
        X = check_diagrams(X, parts=self.parts_)
        # Points are copied where some never die, and features where parts are joined;
        # a few rows at a time, so that the copies stay small.
        if len(getattr(self, self._by_part)) == 1 and not X.has_essential:
            return self._transform_rows(X)
        if is_finite_number(self._essential):
            for name in X.parts:
                check_births(X[name], float(self._essential), name)
        cuts = _row_cuts(X)
        blocks = (self._transform_rows(X[i:j]) for i, j in pairwise(cuts))
        first = next(blocks)
        if len(cuts) == 2:
            return first
        features = np.empty((len(X), first.shape[1]), first.dtype)
        features[: cuts[1]] = first
        for block, (i, j) in zip(blocks, pairwise(cuts[1:]), strict=True):
            features[i:j] = block
        return features

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[Any]:
        """Name the columns: part and feature, as in ``h1_word0``.

        Parameters
        ----------
        input_features : None
            Ignored; here for the scikit-learn API.

        Returns
        -------
        names : ndarray of str objects
        """
        check_is_fitted(self)
        return np.array(
            [
                f"{name.lower()}_{column}"
                for name in getattr(self, self._by_part)
                for column in self._column_names(name)
            ],
            dtype=object,
        )

    @abstractmethod
    def _learn(
        self, parts: dict[str, Diagrams], births_only: Collection[str]
    ) -> dict[str, Any]:
        """Return the attributes that fit sets.

        `parts` are those with training points, all finite; in `births_only` a point is
        (b, b), the birth of a class that never dies.
        """

    @abstractmethod
    def _encode_part(self, name: str, part: Diagrams) -> NDArray[Any]:
        """Return the rows of one part."""

    @abstractmethod
    def _column_names(self, name: str) -> list[str]:
        """Name the columns of one part, without the part."""

    def _check_params(self, parts: tuple[str, ...]) -> None:
        check_essential(self, parts)
        check_n_jobs(self)

    def _transform_rows(self, X: Diagrams) -> NDArray[Any]:
        parts = finite_parts(X, self._essential)
        blocks = [
            self._encode_part(name, parts[name])
            for name in getattr(self, self._by_part)
        ]
        return blocks[0] if len(blocks) == 1 else np.hstack(blocks)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.two_d_array = False
        return tags


def _row_cuts(X: Diagrams) -> list[int]:
    """Cut the samples where another ROWS_OF_POINTS points are full; at least [0, n]."""
    reached = sum(X[name].offsets for name in X.parts)
    wanted = np.arange(ROWS_OF_POINTS, reached[-1], ROWS_OF_POINTS)
    inner = np.searchsorted(reached, wanted).tolist()
    return [0, *sorted(set(inner) - {0, len(X)}), len(X)]
