"""Diagrams of meshes against the sentence of each recipe; sources that do not fit."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.sparse import coo_array
from scipy.sparse.csgraph import dijkstra
from scipy.spatial import ConvexHull
from tests.datasets.following import make, samples, samples_and_diagrams
from tests.datasets.layouts import mesh_arrays, point_arrays

from pbow.datasets.mesh_recipes import GeodesicBalls, GeodesicBallsAtPoints
from pbow.homology import mesh_geodesic

STEM = "psb_airplane_meshes"
POINTS, MESHES = point_arrays(3, 4), mesh_arrays(n_meshes=4, side=6)
WITH = GeodesicBallsAtPoints(STEM, extra_point=True)
WITHOUT = GeodesicBallsAtPoints(STEM, extra_point=False)


def in_order(diagram):
    return diagram[np.lexsort(diagram.T[::-1])]


def superlevel_components(vertices, faces, source):
    """Components of superlevel sets of the distance from a vertex, as points in order.

    Vertices enter from the farthest to the source. One that joins components ends all
    but that with the farthest maximum; the last one ends at the source. A point is the
    end of a component and its maximum.
    """
    places = vertices.astype(np.float64)
    a, b = np.concatenate([faces[:, [0, 1]], faces[:, [1, 2]], faces[:, [0, 2]]]).T
    a, b = np.unique(np.sort([a, b], axis=0), axis=1)
    lengths = np.linalg.norm(places[a] - places[b], axis=1)
    n = len(places)
    graph = coo_array((lengths, (a, b)), shape=(n, n)).tocsr()
    distances = dijkstra(graph, directed=False, indices=source)
    neighbors = [[] for _ in range(n)]
    for one, other in zip(a.tolist(), b.tolist(), strict=True):
        neighbors[one].append(other)
        neighbors[other].append(one)
    component, points = {}, []
    members = {}
    for vertex in np.argsort(-distances).tolist():
        met = {component[other] for other in neighbors[vertex] if other in component}
        eldest = max(met, key=lambda top: distances[top], default=vertex)
        members.setdefault(eldest, []).append(vertex)
        component[vertex] = eldest
        for top in met - {eldest}:
            points.append((distances[vertex], distances[top]))
            for member in members[top]:
                component[member] = eldest
            members[eldest] += members.pop(top)
    [last] = members
    return in_order(np.array([*points, (0.0, distances[last])]))


def closed_surface(rng, n=200):
    """A sphere with long arms, in the layout of the meshes."""
    directions = rng.normal(size=(n, 3))
    directions /= np.linalg.norm(directions, axis=1, keepdims=True)
    faces = ConvexHull(directions).simplices
    arms = 1 + 3 * rng.uniform(size=(n, 1)) ** 4
    return {
        "vertices": (directions * arms).astype(np.float32),
        "vertex_offsets": np.array([0, n]),
        "faces": faces.astype(np.int32),
        "face_offsets": np.array([0, len(faces)]),
        "mesh_ids": np.array([7]),
    }


def test_balls_grow_around_the_vertices_that_were_drawn():
    recipe = GeodesicBalls(n_meshes=2, n_vertices=4)
    arrays = mesh_arrays(n_meshes=3, side=6)
    # A vertex's label says which one it is.
    arrays["vertex_labels"] = np.arange(108, dtype=np.int16)
    arrays["label_names"] = np.array([f"vertex {k}" for k in range(108)])
    found = samples(recipe, arrays, seed=5)
    meshes, vertices = np.divmod(found.labels, 36)
    assert_array_equal(found.groups, 61 + meshes)
    assert len(set(found.labels)) == 8
    assert not np.array_equal(vertices[:4], vertices[4:])
    assert_array_equal(np.bincount(meshes, minlength=3)[np.unique(meshes)], [4, 4])
    X = make(recipe, arrays, seed=5)
    places = arrays["vertices"].reshape(3, 36, 3)
    faces = arrays["faces"].reshape(3, -1, 3)
    for k in range(8):
        mesh = meshes[k]
        [expected] = mesh_geodesic(places[mesh], faces[mesh], [vertices[k]])
        assert_array_equal(X[k], expected)
    assert found.selection == "4 vertices each of 2 meshes, seed 5"
    assert not np.array_equal(samples(recipe, arrays, seed=6).labels, found.labels)


def test_all_meshes_can_be_taken():
    found = samples(GeodesicBalls(None, 4), mesh_arrays(n_meshes=3, side=6))
    assert found.groups.tolist() == [61] * 4 + [62] * 4 + [63] * 4


def test_balls_grow_around_the_points_of_the_list():
    X = make(WITHOUT, POINTS, others={STEM: MESHES})
    assert X.parts == ("H1",)
    places = MESHES["vertices"].reshape(4, 36, 3)
    faces = MESHES["faces"].reshape(4, -1, 3)
    for k in range(12):
        mesh = POINTS["mesh_ids"][k] - 61
        [expected] = mesh_geodesic(places[mesh], faces[mesh], [POINTS["vertices"][k]])
        assert_array_equal(X[k], expected)
    found = samples(WITHOUT, POINTS)
    assert_array_equal(found.labels, POINTS["labels"])
    assert found.groups.tolist() == [61] * 3 + [62] * 3 + [63] * 3 + [64] * 3
    assert (found.rows, found.selection) == (None, "")


def test_diagrams_are_in_the_order_of_the_list(rng):
    order = rng.permutation(12)
    shuffled = {**POINTS}
    for name in ("mesh_ids", "vertices", "labels"):
        shuffled[name] = POINTS[name][order]
    for recipe in (WITH, WITHOUT):
        X = make(recipe, POINTS, others={STEM: MESHES})
        assert make(recipe, shuffled, others={STEM: MESHES}) == X[order]


def test_of_an_empty_list_there_are_no_diagrams():
    none = {name: POINTS[name][:0] for name in ("mesh_ids", "vertices", "labels")}
    for recipe in (WITH, WITHOUT):
        assert len(make(recipe, POINTS | none, others={STEM: MESHES})) == 0


def test_on_closed_surfaces_points_are_components_of_superlevel_sets(rng):
    meshes = closed_surface(rng)
    listed = {
        "mesh_ids": np.full(200, 7),
        "vertices": np.arange(200),
        "labels": np.zeros(200, int),
        "label_names": np.array(["sphere"]),
    }
    X = make(WITH, listed, others={STEM: meshes})
    assert len(X.points) > 1000
    for vertex, diagram in enumerate(X):
        by_hand = superlevel_components(meshes["vertices"], meshes["faces"], vertex)
        assert_allclose(in_order(diagram), by_hand, rtol=1e-12)


def test_the_extra_point_is_the_last_and_a_diagram_may_have_no_other():
    flat = mesh_arrays(n_meshes=4, side=6)
    flat["vertices"][:, 2] = 0.0
    X, Y = (make(recipe, POINTS, others={STEM: flat}) for recipe in (WITH, WITHOUT))
    assert_array_equal(np.diff(X.offsets), np.diff(Y.offsets) + 1)
    assert (np.diff(Y.offsets) == 0).any()
    for diagram, loops in zip(X, Y, strict=True):
        assert_array_equal(diagram[:-1], loops)
        assert diagram[-1, 0] == 0.0
    # From a corner of a flat square net to the other, five steps on each axis.
    assert X[0][-1, 1] == 10.0


def test_a_real_point_has_the_diagram_of_its_vertex(data_home):
    stem = "psb_airplane_meshes"
    listed = {
        "mesh_ids": np.array([79, 61]),
        "vertices": np.array([2990, 1230]),
        "labels": np.array([0, 1]),
        "label_names": np.array(["wing", "body"]),
    }
    with np.load(data_home / f"{stem}.npz") as arrays:
        meshes = dict(arrays)
    recipe = GeodesicBallsAtPoints(stem, extra_point=True)
    X = make(recipe, listed, others={stem: meshes})
    starts, face_starts = meshes["vertex_offsets"], meshes["face_offsets"]
    for diagram, place, vertex in ((X[0], 18, 2990), (X[1], 0, 1230)):
        mesh = (
            meshes["vertices"][starts[place] : starts[place + 1]],
            meshes["faces"][face_starts[place] : face_starts[place + 1]],
        )
        [loops] = mesh_geodesic(*mesh, [vertex])
        assert_array_equal(diagram[:-1], loops)
        # The authors' program: components of superlevel sets, the last one included.
        by_hand = superlevel_components(*mesh, vertex)
        assert len(by_hand) == len(diagram)
        assert_allclose(in_order(diagram), by_hand, rtol=1e-12)


RECIPES = {
    "drawn": (GeodesicBalls(2, 4), MESHES, None),
    "listed": (WITHOUT, POINTS, {STEM: MESHES}),
    "listed, extra point": (WITH, POINTS, {STEM: MESHES}),
}


@pytest.mark.parametrize(("recipe", "arrays", "others"), RECIPES.values(), ids=RECIPES)
def test_threads_and_progress_make_no_difference(recipe, arrays, others, capsys):
    X = make(recipe, arrays, others=others)
    assert capsys.readouterr().err == ""
    assert make(recipe, arrays, others=others, n_jobs=2, progress=True) == X
    assert "%" in capsys.readouterr().err


def test_keys_tell_recipes_and_parameters_apart():
    keys = [
        GeodesicBalls(2, 4).key(0),
        GeodesicBalls(2, 4).key(1),
        GeodesicBalls(3, 4).key(0),
        GeodesicBalls(2, 5).key(0),
        WITH.key(0),
        WITHOUT.key(0),
    ]
    assert len({repr(key) for key in keys}) == len(keys)


def test_the_seed_draws_no_points_of_a_list():
    assert WITH.key(1) == WITH.key(0)


BALLS = GeodesicBalls(2, 4)


@pytest.mark.parametrize(
    ("recipe", "change", "message"),
    [
        (BALLS, {"vertex_labels": np.zeros(9, int)}, "vertex_offsets are not 5"),
        (BALLS, {"mesh_ids": np.arange(2)}, "vertex_offsets are not 3 numbers"),
        (BALLS, {"face_offsets": np.arange(5)}, "face_offsets are not 5 numbers"),
        (BALLS, {"faces": MESHES["faces"] + 9}, "there are 36 vertices"),
        (
            BALLS,
            {"vertex_offsets": np.array([0, 50, 40, 99, 144])},
            "numbers that grow from 0 to 144",
        ),
        (GeodesicBalls(5, 4), {}, "it has 4 meshes; expected at least 5"),
        (GeodesicBalls(2, 37), {}, "has 36 vertices; expected at least 37"),
    ],
)
def test_what_is_wrong_in_meshes_is_said(recipe, change, message):
    with pytest.raises(ValueError, match=message):
        samples_and_diagrams(recipe, {**MESHES, **change})


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"labels": np.full(12, 4)}, "Label 0 is 4; expected 0 to 3"),
        ({"vertices": np.arange(5)}, "12 labels and 5 of vertices"),
        ({"mesh_ids": np.full(3, 61)}, "12 labels and 3 of mesh_ids"),
        ({"vertices": np.full(12, -1)}, "its point 0 is vertex -1 of mesh 61"),
        (
            {"vertices": np.array([0] * 11 + [36])},
            f"its point 11 is vertex 36 of mesh 64, which has 36 vertices in {STEM}",
        ),
        (
            {"mesh_ids": np.array([61] * 6 + [80] * 6)},
            f"its point 6 is of mesh 80, which {STEM}.npz does not have",
        ),
    ],
)
def test_what_is_wrong_in_a_list_of_points_is_said(change, message):
    with pytest.raises(ValueError, match=message):
        samples_and_diagrams(WITH, {**POINTS, **change}, {STEM: MESHES})
