"""Persistence images."""

from __future__ import annotations

import math
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from pbow._utils.checks import is_finite_number, is_integer
from pbow._utils.constraints import (
    Constraint,
    Number,
    OneOf,
    Quantiles,
)
from pbow._utils.threads import fill_rows
from pbow.compute.image import make_axis, sum_images, sum_lines
from pbow.diagrams import LARGEST_COORDINATE, Diagrams
from pbow.learning import Extent, PartSummary, Request
from pbow.vectorizers.points import PointVectorizer
from pbow.weighting import Ramp

__all__ = ["ImageFrame", "PersistenceImage"]

Floats = NDArray[np.float64]
Range = tuple[float, float]

# Measured, for a point and for a pixel that it reaches.
NANOSECONDS_A_POINT = 60.0
NANOSECONDS_A_PIXEL = 0.1
# A range that is narrower, against the coordinates or at all, is a point and rounding.
LEAST_SHARE, LEAST_WIDTH = 1e-12, 1e-290
DOUBLE = sys.float_info
# A range without width is widened, by as much as the other one has.
LARGEST_END = 4.0 * LARGEST_COORDINATE
# Every point weighs 1: a step that all persistences are above.
NO_RAMP = np.array([-np.inf, -np.inf])


def _is_pair(value: Any) -> bool:
    return isinstance(value, (tuple, list)) and len(value) == 2


def _is_range(value: Any) -> bool:
    """Whether a pair of numbers is wide enough to be cut into pixels."""
    return (
        _is_pair(value)
        and all(
            is_finite_number(end) and abs(float(end)) <= LARGEST_END for end in value
        )
        and value[1] - value[0] >= LEAST_WIDTH
    )


def _is_box(value: Any) -> bool:
    if isinstance(value, str):
        return value in ("data", "zero")
    return _is_pair(value) and all(
        _is_range(ends) and max(map(abs, ends)) <= LARGEST_COORDINATE for ends in value
    )


def _is_resolution(value: Any) -> bool:
    return all(is_integer(n, 1) for n in (value if _is_pair(value) else (value,)))


@dataclass(frozen=True)
class ImageFrame:
    """What a persistence image needs to know of the training diagrams.

    Attributes
    ----------
    births : (float, float)
        The range of births that the pixels cover.
    persistences : (float, float) or None
        The range of persistences; None for essential classes.
    bandwidth : float
        Standard deviation of the Gaussians, in the units of the diagrams.
    ramp : Ramp or None
        The weight of a point, by its persistence; None counts every point as 1.
    """

    births: Range
    persistences: Range | None
    bandwidth: float
    ramp: Ramp | None

    def __post_init__(self) -> None:
        ranges = (self.births, self.births if self.births_only else self.persistences)
        if not all(map(_is_range, ranges)):
            msg = f"Expected ranges with low < high; got {ranges}."
            raise ValueError(msg)
        if not is_finite_number(self.bandwidth) or not self.bandwidth > 0.0:
            msg = f"Expected a bandwidth > 0; got {self.bandwidth!r}."
            raise ValueError(msg)
        if not isinstance(self.ramp, Ramp | None):
            msg = f"Expected ramp to be a Ramp or None; got {self.ramp!r:.80}."
            raise ValueError(msg)

    @property
    def births_only(self) -> bool:
        """Whether pixels are of births alone, for essential classes."""
        return self.persistences is None


