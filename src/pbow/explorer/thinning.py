"""Fewer points, for drawing alone."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from pbow.diagrams import Diagrams

__all__ = ["most_per_diagram", "thin_out"]


def most_per_diagram(sizes: NDArray[np.int64], n_points: int, most: int) -> int:
    """Return the largest cap, up to `most`, that leaves at most `n_points` in all.

    Parameters
    ----------
    sizes : ndarray of int
        Number of points of each diagram.
    n_points : int
        How many may stay.
    most : int
        No diagram keeps more.

    Returns
    -------
    cap : int
        Each diagram may keep so many points.
    """
    low, high = 0, most
    while low < high:
        cap = (low + high + 1) // 2
        if np.minimum(sizes, cap).sum() <= n_points:
            low = cap
        else:
            high = cap - 1
    return low


def thin_out(part: Diagrams, cap: int) -> Sequence[NDArray[np.float64]]:
    """Return at most `cap` points of each diagram.

    Those that stay are at even steps in the order of persistence, from the most
    persistent one on: few points still look like the diagram.
    """
    return [_thinned(diagram, cap) for diagram in part]


def _thinned(diagram: NDArray[np.float64], cap: int) -> NDArray[np.float64]:
    n = len(diagram)
    if n <= cap:
        return diagram
    order = np.argsort(diagram[:, 0] - diagram[:, 1], kind="stable")
    return diagram[np.sort(order[np.arange(cap) * n // cap])]
