"""Loops of a ball that grows on a surface, by union-find on the dual graph.

Vertices enter one by one, and edges and triangles with the last of their vertices; an
edge has at most two triangles. The ball stays connected: every vertex but the first one
has a neighbor that entered before. In the persistence pairing over Z/2 every edge is
one of three:

* it joins two components of what has come before, and pairs with a vertex;
* it closes a loop, and pairs with the triangle that fills it;
* it closes a loop that is never filled: an essential class.

Of the first kind is the first edge of every new vertex, and no other. For the second,
look at the boundary matrix with a row for each edge and a column for each triangle. A
row has at most two entries; let one more column, "outside", take those that are
missing. Then rows are the edges of a graph whose vertices are the triangles and the
outside: the dual graph. Reducing the matrix by rows from the last to the first gives
the same pairs as by columns from the first to the last (de Silva, Morozov,
Vejdemo-Johansson 2011), and this is the persistence of components of the dual graph as
it grows in reverse: where an edge joins two of them, it pairs with the younger of their
elders, that is with the triangle that entered first. The outside is older than all: it
is essential.

All this is for one total order of simplices: vertices in their order, after each one
its edges to earlier ones in the order of its list of neighbors, after these its
triangles by index. So an edge of the first kind joins nothing in the dual graph, and
one that does neither is of the third.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from pbow.compute.geodesic import shortest_paths
from pbow.compute.jit import loop
from pbow.compute.union_find import find

__all__ = ["geodesic_loops"]

Floats = NDArray[np.float64]
Ids = NDArray[np.int32]
Ints = NDArray[np.int64]


@loop
def geodesic_loops(
    source: int,
    starts: Ids,
    neighbors: Ids,
    lengths: Floats,
    edge_ids: Ids,
    sides: Ids,
    triangles: Ids,
) -> tuple[Floats, Ints]:
    """Return the points of H1 of the geodesic ball about a vertex, by falling birth.

    Beside them are the vertices of birth and of death, -1 if there is none.

    Vertex v has the ``neighbors`` at ``starts[v]:starts[v + 1]``, by edges with the
    ``lengths`` and ``edge_ids`` at the same places. The triangles of edge e are
    ``sides[e]``, the outside being n_triangles. A vertex that is not reached never
    enters. Points with birth equal to death are left out. Cost: n_edges *
    log(n_vertices).
    """
    n_vertices = starts.shape[0] - 1
    outside = triangles.shape[0]
    distances = np.empty(n_vertices)
    order = np.empty(n_vertices, np.int32)
    n_reached = shortest_paths(source, starts, neighbors, lengths, distances, order)
    rank = np.zeros(n_vertices, np.int32)
    for r in range(n_reached):
        rank[order[r]] = r
    entry = np.empty(outside + 1, np.int32)
    for t in range(outside):
        a, b, c = triangles[t, 0], triangles[t, 1], triangles[t, 2]
        entry[t] = max(rank[a], rank[b], rank[c])
    entry[outside] = n_reached
    parent = np.arange(outside + 1).astype(np.int32)
    points = np.empty((64, 2))
    places = np.empty((64, 2), np.int64)
    n_points = 0
    for r in range(n_reached - 1, 0, -1):
        v = order[r]
        birth = distances[v]
        first = starts[v]
        while rank[neighbors[first]] > r:
            first += 1
        for k in range(starts[v + 1] - 1, first, -1):
            if rank[neighbors[k]] > r:
                continue
            e = edge_ids[k]
            younger, elder = find(parent, sides[e, 0]), find(parent, sides[e, 1])
            death, place = math.inf, -1
            if younger != elder:
                if entry[younger] > entry[elder] or (
                    entry[younger] == entry[elder] and younger > elder
                ):
                    younger, elder = elder, younger
                parent[younger] = elder
                place = order[entry[younger]]
                death = distances[place]
            if birth < death:
                if n_points == points.shape[0]:
                    points = np.concatenate((points, np.empty_like(points)))
                    places = np.concatenate((places, np.empty_like(places)))
                points[n_points, 0] = birth
                points[n_points, 1] = death
                places[n_points, 0] = v
                places[n_points, 1] = place
                n_points += 1
    return points[:n_points].copy(), places[:n_points].copy()