class PersistenceImage(PointVectorizer):
    """Persistence image (PI): a sum of Gaussians, integrated over pixels.

    Every point is replaced by a Gaussian about its birth and persistence. A feature is
    the exact integral of their sum over one pixel of a box that is learnt from the
    training diagrams. Points far outside that box are not seen, and one that lives much
    longer than all others makes the box, and its pixels, too large for these.

    The defaults are those that won over the data sets at hand without tuning; they
    count every point as 1, and have no proof of stability. Read more in the user guide.

    Parameters
    ----------
    resolution : int or (int, int), default=20
        Number of pixels on each axis, or on the axes of births and of persistences.
    bandwidth : float or None, default=None
        Standard deviation of the Gaussians; None is one pixel.
    bandwidth_unit : {"diagram", "pixel", "paper"}, default="diagram"
        What `bandwidth` is measured in: the units of the diagrams; pixels, that is, the
        side of a square as large as a pixel; or, as in the program of the paper's
        authors, it is a *variance* over the side of a pixel on the axis of
        persistences.
    weight : {None, "ramp", "linear"}, default=None
        Weight of a point: always 1; growing linearly with persistence between two
        quantiles of the training persistences, 0 below and 1 above; or its persistence
        over the longest one in training, at most 1.
    quantiles : (float, float), default=(0.05, 0.95)
        Where the ramp starts and ends.
    box : {"data", "zero"} or pair of pairs of float, default="data"
        The births and persistences that the pixels cover: from the least to the largest
        birth, and from 0 to the longest persistence of the training diagrams; the same,
        but births from 0 unless some are negative; or given as
        ``((low, high), (low, high))`` for all parts.
    essential : {"drop", "separate"} or float, default="drop"
        What to do with essential points: leave them out; give them a line of pixels of
        their own over births, in a part ``<part>_inf``, where all weigh 1; or take this
        number as their death.
    n_jobs : int or None, default=None
        Number of threads: None is one, -1 as many as there are processors. The result
        does not depend on it.

    Attributes
    ----------
    frames_ : dict of str to ImageFrame
        Box, bandwidth and weight, by part.
    parts_ : tuple of str
        The parts seen in fit.
    ranges_ : dict of str to SeenRange or None
        Births and persistences of the training points of each part, as far as known.

    See Also
    --------
    pbow.StablePersistenceBoW : Gaussians where the points are, instead of on a grid.

    Notes
    -----
    Column ``pixel_i_j`` is pixel i on the axis of births, j on that of persistences, so
    ``H[0].reshape(20, 20).T`` is a picture whose lowest row comes first. Columns of
    ``<part>_inf`` are ``pixel_i``.

    Nothing is clipped or moved: a point outside the box adds what its Gaussian has
    inside. Where all births, or all persistences, of the training diagrams are equal,
    the range is widened to the length of the other one.

    If the weight is continuous and 0 at persistence 0 ("linear", and "ramp" where its
    quantiles differ), images are stable: their difference is at most a constant times
    the 1-Wasserstein distance of the diagrams (Adams et al., section 5). Without a
    weight they are not: points of hardly any persistence come and go at hardly any
    cost, and count.

    References
    ----------
    Adams et al. Persistence Images: A Stable Vector Representation of Persistent
    Homology. JMLR 18, 2017. Section 4; section 5 for stability.

    Zieliński, Lipiński, Juda, Zeppelzauer, Dłotko. Persistence Bag-of-Words for
    Topological Data Analysis. IJCAI 2019. Section 4, as PI.

    Examples
    --------
    >>> from pbow.vectorizers import PersistenceImage
    >>> X = {"H1": [[[0.0, 1.0], [0.0, 0.9], [0.5, 0.6]], [[1.0, 1.5]], []]}
    >>> image = PersistenceImage(resolution=2, bandwidth=0.1)
    >>> image.fit_transform(X).round(2)
    array([[0.42, 0.67, 0.42, 0.  ],
           [0.  , 0.  , 0.25, 0.25],
           [0.  , 0.  , 0.  , 0.  ]])
    >>> image.frames_["H1"].births
    (0.0, 1.0)
    >>> image.get_feature_names_out()[1]
    'h1_pixel_0_1'
    """

    short_name: ClassVar[str] = "image"
    size_parameter: ClassVar[str] = "resolution"
    by_part: ClassVar[str] = "frames_"
    constraints: ClassVar[Mapping[str, Constraint]] = {
        "resolution": Constraint(_is_resolution, "an int >= 1 or a pair of such"),
        "bandwidth": Number(above=0.0, optional=True),
        "bandwidth_unit": OneOf("diagram", "pixel", "paper"),
        "weight": OneOf(None, "ramp", "linear"),
        "quantiles": Quantiles,
        "box": Constraint(
            _is_box,
            "'data', 'zero' or ((low, high), (low, high)) of births and of "
            "persistences, with low < high",
        ),
        **PointVectorizer.constraints,
    }

    frames_: dict[str, ImageFrame]

    def __init__(
        self,
        resolution: int | tuple[int, int] = 20,
        *,
        bandwidth: float | None = None,
        bandwidth_unit: str = "diagram",
        weight: str | None = None,
        quantiles: tuple[float, float] = (0.05, 0.95),
        box: str | tuple[Range, Range] = "data",
        essential: str | float = "drop",
        n_jobs: int | None = None,
    ) -> None:
        self.resolution = resolution
        self.bandwidth = bandwidth
        self.bandwidth_unit = bandwidth_unit
        self.weight = weight
        self.quantiles = quantiles
        self.box = box
        self.essential = essential
        self.n_jobs = n_jobs

    @classmethod
    def paper(
        cls,
        resolution: int | tuple[int, int] = 20,
        sigma: float = 1.0,
        weight: str | None = "ramp",
        **params: Any,
    ) -> Self:
        """Return the descriptor with the settings of the program of the paper.

        Parameters
        ----------
        resolution : int or (int, int), default=20
            Number of pixels on each axis, r in the paper.
        sigma : float, default=1.0
            The paper's sigma: sigma times the height of a pixel is the variance.
        weight : {"ramp", None}, default="ramp"
            The paper tries both.
        **params
            Other parameters, which win over the paper's.

        Returns
        -------
        vectorizer : PersistenceImage
            The box goes from 0 to the largest birth; negative births, which the program
            moves to 0 first, are covered from the least one on.

        Examples
        --------
        >>> from pbow.vectorizers import PersistenceImage
        >>> PersistenceImage.paper(50, 0.5)
        PersistenceImage(bandwidth=0.5, bandwidth_unit='paper', box='zero',
                         resolution=50, weight='ramp')
        """
        settings: dict[str, Any] = {
            "bandwidth": sigma,
            "bandwidth_unit": "paper",
            "weight": weight,
            "box": "zero",
        }
        return cls(resolution, **settings | params)

    def _request(self) -> Request:
        return Request(
            essential=self.essential,
            has_extent=True,
            quantiles=self.quantiles if self.weight == "ramp" else None,
        )

    def _learn_from(
        self, parts: dict[str, PartSummary], request: Request
    ) -> dict[str, Any]:
        frames = {}
        for name, part in parts.items():
            assert part.extent is not None  # it was asked for
            if part.births_only:
                frames[name] = self._learn_line(part.extent)
            else:
                frames[name] = self._learn_frame(part.extent, part.ramp)
        return {"frames_": frames}

    def _learn_frame(self, extent: Extent, ramp: Ramp | None) -> ImageFrame:
        low, high, longest, _ = extent
        births, persistences = self._ranges(low, high, longest)
        if self.weight == "linear":
            # A box may end below the diagonal: then all that is above it weighs 1.
            ramp = Ramp(0.0, longest or max(persistences[1], math.ulp(0.0)))
        width, height = self._pixel(births, persistences)
        deviation = self._deviation(math.sqrt(width) * math.sqrt(height), height)
        return ImageFrame(births, persistences, deviation, ramp)

    def _learn_line(self, extent: Extent) -> ImageFrame:
        low, high, _, _ = extent
        births, persistences = self._ranges(low, high, 0.0)
        width, _ = self._pixel(births, persistences)
        return ImageFrame(births, None, self._deviation(width, width), None)

    def _ranges(self, low: float, high: float, longest: float) -> tuple[Range, Range]:
        """Return the ranges of births and persistences, both of positive length."""
        if not isinstance(self.box, str):
            (b_low, b_high), (p_low, p_high) = self.box
            return (float(b_low), float(b_high)), (float(p_low), float(p_high))
        if self.box == "zero":
            low = min(low, 0.0)
        least = max(LEAST_SHARE * max(abs(low), abs(high)), LEAST_WIDTH)
        lengths = [length for length in (high - low, longest) if length >= least]
        other = lengths[0] if lengths else max(1.0, least)
        if high - low < least:
            low, high = low - 0.5 * other, high + 0.5 * other
        return (low, high), (0.0, longest if longest >= least else other)

    def _pixel(self, births: Range, persistences: Range) -> tuple[float, float]:
        """Return the width and the height of a pixel."""
        n_births, n_persistences = self._pixels()
        width = (births[1] - births[0]) / n_births
        return width, (persistences[1] - persistences[0]) / n_persistences

    def _deviation(self, side: float, height: float) -> float:
        """Return the bandwidth in the units of the diagrams, a normal number."""
        if self.bandwidth is None:
            return side
        deviation = float(self.bandwidth)
        if self.bandwidth_unit == "pixel":
            deviation *= side
        elif self.bandwidth_unit == "paper":
            deviation = math.sqrt(deviation) * math.sqrt(height)
        # Next to 0, or to infinity, all Gaussians look the same to a pixel.
        return min(max(deviation, DOUBLE.min), DOUBLE.max)

    def _encode_part(self, name: str, part: Diagrams) -> Floats:
        frame = self.frames_[name]
        n_births, n_persistences = self._pixels()
        births = make_axis(*frame.births, n_births, frame.bandwidth)
        loop: Any = sum_lines
        options: tuple[Any, ...] = (births,)
        if frame.persistences is None:
            n_persistences = 1
        else:
            ramp = frame.ramp
            limits = NO_RAMP if ramp is None else np.array([ramp.low, ramp.high])
            lives = make_axis(*frame.persistences, n_persistences, frame.bandwidth)
            loop, options = sum_images, (limits, births, lives)
        out = np.empty((len(part), n_births * n_persistences))
        fill_rows(
            *(loop, part.points, part.offsets, *options),
            out=out,
            nanoseconds_per_point=NANOSECONDS_A_POINT
            + NANOSECONDS_A_PIXEL * out.shape[1],
            n_jobs=self.n_jobs,
        )
        return out

    def _column_names(self, name: str) -> list[str]:
        n_births, n_persistences = self._pixels()
        if self.frames_[name].persistences is None:
            return [f"pixel_{i}" for i in range(n_births)]
        return [
            f"pixel_{i}_{j}" for i in range(n_births) for j in range(n_persistences)
        ]

    def _pixels(self) -> tuple[int, int]:
        """Return the number of pixels on the axes of births and of persistences."""
        if isinstance(self.resolution, (tuple, list)):
            n_births, n_persistences = self.resolution
            return int(n_births), int(n_persistences)
        return int(self.resolution), int(self.resolution)

    def _n_columns(self, name: str) -> int:
        n_births, n_persistences = self._pixels()
        return n_births * (1 if self.frames_[name].births_only else n_persistences)

    def _n_numbers(self) -> int:
        return math.prod(self._pixels())
