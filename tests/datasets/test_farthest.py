import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.sparse import coo_array
from scipy.sparse.csgraph import dijkstra
from tests.datasets.layouts import mesh_arrays

from pbow.datasets.farthest import largest_distances
from pbow.homology import mesh_geodesic


def largest_by_scipy(vertices, faces, sources):
    a, b = np.concatenate([faces[:, [0, 1]], faces[:, [1, 2]], faces[:, [0, 2]]]).T
    a, b = np.unique(np.sort([a, b], axis=0), axis=1)
    lengths = np.linalg.norm(vertices[a] - vertices[b], axis=1)
    shape = (len(vertices), len(vertices))
    graph = coo_array((lengths, (a, b)), shape=shape).tocsr()
    distances = dijkstra(graph, directed=False, indices=sources)
    return np.where(np.isfinite(distances), distances, 0).max(axis=1)


def test_it_is_the_largest_of_the_shortest_paths(rng):
    for seed in range(3):
        mesh = mesh_arrays(1, side=9, seed=seed)
        vertices, faces = mesh["vertices"].astype(np.float64), mesh["faces"]
        sources = rng.integers(0, 81, 20)
        expected = largest_by_scipy(vertices, faces, sources)
        found = largest_distances(mesh["vertices"], faces, sources)
        assert_allclose(found, expected, rtol=1e-13)
        again = largest_distances(mesh["vertices"], faces, sources, n_jobs=2)
        assert_array_equal(again, found)


def test_distances_are_those_of_the_filtration_bit_for_bit(rng):
    # An arm that is a tetrahedron closes at its tip, the farthest vertex.
    for _ in range(20):
        vertices = rng.uniform(size=(4, 3))
        vertices[3] *= 10
        faces = np.array([[0, 1, 2], [0, 1, 3], [0, 2, 3], [1, 2, 3]])
        hollow = np.array([[0, 1, 3], [1, 2, 3], [0, 2, 3]])
        [largest] = largest_distances(vertices, hollow, np.array([0]))
        assert [largest] == largest_distances(vertices, faces, np.array([0])).tolist()
        # The loop of the open side is filled by the tip.
        assert largest in mesh_geodesic(vertices, hollow, [0])[0][:, 1]


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_what_cannot_be_reached_does_not_count(n_jobs):
    # Two triangles apart, and a vertex in no face.
    vertices = np.array([[0, 0], [3, 0], [0, 4], [9, 9], [9, 10], [10, 9], [99, 99]])
    faces = np.array([[0, 1, 2], [3, 4, 5]])
    found = largest_distances(vertices, faces, np.array([0, 1, 3, 6]), n_jobs=n_jobs)
    assert found.tolist() == [4.0, 5.0, 1.0, 0.0]


def test_edges_of_no_length_and_faces_that_are_there_twice_do_no_harm():
    vertices = np.array([[0.0, 0.0], [0.0, 0.0], [1.0, 0.0], [1.0, 0.0]])
    faces = np.array([[0, 1, 2], [2, 1, 0], [2, 2, 3]])
    assert largest_distances(vertices, faces, np.array([0, 3])).tolist() == [1.0, 1.0]


def test_of_no_sources_there_are_no_distances():
    vertices, faces = np.eye(3), np.array([[0, 1, 2]])
    assert largest_distances(vertices, faces, np.empty(0, int)).shape == (0,)
