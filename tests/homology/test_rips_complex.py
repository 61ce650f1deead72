"""Vietoris-Rips diagrams: by their definition, and as ripser computes them."""

import tracemalloc
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from numpy.testing import assert_allclose, assert_array_equal
from scipy.spatial.distance import cdist
from sklearn import config_context
from tests.homology.references import (
    OCTAHEDRON,
    SQUARE,
    assert_same_points,
    coarse_clouds,
    diagrams_of_tree,
    in_order,
)

from pbow.datasets import make_shapes
from pbow.homology import _memory, rips

gudhi = pytest.importorskip("gudhi")

any_matrices = hnp.arrays(
    np.float64,
    st.integers(1, 9).map(lambda n: (n, n)),
    elements=st.sampled_from([0.0, 1.0, 2.0, 3.0, np.inf]),
)


@pytest.mark.parametrize("max_edge", [None, 0.3, 0.6, 5.0])
@pytest.mark.parametrize("n_points", [4, 15, 30])
def test_diagrams_match_the_definition(rng, n_points, max_edge):
    cloud = rng.uniform(size=(n_points, 3))
    X = rips([cloud], dims=(0, 1, 2), max_edge=max_edge)
    complex_ = gudhi.RipsComplex(points=cloud, max_edge_length=max_edge or np.inf)
    tree = complex_.create_simplex_tree(max_dimension=3)
    for dim, expected in enumerate(diagrams_of_tree(tree, (0, 1, 2))):
        assert_allclose(in_order(X[f"H{dim}"][0]), expected, rtol=1e-12)


def test_the_corners_of_an_octahedron_bound_a_void():
    X = rips([OCTAHEDRON], dims=(1, 2))
    assert len(X[0]["H1"]) == 0
    assert_allclose(X[0]["H2"], [[np.sqrt(2), 2.0]])


def test_no_edge_is_left_out_without_a_limit(rng):
    X = rips([rng.uniform(size=(20, 2))])
    assert X["H0"].essential().sizes.tolist() == [1]
    assert X["H1"].essential().sizes.tolist() == [0]


def test_what_outlives_the_longest_edge_is_essential():
    apart = [[0, 0], [5, 0]]
    X = rips([SQUARE, apart], dims=(0, 1), max_edge=1.2)
    assert X[0]["H1"].tolist() == [[1.0, np.inf]]
    assert X[1]["H0"].tolist() == [[0.0, np.inf], [0.0, np.inf]]


def test_values_are_edge_lengths_and_the_limit_is_one_of_them():
    X = rips([[[0.0], [3.0]]], dims=0, max_edge=3.0)
    assert X[0].tolist() == [[0.0, 3.0], [0.0, np.inf]]


def test_scikit_learn_may_be_set_to_make_frames(rng):
    clouds = rng.uniform(size=(2, 10, 2))
    with config_context(transform_output="pandas"):
        assert rips(clouds) == rips(clouds, n_jobs=2)


def projective_plane():
    """Distances in the barycentric subdivision of its triangulation of six vertices.

    The subdivision, other than the triangulation, has no clique that is not a simplex.
    """
    triangles = ["012", "023", "034", "045", "051", "124", "235", "341", "452", "513"]
    faces = sorted({f for t in triangles for r in (1, 2, 3) for f in sides(t, r)})
    contained = [[set(a) <= set(b) or set(b) <= set(a) for a in faces] for b in faces]
    distances = np.where(contained, 1.0, np.inf)
    np.fill_diagonal(distances, 0.0)
    return distances


def sides(triangle, size):
    return ["".join(sorted(side)) for side in combinations(triangle, size)]


def test_torsion_shows_in_one_field_and_not_in_another():
    essential = [[1.0, np.inf]]
    plane = [projective_plane()]
    over_two = rips(plane, (1, 2), metric="precomputed", field=2)[0]
    over_three = rips(plane, (1, 2), metric="precomputed", field=3)[0]
    assert (over_two["H1"].tolist(), over_two["H2"].tolist()) == (essential, essential)
    assert (over_three["H1"].tolist(), over_three["H2"].tolist()) == ([], [])


@pytest.mark.parametrize("max_edge", [None, 0.05, 0.3, 0.6])
def test_a_distance_matrix_says_the_same_as_its_points(rng, max_edge):
    clouds = [rng.uniform(size=(n, 2)) for n in (40, 0, 1, 25)]
    matrices = [cdist(cloud, cloud) for cloud in clouds]
    X = rips(matrices, metric="precomputed", max_edge=max_edge)
    assert rips(clouds, max_edge=max_edge) == X


