"""Extended persistence of graphs. Conventions are those of ``union_find``.

Going up, sublevel sets grow to the whole graph; then, going down, superlevel sets are
divided out one by one. Three of the four kinds of pairs are those of components:

* Ord0, components of sublevel sets that merge: union-find going up;
* Rel1, components of superlevel sets that merge: union-find going down;
* Ext0, the lowest and the highest value of each component of the graph.

Ext1 pairs, for a basis of the cycles, the highest with the lowest value. Let edges go
up in the order in which they enter, and down in the order of their lower ends. Going
up, keep a spanning forest. An edge e that closes a cycle with it pairs with the edge x
of this cycle that comes last going down (the lowest, maybe e itself), and x is taken
out.

Why this is right: let z(e) be that cycle. Its last edge going up is e, and these
differ; so the cycles z of the first edges are a basis of all cycles among them. Its
last edge going down is x, and these differ too, because what was taken out is in no
later cycle; there are as many as the cycles have dimensions, so the z(e) whose x has
come are a basis of the cycles among the edges that have come. A basis that is adapted
to both filtrations decomposes the extended module into intervals, and z(e) is one from
e to x.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from pbow.compute.jit import helper, inlined, loop
from pbow.compute.union_find import find, lower_stars, marks_of

__all__ = ["extended_graphs"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Ids = NDArray[np.int32]

NONE = -1


@loop
def extended_graphs(
    values: Floats,
    edges: Ids,
    nodes: Ints,
    offsets: Ints,
    by_vertex: np.bool_,
    ord0: Floats,
    n_ord0: Ints,
    rel1: Floats,
    n_rel1: Ints,
    ext0: Floats,
    n_ext0: Ints,
    ext1: Floats,
    n_ext1: Ints,
) -> None:
    """Set the points (min, max) of the extended persistence of each graph.

    Those of ``ext1`` start at row ``offsets[g]``, the others at ``nodes[g]``. Pairs of
    one value are left out. If ``by_vertex``, vertices stand there for their values.
    Cost: two sorts of the vertices, and for each edge a walk through the forest, at
    most n_vertices * n_edges.
    """
    for g in range(len(nodes) - 1):
        first, last = nodes[g], nodes[g + 1]
        heights = values[first:last]
        n_ord0[g], n_ext0[g], n_ext1[g] = _upwards(
            heights,
            edges,
            offsets[g],
            offsets[g + 1],
            by_vertex,
            ord0[first:last],
            ext0[first:last],
            ext1[offsets[g] : offsets[g + 1]],
        )
        n_rel1[g] = _downwards(
            heights, edges, offsets[g], offsets[g + 1], by_vertex, rel1[first:last]
        )


@inlined
def _upwards(
    values: Floats,
    edges: Ids,
    first: int,
    last: int,
    by_vertex: np.bool_,
    ord0: Floats,
    ext0: Floats,
    ext1: Floats,
) -> tuple[int, int, int]:
    levels, starts, lower, order = lower_stars(values, edges, first, last)
    marks = marks_of(levels, order, by_vertex)
    n = levels.shape[0]
    parent = np.empty(n, np.int32)
    above = np.empty(n, np.int32)  # what a vertex of the forest hangs on
    size = np.empty(n, np.int32)  # of the tree, at its elder
    seen = np.empty(n, np.int32)
    n_ord0, n_ext0, n_ext1 = 0, 0, 0
    for r in range(n):
        parent[r] = r
        above[r] = seen[r] = NONE
        size[r] = 1
        elder = r
        for k in range(starts[r], starts[r + 1]):
            s = int(lower[k])
            other = find(parent, s)
            if other == elder:
                lowest = _exchange(above, seen, k, s, r)
                if levels[lowest] < levels[r]:
                    ext1[n_ext1, 0] = marks[lowest]
                    ext1[n_ext1, 1] = marks[r]
                    n_ext1 += 1
                continue
            # The smaller tree is turned, so that no vertex is turned often.
            if size[other] < size[elder]:
                _hang(above, s, r, np.int64(NONE))
            else:
                _hang(above, r, s, np.int64(NONE))
            younger = max(elder, other)
            elder = min(elder, other)
            parent[younger] = elder
            size[elder] += size[younger]
            if levels[younger] < levels[r]:
                ord0[n_ord0, 0] = marks[younger]
                ord0[n_ord0, 1] = marks[r]
                n_ord0 += 1
    # The first vertex going down: of equal values that of the lower index, as always.
    top = np.empty(n, np.int32)
    for r in range(n):
        top[r] = r
    for r in range(n):
        elder = find(parent, r)
        if levels[r] > levels[top[elder]]:
            top[elder] = r
    for r in range(n):
        if parent[r] == r and levels[r] < levels[top[r]]:
            ext0[n_ext0, 0] = marks[r]
            ext0[n_ext0, 1] = marks[top[r]]
            n_ext0 += 1
    return n_ord0, n_ext0, n_ext1


@helper
def _exchange(above: Ids, seen: Ids, mark: int, s: int, r: int) -> int:
    """Put edge (s, r) into the tree, take out the lowest edge of the cycle it closes.

    Return its lower end. Of edges with the same lower end, the one with the lower upper
    end is lower.
    """
    top = _meeting(above, seen, mark, s, r)
    lowest, end, cut = s, r, NONE
    side, across = s, r
    for _ in range(2):
        v = s
        while v != top:
            a, b = min(v, above[v]), max(v, above[v])
            if a < lowest or (a == lowest and b < end):
                lowest, end, cut = a, b, v
                side, across = s, r
            v = above[v]
        s, r = r, s
    if cut != NONE:
        _hang(above, side, across, np.int64(above[cut]))
    return lowest


@inlined
def _meeting(above: Ids, seen: Ids, mark: int, s: int, r: int) -> int:
    """Return where the ways up from two vertices of a tree meet.

    No earlier call had this mark. Both ways are walked in turn, so that the cost is
    that of the longer one, however far the root is.
    """
    seen[s] = seen[r] = mark
    while True:
        if above[s] != NONE:
            s = above[s]
            if seen[s] == mark:
                return s
            seen[s] = mark
        s, r = r, s


@helper
def _hang(above: Ids, s: int, r: int, stop: Any) -> None:
    """Hang s on r, turning round the path from s up to what hangs on ``stop``."""
    v, below = s, r
    while v != stop:
        up = above[v]
        above[v] = below
        below = v
        v = up


@inlined
def _downwards(
    values: Floats, edges: Ids, first: int, last: int, by_vertex: np.bool_, rel1: Floats
) -> int:
    n = values.shape[0]
    negated = np.empty(n)
    for v in range(n):
        negated[v] = -values[v]
    levels, starts, lower, order = lower_stars(negated, edges, first, last)
    marks = marks_of(levels, order, by_vertex)
    sign = 1.0 if by_vertex else -1.0
    parent = np.empty(n, np.int32)
    n_rel1 = 0
    for r in range(n):
        parent[r] = r
        elder = r
        for k in range(starts[r], starts[r + 1]):
            other = find(parent, int(lower[k]))
            if other == elder:
                continue
            younger = max(elder, other)
            elder = min(elder, other)
            parent[younger] = elder
            if levels[younger] < levels[r]:
                rel1[n_rel1, 0] = sign * marks[r]
                rel1[n_rel1, 1] = sign * marks[younger]
                n_rel1 += 1
    return n_rel1
