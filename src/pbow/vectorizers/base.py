"""The base of all vectorizers: parts, essential classes, rows, feature names."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Collection, Mapping
from itertools import pairwise
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from pbow._utils.checks import is_finite_number
from pbow._utils.constraints import Constraint, Jobs
from pbow._utils.progress import progress_bar
from pbow.diagrams import UNNAMED, Diagrams, check_diagrams
from pbow.essential import (
    ESSENTIAL,
    ESSENTIAL_SUFFIX,
    check_births,
    finite_parts,
    parts_with_points,
)
from pbow.estimator import DiagramEstimator
from pbow.vectorizers.seen import SeenRange

__all__ = ["Vectorizer"]

# Points that are copied at a time while diagrams are encoded: 16 MiB.
POINTS_PER_BLOCK = 1 << 20


class Vectorizer(DiagramEstimator):
    """Learn from each part of the training diagrams, then encode diagrams as rows.

    Subclasses say what is learnt (:meth:`_learn_parts`) and how a part is encoded with
    it (:meth:`_encode_part`, :meth:`_column_names`).
    """

    constraints: ClassVar[Mapping[str, Constraint]] = {
        "essential": ESSENTIAL,
        "n_jobs": Jobs,
    }
    # Whether features have different units: `pbow evaluate` then gives each of them the
    # mean 0 and the standard deviation 1 before they are classified.
    standardize: ClassVar[bool] = False
    # The learnt attribute that is a dict with each part that has columns.
    by_part: ClassVar[str]

    # Of each part; None where too little is known, and of models of older files.
    ranges_: dict[str, SeenRange | None] | None

    essential: str | float
    n_jobs: int | None

    def transform(self, X: Any, *, progress: bool = False) -> NDArray[Any]:
        """Encode diagrams with what was learnt.

        Parameters
        ----------
        X : Diagrams or list of array-like of shape (n_points_i, 2)
            Diagrams with the parts that were there in fit, in any order. A list stands
            for the only part, and after a fit to a list, any single part does. An empty
            diagram is a row of zeros.
        progress : bool, default=False
            Whether to show a progress bar on stderr.

        Returns
        -------
        H : ndarray of shape (n_samples, n_features_out)
            One row per sample; the columns of the parts stand side by side.

        Warns
        -----
        OutOfRangeWarning
            If more than half of the points of a part lie far outside the range of
            those seen in fit: farther than its longer side. Units may have changed.
        """
        X = check_diagrams(X, parts=self.parts_)
        for name, seen in (self.ranges_ or {}).items():
            if seen is not None:
                seen.warn_of_far(X[name].points, name)
        return self._encode(X, progress=progress)

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[Any]:
        """Name the columns: part and feature, as in ``h1_word0``.

        If the part has no name, as that of a list, the feature alone: ``word0``.

        Parameters
        ----------
        input_features : None
            Ignored; here for the scikit-learn API.

        Returns
        -------
        names : ndarray of str objects
        """
        model = self._model()
        return np.array(
            [
                f"{model._prefix(name)}{column}"
                for name in getattr(model, model.by_part)
                for column in model._column_names(name)
            ],
            dtype=object,
        )

    def _prefix(self, name: str) -> str:
        """Return what the names of the columns of a part begin with."""
        prefix = f"{name.lower()}_"
        # And "inf_" for its essential points.
        return prefix.removeprefix("_") if self.parts_ == (UNNAMED,) else prefix

    def n_features_by_part(self) -> dict[str, int]:
        """Count the columns of each part, without making their names.

        Returns
        -------
        counts : dict of str to int
            In the order of the columns. A part without training points has none and is
            left out.

        Examples
        --------
        >>> import pbow
        >>> X = {"H0": [[[0.0, 1.0], [0.0, 2.0]]], "H1": [[[1.0, 3.0], [2.0, 3.0]]]}
        >>> bow = pbow.PersistenceBoW({"H0": 1, "H1": 2}).fit(X)
        >>> bow.n_features_by_part()
        {'H0': 1, 'H1': 2}
        """
        model = self._model()
        return {name: model._n_columns(name) for name in getattr(model, model.by_part)}

    @property
    def n_features_out_(self) -> int:
        """Number of columns."""
        return sum(self.n_features_by_part().values())

    def _learn_parts(
        self, parts: dict[str, Diagrams], births_only: Collection[str]
    ) -> dict[str, Any]:
        """Return the learnt attributes by name.

        `parts` are those with training points, all finite; in `births_only` a point is
        (b, b), the birth of an essential class.
        """
        raise NotImplementedError

    @abstractmethod
    def _encode_part(self, name: str, part: Diagrams) -> NDArray[Any]:
        """Return the rows of one part."""

    @abstractmethod
    def _column_names(self, name: str) -> list[str]:
        """Name the columns of one part, without the part."""

    def _n_columns(self, name: str) -> int:
        """Return the number of columns of one part."""
        return len(self._column_names(name))

    def _learn(self, X: Diagrams) -> dict[str, Any]:
        parts = parts_with_points(finite_parts(X, self.essential), X, self.essential)
        births_only = set(parts) - set(X.parts)
        ranges = {
            name: None if name in births_only else SeenRange.of_points(part)
            for name, part in parts.items()
        }
        return {**self._learn_parts(parts, births_only), "ranges_": ranges}

    def _check_learnt(self) -> None:
        births_only = dict.fromkeys(self.parts_, False)
        if self.essential == "separate":
            for name in self.parts_:
                births_only.setdefault(name + ESSENTIAL_SUFFIX, True)
        names = list(getattr(self, self.by_part))
        if not names or not set(names) <= set(births_only):
            msg = f"its {self.by_part} are of parts {names!r:.90}, which fit had not."
            raise ValueError(msg)
        for attribute in self.learnt_types():
            records = getattr(self, attribute)
            if not isinstance(records, dict):  # of no part
                continue
            if list(records) != names:
                msg = f"its {attribute} has other parts than {self.by_part}."
                raise ValueError(msg)
            for name, record in records.items():
                expected = births_only[name]
                if getattr(record, "births_only", expected) is not expected:
                    msg = f"its {attribute} of part {name!r} is not what fit learns."
                    raise ValueError(msg)

    def _encode(self, X: Diagrams, *, progress: bool) -> NDArray[Any]:
        """Encode checked diagrams, a few rows at a time.

        Points are copied where some are essential, and features where parts are
        joined; by blocks of rows, these copies stay small.
        """
        copies = len(getattr(self, self.by_part)) > 1 or X.has_essential
        if is_finite_number(self.essential):
            # Here, where samples still have their own numbers.
            for name in X.parts:
                check_births(X[name], float(self.essential), name)
        cuts = row_cuts(X, POINTS_PER_BLOCK) if copies or progress else [0, len(X)]
        with progress_bar(show=progress, total=len(X), unit="diagrams") as advance:
            first = self._encode_rows(X[: cuts[1]])
            advance(cuts[1])
            if len(cuts) == 2:
                return first
            features = np.empty((len(X), first.shape[1]), first.dtype)
            features[: cuts[1]] = first
            for i, j in pairwise(cuts[1:]):
                features[i:j] = self._encode_rows(X[i:j])
                advance(j - i)
        return features

    def _encode_rows(self, X: Diagrams) -> NDArray[Any]:
        parts = finite_parts(X, self.essential)
        blocks = [
            self._encode_part(name, parts[name]) for name in getattr(self, self.by_part)
        ]
        return blocks[0] if len(blocks) == 1 else np.hstack(blocks)


def row_cuts(X: Diagrams, n_points: int) -> list[int]:
    """Cut the samples where another `n_points` points are full; at least [0, n]."""
    reached = sum(X[name].offsets for name in X.parts)
    wanted = np.arange(n_points, reached[-1], n_points)
    inner = np.searchsorted(reached, wanted).tolist()
    return [0, *sorted(set(inner) - {0, len(X)}), len(X)]
