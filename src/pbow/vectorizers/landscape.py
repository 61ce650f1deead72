"""Persistence landscapes on a grid."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from pbow._utils.checks import is_finite_number
from pbow._utils.constraints import Constraint, Integer
from pbow._utils.threads import fill_rows
from pbow.compute.landscape import sample_levels
from pbow.diagrams import LARGEST_COORDINATE, Diagrams
from pbow.essential import ESSENTIAL_SUFFIX
from pbow.learning import PartSummary, Request
from pbow.vectorizers.points import PointVectorizer

__all__ = ["LandscapeGrid", "PersistenceLandscape"]

Floats = NDArray[np.float64]

# Measured for each time in the life of a point, and for the point itself.
NANOSECONDS_A_POINT = 30.0


@dataclass(frozen=True)
class LandscapeGrid:
    """Where landscapes are looked at.

    Attributes
    ----------
    start, stop : float
        The times between which the grid lies, at equal steps, without the ends.
    """

    start: float
    stop: float

    def __post_init__(self) -> None:
        ends = (self.start, self.stop)
        if (
            not all(map(is_finite_number, ends))
            or not -LARGEST_COORDINATE <= self.start <= self.stop <= LARGEST_COORDINATE
        ):
            msg = f"Expected start <= stop, both of them coordinates; got {ends}."
            raise ValueError(msg)

    def times(self, resolution: int) -> Floats:
        """Return the times of a grid of so many points.

        Parameters
        ----------
        resolution : int
            Number of times.

        Returns
        -------
        times : ndarray of shape (resolution,)
        """
        inner: Floats = np.linspace(self.start, self.stop, resolution + 2)[1:-1]
        return inner


class PersistenceLandscape(PointVectorizer):
    """Persistence landscape (PL): the largest tents over a grid of times.

    A point (b, d) carries the tent max(0, min(t - b, d - t)) over the times t; level k
    of the landscape at t is the k-th largest tent there. The first levels are looked at
    on a grid between the first birth and the last death of the training diagrams. What
    happens between two times of the grid, or below the last level, is not seen:
    :class:`~pbow.kernels.LandscapeKernel` compares whole landscapes.

    Parameters
    ----------
    n_levels : int, default=5
        Number of levels, from the highest.
    resolution : int, default=100
        Number of times in the grid of each part.
    essential : {"drop", "separate"} or float, default="drop"
        What to do with essential points: leave them out; give them a landscape of their
        own, in a part ``<part>_inf``, where a tent goes up from its birth and never
        comes down; or take this number as their death. The grid of ``<part>_inf`` goes
        from the first of their births to the latest time of the training diagrams of
        the part: a birth, or the death of another point.
    n_jobs : int or None, default=None
        Number of threads: None is one, -1 as many as there are processors. The result
        does not depend on it.

    Attributes
    ----------
    grids_ : dict of str to LandscapeGrid
        The ends of the grid of each part, themselves not in it: there, all levels are 0
        on training diagrams.
    parts_ : tuple of str
        The parts seen in fit.
    ranges_ : dict of str to SeenRange or None
        Births and persistences of the training points of each part, as far as known.

    See Also
    --------
    pbow.kernels.LandscapeKernel : Exact inner products and distances of all levels.

    Notes
    -----
    Tents have slope 1 and half the persistence as height, as Bubenik defines them.
    GUDHI's are these times the square root of 2. Landscapes are 1-Lipschitz: no value
    changes by more than the bottleneck distance of two diagrams.

    References
    ----------
    Bubenik. Statistical Topological Data Analysis using Persistence Landscapes. JMLR
    16, 2015. Section 2; section 5 for stability.

    Examples
    --------
    >>> from pbow.vectorizers import PersistenceLandscape
    >>> X = {"H1": [[[0.0, 4.0], [1.0, 3.0]], [[0.0, 2.0]], []]}
    >>> landscape = PersistenceLandscape(n_levels=2, resolution=3)
    >>> landscape.fit_transform(X)
    array([[1., 2., 1., 0., 1., 0.],
           [1., 0., 0., 0., 0., 0.],
           [0., 0., 0., 0., 0., 0.]])
    >>> landscape.grids_["H1"].times(3)
    array([1., 2., 3.])
    >>> landscape.get_feature_names_out()[2:4]
    array(['h1_level1_2', 'h1_level2_0'], dtype=object)
    """

    short_name: ClassVar[str] = "landscape"
    size_parameter: ClassVar[str] = "resolution"
    by_part: ClassVar[str] = "grids_"
    constraints: ClassVar[Mapping[str, Constraint]] = {
        "n_levels": Integer(1),
        "resolution": Integer(1),
        **PointVectorizer.constraints,
    }

    grids_: dict[str, LandscapeGrid]

    def __init__(
        self,
        n_levels: int = 5,
        resolution: int = 100,
        *,
        essential: str | float = "drop",
        n_jobs: int | None = None,
    ) -> None:
        self.n_levels = n_levels
        self.resolution = resolution
        self.essential = essential
        self.n_jobs = n_jobs

    def _request(self) -> Request:
        return Request(essential=self.essential, has_extent=True)

    def _learn_from(
        self, parts: dict[str, PartSummary], request: Request
    ) -> dict[str, Any]:
        grids = {}
        for name, part in parts.items():
            assert part.extent is not None  # it was asked for
            stop = part.extent.last
            finite = parts.get(name.removesuffix(ESSENTIAL_SUFFIX))
            if part.births_only and finite is not None and finite.extent is not None:
                stop = max(stop, finite.extent.last)
            grids[name] = LandscapeGrid(float(part.extent.low), float(stop))
        return {"grids_": grids}

    def _encode_part(self, name: str, part: Diagrams) -> Floats:
        points = part.points
        if name not in self.parts_:
            # Births alone: their tents do not come down.
            points = np.column_stack((points[:, 0], np.full(len(points), np.inf)))
            points.flags.writeable = False
        grid = self.grids_[name].times(self.resolution)
        # No number over this overflows where the grid is a single time, or almost.
        rate = (self.resolution - 1) / max(float(grid[-1] - grid[0]), 1e-300)
        out = np.zeros((len(part), self.n_levels * self.resolution))
        fill_rows(
            *(sample_levels, points, part.offsets, grid, rate, self.n_levels),
            out=out,
            nanoseconds_per_point=NANOSECONDS_A_POINT,
            n_jobs=self.n_jobs,
        )
        return out

    def _column_names(self, name: str) -> list[str]:
        return [
            f"level{k}_{t}"
            for k in range(1, self.n_levels + 1)
            for t in range(self.resolution)
        ]

    def _n_columns(self, name: str) -> int:
        return self._n_numbers()

    def _n_numbers(self) -> int:
        return int(self.n_levels) * int(self.resolution)
