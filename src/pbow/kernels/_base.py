"""What every kernel shares: parts, points that never die, pairs, files."""

from __future__ import annotations

import hashlib
import json
import os
from abc import ABCMeta, abstractmethod
from collections.abc import Iterable
from importlib.metadata import version
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from pbow._utils.checks import check_choice, check_n_jobs
from pbow._utils.progress import check_progress
from pbow.diagrams import Diagrams, check_diagrams
from pbow.essential import (
    check_again,
    check_essential,
    finite_parts,
    parts_with_points,
)
from pbow.kernels._tiles import Comparison, fill

__all__ = ["PairwiseKernel", "median_distance"]

Floats = NDArray[np.float64]
Parts = dict[str, Diagrams]
AnyPath = str | os.PathLike[str]


class PairwiseKernel(TransformerMixin, BaseEstimator, metaclass=ABCMeta):
    """Compare diagrams with those seen in fit, pair by pair.

    Subclasses say what a pair needs of each diagram (:meth:`_prepare`) and what becomes
    of a block of pairs (:meth:`_distance_tile`, :meth:`_kernel_tile`).
    """

    # Distances of parts are joined by this norm of them: 1, 2, ... or inf.
    _part_order: ClassVar[float] = 2.0

    output: str
    essential: str | float
    n_jobs: int | None
    parts_: tuple[str, ...]
    compared_: tuple[str, ...]

    def fit(self, X: Any, y: Any = None) -> Self:
        """Keep the diagrams to compare with, and learn what the kernel needs.

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
            The fitted kernel.
        """
        X = check_diagrams(X, min_samples=1)
        self._check_params(X.parts)
        ends = _ends(X) if self.essential == "separate" else {}
        parts = finite_parts(X, self.essential, ends)
        parts = parts_with_points(parts, X, self.essential)
        learnt = self._learn(parts)
        # All at once, so that a fit that fails leaves nothing half done.
        self.__dict__.update(
            learnt,
            X_fit_=X,
            parts_=X.parts,
            compared_=tuple(parts),
            ends_=ends,
            _essential=self.essential,
        )
        return self

    def fit_transform(
        self,
        X: Any,
        y: Any = None,
        *,
        out: AnyPath | None = None,
        progress: bool = False,
    ) -> Floats:
        """Keep the diagrams, and compare them with each other, each pair once.

        Parameters
        ----------
        X : Diagrams or list of array-like of shape (n_points_i, 2)
            Training diagrams.
        y : None
            Ignored; here for the scikit-learn API.
        out : str or path-like, optional
            A ``.npy`` file for the matrix, as in :meth:`transform`.
        progress : bool, default=False
            As in :meth:`transform`.

        Returns
        -------
        K : ndarray of shape (n_samples, n_samples)
        """
        # Looked at once: an iterator would be empty the second time.
        X = check_diagrams(X)
        kernel: Floats = self.fit(X, y).transform(X, out=out, progress=progress)
        return kernel

    def transform(
        self, X: Any, *, out: AnyPath | None = None, progress: bool = False
    ) -> Floats:
        """Compare diagrams with those of fit.

        Parameters
        ----------
        X : Diagrams or list of array-like of shape (n_points_i, 2)
            Diagrams with the parts that were there in fit, in any order; a plain list
            stands for the only part.
        out : str or path-like, optional
            A ``.npy`` file for the matrix, which is then never whole in memory. Where
            the work was interrupted, the same call goes on from what is on disk; where
            it was not, the file is read. Any other file is never overwritten.
        progress : bool, default=False
            Whether to draw a progress bar on stderr.

        Returns
        -------
        K : ndarray of shape (n_samples, n_samples_fit)
            The kernel of each sample with each of the training samples, added over the
            parts: what ``SVC(kernel="precomputed")`` takes. With ``output="distance"``,
            their distances: what ``KNeighborsClassifier(metric="precomputed")`` takes.
            With `out`, a read-only memory map of the file.
        """
        check_is_fitted(self)
        check_again(self)
        X = check_diagrams(X, parts=self.parts_)
        return self._fill(
            self.output,
            self._training_parts(X),
            # Half the work, also where the same diagrams come as another object.
            None if self.X_fit_ == X else self._training_parts(self.X_fit_),
            out=out,
            progress=progress,
        )

    def distances(
        self,
        X: Any,
        Y: Any = None,
        *,
        out: AnyPath | None = None,
        progress: bool = False,
    ) -> Floats:
        """Return the distances between diagrams.

        This needs no fit, except where something is to be learnt: when points that
        never die are to do so (``essential="separate"``), or what scale to look at.

        Parameters
        ----------
        X, Y : Diagrams or list of array-like of shape (n_points_i, 2)
            Diagrams with the same parts. Without Y, those of X are compared with each
            other, each pair once.
        out : str or path-like, optional
            A ``.npy`` file for the matrix, as in :meth:`transform`.
        progress : bool, default=False
            As in :meth:`transform`.

        Returns
        -------
        D : ndarray of shape (n_samples_X, n_samples_Y)
            With `out`, a read-only memory map of the file.
        """
        X = check_diagrams(X)
        self._check_params(X.parts)
        ends: dict[str, float] = {}
        if self._distances_need_fit():
            check_is_fitted(
                self,
                msg="This %(name)s learns something that its distances need: the "
                "bandwidth where none is given, or when points that never die are to "
                "do so (essential='separate'). Call fit first.",
            )
            X = check_diagrams(X, parts=self.parts_)
            ends = self.ends_ or _ends(self.X_fit_)
        left = finite_parts(X, self.essential, ends)
        right = None
        if Y is not None:
            Y = check_diagrams(Y)
            if set(Y.parts) != set(X.parts):
                msg = (
                    f"X has parts {', '.join(X.parts)}, and Y {', '.join(Y.parts)}. "
                    "Select common ones, as in X[['H1']]."
                )
                raise ValueError(msg)
            Y = Y[list(X.parts)]
            right = finite_parts(Y, self.essential, ends)
        return self._fill("distance", left, right, out=out, progress=progress)

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[Any]:
        """Name the columns: the training samples, as in ``sample0``.

        Parameters
        ----------
        input_features : None
            Ignored; here for the scikit-learn API.

        Returns
        -------
        names : ndarray of str objects
        """
        check_is_fitted(self)
        return np.array([f"sample{j}" for j in range(len(self.X_fit_))], dtype=object)

    @abstractmethod
    def _learn(self, parts: Parts) -> dict[str, Any]:
        """Return the attributes that fit sets, from parts that have training points."""

    @abstractmethod
    def _prepare(self, part: Diagrams) -> Any:
        """Return what pairs need of each diagram."""

    @abstractmethod
    def _distance_tile(
        self, left: Any, right: Any, rows: slice, columns: slice
    ) -> Floats:
        """Return distances of prepared diagrams.

        Where `left is right` and rows are columns, they are exactly symmetric.
        """

    @abstractmethod
    def _kernel_tile(
        self, name: str, left: Any, right: Any, rows: slice, columns: slice
    ) -> Floats:
        """Return the kernel of prepared diagrams of part `name`, likewise."""

    def _distances_need_fit(self) -> bool:
        return self.essential == "separate"

    def _nanoseconds_a_pair(self, n: float, m: float) -> float:
        """Return the rough cost of a pair of diagrams with n and m points."""
        return 100.0 + 10.0 * (n + m)

    def _bytes_a_point(self) -> float:
        """Return the rough memory of what is prepared, by point."""
        return 16.0

    def _check_params(self, parts: tuple[str, ...]) -> None:
        check_choice(self, "output", ["kernel", "distance"])
        check_essential(self, parts)
        check_n_jobs(self)

    def _training_parts(self, X: Diagrams) -> Parts:
        parts = finite_parts(X, self._essential, self.ends_)
        return {name: parts[name] for name in self.compared_}

    def _fill(
        self,
        what: str,
        left: Parts,
        right: Parts | None,
        *,
        out: AnyPath | None = None,
        progress: bool = False,
    ) -> Floats:
        check_progress(progress)

        def kernel(one: Any, other: Any, rows: slice, columns: slice) -> Floats:
            blocks = (
                self._kernel_tile(name, one[name], other[name], rows, columns)
                for name in one
            )
            return _sum(blocks)

        def distance(one: Any, other: Any, rows: slice, columns: slice) -> Floats:
            blocks = [
                self._distance_tile(one[name], other[name], rows, columns)
                for name in one
            ]
            return _norm(blocks, self._part_order)

        sizes = [
            (_mean_size(part), _mean_size((right or left)[name]))
            for name, part in left.items()
        ]
        comparison = Comparison(
            lambda parts: {name: self._prepare(part) for name, part in parts.items()},
            kernel if what == "kernel" else distance,
            sum(self._nanoseconds_a_pair(n, m) for n, m in sizes),
            64.0 + self._bytes_a_point() * sum(max(size) for size in sizes),
        )
        return fill(
            comparison,
            left,
            right,
            n_jobs=self.n_jobs,
            out=out,
            key=lambda: self._digest(what, left, right),
            progress=progress,
        )

    def _digest(self, what: str, left: Parts, right: Parts | None) -> str:
        """Return a digest of all that the matrix depends on."""
        params = {
            name: value
            for name, value in self.get_params(deep=False).items()
            if name != "n_jobs"
        }
        learnt = None
        if what == "kernel" or self._distances_need_fit():
            learnt = getattr(self, "bandwidths_", None)
        # Another version may differ in the last bit.
        title = [version("pbow"), type(self).__name__, what, params, learnt, not right]
        digest = hashlib.sha256(json.dumps(title, default=repr).encode())
        for parts in (left, right or {}):
            for name, part in parts.items():
                digest.update(json.dumps([name, len(part)]).encode())
                digest.update(part.offsets.data)
                digest.update(part.points.data)
        return digest.hexdigest()

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.two_d_array = False
        return tags


