"""0.5**d for d >= 0 as straight-line arithmetic, which the compiler vectorises.

The C library's exp is a call and keeps a loop from being vectorized. A power of two
needs less than exp: -d is split into a whole number n and r with |r| <= 1/2, exactly;
2**r = 1 + r q(r), where the polynomial q interpolates at Chebyshev points, to 6e-16 of
2**r (float32: 1e-8); and 2**n is made from its bits. From d = 1022.5 on (float32:
126.5), where the smallest normal numbers are, results are 0; so is that of NaN.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import ir
from numba import config, types
from numba.extending import intrinsic, overload

from pbow.compute.jit import contracted_helper

__all__ = [
    "bits_of_64",
    "float_of_64",
    "half_to",
    "half_to_32",
    "half_to_64",
]

# Adding this to a small number leaves the nearest whole one in the lowest bits, plus
# the bias of an exponent: shifted to the left, they are those of a power of two.
ROUND_64 = 6755399441055744.0 + 1023.0
ROUND_32 = np.float32(12582912.0 + 127.0)
# Here the bits of that power are all 0, and so is the result.
LAST_64 = 1023.0
LAST_32 = np.float32(127.0)


def _reinterpret(source: Any, target: Any, target_bits: Any) -> Any:
    """Return a compiled function that reads the bits of one type as another."""
    if config.DISABLE_JIT:  # type: ignore[attr-defined]
        return lambda x: np.dtype(str(source)).type(x).view(str(target))

    def typed(_: Any, x: Any) -> Any:
        def code(_: Any, builder: Any, __: Any, args: Any) -> Any:
            return builder.bitcast(args[0], target_bits)

        return target(source), code

    return intrinsic(typed)


bits_of_64 = _reinterpret(types.float64, types.int64, ir.IntType(64))
float_of_64 = _reinterpret(types.int64, types.float64, ir.DoubleType())
_bits_of_32 = _reinterpret(types.float32, types.int32, ir.IntType(32))
_float_of_32 = _reinterpret(types.int32, types.float32, ir.FloatType())


@contracted_helper
def half_to_64(d: float) -> float:
    """Return 0.5**d of a float64 d >= 0 to about 1e-15, relative."""
    d = d if d < LAST_64 else LAST_64
    shifted = ROUND_64 - d
    s = d + (shifted - ROUND_64)  # -r
    s2 = s * s
    s4 = s2 * s2
    # Pairs first, not Horner's chain: a processor works on them at the same time.
    q0 = 0.24022650695910075 * s - 0.6931471805599462
    q2 = 0.009618129107618665 * s - 0.05550410866465167
    q4 = 0.00015403530424776529 * s - 0.0013333558200794592
    q6 = 1.3215451633221434e-06 * s - 1.5252672924850737e-05
    q8 = 7.070977866508138e-09 * s - 1.0205905413765595e-07
    q = (q2 * s2 + q0) + s4 * ((q6 * s2 + q4) + q8 * s4)
    power: float = float_of_64(bits_of_64(shifted) << 52)
    return (q * s + 1.0) * power


@contracted_helper
def half_to_32(d: np.float32) -> np.float32:
    """Return 0.5**d of a float32 d >= 0 to about 2e-7, relative."""
    d = d if d < LAST_32 else LAST_32
    shifted = ROUND_32 - d
    s = d + (shifted - ROUND_32)
    s2 = s * s
    q0 = np.float32(0.24022650718688965) * s - np.float32(0.6931471824645996)
    q2 = np.float32(0.009618083015084267) * s - np.float32(0.055503569543361664)
    q4 = np.float32(0.00015453163359779865) * s - np.float32(0.0013390863314270973)
    q = (q4 * s2 + q2) * s2 + q0
    power: np.float32 = _float_of_32(_bits_of_32(shifted) << np.int32(23))
    return (q * s + np.float32(1.0)) * power


def half_to(d: Any) -> Any:
    """Return 0.5**d in the precision of d; for loops only."""
    if not config.DISABLE_JIT:  # type: ignore[attr-defined]
        raise TypeError(d)
    return half_to_32(d) if isinstance(d, np.float32) else half_to_64(d)


@overload(half_to, jit_options={"nogil": True})
def _half_to(d):  # type: ignore[no-untyped-def]
    # Numba wants an implementation with the same arguments, not a compiled function.
    if d == types.float32:
        return lambda d: half_to_32(d)  # noqa: PLW0108
    return lambda d: half_to_64(d)  # noqa: PLW0108
