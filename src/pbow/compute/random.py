"""A counter-based random generator: draw ``i`` of a stream is a function of ``i``.

Draw ``i`` is the SplitMix64 generator's output at position ``i``: a bijection of 64-bit
numbers, so that any block of the data can be drawn for on its own, in any order.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from pbow.compute.jit import inlined, interpreted

__all__ = ["draw_bits", "draw_unit", "fill_bits", "fill_units", "stream_of"]

STEP = np.uint64(0x9E3779B97F4A7C15)
FIRST_MULTIPLIER = np.uint64(0xBF58476D1CE4E5B9)
SECOND_MULTIPLIER = np.uint64(0x94D049BB133111EB)


@inlined
def draw_bits(stream: np.uint64, i: np.uint64) -> np.uint64:
    """Return 64 random bits: draw ``i`` (uint64) of ``stream`` (uint64)."""
    z = stream + (i + np.uint64(1)) * STEP
    z = (z ^ (z >> np.uint64(30))) * FIRST_MULTIPLIER
    z = (z ^ (z >> np.uint64(27))) * SECOND_MULTIPLIER
    return z ^ (z >> np.uint64(31))


@inlined
def draw_unit(stream: np.uint64, i: np.uint64) -> np.float64:
    """Return draw ``i`` as a float64 in [0, 1), a multiple of 2**-53."""
    return np.float64(draw_bits(stream, i) >> np.uint64(11)) * 2.0**-53


def fill_bits(stream: np.uint64, out: NDArray[np.uint64], first: int = 0) -> None:
    """Write draws ``first``, ``first + 1``, ... of ``stream`` to ``out``, by numpy."""
    draws = np.arange(first, first + len(out), dtype=np.uint64)
    # The same arithmetic, on arrays, where nothing warns of an overflow.
    draw: Any = interpreted(draw_bits)
    out[:] = draw(stream, draws)


def fill_units(stream: np.uint64, out: NDArray[np.float64], first: int = 0) -> None:
    """Write them as :func:`draw_unit` does."""
    bits = np.empty(len(out), np.uint64)
    fill_bits(stream, bits, first)
    out[:] = (bits >> np.uint64(11)).astype(np.float64) * 2.0**-53


def stream_of(seed: int, purpose: int) -> np.uint64:
    """Return the stream of a seed for one purpose; others look independent of it."""
    mask = (1 << 64) - 1
    z = ((seed & mask) + (purpose + 1) * int(SECOND_MULTIPLIER)) & mask
    for multiplier in (int(FIRST_MULTIPLIER), int(SECOND_MULTIPLIER)):
        z = ((z ^ (z >> 30)) * multiplier) & mask
    return np.uint64(z ^ (z >> 31))
