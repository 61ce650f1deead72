from itertools import combinations

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from scipy.sparse import coo_matrix
from scipy.spatial.distance import cdist

from pbow.homology import _flag
from pbow.homology._flag import Edges, _count_cliques


@pytest.fixture(params=[1, 7, 10_000], ids="rows{}".format)
def rows_of_a_block(request, monkeypatch):
    """Blocks of one row, of some, and of all rows of fifty."""
    monkeypatch.setattr(_flag, "BYTES_OF_A_BLOCK", 8 * 50 * request.param)


@pytest.mark.usefixtures("rows_of_a_block")
@pytest.mark.parametrize("precomputed", [False, True])
@pytest.mark.parametrize("limit", [0.1, 0.5, np.inf])
def test_edges_are_the_short_distances(rng, limit, precomputed):
    cloud = rng.uniform(size=(50, 2))
    distances = cdist(cloud, cloud)
    item = distances if precomputed else cloud
    edges = Edges.up_to(limit, item, precomputed=precomputed)
    short = np.tril(distances <= limit, k=-1)
    assert edges.n_edges == np.count_nonzero(short)
    graph = edges.graph()
    if limit == 0.1:
        assert_array_equal(graph.toarray(), np.where(short, distances, 0.0))
    else:
        assert_array_equal(graph, distances)


@pytest.mark.usefixtures("rows_of_a_block")
def test_an_edge_of_length_zero_is_an_edge():
    edges = Edges.up_to(0.5, np.repeat(np.arange(25.0), 2)[:, None], precomputed=False)
    graph = edges.graph()
    assert (edges.n_edges, graph.nnz) == (25, 25)
    assert_array_equal(graph.data, np.zeros(25))


@pytest.mark.usefixtures("rows_of_a_block")
def test_infinite_distances_are_no_edges(rng):
    distances = cdist(*2 * [rng.uniform(size=(50, 2))])
    distances[distances > 0.1] = np.inf
    edges = Edges.up_to(np.inf, distances, precomputed=True)
    n_finite = np.count_nonzero(np.isfinite(distances))
    assert edges.n_edges == (n_finite - 50) / 2
    assert np.isfinite(edges.graph().data).all()


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
