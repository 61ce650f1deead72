"""The Wasserstein and bottleneck distances, and a Gaussian of them."""

from __future__ import annotations

import math
from collections.abc import Mapping
from numbers import Real
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from pbow._utils.checks import is_finite_number
from pbow._utils.constraints import Constraint, Number
from pbow.compute.wasserstein import Prepared, distances_between, prepare
from pbow.diagrams import Diagrams
from pbow.essential import ESSENTIAL
from pbow.kernels.base import PairwiseKernel, median_distance

__all__ = ["WassersteinKernel"]

Floats = NDArray[np.float64]

# Enough for a median; more would make a default cost more than the kernel.
LOOKED_AT = 60


class WassersteinKernel(PairwiseKernel):
    r"""Gaussian of the Wasserstein distance: exp(-W² / (2 bandwidth²)).

    W of order q is the least, over all ways to pair points of two diagrams and to leave
    the others to the diagonal, of :math:`(\sum c^q)^{1/q}`. A pair costs c, by default
    the larger of the differences in birth and in death; a point of persistence p that
    is left, p / 2. Order ``inf`` takes the largest c, the bottleneck distance.
    Distances are exact: each comes from a matching that is proven to be the best one.

    The matrix is NOT positive semidefinite in general: plane sets of points with
    Wasserstein distances do not embed in a Hilbert space. ``SVC(kernel="precomputed")``
    takes it nevertheless, and mostly does well, without a guarantee. A small bandwidth
    helps; :class:`SlicedWassersteinKernel` is positive semidefinite. The worst case of
    time is cubic in the points of a diagram, and far from the usual one; that of memory
    is about 16 bytes per pair of points, for each thread.

    Parameters
    ----------
    order : float, default=2
        The q of W, 1 or more; ``inf`` for the bottleneck distance.
    ground_metric : {1, 2, inf}, default=inf
        The norm of the differences in birth and in death that a pair costs: their sum,
        the Euclidean distance, or the larger one. A point that is left costs its
        distance to the diagonal: p, p / √2, or p / 2. GUDHI calls it ``internal_p``.
    bandwidth : float or None, default=None
        The standard deviation of the Gaussian, in units of births and deaths. None is
        the median of the positive distances between at most 60 training diagrams,
        evenly spaced in their order, part by part.
    output : {"kernel", "distance"}, default="kernel"
        What :meth:`transform` gives, for an SVM or for nearest neighbors, say.
    essential : {"drop", "separate", "match"} or float, default="drop"
        What to do with essential points: leave them out; compare them by themselves, in
        a part ``<part>_inf`` in which their death is the latest time seen in fit; match
        them among themselves by their births, so that diagrams with different numbers
        of them are infinitely far from each other; or take this number as their death.
    n_jobs : int or None, default=None
        Number of threads: None is one, -1 as many as there are processors. The result
        does not depend on it.

    Attributes
    ----------
    X_fit_ : Diagrams
        The training diagrams.
    parts_ : tuple of str
        The parts seen in fit.
    compared_ : tuple of str
        Those of them, and of their ``<part>_inf``, that had a training point.
    deaths_ : dict of str to float
        With ``essential="separate"``, the death of essential points, by part.
    bandwidths_ : dict of str to float
        The standard deviation of each part.

    See Also
    --------
    SlicedWassersteinKernel : Faster, and positive semidefinite.

    Notes
    -----
    Kernels of several parts are added. Distances of several parts are joined by the
    norm of the same order, which makes W of their union, if parts are never paired with
    each other; so are those of finite and of essential points that are matched.
    :meth:`distances` needs no fit, unless ``essential="separate"``. The kernel of
    diagrams that are infinitely far from each other is 0.

    The authors of persistence bag-of-words compare with 2Wd, which is ``D.max() - D``
    of the distances D of order 2 as a similarity, and not a Gaussian. They used Hera,
    to a relative error of 0.01; so do GUDHI and others, with the same definition where
    the ground metric ("internal_p") is ``inf``.

    The matching of order q < ``inf`` is found by bids and shortest augmenting paths
    among the pairs that cost less than leaving both [1]_, or among all pairs where more
    than a quarter do; the one of order ``inf`` by shortest paths alone. Points that all
    have the same birth, like those of H0 of a Rips filtration, are matched in their
    order, without a search. Where points are repeated, like those of diagrams of
    graphs, distinct ones are transported with their multiplicities.

    References
    ----------
    .. [1] Jonker, Volgenant. A shortest augmenting path algorithm for dense and sparse
       linear assignment problems. Computing, 1987. Section 4.
    .. [2] Kerber, Morozov, Nigmetov. Geometry helps to compare persistence diagrams.
       Journal of Experimental Algorithmics, 2017. Section 2: the definitions.
    .. [3] Zieliński, Lipiński, Juda, Zeppelzauer, Dłotko. Persistence Bag-of-Words for
       Topological Data Analysis. IJCAI 2019. Section 4: 2Wd.

    Examples
    --------
    The second point of the first diagram is left to the diagonal, for 0.1:

    >>> from pbow.kernels import WassersteinKernel
    >>> X = [[[0.0, 1.0], [0.5, 0.7]], [[0.0, 1.3]]]
    >>> WassersteinKernel(order=1).distances(X).round(2)
    array([[0. , 0.4],
           [0.4, 0. ]])
    >>> WassersteinKernel(order=float("inf")).distances(X).round(2)
    array([[0. , 0.3],
           [0.3, 0. ]])
    >>> WassersteinKernel(bandwidth=0.5).fit_transform(X).round(2)
    array([[1.  , 0.82],
           [0.82, 1.  ]])
    """

    short_name: ClassVar[str] = "wasserstein"
    constraints: ClassVar[Mapping[str, Constraint]] = {
        "order": Constraint(
            lambda value: (
                value == math.inf
                if isinstance(value, (float, np.floating)) and math.isinf(value)
                else is_finite_number(value) and value >= 1
            ),
            "a number >= 1, or inf for the bottleneck distance",
        ),
        "ground_metric": Constraint(
            lambda value: (
                isinstance(value, Real)
                and not isinstance(value, bool)
                and value in (1, 2, math.inf)
            ),
            "1, 2 or inf",
        ),
        "bandwidth": Number(above=0.0, optional=True),
        **PairwiseKernel.constraints,
        "essential": Constraint(
            lambda value: (
                (isinstance(value, str) and value == "match")
                or ESSENTIAL.accepts(value)
            ),
            "'drop', 'separate', 'match' or a finite number",
        ),
    }

    bandwidths_: dict[str, float]

    def __init__(
        self,
        order: float = 2,
        *,
        ground_metric: float = math.inf,
        bandwidth: float | None = None,
        output: str = "kernel",
        essential: str | float = "drop",
        n_jobs: int | None = None,
    ) -> None:
        self.order = order
        self.ground_metric = ground_metric
        self.bandwidth = bandwidth
        self.output = output
        self.essential = essential
        self.n_jobs = n_jobs

    @property
    def _part_order(self) -> float:  # type: ignore[override]
        return float(self.order)

    def _split(
        self, X: Diagrams, deaths: Mapping[str, float] | None
    ) -> dict[str, Diagrams]:
        if self.essential == "match":
            return {name: X[name] for name in X.parts}
        return super()._split(X, deaths)

    def _learn_parts(self, parts: dict[str, Diagrams]) -> dict[str, Any]:
        if self.bandwidth is not None:
            return {"bandwidths_": dict.fromkeys(parts, float(self.bandwidth))}
        return {
            "bandwidths_": {
                name: median_distance(self, part, n_diagrams=LOOKED_AT)
                for name, part in parts.items()
            }
        }

    def _prepare(self, part: Diagrams) -> Prepared:
        return prepare(part.points, part.offsets)

    def _distance_tile(
        self, left: Prepared, right: Prepared, rows: slice, columns: slice
    ) -> Floats:
        return distances_between(
            left.some(rows),
            right.some(columns),
            float(self.order),
            float(self.ground_metric),
            mirrored=left is right and rows == columns,
        )

    def _kernel_tile(
        self, name: str, left: Prepared, right: Prepared, rows: slice, columns: slice
    ) -> Floats:
        # Divided before it is squared: neither square need be a number.
        with np.errstate(over="ignore"):
            ratios = self._distance_tile(left, right, rows, columns)
            ratios /= self.bandwidths_[name]
            kernel: Floats = np.exp(-0.5 * ratios * ratios)
        return kernel

    def _nanoseconds_a_pair(self, n: float, m: float) -> float:
        # The last terms are for long bars that compete, and far too large for others.
        if math.isinf(self.order):
            return 1000.0 + 20.0 * (n + m) + 10.0 * n * m
        return 1000.0 + 200.0 * (n + m) + 30.0 * n * m

    def _bytes_a_point(self) -> float:
        return 24.0
