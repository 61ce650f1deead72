import threading

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from tests.homology.references import (
    assert_same_points,
    assert_values_at_locations,
    diagrams_of_tree,
    in_order,
    pairs_of_tree,
    ranked,
)

from pbow import Diagrams
from pbow.homology import Graphs, graph_extended, graph_sublevel, gudhi_orientation

TRIANGLE_WITH_TAIL = ([[0, 1], [1, 2], [2, 0], [2, 3]], 4)
EXTENDED = ("Ord0", "Rel1", "Ext0", "Ext1")
each_function = pytest.mark.parametrize("diagrams_of", [graph_sublevel, graph_extended])


def simplex_tree(edges, n_vertices, values):
    gudhi = pytest.importorskip("gudhi")
    tree = gudhi.SimplexTree()
    for vertex in range(n_vertices):
        tree.insert([vertex], values[vertex])
    for a, b in edges:
        tree.insert([a, b], max(values[a], values[b]))
    return tree


def extended_by_gudhi(edges, n_vertices, values):
    if n_vertices == 0:  # gudhi would make a component of its own cone
        return dict.fromkeys(EXTENDED, np.empty((0, 2)))
    tree = simplex_tree(edges, n_vertices, values)
    tree.extend_filtration()
    parts = {}
    for name, found in zip(
        EXTENDED, tree.extended_persistence(homology_coeff_field=2), strict=True
    ):
        assert {dim for dim, _ in found} <= {int(name[-1])}
        points = np.array([point for _, point in found]).reshape(-1, 2)
        points = points[:, :: gudhi_orientation(name)]
        # gudhi scales values and back: what is equal may not quite be so.
        points = points[points[:, 1] - points[:, 0] > 1e-9]
        parts[name] = in_order(points.round(9))
    return parts


def assert_same_as_gudhi(samples, X, Y, atol=1e-8):
    """Compare sublevel diagrams X and extended diagrams Y of edges, n and values."""
    for i, sample in enumerate(samples):
        for dim, expected in enumerate(diagrams_of_tree(simplex_tree(*sample), (0, 1))):
            assert_array_equal(in_order(X[f"H{dim}"][i]), expected)
        for name, expected in extended_by_gudhi(*sample).items():
            assert_allclose(in_order(Y[name][i].round(9)), expected, atol=atol)


@st.composite
def graphs_with_values(draw):
    n = draw(st.integers(0, 12))
    vertex = st.integers(0, max(n - 1, 0))
    edges = draw(st.lists(st.tuples(vertex, vertex), max_size=30 if n else 0))
    edges = [edge for edge in edges if edge[0] != edge[1]]
    few = st.integers(0, 3).map(float)  # ties
    many = st.integers(-1000, 1000).map(lambda k: k / 64)
    values = draw(st.lists(draw(st.sampled_from([few, many])), min_size=n, max_size=n))
    return edges, n, values


@given(st.lists(graphs_with_values(), max_size=3))
def test_diagrams_are_those_of_a_simplex_tree(samples):
    graphs = [(edges, n) for edges, n, _ in samples]
    values = [values for *_, values in samples]
    X = graph_sublevel(graphs, values, dims=(0, 1))
    assert_same_as_gudhi(samples, X, graph_extended(graphs, values))


@pytest.mark.parametrize("n_edges", [30, 80, 400])
def test_larger_graphs_have_the_diagrams_of_a_simplex_tree(rng, n_edges):
    edges = rng.integers(0, 60, size=(n_edges, 2))
    edges = edges[edges[:, 0] != edges[:, 1]]
    values = rng.permutation(60) / 8.0
    X = graph_sublevel([(edges, 60)], [values], dims=(0, 1))
    Y = graph_extended([(edges, 60)], [values])
    assert_same_as_gudhi([(edges, 60, values)], X, Y)


