import pickle

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from scipy.sparse import coo_array, csr_array, csr_matrix

from pbow.homology import Graphs

TRIANGLE = [[0, 1], [1, 2], [2, 0]]


def edges_of(graph):
    edges, _ = graph
    return {tuple(sorted(edge)) for edge in edges.tolist()}


def test_graphs_are_cut_at_the_offsets():
    graphs = Graphs([*TRIANGLE, [1, 0]], [0, 3, 3, 4], [3, 0, 5])
    assert len(graphs) == 3
    assert edges_of(graphs[0]) == {(0, 1), (1, 2), (0, 2)}
    assert [n for _, n in graphs] == [3, 0, 5]
    assert edges_of(graphs[-1]) == {(0, 1)}
    with pytest.raises(IndexError):
        graphs[3]


def test_loops_of_one_edge_and_repeated_edges_are_left_out():
    edges = [[0, 1], [1, 1], [1, 0], [0, 1], [1, 2], [0, 0]]
    graphs = Graphs([*edges, [0, 1]], [0, 6, 7], [3, 2])
    assert graphs.edges.tolist() == [[0, 1], [1, 2], [0, 1]]
    assert graphs.offsets.tolist() == [0, 2, 3]


def test_what_is_left_out_matches_the_definition(rng):
    edges = [rng.integers(0, n, size=(60, 2)) for n in (1, 4, 9, 30)]
    graphs = Graphs.from_list(zip(edges, (1, 4, 9, 30), strict=True))
    for graph, given in zip(graphs, edges, strict=True):
        expected = {
            tuple(sorted(edge)) for edge in given.tolist() if edge[0] != edge[1]
        }
        assert edges_of(graph) == expected
        assert len(graph[0]) == len(expected)


@pytest.mark.parametrize("copied", [False, True], ids=["itself", "pickled"])
def test_a_collection_cannot_be_changed(copied):
    edges = np.array(TRIANGLE, np.int32)
    graphs = Graphs(edges, [0, 3, 3], [3, 2])
    edges[0, 0] = 2
    if copied:
        graphs = pickle.loads(pickle.dumps(graphs))
    assert graphs.edges.tolist() == TRIANGLE
    assert [n for _, n in graphs] == [3, 2]
    for name in ("edges", "offsets", "num_nodes"):
        with pytest.raises(ValueError, match="read-only"):
            getattr(graphs, name)[0] = 1
        with pytest.raises(AttributeError):
            setattr(graphs, name, np.empty(0))


def test_all_forms_of_a_graph_give_the_same():
    adjacency = csr_array(([1.0, 0.5, 1.0, 0.5], ([0, 1, 1, 2], [1, 2, 0, 1])), (4, 4))
    # Rows and columns in another order: 1 and 2 are its ends.
    swapped = csr_array(([1.0, 0.5, 1.0, 0.5], ([0, 1, 1, 2], [1, 0, 2, 1])), (4, 4))
    graphs = Graphs.from_list(
        [
            ([[0, 1], [1, 2]], 4),
            (np.array([[1, 0], [2, 1]], np.uint8), np.int64(4)),
            ([(0, 1), (1, 2)], 4),
            adjacency,
            adjacency.tocoo(),
            csr_matrix(adjacency),
            swapped,
            adjacency.toarray(),
        ]
    )
    assert [n for _, n in graphs] == [4] * 8
    assert [edges_of(g) for g in graphs] == [{(0, 1), (1, 2)}] * 8


def test_nodes_of_networkx_are_counted_in_their_order_and_edges_once():
    nx = pytest.importorskip("networkx")
    named = nx.Graph()
    named.add_nodes_from(["b", "a", "c"])
    named.add_edge("a", "b", weight=3.0)
    named.add_edge("a", "c")
    both_ways = nx.DiGraph([(0, 1), (1, 0), (1, 2)])
    twice = nx.MultiGraph([(0, 1), (0, 1), (1, 2), (2, 2)])
    for graph in Graphs.from_list([named, both_ways, twice]):
        assert edges_of(graph) == {(0, 1), (1, 2)}
        assert len(graph[0]) == 2
    with pytest.raises(ValueError, match=r"got one Graph\. Wrap a single graph"):
        Graphs.from_list(named)


