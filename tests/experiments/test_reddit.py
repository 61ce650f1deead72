"""Functions and statistics of graphs against their definitions; what is committed."""

from pathlib import Path

import numpy as np
import pytest
from experiments.reddit_features import (
    FILTRATIONS,
    VERTEX_PAIRS,
    adjacency,
    compute_features,
    count_triangles,
    statistics,
    vertex_functions,
)
from sklearn.kernel_ridge import KernelRidge

from experiments import reddit
from pbow.homology import Graphs

RESULTS = Path(reddit.__file__).parent / "results" / "reddit"


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
def functions(graphs):
    return vertex_functions(graphs, adjacency(graphs))


def by_graph(graphs, values):
    return np.split(values, np.cumsum(graphs.num_nodes)[:-1])


def as_networkx(graph):
    networkx = pytest.importorskip("networkx")
    edges, n = graph
    made = networkx.empty_graph(n)
    made.add_edges_from(edges.tolist())
    return networkx, made


def test_triangles_and_clustering_are_those_of_networkx(graphs, functions):
    counts = by_graph(graphs, count_triangles(adjacency(graphs)))
    clustering = by_graph(graphs, functions["clustering"])
    for i, graph in enumerate(graphs):
        networkx, made = as_networkx(graph)
        assert counts[i].tolist() == [*networkx.triangles(made).values()]
        expected = [*networkx.clustering(made).values()]
        np.testing.assert_allclose(clustering[i], expected, atol=1e-9)


def test_depth_counts_steps_to_the_nearest_vertex_of_most_neighbors(graphs, functions):
    for graph, found in zip(graphs, by_graph(graphs, functions["depth"]), strict=True):
        networkx, made = as_networkx(graph)
        for component in networkx.connected_components(made):
            most = max(made.degree[v] for v in component)
            first = [v for v in component if made.degree[v] == most]
            steps = networkx.multi_source_dijkstra_path_length(made, first)
            assert {v: found[v] for v in component} == steps


def test_functions_of_neighbors_are_those_of_their_definitions(graphs, functions):
    A = adjacency(graphs).toarray()
    log_degrees = np.log1p(A.sum(axis=1))
    walk = A / np.maximum(A.sum(axis=1, keepdims=True), 1)
    rank = 1.0 / np.repeat(graphs.num_nodes, graphs.num_nodes)
    uniform = rank
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


def test_statistics_begin_with_sizes_and_quantiles(graphs, functions):
    rows = statistics(graphs, adjacency(graphs), functions)
    np.testing.assert_allclose(rows[:, 0], np.log(graphs.num_nodes))
    for i, (graph, values) in enumerate(
        zip(graphs, by_graph(graphs, functions["degree"]), strict=True)
    ):
        networkx, made = as_networkx(graph)
        n_components = networkx.number_connected_components(made)
        n_loops = made.number_of_edges() - len(made) + n_components
        assert rows[i, 2] == n_components
        np.testing.assert_allclose(rows[i, 4], n_loops / len(made))
        expected = np.quantile(values, np.linspace(0, 1, 11))
        np.testing.assert_allclose(rows[i, 5:16], expected, atol=1e-12)
        np.testing.assert_allclose(rows[i, 16:18], [values.mean(), values.std()])
    assert np.isfinite(rows).all()


def test_a_second_function_of_a_pair_is_never_negative(functions):
    assert all(functions[second].min() >= 0 for _, second in VERTEX_PAIRS)


def test_parts_are_named_by_function_and_homology(graphs):
    features = compute_features(graphs)
    wanted = [f"{name} {part}" for name in FILTRATIONS for part in FILTRATIONS[name]]
    assert [*features.persistence.parts] == wanted
    assert features.clouds["edges degree"].sizes.sum() == len(graphs.edges)


def test_ridge_regression_is_that_of_scikit_learn():
    rng = np.random.default_rng(0)
    H, H_test, y = rng.normal(size=(30, 4)), rng.normal(size=(5, 4)), np.arange(30) % 3
    Y = np.eye(3)[y]
    shares = reddit.fit_ridge(H @ H.T, y, H_test @ H.T, 0.5)
    ridge = KernelRidge(alpha=0.5).fit(H, Y - Y.mean(axis=0))
    np.testing.assert_allclose(shares, ridge.predict(H_test) + Y.mean(axis=0))


def test_of_equally_good_values_the_first_is_chosen():
    y = np.arange(12) % 2
    K = np.equal.outer(y, y).astype(float)
    assert reddit.choose((2.0, 1.0, 3.0), reddit.predict_svm, K, y, seed=0) == 2.0


def test_every_model_tells_sparse_graphs_from_dense_ones():
    graphs, y = random_graphs(60), np.arange(60) // 30
    train, test = np.flatnonzero(np.arange(60) % 3), np.arange(0, 60, 3)
    labels, chosen = reddit.classify(compute_features(graphs), y, train, test, seed=0)
    assert [*labels] == ["four", "depth", "words", "boosting", "average"]
    assert all(np.mean(found == y[test]) > 0.8 for found in labels.values())
    assert chosen["penalty"] in reddit.PENALTIES


@pytest.mark.parametrize("data", reddit.FILES)
def test_committed_means_are_those_of_the_folds(data):
    text = (RESULTS / f"{data}.txt").read_text(encoding="utf-8")
    assert reddit.PROTOCOL in text
    rows = [line.split() for line in text.splitlines()]
    rows = [row for row in rows if len(row) > 5]
    folds = [row[1:6] for row in rows if row[0] in {*map(str, range(10))}]
    means = next(row[1:] for row in rows if row[0] == "mean")
    assert len(folds) == reddit.N_FOLDS
    found = np.mean(np.array(folds, float), axis=0)
    np.testing.assert_allclose(found, np.array(means, float), atol=0.01)
