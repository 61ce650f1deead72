import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy.sparse import csr_array
from scipy.sparse.csgraph import dijkstra
from tests.homology.references import (
    OCTAHEDRON,
    assert_same_points,
    assert_values_at_locations,
    diagrams_of_tree,
    in_order,
)

from pbow.homology import mesh_geodesic

SQUARE = np.array([[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]], float)
TWO_TRIANGLES = [[0, 1, 2], [0, 2, 3]]


def loops_by_gudhi(vertices, faces, source):
    """Every simplex of the mesh in a simplex tree, at the distances of scipy."""
    gudhi = pytest.importorskip("gudhi")
    tree = gudhi.SimplexTree()
    for face in np.asarray(faces).tolist():
        tree.insert(sorted(set(face)))
    edges = np.array([s for s, _ in tree.get_skeleton(1) if len(s) == 2], int)
    a, b = edges.reshape(-1, 2).T
    lengths = np.linalg.norm(vertices[a] - vertices[b], axis=1)
    roads = csr_array((lengths, (a, b)), shape=2 * [len(vertices)])
    distances = dijkstra(roads, directed=False, indices=source)
    entered = gudhi.SimplexTree()
    for simplex, _ in tree.get_simplices():
        if np.isfinite(distances[simplex]).all():
            entered.insert(simplex, distances[simplex].max())
    return diagrams_of_tree(entered, [1])[0]


def assert_same_as_gudhi(vertices, faces, sources, **options):
    X = mesh_geodesic(vertices, faces, sources, **options)
    for diagram, source in zip(X, sources, strict=True):
        expected = loops_by_gudhi(np.asarray(vertices, float), faces, source)
        assert_array_equal(in_order(diagram), expected)
    return X


def grid(height, width, *, around=False, along=False, twist=False):
    """Vertices in a grid with two triangles a cell; opposite sides may be glued."""
    index = np.arange(height * width).reshape(height, width)
    if around:
        index = np.column_stack((index, index[::-1, 0] if twist else index[:, 0]))
    if along:
        index = np.vstack((index, index[0]))
    a, b, c, d = (
        corner.ravel()
        for corner in (index[:-1, :-1], index[:-1, 1:], index[1:, 1:], index[1:, :-1])
    )
    return np.concatenate((np.column_stack((a, b, c)), np.column_stack((a, c, d))))


@st.composite
def meshes(draw, *, shape):
    """A surface with places, whole numbers (ties) or not, and some faces taken out."""
    height, width = draw(st.integers(3, 6)), draw(st.integers(3, 6))
    faces = grid(height, width, **shape)
    kept = draw(st.lists(st.booleans(), min_size=len(faces), max_size=len(faces)))
    faces = faces[np.array(kept) | draw(st.booleans())]
    coordinates = draw(
        st.lists(
            st.integers(0, draw(st.sampled_from([1, 3, 1000]))),
            min_size=2 * height * width,
            max_size=2 * height * width,
        )
    )
    vertices = np.array(coordinates, float).reshape(-1, 2)
    source = draw(st.integers(0, len(vertices) - 1))
    return vertices, faces, source


@pytest.mark.parametrize(
    "shape",
    [
        {},
        {"around": True},
        {"around": True, "along": True},
        {"around": True, "twist": True},
        {"around": True, "along": True, "twist": True},
    ],
    ids=["disc", "annulus", "torus", "moebius strip", "klein bottle"],
)
def test_surfaces_have_the_loops_of_a_simplex_tree(shape):
    @settings(max_examples=40)
    @given(meshes(shape=shape))
    def check(mesh):
        vertices, faces, source = mesh
        assert_same_as_gudhi(vertices, faces, [source])

    check()


@given(
    st.lists(st.lists(st.integers(0, 7), min_size=3, max_size=3), max_size=25),
    st.lists(st.integers(0, 5), min_size=16, max_size=16),
    st.integers(0, 7),
)
def test_any_triangles_have_the_loops_of_a_simplex_tree(faces, coordinates, source):
    vertices = np.array(coordinates, float).reshape(8, 2)
    assert_same_as_gudhi(vertices, np.array(faces, int).reshape(-1, 3), [source])


@pytest.mark.parametrize("mesh", [0, 3, 11])
def test_airplanes_have_the_loops_of_a_simplex_tree(data_home, rng, mesh):
    stored = np.load(data_home / "psb_airplane_meshes.npz", allow_pickle=False)
    first, last = stored["vertex_offsets"][mesh : mesh + 2]
    vertices = stored["vertices"][first:last].astype(float)
    first, last = stored["face_offsets"][mesh : mesh + 2]
    faces = stored["faces"][first:last]
    sources = rng.choice(len(vertices), 2, replace=False)
    X = assert_same_as_gudhi(vertices, faces, sources)
    assert (X.sizes > 3).all()
    assert not X.has_essential


