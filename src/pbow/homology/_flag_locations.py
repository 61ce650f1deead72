"""Diagrams of the cliques of a weighted graph, with the edges of birth and death.

The engine sees keys of edges in place of their values: see ``_locations``. Edges are
ordered by value, equal ones by their larger end, then by the smaller one.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np
from scipy.sparse import coo_matrix

from pbow.compute.spanning_tree import spanning_tree
from pbow.homology._common import Floats, Ints
from pbow.homology._flag import LARGEST, Engine, Locator
from pbow.homology._locations import LocatedBatch, distinct_keys, located_components

__all__ = ["locating"]


def locating(engine: Engine, dims: list[int], limit: float) -> Locator:
    """Return what makes located diagrams of graphs, by an engine without a limit.

    A class of H0 is born at a point, that of the lowest index in its component, and any
    other with an edge; all die with an edge, the longest of the simplex that kills.
    """
    limit = min(limit, LARGEST)

    def several(
        graphs: Sequence[Any], first: int, n_threads: int
    ) -> list[LocatedBatch]:
        sizes = np.array([graph.shape[0] for graph in graphs])
        if dims == [0] and all(isinstance(graph, np.ndarray) for graph in graphs):
            return [located_components(*_spanning_trees(graphs, limit), sizes)]
        edges = [_edges(graph, limit) for graph in graphs]
        # From 1 on, so that no edge enters with the points, not even one of length 0.
        keys = distinct_keys([values for _, _, values in edges], first=1)
        keyed = [
            _keyed(graph, rows, columns, keys.keys[start:stop])
            for graph, (rows, columns, _), (start, stop) in zip(
                graphs, edges, pairwise(keys.starts.tolist()), strict=True
            )
        ]
        diagrams = engine(keyed, first, n_threads)
        # No edge has the last row, which stands for inf.
        ends = np.full((len(keys.values) + 1, 2), -1)
        np.concatenate([columns for _, columns, _ in edges], out=ends[:-1, 0])
        np.concatenate([rows for rows, _, _ in edges], out=ends[:-1, 1])
        batches = []
        for dim, of_dim in zip(dims, zip(*diagrams, strict=True), strict=True):
            if dim == 0:
                deaths = [np.sort(one[np.isfinite(one[:, 1]), 1]) for one in of_dim]
                items = np.repeat(np.arange(len(graphs)), [len(one) for one in deaths])
                places = keys.places_of(np.concatenate(deaths), items)
                batches.append(
                    located_components(ends[places], keys.values[places], items, sizes)
                )
            else:
                points, places, counts = keys.locate(of_dim)
                batches.append(LocatedBatch(points, ends[places[:, :, 0]], counts))
        return batches

    return several


def _spanning_trees(
    graphs: Sequence[Floats], limit: float
) -> tuple[Ints, Floats, Ints]:
    """Return edges, values and graphs of the edges that join components, in order."""
    trees = [spanning_tree(graph, limit) for graph in graphs]
    ends = np.concatenate([ends for ends, _ in trees])
    values = np.concatenate([values for _, values in trees])
    items = np.repeat(np.arange(len(graphs)), [len(ends) for ends, _ in trees])
    order = np.lexsort((ends[:, 0], ends[:, 1], values, items))
    return ends[order], values[order], items[order]


def _keyed(graph: Any, rows: Ints, columns: Ints, keys: Floats) -> Any:
    """Return the graph with keys for values."""
    if not isinstance(graph, np.ndarray):
        return coo_matrix((keys, (rows, columns)), shape=graph.shape)
    keyed = np.full(graph.shape, np.inf)
    keyed[rows, columns] = keyed[columns, rows] = keys
    np.fill_diagonal(keyed, 0.0)
    return keyed


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
