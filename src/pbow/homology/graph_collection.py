"""Many graphs in three arrays, and how graphs of other programs get there."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, NoReturn

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse

from pbow._utils.checks import is_integer
from pbow.compute.union_find import mark_simple
from pbow.errors import ItemError
from pbow.homology._common import Ints, check_array, check_items

__all__ = ["Graphs"]

Ids = NDArray[np.int32]

# Vertices and edges of one graph are counted in 32 bits.
MOST_IN_A_GRAPH = 2**31 - 1


@dataclass(frozen=True, eq=False, repr=False, init=False)
class Graphs:
    """Undirected graphs without loops and repeated edges, in flat storage.

    Functions that take graphs make one of what they get; large collections are made
    once, or stored like this. A graph is a simplicial complex here: an edge that
    begins and ends at one vertex, or that is there already (in either direction), is
    left out.

    Parameters
    ----------
    edges : array-like of int of shape (n_edges, 2)
        The ends of every edge, graph after graph. The vertices of each graph are
        counted from 0.
    offsets : array-like of int of shape (n_graphs + 1,)
        The edges of graph ``i`` are ``edges[offsets[i]:offsets[i + 1]]``.
    num_nodes : array-like of int of shape (n_graphs,)
        Number of vertices of each graph.

    Notes
    -----
    ``graphs[i]`` is the pair (edges, number of vertices) of one graph. Arrays are
    read-only.

    Examples
    --------
    A triangle and two vertices without an edge.

    >>> from pbow.homology import Graphs
    >>> graphs = Graphs([[0, 1], [1, 2], [2, 0]], [0, 3, 3], [3, 2])
    >>> graphs
    Graphs(n_graphs=2, 5 vertices, 3 edges)
    >>> edges, n_vertices = graphs[1]
    >>> n_vertices
    2
    """

    edges: Ids
    offsets: Ints
    num_nodes: Ints

    def __init__(
        self, edges: ArrayLike, offsets: ArrayLike, num_nodes: ArrayLike
    ) -> None:
        sizes = check_array(num_nodes, "num_nodes", ("n_graphs",), whole=True)
        starts = check_array(offsets, "offsets", ("n_graphs + 1",), whole=True)
        sizes, starts = sizes.astype(np.int64), starts.astype(np.int64)
        given = check_array(edges, "edges", ("n_edges", 2), whole=True)
        _check_offsets(starts, len(given), len(sizes))
        _check_sizes(np.diff(starts), sizes)
        ends = np.array(given, dtype=np.int32, order="C")
        keep = np.ones(len(ends), bool)
        # A number that does not fit has become another one.
        fits = given.dtype == np.int32 or bool((ends == given).all())
        if not fits or not mark_simple(ends, cumulated(sizes), starts, keep):
            _refuse_ends(given, starts, sizes)
        if not keep.all():
            ends = ends[keep]
            starts = cumulated(keep)[starts]
        for name, array in (("edges", ends), ("offsets", starts), ("num_nodes", sizes)):
            array.flags.writeable = False
            object.__setattr__(self, name, array)

    @classmethod
    def from_list(cls, graphs: Iterable[Any]) -> Graphs:
        """Build a collection from one object per graph.

        Parameters
        ----------
        graphs : iterable
            Each of them is a networkx graph (directions and weights are ignored, its
            nodes are counted in their order), an adjacency matrix of scipy (sparse) or
            numpy (every entry but zero is an edge; entries mirror each other), or a
            pair (edges of shape (n_edges, 2), number of vertices).

        Returns
        -------
        graphs : Graphs

        Examples
        --------
        >>> from pbow.homology import Graphs
        >>> from scipy.sparse import csr_array
        >>> Graphs.from_list([([[0, 1], [1, 2]], 3), csr_array([[0, 1], [1, 0]])])
        Graphs(n_graphs=2, 5 vertices, 3 edges)
        """
        pairs = check_items(as_listed(graphs), "graph", _as_pair)
        num_nodes = np.array([n for _, n in pairs], np.int64)
        sizes = np.array([len(edges) for edges, _ in pairs], np.int64)
        # Signed and unsigned together would become floats.
        edges = [np.empty((0, 2), np.int64)]
        edges += [ends.astype(np.int64, copy=False) for ends, _ in pairs]
        return cls(np.concatenate(edges), cumulated(sizes), num_nodes)

    def __reduce__(self) -> tuple[Any, ...]:
        # Copies made by pickle would have arrays that can be written to.
        return Graphs, (self.edges, self.offsets, self.num_nodes)

    def __len__(self) -> int:
        return len(self.num_nodes)

    def __getitem__(self, i: int) -> tuple[Ids, int]:
        i = range(len(self))[i]
        return self.edges[self.offsets[i] : self.offsets[i + 1]], int(self.num_nodes[i])

    def __iter__(self) -> Iterator[tuple[Ids, int]]:
        return (self[i] for i in range(len(self)))

    def __repr__(self) -> str:
        return (
            f"Graphs(n_graphs={len(self)}, {self.num_nodes.sum()} vertices, "
            f"{len(self.edges)} edges)"
        )


def cumulated(sizes: NDArray[Any]) -> Ints:
    """Return where each range of these sizes starts, and where the last one ends."""
    starts = np.zeros(len(sizes) + 1, np.int64)
    np.cumsum(sizes, out=starts[1:])
    return starts


def as_listed(graphs: Any) -> list[Any]:
    """Return the graphs of a collection as a list; refuse one graph by itself."""
    is_matrix = sparse.issparse(graphs) or _is_square(graphs)
    if is_networkx(graphs) or is_matrix or _is_pair(graphs):
        msg = (
            f"Expected a collection of graphs, got one {_kind(graphs)}. Wrap a single "
            "graph in a list: [graph]."
        )
        raise ValueError(msg)
    if isinstance(graphs, (str, bytes)) or not isinstance(graphs, Iterable):
        msg = (
            f"Expected a collection of graphs, got {type(graphs).__name__}. Pass a "
            "list of networkx graphs, of sparse adjacency matrices or of pairs (edges, "
            "n_vertices), or Graphs."
        )
        raise ValueError(msg)
    return list(graphs)


def is_networkx(graph: Any) -> bool:
    """Whether a graph has nodes and edges like those of networkx."""
    return all(hasattr(graph, name) for name in ("nodes", "edges", "number_of_nodes"))


def _is_pair(graph: Any) -> bool:
    return (
        isinstance(graph, (tuple, list)) and len(graph) == 2 and is_integer(graph[1], 0)
    )


def _is_square(graph: Any) -> bool:
    """Whether it is an adjacency matrix, as an array."""
    return (
        isinstance(graph, np.ndarray)
        and graph.dtype.kind in "biuf"
        and graph.ndim == 2
        and graph.shape[0] == graph.shape[1]
    )


def _kind(graph: Any) -> str:
    if _is_pair(graph):
        return "pair (edges, n_vertices)"
    return "sparse matrix" if sparse.issparse(graph) else type(graph).__name__


def _as_pair(graph: Any) -> tuple[NDArray[Any], int]:
    if is_networkx(graph):
        place = {node: i for i, node in enumerate(graph.nodes)}
        ends = [(place[u], place[v]) for u, v in graph.edges()]
        return np.array(ends, np.int64).reshape(-1, 2), len(place)
    if sparse.issparse(graph):
        return _of_matrix(graph)
    if _is_square(graph):
        return _of_matrix(sparse.coo_array(graph))
    if _is_pair(graph):
        if graph[1] > MOST_IN_A_GRAPH:  # maybe too large for any array
            msg = f"expected at most {MOST_IN_A_GRAPH} vertices."
            raise ValueError(msg)
        return check_array(graph[0], "edges", ("n_edges", 2), whole=True), int(graph[1])
    shape = f" of shape {graph.shape}" if isinstance(graph, np.ndarray) else ""
    msg = (
        f"it is {type(graph).__name__}{shape}; expected a networkx graph, an adjacency "
        "matrix (sparse, or an array) or a pair (edges, n_vertices): edges alone do "
        "not say how many vertices there are."
    )
    raise ValueError(msg)


def _of_matrix(matrix: Any) -> tuple[NDArray[Any], int]:
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1]:
        msg = (
            f"it is a sparse matrix of shape {matrix.shape}; expected as many columns "
            "as rows."
        )
        raise ValueError(msg)
    # By rows first, which adds up entries that are stored twice.
    entries = matrix.tocsr() != 0
    alone = (entries != entries.T).tocoo()
    if alone.nnz:
        i, j = int(alone.row[0]), int(alone.col[0])
        i, j = (i, j) if entries[i, j] else (j, i)
        msg = (
            f"it has the entry ({i}, {j}) but not ({j}, {i}); an adjacency matrix must "
            "be symmetric. Pass A + A.T for the graph without directions."
        )
        raise ValueError(msg)
    upper = sparse.triu(entries).tocoo()
    return np.column_stack((upper.row, upper.col)).astype(np.int64), matrix.shape[0]


def _check_offsets(offsets: Ints, n_edges: int, n_graphs: int) -> None:
    if len(offsets) != n_graphs + 1:
        msg = (
            f"Expected one more of offsets than of num_nodes; got {len(offsets)} and "
            f"{n_graphs}."
        )
        raise ValueError(msg)
    decrease = " and decrease on the way" if (np.diff(offsets) < 0).any() else ""
    if offsets[0] != 0 or offsets[-1] != n_edges or decrease:
        msg = (
            f"Expected offsets to grow from 0 to the number of edges, {n_edges}; they "
            f"go from {offsets[0]} to {offsets[-1]}{decrease}."
        )
        raise ValueError(msg)


def _check_sizes(n_edges: Ints, num_nodes: Ints) -> None:
    for sizes, what in ((n_edges, "edges"), (num_nodes, "vertices")):
        valid = (sizes >= 0) & (sizes <= MOST_IN_A_GRAPH)
        if not valid.all():
            i = int(np.argmin(valid))
            wrong = f"it has {sizes[i]} {what}; expected 0 to {MOST_IN_A_GRAPH}."
            raise ItemError("graph", i, wrong)


def _refuse_ends(edges: NDArray[Any], offsets: Ints, num_nodes: Ints) -> NoReturn:
    limits = np.repeat(num_nodes, np.diff(offsets))
    row = int(np.argmax(((edges < 0) | (edges >= limits[:, None])).any(axis=1)))
    i = int(np.searchsorted(offsets, row, side="right")) - 1
    a, b = edges[row].tolist()
    wrong = (
        f"edge {row - offsets[i]} is ({a}, {b}), but there are {num_nodes[i]} "
        "vertices, counted from 0."
    )
    raise ItemError("graph", i, wrong)
