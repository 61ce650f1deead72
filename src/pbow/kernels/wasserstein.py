"""The Wasserstein and bottleneck distances, and a Gaussian of them."""

from __future__ import annotations

import math
from collections.abc import Mapping
from numbers import Real
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pbow._utils.checks import is_finite_number
from pbow._utils.constraints import Constraint, Number
from pbow.compute.matching import wasserstein_tile
from pbow.compute.transport import is_worth_while, transport_tile
from pbow.diagrams import Diagrams
from pbow.kernels.base import PairwiseKernel, median_distance

__all__ = ["WassersteinKernel"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

# Enough for a median; more would make a default cost more than the kernel.
LOOKED_AT = 60


class _Sorted(NamedTuple):
    """Diagrams as :mod:`pbow.compute.matching` and `transport` have them."""

    points: Floats
    middles: Floats
    offsets: Ints
    distinct: Floats
    counts: Ints
    distinct_offsets: Ints

    def rows(self, rows: slice) -> _Sorted:
        """Return some diagrams of these, by offsets of their own."""
        some = slice(rows.start, rows.stop + 1)
        return self._replace(
            offsets=self.offsets[some], distinct_offsets=self.distinct_offsets[some]
        )


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
    is about 16 bytes a pair of points, for each thread.

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
    essential : {"drop", "separate"} or float, default="drop"
        What to do with essential points: leave them out; compare them by themselves, in
        a part ``<part>_inf`` in which their death is the latest time seen in fit; or
        take this number as their death.
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
    each other. :meth:`distances` needs no fit, unless ``essential="separate"``.

    The authors of persistence bag-of-words compare with 2Wd, which is ``D.max() - D``
    of the distances D of order 2 as a similarity, and not a Gaussian. They used Hera,
    to a relative error of 0.01; so do GUDHI and others, with the same definition where
    the ground metric ("internal_p") is ``inf``.

    The matching of order q < ``inf`` is found by bids and shortest augmenting paths
    among the pairs that cost less than leaving both [1]_, or among all pairs where more
    than a quarter do; the one of order ``inf`` by shortest paths alone. Points that all
    have the same birth, like those of H0 of a Rips filtration, are matched in their
    order, without a search. Where diagrams repeat points, like those of graphs, distinct
    points with their multiplicities are transported instead.

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
            lambda value: isinstance(value, Real) and value in (1, 2, math.inf),
            "1, 2 or inf",
        ),
        "bandwidth": Number(above=0.0, optional=True),
        **PairwiseKernel.constraints,
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

    def _learn_parts(self, parts: dict[str, Diagrams]) -> dict[str, Any]:
        if self.bandwidth is not None:
            return {"bandwidths_": dict.fromkeys(parts, float(self.bandwidth))}
        return {
            "bandwidths_": {
                name: median_distance(self, part, n_diagrams=LOOKED_AT)
                for name, part in parts.items()
            }
        }

    def _prepare(self, part: Diagrams) -> _Sorted:
        births, deaths = part.points.T
        diagrams = np.repeat(np.arange(len(part)), part.sizes)
        # Also what is so near to the diagonal that half its persistence is 0.
        kept = 0.5 * (deaths - births) > 0.0
        births, deaths, diagrams = births[kept], deaths[kept], diagrams[kept]
        middles = 0.5 * births + 0.5 * deaths
        # By death as well: middles of neighbors may be rounded to the same.
        order = np.lexsort((deaths, births, middles, diagrams))
        points, diagrams = np.column_stack((births, deaths))[order], diagrams[order]
        offsets = np.searchsorted(diagrams, np.arange(len(part) + 1))
        is_first = np.ones(len(points), np.bool_)
        is_first[1:] = (points[1:] != points[:-1]).any(axis=1)
        is_first[offsets[:-1][np.diff(offsets) > 0]] = True
        first = np.flatnonzero(is_first)
        return _Sorted(
            points.ravel(),
            middles[order],
            offsets,
            points[first].ravel(),
            np.diff(first, append=len(points)),
            np.searchsorted(first, offsets),
        )

    def _distance_tile(
        self, left: _Sorted, right: _Sorted, rows: slice, columns: slice
    ) -> Floats:
        mirrored = left is right and rows == columns
        left, right = left.rows(rows), right.rows(columns)
        repeated = is_worth_while(
            np.diff(left.offsets)[:, np.newaxis],
            np.diff(right.offsets),
            np.diff(left.distinct_offsets)[:, np.newaxis],
            np.diff(right.distinct_offsets),
        )
        out = np.zeros(repeated.shape)
        wanted = np.tri(*out.shape, k=-1 if mirrored else out.shape[1], dtype=np.bool_)
        parameters = (float(self.order), float(self.ground_metric))
        # Apart, so that what is not needed is not compiled.
        if (wanted & repeated).any():
            transport_tile(
                *(left.distinct, left.counts, left.distinct_offsets),
                *(right.distinct, right.counts, right.distinct_offsets),
                *(*parameters, wanted & repeated, out),
            )
        if (wanted & ~repeated).any():
            wasserstein_tile(
                *(left.points, left.middles, left.offsets),
                *(right.points, right.middles, right.offsets),
                *(*parameters, wanted & ~repeated, out),
            )
        return out + out.T if mirrored else out

    def _kernel_tile(
        self, name: str, left: _Sorted, right: _Sorted, rows: slice, columns: slice
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
