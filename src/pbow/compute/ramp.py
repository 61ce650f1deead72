"""The weight of a point, from its persistence, inside a loop."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pbow.compute.jit import inlined

__all__ = ["point_weight", "ramp_weight"]


@inlined
def ramp_weight(persistence: float, low: float, high: float) -> float:
    """Return w_{a,b} of the paper, a = low, b = high; a step where they coincide."""
    if persistence >= high:
        return 1.0
    if persistence <= low:
        return 0.0
    return (persistence - low) / (high - low)


@inlined
def point_weight(persistence: float, ramp: NDArray[np.float64]) -> float:
    """Return the weight by ``ramp``: (low, high, power 1 or 2), or empty for 1."""
    if ramp.shape[0] == 0:
        return 1.0
    weight = ramp_weight(persistence, ramp[0], ramp[1])
    return weight * weight if ramp[2] == 2.0 else weight
