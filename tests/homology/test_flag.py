"""Edges of clouds, and the count of their cliques."""

from itertools import combinations

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from scipy.sparse import coo_matrix
from scipy.spatial.distance import cdist

from pbow.homology._flag import _count_cliques, edges_up_to

# Distances are computed in blocks of rows: of 50 points in one, of 1,000 in two.
each_size = pytest.mark.parametrize("n", [50, 1000])


@each_size
@pytest.mark.parametrize("precomputed", [False, True])
@pytest.mark.parametrize("limit", [0.1, 0.5, np.inf])
def test_edges_are_the_short_distances(rng, n, limit, precomputed):
    cloud = rng.uniform(size=(n, 2))
    distances = cdist(cloud, cloud)
    item = distances if precomputed else cloud
    edges = edges_up_to(limit, item, precomputed=precomputed)
    short = np.tril(distances <= limit, k=-1)
    assert edges.n_edges == np.count_nonzero(short)
    graph = edges.make()
    if limit == 0.1:
        assert_array_equal(graph.toarray(), np.where(short, distances, 0.0))
    else:
        assert_array_equal(graph, distances)


@each_size
def test_an_edge_of_length_zero_is_an_edge(n):
    points = np.repeat(np.arange(n / 2), 2)[:, None]
    edges = edges_up_to(0.5, points, precomputed=False)
    graph = edges.make()
    assert edges.n_edges == graph.nnz == n // 2
    assert_array_equal(graph.data, np.zeros(n // 2))


@each_size
def test_infinite_distances_are_no_edges(rng, n):
    distances = cdist(*2 * [rng.uniform(size=(n, 2))])
    distances[distances > 0.1] = np.inf
    edges = edges_up_to(np.inf, distances, precomputed=True)
    n_finite = np.count_nonzero(np.isfinite(distances))
    assert edges.n_edges == (n_finite - n) / 2
    assert np.isfinite(edges.make().data).all()


def random_graph(rng, n, density):
    adjacency = np.tril(rng.uniform(size=(n, n)) < density, k=-1)
    return coo_matrix(adjacency.astype(float)), adjacency | adjacency.T


@pytest.mark.parametrize("size", [2, 3, 4])
@pytest.mark.parametrize("density", [0.0, 0.2, 0.6])
def test_no_clique_is_left_uncounted(rng, density, size):
    graph, joined = random_graph(rng, 12, density)
    n_cliques = sum(
        all(joined[i, j] for i, j in combinations(vertices, 2))
        for vertices in combinations(range(12), size)
    )
    assert _count_cliques(graph, size) >= n_cliques
    if size == 2:
        assert _count_cliques(graph, size) == n_cliques


def test_cliques_of_full_graphs_and_stars_are_counted_exactly(rng):
    full, _ = random_graph(rng, 10, 1.0)
    assert _count_cliques(full, 3) == 120
    star = coo_matrix((np.ones(9), (np.arange(1, 10), np.zeros(9, int))), (10, 10))
    assert _count_cliques(star, 3) == 0
