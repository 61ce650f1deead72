"""The persistence scale-space kernel and its distance."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pbow._utils.constraints import Constraint, Number
from pbow._utils.threads import for_each_block
from pbow.compute.distinct import distinct_points
from pbow.compute.scale_space import (
    FEW_NODES,
    NODES_A_POINT,
    REACH,
    Frame,
    Heat,
    empty_heat,
    frames_of,
    heat_between,
    heat_of_each,
    spread,
)
from pbow.diagrams import Diagrams
from pbow.kernels._tiles import Blocks
from pbow.kernels.base import PairwiseKernel

__all__ = ["MultiScaleKernel"]

Floats = NDArray[np.float64]

# Nanoseconds: ten times as many where diagrams are compared by points, far less and
# independent of the number of points where they are compared by nodes.
PAIR_OF_POINTS = 0.3
SPREAD_A_POINT = 400.0

# The square of a bandwidth, and numbers divided by it, must stay finite.
SMALLEST, LARGEST = 1e-100, 1e100


class MultiScaleKernel(PairwiseKernel):
    r"""Persistence scale-space kernel (MK): how much heat of two diagrams overlaps.

    Heat spreads from every point q, and cold from its mirror image :math:`\bar q`, so
    that the diagonal stays at 0. The kernel is the integral of the product of two
    diagrams' temperatures, when Gaussians have the standard deviation s, the bandwidth:

    .. math:: k(F, G) = \frac{1}{4 \pi s^2} \sum_{p \in F, q \in G}
              e^{-|p - q|^2 / 4 s^2} - e^{-|p - \bar q|^2 / 4 s^2} .

    It is positive semidefinite, and adds up points, as a linear classifier wants. Its
    known limit: many points near the diagonal weigh as much as one far away, and a
    narrow bandwidth takes two points apart that are one but for noise.

    Parameters
    ----------
    bandwidth : float or None, default=None
        The standard deviation s of the Gaussians, in units of births and deaths. With
        None, half the root of the mean squared persistence of the training points of
        the part: points next to the diagonal, however many, do not change it much.
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
        The s of each part.

    See Also
    --------
    SlicedWassersteinKernel : Differences of sorted projections.
    LandscapeKernel : Inner product of landscapes.

    Notes
    -----
    Kernels of several parts are added, so the squares of their distances are, too.
    :meth:`distances` gives :math:`\sqrt{k(F,F) + k(G,G) - 2 k(F,G)}`, the L2 distance
    of the temperatures; where it is below 1e-7 of :math:`\sqrt{k(F,F)}`, it is
    rounding. It needs no fit where a bandwidth is given, but for ``"separate"``.

    The authors of the kernel call the time of the heat equation sigma, which is
    :math:`s^2 / 2`: take ``bandwidth=(2 * sigma) ** 0.5``. GUDHI's bandwidth is
    :math:`s \sqrt 2`, and its kernel is ours times :math:`s \sqrt{4 \pi}`.

    Diagrams are compared at the nodes of a lattice, on which the integral is a sum to
    rounding; where those would take too much memory, point by point.

    References
    ----------
    Reininghaus, Huber, Bauer, Kwitt. A Stable Multi-Scale Kernel for Topological
    Machine Learning. CVPR 2015. Section 3: the kernel and its closed form.

    Zieliński, Lipiński, Juda, Zeppelzauer, Dłotko. Persistence Bag-of-Words for
    Topological Data Analysis. IJCAI 2019. Section 4: MK.

    Examples
    --------
    >>> from pbow.kernels import MultiScaleKernel
    >>> X = [[[0.0, 1.0], [0.0, 0.9]], [[0.0, 1.1], [0.2, 0.3]], []]
    >>> kernel = MultiScaleKernel(bandwidth=0.5).fit(X)
    >>> kernel.transform(X).round(3)
    array([[1.057, 0.613, 0.   ],
           [0.613, 0.36 , 0.   ],
           [0.   , 0.   , 0.   ]])
    >>> kernel.distances(X[:2], X[2:]).round(3)
    array([[1.028],
           [0.6  ]])
    """

    short_name: ClassVar[str] = "multiscale"
    _lanes: ClassVar[int] = 8
    # Of numbers whose squares are some, too.
    _bandwidths: ClassVar[tuple[float, float]] = (1e-150, 1e150)
    constraints: ClassVar[Mapping[str, Constraint]] = {
        "bandwidth": Number(minimum=SMALLEST, maximum=LARGEST, optional=True),
        **PairwiseKernel.constraints,
    }

    bandwidths_: dict[str, float]

    def __init__(
        self,
        bandwidth: float | None = None,
        *,
        output: str = "kernel",
        essential: str | float = "drop",
        n_jobs: int | None = None,
    ) -> None:
        self.bandwidth = bandwidth
        self.output = output
        self.essential = essential
        self.n_jobs = n_jobs

    def _learn_parts(self, parts: dict[str, Diagrams]) -> dict[str, Any]:
        if self.bandwidth is not None:
            return {"bandwidths_": dict.fromkeys(parts, float(self.bandwidth))}
        return {"bandwidths_": {name: _half_of_rms(p) for name, p in parts.items()}}

    def _prepare(self, part: Diagrams) -> _Prepared:
        diagrams = distinct_points(part.points, part.offsets)
        heat = empty_heat(diagrams, self._bandwidth_of(part))
        for_each_block(
            lambda first, last: spread(
                *diagrams, heat, np.empty(2 * REACH + 1), first, last
            ),
            diagrams.offsets,
            nanoseconds_per_point=SPREAD_A_POINT,
            n_jobs=self.n_jobs,
        )
        frames = Blocks(lambda where: frames_of(heat, where.start, where.stop))
        squares = Blocks(lambda where: heat_of_each(heat, where, frames[where]))
        return _Prepared(heat, frames, squares)

    def _distance_tile(
        self, left: _Prepared, right: _Prepared, rows: slice, columns: slice
    ) -> Floats:
        out = _overlaps(left, right, rows, columns)
        out *= -2.0
        out += np.add.outer(left.squares[rows], right.squares[columns])
        distances: Floats = np.sqrt(np.maximum(out, 0.0))
        return distances / left.heat.bandwidth / math.sqrt(4.0 * math.pi)

    def _kernel_tile(
        self,
        name: str,
        left: _Prepared,
        right: _Prepared,
        rows: slice,
        columns: slice,
    ) -> Floats:
        out = _overlaps(left, right, rows, columns)
        out /= 4.0 * math.pi * left.heat.bandwidth**2
        return out

    def _bandwidth_of(self, part: Diagrams) -> float:
        if self.bandwidth is not None:
            return float(self.bandwidth)
        (name,) = part.parts
        # A part without training points learns nothing, and adds nothing.
        return self.bandwidths_.get(name, LARGEST)

    def _distances_need_fit(self) -> bool:
        return self.bandwidth is None or super()._distances_need_fit()

    def _nanoseconds_a_pair(self, n: float, m: float) -> float:
        return 100.0 + PAIR_OF_POINTS * n * m

    def _bytes_a_point(self) -> float:
        return 32.0 + 8.0 * NODES_A_POINT

    def _bytes_a_diagram(self) -> float:
        # Nodes, and the frame that has them again.
        return 16.0 * FEW_NODES


class _Prepared(NamedTuple):
    """The heat of diagrams; of blocks of them, frames and squared norms."""

    heat: Heat
    frames: Blocks[list[Frame]]
    squares: Blocks[Floats]


def _overlaps(left: _Prepared, right: _Prepared, rows: slice, columns: slice) -> Floats:
    return heat_between(left.heat, rows, right.heat, columns, right.frames[columns])


def _half_of_rms(part: Diagrams) -> float:
    """Return half the root of the mean squared persistence, which may not be 0."""
    persistences = part.points[:, 1] - part.points[:, 0]
    largest = float(persistences.max())
    if largest == 0.0:
        return 1.0
    # In units of the largest, as the squares of tiny numbers are 0.
    mean_square = float(np.mean((persistences / largest) ** 2))
    return max(0.5 * largest * math.sqrt(mean_square), SMALLEST)
