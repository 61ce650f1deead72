import numpy as np
import pytest
from numpy.testing import assert_array_equal
from scipy.sparse import csr_array
from scipy.sparse.csgraph import dijkstra

from pbow.compute.geodesic import shortest_paths


def run(roads, source):
    n = roads.shape[0]
    distances, order = np.empty(n), np.empty(n, np.int32)
    n_reached = shortest_paths(
        source,
        roads.indptr.astype(np.int32),
        roads.indices.astype(np.int32),
        roads.data,
        distances,
        order,
    )
    return distances, order[:n_reached]


@pytest.mark.parametrize("n_edges", [5, 40, 200])
@pytest.mark.parametrize("whole", [True, False])
def test_distances_are_those_of_scipy(rng, n_edges, whole):
    ends = rng.integers(0, 40, size=(2, n_edges))
    lengths = rng.uniform(size=n_edges) * (1 if not whole else 4)
    lengths = np.floor(lengths) if whole else lengths
    roads = csr_array((lengths, ends), shape=(40, 40))
    roads = csr_array(roads.maximum(roads.T))
    for source in range(40):
        distances, order = run(roads, source)
        assert_array_equal(distances, dijkstra(roads, indices=source))
        assert_array_equal(np.sort(order), np.flatnonzero(np.isfinite(distances)))
        assert (np.diff(distances[order]) >= 0).all()
        assert order[0] == source


def test_every_vertex_but_the_source_has_an_earlier_neighbour():
    # All distances are equal; the order still grows from the source.
    n = 50
    ring = np.arange(n)
    ends = (np.r_[ring, (ring + 1) % n], np.r_[(ring + 1) % n, ring])
    roads = csr_array((np.zeros(2 * n), ends), shape=(n, n))
    _, order = run(roads, 7)
    rank = np.argsort(order)
    for v in order[1:]:
        assert min(rank[(v + 1) % n], rank[(v - 1) % n]) < rank[v]
