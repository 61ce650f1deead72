"""Graphs in, persistence diagrams out."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from pbow._utils.checks import check_dims
from pbow._utils.threads import for_each_block
from pbow.compute.extended import extended_graphs
from pbow.compute.union_find import count_neighbors, set_values, sublevel_graphs
from pbow.diagrams import LARGEST_COORDINATE, Diagrams
from pbow.errors import ParameterError
from pbow.homology._common import Floats, Ints, as_numbers, check_items
from pbow.homology._locations import check_return_locations
from pbow.homology.graph_collection import Graphs, as_listed, cumulated, is_networkx

__all__ = ["graph_extended", "graph_sublevel", "gudhi_orientation"]

Values = str | Callable[[Any], Any] | Iterable[Any]

# Rough cost of a vertex or an edge.
NANOSECONDS = 40.0


def graph_sublevel(
    graphs: Any,
    values: Values = "degree",
    *,
    dims: int | Sequence[int] = (0,),
    return_locations: bool = False,
    n_jobs: int | None = None,
) -> Diagrams:
    """Compute the sublevel diagrams of graphs with values at their vertices.

    A vertex enters at its value, an edge with the later of its ends. Points of H0 are
    components: one is born with its lowest vertex, and where two meet, the younger one
    dies. Points of H1 are loops: one is born with each edge that joins what is joined
    already, and is essential. Components that die when they are born are left out.

    Parameters
    ----------
    graphs : Graphs or iterable
        Each graph is a networkx graph, an adjacency matrix (sparse or not), or a pair
        (edges of shape (n_edges, 2), number of vertices); :class:`Graphs` tells more
        and holds large collections. Loops of one edge and repeated edges are ignored.
    values : "degree", callable or iterable of array-like, default="degree"
        Values of the vertices: how many neighbors each has; or what a function makes
        of each graph (as it was passed): an array with one number per vertex, or a dict
        by node; or these arrays themselves, one per graph. For superlevel sets pass the
        negated values.
    dims : int or sequence of int, default=(0,)
        Dimensions of homology: 0, 1 or both.
    return_locations : bool, default=False
        Whether to keep the vertex at which each class is born and dies:
        ``X["H0"].locations`` of shape (n_points, 2, 1), with -1 for the death of an
        essential point. Vertices count from 0 in each graph; of equal values the one of
        the lower index enters first.
    n_jobs : int or None, default=None
        Number of threads. None is 1 outside a joblib context, -1 all processors. The
        result does not depend on it.

    Returns
    -------
    X : Diagrams
        One sample per graph, with parts ``"H0"`` and ``"H1"`` in the order of `dims`.
        A component of the graph is a point of H0 with death ``inf``.

    Raises
    ------
    ValueError
        If a graph, an edge or a value is not what it should be; the message says which.

    See Also
    --------
    graph_extended : Gives loops and components a death, too.
    heat_kernel_signature : Ready-made values.

    Notes
    -----
    Union-find over all graphs in one compiled loop: a sort of the vertices, and nearly
    linear in the number of edges.

    Examples
    --------
    A path of three vertices, and a triangle with a vertex apart.

    >>> from pbow.homology import graph_sublevel
    >>> graphs = [([[0, 1], [1, 2]], 3), ([[0, 1], [1, 2], [2, 0]], 4)]
    >>> X = graph_sublevel(graphs, dims=(0, 1))
    >>> X
    Diagrams(n_samples=2, H0: 4 points (3 essential), H1: 1 point (1 essential))
    >>> X["H0"][0]
    array([[ 1.,  2.],
           [ 1., inf]])
    >>> X = graph_sublevel(graphs, return_locations=True)
    >>> X.locations_of(0)[:, :, 0]
    array([[ 2,  1],
           [ 0, -1]])
    """
    wanted = check_dims(dims)
    if max(wanted) > 1:
        raise ParameterError("dims", "0, 1 or both: graphs have no others", dims)
    flat, heights = _flat(graphs, values)
    bounds = {"H0": "nodes", "H1": "edges"}
    parts = [f"H{dim}" for dim in wanted]
    located = check_return_locations(return_locations)
    return _compute(
        sublevel_graphs, flat, heights, bounds, parts, n_jobs, located=located
    )


def graph_extended(
    graphs: Any,
    values: Values = "degree",
    *,
    return_locations: bool = False,
    n_jobs: int | None = None,
) -> Diagrams:
    """Compute the extended persistence diagrams of graphs with values at vertices.

    Sublevel sets grow to the whole graph, then superlevel sets, from the top down, are
    divided out. Every class is born and dies on the way, so that no point is essential,
    and each part describes another feature, seen from below:

    * ``"Ord0"``: a branch that points down, from its end to where it joins;
    * ``"Rel1"``: a branch that points up;
    * ``"Ext0"``: a component, from its lowest to its highest value;
    * ``"Ext1"``: a loop, from its lowest to its highest value.

    Parameters
    ----------
    graphs, values, return_locations, n_jobs
        As in :func:`graph_sublevel`. Locations are those of (min, max), as points are;
        of equal values that of the lower index enters first, also on the way down.

    Returns
    -------
    X : Diagrams
        One sample per graph, with the parts above. All points are (min, max), also
        those of Rel1 and Ext1, which are born at their larger value; see
        :func:`gudhi_orientation`. If both are equal, as for a component of one vertex,
        the point is left out.

    Raises
    ------
    ValueError
        As in :func:`graph_sublevel`.

    See Also
    --------
    graph_sublevel : The first half of this filtration alone.
    heat_kernel_signature : Ready-made values.

    References
    ----------
    Cohen-Steiner, Edelsbrunner, Harer. Extending persistence using Poincaré and
    Lefschetz duality. Foundations of Computational Mathematics 9, 2009.

    Carrière et al. PersLay: A Neural Network Layer for Persistence Diagrams and New
    Graph Topological Signatures. AISTATS 2020. Section 2.

    Examples
    --------
    A square with a tail: values are heights.

    >>> from pbow.homology import graph_extended
    >>> square_with_tail = ([[0, 1], [1, 3], [3, 2], [2, 0], [3, 4]], 5)
    >>> X = graph_extended([square_with_tail], values=[[1, 2, 2.5, 3, 0]])
    >>> {name: points.tolist() for name, points in X[0].items()}
    {'Ord0': [[1.0, 3.0]], 'Rel1': [], 'Ext0': [[0.0, 3.0]], 'Ext1': [[1.0, 3.0]]}
    """
    flat, heights = _flat(graphs, values)
    bounds = {"Ord0": "nodes", "Rel1": "nodes", "Ext0": "nodes", "Ext1": "edges"}
    located = check_return_locations(return_locations)
    parts = list(bounds)
    return _compute(
        extended_graphs, flat, heights, bounds, parts, n_jobs, located=located
    )


def gudhi_orientation(part: str) -> int:
    """Return whether a part goes up (+1) or down (-1) in gudhi's convention.

    In extended persistence gudhi writes points of Rel1 and Ext1 as (birth, death) with
    birth >= death, while :class:`~pbow.Diagrams` has (min, max) throughout.

    Parameters
    ----------
    part : str
        Name of a part.

    Returns
    -------
    orientation : int
        -1 for ``"Rel1"`` and ``"Ext1"``, and 1 for all others.

    Examples
    --------
    >>> from pbow.homology import graph_extended, gudhi_orientation
    >>> X = graph_extended([([[0, 1], [1, 2], [2, 0]], 3)], values=[[0, 1, 2]])
    >>> X["Ext1"][0][:, :: gudhi_orientation("Ext1")]
    array([[2., 0.]])
    """
    return -1 if part in {"Rel1", "Ext1"} else 1


def _compute(
    loop: Callable[..., None],
    graphs: Graphs,
    heights: Floats,
    bounds: Mapping[str, str],
    wanted: Sequence[str],
    n_jobs: int | None,
    *,
    located: bool,
) -> Diagrams:
    """Run a loop over all graphs; a part has at most one point per node, or per edge.

    The loop fills `wanted` and all other parts of `bounds`.
    """
    nodes = cumulated(graphs.num_nodes)
    starts = {"nodes": nodes, "edges": graphs.offsets}
    # What is not written is never touched, so room for the worst case costs no memory.
    points = {part: np.empty((starts[of][-1], 2)) for part, of in bounds.items()}
    counts = {part: np.zeros(len(graphs), np.int64) for part in bounds}

    def run(first: int, last: int) -> None:
        filled = [(points[part], counts[part][first:last]) for part in bounds]
        loop(
            heights,
            graphs.edges,
            nodes[first : last + 1],
            graphs.offsets[first : last + 1],
            np.bool_(located),
            *(array for pair in filled for array in pair),
        )

    for_each_block(
        run, nodes + graphs.offsets, nanoseconds_per_point=NANOSECONDS, n_jobs=n_jobs
    )
    gathered = {
        part: _gathered(points[part], starts[bounds[part]][:-1], counts[part])
        for part in wanted
    }
    return Diagrams.from_parts(
        {
            part: _located(*both, heights, nodes) if located else Diagrams(*both)
            for part, both in gathered.items()
        }
    )


def _gathered(points: Floats, starts: Ints, counts: Ints) -> tuple[Floats, Ints]:
    """Put the first `counts` points from each of `starts` on after one another."""
    offsets = cumulated(counts)
    rows = np.arange(offsets[-1]) + np.repeat(starts - offsets[:-1], counts)
    return points[rows], offsets


def _located(points: Floats, offsets: Ints, heights: Floats, nodes: Ints) -> Diagrams:
    """Return the diagrams of which a loop gave the vertices of birth and death."""
    vertices = np.empty(points.shape, np.int64)
    set_values(points, offsets, heights, nodes, vertices)
    return Diagrams(points, offsets, locations=vertices[:, :, np.newaxis])


def _flat(graphs: Any, values: Any) -> tuple[Graphs, Floats]:
    """Return the graphs in flat storage, and the values of all vertices."""
    listed = graphs if isinstance(graphs, Graphs) else as_listed(graphs)
    flat = listed if isinstance(listed, Graphs) else Graphs.from_list(listed)
    if isinstance(values, str) and values == "degree":
        return flat, _degrees(flat)
    value_of = values if callable(values) else lambda given: given
    if callable(values):
        given: Iterable[Any] = listed
    elif isinstance(values, Iterable) and not isinstance(values, (str, Mapping)):
        given = list(values)
        if len(given) != len(flat):
            msg = (
                f"Expected one array of values per graph; got {len(given)} for "
                f"{len(flat)} graphs. Wrap the values of a single graph in a list."
            )
            raise ValueError(msg)
    else:
        expected = "'degree', a function of a graph, or one array per graph"
        raise ParameterError("values", expected, values)

    def check(item: tuple[Any, Any, int]) -> Floats:
        of_graph, graph, n_vertices = item
        return _check_values(value_of(of_graph), graph, n_vertices)

    triples = zip(given, listed, flat.num_nodes.tolist(), strict=True)
    arrays = check_items(triples, "graph", check)
    # Adding 0 makes 0 of a negative zero.
    return flat, np.concatenate([np.empty(0), *arrays]) + 0.0


def _degrees(graphs: Graphs) -> Floats:
    nodes = cumulated(graphs.num_nodes)
    degrees = np.zeros(nodes[-1])
    count_neighbors(graphs.edges, nodes, graphs.offsets, degrees)
    return degrees


def _check_values(values: Any, graph: Any, n_vertices: int) -> Floats:
    """Return the values of one graph as an array, one per vertex."""
    if isinstance(values, Mapping):
        if not is_networkx(graph) or set(values) != set(graph.nodes):
            msg = (
                "its values are a dict whose keys are not the nodes of the graph. Pass "
                "an array with one number per vertex."
            )
            raise ValueError(msg)
        values = [values[node] for node in graph.nodes]
    array = np.asarray(as_numbers(values), np.float64)
    if array.shape != (n_vertices,):
        msg = (
            f"its values have shape {array.shape}; expected one number for each of "
            f"{n_vertices} vertices."
        )
        raise ValueError(msg)
    # A NaN fails the comparison too.
    valid = np.abs(array) <= LARGEST_COORDINATE
    if not valid.all():
        row = int(np.argmin(valid))
        msg = (
            f"vertex {row} has the value {array[row]}; expected finite values of at "
            f"most {LARGEST_COORDINATE:g}."
        )
        raise ValueError(msg)
    return array
