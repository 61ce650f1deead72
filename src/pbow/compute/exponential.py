"""exp(x) for x <= 0 as straight-line arithmetic, which the compiler vectorises.

The C library's exp is a call and keeps a loop from being vectorised. Here x is split as
n log 2 + r with |r| <= log(2) / 2; exp(r) = 1 + r + r**2 q(r), where the polynomial q
interpolates at Chebyshev points, to 2e-15 of exp(r) (float32: 1e-8); and 2**n is made
from its bits. Results below the smallest normal number, 2e-308 (float32: 1e-38), are 0.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import ir
from numba import njit, types
from numba.extending import intrinsic, overload

__all__ = ["bits_of_64", "exp32", "exp64", "exponential"]

LOG2_E = 1.4426950408889634
# log(2) in two pieces: the first has trailing zeros, so that n * LOG_2_HIGH is exact.
LOG_2_HIGH = 6.93147180369123816490e-01
LOG_2_LOW = 1.90821492927058770002e-10
# Adding this to a small number leaves the nearest whole one in the lowest bits, plus
# the bias of an exponent: shifted to the left, they are those of a power of two.
ROUND_64 = 6755399441055744.0 + 1023.0
ROUND_32 = np.float32(12582912.0 + 127.0)
# Multiply and add may round once instead of twice; nothing else is relaxed.
CONTRACT = {"contract"}
SMALLEST_64 = -708.3
SMALLEST_32 = np.float32(-87.3)
LOG2_E_32 = np.float32(LOG2_E)
LOG_2_HIGH_32 = np.float32(0.693359375)
LOG_2_LOW_32 = np.float32(-2.12194440e-4)


def _reinterpret(source: Any, target: Any, target_bits: Any) -> Any:
    """Return a compiled function that reads the bits of one type as another."""

    def typed(_: Any, x: Any) -> Any:
        def code(_: Any, builder: Any, __: Any, args: Any) -> Any:
            return builder.bitcast(args[0], target_bits)

        return target(source), code

    return intrinsic(typed)


bits_of_64 = _reinterpret(types.float64, types.int64, ir.IntType(64))
_float_of_64 = _reinterpret(types.int64, types.float64, ir.DoubleType())
_bits_of_32 = _reinterpret(types.float32, types.int32, ir.IntType(32))
_float_of_32 = _reinterpret(types.int32, types.float32, ir.FloatType())


@njit(nogil=True, cache=True, fastmath=CONTRACT)
def exp64(x: float) -> float:
    """Return exp(x) of a float64 x <= 0 to about 2e-15, relative; exp(-inf) is 0."""
    clipped = x if x > SMALLEST_64 else SMALLEST_64
    shifted = clipped * LOG2_E + ROUND_64
    n = shifted - ROUND_64
    r = (clipped - n * LOG_2_HIGH) - n * LOG_2_LOW
    r2 = r * r
    r4 = r2 * r2
    # Pairs first, not Horner's chain: a processor works on them at the same time.
    q0 = 0.1666666666664829 * r + 0.5
    q2 = 0.008333333353729397 * r + 0.04166666666665136
    q4 = 0.00019841208732536384 * r + 0.0013888888905881542
    q6 = 2.762511557828763e-06 * r + 2.4801536388690766e-05
    q = ((2.761380686153829e-07 * r4 + (q6 * r2 + q4)) * r4) + (q2 * r2 + q0)
    y = (q * r2 + r) + 1.0
    y *= _float_of_64(bits_of_64(shifted) << 52)
    return y if x > SMALLEST_64 else 0.0


@njit(nogil=True, cache=True, fastmath=CONTRACT)
def exp32(x: np.float32) -> np.float32:
    """Return exp(x) of a float32 x <= 0 to about 2e-7, relative; exp(-inf) is 0."""
    clipped = x if x > SMALLEST_32 else SMALLEST_32
    shifted = clipped * LOG2_E_32 + ROUND_32
    n = shifted - ROUND_32
    r = (clipped - n * LOG_2_HIGH_32) - n * LOG_2_LOW_32
    r2 = r * r
    q0 = np.float32(0.16666576989698775) * r + np.float32(0.5)
    q2 = np.float32(0.008363179052722578) * r + np.float32(0.041666554617204574)
    q = (np.float32(0.0013926183587713494) * r2 + q2) * r2 + q0
    y = (q * r2 + r) + np.float32(1.0)
    y *= _float_of_32(_bits_of_32(shifted) << np.int32(23))
    return y if x > SMALLEST_32 else np.float32(0.0)


def exponential(x: Any) -> Any:
    """Return exp(x) in the precision of x; only for compiled code."""
    raise TypeError(x)


@overload(exponential, jit_options={"nogil": True})
def _exponential(x):  # type: ignore[no-untyped-def]
    # Numba wants an implementation with the same arguments, not a compiled function.
    if x == types.float32:
        return lambda x: exp32(x)  # noqa: PLW0108
    return lambda x: exp64(x)  # noqa: PLW0108
