"""The sliced Wasserstein distance and kernel."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from pbow._utils.constraints import Constraint, Integer, Number
from pbow.compute.distinct import distinct_points
from pbow.compute.sliced import Jumps, jumps_of, sum_over_lines
from pbow.diagrams import Diagrams
from pbow.kernels._tiles import Blocks
from pbow.kernels.base import PairwiseKernel, median_distance

__all__ = ["SlicedWassersteinKernel"]

Floats = NDArray[np.float64]

# Nanoseconds, by line.
POINT_OF_A_PAIR = 0.5

LEAST_BANDWIDTH = 1e-149
# Enough for a median; more would make a default cost more than the kernel.
LOOKED_AT = 100


class SlicedWassersteinKernel(PairwiseKernel):
    r"""Sliced Wasserstein kernel (SWK): exp(-SW / (2 bandwidth²)).

    Points are projected onto `n_directions` lines. On each, the points of F with the
    feet of G (the nearest points of the diagonal) are compared with those of G with the
    feet of F, by the differences of sorted numbers; SW is the mean over lines, at the
    angles :math:`-\pi/2 + i \pi / n`, of the sums of differences.

    The matrix is positive semidefinite, because SW is conditionally negative definite,
    also for few lines. Few lines make it blind: points on a common normal of a line
    look the same on it. The cost of a pair is linear in the distinct points and the
    lines.

    Parameters
    ----------
    n_directions : int, default=50
        Number of lines, M in the paper.
    bandwidth : float or None, default=None
        The sigma of the kernel, in units of the square root of births and deaths: SW,
        not its square, is divided by 2 sigma². With None, 2 sigma² is the median of the
        positive distances between at most 100 training diagrams of the part,
        evenly spaced in their order.
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
        The sigma of each part.

    See Also
    --------
    MultiScaleKernel : Overlap of heat that spreads from the points.
    WassersteinKernel : The distance of the best matching in the plane.

    Notes
    -----
    Kernels of several parts are added, and so are their distances. :meth:`distances`
    needs no fit, unless ``essential="separate"``, and gives SW itself, which is what
    the authors of persistence bag-of-words used.

    The paper on sliced Wasserstein kernels integrates over the half circle and divides
    by π (1 / 2π for the whole circle): a mean, as here. GUDHI's class of the same
    purpose, given M, leaves out the last of the M lines; its bandwidth is our 2 sigma².
    Points on the diagonal add nothing, exactly. Projections are rounded to 1e-16 of the
    coordinates: where these are a million times as large as persistences, subtract a
    common number from all births and deaths first, which changes no distance.

    References
    ----------
    Carrière, Cuturi, Oudot. Sliced Wasserstein Kernel for Persistence Diagrams. ICML
    2017. Section 3.1.

    Zieliński, Lipiński, Juda, Zeppelzauer, Dłotko. Persistence Bag-of-Words for
    Topological Data Analysis. IJCAI 2019. Section 4: SWK.

    Examples
    --------
    >>> from pbow.kernels import SlicedWassersteinKernel
    >>> X = [[[0.0, 1.0], [0.0, 0.9]], [[0.0, 1.1], [0.2, 0.3]], []]
    >>> kernel = SlicedWassersteinKernel(bandwidth=0.5).fit(X)
    >>> kernel.transform(X).round(3)
    array([[1.   , 0.362, 0.181],
           [0.362, 1.   , 0.339],
           [0.181, 0.339, 1.   ]])
    >>> kernel.distances(X[:2], X[2:]).round(3)
    array([[0.855],
           [0.54 ]])
    """

    short_name: ClassVar[str] = "swk"
    _lanes: ClassVar[int] = 8
    constraints: ClassVar[Mapping[str, Constraint]] = {
        "n_directions": Integer(1),
        "bandwidth": Number(above=0.0, optional=True),
        **PairwiseKernel.constraints,
    }
    size_parameter: ClassVar[str] = "n_directions"
    _part_order: ClassVar[float] = 1.0

    bandwidths_: dict[str, float]

    def __init__(
        self,
        n_directions: int = 50,
        *,
        bandwidth: float | None = None,
        output: str = "kernel",
        essential: str | float = "drop",
        n_jobs: int | None = None,
    ) -> None:
        self.n_directions = n_directions
        self.bandwidth = bandwidth
        self.output = output
        self.essential = essential
        self.n_jobs = n_jobs

    def _learn_parts(self, parts: dict[str, Diagrams]) -> dict[str, Any]:
        if self.bandwidth is not None:
            return {"bandwidths_": dict.fromkeys(parts, float(self.bandwidth))}
        medians = {
            name: median_distance(self, part, n_diagrams=LOOKED_AT)
            for name, part in parts.items()
        }
        # Half of the smallest number is 0, by which nothing can be divided.
        return {
            "bandwidths_": {
                name: max(math.sqrt(m / 2.0), LEAST_BANDWIDTH)
                for name, m in medians.items()
            }
        }

    def _prepare(self, part: Diagrams) -> Blocks[Jumps]:
        n = int(self.n_directions)
        angles = -0.5 * np.pi + np.arange(n) * (np.pi / n)
        lines = np.column_stack((np.cos(angles), np.sin(angles)))
        diagrams = distinct_points(part.points, part.offsets)
        return Blocks(lambda where: jumps_of(diagrams, lines, where.start, where.stop))

    def _distance_tile(
        self, left: Blocks[Jumps], right: Blocks[Jumps], rows: slice, columns: slice
    ) -> Floats:
        out = sum_over_lines(left[rows], right[columns])
        out /= self.n_directions
        return out

    def _kernel_tile(
        self,
        name: str,
        left: Blocks[Jumps],
        right: Blocks[Jumps],
        rows: slice,
        columns: slice,
    ) -> Floats:
        distances = self._distance_tile(left, right, rows, columns)
        # Divided twice: the square of a small bandwidth would be 0.
        with np.errstate(over="ignore"):
            distances /= self.bandwidths_[name]
            distances /= 2.0 * self.bandwidths_[name]
        kernel: Floats = np.exp(-distances)
        return kernel

    def _nanoseconds_a_pair(self, n: float, m: float) -> float:
        return 100.0 + POINT_OF_A_PAIR * self.n_directions * (n + m)

    def _bytes_a_point(self) -> float:
        return 32.0 * self.n_directions

    def _n_numbers(self) -> int:
        return int(self.n_directions)
