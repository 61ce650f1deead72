import io
import sys
import threading
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

from pbow.compute.sparse_rips import order_farthest_first
from pbow.datasets import make_shapes
from pbow.homology import _memory, alpha, dtm_rips, rips, sparse_rips

gudhi = pytest.importorskip("gudhi")

SQUARE = [[0, 0], [1, 0], [1, 1], [0, 1]]
FUNCTIONS = {
    "rips": rips,
    "sparse_rips": sparse_rips,
    "alpha": alpha,
    "dtm_rips": lambda clouds, *args, **options: dtm_rips(
        clouds, *args, k=1, **options
    ),
}

# Whole numbers: many points coincide, and many distances are equal.
coarse_clouds = hnp.arrays(
    np.float64,
    st.tuples(st.integers(1, 12), st.integers(1, 3)),
    elements=st.integers(0, 4).map(float),
)


@pytest.fixture(params=FUNCTIONS.values(), ids=FUNCTIONS)
def homology(request):
    """Every way from point clouds to diagrams."""
    return request.param


def rips_by_definition(cloud, dim, max_edge=np.inf):
    """Every simplex with its diameter, then the textbook reduction."""
    complex_ = gudhi.RipsComplex(points=cloud, max_edge_length=max_edge)
    tree = complex_.create_simplex_tree(max_dimension=dim + 1)
    tree.compute_persistence(homology_coeff_field=2, persistence_dim_max=True)
    return in_order(tree.persistence_intervals_in_dimension(dim).reshape(-1, 2))


def in_order(diagram):
    return diagram[np.lexsort(diagram.T)]


@pytest.mark.parametrize("max_edge", [None, 0.3, 0.6, 5.0])
@pytest.mark.parametrize("n_points", [4, 15, 30])
def test_diagrams_match_the_definition(rng, n_points, max_edge):
    cloud = rng.uniform(size=(n_points, 3))
    X = rips([cloud], dims=(0, 1, 2), max_edge=max_edge)
    for dim in (0, 1, 2):
        expected = rips_by_definition(cloud, dim, max_edge or np.inf)
        assert_allclose(in_order(X[f"H{dim}"][0]), expected, rtol=1e-12)


def test_values_are_edge_lengths_and_not_radii():
    X = rips([[[0.0], [3.0]]], dims=0)
    assert_array_equal(X[0], [[0.0, 3.0], [0.0, np.inf]])


def test_the_corners_of_an_octahedron_bound_a_void():
    octahedron = np.concatenate((np.eye(3), -np.eye(3)))
    X = rips([octahedron], dims=(1, 2))
    assert len(X[0]["H1"]) == 0
    assert_allclose(X[0]["H2"], [[np.sqrt(2), 2.0]])


def test_only_one_component_never_dies(rng):
    X = rips([rng.uniform(size=(20, 2))], dims=(0, 1))
    assert X["H0"].essential().sizes.tolist() == [1]
    assert X["H1"].essential().sizes.tolist() == [0]


def test_what_outlives_the_longest_edge_never_dies():
    square = [[0, 0], [1, 0], [1, 1], [0, 1]]
    apart = [[0, 0], [5, 0]]
    X = rips([square, apart], dims=(0, 1), max_edge=1.2)
    assert X[0]["H1"].tolist() == [[1.0, np.inf]]
    assert X[1]["H0"].tolist() == [[0.0, np.inf], [0.0, np.inf]]


def test_an_edge_as_long_as_the_limit_is_in():
    assert rips([[[0.0], [1.0]]], dims=0, max_edge=1.0)[0].tolist() == [
        [0.0, 1.0],
        [0.0, np.inf],
    ]


@pytest.mark.parametrize("max_edge", [None, 1.0])
def test_a_limit_leaves_a_cloud_without_points_as_it_is(max_edge):
    X = rips([np.empty((0, 3)), [[1.0, 2.0]]], max_edge=max_edge)
    assert X["H0"].sizes.tolist() == [0, 1]


