"""Weighted graphs and the diagrams of their cliques, by gudhi's fork of Ripser.

A clique enters with its last edge, and all vertices at 0. A graph is a matrix with the
value of every edge, or a sparse one (COO) with each edge once.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from math import comb
from typing import Any, NamedTuple

import numpy as np
from scipy.sparse import coo_matrix
from scipy.spatial.distance import cdist
from scipy.special import comb as binomial

from pbow.diagrams import Diagrams
from pbow.homology._common import (
    Floats,
    count_threads,
    empty_diagrams,
    import_gudhi,
    make_diagrams,
)
from pbow.homology._locations import LocatedBatch, make_located
from pbow.homology._memory import check_memory

__all__ = ["Graph", "edges_up_to", "flag_diagrams", "flag_engine"]

# Graphs, the place of the first, and the number of threads.
Engine = Callable[[Sequence[Any], int, int], list[list[Floats]]]
Locator = Callable[[Sequence[Any], int, int], Sequence[LocatedBatch]]

# What gudhi 3.13 takes for an edge at its peak, matrix included: 90 to 170 for H0, and
# for H1 of clouds without a shape; where long loops are reduced, as of a noisy circle
# of 1,500 points, 1,000.
BYTES_PER_EDGE = 150.0
BYTES_PER_EDGE_IN_LOOPS = 1000.0
# More with locations of H1, for both ends, values and keys of each; those of H0 alone
# take no more.
BYTES_PER_LOCATED_EDGE = 80.0
# And for a triangle, where H2 is wanted: 30 to 120.
BYTES_PER_CLIQUE = 100.0
BYTES_PER_BLOCK = 2**22
LARGEST = sys.float_info.max


class Graph(NamedTuple):
    """A weighted graph, which is made when it is its turn."""

    n_points: int
    n_edges: int
    make: Callable[[], Floats | coo_matrix]


def edges_up_to(limit: float, item: Floats, *, precomputed: bool) -> Graph:
    """Return the edges up to a value of one point cloud, or of a distance matrix."""
    limit = min(limit, LARGEST)  # inf stands for no edge
    if limit == LARGEST and not precomputed:
        n_edges = comb(len(item), 2)
    else:
        blocks = _blocks(item, precomputed=precomputed)
        n_edges = sum(int(np.count_nonzero(block <= limit)) for _, block in blocks)

    def make() -> Floats | coo_matrix:
        n = len(item)
        if n * n * 8 <= n_edges * BYTES_PER_EDGE:  # no larger than its edges
            return item if precomputed else cdist(item, item)
        rows, columns = np.empty((2, n_edges), dtype=np.int32)
        values = np.empty(n_edges)
        filled = 0
        for start, block in _blocks(item, precomputed=precomputed):
            i, j = np.nonzero(block <= limit)
            here = slice(filled, filled + len(i))
            rows[here], columns[here], values[here] = i + start, j, block[i, j]
            filled += len(i)
        return coo_matrix((values, (rows, columns)), shape=(n, n))

    return Graph(len(item), n_edges, make)


def _blocks(item: Floats, *, precomputed: bool) -> Iterator[tuple[int, Floats]]:
    """Yield distances by rows, from the given row on; inf on and above the diagonal."""
    n = len(item)
    n_rows = max(1, BYTES_PER_BLOCK // (8 * max(n, 1)))
    for start in range(0, n, n_rows):
        stop = min(n, start + n_rows)
        if precomputed:
            block = item[start:stop, :stop].copy()
        else:
            block = cdist(item[start:stop], item[:stop])
        block[~np.tri(stop - start, stop, k=start - 1, dtype=bool)] = np.inf
        yield start, block


def flag_diagrams(
    engine: Engine,
    graphs: Sequence[Graph],
    dims: list[int],
    *,
    noun: str,
    advice: str,
    n_jobs: int | None,
    progress: bool,
    locate: Locator | None = None,
) -> Diagrams:
    """Return the diagrams of all graphs, or refuse what does not fit into memory.

    With `locate`, which stands for the engine, they are located.
    """
    per_edge = BYTES_PER_EDGE_IN_LOOPS if max(dims) > 0 else BYTES_PER_EDGE
    if locate is not None and max(dims) > 0:
        per_edge += BYTES_PER_LOCATED_EDGE
    check_memory(
        [per_edge * graph.n_edges + 100.0 * graph.n_points for graph in graphs],
        noun=noun,
        n_jobs=n_jobs,
        advice=advice,
    )
    n_threads = count_threads(n_jobs, graphs)
    unit = "matrices" if noun == "matrix" else f"{noun}s"
    items = list(enumerate(graphs))
    if locate is not None:
        return make_located(
            lambda batch: locate(
                [graph.make() for _, graph in batch], batch[0][0], n_threads
            ),
            items,
            [graph.n_edges for graph in graphs],
            dims,
            unit=unit,
            n_jobs=n_jobs,
            progress=progress,
        )
    return make_diagrams(
        lambda item: engine([item[1].make()], item[0], n_threads)[0],
        items,
        dims,
        unit=unit,
        n_jobs=n_jobs,
        progress=progress,
    )


def flag_engine(
    function: str, dims: list[int], *, limit: float, field: int, noun: str
) -> Engine:
    """Return what makes diagrams of a graph, for a public function.

    It is called with graphs, the place of the first, and the number of threads at work,
    and returns the diagrams of each. `noun` is what a graph comes from, for the message
    if its cliques, of which there are too many to count before, would not fit into
    memory.
    """
    persistence = import_gudhi("sklearn.RipsPersistence", function)
    reduce_graph = import_gudhi("flag_filtration.edge_collapse.reduce_graph", function)
    limit = min(limit, LARGEST)

    def engine(input_type: str) -> Any:
        made = persistence(
            dims,
            threshold=limit,
            input_type=input_type,
            num_collapses=0,
            homology_coeff_field=field,
            n_jobs=1,
        )
        # scikit-learn's global transform_output="pandas" would make a frame of a list.
        return made.set_output(transform="default").fit([])

    dense, sparse = engine("full distance matrix"), engine("distance coo_matrix")

    def prepared(graph: Any, number: int, n_threads: int) -> Any:
        if max(dims) < 2 or graph.shape[0] == 0:
            return graph
        # Fewer edges with the same diagrams; for H1 alone it does not pay.
        graph = reduce_graph(_as_sparse(graph, limit))
        check_memory(
            [BYTES_PER_CLIQUE * _count_cliques(graph, max(dims) + 1)] * n_threads,
            noun=noun,
            first=number,
            n_jobs=n_threads,
            advice=(
                f"Leave H{max(dims)} out of dims, take smaller values only "
                "(max_edge), fewer points, or fewer threads (n_jobs)."
            ),
        )
        return graph

    def several(
        graphs: Sequence[Any], first: int, n_threads: int
    ) -> list[list[Floats]]:
        diagrams = [empty_diagrams(dims) for _ in graphs]
        ready = [
            prepared(graph, first + k, n_threads) for k, graph in enumerate(graphs)
        ]
        for chosen, is_dense in ((dense, True), (sparse, False)):
            # gudhi 3.13 reports a component of no points that is not there.
            own = [
                k
                for k, graph in enumerate(ready)
                if isinstance(graph, np.ndarray) == is_dense and graph.shape[0] > 0
            ]
            if own:
                made = chosen.transform([ready[k] for k in own])
                for k, found in zip(own, made, strict=True):
                    diagrams[k] = found
        return diagrams

    return several


def _as_sparse(graph: Any, limit: float) -> coo_matrix:
    if not isinstance(graph, np.ndarray):
        return graph
    # From the value on at which one vertex is joined to all, nothing is born or dies.
    limit = min(limit, float(graph.max(axis=1).min()))
    rows, columns = np.nonzero(np.tril(graph <= limit, k=-1))
    return coo_matrix((graph[rows, columns], (rows, columns)), shape=graph.shape)


def _count_cliques(graph: coo_matrix, size: int) -> float:
    """Return at least the number of cliques of `size` vertices; exact for full graphs.

    A clique is counted at its vertex of lowest degree, the first of these: there it is
    one of the subsets of those neighbors that come later in this order.
    """
    n = graph.shape[0]
    degrees = np.bincount(graph.row, minlength=n) + np.bincount(graph.col, minlength=n)
    rank = np.empty(n, dtype=np.int64)
    rank[np.argsort(degrees, kind="stable")] = np.arange(n)
    first = np.where(rank[graph.row] < rank[graph.col], graph.row, graph.col)
    later = np.bincount(first, minlength=n)
    return float(binomial(later, size - 1).sum())
