"""Distinct points of diagrams, with how many times each is there.

Diagrams of graphs and of images repeat points: what is linear in the points of a
diagram, or worse, need look at each of them once only.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

__all__ = ["Distinct", "distinct_points"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


class Distinct(NamedTuple):
    """Points off the diagonal, each once, and how many times it is there."""

    points: Floats
    counts: Ints
    offsets: Ints


def distinct_points(points: Floats, offsets: Ints) -> Distinct:
    """Return the distinct points off the diagonal, sorted by birth, then by death.

    Cost: a sort of all points.
    """
    n_diagrams = len(offsets) - 1
    diagram = np.repeat(np.arange(n_diagrams), np.diff(offsets))
    off = points[:, 1] > points[:, 0]
    points, diagram = points[off], diagram[off]
    order = np.lexsort((points[:, 1], points[:, 0], diagram))
    points, diagram = points[order], diagram[order]
    is_new = np.ones(len(points), np.bool_)
    is_new[1:] = (diagram[1:] != diagram[:-1]) | (points[1:] != points[:-1]).any(axis=1)
    first = np.flatnonzero(is_new)
    counts = np.diff(first, append=len(points))
    sizes = np.bincount(diagram[first], minlength=n_diagrams)
    return Distinct(points[first], counts, np.concatenate(([0], np.cumsum(sizes))))