def test_a_cloud_without_points_has_empty_diagrams(homology):
    X = homology([[], np.empty((0, 3)), [[1.0, 2.0]]])
    assert X["H0"].sizes.tolist() == [0, 0, 1]
    assert X["H1"].sizes.tolist() == [0, 0, 0]


def test_one_point_is_one_component_that_never_dies(homology):
    assert homology([[[3.0, 4.0]]], dims=0)[0].tolist() == [[0.0, np.inf]]


def test_no_clouds_give_no_samples(homology):
    X = homology([])
    assert len(X) == 0
    assert X.parts == ("H0", "H1")


def test_a_point_that_is_there_twice_counts_once(homology):
    X = homology([np.zeros((4, 2))])
    assert X["H0"][0].tolist() == [[0.0, np.inf]]
    assert X["H1"].sizes.tolist() == [0]


def test_points_on_a_line_have_no_loops(homology):
    X = homology([np.c_[np.arange(6.0) ** 2, np.zeros(6)], np.arange(5.0)[:, None]])
    assert X["H0"].sizes.tolist() == [6, 5]
    assert X["H1"].sizes.tolist() == [0, 0]


def test_parts_come_in_the_order_that_was_asked_for(homology, rng):
    cloud = rng.uniform(size=(10, 2))
    X = homology([cloud], dims=[1, 0])
    assert X.parts == ("H1", "H0")
    assert X[["H0", "H1"]] == homology([cloud], dims=(0, 1)) == homology([cloud])
    assert X["H1"] == homology([cloud], dims=np.int64(1))


def test_any_container_gives_the_same_diagrams(homology, rng):
    clouds = rng.uniform(size=(3, 12, 2))
    expected = homology(clouds)
    assert homology(list(clouds)) == expected
    assert homology(cloud for cloud in clouds) == expected
    assert homology(clouds.tolist()) == expected
    assert homology(np.asfortranarray(clouds)) == expected


def test_clouds_may_differ_in_size_and_space(homology, rng):
    X = homology([rng.uniform(size=(5, 2)), rng.uniform(size=(7, 3))], dims=0)
    assert X.sizes.tolist() == [5, 7]


@pytest.mark.parametrize("n_jobs", [1, 2, 3, -1])
def test_threads_do_not_change_the_diagrams(homology, rng, n_jobs):
    clouds = [rng.uniform(size=(n, 3)) for n in (3, 40, 0, 25, 60)]
    assert homology(clouds, n_jobs=n_jobs) == homology(clouds)


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_progress_is_called_once_a_cloud_by_the_caller(homology, rng, n_jobs):
    calls = []
    homology(
        rng.uniform(size=(7, 5, 2)),
        n_jobs=n_jobs,
        progress=lambda: calls.append(threading.current_thread()),
    )
    assert calls == [threading.current_thread()] * 7


class Terminal(io.StringIO):
    def isatty(self):
        return True


def test_a_progress_bar_is_drawn_on_a_terminal(monkeypatch, rng):
    monkeypatch.setattr(sys, "stderr", Terminal())
    rips(rng.uniform(size=(3, 5, 2)), progress=True)
    steps = sys.stderr.getvalue().split("\r")
    assert [step.split("]")[-1] for step in steps[1:]] == [" 1/3", " 2/3", " 3/3\n"]
    assert steps[-1].startswith("[" + 40 * "#" + "]")


@pytest.mark.parametrize("progress", [True, False, None])
def test_no_progress_bar_is_drawn_without_a_terminal(capsys, rng, progress):
    rips(rng.uniform(size=(3, 5, 2)), progress=progress)
    assert capsys.readouterr() == ("", "")


@pytest.mark.parametrize("progress", [1, "bar"])
def test_progress_can_be_called_or_is_a_flag(homology, progress):
    with pytest.raises(ValueError, match="Expected progress to be a bool, a callable"):
        homology([], progress=progress)


