"""The last step of every descriptor, on one row of features."""

from __future__ import annotations

import math
from collections.abc import Mapping
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from pbow.compute.jit import exact

__all__ = [
    "EPSILON",
    "NORMALIZATIONS",
    "SQRT_L2",
    "normalize_row",
    "normalize_rows",
]

RAW, SQRT, SQRT_L2, LIPSCHITZ, SMOOTH_SQRT = 0, 1, 2, 3, 4
LEAST_NORM = 1e-12
# What a smooth square root adds: its slope at 0 is 1 / (2 sqrt(EPSILON)).
EPSILON = 0.1
NORMALIZATIONS: Mapping[str | None, int] = MappingProxyType(
    {
        None: RAW,
        "sqrt": SQRT,
        "sqrt-l2": SQRT_L2,
        "lipschitz": LIPSCHITZ,
        "smooth-sqrt": SMOOTH_SQRT,
    }
)


@exact
def normalize_row(row: NDArray[np.float64], normalization: int) -> None:
    """Normalize ``row`` in place; a row of zeros stays one.

    RAW: as it is. SQRT: signed square roots. SQRT_L2: those, divided by their L2 norm
    or by 1e-12 if that is larger. LIPSCHITZ: row / (1 + its L2 norm). SMOOTH_SQRT:
    sqrt(v + EPSILON) - sqrt(EPSILON), of absolute values, with their sign.
    """
    if normalization in (SQRT, SQRT_L2):
        # The squared norm of square roots is the sum of what they are roots of.
        factor = (
            factor_of_roots(_sum(row, normalization))
            if normalization == SQRT_L2
            else 1.0
        )
        for k in range(row.shape[0]):
            row[k] = math.copysign(math.sqrt(abs(row[k])) * factor, row[k])
    elif normalization == LIPSCHITZ:
        factor = 1.0 / (1.0 + math.sqrt(_sum(row, normalization)))
        for k in range(row.shape[0]):
            row[k] *= factor
    elif normalization == SMOOTH_SQRT:
        for k in range(row.shape[0]):
            size = abs(row[k])
            # The difference of the roots, without its cancellation.
            root = size / (math.sqrt(size + EPSILON) + math.sqrt(EPSILON))
            row[k] = math.copysign(root, row[k])


@exact
def factor_of_roots(total: float) -> float:
    """Return what square roots of numbers with this sum are multiplied by."""
    return 1.0 / max(math.sqrt(total), LEAST_NORM)


@exact
def _sum(row: NDArray[np.float64], normalization: int) -> float:
    """Sum absolute values (SQRT_L2) or squares (LIPSCHITZ), in eight sums side by side.

    One sum would wait for each addition to end before the next. The order is fixed
    here, so that the compiler need not be allowed to change it.
    """
    s0, s1, s2, s3, s4, s5, s6, s7 = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    n = row.shape[0]
    for k in range(0, n - 7, 8):
        s0 += _term(row[k], normalization)
        s1 += _term(row[k + 1], normalization)
        s2 += _term(row[k + 2], normalization)
        s3 += _term(row[k + 3], normalization)
        s4 += _term(row[k + 4], normalization)
        s5 += _term(row[k + 5], normalization)
        s6 += _term(row[k + 6], normalization)
        s7 += _term(row[k + 7], normalization)
    for k in range(n - n % 8, n):
        s0 += _term(row[k], normalization)
    return ((s0 + s4) + (s1 + s5)) + ((s2 + s6) + (s3 + s7))


@exact
def _term(value: float, normalization: int) -> float:
    return abs(value) if normalization == SQRT_L2 else value * value


def normalize_rows(
    rows: NDArray[np.float64], normalization: int
) -> NDArray[np.float64]:
    """Return what :func:`normalize_row` makes of each row, bit for bit, in numpy.

    And where sums overflow, what it would without that.
    """
    if normalization == RAW:
        return rows
    if normalization == SQRT:
        return np.copysign(np.sqrt(np.abs(rows)), rows)
    if normalization == SMOOTH_SQRT:
        sizes = np.abs(rows)
        roots = sizes / (np.sqrt(sizes + EPSILON) + math.sqrt(EPSILON))
        return np.copysign(roots, rows)
    with np.errstate(over="ignore"):
        sums = _sums(np.abs(rows) if normalization == SQRT_L2 else rows * rows)
    if normalization == LIPSCHITZ:
        norms = np.sqrt(sums)
        for huge in np.flatnonzero(np.isinf(norms)):
            norms[huge] = math.hypot(*rows[huge])
        return rows * (1.0 / (1.0 + norms))[:, np.newaxis]
    overflows = np.isinf(sums)
    if overflows.any():
        rows = np.where(overflows[:, np.newaxis], rows / rows.shape[1], rows)
        sums[overflows] = _sums(np.abs(rows[overflows]))
    factors = (1.0 / np.maximum(np.sqrt(sums), LEAST_NORM))[:, np.newaxis]
    return np.copysign(np.sqrt(np.abs(rows)) * factors, rows)


def _sums(terms: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the sum of each row, in the order of :func:`_sum`."""
    whole = terms.shape[1] - terms.shape[1] % 8
    sums = np.zeros((len(terms), 8))
    for k in range(0, whole, 8):
        sums += terms[:, k : k + 8]
    for k in range(whole, terms.shape[1]):
        sums[:, 0] += terms[:, k]
    pairs = sums[:, :4] + sums[:, 4:]
    return (pairs[:, 0] + pairs[:, 1]) + (pairs[:, 2] + pairs[:, 3])