def test_entries_that_are_stored_twice_are_added_and_a_zero_is_no_edge():
    ends = ([0, 1, 1, 1, 2, 2, 0, 2], [1, 0, 2, 2, 1, 1, 2, 0])
    matrix = coo_array(([1, 1, 1, -1, 1, -1, 0, 0], ends))
    assert edges_of(Graphs.from_list([matrix])[0]) == {(0, 1)}


def test_no_graphs_and_empty_graphs():
    assert len(Graphs.from_list([])) == 0
    assert len(Graphs([], [0], [])) == 0
    graphs = Graphs.from_list([([], 0), (np.empty((0, 2)), 3), csr_array((2, 2))])
    assert_array_equal(graphs.num_nodes, [0, 3, 2])
    assert graphs.edges.shape == (0, 2)


@pytest.mark.parametrize(
    ("graphs", "message"),
    [
        (([[0, 1]], 2), r"got one pair \(edges, n_vertices\)\. Wrap a single graph"),
        (csr_array((2, 2)), "got one sparse matrix. Wrap a single graph"),
        ("graphs", "Expected a collection of graphs, got str"),
        (7, "Expected a collection of graphs, got int"),
        (
            [([], 1), np.zeros((5, 2))],
            r"Graph 1: it is ndarray of shape \(5, 2\); expect",
        ),
        ([csr_array((2, 3))], r"Graph 0: it is a sparse matrix of shape \(2, 3\)"),
        ([csr_array([[0, 1], [0, 0]])], r"has the entry \(0, 1\) but not \(1, 0\)"),
        ([csr_array([[0, 0], [1, 0]])], r"has the entry \(1, 0\) but not \(0, 1\)"),
        ([([[0, 1, 2]], 3)], r"Graph 0: Expected edges of shape \(n_edges, 2\); got"),
        ([([[0, 1.5]], 3)], r"Graph 0: .* expected ints; got list of dtype float64"),
        ([([[0, 1], [2]], 3)], r"Graph 0: .* expected an array of numbers"),
        (
            [([], 1), ([[0, 1], [1, 2]], 2)],
            r"Graph 1: edge 1 is \(1, 2\), but .* 2 v",
        ),
        ([([[0, -1]], 2)], r"Graph 0: edge 0 is \(0, -1\)"),
        ([([[0, 2**40]], 2)], r"Graph 0: edge 0 is \(0, 1099511627776\)"),
        ([([], 2**31)], "Graph 0: expected at most 2147483647 vertices"),
        ([([], 10**400)], "Graph 0: expected at most 2147483647 vertices"),
    ],
)
def test_bad_graphs_are_named(graphs, message):
    with pytest.raises(ValueError, match=message):
        Graphs.from_list(graphs)


@pytest.mark.parametrize(
    ("arrays", "message"),
    [
        (([[0, 1]], [0, 1], []), "one more of offsets than of num_nodes; got 2 and 0"),
        (
            ([[0, 1]], [0, 2], [2]),
            "from 0 to the number of edges, 1; they go from 0 to 2",
        ),
        (([[0, 1]], [0, 2, 1], [2, 2]), "and decrease on the way"),
        (
            ([[0, 1]], [0.0, 1.0], [2]),
            "Expected offsets of shape .* ints; got list of dtype float64",
        ),
        (([[0, 1]], [0, 1], [[2]]), r"Expected num_nodes of shape .* got \(1, 1\)"),
        (([], [0, 0], [-1]), "Graph 0: it has -1 vertices"),
        (([[0, 1, 2]], [0, 1], [3]), r"Expected edges of shape \(n_edges, 2\)"),
    ],
)
def test_bad_arrays_are_named(arrays, message):
    with pytest.raises(ValueError, match=message):
        Graphs(*arrays)


def test_edges_may_be_unsigned_in_one_graph_and_signed_in_another():
    signed, unsigned = np.array([[0, 1]]), np.array([[0, 1], [1, 2]], np.uint64)
    graphs = Graphs.from_list([(signed, 2), (unsigned, 3)])
    assert_array_equal(graphs[1][0], [[0, 1], [1, 2]])
    with pytest.raises(ValueError, match="Graph 0: edge 0"):
        Graphs.from_list([(unsigned + np.uint64(2**63), 3)])