def test_an_interrupt_does_not_wait_for_all_clouds(rng):
    n_left = threading.active_count()

    def interrupt():
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        rips(rng.uniform(size=(200, 60, 3)), n_jobs=2, progress=interrupt)
    assert threading.active_count() == n_left


def test_the_input_stays_as_it_is(homology, rng):
    clouds = rng.uniform(size=(2, 10, 2))
    before = clouds.copy()
    homology(clouds)
    assert_array_equal(clouds, before)


def test_scikit_learn_may_be_set_to_make_frames(rng):
    clouds = rng.uniform(size=(2, 10, 2))
    with config_context(transform_output="pandas"):
        assert rips(clouds) == rips(clouds, n_jobs=2)


@pytest.mark.parametrize(
    ("clouds", "message"),
    [
        (np.zeros((3, 2)), r"3 rows of numbers, .* Wrap a single cloud in a list"),
        ([[0, 1], [2, 3]], r"2 rows of numbers, .* Wrap a single cloud in a list"),
        ("points.csv", "Expected a collection of point clouds, got str"),
        (3, "Expected a collection of point clouds, got int"),
        ([np.zeros((2, 2)), np.zeros(3)], r"Cloud 1 has shape \(3,\); expected \(n_p"),
        ([np.zeros((2, 2, 2))], r"Cloud 0 has shape \(2, 2, 2\)"),
        ([np.zeros((2, 0))], r"Cloud 0 has shape \(2, 0\)"),
        ([[[0, 0]], [[0, 0], [1]]], "Cloud 1 is not an array of numbers"),
        ([[["a", "b"]]], "Cloud 0 is not an array of real numbers: list of dtype <U1"),
        ([np.zeros((2, 2), complex)], "Cloud 0 is not .* dtype complex128"),
        ([[[0, 0]], [[0, 0], [1, np.nan]]], r"Point 1 of cloud 1 is \[1.0, nan\]"),
        ([[[0, np.inf]]], r"Point 0 of cloud 0 is \[0.0, inf\]; expected finite"),
        ([[[0, 1e200]]], r"at most 1e\+100\. Remove or rescale"),
    ],
)
def test_bad_clouds_are_named(homology, clouds, message):
    with pytest.raises(ValueError, match=message):
        homology(clouds)


@pytest.mark.parametrize(
    "dims", [(), (-1,), -1, (0.5,), "1", (True,), [[0], [1]], None]
)
def test_dimensions_are_whole_numbers(homology, dims):
    with pytest.raises(ValueError, match="Expected dims to be one or more ints >= 0"):
        homology([], dims=dims)


@pytest.mark.parametrize("field", [0, 1, 4, -3, 9, 2.0, True, "2", None, 46_339])
def test_the_field_has_a_prime_number_of_elements(homology, field):
    with pytest.raises(ValueError, match="Expected field to be a prime up to 46337"):
        homology([], field=field)


def test_dimensions_are_named_once():
    with pytest.raises(ValueError, match="Every dimension must be named once"):
        rips([], dims=(1, 1))


@pytest.mark.parametrize("max_edge", [0, -1.0, np.nan, "1", True, [1.0]])
def test_the_longest_edge_is_a_positive_number(max_edge):
    with pytest.raises(
        ValueError, match="Expected max_edge to be a number > 0 or None"
    ):
        rips([], max_edge=max_edge)


@pytest.mark.parametrize("module", ["gudhi", "gudhi.sklearn"])
def test_without_gudhi_the_extra_is_named(monkeypatch, module):
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(ImportError, match=r"the extra homology of pbow"):
        (rips if module == "gudhi.sklearn" else alpha)([])


def test_an_old_gudhi_is_named(monkeypatch):
    monkeypatch.delattr("gudhi.sklearn.RipsPersistence")
    with pytest.raises(ImportError, match=r"rips needs gudhi 3\.12 or later, and this"):
        rips([])


