"""Sums in a fixed order that a processor can work on side by side."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from pbow.compute.jit import helper, inlined

__all__ = ["sum_between", "sum_of"]

# Unsigned: an index that may be negative is compared twice.
U1, U2, U3, U4, U5, U6, U7, U8 = (np.uint64(i) for i in range(1, 9))


@inlined
def sum_of(values: NDArray[Any]) -> float:
    """Return the sum in float64, as eight sums side by side."""
    return sum_between(values, np.uint64(0), np.uint64(values.shape[0]))


@helper
def sum_between(values: NDArray[Any], i: np.uint64, n: np.uint64) -> float:
    """Return the sum of ``values[i:n]`` in float64, as eight sums side by side.

    One sum would wait for each addition to end before the next. The order is fixed
    here, so that the compiler need not be allowed to change it.
    """
    s0, s1, s2, s3, s4, s5, s6, s7 = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    while i + U8 <= n:
        s0 += values[i]
        s1 += values[i + U1]
        s2 += values[i + U2]
        s3 += values[i + U3]
        s4 += values[i + U4]
        s5 += values[i + U5]
        s6 += values[i + U6]
        s7 += values[i + U7]
        i += U8
    while i < n:
        s0 += values[i]
        i += U1
    return ((s0 + s4) + (s1 + s5)) + ((s2 + s6) + (s3 + s7))
