"""Heat maps of diagrams on a sphere, and principal directions of its tangent space."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from pbow._utils.checks import is_finite_number, is_integer
from pbow._utils.constraints import Constraint, Integer, Number, Quantiles
from pbow._utils.records import ArrayRecord, check_range
from pbow._utils.threads import for_each_block
from pbow.compute.heat import log_map, pack, project, root_densities
from pbow.diagrams import LARGEST_COORDINATE, Diagrams
from pbow.vectorizers.base import Vectorizer

__all__ = ["RiemannianHeatMap", "TangentSpace"]

Floats = NDArray[np.float64]

# The default bandwidth, in widths of the grid.
SHARE_OF_WIDTH = 0.1
# A grid narrower than this, or than rounding of its coordinates, has no width.
SMALLEST_WIDTH, SMALLEST_SHARE = 1e-100, 1e-12
# Directions in which training diagrams differ by less, in radians, are rounding.
SMALLEST_DEVIATION = 1e-12
# A Gaussian exp(-(x / bandwidth)**2 / 2) is 0.5**(x * RATE / bandwidth)**2.
RATE = math.sqrt(0.5 * math.log2(math.e))

# Diagrams whose heat maps are held at a time: in training, and by each thread.
TRAINING_ROWS = 2048
ROWS = 64
# Measured costs in nanoseconds, for each place of the grid.
HEAT_A_POINT = 0.25
PROJECTION_A_COMPONENT = 0.12


@dataclass(frozen=True, slots=True, eq=False)
class TangentSpace(ArrayRecord):
    """A grid, a point of the sphere over it, and directions in its tangent space.

    The grid has as many places on each axis, and deaths run fastest. There are
    ``n_dims`` axes: 2, or 1 (births only) for essential classes.

    Attributes
    ----------
    limits : ndarray of shape (n_dims, 2)
        Where the grid starts and ends, in births and in deaths.
    bandwidth : ndarray of shape (n_dims,)
        Standard deviations of the Gaussians.
    mean : ndarray of shape (n_places,)
        Mean of the square roots of training densities; of norm 1.
    origin : ndarray of shape (n_places,)
        Mean of the training diagrams' tangent vectors; 0 if `mean` were the intrinsic
        mean.
    components : ndarray of shape (n_components, n_places)
        Principal directions, orthonormal, by decreasing variance; the largest entry of
        each is positive. Zeros beyond the rank of the training data.
    """

    limits: Floats
    bandwidth: Floats
    mean: Floats
    origin: Floats
    components: Floats

    def __post_init__(self) -> None:
        limits = self._keep("limits", (None, 2))
        if len(limits) not in {1, 2}:
            msg = f"Expected limits of shape (1 or 2, 2); got {limits.shape}."
            raise ValueError(msg)
        check_range("limits", limits, -LARGEST_COORDINATE, LARGEST_COORDINATE)
        n_dims, width = len(limits), limits[:, 1] - limits[:, 0]
        if not (width >= 0.0).all():
            msg = f"Expected limits that ascend; got {limits.tolist()}."
            raise ValueError(msg)
        bandwidth = self._keep("bandwidth", (n_dims,))
        least = SMALLEST_WIDTH * np.maximum(width, 1.0)
        if not (bandwidth >= least).all():
            msg = (
                f"Expected bandwidth to be at least {least.tolist()}; "
                f"got {bandwidth.tolist()}."
            )
            raise ValueError(msg)
        # Points of the unit sphere, angles, and directions.
        mean = self._keep("mean", (None,))
        if self.resolution**n_dims != mean.size or not mean.size:
            msg = (
                f"Expected a mean over a grid of {n_dims} dimensions; "
                f"got shape {mean.shape}."
            )
            raise ValueError(msg)
        check_range("mean", mean, -1.0 - 1e-6, 1.0 + 1e-6)
        origin = self._keep("origin", mean.shape)
        check_range("origin", origin, -math.pi - 1e-6, math.pi + 1e-6)
        components = self._keep("components", (None, mean.size))
        check_range("components", components, -1.0 - 1e-6, 1.0 + 1e-6)

    @property
    def births_only(self) -> bool:
        """Whether the grid is one of births, for essential classes."""
        return len(self.limits) == 1

    @property
    def resolution(self) -> int:
        """Number of places on each axis of the grid."""
        return round(math.pow(self.mean.size, 1.0 / len(self.limits)))

    @property
    def n_components(self) -> int:
        """Number of directions."""
        return len(self.components)


class RiemannianHeatMap(Vectorizer):
    """Riemannian heat maps (RM): densities on a sphere, seen from their mean.

    A Gaussian at each point (birth, death) gives heat on a grid; its shares are a
    density, whose square root is a point of the unit sphere. There the distance of two
    diagrams is the angle between them. The features are tangent vectors at the mean of
    the training diagrams, reduced by principal component analysis.

    A density forgets how many points a diagram has, and a point near the diagonal
    weighs as much as any other, so the descriptor is not stable. An empty diagram has
    no density: it is left out in fit and becomes a row of zeros, the mean of the
    training features.

    The defaults did well over the data sets at hand without tuning; :meth:`paper` gives
    the settings of the paper. Read more in the user guide.

    Parameters
    ----------
    n_components : int, default=50
        Number of features of a part, d in the paper. There are fewer where there are
        fewer training diagrams, or places of the grid.
    resolution : int, default=20
        Number of places on each axis of the grid. The paper's r is one less.
    bandwidth : float or None, default=None
        Standard deviation of the Gaussians, in the unit of births and deaths. None
        takes a tenth of the grid's width, on each axis its own. The paper's sigma is
        a variance: ``bandwidth=sqrt(sigma)``, see :meth:`paper`.
    quantiles : (float, float), default=(0.01, 0.99)
        Where the grid starts and ends: quantiles of the training births and deaths.
        Points outside count, too. The paper's are 0.05 and 0.95.
    essential : {"drop", "separate"} or float, default="drop"
        What to do with essential points: leave them out; give them a heat map of their
        own over births, in a part ``<part>_inf``; or take this number as their death.
    n_jobs : int or None, default=None
        Number of threads: None is one, -1 as many as there are processors. The result
        does not depend on it.

    Attributes
    ----------
    spaces_ : dict of str to TangentSpace
        The grid, mean and principal directions of each part.
    parts_ : tuple of str
        The parts seen in fit.
    ranges_ : dict of str to SeenRange or None
        Births and persistences of the training points of each part, as far as known.

    See Also
    --------
    PersistenceStatistics : Means and quantiles of births, deaths and lifetimes.

    Notes
    -----
    Everything is learnt on the training diagrams. The program of the paper learns on
    training and test diagrams together; for its results, fit on
    ``Diagrams.concatenate([train, test])`` and transform both. It leaves points on the
    diagonal out, which here count.

    References
    ----------
    Anirudh, Venkataraman, Ramamurthy, Turaga. A Riemannian Framework for Statistical
    Analysis of Topological Persistence Diagrams. CVPR Workshops 2016. Sections 3, 4.

    Zieliński, Lipiński, Juda, Zeppelzauer, Dłotko. Persistence Bag-of-Words for
    Topological Data Analysis. IJCAI 2019. Section 4 and supplement.

    Examples
    --------
    >>> from pbow.vectorizers import RiemannianHeatMap
    >>> X = [[[0.0, 1.0], [0.5, 0.6]], [[0.5, 0.7]], [[0.0, 1.0]], []]
    >>> RiemannianHeatMap(n_components=2).fit_transform(X).round(2)
    array([[-0.19,  0.37],
           [ 0.89, -0.12],
           [-0.69, -0.25],
           [ 0.  ,  0.  ]])
    """

    short_name: ClassVar[str] = "riemannian"
    size_parameter: ClassVar[str] = "resolution"
    by_part: ClassVar[str] = "spaces_"
    constraints: ClassVar[Mapping[str, Constraint]] = {
        "n_components": Integer(1),
        "resolution": Integer(2),
        "bandwidth": Number(above=0.0, optional=True),
        "quantiles": Quantiles,
        **Vectorizer.constraints,
    }

    spaces_: dict[str, TangentSpace]

    def __init__(
        self,
        n_components: int = 50,
        *,
        resolution: int = 20,
        bandwidth: float | None = None,
        quantiles: tuple[float, float] = (0.01, 0.99),
        essential: str | float = "drop",
        n_jobs: int | None = None,
    ) -> None:
        self.n_components = n_components
        self.resolution = resolution
        self.bandwidth = bandwidth
        self.quantiles = quantiles
        self.essential = essential
        self.n_jobs = n_jobs

    @classmethod
    def paper(
        cls, n_components: int = 50, *, r: int = 10, sigma: float = 0.1, **params: Any
    ) -> Self:
        """Return the descriptor with the settings of the paper, in its parameters.

        Parameters
        ----------
        n_components : int, default=50
            Number of features, d in the paper.
        r : int, default=10
            Number of steps of the grid on each axis.
        sigma : float, default=0.1
            Variance of the Gaussians.
        **params
            Other parameters, which win over the paper's.

        Returns
        -------
        vectorizer : RiemannianHeatMap
            With `resolution`, `bandwidth` and `quantiles` set.

        Examples
        --------
        >>> from pbow.vectorizers import RiemannianHeatMap
        >>> papers = RiemannianHeatMap.paper(75, r=40, sigma=0.25)
        >>> papers.resolution, papers.bandwidth, papers.quantiles
        (41, 0.5, (0.05, 0.95))
        """
        if not is_integer(r, 1):
            msg = f"Expected r to be an int >= 1; got {r!r}."
            raise ValueError(msg)
        if not is_finite_number(sigma) or not sigma > 0:
            msg = f"Expected sigma, a variance, to be a number > 0; got {sigma!r}."
            raise ValueError(msg)
        settings: dict[str, Any] = {
            "resolution": r + 1,
            "bandwidth": math.sqrt(sigma),
            "quantiles": (0.05, 0.95),
        }
        return cls(n_components, **settings | params)

    def _learn_parts(
        self, parts: dict[str, Diagrams], births_only: Collection[str]
    ) -> dict[str, Any]:
        spaces = {
            name: self._learn_space(part, n_dims=1 if name in births_only else 2)
            for name, part in parts.items()
        }
        return {"spaces_": spaces}

    def _learn_space(self, part: Diagrams, *, n_dims: int) -> TangentSpace:
        X = part[part.sizes > 0]
        limits = self._find_limits(X.points[:, :n_dims])
        bandwidth = _bandwidth(limits, self.bandwidth)
        grid = _Grid(limits, bandwidth, self.resolution)
        n_places = self.resolution**n_dims
        # As many rows at a time as there are columns, or a factorization costs more.
        cuts = range(0, len(X), max(TRAINING_ROWS, n_places))

        def blocks() -> Iterator[Floats]:
            for first in cuts:
                block = X[first : first + cuts.step]
                rows = np.empty((len(block), n_places))
                grid.fill(block, rows, self.n_jobs)
                yield rows

        total = sum(rows.sum(axis=0) for rows in blocks())
        mean = total / np.linalg.norm(total)
        origin, deviations, directions = _principal(blocks(), mean)
        n_components = min(self.n_components, len(X), n_places)
        components = np.zeros((n_components, n_places))
        found = directions[:n_components][
            deviations[:n_components] > SMALLEST_DEVIATION
        ]
        components[: len(found)] = found
        return TangentSpace(limits, bandwidth, mean, origin, components)

    def _find_limits(self, points: Floats) -> Floats:
        return np.quantile(points, self.quantiles, axis=0, method="hazen").T

    def _encode_part(self, name: str, part: Diagrams) -> Floats:
        space = self.spaces_[name]
        grid = _Grid(space.limits, space.bandwidth, space.resolution)
        # Copies: compiled loops know arrays of diagrams as read-only, and no others.
        mean, origin = space.mean.copy(), space.origin.copy()
        directions = pack(space.components)
        out = np.empty((len(part), space.n_components))

        def run(first: int, last: int) -> None:
            block = np.zeros((min(ROWS, last - first), mean.size))
            for start in range(first, last, ROWS):
                stop = min(start + ROWS, last)
                rows = block[: stop - start]
                grid.fill_rows(part, start, stop, rows)
                log_map(rows, mean)
                project(rows, origin, directions, out[start:stop])

        projection = PROJECTION_A_COMPONENT * space.n_components * len(part)
        for_each_block(
            run,
            part.offsets,
            nanoseconds_per_point=mean.size
            * (HEAT_A_POINT + projection / max(1, len(part.points))),
            n_jobs=self.n_jobs,
        )
        out[part.sizes == 0] = 0.0
        return out

    def _column_names(self, name: str) -> list[str]:
        return [f"component{k}" for k in range(self._n_columns(name))]

    def _n_columns(self, name: str) -> int:
        return self.spaces_[name].n_components

    def _n_numbers(self) -> int:
        return int(self.resolution) ** 2


class _Grid:
    """A grid in the units of the compiled loop."""

    def __init__(self, limits: Floats, bandwidth: Floats, resolution: int) -> None:
        n_dims = len(limits)
        rates = RATE / bandwidth
        ends = (limits[:, 1] - limits[:, 0]) * rates
        self.axes = [np.linspace(0.0, end, resolution) for end in ends]
        self.frame = np.zeros(4)
        self.frame[:n_dims] = limits[:, 0]
        self.frame[2 : 2 + n_dims] = rates
        if n_dims == 1:
            self.axes.append(np.zeros(1))

    def fill_rows(self, X: Diagrams, first: int, last: int, rows: Floats) -> None:
        """Set rows to square roots of the densities of diagrams first to last - 1."""
        births, deaths = self.axes
        offsets = X.offsets[first : last + 1]
        root_densities(X.points, offsets, self.frame, births, deaths, rows)

    def fill(self, X: Diagrams, rows: Floats, n_jobs: int | None) -> None:
        """Do so for all diagrams, in threads."""
        for_each_block(
            lambda first, last: self.fill_rows(X, first, last, rows[first:last]),
            X.offsets,
            nanoseconds_per_point=HEAT_A_POINT * rows.shape[1],
            n_jobs=n_jobs,
        )


def _bandwidth(limits: Floats, given: float | None) -> Floats:
    """Return the bandwidth on each axis, not too small for the width of the grid."""
    width = limits[:, 1] - limits[:, 0]
    bandwidth = np.full(len(limits), given or 0.0)
    if given is None:
        size = np.abs(limits).max(axis=1)
        has_width = width > np.maximum(SMALLEST_SHARE * size, SMALLEST_WIDTH)
        # An axis without width has the unit of the other one.
        unit = width[has_width].max(initial=0.0) or 1.0
        bandwidth = SHARE_OF_WIDTH * np.where(has_width, width, unit)
    floored: Floats = np.maximum(bandwidth, SMALLEST_WIDTH * np.maximum(width, 1.0))
    return floored


def _principal(blocks: Iterator[Floats], mean: Floats) -> tuple[Floats, Floats, Floats]:
    """Return the mean of tangent vectors, their deviations, and principal directions.

    Of points on the sphere in blocks of rows. Only the triangular factor R of the
    matrix of tangent vectors is kept. A first column of ones makes the rest of its
    first row the sums of the others, divided by the root of their number, and leaves
    below the factor of the centered matrix.
    """
    n = 0
    triangle: Floats = np.empty((0, mean.size + 1))
    # With more, the bits would depend on how many threads there are.
    with threadpool_limits(1, user_api="blas"):
        for rows in blocks:
            log_map(rows, mean)
            n += len(rows)
            with_ones = np.column_stack((np.ones(len(rows)), rows))
            stacked = np.concatenate((triangle, with_ones))
            triangle = np.asarray(np.linalg.qr(stacked, mode="r"))
        _, roots, directions = np.linalg.svd(triangle[1:, 1:], full_matrices=False)
    origin = triangle[0, 1:] / triangle[0, 0]
    largest = np.abs(directions).argmax(axis=1)
    signs = np.sign(directions[np.arange(len(directions)), largest])
    return origin, roots / math.sqrt(n), directions * signs[:, np.newaxis]