@pytest.mark.parametrize("name", ["MUTAG", "PROTEINS", "REDDIT_MULTI_5K"])
def test_real_graphs_have_the_diagrams_of_a_simplex_tree(data_home, name):
    stored = np.load(data_home / f"graphs_{name}.npz", allow_pickle=False)
    graphs = Graphs(stored["edges"], stored["offsets"], stored["num_nodes"])
    chosen = list(range(0, len(graphs), len(graphs) // 15))
    samples = [
        (edges, n, np.bincount(edges.ravel(), minlength=n).astype(float))
        for edges, n in map(graphs.__getitem__, chosen)
    ]
    X = graph_sublevel(graphs, dims=(0, 1))[chosen]
    assert_same_as_gudhi(samples, X, graph_extended(graphs)[chosen], atol=1e-6)


def test_the_younger_component_dies_and_others_never_do():
    path_and_vertex = ([[0, 1], [1, 2]], 4)
    X = graph_sublevel([path_and_vertex], [[1.0, 5.0, 2.0, 3.0]])
    assert X[0].tolist() == [[2.0, 5.0], [1.0, np.inf], [3.0, np.inf]]


def test_a_loop_is_born_with_the_edge_that_closes_it_and_is_essential():
    X = graph_sublevel([TRIANGLE_WITH_TAIL], [[0.0, 1.0, 2.0, 3.0]], dims=1)
    assert X.parts == ("H1",)
    assert X[0].tolist() == [[2.0, np.inf]]


def test_degrees_count_neighbors_and_not_edges():
    doubled = ([[0, 1], [1, 0], [1, 1], [1, 2]], 4)
    X = graph_sublevel([doubled], dims=(0, 1))
    assert X["H0"][0].tolist() == [[1.0, 2.0], [0.0, np.inf], [1.0, np.inf]]
    assert X["H1"].sizes.tolist() == [0]


def test_a_circle_with_two_tails_has_all_four_kinds_of_points():
    circle = [[0, 1], [1, 2], [2, 3], [3, 0]]
    tails_and_an_edge_apart = [[3, 4], [1, 5], [6, 7]]
    heights = [1, 2, 3, 2.5, 0.5, 4, 7, 8]
    X = graph_extended([(circle + tails_and_an_edge_apart, 8)], [heights])
    assert X.parts == EXTENDED
    assert X["Ord0"][0].tolist() == [[1.0, 2.5]]
    assert X["Rel1"][0].tolist() == [[2.0, 3.0]]
    assert X["Ext0"][0].tolist() == [[0.5, 4.0], [7.0, 8.0]]
    assert X["Ext1"][0].tolist() == [[1.0, 3.0]]


def test_a_long_cycle_is_one_loop():
    n = 100_000
    cycle = np.column_stack((np.arange(n), (np.arange(n) + 1) % n))
    heights = np.minimum(np.arange(n), n - np.arange(n)).astype(float)
    X = graph_extended([(cycle, n)], [heights])
    assert X[0]["Ext1"].tolist() == [[0.0, n / 2]]
    assert X[0]["Ord0"].size == X[0]["Rel1"].size == 0


@each_function
def test_no_zero_is_negative(diagrams_of):
    path = ([[0, 1], [1, 2], [2, 3]], 4)
    for values in ([-0.0, -1.0, -0.0, -2.0], [0.0, 1.0, 0.0, 2.0], [1, -0.0, 1, -0.0]):
        X = diagrams_of([path], [values])
        for part in X.parts:
            assert not np.signbit(X[part].points[X[part].points == 0.0]).any()


@each_function
def test_values_may_come_from_a_function_or_be_given(diagrams_of):
    graphs = [TRIANGLE_WITH_TAIL, ([], 2)]

    def degrees(graph):
        edges, n = graph
        return np.bincount(np.asarray(edges, int).ravel(), minlength=n)

    expected = diagrams_of(graphs)
    assert diagrams_of(graphs, degrees) == expected
    assert diagrams_of(graphs, map(degrees, graphs)) == expected
    assert diagrams_of(Graphs.from_list(graphs), degrees) == expected
    assert diagrams_of(graphs, [[2, 2, 3, 1], (0, 0)]) == expected


def test_values_of_networkx_may_be_a_dict_by_node():
    nx = pytest.importorskip("networkx")
    star = nx.star_graph(4)
    shuffled = nx.Graph()
    shuffled.add_nodes_from([3, 0, 4, 2, 1])
    shuffled.add_edges_from(star.edges)
    X = graph_sublevel([star, shuffled], nx.degree_centrality)
    assert X[0].tolist() == [[0.25, 1.0]] * 3 + [[0.25, np.inf]]
    assert_array_equal(X[0], X[1])
    by_degree = graph_sublevel([star, shuffled], [dict(star.degree)] * 2)
    assert by_degree == graph_sublevel([star, shuffled])


@each_function
def test_no_graphs_and_empty_graphs_have_empty_diagrams(diagrams_of):
    assert len(diagrams_of([])) == 0
    X = diagrams_of([([], 0), TRIANGLE_WITH_TAIL, ([], 0)])
    for part in X.parts:
        assert X[part].sizes[[0, 2]].tolist() == [0, 0]


@each_function
@pytest.mark.parametrize("n_jobs", [2, 3, -1])
def test_threads_do_not_change_the_diagrams(rng, diagrams_of, n_jobs):
    graphs = Graphs.from_list(
        [(rng.integers(0, n, size=(2 * n, 2)), n) for n in rng.integers(1, 900, 200)]
    )
    n_before = threading.active_count()
    assert diagrams_of(graphs, n_jobs=n_jobs) == diagrams_of(graphs)
    assert threading.active_count() == n_before


def test_parts_come_in_the_order_that_was_asked_for():
    X = graph_sublevel([TRIANGLE_WITH_TAIL], dims=[1, 0])
    assert isinstance(X, Diagrams)
    assert X.parts == ("H1", "H0")


@pytest.mark.parametrize("dims", [2, (0, 2)])
def test_graphs_have_no_homology_beyond_loops(dims):
    with pytest.raises(ValueError, match="Expected dims to be 0, 1 or both"):
        graph_sublevel([], dims=dims)


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ("centrality", "Expected values to be 'degree', a function .* 'centrality'"),
        (3.0, "Expected values to be 'degree'"),
        ({0: 1.0}, "Expected values to be 'degree'"),
        ([[1, 2]], "one array of values per graph; got 1 for 2 graphs"),
        ([[1, 2], [1, 2]], r"Graph 1: its values have shape \(2,\); .* 3 vertices"),
        ([[1, 2], [1, np.nan, 2]], "Graph 1: vertex 1 has the value nan"),
        ([[1, np.inf], [1, 2, 3]], "Graph 0: vertex 1 has the value inf"),
        ([[1, 1e200], [1, 2, 3]], r"of at most 1e\+100"),
        ([[1, 2], [10**400, 1.5, 2]], "Graph 1: .* dtype object"),
        ([[1, 2], "abc"], "Graph 1: expected real numbers; got str"),
        ([[[1, 2]], [1, 2, 3]], r"Graph 0: its values have shape \(1, 2\)"),
        ([[1, 2], [[1], [2, 3], 4]], "Graph 1: expected an array of numbers"),
        ([{0: 1.0}, [1, 2, 3]], "Graph 0: its values are a dict"),
        (
            lambda graph: [1.0] * (graph[1] + 1),
            r"Graph 0: its values have shape \(3,\)",
        ),
    ],
)
@each_function
def test_bad_values_are_named(diagrams_of, values, message):
    with pytest.raises(ValueError, match=message):
        diagrams_of([([[0, 1]], 2), ([[0, 1]], 3)], values)


