"""A heap in two arrays: keys, the least of which is first, and an item for each.

An item is not moved when its key gets smaller, but put in again.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from pbow.compute.jit import helper

__all__ = ["sift_down", "sift_up", "without_outdated"]

Floats = NDArray[np.float64]
Ids = NDArray[np.int32]

# Of a node of the heap: with four the heap is half as high as with two, and the way up,
# which is the usual one, half as long.
BRANCHES = 4


@helper
def sift_down(keys: Floats, items: Ids, size: int, key: float, item: Any) -> None:
    """Put an item into the heap of this size from the top, where there is a gap."""
    hole, child = 0, 1
    while child < size:
        least, least_key = child, keys[child]
        for other in range(child + 1, min(child + BRANCHES, size)):
            if keys[other] < least_key:
                least, least_key = other, keys[other]
        if least_key >= key:
            break
        keys[hole], items[hole] = least_key, items[least]
        hole = least
        child = BRANCHES * hole + 1
    keys[hole], items[hole] = key, item


@helper
def sift_up(keys: Floats, items: Ids, size: int, key: float, item: Any) -> None:
    """Put an item into the heap of this size from the bottom."""
    hole = size
    while hole > 0:
        up = (hole - 1) // BRANCHES
        if keys[up] <= key:
            break
        keys[hole], items[hole] = keys[up], items[up]
        hole = up
    keys[hole], items[hole] = key, item


@helper
def without_outdated(keys: Floats, items: Ids, size: int, current: Floats) -> int:
    """Take first items out whose keys are not ``current[item]``; return the size."""
    while size > 0 and keys[0] > current[items[0]]:
        size -= 1
        sift_down(keys, items, size, keys[size], items[size])
    return size
