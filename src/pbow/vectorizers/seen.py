"""The range of the points seen in fit, and a warning of points far outside of it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pbow._utils.checks import is_finite_number
from pbow._utils.warn import warn_user
from pbow.diagrams import Diagrams
from pbow.errors import OutOfRangeWarning, of_part
from pbow.learning import PartSummary

__all__ = ["SeenRange"]

Floats = NDArray[np.float64]

# Points that are looked at in transform, at equal steps: as good as all of them where
# the question is what most of them do, and no time beside encoding them.
LOOKED_AT = 1000
# A sample of fewer points than there were says too little about their range.
SMALLEST_SAMPLE = 100


@dataclass(frozen=True)
class SeenRange:
    """The range of training points: births, and persistences from 0 on.

    Attributes
    ----------
    low, high : float
        The lowest and the highest birth.
    longest : float
        The longest persistence.
    """

    low: float
    high: float
    longest: float

    def __post_init__(self) -> None:
        numbers = (self.low, self.high, self.longest)
        if (
            not all(map(is_finite_number, numbers))
            or min(self.high - self.low, self.longest) < 0.0
            or self.margin == 0.0
        ):
            msg = f"Expected the range of training points; got {numbers}."
            raise ValueError(msg)

    @property
    def margin(self) -> float:
        """The longer side of the range; points farther than this from it are far."""
        return max(self.high - self.low, self.longest)

    @classmethod
    def of_summary(cls, part: PartSummary) -> SeenRange | None:
        """Return the range of what is known of training points, or None."""
        if part.births_only:
            return None
        if part.extent is not None:
            low, high, longest, _ = part.extent
            return cls._of(low, high, longest)
        if part.sample is None or len(part.sample) < min(
            part.n_points, SMALLEST_SAMPLE
        ):
            return None
        births, persistences = part.sample.T
        return cls._of(births.min(), births.max(), persistences.max())

    @classmethod
    def of_points(cls, part: Diagrams) -> SeenRange | None:
        """Return the range of finite points, or None."""
        births, deaths = part.points.T
        return cls._of(births.min(), births.max(), (deaths - births).max())

    @classmethod
    def _of(cls, low: float, high: float, longest: float) -> SeenRange | None:
        """Return a range, or None of points that are all at one place of no size."""
        if low == high and longest == 0.0:
            return None
        return cls(float(low), float(high), float(longest))

    def warn_of_far(self, points: Floats, name: str) -> None:
        """Warn if more than half of the finite points of a part are far outside."""
        births, deaths = points[:: max(1, len(points) // LOOKED_AT)].T
        persistences = deaths - births
        margin = self.margin
        far = (births < self.low - margin) | (births > self.high + margin)
        far |= persistences > self.longest + margin
        finite = persistences < np.inf
        if 2 * np.count_nonzero(far & finite) <= np.count_nonzero(finite):
            return
        births, persistences = births[finite], persistences[finite]
        here = _described(births.min(), births.max(), persistences.max())
        there = _described(self.low, self.high, self.longest)
        msg = (
            f"Most points{of_part(name)} lie far outside the range seen in fit: they "
            f"have {here}, and fit had {there}. Have units changed, or columns been "
            "swapped? Scale these diagrams as those of fit, or fit again."
        )
        warn_user(msg, OutOfRangeWarning, topic=(name, self))


def _described(low: float, high: float, longest: float) -> str:
    return f"births from {low:.4g} to {high:.4g} and persistences up to {longest:.4g}"
