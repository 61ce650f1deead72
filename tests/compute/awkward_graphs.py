"""Orders, paths and filtrations of awkward values."""

import math
from fractions import Fraction

import numpy as np
import pytest
from tests.compute.awkward import MOST, errors_of, in_fractions, largest_of, root

from pbow.compute.extended import extended_graphs
from pbow.compute.geodesic import shortest_paths
from pbow.compute.sparse_rips import order_farthest_first
from pbow.compute.union_find import sublevel_graphs
from pbow.errors import ItemError
from pbow.homology._clouds import check_clouds
from pbow.homology._common import SMALLEST_SPREAD


def farthest_first(case):
    """``sparse_rips``: the distance of each point from those before it in the order.

    Relative to the largest coordinate. Clouds that spread over less are refused.
    """
    points = case.diagram(MOST)
    if 0.0 < np.ptp(points, axis=0).max(initial=0.0) < SMALLEST_SPREAD:
        with pytest.raises(ItemError, match="squares of distances vanish"):
            check_clouds([points])
        return 0.0
    order, radii = order_farthest_first(np.ascontiguousarray(points.T), 1000)
    exact = [in_fractions(points)[i] for i in order]
    expected = []
    for place in range(1, len(order)):
        squares = [
            min((p[0] - q[0]) ** 2 + (p[1] - q[1]) ** 2 for q in exact[:place])
            for p in exact[place:]
        ]
        expected.append(root(max(squares)))
    return errors_of(radii[1:], expected, largest_of(points))


def paths(case):
    """``geodesic``: lengths of shortest paths, relative to them."""
    n, rng = 6, case.rng
    points = np.concatenate([case.diagram(MOST) for _ in range(2)])
    lengths = points[:, 1] - points[:, 0]
    ends = rng.integers(0, n, size=(len(lengths), 2))
    both = np.r_[ends, ends[:, ::-1]]
    order = np.lexsort((both[:, 1], both[:, 0]))
    starts = np.concatenate(([0], np.cumsum(np.bincount(both[:, 0], minlength=n))))
    distances, reached = np.empty(n), np.empty(n, np.int32)
    shortest_paths(
        0,
        starts.astype(np.int32),
        both[order, 1].astype(np.int32),
        np.r_[lengths, lengths][order],
        distances,
        reached,
    )
    expected = {0: Fraction(0)}
    for _ in range(n):
        for (a, b), length in zip(ends.tolist(), lengths.tolist(), strict=True):
            for u, v in ((a, b), (b, a)):
                if u in expected:
                    way = expected[u] + Fraction(length)
                    expected[v] = min(expected.get(v, way), way)
    found = {v: d for v, d in enumerate(distances.tolist()) if d != math.inf}
    assert found.keys() == expected.keys()
    return errors_of(list(found.values()), [expected[v] for v in found])


def _graph(case):
    """Return vertices' values and edges: at any scale, only their order counts."""
    values = np.concatenate([case.diagram(MOST).ravel(), [0.0, -0.0]])
    n = len(values)
    edges = case.rng.integers(0, n, size=(n + 2, 2))
    edges = np.unique(np.sort(edges[edges[:, 0] != edges[:, 1]], axis=1), axis=0)
    return values, edges.astype(np.int32)


def _pairs_of(filtration):
    """Return dimensions, births and deaths by reduction of the boundary matrix.

    ``filtration`` has (value, simplex) in their order; None is the death of what stays.
    """
    place = {simplex: i for i, (_, simplex) in enumerate(filtration)}
    columns, owner, pairs = {}, {}, []
    for j, (_, simplex) in enumerate(filtration):
        column = {place[simplex - {v}] for v in simplex} if len(simplex) > 1 else set()
        while column and max(column) in owner:
            column ^= columns[owner[max(column)]]
        if column:
            columns[j], owner[max(column)] = column, j
    killers = {*owner.values()}
    for i, (value, simplex) in enumerate(filtration):
        if i not in killers:
            death = filtration[owner[i]] if i in owner else None
            pairs.append((len(simplex) - 1, (value, simplex), death))
    return pairs


def sublevels(case):
    """``union_find``: pairs of the sublevel filtration, by the reduced boundary."""
    values, edges = _graph(case)
    n, m = len(values), len(edges)
    nodes, offsets = np.array([0, n]), np.array([0, m])
    components, loops = np.empty((n, 2)), np.empty((m, 2))
    sizes = np.zeros((2, 1), np.int64)
    sublevel_graphs(
        values, edges, nodes, offsets, np.bool_(False), components, sizes[0], loops,
        sizes[1],
    )  # fmt: skip
    simplices = [(values[v], frozenset([v])) for v in range(n)]
    simplices += [(values[list(e)].max(), frozenset(e)) for e in edges.tolist()]
    simplices.sort(key=lambda item: (item[0], len(item[1])))
    expected = [[], []]
    for dim, birth, death in _pairs_of(simplices):
        end = math.inf if death is None else death[0]
        if birth[0] < end:
            expected[dim].append((birth[0], end))
    found = [
        sorted(map(tuple, rows[:size].tolist()))
        for rows, size in ((components, sizes[0, 0]), (loops, sizes[1, 0]))
    ]
    return float(found != [sorted(part) for part in expected])


def extended(case):
    """``extended``: the four kinds of pairs, by the reduced boundary of the cone."""
    values, edges = _graph(case)
    n, m = len(values), len(edges)
    nodes, offsets = np.array([0, n]), np.array([0, m])
    rooms = [np.empty((size, 2)) for size in (n, n, n, m)]
    sizes = np.zeros((4, 1), np.int64)
    flat = [array for pair in zip(rooms, sizes, strict=True) for array in pair]
    extended_graphs(values, edges, nodes, offsets, np.bool_(False), *flat)
    found = [
        sorted(map(tuple, room[: size[0]].tolist()))
        for room, size in zip(rooms, sizes, strict=True)
    ]
    up = [(values[v], frozenset([v])) for v in range(n)]
    up += [(values[list(e)].max(), frozenset(e)) for e in edges.tolist()]
    up.sort(key=lambda item: (item[0], len(item[1])))
    cone = n
    down = [(values[v], frozenset([v, cone])) for v in range(n)]
    down += [(values[list(e)].min(), frozenset([*e, cone])) for e in edges.tolist()]
    down.sort(key=lambda item: (-item[0], len(item[1])))
    whole = [(-math.inf, frozenset([cone])), *up, *down]
    expected = [[], [], [], []]
    for dim, (b, one), death in _pairs_of(whole):
        if death is None or b == -math.inf:
            continue
        d, other = death
        if b == d:
            continue
        kind = (cone in one) + 2 * (cone in other)
        # Both going up, both going down, or one of each, in dimension 0 or 1.
        part = {0: 0, 3: 1, 2: 2 + dim}[kind]
        expected[part].append((min(b, d), max(b, d)))
    return float(found != [sorted(part) for part in expected])
