"""Diagrams of the cliques of a weighted graph, with the edges of birth and death.

The engine sees the ranks of edges in place of their values: see ``_locations``.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.sparse import coo_matrix

from pbow.compute.union_find import merge_components
from pbow.homology._common import Floats, Ints
from pbow.homology._flag import LARGEST, Engine
from pbow.homology._locations import Located, ranks

__all__ = ["locating"]


def locating(engine: Engine, dims: list[int], limit: float) -> Any:
    """Return an engine that gives located diagrams, of one without a limit.

    A class of H0 is born at a point, that of the lowest index in its component, and any
    other with an edge; all die with an edge, the longest of the simplex that kills.
    """
    limit = min(limit, LARGEST)

    def one(graph: Any, number: int, n_threads: int) -> list[Located]:
        n = graph.shape[0]
        rows, columns, values = _edges(graph, limit)
        # From 1 on, so that no edge enters with the points, not even one of length 0.
        keys, order = ranks(values)
        keys += 1.0
        if isinstance(graph, np.ndarray):
            ranked: Any = np.full((n, n), np.inf)
            ranked[rows, columns] = ranked[columns, rows] = keys
            np.fill_diagonal(ranked, 0.0)
        else:
            ranked = coo_matrix((keys, (rows, columns)), shape=(n, n))
        # The edge of each key; none has the key 0, and the last stands for inf.
        ends = np.full((len(values) + 2, 2), -1)
        ends[1:-1, 0], ends[1:-1, 1] = columns[order], rows[order]
        levels = np.concatenate(([0.0], values[order], [np.inf]))
        diagrams = []
        for dim, diagram in zip(dims, engine(ranked, number, n_threads), strict=True):
            last = len(levels) - 1
            places = np.where(np.isinf(diagram), last, diagram).astype(np.int64)
            locations = ends[places]
            if dim == 0:
                locations, places = _components(ends, places[:, 1], n, last)
            points = levels[places]
            kept = points[:, 0] < points[:, 1]
            diagrams.append(Located(points[kept], locations[kept]))
        return diagrams

    return one


def _components(
    ends: Ints, deaths: Ints, n_points: int, last: int
) -> tuple[Ints, Ints]:
    """Return locations and keys of the points of H0, given the keys of its deaths."""
    merging = np.sort(deaths[deaths < last])
    born = merge_components(ends[merging], n_points)
    dying = np.full(n_points, last)
    dying[: len(merging)] = merging
    locations = np.full((n_points, 2, 2), -1)
    locations[:, 0, 0] = born
    locations[:, 1] = ends[dying]
    return locations, np.column_stack((np.zeros_like(dying), dying))


def _edges(graph: Any, limit: float) -> tuple[Ints, Ints, Floats]:
    """Return both ends and the value of each edge that can matter."""
    if not isinstance(graph, np.ndarray):
        return graph.row, graph.col, graph.data
    if len(graph):
        # From the value on at which one vertex is joined to all, nothing is born or
        # dies.
        limit = min(limit, float(graph.max(axis=1).min()))
    rows, columns = np.nonzero(np.tril(graph <= limit, k=-1))
    return rows, columns, graph[rows, columns]
