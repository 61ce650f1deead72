"""The last step of every descriptor, on one row of features."""

from __future__ import annotations

import math

import numpy as np
from numba import njit
from numpy.typing import NDArray

__all__ = ["NORMALIZATIONS", "normalize_row"]

RAW, SQRT, SQRT_L2, LIPSCHITZ = 0, 1, 2, 3
NORMALIZATIONS = {None: RAW, "sqrt": SQRT, "sqrt-l2": SQRT_L2, "lipschitz": LIPSCHITZ}


@njit(nogil=True, cache=True)
def normalize_row(row: NDArray[np.float64], how: int) -> None:
    """Normalise ``row`` in place; a row of zeros stays one.

    RAW: as it is. SQRT: signed square roots. SQRT_L2: those, divided by their L2 norm
    or by 1e-12 if that is larger. LIPSCHITZ: row / (1 + its L2 norm).
    """
    if how in (SQRT, SQRT_L2):
        for k in range(row.shape[0]):
            row[k] = math.copysign(math.sqrt(abs(row[k])), row[k])
    if how in (SQRT_L2, LIPSCHITZ):
        total = 0.0
        for k in range(row.shape[0]):
            value = np.float64(row[k])  # the square of a float32 may overflow
            total += value * value
        norm = math.sqrt(total)
        divisor = max(norm, 1e-12) if how == SQRT_L2 else 1.0 + norm
        for k in range(row.shape[0]):
            row[k] /= divisor