@given(any_matrices, st.sampled_from([None, 2.0]))
def test_a_matrix_need_not_be_a_metric(values, max_edge):
    matrix = np.minimum(values, values.T)
    np.fill_diagonal(matrix, 0.0)
    X = rips([matrix], (0, 1, 2), metric="precomputed", max_edge=max_edge)
    tree = gudhi.SimplexTree()
    for i, j in zip(*np.tril_indices(len(matrix)), strict=True):
        if matrix[i, j] <= (max_edge or 9.0):
            tree.insert([i, j], matrix[i, j])
    tree.expansion(3)
    for dim, expected in enumerate(diagrams_of_tree(tree, (0, 1, 2))):
        assert_array_equal(in_order(X[f"H{dim}"][0]), expected)


def test_an_infinite_distance_is_no_edge(rng):
    matrix = cdist(*2 * [rng.uniform(size=(30, 2))])
    beyond = np.where(matrix > 0.4, np.inf, matrix)
    for dims in ((0, 1), 2):
        X = rips([beyond], dims, metric="precomputed")
        assert rips([matrix], dims, metric="precomputed", max_edge=0.4) == X
    nothing = np.where(np.eye(3), 0.0, np.inf)
    X = rips([nothing], dims=0, metric="precomputed")
    assert X[0].tolist() == 3 * [[0.0, np.inf]]


@pytest.fixture(scope="module")
def ripser():
    return pytest.importorskip("ripser", reason="needs ripser to compare with").ripser


# Three points at the origin of space, for example.
@pytest.mark.filterwarnings("ignore:These clouds look like distance matrices")
@given(coarse_clouds, st.sampled_from([None, 1.0, 2.5]), st.sampled_from([2, 3]))
def test_small_clouds_have_the_diagrams_of_ripser(ripser, cloud, max_edge, field):
    X = rips([cloud], (0, 1, 2), max_edge=max_edge, field=field)
    theirs = ripser(
        cdist(cloud, cloud),
        maxdim=2,
        thresh=max_edge or np.inf,
        coeff=field,
        distance_matrix=True,
    )
    for dim, expected in enumerate(theirs["dgms"]):
        lasting = expected[expected[:, 0] < expected[:, 1]].astype(np.float64)
        assert_allclose(in_order(X[f"H{dim}"][0]), in_order(lasting), rtol=1e-6)


@pytest.mark.parametrize("max_edge", [None, 0.3])
def test_shapes_have_the_diagrams_of_ripser(ripser, max_edge):
    clouds, _ = make_shapes(n_per_class=1, n_points=120, random_state=0)
    # In single precision, so that both see the same distances.
    matrices = [cdist(c, c).astype(np.float32).astype(np.float64) for c in clouds]
    limit = np.inf if max_edge is None else float(np.float32(max_edge))
    X = rips(matrices, metric="precomputed", max_edge=limit)
    for sample, matrix in zip(X, matrices, strict=True):
        theirs = ripser(matrix, thresh=limit, distance_matrix=True)["dgms"]
        for dim, expected in enumerate(theirs):
            assert_array_equal(in_order(sample[f"H{dim}"]), in_order(expected))


def test_twenty_thousand_points_are_refused_before_anything_is_allocated(monkeypatch):
    monkeypatch.setattr(_memory, "available_memory", lambda: 1.6e10)
    cloud = np.zeros((20_000, 3))
    tracemalloc.start()
    try:
        with pytest.raises(
            MemoryError, match=r"Cloud 0: it needs about 200 GB.*max_edge"
        ):
            rips([cloud])
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 10 * cloud.nbytes


def test_a_limit_of_edges_makes_a_cloud_fit(monkeypatch, rng):
    cloud = rng.uniform(size=(1500, 2))
    monkeypatch.setattr(_memory, "available_memory", lambda: 2e7)
    with pytest.raises(MemoryError, match=r"needs about 1\.12 GB .*; 20 MB are avail"):
        rips([cloud])
    X = rips([cloud], max_edge=0.02)
    monkeypatch.undo()
    assert rips([cloud], max_edge=0.02) == X


def test_every_thread_takes_its_share_of_memory(monkeypatch, rng):
    clouds = rng.uniform(size=(3, 100, 2))
    monkeypatch.setattr(_memory, "available_memory", lambda: 6e6)
    rips(clouds)
    with pytest.raises(MemoryError, match=r"about 4\.96 MB .* 9\.92 MB in 2 threads"):
        rips(clouds, n_jobs=2)


def test_voids_are_refused_where_too_many_triangles_are_left(monkeypatch, rng):
    directions = rng.standard_normal((60, 3))
    sphere = directions / np.linalg.norm(directions, axis=1, keepdims=True)
    cube = rng.uniform(size=(60, 3))
    monkeypatch.setattr(_memory, "available_memory", lambda: 1.9e6)
    assert len(rips([sphere, sphere], dims=(0, 1))) == 2
    assert len(rips([cube], dims=2)) == 1
    with pytest.raises(
        MemoryError, match=r"Cloud 1: it needs about .* Leave H2 out of di"
    ):
        rips([cube, sphere], dims=(0, 2))


