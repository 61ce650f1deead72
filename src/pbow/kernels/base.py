"""The base of all kernels: parts, essential classes, pairs, matrices on disk."""

from __future__ import annotations

import math
import os
from abc import abstractmethod
from collections.abc import Iterable, Mapping
from importlib.metadata import version
from typing import Any, ClassVar

import joblib
import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from pbow._utils.checks import is_finite_number
from pbow._utils.constraints import Constraint, Jobs, OneOf
from pbow.compute.wasserstein import norm_of
from pbow.diagrams import LARGEST_COORDINATE, UNNAMED, Diagrams, check_diagrams
from pbow.essential import ESSENTIAL, finite_parts, parts_with_points
from pbow.estimator import DiagramEstimator
from pbow.kernels._tiles import Comparison, fill

__all__ = ["PairwiseKernel", "median_distance"]

Floats = NDArray[np.float64]
Parts = dict[str, Diagrams]
AnyPath = str | os.PathLike[str]


class PairwiseKernel(DiagramEstimator):
    """Compare diagrams with those seen in fit, pair by pair.

    Subclasses say what is learnt of the parts (:meth:`_learn_parts`), what a pair needs
    of each diagram (:meth:`_prepare`) and what becomes of a block of pairs
    (:meth:`_distance_tile`, :meth:`_kernel_tile`).
    """

    constraints: ClassVar[Mapping[str, Constraint]] = {
        "output": OneOf("kernel", "distance"),
        "essential": ESSENTIAL,
        "n_jobs": Jobs,
    }
    # Distances of parts are joined by this norm of them: 1, 2, ... or inf.
    _part_order: ClassVar[float] = 2.0
    # All that fit may learn, or be given, lies between these.
    _bandwidths: ClassVar[tuple[float, float]] = (0.0, math.inf)
    # Diagrams that the loops of a kernel work on side by side.
    _lanes: ClassVar[int] = 1

    X_fit_: Diagrams
    deaths_: dict[str, float]
    compared_: tuple[str, ...]

    output: str
    essential: str | float
    n_jobs: int | None

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
            A ``.npy`` file for the matrix, which is then never whole in memory. If the
            work was interrupted, the same call resumes from what is on disk; if it was
            finished, the file is read. Any other file is never overwritten.
        progress : bool, default=False
            Whether to show a progress bar on stderr.

        Returns
        -------
        K : ndarray of shape (n_samples, n_samples_fit)
            The kernel of each sample with each of the training samples, added over the
            parts: what ``SVC(kernel="precomputed")`` takes. With ``output="distance"``,
            their distances: what ``KNeighborsClassifier(metric="precomputed")`` takes.
            With `out`, a read-only memory map of the file.
        """
        X = check_diagrams(X, parts=self.parts_)
        return self._fill(
            self.output,
            self._compared_parts(X),
            # Half the work, also where the same diagrams come as another object.
            None if self.X_fit_ == X else self._compared_parts(self.X_fit_),
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

        This needs no fit, except where something is learnt that distances depend on:
        the death of essential points (``essential="separate"``), or a bandwidth.

        Parameters
        ----------
        X, Y : Diagrams or list of array-like of shape (n_points_i, 2)
            Diagrams with the same parts. Without Y, those of X are compared with each
            other, each pair once.
        out : str or path-like, optional
            A ``.npy`` file for the matrix, as in :meth:`transform`.
        progress : bool, default=False
            Whether to show a progress bar on stderr.

        Returns
        -------
        D : ndarray of shape (n_samples_X, n_samples_Y)
            With `out`, a read-only memory map of the file.
        """
        X = check_diagrams(X)
        model = self
        if hasattr(self, "fitted_"):
            model = self._model()
        else:
            self.check_parameters(X.parts)
        deaths: Mapping[str, float] | None = None
        if model._distances_need_fit():
            check_is_fitted(
                self,
                msg="This %(name)s learns something that its distances depend on: the "
                "bandwidth if none is given, or the death of essential points "
                "(essential='separate'). Call fit first.",
            )
            X = check_diagrams(X, parts=model.parts_)
            deaths = model.deaths_
        left = model._split(X, deaths)
        right = None
        if Y is not None:
            Y = check_diagrams(Y)
            different = set(Y.parts) ^ set(X.parts)
            if different and UNNAMED not in different:
                msg = (
                    f"X has parts {', '.join(X.parts)}, and Y {', '.join(Y.parts)}. "
                    "Select common ones, as in X[['H1']]."
                )
                raise ValueError(msg)
            right = model._split(check_diagrams(Y, parts=X.parts), deaths)
        return model._fill("distance", left, right, out=out, progress=progress)

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
        return np.array(
            [f"sample{j}" for j in range(len(self._model().X_fit_))], dtype=object
        )

    @property
    def n_features_out_(self) -> int:
        """Number of columns: of training samples."""
        return len(self._model().X_fit_)

    def _learn(self, X: Diagrams) -> dict[str, Any]:
        deaths = _latest_times(X) if self.essential == "separate" else {}
        parts = self._split(X, deaths)
        parts = parts_with_points(parts, X, self.essential)
        return {
            "X_fit_": X,
            "deaths_": deaths,
            "compared_": tuple(parts),
            **self._learn_parts(parts),
        }

    def _check_learnt(self) -> None:
        needs_deaths = self.parts_ if self.essential == "separate" else ()
        if self.X_fit_.parts != self.parts_ or tuple(self.deaths_) != needs_deaths:
            msg = "its training diagrams, or deaths, have other parts."
            raise ValueError(msg)
        if any(abs(death) > LARGEST_COORDINATE for death in self.deaths_.values()):
            msg = f"its deaths are {self.deaths_}; expected coordinates."
            raise ValueError(msg)
        known = set(self._split(self.X_fit_, self.deaths_))
        if not 0 < len(known & set(self.compared_)) == len(self.compared_):
            msg = "the parts to compare are not those of its training diagrams."
            raise ValueError(msg)
        bandwidths = getattr(self, "bandwidths_", None)
        smallest, largest = self._bandwidths
        if bandwidths is not None and (
            tuple(bandwidths) != self.compared_
            or not all(
                is_finite_number(w) and smallest < w < largest
                for w in bandwidths.values()
            )
        ):
            msg = f"its bandwidths are {bandwidths!r:.200}; expected one per part."
            raise ValueError(msg)

    def _learn_parts(self, parts: Parts) -> dict[str, Any]:
        """Return more learnt attributes, from parts that have training points."""
        return {}

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

    def _bytes_a_diagram(self) -> float:
        """Return what a diagram without points would take."""
        return 64.0

    def _compared_parts(self, X: Diagrams) -> Parts:
        parts = self._split(X, self.deaths_)
        return {name: parts[name] for name in self.compared_}

    def _split(self, X: Diagrams, deaths: Mapping[str, float] | None) -> Parts:
        """Return parts that are compared by themselves, by what `essential` says."""
        return finite_parts(X, self.essential, deaths)

    def _fill(
        self,
        what: str,
        left: Parts,
        right: Parts | None,
        *,
        out: AnyPath | None = None,
        progress: bool = False,
    ) -> Floats:
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
            if len(blocks) == 1:
                return blocks[0]
            return norm_of(np.stack(blocks), self._part_order)

        sizes = [
            (_mean_size(part), _mean_size((right or left)[name]))
            for name, part in left.items()
        ]
        comparison = Comparison(
            lambda parts: {name: self._prepare(part) for name, part in parts.items()},
            kernel if what == "kernel" else distance,
            sum(self._nanoseconds_a_pair(n, m) for n, m in sizes),
            len(sizes) * self._bytes_a_diagram()
            + self._bytes_a_point() * sum(max(size) for size in sizes),
            self._lanes,
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
        params = self.get_params(deep=False)
        del params["n_jobs"]
        learnt = {}
        if what == "kernel" or self._distances_need_fit():
            # The training diagrams are on the right, if anywhere.
            names = set(self.learnt_types()) - {"X_fit_"}
            learnt = {name: getattr(self, name) for name in names}
        arrays = [
            {name: (part.points, part.offsets) for name, part in parts.items()}
            for parts in (left, right or {})
        ]
        # Another version may differ in the last bit.
        cls = type(self)
        title = (version("pbow"), cls.__module__, cls.__qualname__, what, params)
        content = (title, right is None, learnt, arrays)
        key: str = joblib.hash(content, "sha1", coerce_mmap=True)
        return key


def median_distance(
    kernel: PairwiseKernel, part: Diagrams, *, n_diagrams: int
) -> float:
    """Return the median positive distance of at most `n_diagrams` training diagrams.

    They are evenly spaced, so that no chance is in it. Infinite distances are left out;
    where no other is positive, it is 1.
    """
    n = min(n_diagrams, len(part))
    rows = np.linspace(0, len(part) - 1, n).round().astype(np.int64)
    distances = kernel._fill("distance", {"": part[rows]}, None)
    positive = distances[np.triu_indices(n, 1)]
    positive = positive[(positive > 0.0) & np.isfinite(positive)]
    return float(np.median(positive)) if positive.size else 1.0


def _latest_times(X: Diagrams) -> dict[str, float]:
    """Return the latest finite time of each part: a death, or a birth."""
    times = {}
    for name in X.parts:
        points = X[name].points
        finite = points[np.isfinite(points)]
        times[name] = float(finite.max()) if finite.size else 0.0
    return times


def _mean_size(part: Diagrams) -> float:
    return len(part.points) / max(len(part), 1)


def _sum(blocks: Iterable[Floats]) -> Floats:
    total: Floats | None = None
    for block in blocks:
        total = block if total is None else total + block
    assert total is not None  # every collection has a part
    return total