def test_the_outer_end_of_a_tube_never_closes():
    angles = np.arange(8) * np.pi / 4
    circle = np.column_stack((np.cos(angles), np.sin(angles)))
    tube = np.concatenate([np.column_stack((circle, np.full(8, z))) for z in range(4)])
    X = mesh_geodesic(tube, grid(4, 8, around=True), [0])
    # The ball meets itself behind the tube, four edges away.
    side = np.linalg.norm(circle[0] - circle[1])
    assert_array_equal(X[0], [[4 * side, np.inf]])


def test_a_sphere_has_no_essential_loop(rng):
    faces = [[x, y, z] for x in (0, 3) for y in (1, 4) for z in (2, 5)]
    assert_same_as_gudhi(OCTAHEDRON + 0.1 * rng.uniform(size=(6, 3)), faces, range(6))
    assert not mesh_geodesic(OCTAHEDRON, faces, range(6)).has_essential


def test_what_cannot_be_reached_never_enters():
    ring = grid(2, 6, around=True)
    places = np.random.default_rng(0).uniform(size=(25, 3))
    alone = mesh_geodesic(places, ring, [0, 3])
    both = mesh_geodesic(places, np.concatenate((ring, ring + 12)), [0, 3])
    assert alone == both
    assert alone.essential().sizes.tolist() == [1, 1]


def test_a_vertex_without_a_face_has_an_empty_diagram():
    X = mesh_geodesic(SQUARE, [[0, 1, 2]], [3, 0])
    assert X.sizes.tolist() == [0, 0]
    assert X.parts == ("H1",)


def test_no_sources_and_no_faces():
    assert len(mesh_geodesic(SQUARE, TWO_TRIANGLES, [])) == 0
    assert mesh_geodesic(SQUARE, [], [1, 2]).sizes.tolist() == [0, 0]
    assert len(mesh_geodesic(np.empty((0, 3)), np.empty((0, 3), int), [])) == 0


def test_a_face_that_is_there_twice_counts_once():
    faces = grid(4, 5, around=True)
    places = np.random.default_rng(0).uniform(size=(20, 3))
    copies = np.concatenate((faces, faces[::-1, [1, 0, 2]], faces[:3]))
    assert mesh_geodesic(places, copies, [0, 7]) == mesh_geodesic(places, faces, [0, 7])


def test_a_face_with_two_equal_corners_is_an_edge():
    # The triangles 0 1 2 and 0 2 3, and an edge from 1 to 3 that closes a loop.
    X = mesh_geodesic(SQUARE, [*TWO_TRIANGLES, [1, 3, 3], [2, 2, 2]], [0])
    assert X[0].tolist() == [[1.0, np.inf]]


def test_edges_with_three_triangles_take_the_general_way(rng):
    book = [[0, 1, page] for page in range(2, 7)]
    shelf = [[2, 3, 7], [3, 4, 7], [4, 2, 7], [5, 6, 7]]
    assert_same_as_gudhi(rng.uniform(size=(9, 3)), [*book, *shelf], range(9))


def test_the_general_way_names_the_extra_that_it_needs(monkeypatch):
    monkeypatch.setitem(sys.modules, "gudhi", None)
    assert len(mesh_geodesic(SQUARE, TWO_TRIANGLES, [0])) == 1
    book = [[0, 1, 2], [0, 1, 3], [0, 1, 4]]
    with pytest.raises(
        ImportError, match=r"branching edges needs gudhi.*the extra homology"
    ):
        mesh_geodesic(np.eye(5), book, [0])


@pytest.mark.parametrize("n_jobs", [2, -1])
def test_threads_do_not_change_the_diagrams(rng, n_jobs):
    vertices, faces = rng.uniform(size=(99, 3)), grid(9, 11, around=True, along=True)
    expected = mesh_geodesic(vertices, faces, range(99))
    assert mesh_geodesic(vertices, faces, range(99), n_jobs=n_jobs) == expected


def test_any_container_will_do():
    expected = mesh_geodesic(SQUARE, TWO_TRIANGLES, [0, 1])
    given_otherwise = mesh_geodesic(
        np.asfortranarray(SQUARE.astype(np.float32)),
        np.array(TWO_TRIANGLES, np.uint16),
        (0, 1),
    )
    assert given_otherwise == expected
    assert mesh_geodesic(SQUARE.tolist(), TWO_TRIANGLES, np.array([0, 1])) == expected


