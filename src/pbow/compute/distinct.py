"""Distinct points of diagrams, with how many times each is there.

Diagrams of graphs and of images repeat points: what is linear in the points of a
diagram, or worse, need look at each of them once only.
"""

from __future__ import annotations

from itertools import pairwise
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
    off = points[:, 1] > points[:, 0]
    diagram = np.repeat(np.arange(n_diagrams), np.diff(offsets))[off]
    ends = np.concatenate(([0], np.cumsum(np.bincount(diagram, minlength=n_diagrams))))
    # Complex numbers are sorted by their real, then by their imaginary part.
    pairs = points[off].view(np.complex128).ravel()
    for start, stop in pairwise(ends.tolist()):
        pairs[start:stop].sort()
    is_new = np.ones(len(pairs), np.bool_)
    is_new[1:] = (diagram[1:] != diagram[:-1]) | (pairs[1:] != pairs[:-1])
    first = np.flatnonzero(is_new)
    counts = np.diff(first, append=len(pairs))
    sizes = np.bincount(diagram[first], minlength=n_diagrams)
    found = pairs[first].view(np.float64).reshape(-1, 2)
    return Distinct(found, counts, np.concatenate(([0], np.cumsum(sizes))))
