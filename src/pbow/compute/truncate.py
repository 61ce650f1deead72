"""Whether numbers keep their order if their last bits are cut off."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from pbow.compute.jit import loop

__all__ = ["are_told_apart"]

Words = NDArray[np.uint64]

SPREAD = np.uint64(0x9E3779B97F4A7C15)  # 2**64 divided by the golden ratio: odd
ONE = np.uint64(1)
NEGATIVE_ZERO = np.uint64(2**63)


@loop
def are_told_apart(words: Words, n_bits: Any) -> bool:
    """Return whether no two words differ in their last ``n_bits`` bits alone.

    And whether none is cut to -0.0, which is not below 0.0. ``n_bits`` is a uint64. One
    word for each cut one stands in a hash table of at least twice as many places. Cost:
    n_words.
    """
    n = words.shape[0]
    n_places, shift = 2, np.uint64(63)
    while n_places < 2 * n:
        n_places *= 2
        shift -= ONE
    first = np.full(n_places, -1, np.int64)
    for i in range(n):
        cut = words[i] >> n_bits
        if cut == NEGATIVE_ZERO >> n_bits:
            return False
        place = np.int64((cut * SPREAD) >> shift)
        while first[place] >= 0 and words[first[place]] >> n_bits != cut:
            place = (place + 1) % n_places
        if first[place] < 0:
            first[place] = i
        elif words[first[place]] != words[i]:
            return False
    return True