def median_distance(
    kernel: PairwiseKernel, part: Diagrams, *, n_diagrams: int
) -> float:
    """Return the median positive distance of at most `n_diagrams` training diagrams.

    They are evenly spaced, so that no chance is in it. Where all distances are 0, it
    is 1.
    """
    n = min(n_diagrams, len(part))
    rows = np.linspace(0, len(part) - 1, n).round().astype(np.int64)
    distances = kernel._fill("distance", {"": part[rows]}, None)
    positive = distances[np.triu_indices(n, 1)]
    positive = positive[positive > 0.0]
    return float(np.median(positive)) if positive.size else 1.0


def _ends(X: Diagrams) -> dict[str, float]:
    """Return the latest finite time of each part: of a death, or of a birth."""
    ends = {}
    for name in X.parts:
        points = X[name].points
        finite = points[np.isfinite(points)]
        ends[name] = float(finite.max()) if finite.size else 0.0
    return ends


def _mean_size(part: Diagrams) -> float:
    return len(part.points) / max(len(part), 1)


def _sum(blocks: Iterable[Floats]) -> Floats:
    total: Floats | None = None
    for block in blocks:
        total = block if total is None else total + block
    assert total is not None  # every collection has a part
    return total


def _norm(blocks: list[Floats], order: float) -> Floats:
    """Return the norm of the distances of parts, without overflow on the way."""
    if len(blocks) == 1:
        return blocks[0]
    stacked = np.stack(blocks)
    largest: Floats = stacked.max(axis=0)
    if np.isinf(order):
        return largest
    shares = np.divide(stacked, largest, out=stacked, where=largest > 0.0)
    powers = (shares**order).sum(axis=0)
    norm: Floats = largest * powers ** (1.0 / order)
    return norm
