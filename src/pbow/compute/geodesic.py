"""Shortest paths along the edges of a graph, by Dijkstra's algorithm.

The neighbors of vertex v are ``neighbors[starts[v]:starts[v + 1]]``, and the edges to
them have the ``lengths`` at the same places, which are not negative.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from pbow.compute.heap import sift_down, sift_up
from pbow.compute.jit import loop

__all__ = ["shortest_paths"]

Floats = NDArray[np.float64]
Ids = NDArray[np.int32]


@loop
def shortest_paths(
    source: int,
    starts: Ids,
    neighbors: Ids,
    lengths: Floats,
    distances: Floats,
    order: Ids,
) -> int:
    """Set ``distances`` from the source, and ``order`` to what is reached, by distance.

    Return how many are reached; the distance of the others is inf. A length is added to
    the distance up to it, so a distance is the least of the sums along the paths from
    the source, each rounded in its order. Cost: n_edges * log(n_vertices).
    """
    distances[:] = math.inf
    distances[source] = 0.0
    # A vertex is put in again when a shorter way is found, at most once an edge. What
    # is left of longer ways is passed over when it comes out.
    keys = np.empty(neighbors.shape[0] + 1)
    items = np.empty(neighbors.shape[0] + 1, np.int32)
    keys[0], items[0] = 0.0, source
    size, n_reached = 1, 0
    while size > 0:
        key, v = keys[0], items[0]
        size -= 1
        sift_down(keys, items, size, keys[size], items[size])
        if key > distances[v]:
            continue
        order[n_reached] = v
        n_reached += 1
        for k in range(starts[v], starts[v + 1]):
            u = neighbors[k]
            way = key + lengths[k]
            if way < distances[u]:
                distances[u] = way
                sift_up(keys, items, size, way, u)
                size += 1
    return n_reached
