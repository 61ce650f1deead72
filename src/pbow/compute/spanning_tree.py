"""Minimum spanning trees of matrices of distances."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from pbow.compute.jit import loop

__all__ = ["spanning_tree"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@loop
def spanning_tree(distances: Floats, limit: float) -> tuple[Ints, Floats]:
    """Return ends (the smaller first) and lengths of the edges of the minimum tree.

    Edges are ordered by length, equal ones by their larger end, then by the smaller
    one, so there is one minimum tree. Of points that no edges up to the limit, which is
    finite, join there is a tree for each component. Prim's algorithm: n_points squared.
    """
    n = distances.shape[0]
    ends = np.empty((max(n - 1, 0), 2), np.int64)
    lengths = np.empty(max(n - 1, 0))
    n_edges = 0
    # Outside the tree, and of each the shortest edge to the tree.
    outside = np.arange(n)
    shortest = np.full(n, math.inf)
    nearest = np.zeros(n, np.int64)
    place = 0
    for n_outside in range(n - 1, 0, -1):
        added = outside[place]
        outside[place] = outside[n_outside]
        place, best, length = -1, -1, math.inf
        for k in range(n_outside):
            v = outside[k]
            d = distances[added, v]
            if d <= limit and (
                d < shortest[v] or (d == shortest[v] and added < nearest[v])
            ):
                shortest[v] = d
                nearest[v] = added
            d = shortest[v]
            if d > length:
                continue
            if d == length and best >= 0:
                larger, other = max(v, nearest[v]), max(best, nearest[best])
                if larger > other or (
                    larger == other and min(v, nearest[v]) > min(best, nearest[best])
                ):
                    continue
            place, best, length = k, v, d
        if length <= limit:
            ends[n_edges, 0] = min(best, nearest[best])
            ends[n_edges, 1] = max(best, nearest[best])
            lengths[n_edges] = length
            n_edges += 1
    return ends[:n_edges], lengths[:n_edges]