def test_a_matrix_that_does_not_fit_is_named(monkeypatch):
    monkeypatch.setattr(_memory, "available_memory", lambda: 1e4)
    with pytest.raises(MemoryError, match="Matrix 0: it needs about"):
        rips(np.zeros((1, 60, 60)), metric="precomputed")


@pytest.mark.parametrize("max_edge", [None, 1.5, 0.4])
@given(cloud=coarse_clouds)
def test_located_diagrams_are_the_same(cloud, max_edge):
    options = {"dims": (0, 1, 2), "max_edge": max_edge}
    X = rips([cloud, []], return_locations=True, **options)
    assert_same_points(X, rips([cloud, []], **options))
    _assert_edges(X, cdist(cloud, cloud))
    assert X["H1"].locations_of(1).shape == (0, 2, 2)


@pytest.mark.parametrize("max_edge", [None, 1.5])
@given(cloud=coarse_clouds)
def test_of_equal_edges_the_first_enters_first(cloud, max_edge):
    """As in a simplex tree that edges enter one by one."""
    lengths = cdist(cloud, cloud)
    a, b = np.nonzero(np.tril(lengths <= (max_edge or np.inf), k=-1))
    order = np.argsort(lengths[a, b], kind="stable")
    edges = np.column_stack((b, a))[order].tolist()
    tree = gudhi.SimplexTree()
    for vertex in range(len(cloud)):
        tree.insert([vertex], 0.0)
    for rank, edge in enumerate(edges, 1):
        tree.insert(edge, float(rank))
    tree.expansion(3)
    levels = np.array([0.0, *np.sort(lengths[a, b]), np.inf])
    ends = np.array([[-1, -1], *edges, [-1, -1]])
    X = rips([cloud, []], (0, 1, 2), max_edge=max_edge, return_locations=True)
    for dim, diagram in enumerate(diagrams_of_tree(tree, (0, 1, 2))):
        ranks = np.where(np.isinf(diagram), len(edges) + 1, diagram).astype(int)
        lasting = ranks[levels[ranks[:, 0]] < levels[ranks[:, 1]]]
        first = 1 if dim == 0 else 0  # points of H0 are born at a point, not an edge
        found = X[f"H{dim}"].locations_of(0)[:, first:].tolist()
        assert sorted(found) == sorted(ends[lasting][:, first:].tolist())


@pytest.mark.parametrize("max_edge", [None, 1.0, 0.3])
@pytest.mark.parametrize("n_points", [25, 300])
def test_locations_are_the_edges_of_birth_and_death(n_points, max_edge, rng):
    # Lengths are distinct, so that a value belongs to one edge.
    cloud = rng.normal(size=(n_points, 2))
    X = rips([cloud], max_edge=max_edge, return_locations=True)
    assert_same_points(X, rips([cloud], max_edge=max_edge))
    _assert_edges(X, cdist(cloud, cloud))
    matrix = cdist(cloud, cloud)
    Y = rips([matrix], max_edge=max_edge, metric="precomputed", return_locations=True)
    assert_array_equal(Y["H1"].locations, X["H1"].locations)


def _assert_edges(X, distances):
    for name in X.parts:
        places = X[name].locations_of(0)
        of_edges = distances[places[:, :, 0], places[:, :, 1]]
        points = np.where(places[:, :, 0] >= 0, of_edges, np.inf)
        assert (places[:, 1, 0] < places[:, 1, 1])[np.isfinite(points[:, 1])].all()
        if name == "H0":
            points[:, 0] = 0.0
            assert (places[:, 0, 1] == -1).all()
            assert len(set(places[:, 0, 0].tolist())) == len(places)
        assert_allclose(X[name][0], points, rtol=1e-12)


def test_components_are_born_at_their_first_point_and_the_later_one_dies():
    line = [[5.0], [0.0], [1.0], [7.0], [3.5]]
    X = rips([line], dims=0, return_locations=True)
    assert X[0].tolist() == [[0, 1], [0, 1.5], [0, 2], [0, 2.5], [0, np.inf]]
    assert X.locations_of(0).tolist() == [
        [[2, -1], [1, 2]],
        [[4, -1], [0, 4]],
        [[3, -1], [0, 3]],
        [[1, -1], [2, 4]],
        [[0, -1], [-1, -1]],
    ]


def test_locations_need_more_memory(monkeypatch, rng):
    cloud = rng.uniform(size=(100, 2))
    monkeypatch.setattr(_memory, "available_memory", lambda: 5.0e6)
    rips([cloud])
    with pytest.raises(MemoryError, match=r"Cloud 0: it needs about 5\.36 MB"):
        rips([cloud], return_locations=True)


def test_return_locations_is_true_or_false():
    with pytest.raises(ValueError, match=r"return_locations.*True or False"):
        rips([SQUARE], return_locations="no")