# Coefficients and distance matrices


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
    forever = [[1.0, np.inf]]
    plane = [projective_plane()]
    over_two = rips(plane, (1, 2), metric="precomputed", field=2)[0]
    over_three = rips(plane, (1, 2), metric="precomputed", field=3)[0]
    assert (over_two["H1"].tolist(), over_two["H2"].tolist()) == (forever, forever)
    assert (over_three["H1"].tolist(), over_three["H2"].tolist()) == ([], [])


def test_the_largest_field_does_not_overflow(homology, rng):
    cloud = rng.uniform(size=(20, 3))
    X = homology([cloud], (0, 1, 2), field=46_337)
    assert homology([cloud], (0, 1, 2), field=2) == X


@pytest.mark.parametrize("max_edge", [None, 0.05, 0.3, 0.6])
def test_a_distance_matrix_says_the_same_as_its_points(rng, max_edge):
    clouds = [rng.uniform(size=(n, 2)) for n in (40, 0, 1, 25)]
    matrices = [cdist(cloud, cloud) for cloud in clouds]
    X = rips(matrices, metric="precomputed", max_edge=max_edge)
    assert rips(clouds, max_edge=max_edge) == X


any_matrices = hnp.arrays(
    np.float64,
    st.integers(1, 9).map(lambda n: (n, n)),
    elements=st.sampled_from([0.0, 1.0, 2.0, 3.0, np.inf]),
)


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
    tree.compute_persistence(homology_coeff_field=2, persistence_dim_max=True)
    for dim in (0, 1, 2):
        expected = tree.persistence_intervals_in_dimension(dim).reshape(-1, 2)
        assert_array_equal(in_order(X[f"H{dim}"][0]), in_order(expected))


def test_an_infinite_distance_is_no_edge(rng):
    matrix = cdist(*2 * [rng.uniform(size=(30, 2))])
    beyond = np.where(matrix > 0.4, np.inf, matrix)
    for dims in ((0, 1), 2):
        X = rips([beyond], dims, metric="precomputed")
        assert rips([matrix], dims, metric="precomputed", max_edge=0.4) == X
    nothing = np.where(np.eye(3), 0.0, np.inf)
    X = rips([nothing], dims=0, metric="precomputed")
    assert X[0].tolist() == 3 * [[0.0, np.inf]]


def test_a_matrix_may_be_symmetric_up_to_rounding(rng):
    matrix = cdist(*2 * [rng.uniform(size=(60, 3))])
    rounded = matrix * (1 + 1e-15 * rng.standard_normal(matrix.shape))
    np.fill_diagonal(rounded, 1e-17)
    X = rips([rounded], metric="precomputed")
    expected = rips([matrix], metric="precomputed")
    assert_allclose(in_order(X["H1"][0]), in_order(expected["H1"][0]), rtol=1e-13)


@pytest.mark.parametrize(
    ("matrices", "message"),
    [
        (np.zeros((3, 3)), r"3 rows of numbers\. Wrap a single matrix in a list"),
        (7, "Expected a collection of distance matrices, got int"),
        ([np.zeros((2, 2)), np.zeros((2, 3))], r"Matrix 1 has shape \(2, 3\).*squaref"),
        ([np.zeros((2, 2)), np.zeros(3)], r"Matrix 1 has shape \(3,\)"),
        (
            [[[0, 1], [2, 0]]],
            r"Entry \(0, 1\) of .* 0 is 1; .* across the diagonal, 2",
        ),
        (
            [[[0, 1], [np.inf, 0]]],
            r"Entry \(0, 1\) of distance matrix 0 is 1; .* inf\.",
        ),
        ([[[0, 1], [1, 3]]], r"Entry \(1, 1\) of distance matrix 0 is 3; expected 0\."),
        ([[[0, -1], [-1, 0]]], r"Entry \(0, 1\) .* is -1; expected from 0 to 1e\+100"),
        ([[[0, np.nan], [1, 0]]], r"Entry \(0, 1\) .* is nan; expected from 0"),
        ([[[0, -np.inf], [-np.inf, 0]]], r"Entry \(0, 1\) .* is -inf; expected from 0"),
        ([[[0, 1e200], [1e200, 0]]], r"Entry \(0, 1\) .* is 1e\+200; expected from 0"),
        ([[["0", "1"], ["1", "0"]]], "Matrix 0 is not an array of real numbers"),
    ],
)
def test_bad_matrices_are_named(matrices, message):
    with pytest.raises(ValueError, match=message):
        rips(matrices, metric="precomputed")


