"""Engines that see keys of edges, and say which edges these are."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from scipy.sparse import coo_matrix

from pbow.homology._flag import flag_engine
from pbow.homology._flag_locations import locating

pytest.importorskip("gudhi")

# A square whose sides differ, with one diagonal.
EDGES = {(0, 1): 1.0, (1, 2): 2.0, (2, 3): 3.0, (0, 3): 4.0, (0, 2): 9.0}


def graph(*, dense):
    rows, columns = np.array(list(EDGES)).T[::-1]
    sparse = coo_matrix((list(EDGES.values()), (rows, columns)), shape=(4, 4))
    if not dense:
        return sparse
    both = sparse.toarray() + sparse.toarray().T
    both[both == 0] = np.inf
    np.fill_diagonal(both, 0.0)
    return both


@pytest.mark.parametrize("dense", [False, True])
@pytest.mark.parametrize("dims", [[0], [0, 1]])
def test_edges_of_birth_and_death_are_named_in_dense_and_sparse_graphs(dense, dims):
    engine = flag_engine("rips", dims, limit=np.inf, field=2, noun="cloud")
    graphs = [graph(dense=dense), np.empty((0, 0)), graph(dense=not dense)]
    components, *loops = locating(engine, dims, np.inf)(graphs, 0, 1)
    assert_array_equal(components.counts, [4, 0, 4])
    for half in (slice(4), slice(4, None)):
        points, locations = components.points[half], components.locations[half]
        assert_array_equal(points, [[0, 1], [0, 2], [0, 3], [0, np.inf]])
        assert_array_equal(locations[:, 0], [[1, -1], [2, -1], [3, -1], [0, -1]])
        assert_array_equal(locations[:, 1], [[0, 1], [1, 2], [2, 3], [-1, -1]])
    for found in loops:
        assert_array_equal(found.counts, [1, 0, 1])
        assert_array_equal(found.points, [[4, 9]] * 2)
        assert_array_equal(found.locations, [[[0, 3], [0, 2]]] * 2)
