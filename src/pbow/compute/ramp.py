"""The weight of a point, from its persistence, inside a loop."""

from __future__ import annotations

from numba import njit

__all__ = ["ramp_weight"]


@njit(nogil=True, cache=True)
def ramp_weight(persistence: float, low: float, high: float) -> float:
    """Return w_{a,b} of the paper, a = low, b = high; a step where they coincide."""
    if persistence >= high:
        return 1.0
    if persistence <= low:
        return 0.0
    return (persistence - low) / (high - low)
