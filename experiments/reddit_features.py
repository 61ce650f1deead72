"""What is computed of discussion graphs before anything is learnt from them.

All graphs are one: vertices are counted through, and one sparse matrix with all graphs
on its diagonal serves every function of the vertices.
"""

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components

from pbow import Diagrams
from pbow.homology import Graphs, graph_extended

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

# Values of vertices that a symmetry exchanges differ in the last digits; those would
# give points next to the diagonal.
DECIMALS = 9
DAMPING = 0.85
N_ROUNDS = 15

EXTENDED = ("Ord0", "Rel1", "Ext0", "Ext1")
# Sublevel sets of the depth are connected, so it has hardly a point of Ord0.
FILTRATIONS = dict.fromkeys(("degree", "neighbors", "return", "rank"), EXTENDED) | {
    "depth": EXTENDED[1:]
}
# The second function takes the place of persistence, so none of its values is negative.
VERTEX_PAIRS = (
    ("degree", "neighbors"),
    ("degree", "largest"),
    ("degree", "clustering"),
    ("neighbors", "second"),
    ("return", "degree"),
    ("rank", "degree"),
    ("depth", "degree"),
    ("depth", "neighbors"),
    ("return", "depth"),
)
EDGE_FUNCTIONS = ("degree", "neighbors", "second", "rank")
QUANTILES = np.linspace(0.0, 1.0, 11)[:, np.newaxis]


def compute_features(graphs: Graphs) -> tuple[Diagrams, Floats]:
    """Return diagrams of all graphs, of persistence first, and one row of numbers."""
    A = adjacency(graphs)
    functions = vertex_functions(graphs, A)
    parts = extended_persistence(graphs, functions) | clouds(graphs, functions)
    return Diagrams.from_parts(parts), statistics(graphs, A, functions)


def extended_persistence(
    graphs: Graphs, functions: dict[str, Floats]
) -> dict[str, Diagrams]:
    """Return the extended persistence of several functions, one part after another."""
    ends = np.cumsum(graphs.num_nodes)[:-1]
    parts = {}
    for name, wanted in FILTRATIONS.items():
        X = graph_extended(graphs, np.split(functions[name], ends))
        parts |= {f"{name} {part}": X[part] for part in wanted}
    return parts


def clouds(graphs: Graphs, functions: dict[str, Floats]) -> dict[str, Diagrams]:
    """Return vertices and edges as points in the plane, in the form of diagrams.

    A vertex has one function as its birth and another as its persistence. An edge goes
    from the lower to the higher value of its ends.
    """
    starts = np.concatenate(([0], np.cumsum(graphs.num_nodes)))
    parts = {}
    for first, second in VERTEX_PAIRS:
        births, persistences = functions[first], functions[second]
        points = np.column_stack((births, births + persistences))
        parts[f"vertices {first} {second}"] = Diagrams(points, starts)
    ends = all_edges(graphs)
    for name in EDGE_FUNCTIONS:
        points = np.sort(functions[name][ends], axis=1)
        parts[f"edges {name}"] = Diagrams(points, graphs.offsets)
    return parts


def vertex_functions(graphs: Graphs, A: csr_array) -> dict[str, Floats]:
    """Return functions of the vertices of all graphs.

    * degree: log(1 + degree);
    * neighbors, largest: mean and largest of it over the neighbors;
    * second: the mean of that mean over the neighbors;
    * return: log of the probability that a random walk is back after two steps;
    * rank: log of PageRank;
    * clustering: the share of pairs of neighbors that are neighbors themselves;
    * depth: steps to the vertex with most neighbors, see :func:`depths`.
    """
    sizes = np.repeat(graphs.num_nodes, graphs.num_nodes)
    degrees = np.diff(A.indptr)
    # A vertex without neighbors has sums of 0.
    divisors = np.maximum(degrees, 1)
    logs = np.log1p(degrees)
    neighbors = A @ logs / divisors
    returns = np.where(degrees, A @ (1.0 / divisors) / divisors, 1.0)
    rank = 1.0 / sizes
    for _ in range(N_ROUNDS):
        rank = (1.0 - DAMPING) / sizes + DAMPING * (A @ (rank / divisors))
    pairs = np.maximum(degrees * (degrees - 1.0), 1.0)
    functions = {
        "degree": logs,
        "neighbors": neighbors,
        "second": A @ neighbors / divisors,
        "largest": A.multiply(logs).max(axis=1).toarray(),
        "return": np.log(returns),
        "rank": np.log(rank),
        "clustering": 2.0 * count_triangles(A) / pairs,
        "depth": depths(A),
    }
    return {name: values.round(DECIMALS) for name, values in functions.items()}