def test_values_may_be_of_any_real_type():
    edges = [([[0, 1], [1, 2]], 3)]
    expected = graph_sublevel(edges, [np.array([0.0, 2.0, 1.0])])
    for dtype in (np.longdouble, np.float16, np.uint8):
        assert graph_sublevel(edges, [np.array([0, 2, 1], dtype)]) == expected


@pytest.mark.parametrize("n_values", [3, 10**6], ids=["ties", "distinct"])
def test_locations_of_sublevel_diagrams_are_the_vertices_of_gudhis_pairs(n_values, rng):
    graphs, values = _random_graphs(rng, n_values)
    X = graph_sublevel(graphs, values, dims=(0, 1), return_locations=True)
    assert_same_points(X, graph_sublevel(graphs, values, dims=(0, 1)))
    for dim, name in enumerate(X.parts):
        assert_values_at_locations(X[name], values)
        for i, ((edges, n), heights) in enumerate(zip(graphs, values, strict=True)):
            ranks = ranked(heights)
            tree = simplex_tree(edges, n, ranks)
            expected = [
                (a, b)
                for a, b in pairs_of_tree(tree, dim, ranks)
                if b == -1 or heights[a] < heights[b]
            ]
            found = map(tuple, X[name].locations_of(i)[:, :, 0].tolist())
            assert sorted(found) == expected


