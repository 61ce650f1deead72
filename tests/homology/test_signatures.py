from functools import partial

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.linalg import expm
from scipy.sparse import csr_array
from scipy.sparse.csgraph import laplacian

from pbow.homology import Graphs, graph_extended, heat_kernel_signature


@pytest.mark.parametrize("t", [0.0, 0.1, 1.0, 10.0, 1000.0])
@pytest.mark.parametrize("density", [0.02, 0.08, 0.4, 1.0])
def test_the_signature_is_the_diagonal_of_the_heat_kernel(rng, t, density):
    matrix = np.triu(rng.uniform(size=(25, 25)) < density, 1)
    matrix = (matrix | matrix.T).astype(float)
    expected = np.diag(expm(-t * laplacian(matrix, normed=True)))
    signature = heat_kernel_signature(csr_array(matrix), t)
    assert_allclose(signature, expected, atol=2e-12)
    assert (signature > 0).all()
    assert (signature <= 1).all()


def test_twins_match_the_definition():
    star_of_stars = [[0, 1], [0, 2], *([1, v] for v in range(3, 9)), [2, 9], [2, 10]]
    both_sides = [[u, v] for u in (11, 12, 13) for v in (14, 15)]
    edges = np.array(star_of_stars + both_sides)
    matrix = np.zeros((18, 18))
    matrix[tuple(edges.T)] = matrix[tuple(edges[:, ::-1].T)] = 1.0
    expected = np.diag(expm(-0.7 * laplacian(matrix, normed=True)))
    assert_allclose(heat_kernel_signature((edges, 18), 0.7), expected, atol=2e-12)


def test_a_graph_that_is_too_large_is_refused_before_the_work_starts():
    n = 400_000
    path = np.column_stack((np.arange(n - 1), np.arange(1, n)))
    with pytest.raises(
        MemoryError, match=r"Component 0: it needs about 7.68 TB .* Choose"
    ):
        heat_kernel_signature((path, n), t=1.0)


def test_vertices_that_a_symmetry_exchanges_are_equal():
    n = 30
    cycle = np.column_stack((np.arange(n), (np.arange(n) + 1) % n))
    assert len(set(heat_kernel_signature((cycle, n), t=1.0).tolist())) == 1
    X = graph_extended([(cycle, n)], partial(heat_kernel_signature, t=1.0))
    assert all(X[part].sizes[0] == 0 for part in X.parts)


def test_weights_and_copies_of_edges_do_not_count():
    plain = heat_kernel_signature(([[0, 1], [1, 2]], 3), t=1.0)
    doubled = heat_kernel_signature(([[0, 1], [1, 0], [1, 2], [2, 2]], 3), t=1.0)
    weighted = csr_array([[0, 5, 0], [5, 0, 0.1], [0, 0.1, 0]])
    assert_array_equal(plain, doubled)
    assert_array_equal(plain, heat_kernel_signature(weighted, t=1.0))


def test_a_graph_without_vertices_has_no_signature():
    assert heat_kernel_signature(([], 0), t=1.0).shape == (0,)


def test_a_graph_of_a_collection_will_do():
    graphs = Graphs([[0, 1], [0, 1]], [0, 1, 2], [2, 3])
    X = graph_extended(graphs, partial(heat_kernel_signature, t=1.0))
    assert len(X) == 2


@pytest.mark.parametrize("t", [-1.0, np.nan, np.inf, "1", None, True])
def test_time_is_a_number_that_is_not_negative(t):
    with pytest.raises(ValueError, match="Expected t to be a number >= 0"):
        heat_kernel_signature(([], 1), t)
