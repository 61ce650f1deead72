"""What every codebook vectorizer shares: sample, learn, encode, put side by side."""

from __future__ import annotations

import warnings
from abc import ABCMeta, abstractmethod
from collections.abc import Iterator, Mapping
from itertools import pairwise
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils import Tags, check_random_state
from sklearn.utils.validation import check_is_fitted

from pbow.codebook import GaussianCodebook, KMeansCodebook
from pbow.diagrams import Diagrams, check_diagrams
from pbow.sampling import draw_sample, persistence_ramp
from pbow.validation import (
    check_choice,
    check_flag,
    check_integer,
    check_quantiles,
    is_finite_number,
    is_integer,
    refuse,
)
from pbow.weighting import Ramp

__all__ = ["ESSENTIAL_SUFFIX", "CodebookVectorizer"]

ESSENTIAL_SUFFIX = "_inf"
# Points that are copied at a time while diagrams are encoded: 16 MiB.
ROWS_OF_POINTS = 1 << 20


class CodebookVectorizer(TransformerMixin, BaseEstimator, metaclass=ABCMeta):
    """Learn a codebook a part on a sample of its points, then encode diagrams.

    Subclasses choose the codebook (:meth:`_learn`) and the encoding (:meth:`_encode`).
    """

    n_words: int | Mapping[str, int]
    weighting: str
    quantiles: tuple[float, float]
    sample_size: int | None
    whiten: bool
    point_weight: str | None
    normalize: str | None
    essential: str | float
    n_init: int
    n_jobs: int | None
    random_state: Any

    def fit(self, X: Any, y: Any = None) -> Self:
        """Learn one codebook for each part.

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
        parts = self._finite_parts(X, self.essential)
        if not any(len(part.points) for part in parts.values()):
            msg = (
                f"All {len(X)} diagrams are empty"
                f"{self._what_was_left_out(X)}: there is nothing to learn from."
            )
            raise ValueError(msg)
        seed = _integer_seed(self.random_state)
        codebooks: dict[str, KMeansCodebook | GaussianCodebook] = {}
        ramps: dict[str, Ramp | None] = {}
        for name, part in parts.items():
            if len(part.points):
                never_dies = name not in X.parts
                codebooks[name], ramps[name] = self._fit_part(
                    name, part, seed, never_dies=never_dies
                )
            elif name in X.parts:
                dropped = self._what_was_left_out(X[name])
                msg = (
                    f"Part {name} has no finite point in {len(X)} training diagrams"
                    f"{dropped}; it gives no columns for these."
                )
                warnings.warn(msg, UserWarning, stacklevel=2)
        # All at once, so that a fit that fails leaves nothing half done.
        self.parts_ = X.parts
        self.codebooks_ = codebooks
        self.ramps_ = ramps
        self._essential = self.essential
        return self

    def fit_transform(self, X: Any, y: Any = None, **fit_params: Any) -> NDArray[Any]:
        """Learn the codebooks and encode the same diagrams.

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
        """Encode diagrams with the learnt codebooks.

        Parameters
        ----------
        X : Diagrams or list of array-like of shape (n_points_i, 2)
            Diagrams with the parts that were there in fit, in any order; a plain list
            stands for the only part. An empty diagram is encoded as zeros.

        Returns
        -------
        H : ndarray of shape (n_samples, n_features_out)
            One row per sample; the columns of the parts stand side by side.
        """
        check_is_fitted(self)
        X = check_diagrams(X, parts=self.parts_)
        # Points are copied where some never die, and features where parts are joined;
        # a few rows at a time, so that the copies stay small.
        if len(self.codebooks_) == 1 and not X.has_essential:
            return self._transform_rows(X)
        if is_finite_number(self._essential):
            for name in X.parts:
                _check_births(X[name], float(self._essential), name)
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

    def _transform_rows(self, X: Diagrams) -> NDArray[Any]:
        parts = self._finite_parts(X, self._essential)
        blocks = [
            self._encode(parts[name], codebook, self.ramps_[name])
            for name, codebook in self.codebooks_.items()
        ]
        return blocks[0] if len(blocks) == 1 else np.hstack(blocks)

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[Any]:
        """Name the columns: part and word, as in ``h1_word0``.

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
                f"{name.lower()}_word{k}"
                for name, codebook in self.codebooks_.items()
                for k in range(codebook.n_words)
            ],
            dtype=object,
        )

    @abstractmethod
    def _learn(
        self, sample: NDArray[np.float64], n_words: int, seed: int, *, or_fewer: bool
    ) -> KMeansCodebook | GaussianCodebook:
        """Learn a codebook from points in birth-persistence coordinates."""

    @abstractmethod
    def _encode(self, X: Diagrams, codebook: Any, ramp: Ramp | None) -> NDArray[Any]:
        """Encode one part, with the normalization."""

    def _fit_part(
        self, name: str, part: Diagrams, seed: int, *, never_dies: bool
    ) -> tuple[KMeansCodebook | GaussianCodebook, Ramp | None]:
        ramp = None
        # Points that never die have no persistence to be weighted by.
        if "ramp" in {self.weighting, self.point_weight} and not never_dies:
            ramp = persistence_ramp([part], self.quantiles)
        sample = draw_sample(
            [part],
            self.sample_size,
            ramp=ramp if self.weighting == "ramp" else None,
            seed=seed,
        )
        try:
            codebook = self._learn(
                sample[:, :1] if never_dies else sample,
                self._n_words(name),
                seed,
                or_fewer=never_dies,
            )
        except ValueError as error:
            msg = f"Part {name}: {error}"
            if not isinstance(self.n_words, Mapping):
                msg += f" n_words may be a dict by part, as in {{{name!r}: 3, ...}}."
            if ramp is not None and self.weighting == "ramp":
                msg += (
                    " A sample by weighting='ramp' repeats points; 'uniform' does not."
                )
            raise ValueError(msg) from error
        return codebook, ramp if self.point_weight == "ramp" else None

    def _finite_parts(self, X: Diagrams, essential: str | float) -> dict[str, Diagrams]:
        """Return each part with finite points only, by what `essential` says."""
        parts = {}
        for name in X.parts:
            part = X[name]
            if essential == "drop":
                parts[name] = part.finite()
            elif essential == "separate":
                parts[name] = part.finite()
                parts[name + ESSENTIAL_SUFFIX] = _births(part.essential(), name)
            else:
                parts[name] = _closed(part, float(essential), name)
        return parts

    def _n_words(self, name: str) -> int:
        if not isinstance(self.n_words, Mapping):
            return int(self.n_words)
        if name not in self.n_words:
            name = name.removesuffix(ESSENTIAL_SUFFIX)
        return int(self.n_words[name])

    def _what_was_left_out(self, X: Diagrams) -> str:
        """Say how many points of these parts were dropped, if any."""
        n_essential = sum(len(X[name].essential().points) for name in X.parts)
        if self.essential != "drop" or not n_essential:
            return ""
        return (
            f" but for {n_essential} points that never die, which essential='drop' "
            "leaves out (essential='separate' keeps them)"
        )

    def _check_params(self, parts: tuple[str, ...]) -> None:
        self._check_n_words(parts)
        check_integer(self, "sample_size", minimum=1, optional=True)
        check_choice(self, "weighting", ["uniform", "ramp"])
        check_quantiles(self, "quantiles")
        check_flag(self, "whiten")
        check_choice(self, "point_weight", [None, "ramp"])
        check_choice(self, "normalize", [None, "sqrt", "sqrt-l2", "lipschitz"])
        if not is_finite_number(self.essential):
            if not isinstance(self.essential, str) or self.essential not in {
                "drop",
                "separate",
            }:
                refuse(self, "essential", "'drop', 'separate' or a finite number")
            taken = {name.lower() for name in parts}
            for name in parts:
                if self.essential == "separate" and f"{name}_inf".lower() in taken:
                    msg = (
                        f"essential='separate' makes a part {name}_inf, and there is "
                        "one already. Rename it."
                    )
                    raise ValueError(msg)
        check_integer(self, "n_init", minimum=1)
        if self.n_jobs is not None and not is_integer(self.n_jobs, -(2**31)):
            refuse(self, "n_jobs", "an int or None")
        if self.n_jobs == 0:
            refuse(self, "n_jobs", "an int other than 0, or None")
        most = max(self._n_words(name) for name in parts)
        if self.sample_size is not None and self.sample_size < most:
            msg = (
                f"Cannot learn n_words={most} words from a sample of at most "
                f"sample_size={self.sample_size} points. Raise sample_size or lower "
                "n_words."
            )
            raise ValueError(msg)

    def _check_n_words(self, parts: tuple[str, ...]) -> None:
        if not isinstance(self.n_words, Mapping):
            check_integer(self, "n_words", minimum=1)
            return
        if not all(is_integer(n, 1) for n in self.n_words.values()):
            refuse(self, "n_words", "an int >= 1, or a dict of such by part")
        allowed = set(parts)
        if self.essential == "separate":
            allowed |= {name + ESSENTIAL_SUFFIX for name in parts}
        if not set(parts) <= set(self.n_words) <= allowed:
            names = ", ".join(parts)
            refuse(
                self, "n_words", f"given for each of the parts {names}, and no other"
            )

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


def _integer_seed(random_state: Any) -> int:
    """Return an int as it is; a RandomState or None gives one."""
    if is_integer(random_state, 0):
        return int(random_state)
    return int(check_random_state(random_state).randint(2**31 - 1))


def _births(part: Diagrams, name: str) -> Diagrams:
    """Put points that never die on the diagonal: a birth, and nothing else."""
    births: ArrayLike = np.repeat(part.points[:, :1], 2, axis=1)
    return Diagrams(births, part.offsets, name=name + ESSENTIAL_SUFFIX)


def _closed(part: Diagrams, death: float, name: str) -> Diagrams:
    """Let points that never die die at `death`."""
    if not part.has_essential:
        return part
    _check_births(part, death, name)
    births, deaths = part.points.T
    closed = np.column_stack((births, np.where(np.isposinf(deaths), death, deaths)))
    return Diagrams(closed, part.offsets, name=name)


def _check_births(part: Diagrams, death: float, name: str) -> None:
    births, deaths = part.points.T
    late = np.flatnonzero(np.isposinf(deaths) & (births > death))
    if late.size:
        diagram = int(np.searchsorted(part.offsets, late[0], side="right")) - 1
        msg = (
            f"Diagram {diagram} of part {name} has a point that never dies and is born "
            f"at {births[late[0]]:g}, after essential={death:g}. "
            "Pass a number above every birth."
        )
        raise ValueError(msg)