@pytest.mark.parametrize("n_values", [3, 10**6], ids=["ties", "distinct"])
def test_locations_of_extended_diagrams_are_those_of_both_ways_and_of_gudhi(
    n_values, rng
):
    graphs, values = _random_graphs(rng, n_values)
    X = graph_extended(graphs, values, return_locations=True)
    assert_same_points(X, graph_extended(graphs, values))
    up = graph_sublevel(graphs, values, return_locations=True)
    down = graph_sublevel(graphs, [-v for v in values], return_locations=True)
    for i, ((edges, n), heights) in enumerate(zip(graphs, values, strict=True)):
        found = {name: _vertices(X[name], i) for name in EXTENDED}
        (finite_up, first), (finite_down, last) = (
            ([p for p in pairs if p[1] >= 0], [p[0] for p in pairs if p[1] < 0])
            for pairs in (_vertices(up, i), _vertices(down, i))
        )
        assert found["Ord0"] == finite_up
        assert found["Rel1"] == sorted((b, a) for a, b in finite_down)
        # A component is seen from below and from above, unless it has one value.
        assert {a for a, _ in found["Ext0"]} <= {*first}
        assert {b for _, b in found["Ext0"]} <= {*last}
        # gudhi scales the values: ranks, which it does not confuse.
        at = np.argsort(ranked(heights))
        by_gudhi = extended_by_gudhi(edges, n, ranked(heights))
        for name in ("Ext0", "Ext1"):
            ends = at[by_gudhi[name].round().astype(int)].reshape(-1, 2).tolist()
            expected = sorted((a, b) for a, b in ends if heights[a] < heights[b])
            if name == "Ext0":  # where ranks take the last vertex of the highest ones
                assert [a for a, _ in found[name]] == [a for a, _ in expected]
            else:
                assert found[name] == expected
    for name in X.parts:
        assert_values_at_locations(X[name], values)
    assert len(X["Ext1"].points) > 0


def _vertices(part, i):
    return sorted(map(tuple, part.locations_of(i)[:, :, 0].tolist()))


@each_function
def test_locations_are_there_for_degrees_and_for_no_graph(diagrams_of):
    X = diagrams_of([TRIANGLE_WITH_TAIL, ([], 0)], return_locations=True)
    degrees = [2, 2, 3, 1]
    for name in X.parts:
        assert_values_at_locations(X[name], [degrees, []])
    empty = diagrams_of([], return_locations=True)
    assert empty[empty.parts[0]].locations.shape == (0, 2, 1)
    with pytest.raises(ValueError, match=r"return_locations.*True or False"):
        diagrams_of([TRIANGLE_WITH_TAIL], return_locations=1)


def _random_graphs(rng, n_values):
    graphs = []
    for n in (1, 5, 12, 30):
        pairs = np.sort(rng.integers(0, n, size=(2 * n, 2)), axis=1)
        edges = np.unique(pairs[pairs[:, 0] < pairs[:, 1]], axis=0)
        graphs.append((edges, n))
    return graphs, [
        rng.integers(-n_values, n_values, n).astype(float) for _, n in graphs
    ]
