import numpy as np
import pytest
from numpy.testing import assert_allclose

from pbow.homology import mesh_geodesic


def reduce_by_definition(filtration):
    """Points of H1 by the textbook reduction of the boundary matrix."""
    place = {simplex: i for i, (_, simplex) in enumerate(filtration)}
    columns, owner, closing = {}, {}, set()
    for j, (_, simplex) in enumerate(filtration):
        column = {place[simplex - {v}] for v in simplex} if len(simplex) > 1 else set()
        while column and max(column) in owner:
            column ^= columns[owner[max(column)]]
        if column:
            columns[j] = column
            owner[max(column)] = j
        elif len(simplex) == 2:
            closing.add(j)
    values = [value for value, _ in filtration]
    points = [[values[i], values[owner[i]] if i in owner else np.inf] for i in closing]
    return sorted(point for point in points if point[0] < point[1])


def filtration_of(faces, distances):
    simplices = {
        frozenset(face) - left_out
        for face in faces
        for left_out in [frozenset(), *map(frozenset, (face[:1], face[1:2], face[2:]))]
    }
    simplices |= {frozenset([v]) for face in faces for v in face}
    entered = [(max(distances[v] for v in simplex), simplex) for simplex in simplices]
    return sorted(entered, key=lambda item: (item[0], len(item[1]), sorted(item[1])))


def torus(rows, columns):
    """Faces of a torus of squares, each cut into two triangles."""
    a = np.arange(rows * columns).reshape(rows, columns)
    b = np.roll(a, -1, axis=1)
    c, d = np.roll(b, -1, axis=0), np.roll(a, -1, axis=0)
    faces = np.concatenate((np.stack([a, b, c], -1), np.stack([a, c, d], -1)))
    return faces.reshape(-1, 3)


@pytest.mark.parametrize("n_taken_out", [0, 1, 6, 15])
def test_loops_match_the_textbook_reduction(rng, n_taken_out):
    faces = rng.permutation(torus(5, 6))[n_taken_out:]
    # Places are few, and in a line: many ties.
    vertices = rng.integers(0, 4, size=(30, 1)).astype(float)
    for source in (0, 13):
        X = mesh_geodesic(vertices, faces, [source])
        distances = shortest_by_definition(vertices, faces, source)
        expected = reduce_by_definition(filtration_of(faces.tolist(), distances))
        assert sorted(X[0].tolist()) == expected


def test_the_numbers_of_vertices_do_not_matter(rng):
    faces, vertices = torus(8, 8)[5:], rng.normal(size=(64, 3))
    expected = mesh_geodesic(vertices, faces, [0])
    assert np.isfinite(expected[0][:, 1]).sum() > 2
    for _ in range(10):
        numbers = rng.permutation(64)
        moved = np.empty_like(vertices)
        moved[numbers] = vertices
        X = mesh_geodesic(moved, numbers[faces], [numbers[0]])
        assert_allclose(np.sort(X[0], axis=0), np.sort(expected[0], axis=0))


def shortest_by_definition(vertices, faces, source):
    """Bellman and Ford: relax every edge as often as there are vertices."""
    distances = np.full(len(vertices), np.inf)
    distances[source] = 0.0
    for _ in range(len(vertices)):
        for face in faces:
            for u, v in ((0, 1), (1, 0), (0, 2), (2, 0), (1, 2), (2, 1)):
                length = np.linalg.norm(vertices[face[u]] - vertices[face[v]])
                way = distances[face[u]] + length
                distances[face[v]] = min(distances[face[v]], way)
    return distances