def test_the_metric_is_one_of_two():
    with pytest.raises(ValueError, match="Expected metric to be one of 'euclidean', "):
        rips([], metric="manhattan")


# Against ripser, which computes in single precision


@pytest.fixture(scope="module")
def ripser():
    return pytest.importorskip("ripser", reason="needs ripser to compare with").ripser


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


@pytest.mark.parametrize("mesh", [0, 7])
def test_airplanes_have_the_diagrams_of_ripser(ripser, data_home, rng, mesh):
    stored = np.load(data_home / "psb_airplane_meshes.npz", allow_pickle=False)
    first, last = stored["vertex_offsets"][mesh : mesh + 2]
    cloud = rng.choice(stored["vertices"][first:last].astype(float), 150, replace=False)
    (sample,) = rips([cloud])
    for dim, expected in enumerate(ripser(cloud)["dgms"]):
        lasting = expected[expected[:, 1] - expected[:, 0] > 1e-6]
        ours = sample[f"H{dim}"]
        ours = ours[ours[:, 1] - ours[:, 0] > 1e-6]
        # By columns: points that nearly tie may come in another order.
        assert_allclose(np.sort(ours, axis=0), np.sort(lasting, axis=0), atol=1e-5)


# Memory


@pytest.mark.parametrize("n_gigabytes", [1, 8, 16])
def test_twenty_thousand_points_are_refused_before_anything_is_allocated(
    monkeypatch, n_gigabytes
):
    monkeypatch.setattr(_memory, "available_memory", lambda: n_gigabytes * 1e9)
    cloud = np.zeros((20_000, 3))
    tracemalloc.start()
    try:
        with pytest.raises(MemoryError, match=r"Cloud 0 needs about 200 GB.*max_edge"):
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


def test_what_does_not_fit_is_refused_by_all(homology, monkeypatch, rng):
    monkeypatch.setattr(_memory, "available_memory", lambda: 1e4)
    clouds = [rng.uniform(size=(5, 2)), rng.uniform(size=(60, 2))]
    with pytest.raises(MemoryError, match="Cloud 1 needs about"):
        homology(clouds)


def test_voids_are_refused_where_too_many_triangles_are_left(monkeypatch, rng):
    directions = rng.standard_normal((60, 3))
    sphere = directions / np.linalg.norm(directions, axis=1, keepdims=True)
    cube = rng.uniform(size=(60, 3))
    monkeypatch.setattr(_memory, "available_memory", lambda: 1.9e6)
    assert len(rips([sphere, sphere], dims=(0, 1))) == 2
    assert len(rips([cube], dims=2)) == 1
    with pytest.raises(MemoryError, match=r"Cloud 1 needs about .* Leave H2 out of di"):
        rips([cube, sphere], dims=(0, 2))


def test_a_matrix_that_does_not_fit_is_named(monkeypatch):
    monkeypatch.setattr(_memory, "available_memory", lambda: 1e4)
    with pytest.raises(MemoryError, match="Matrix 0 needs about"):
        rips(np.zeros((1, 60, 60)), metric="precomputed")


# Sparse Rips


def logarithmic_distance(exact, sparse, factor):
    """Bottleneck distance of logarithms, the exact ones moved by half the factor."""
    moved = np.log(exact) + np.log(factor) / 2
    return gudhi.bottleneck_distance(moved, np.log(sparse))


