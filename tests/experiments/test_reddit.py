"""Functions and statistics of graphs against their definitions; what is committed."""

import re

import networkx
import numpy as np
import pytest
from sklearn.svm import SVC

from experiments import reddit, reddit_features
from pbow.homology import Graphs

FOLD = re.compile(r"^\d +(\d+\.\d\d .*)", re.MULTILINE)


def random_graphs(n_graphs, seed=0):
    rng = np.random.default_rng(seed)
    sizes = rng.integers(6, 25, n_graphs)
    # Few edges, so that some vertices have none; the second half has more.
    return Graphs.from_list(
        [
            (rng.integers(n, size=((1 + 2 * i // n_graphs) * n, 2)), int(n))
            for i, n in enumerate(sizes)
        ]
    )


@pytest.fixture(scope="module")
def graphs():
    return random_graphs(12)


@pytest.fixture(scope="module")
def adjacency(graphs):
    return reddit_features.adjacency(graphs)


@pytest.fixture(scope="module")
def functions(graphs, adjacency):
    return reddit_features.vertex_functions(graphs, adjacency)


def by_graph(graphs, values):
    """Give each graph, as one of networkx, and the values of its vertices."""
    each = np.split(values, np.cumsum(graphs.num_nodes)[:-1])
    for (edges, n), found in zip(graphs, each, strict=True):
        graph = networkx.empty_graph(n)
        graph.add_edges_from(edges.tolist())
        yield graph, found


def test_triangles_clustering_and_depth_are_those_of_networkx(
    graphs, adjacency, functions
):
    triangles = reddit_features.count_triangles(adjacency)
    for graph, counts in by_graph(graphs, triangles):
        assert counts.tolist() == [*networkx.triangles(graph).values()]
    for graph, found in by_graph(graphs, functions["clustering"]):
        expected = [*networkx.clustering(graph).values()]
        np.testing.assert_allclose(found, expected, atol=1e-9)
    for graph, found in by_graph(graphs, functions["depth"]):
        for component in networkx.connected_components(graph):
            most = max(graph.degree[v] for v in component)
            first = [v for v in component if graph.degree[v] == most]
            steps = networkx.multi_source_dijkstra_path_length(graph, first)
            assert {v: found[v] for v in component} == steps


def test_functions_of_neighbors_are_those_of_their_definitions(
    graphs, adjacency, functions
):
    A = adjacency.toarray()
    log_degrees = np.log1p(A.sum(axis=1))
    walk = A / np.maximum(A.sum(axis=1, keepdims=True), 1)
    rank = uniform = 1.0 / np.repeat(graphs.num_nodes, graphs.num_nodes)
    for _ in range(15):
        rank = 0.15 * uniform + 0.85 * walk.T @ rank
    alone = A.sum(axis=1) == 0
    assert alone.any()
    expected = {
        "degree": log_degrees,
        "neighbors": walk @ log_degrees,
        "second": walk @ walk @ log_degrees,
        "largest": (A * log_degrees).max(axis=1),
        "return": np.log(np.where(alone, 1.0, np.diag(walk @ walk))),
        "rank": np.log(rank),
    }
    for name, values in expected.items():
        np.testing.assert_allclose(functions[name], values, atol=1e-9, err_msg=name)
    # One of a pair takes the place of persistence.
    assert all(functions[name].min() >= 0 for _, name in reddit_features.VERTEX_PAIRS)


def test_statistics_begin_with_sizes_and_quantiles(graphs, adjacency, functions):
    rows = reddit_features.statistics(graphs, adjacency, functions)
    np.testing.assert_allclose(rows[:, 0], np.log(graphs.num_nodes))
    of_graphs = by_graph(graphs, functions["degree"])
    for row, (graph, values) in zip(rows, of_graphs, strict=True):
        n_components = networkx.number_connected_components(graph)
        n_loops = graph.number_of_edges() - len(graph) + n_components
        expected = [n_components, np.log1p(n_loops), n_loops / len(graph)]
        expected += [*np.quantile(values, np.linspace(0, 1, 11))]
        expected += [values.mean(), values.std()]
        np.testing.assert_allclose(row[2:18], expected, atol=1e-12)
    assert np.isfinite(rows).all()


def test_of_equally_good_values_the_first_is_chosen():
    y = np.arange(12) % 2
    K = np.equal.outer(y, y).astype(float)
    model = SVC(kernel="precomputed")
    assert reddit.choose(model, {"C": [2.0, 1.0, 3.0]}, K, y, seed=0).C == 2.0


def test_every_model_tells_sparse_graphs_from_dense_ones():
    graphs, y = random_graphs(60), np.arange(60) // 30
    train, test = np.flatnonzero(np.arange(60) % 3), np.arange(0, 60, 3)
    X, statistics = reddit_features.compute_features(graphs)
    assert (X.parts[15], X.parts[18]) == ("rank Ext1", "depth Ext1")
    assert X["edges degree"].sizes.sum() == len(graphs.edges)
    labels, chosen = reddit.classify(X, statistics, y, train, test, seed=0)
    assert [*labels] == ["four", "depth", "words", "boosting", "average"]
    assert all(np.mean(found == y[test]) > 0.8 for found in labels.values())
    assert chosen["penalty"] in reddit.PENALTIES


@pytest.mark.parametrize("data", reddit.FILES)
def test_committed_means_are_those_of_the_folds(data):
    text = (reddit.RESULTS / f"{data}.txt").read_text(encoding="utf-8")
    assert reddit.PROTOCOL in text
    folds = np.array([line.split() for line in FOLD.findall(text)], float)
    [means] = re.findall("^mean (.*)", text, re.MULTILINE)
    assert len(folds) == reddit.N_FOLDS
    found = folds[:, :5].mean(axis=0)
    np.testing.assert_allclose(found, np.array(means.split(), float), atol=0.01)