@pytest.mark.parametrize(
    ("vertices", "faces", "sources", "message"),
    [
        (SQUARE[0], TWO_TRIANGLES, [0], r"Expected vertices of shape .* got \(3,\)"),
        ([["a"]], [], [0], "Expected vertices of shape .*: expected real numbers"),
        (SQUARE[:2], TWO_TRIANGLES, [0], r"Face 0 is \[0, 1, 2\], but there are 2"),
        (SQUARE, [[0, 1, 2], [0, -1, 2]], [0], r"Face 1 is \[0, -1, 2\]"),
        (SQUARE, [[0, 1, 2, 3]], [0], r"got \(1, 4\)\. Cut polygons into triangles"),
        (SQUARE, [[0, 1, 1.5]], [0], "Expected faces of shape .*: expected ints; .* f"),
        (SQUARE, TWO_TRIANGLES, [0, 4], "Source 1 is 4, but there are 4"),
        (SQUARE, TWO_TRIANGLES, [-1], "Source 0 is -1"),
        (SQUARE, TWO_TRIANGLES, 0, r"Wrap a single source in a list: \[source\]"),
        (SQUARE, TWO_TRIANGLES, [0.5], "Expected sources of shape .*: expected ints"),
        (SQUARE / 0.5e-100, TWO_TRIANGLES, [0], r"Vertex 1 is .* at most 1e\+100"),
        ([[0, 0], [1, np.nan]], [], [0], r"Vertex 1 is \[1.0, nan\]"),
    ],
)
def test_bad_meshes_are_named(vertices, faces, sources, message):
    with pytest.raises(ValueError, match=message):
        mesh_geodesic(vertices, faces, sources)


@pytest.mark.parametrize("extra", [[], [[0, 1, 5]]], ids=["surface", "branching edge"])
def test_locations_are_the_vertices_that_enter_at_birth_and_death(extra, rng):
    grid = np.stack(np.meshgrid(np.arange(7.0), np.arange(6.0)), axis=-1).reshape(-1, 2)
    vertices = np.column_stack((grid, 9 * rng.random(len(grid)) ** 3))
    corner = np.array([r * 7 + c for r in range(5) for c in range(6)])
    faces = np.concatenate(
        [corner[:, None] + [0, 1, 8], corner[:, None] + [0, 8, 7]]
    ).tolist()
    del faces[9], faces[-9]
    faces += extra
    sources = [0, 17, 41]
    X = mesh_geodesic(vertices, faces, sources, return_locations=True)
    assert_same_points(X, mesh_geodesic(vertices, faces, sources))
    assert X.has_essential
    assert X.finite().points.size > 0
    distances = [_distances(vertices, faces, source) for source in sources]
    # They are distinct, so that a value belongs to one vertex.
    assert all(len(np.unique(found)) == len(found) for found in distances)
    assert_values_at_locations(X, distances)


@pytest.mark.parametrize("extra", [[], [[0, 1, 5]]], ids=["surface", "branching edge"])
def test_locations_at_equal_distances_are_at_these_distances(extra, rng):
    """On a flat grid with holes, many vertices are as far as others."""
    vertices = np.array([(x, y, 0.0) for y in range(9) for x in range(8)])
    corner = np.array([r * 8 + c for r in range(8) for c in range(7)])
    faces = np.concatenate([corner[:, None] + [0, 1, 9], corner[:, None] + [0, 9, 8]])
    faces = [*faces[rng.random(len(faces)) < 0.8].tolist(), *extra]
    sources = [0, 20, 71]
    X = mesh_geodesic(vertices, faces, sources, return_locations=True)
    assert_same_points(X, mesh_geodesic(vertices, faces, sources))
    for i, source in enumerate(sources):
        distances = _distances(vertices, faces, source)
        assert len(np.unique(distances)) < len(distances) - 10
        places = X.locations_of(i)[:, :, 0]
        expected = np.where(places >= 0, distances[places], np.inf)
        assert_allclose(X[i], expected, rtol=1e-12)
        assert len(places) > 0


def _distances(vertices, faces, source):
    sides = np.array(faces)[:, [[0, 1], [1, 2], [2, 0]]].reshape(-1, 2)
    a, b = np.unique(np.sort(sides, axis=1), axis=0).T
    lengths = np.linalg.norm(vertices[a] - vertices[b], axis=1)
    roads = csr_array((lengths, (a, b)), shape=2 * [len(vertices)])
    return dijkstra(roads, directed=False, indices=source)


def test_return_locations_is_true_or_false():
    with pytest.raises(ValueError, match=r"return_locations.*True or False"):
        mesh_geodesic(SQUARE, TWO_TRIANGLES, [0], return_locations=None)