@pytest.mark.parametrize("epsilon", [0.1, 0.5, 0.9])
def test_sparse_diagrams_keep_their_guarantee(epsilon):
    clouds, _ = make_shapes(n_per_class=2, n_points=80, random_state=0)
    factor = 1 / (1 - epsilon)
    exact, sparse = rips(clouds, (0, 1)), sparse_rips(clouds, (0, 1), epsilon=epsilon)
    for mine, theirs in zip(sparse["H0"], exact["H0"], strict=True):
        found, true = np.sort(mine[:, 1]), np.sort(theirs[:, 1])
        assert (found >= true).all()
        assert (found <= factor * true).all()
    for mine, theirs in zip(sparse["H1"], exact["H1"], strict=True):
        distance = logarithmic_distance(theirs, mine, factor)
        assert distance <= np.log(factor) / 2 + 1e-9


def test_a_small_epsilon_gives_the_exact_diagrams(rng):
    clouds = rng.uniform(size=(4, 40, 3))
    X, exact = sparse_rips(clouds, (0, 1), epsilon=0.01), rips(clouds, (0, 1))
    for dim in ("H0", "H1"):
        for mine, theirs in zip(X[dim], exact[dim], strict=True):
            assert_allclose(in_order(mine), in_order(theirs), rtol=1e-12)


def sparse_by_definition(cloud, epsilon, dim):
    """Cavanna, Jahanseir, Sheehy: cliques whose vertices are all there still."""
    order, radii = np.empty(len(cloud), np.int64), np.empty(len(cloud))
    order_farthest_first(np.ascontiguousarray(cloud.T), order, radii)
    distances = cdist(cloud[order], cloud[order])
    tree = gudhi.SimplexTree()
    for j, younger in enumerate(radii):
        tree.insert([j], 0.0)
        for i, older in enumerate(radii[:j]):
            d = distances[i, j]
            meet = max(d / 2, d - younger / epsilon)
            if meet <= older / epsilon and meet <= younger / epsilon / (1 - epsilon):
                tree.insert([i, j], 2 * meet)

    def is_gone(simplex):
        enters = tree.filtration(simplex) / 2
        return any(enters > radii[v] / epsilon / (1 - epsilon) for v in simplex)

    tree.expansion_with_blocker(dim + 1, is_gone)
    tree.compute_persistence(homology_coeff_field=2, persistence_dim_max=True)
    return in_order(tree.persistence_intervals_in_dimension(dim).reshape(-1, 2))


@pytest.mark.parametrize("epsilon", [0.3, 0.5, 0.8])
def test_sparse_diagrams_match_the_definition(epsilon):
    clouds, _ = make_shapes(n_per_class=1, n_points=40, random_state=1)
    X = sparse_rips(clouds, (0, 1, 2), epsilon=epsilon)
    for i, cloud in enumerate(clouds):
        for dim in (0, 1, 2):
            expected = sparse_by_definition(cloud, epsilon, dim)
            assert_allclose(in_order(X[f"H{dim}"][i]), expected, rtol=1e-9)


@given(coarse_clouds, st.sampled_from([0.25, 0.5, 0.75]))
def test_sparse_diagrams_of_small_clouds_match_the_definition(cloud, epsilon):
    X = sparse_rips([cloud], (0, 1), epsilon=epsilon)
    for dim in (0, 1):
        expected = sparse_by_definition(cloud, epsilon, dim)
        assert_allclose(in_order(X[f"H{dim}"][0]), expected, rtol=1e-9)


def test_far_fewer_edges_are_enough_for_sparse_diagrams(monkeypatch, rng):
    cloud = rng.uniform(size=(2000, 2))
    monkeypatch.setattr(_memory, "available_memory", lambda: 5e7)
    with pytest.raises(MemoryError):
        rips([cloud])
    X = sparse_rips([cloud], epsilon=0.8)
    assert X["H0"].sizes.tolist() == [2000]


def test_what_outlives_the_largest_value_never_dies_in_sparse_diagrams():
    X = sparse_rips([SQUARE, [[0, 0], [5, 0]]], epsilon=0.1, max_edge=1.2)
    assert X[0]["H1"].tolist() == [[1.0, np.inf]]
    assert X[1]["H0"].tolist() == [[0.0, np.inf], [0.0, np.inf]]


