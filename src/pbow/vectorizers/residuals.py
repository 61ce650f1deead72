"""The base of vectorizers with several features per word."""

from __future__ import annotations

from typing import ClassVar

from pbow._utils.constraints import Number
from pbow.vectorizers.stable import LEAST_TEMPERATURE, MOST_TEMPERATURE
from pbow.vectorizers.words import CodebookVectorizer

__all__ = ["NO_RESIDUALS", "TEMPERATURE", "ResidualVectorizer"]

TEMPERATURE = Number(LEAST_TEMPERATURE, MOST_TEMPERATURE)
# Of fewer distinct points than words; a Fisher vector has variances nevertheless.
NO_RESIDUALS = "Where every point is a word, all features are 0. "


class ResidualVectorizer(CodebookVectorizer):
    """Learn a codebook per part, then say where points lie around each word.

    Subclasses name the features of a word, in the order of the columns. Words of births
    alone, of essential classes, have only the features of births.
    """

    features: ClassVar[tuple[str, ...]]

    def _features_of(self, name: str) -> list[str]:
        births_only = self.codebooks_[name].births_only
        return [f for f in self.features if f.endswith("birth") or not births_only]

    def _column_names(self, name: str) -> list[str]:
        features = self._features_of(name)
        words = super()._column_names(name)
        return [f"{word}_{feature}" for word in words for feature in features]

    def _n_columns(self, name: str) -> int:
        return super()._n_columns(name) * len(self._features_of(name))

    def _n_numbers(self) -> int:
        return super()._n_numbers() * len(self.features)
