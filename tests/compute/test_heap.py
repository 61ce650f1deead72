import numpy as np
import pytest
from numba import njit

from pbow.compute import heap


# Loops call them, and Python cannot.
@njit
def sift_up(keys, items, size, key, item):
    heap.sift_up(keys, items, size, key, item)


@njit
def sift_down(keys, items, size, key, item):
    heap.sift_down(keys, items, size, key, item)


@njit
def without_outdated(keys, items, size, current):
    return heap.without_outdated(keys, items, size, current)


def filled(values):
    keys, items = np.empty(len(values)), np.empty(len(values), np.int32)
    for size, key in enumerate(values):
        sift_up(keys, items, size, key, size)
    return keys, items


@pytest.mark.parametrize("n", [1, 2, 5, 6, 22, 300])
def test_items_leave_by_their_keys(rng, n):
    values = rng.integers(0, n, size=n).astype(float)
    keys, items = filled(values)
    taken = []
    for size in range(n - 1, -1, -1):
        taken.append((keys[0], int(items[0])))
        sift_down(keys, items, size, keys[size], items[size])
    assert [key for key, _ in taken] == sorted(values)
    assert sorted(item for _, item in taken) == list(range(n))
    assert all(values[item] == key for key, item in taken)


def test_items_that_came_in_again_with_a_smaller_key_are_taken_once():
    keys, items = np.empty(6), np.empty(6, np.int32)
    for size, (key, item) in enumerate([(5.0, 0), (4.0, 1), (6.0, 2), (1.0, 0)]):
        sift_up(keys, items, size, key, item)
    current = np.array([1.0, 4.0, 6.0])
    assert without_outdated(keys, items, 4, current) == 4
    # Item 0 is done: the key with which it came first is outdated, once it is on top.
    sift_down(keys, items, 3, keys[3], items[3])
    current[:2] = -np.inf
    assert without_outdated(keys, items, 3, current) == 1
    assert (keys[0], items[0]) == (6.0, 2)