@pytest.mark.parametrize("epsilon", [0, 1, -0.5, 1.5, np.nan, "0.5", True, None])
def test_epsilon_is_between_zero_and_one(epsilon):
    with pytest.raises(ValueError, match="Expected epsilon to be a number between 0 "):
        sparse_rips([], epsilon=epsilon)


# Alpha


def cech_by_definition(cloud, dim):
    """Every triangle with the radius of the smallest disc around it."""
    tree = gudhi.SimplexTree()
    lengths = cdist(cloud, cloud)
    for i in range(len(cloud)):
        tree.insert([i], 0.0)
    for i, j in combinations(range(len(cloud)), 2):
        tree.insert([i, j], lengths[i, j] / 2)
    for i, j, k in combinations(range(len(cloud)), 3):
        a, b, c = sorted((lengths[i, j], lengths[j, k], lengths[i, k]))
        doubled_area = abs(np.linalg.det([cloud[j] - cloud[i], cloud[k] - cloud[i]]))
        obtuse = a**2 + b**2 <= c**2
        tree.insert([i, j, k], c / 2 if obtuse else a * b * c / (2 * doubled_area))
    tree.compute_persistence(homology_coeff_field=2)
    diagram = tree.persistence_intervals_in_dimension(dim).reshape(-1, 2)
    return in_order(diagram)


@pytest.mark.parametrize("precision", ["fast", "safe", "exact"])
def test_alpha_diagrams_are_those_of_growing_discs(rng, precision):
    for cloud in rng.uniform(size=(3, 20, 2)):
        X = alpha([cloud], precision=precision)
        for dim in (0, 1):
            found = X[f"H{dim}"][0]
            expected = cech_by_definition(cloud, dim)
            lasting = expected[expected[:, 1] - expected[:, 0] > 1e-9]
            assert_allclose(in_order(found), lasting, rtol=1e-9)


@pytest.mark.parametrize("n_coordinates", [1, 2, 3, 4, 5])
def test_components_of_balls_merge_at_half_the_edge(rng, n_coordinates):
    clouds = rng.uniform(size=(2, 30, n_coordinates))
    for mine, edges in zip(alpha(clouds, 0), rips(clouds, 0), strict=True):
        assert_allclose(in_order(mine), in_order(edges) / 2, rtol=1e-9)


def test_balls_around_an_octahedron_enclose_a_void():
    octahedron = np.concatenate((np.eye(3), -np.eye(3)))
    X = alpha([octahedron], dims=(0, 1, 2, 3))[0]
    half = np.sqrt(2) / 2
    assert_allclose(X["H2"], [[np.sqrt(2 / 3), 1.0]])
    assert_allclose(X["H0"][:-1], 5 * [[0.0, half]])
    assert len(X["H3"]) == 0


def test_alpha_takes_many_points(rng):
    angles = rng.uniform(0, 2 * np.pi, size=5000)
    circle = np.column_stack((np.cos(angles), np.sin(angles)))
    longest = alpha([circle], dims=1)[0].max(axis=0)
    assert_allclose(longest[1], 1.0, atol=1e-3)


def test_the_same_points_on_a_grid_give_the_same_diagrams():
    grid = np.stack(np.meshgrid(*3 * [np.arange(4.0)]), axis=-1).reshape(-1, 3)
    X = alpha(10 * [grid], dims=(0, 1, 2), n_jobs=2)
    assert all(X[i : i + 1] == X[:1] for i in range(10))


def test_the_precision_is_one_of_three():
    with pytest.raises(ValueError, match="Expected precision to be one of 'exact', 'f"):
        alpha([], precision="double")


@pytest.mark.parametrize("n_coordinates", [20, 1000])
def test_alpha_of_many_coordinates_is_refused(rng, n_coordinates):
    with pytest.raises(MemoryError, match=r"Cloud 0 needs about .* coordinates, spa"):
        alpha([rng.uniform(size=(200, n_coordinates))])


