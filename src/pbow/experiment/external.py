"""Descriptors of other packages, in the form that experiments take."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.cluster import KMeans

from pbow._utils.constraints import Constraint, Integer
from pbow._utils.optional import import_optional
from pbow.diagrams import Diagrams
from pbow.essential import ESSENTIAL
from pbow.vectorizers.base import Vectorizer

__all__ = ["Atol"]


class Atol(Vectorizer):
    """Automatic topologically-oriented learning (Atol), as GUDHI has it.

    k-means finds centers among all training points (birth, death). A feature is the sum
    over a diagram's points of a Gaussian about one center, as wide as half the distance
    to the nearest other center. It is close to stable persistence bag-of-words, but
    widths depend on the centers alone, not on how the points spread.

    Parameters
    ----------
    n_words : int, default=50
        Number of centers of each part; fewer where it has fewer distinct points.
    essential : {"drop", "separate"} or float, default="drop"
        What to do with essential points: drop them; give them centers of their own,
        in a part ``<part>_inf``; or replace their deaths by this number.
    random_state : int, RandomState instance or None, default=None
        Seeds k-means.

    Attributes
    ----------
    atols_ : dict of str to gudhi.representations.vector_methods.Atol
        GUDHI's own, fitted, by part.
    parts_ : tuple of str
        The parts seen in fit.

    See Also
    --------
    pbow.StablePersistenceBoW : A Gaussian mixture in place of centers and distances.

    References
    ----------
    Royer, Chazal, Levrard, Umeda, Ike. ATOL: Measure Vectorization for Automatic
    Topologically-Oriented Learning. AISTATS 2021. Section 2.

    Examples
    --------
    >>> from pbow.experiment.external import Atol
    >>> X = [[[0.0, 1.0], [0.0, 0.9], [0.5, 0.6]], [[0.5, 0.7]], []]
    >>> Atol(n_words=2, random_state=0).fit_transform(X).round(2)
    array([[1.01, 1.95],
           [0.97, 0.03],
           [0.  , 0.  ]])
    """

    short_name: ClassVar[str] = "atol"
    by_part: ClassVar[str] = "atols_"
    constraints: ClassVar[Mapping[str, Constraint]] = {
        "n_words": Integer(1),
        "essential": ESSENTIAL,
    }

    atols_: dict[str, Any]

    def __init__(
        self,
        n_words: int = 50,
        *,
        essential: str | float = "drop",
        random_state: Any = None,
    ) -> None:
        self.n_words = n_words
        self.essential = essential
        self.random_state = random_state

    def _learn_parts(
        self, parts: dict[str, Diagrams], births_only: Collection[str]
    ) -> dict[str, Any]:
        return {"atols_": {name: self._fit_part(part) for name, part in parts.items()}}

    def _fit_part(self, part: Diagrams) -> Any:
        # More centers than distinct points, and GUDHI prints, and k-means warns. As
        # complex numbers, because unique rows would take a sixth of all the time.
        births, deaths = part.points.T
        n_distinct = len(np.unique(births + 1j * deaths))
        quantiser = KMeans(
            min(self.n_words, n_distinct), n_init=1, random_state=self.random_state
        )
        gudhis = import_optional(
            "gudhi.representations.vector_methods", extra="homology", purpose="Atol"
        )
        return gudhis.Atol(quantiser).fit([part.points])

    def _encode_part(self, name: str, part: Diagrams) -> NDArray[np.float64]:
        atol = self.atols_[name]
        features = np.empty((len(part), len(atol.centers)))
        # Its own transform fails where there are no diagrams, and changes it.
        for row, points in zip(features, part, strict=True):
            row[:] = atol(points)
        return features

    def _column_names(self, name: str) -> list[str]:
        return [f"word{k}" for k in range(len(self.atols_[name].centers))]