def count_triangles(A: csr_array) -> Floats:
    """Return the number of triangles at each vertex."""
    # Edges point to the end of higher degree: products then stay sparse at hubs.
    degrees = np.diff(A.indptr)
    place = np.empty(len(degrees), np.int64)
    place[np.argsort(degrees, kind="stable")] = np.arange(len(degrees))
    i, j = A.nonzero()
    up = place[i] < place[j]
    U = csr_array((np.ones(up.sum()), (i[up], j[up])), shape=A.shape)
    # In a triangle i -> k -> j, i -> j: by its edge i -> j, and by its edge k -> j.
    outer, inner = (U @ U).multiply(U), (U.T @ U).multiply(U)
    return outer.sum(axis=1) + outer.sum(axis=0) + inner.sum(axis=1)


def depths(A: csr_array) -> Floats:
    """Return the number of steps to the vertex with most neighbors in the component.

    In a discussion this is often who started it. If several vertices have most
    neighbors, steps to the nearest of them are counted.
    """
    degrees = np.diff(A.indptr)
    n_components, component = connected_components(A, directed=False)
    most = np.zeros(n_components)
    np.maximum.at(most, component, degrees)
    depth = np.full(len(degrees), -1.0)
    reached, step = degrees == most[component], 0
    while reached.any():
        depth[reached] = step
        step += 1
        reached = (A @ reached.astype(float) > 0) & (depth < 0)
    return depth


def statistics(graphs: Graphs, A: csr_array, functions: dict[str, Floats]) -> Floats:
    """Return one row of numbers per graph.

    Sizes; eleven quantiles, mean and standard deviation of each function; shares of
    vertices by degree; numbers, shares and mean log-degree of vertices by depth; the
    ten largest degrees.
    """
    n, n_edges = graphs.num_nodes, np.diff(graphs.offsets)
    starts = np.cumsum(n) - n
    owners = np.repeat(np.arange(len(n)), n)

    def total(values: NDArray[np.generic]) -> Floats:
        return np.bincount(owners, values, len(n))

    _, first = np.unique(connected_components(A, directed=False)[1], return_index=True)
    n_components = np.bincount(owners[first], minlength=len(n))
    n_loops = n_edges - n + n_components
    columns = [np.log(n), np.log1p(n_edges), n_components]
    columns += [np.log1p(n_loops), n_loops / n]
    for values in functions.values():
        ordered = values[np.lexsort((values, owners))]
        # Linear between the two nearest values.
        places = QUANTILES * (n - 1)
        below = places.astype(np.int64)
        low = ordered[starts + below]
        high = ordered[starts + np.minimum(below + 1, n - 1)]
        columns += [*(low + (places - below) * (high - low))]
        mean = total(values) / n
        variance = total(values**2) / n - mean**2
        columns += [mean, np.sqrt(np.maximum(variance, 0.0))]
    degrees = np.diff(A.indptr)
    columns += [total(degrees == degree) / n for degree in range(1, 6)]
    for depth in range(8):
        is_there = functions["depth"] == depth
        count = total(is_there)
        mean = total(functions["degree"] * is_there) / np.maximum(count, 1)
        columns += [count / n, np.log1p(count), mean]
    ordered = degrees[np.lexsort((-degrees, owners))]
    for k in range(10):
        degree = np.where(k < n, ordered[starts + np.minimum(k, n - 1)], 0)
        columns += [np.log1p(degree), degree / n]
    return np.column_stack(columns)


def adjacency(graphs: Graphs) -> csr_array:
    """Return one matrix with all graphs on its diagonal."""
    i, j = all_edges(graphs).T
    places = np.concatenate((i, j)), np.concatenate((j, i))
    n = graphs.num_nodes.sum()
    return csr_array((np.ones(2 * len(i)), places), shape=(n, n))


def all_edges(graphs: Graphs) -> Ints:
    """Return the edges of all graphs, with their vertices counted through."""
    starts = np.cumsum(graphs.num_nodes) - graphs.num_nodes
    return graphs.edges + np.repeat(starts, np.diff(graphs.offsets))[:, np.newaxis]
