"""The last step of every descriptor, on one row of features."""

from __future__ import annotations

import math

import numpy as np
from numba import njit
from numpy.typing import NDArray

__all__ = ["NORMALIZATIONS", "normalize_row", "normalize_rows"]

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
        norm = math.sqrt(_sum_of_squares(row))
        factor = 1.0 / (max(norm, 1e-12) if how == SQRT_L2 else 1.0 + norm)
        for k in range(row.shape[0]):
            row[k] *= factor


@njit(nogil=True, cache=True)
def _sum_of_squares(row: NDArray[np.float64]) -> float:
    """Sum squares in eight sums side by side.

    One sum would wait for each addition to end before the next. The order is fixed
    here, so that the compiler need not be allowed to change it.
    """
    s0, s1, s2, s3, s4, s5, s6, s7 = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    n = row.shape[0]
    for k in range(0, n - 7, 8):
        s0 += row[k] * row[k]
        s1 += row[k + 1] * row[k + 1]
        s2 += row[k + 2] * row[k + 2]
        s3 += row[k + 3] * row[k + 3]
        s4 += row[k + 4] * row[k + 4]
        s5 += row[k + 5] * row[k + 5]
        s6 += row[k + 6] * row[k + 6]
        s7 += row[k + 7] * row[k + 7]
    for k in range(n - n % 8, n):
        s0 += row[k] * row[k]
    return ((s0 + s4) + (s1 + s5)) + ((s2 + s6) + (s3 + s7))


def normalize_rows(rows: NDArray[np.float64], how: int) -> NDArray[np.float64]:
    """Return what :func:`normalize_row` makes of each row, bit for bit, in numpy."""
    if how in (SQRT, SQRT_L2):
        rows = np.copysign(np.sqrt(np.abs(rows)), rows)
    if how in (SQRT_L2, LIPSCHITZ):
        # The same eight sums, in the same order, as in _sum_of_squares.
        with np.errstate(over="ignore"):
            squares = rows * rows
        whole = rows.shape[1] - rows.shape[1] % 8
        sums = np.zeros((len(rows), 8))
        for k in range(0, whole, 8):
            sums += squares[:, k : k + 8]
        for k in range(whole, rows.shape[1]):
            sums[:, 0] += squares[:, k]
        pairs = sums[:, :4] + sums[:, 4:]
        norms = np.sqrt((pairs[:, 0] + pairs[:, 1]) + (pairs[:, 2] + pairs[:, 3]))
        for huge in np.flatnonzero(np.isinf(norms)):
            norms[huge] = math.hypot(*rows[huge])
        norms = np.maximum(norms, 1e-12) if how == SQRT_L2 else 1.0 + norms
        rows = rows * (1.0 / norms)[:, np.newaxis]
    return rows