def test_clouds_that_look_like_distances_are_pointed_out(rng):
    cloud = rng.normal(size=(9, 2))
    distances = np.linalg.norm(cloud[:, None] - cloud, axis=2)
    with pytest.warns(UserWarning, match='pass metric="precomputed" to rips'):
        rips([distances])


def test_alpha_of_few_points_may_have_many_coordinates(rng):
    cloud = rng.uniform(size=(4, 30))
    assert_allclose(in_order(alpha([cloud], 0)[0]), in_order(rips([cloud], 0)[0]) / 2)


# Distance to measure


@pytest.mark.parametrize("max_edge", [None, 0.8, 0.3])
@pytest.mark.parametrize(("k", "q"), [(1, 2), (3, 2), (5, 1), (15, 3.5)])
def test_weighted_diagrams_match_the_definition(rng, k, q, max_edge):
    module = pytest.importorskip("gudhi.dtm_rips_complex")
    cloud = rng.uniform(size=(15, 2))
    limit = max_edge or np.inf
    complex_ = module.DTMRipsComplex(points=cloud, k=k, q=q, max_filtration=limit)
    tree = complex_.create_simplex_tree(max_dimension=3)
    tree.compute_persistence(homology_coeff_field=2, persistence_dim_max=True)
    X = dtm_rips([cloud], (0, 1, 2), k=k, q=q, max_edge=max_edge)
    for dim in (0, 1, 2):
        expected = tree.persistence_intervals_in_dimension(dim).reshape(-1, 2)
        lasting = expected[expected[:, 1] - expected[:, 0] > 1e-9]
        found = X[f"H{dim}"][0]
        found = found[found[:, 1] - found[:, 0] > 1e-9]
        assert_allclose(in_order(found), in_order(lasting), rtol=1e-9)


def test_with_one_neighbour_nothing_is_weighted(rng):
    clouds = rng.uniform(size=(3, 25, 3))
    X, plain = dtm_rips(clouds, (1, 0), k=1), rips(clouds, (1, 0))
    assert X["H1"] == plain["H1"]
    for mine, theirs in zip(X["H0"], plain["H0"], strict=True):
        assert_array_equal(in_order(mine), in_order(theirs))


def test_points_that_no_edge_joins_are_components():
    X = dtm_rips([[[0.0], [1.0], [9.0]]], 0, k=2, q=1, max_edge=2.0)
    assert X[0].tolist() == [[1.0, 2.0], [1.0, np.inf]]
    X = dtm_rips([[[0.0], [9.0]]], 0, k=1, max_edge=2.0)
    assert X[0].tolist() == [[0.0, np.inf], [0.0, np.inf]]


def test_an_outlier_enters_late(rng):
    cloud = np.concatenate((rng.uniform(size=(30, 2)), [[9.0, 9.0]]))
    births = dtm_rips([cloud], 0, k=5)[0][:, 0]
    *others, last = np.sort(births)
    assert max(others) < 2
    assert last > 18


def test_powers_of_large_distances_do_not_overflow(rng):
    cloud = rng.uniform(size=(10, 2))
    X = dtm_rips([1e90 * cloud, cloud], k=4, q=30)
    assert_allclose(X[0]["H0"], 1e90 * X[1]["H0"], rtol=1e-9)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"k": 0}, "Expected k to be an int >= 1; got 0"),
        ({"k": 2.0}, "Expected k to be an int >= 1; got 2.0"),
        ({"k": 5}, "Cloud 0 has 4 points; expected at least k=5"),
        ({"k": 2, "q": 0.5}, "Expected q to be a number >= 1; got 0.5"),
        ({"k": 2, "q": np.inf}, "Expected q to be a number >= 1; got inf"),
    ],
)
def test_bad_parameters_of_the_weights_are_named(options, message):
    with pytest.raises(ValueError, match=message):
        dtm_rips([SQUARE], **options)
