"""What a page leaves out if there is no room: points, digits, diagrams."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = [
    "most_per_diagram",
    "round_off",
    "round_points",
    "rows_to_keep",
    "spread",
]

# Half of a step is 1.2e-10, an eighth of what may differ between page and Python.
STEPS = 2.0**32


def most_per_diagram(sizes: NDArray[np.int64], n_points: int, most: int) -> int:
    """Return the largest cap, up to `most`, that leaves at most `n_points` in all."""
    caps = range(1, most + 1)
    return bisect_right(caps, n_points, key=lambda cap: np.minimum(sizes, cap).sum())


def rows_to_keep(diagram: NDArray[np.float64], cap: int) -> NDArray[np.intp]:
    """Return the rows of at most `cap` points of a diagram, in order.

    They are at even steps in the order of persistence, from the most persistent one on:
    few points still look like the diagram.
    """
    n = len(diagram)
    if n <= cap:
        return np.arange(n)
    order = np.argsort(diagram[:, 0] - diagram[:, 1], kind="stable")
    return np.sort(order[np.arange(cap) * n // cap])


def round_off(vectors: NDArray[np.floating[Any]]) -> NDArray[np.floating[Any]]:
    """Return numbers rounded to 2**-32, so that their last bits deflate.

    Those of a million and more stay as they are; they may be too large to be
    multiplied.
    """
    rounded = vectors.copy()
    is_small = np.abs(vectors) < 2.0**20
    rounded[is_small] = np.rint(vectors[is_small] * STEPS) / STEPS
    return rounded


def round_points(
    points: NDArray[np.float64], axes: Sequence[float]
) -> NDArray[np.float64]:
    """Return points rounded to what can be seen: 2**-24 of the width of the axes.

    `axes` are left, right, bottom and top.
    """
    left, right, bottom, top = axes
    widths = np.array([right - left, top - bottom])
    steps = np.exp2(np.floor(np.log2(widths)) - 24.0)
    if steps.min() < 1e-200:  # where rounding would overflow
        return points
    rounded: NDArray[np.float64] = np.rint(points / steps) * steps
    return rounded


def spread(members: NDArray[np.int64], n_kept: int) -> NDArray[np.intp]:
    """Return the rows of `n_kept` samples, at even steps through each label.

    Steps through the file would lose labels that alternate in step with them.
    """
    by_label = np.argsort(members, kind="stable")
    return np.sort(by_label[np.arange(n_kept) * len(members) // n_kept])
