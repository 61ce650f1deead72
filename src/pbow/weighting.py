"""How much a point counts, from its persistence."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pbow._utils.checks import is_finite_number, is_integer

__all__ = ["Ramp"]


@dataclass(frozen=True, slots=True, repr=False)
class Ramp:
    """Weight 0 below `low`, 1 from `high` on, linear between: w_{a,b} of the paper.

    With ``low == high`` it is a step: 0 below, 1 from there on. The weight may be
    squared: its square root, which some encodings take, is then linear again.

    Parameters
    ----------
    low, high : float
        a and b in the paper (eq. 2): quantiles of the training points' persistence,
        ``0 <= low <= high``.
    power : {1, 2}, default=1
        2 squares the weight.

    Raises
    ------
    ValueError
        For anything else than two such numbers and power.

    Examples
    --------
    >>> import numpy as np
    >>> from pbow.weighting import Ramp
    >>> Ramp(1.0, 3.0)(np.array([0.0, 1.0, 2.0, 5.0]))
    array([0. , 0. , 0.5, 1. ])
    """

    low: float
    high: float
    power: int = 1

    def __post_init__(self) -> None:
        limits = (self.low, self.high)
        if not all(map(is_finite_number, limits)) or not 0.0 <= self.low <= self.high:
            msg = (
                "Expected finite numbers 0 <= low <= high, "
                f"got low={self.low!r:.40} and high={self.high!r:.40}."
            )
            raise ValueError(msg)
        if not is_integer(self.power, 1) or self.power > 2:
            msg = f"Expected power to be 1 or 2; got {self.power!r:.40}."
            raise ValueError(msg)
        for name, limit in zip(("low", "high"), limits, strict=True):
            object.__setattr__(self, name, float(limit))

    def __repr__(self) -> str:
        power = "" if self.power == 1 else f", power={self.power}"
        return f"Ramp(low={self.low!r}, high={self.high!r}{power})"

    def __call__(self, persistence: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the weight of each persistence."""
        if self.low == self.high:
            return (persistence >= self.high).astype(np.float64)
        # Clipped first: a long persistence over a short ramp may overflow.
        clipped = np.clip(persistence, self.low, self.high)
        weight = (clipped - self.low) / (self.high - self.low)
        return weight if self.power == 1 else weight * weight
