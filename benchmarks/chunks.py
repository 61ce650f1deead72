"""Chunks of whole diagrams in threads, for peers that are written in numpy."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise

import numpy as np

from pbow import Diagrams

__all__ = ["born_and_persistent", "cut", "in_threads", "sum_by_diagram"]


def born_and_persistent(X: Diagrams) -> np.ndarray:
    """Return birth and persistence of all points, in the order of the diagrams."""
    return np.column_stack((X.points[:, 0], X.points[:, 1] - X.points[:, 0]))


def cut(X: Diagrams, n_points: int) -> list[tuple[int, int]]:
    """Return ranges of diagrams of about `n_points` points each."""
    targets = np.arange(n_points, len(X.points), n_points)
    ends = np.unique(np.searchsorted(X.offsets, targets))
    cuts = np.unique(np.concatenate(([0], ends, [len(X)]))).tolist()
    return list(pairwise(cuts))


def in_threads(
    work: Callable[[int, int], None], ranges: list[tuple[int, int]], n_threads: int
) -> None:
    """Call ``work`` on all ranges; every thread takes a share of them at once."""

    def several(thread: int) -> None:
        for first, last in ranges[thread::n_threads]:
            work(first, last)

    n_threads = min(n_threads, len(ranges))
    if n_threads == 1:
        several(0)
        return
    with ThreadPoolExecutor(n_threads) as pool:
        list(pool.map(several, range(n_threads)))


def sum_by_diagram(values: np.ndarray, offsets: np.ndarray, out: np.ndarray) -> None:
    """Set ``out[d]`` to the sum of the rows of diagram d; ``out`` starts as zeros."""
    filled = np.flatnonzero(np.diff(offsets))  # reduceat has no empty sums
    out[filled] = np.add.reduceat(values, offsets[:-1][filled] - offsets[0], axis=0)
