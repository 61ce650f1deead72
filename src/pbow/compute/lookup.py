"""Which of many numbers is equal to each of some."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from pbow.compute.jit import loop

__all__ = ["only_places"]

Words = NDArray[np.uint64]
Ints = NDArray[np.int64]

SPREAD = np.uint64(0x9E3779B97F4A7C15)  # 2**64 divided by the golden ratio: odd
ONE = np.uint64(1)
FINER = np.uint64(4)  # bits
NONE = np.uint64(2**64 - 1)


@loop
def only_places(words: Words, wanted: Words, found: Ints) -> Any:
    """Set the place among ``words`` of each wanted one; return if it is the only one.

    Words are bits of floats other than NaN, and every wanted one is there. If one is
    there twice, ``found`` is not finished. Wanted words stand in a hash table, and a
    larger one of flags tells most others apart. Cost: n_words and n_wanted.
    """
    n = wanted.shape[0]
    n_slots, shift = 2, np.uint64(63)
    while n_slots < 2 * n:
        n_slots *= 2
        shift -= ONE
    table = np.full(n_slots, NONE)
    places = np.full(n_slots, -1, np.int64)
    last = n_slots - 1
    finer = shift - FINER
    is_wanted = np.zeros(n_slots << np.int64(FINER), np.bool_)
    for i in range(n):
        hashed = wanted[i] * SPREAD
        is_wanted[hashed >> finer] = True
        slot = np.int64(hashed >> shift)
        while table[slot] != NONE and table[slot] != wanted[i]:
            slot = (slot + 1) & last
        table[slot] = wanted[i]
    for k in range(words.shape[0]):
        word = words[k]
        hashed = word * SPREAD
        if not is_wanted[hashed >> finer]:
            continue
        slot = np.int64(hashed >> shift)
        while table[slot] != NONE:
            if table[slot] == word:
                if places[slot] >= 0:
                    return False
                places[slot] = k
                break
            slot = (slot + 1) & last
    for i in range(n):
        slot = np.int64((wanted[i] * SPREAD) >> shift)
        while table[slot] != wanted[i]:
            slot = (slot + 1) & last
        found[i] = places[slot]
    return True
