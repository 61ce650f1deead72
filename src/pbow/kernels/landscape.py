"""The inner product and the distance of persistence landscapes, exact."""

from __future__ import annotations

import math
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from pbow.compute.landscape import compare_levels
from pbow.diagrams import Diagrams
from pbow.kernels.base import PairwiseKernel

__all__ = ["LandscapeKernel"]

Floats = NDArray[np.float64]

# Cubes of smaller numbers may be too small. Diagrams of nothing else are scaled by
# this even power of 2, which changes no digit.
SMALL = 2.0**-256
FACTOR = 2.0**400


class LandscapeKernel(PairwiseKernel):
    r"""Inner products of persistence landscapes: all levels, exact, no grid.

    The tent of a point (b, d) is max(0, min(t - b, d - t)), and level k of a diagram,
    :math:`\lambda_k(t)`, is its k-th largest tent at t. The kernel of two diagrams is
    :math:`\sum_k \int \lambda_k \mu_k\,dt`, which is positive semidefinite; their
    distance is :math:`\bigl(\sum_k \int (\lambda_k - \mu_k)^2\,dt\bigr)^{1/2}`. Both
    are integrals of piecewise linear functions, and exact up to rounding. Tents weigh
    with the cube of persistence: a few long bars outweigh any number of short ones.

    Levels are peeled off each diagram once for a block of pairs, then merged pair by
    pair. That takes time, for a moment also memory, in proportion to the number of
    points and of pairs of them that overlap: up to n² / 2 where n points are alive at
    the same time.

    Parameters
    ----------
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

    See Also
    --------
    pbow.vectorizers.PersistenceLandscape : The first levels on a grid, as a vector.

    Notes
    -----
    Kernels of several parts are added; distances are the root of the sum of squares, so
    that :math:`d(B, B')^2 = k(B, B) + k(B', B') - 2 k(B, B')` holds in any case.
    Distances are computed from the differences of the levels, not by that formula,
    which loses all digits of diagrams that are nearly the same. They are what the
    authors of persistence bag-of-words compare with as "PL".

    References
    ----------
    Bubenik. Statistical Topological Data Analysis using Persistence Landscapes. JMLR
    16, 2015. Section 2.

    Bubenik, Dłotko. A persistence landscapes toolbox for topological statistics.
    Journal of Symbolic Computation 78, 2017. The algorithm for exact landscapes.

    Examples
    --------
    A tent of height 1 and its half:

    >>> from pbow.kernels import LandscapeKernel
    >>> X = [[[0.0, 2.0]], [[0.5, 1.5]], []]
    >>> LandscapeKernel().fit(X).transform(X).round(3)
    array([[0.667, 0.208, 0.   ],
           [0.208, 0.083, 0.   ],
           [0.   , 0.   , 0.   ]])
    >>> LandscapeKernel().distances(X).round(3)
    array([[0.   , 0.577, 0.816],
           [0.577, 0.   , 0.289],
           [0.816, 0.289, 0.   ]])
    """

    short_name: ClassVar[str] = "landscape-kernel"

    def __init__(
        self,
        *,
        output: str = "kernel",
        essential: str | float = "drop",
        n_jobs: int | None = None,
    ) -> None:
        self.output = output
        self.essential = essential
        self.n_jobs = n_jobs

    def _prepare(self, part: Diagrams) -> Diagrams:
        """Sort the points of each diagram by birth, then falling death."""
        births, deaths = part.points.T
        diagram = np.repeat(np.arange(len(part)), part.sizes)
        # Of points born together, as all of a cloud's H0 are, each is inside the last,
        # and a level is done after the first.
        order = np.lexsort((-deaths, births, diagram))
        order = order[births[order] < deaths[order]]
        sizes = np.bincount(diagram[order], minlength=len(part))
        return Diagrams(part.points[order], np.concatenate(([0], np.cumsum(sizes))))

    def _distance_tile(
        self, left: Diagrams, right: Diagrams, rows: slice, columns: slice
    ) -> Floats:
        out = _tile(left, right, rows, columns, product=False)
        small, also_small = _small(left, rows), _small(right, columns)
        if small.size and also_small.size:
            one = _scaled(left[small])
            other = (
                one if left is right and rows == columns else _scaled(right[also_small])
            )
            every = (slice(0, small.size), slice(0, also_small.size))
            block = _tile(one, other, *every, product=False)
            out[np.ix_(small - rows.start, also_small - columns.start)] = (
                block / FACTOR / math.sqrt(FACTOR)
            )
        return out

    def _kernel_tile(
        self, name: str, left: Diagrams, right: Diagrams, rows: slice, columns: slice
    ) -> Floats:
        return _tile(left, right, rows, columns, product=True)

    def _nanoseconds_a_pair(self, n: float, m: float) -> float:
        # Points that are alive at the same time cost up to 40 for each pair of them. A
        # tile that is small for their sake would peel every diagram too often.
        return 100.0 + 60.0 * (n + m) + 0.1 * n * m


def _small(X: Diagrams, where: slice) -> NDArray[np.int64]:
    """Return which of some diagrams have no coordinate that is not small."""
    offsets = X.offsets[where.start : where.stop + 1]
    large = (np.abs(X.points[offsets[0] : offsets[-1]]) >= SMALL).any(axis=1)
    n_large = np.concatenate(([0], np.cumsum(large)))[offsets - offsets[0]]
    small: NDArray[np.int64] = where.start + np.flatnonzero(np.diff(n_large) == 0)
    return small


def _scaled(X: Diagrams) -> Diagrams:
    return Diagrams(X.points * FACTOR, X.offsets)


def _tile(
    left: Diagrams, right: Diagrams, rows: slice, columns: slice, *, product: bool
) -> Floats:
    out = np.zeros((rows.stop - rows.start, columns.stop - columns.start))
    compare_levels(
        left.points,
        left.offsets[rows.start : rows.stop + 1],
        right.points,
        right.offsets[columns.start : columns.stop + 1],
        product,
        left is right and rows == columns,
        out,
    )
    return out
