"""Components of the sublevel sets of graphs, by union-find.

Conventions of the loops over graphs:

* graph g has the vertices ``nodes[g]:nodes[g + 1]`` of ``values`` and the edges
  ``offsets[g]:offsets[g + 1]`` of ``edges``, whose ends count from 0 in each graph;
* vertices enter one by one, by value, equal ones by index; the *rank* of a vertex is
  its place in this order. An edge enters with the later of its two ends;
* a component is known by its elder, the vertex of the lowest rank in it;
* ``edges`` and ``offsets`` are the read-only arrays of a collection of graphs.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from pbow.compute.jit import helper, loop

__all__ = [
    "count_neighbors",
    "find",
    "lower_stars",
    "mark_simple",
    "marks_of",
    "merge_components",
    "set_values",
    "sublevel_graphs",
]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Ids = NDArray[np.int32]

RUN = 16  # numbers that are sorted by insertion


@loop
def find(parent: Ids, x: int) -> int:
    """Return the root of ``x``; the path to it is halved on the way."""
    while parent[x] != x:
        parent[x] = parent[parent[x]]
        x = parent[x]
    return x


@loop
def mark_simple(
    edges: Ids, nodes: Ints, offsets: Ints, keep: NDArray[np.bool_]
) -> bool:
    """Set ``keep`` where an edge joins two vertices that no earlier edge joins.

    Return whether all vertices are there; if not, ``keep`` is not finished. Arrays are
    those of a collection in the making. Cost: n_vertices + n_edges.
    """
    for g in range(len(nodes) - 1):
        n = nodes[g + 1] - nodes[g]
        first, last = offsets[g], offsets[g + 1]
        starts = np.zeros(n + 1, np.int64)
        for e in range(first, last):
            a, b = edges[e, 0], edges[e, 1]
            if min(a, b) < 0 or max(a, b) >= n:
                return False
            starts[min(a, b) + 1] += 1
        for v in range(n):
            starts[v + 1] += starts[v]
        by_smaller_end = np.empty(last - first, np.int64)
        place = np.empty(n, np.int64)
        for v in range(n):
            place[v] = starts[v]
        for e in range(first, last):
            smaller = min(edges[e, 0], edges[e, 1])
            by_smaller_end[place[smaller]] = e
            place[smaller] += 1
        joined_to = np.empty(n, np.int64)
        for v in range(n):
            joined_to[v] = -1
        for v in range(n):
            for k in range(starts[v], starts[v + 1]):
                e = by_smaller_end[k]
                larger = max(edges[e, 0], edges[e, 1])
                keep[e] = larger != v and joined_to[larger] != v
                joined_to[larger] = v
    return True


@loop
def count_neighbors(edges: Ids, nodes: Ints, offsets: Ints, out: Floats) -> None:
    """Add to ``out`` the number of edges of each vertex of each graph."""
    for g in range(len(nodes) - 1):
        for e in range(offsets[g], offsets[g + 1]):
            out[nodes[g] + edges[e, 0]] += 1.0
            out[nodes[g] + edges[e, 1]] += 1.0


@helper
def _order(values: Floats) -> Ints:
    """Return the indices by value, equal ones by index.

    Whole numbers from 0 to n - 1, as degrees are, are counted and not compared.
    """
    n = values.shape[0]
    order = np.empty(n, np.int64)
    starts = np.zeros(n + 1, np.int64)
    for v in range(n):
        if not 0.0 <= values[v] < n or values[v] != int(values[v]):
            _merge_sort(values, order, starts)
            return order
        starts[int(values[v]) + 1] += 1
    for value in range(n):
        starts[value + 1] += starts[value]
    for v in range(n):
        value = int(values[v])
        order[starts[value]] = v
        starts[value] += 1
    return order


@helper
def _merge_sort(values: Floats, order: Ints, merged: Ints) -> None:
    """Set ``order`` as above; ``merged`` is scratch. np.argsort takes long to compile.

    Short runs are sorted by insertion, then merged in pairs.
    """
    n = values.shape[0]
    for v in range(n):
        value, place = values[v], v
        while place % RUN > 0 and values[order[place - 1]] > value:
            order[place] = order[place - 1]
            place -= 1
        order[place] = v
    width = RUN
    while width < n:
        for low in range(0, n, 2 * width):
            middle, high = min(low + width, n), min(low + 2 * width, n)
            i, j = low, middle
            for k in range(low, high):
                # Of equal ones that of the first run, whose indices are lower.
                if j == high or (i < middle and values[order[i]] <= values[order[j]]):
                    merged[k] = order[i]
                    i += 1
                else:
                    merged[k] = order[j]
                    j += 1
        for k in range(n):
            order[k] = merged[k]
        width *= 2


@loop
def merge_components(edges: Ints, n: int) -> Ints:
    """Return the vertex of lowest index of each component that dies, then of the rest.

    ``n`` vertices are there from the start; each of the edges, in their order, joins
    two components, of which that with the higher such vertex dies.
    """
    parent = np.arange(n).astype(np.int32)
    born = np.empty(n, np.int64)
    for k in range(edges.shape[0]):
        a, b = find(parent, edges[k, 0]), find(parent, edges[k, 1])
        born[k] = max(a, b)
        parent[born[k]] = min(a, b)
    row = edges.shape[0]
    for v in range(n):
        if parent[v] == v:
            born[row] = v
            row += 1
    return born


@helper
def lower_stars(
    values: Floats, edges: Ids, first: int, last: int
) -> tuple[Floats, Ids, Ids, Ints]:
    """Return ``levels, starts, lower, order`` of the graph with edges ``first:last``.

    ``levels[r]`` is the value of the vertex of rank r, which is ``order[r]``, and the
    neighbors of lower rank have the ranks ``lower[starts[r]:starts[r + 1]]``, in the
    order of the edges. Cost: a sort of the vertices, and n_edges.
    """
    n = values.shape[0]
    order = _order(values)
    rank = np.empty(n, np.int32)
    levels = np.empty(n)
    for r in range(n):
        rank[order[r]] = r
        levels[r] = values[order[r]]
    starts = np.zeros(n + 1, np.int32)
    for e in range(first, last):
        starts[max(rank[edges[e, 0]], rank[edges[e, 1]]) + 1] += 1
    for r in range(n):
        starts[r + 1] += starts[r]
    lower = np.empty(last - first, np.int32)
    place = np.empty(n, np.int32)
    for r in range(n):
        place[r] = starts[r]
    for e in range(first, last):
        a, b = rank[edges[e, 0]], rank[edges[e, 1]]
        later = max(a, b)
        lower[place[later]] = min(a, b)
        place[later] += 1
    return levels, starts, lower, order


@helper
def marks_of(levels: Floats, order: Ints, by_vertex: np.bool_) -> Floats:
    """Return what stands for the vertex of each rank: its value, or its index."""
    return order.astype(np.float64) if by_vertex else levels


@loop
def set_values(
    points: Floats, offsets: Ints, values: Floats, nodes: Ints, vertices: Ints
) -> None:
    """Move the vertices in ``points`` to ``vertices``, and put their values there.

    The points of graph g are ``offsets[g]:offsets[g + 1]``. A death at inf has the
    vertex -1. Cost: n_points.
    """
    for g in range(len(nodes) - 1):
        for k in range(offsets[g], offsets[g + 1]):
            for end in range(2):
                vertices[k, end] = -1
                if points[k, end] < math.inf:
                    vertices[k, end] = np.int64(points[k, end])
                    points[k, end] = values[nodes[g] + vertices[k, end]]


@loop
def sublevel_graphs(
    values: Floats,
    edges: Ids,
    nodes: Ints,
    offsets: Ints,
    by_vertex: np.bool_,
    components: Floats,
    n_components: Ints,
    loops: Floats,
    n_loops: Ints,
) -> None:
    """Set the points of H0 and H1 of the sublevel filtration of each graph.

    Those of H0 go to ``components`` from row ``nodes[g]`` on, ``n_components[g]`` of
    them: first those that die, by death, then the essential ones, by birth. Where an
    edge joins two components the younger one dies, unless it is just born; where it
    joins what is joined already it closes a loop, which goes to ``loops`` from row
    ``offsets[g]`` on. If ``by_vertex``, vertices stand there for their values. Cost: a
    sort of the vertices, and nearly n_edges.
    """
    for g in range(len(nodes) - 1):
        levels, starts, lower, order = lower_stars(
            values[nodes[g] : nodes[g + 1]], edges, offsets[g], offsets[g + 1]
        )
        marks = marks_of(levels, order, by_vertex)
        n = levels.shape[0]
        parent = np.empty(n, np.int32)
        row, loop = nodes[g], offsets[g]
        for r in range(n):
            parent[r] = r
            elder = r
            for k in range(starts[r], starts[r + 1]):
                other = find(parent, lower[k])
                if other == elder:
                    loops[loop, 0] = marks[r]
                    loops[loop, 1] = math.inf
                    loop += 1
                    continue
                younger = max(elder, other)
                elder = min(elder, other)
                parent[younger] = elder
                if levels[younger] < levels[r]:
                    components[row, 0] = marks[younger]
                    components[row, 1] = marks[r]
                    row += 1
        for r in range(n):
            if parent[r] == r:
                components[row, 0] = marks[r]
                components[row, 1] = math.inf
                row += 1
        n_components[g] = row - nodes[g]
        n_loops[g] = loop - offsets[g]
