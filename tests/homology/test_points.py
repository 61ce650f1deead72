import sys
import threading

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn import config_context

from pbow.homology import rips

gudhi = pytest.importorskip("gudhi")


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
def test_a_cloud_without_points_has_empty_diagrams(max_edge):
    X = rips([[], np.empty((0, 3)), [[1.0, 2.0]]], dims=(0, 1), max_edge=max_edge)
    assert X["H0"].sizes.tolist() == [0, 0, 1]
    assert X["H1"].sizes.tolist() == [0, 0, 0]


def test_no_clouds_give_no_samples():
    X = rips([], dims=(0, 1))
    assert len(X) == 0
    assert X.parts == ("H0", "H1")


def test_a_point_that_is_there_twice_counts_once():
    X = rips([np.zeros((4, 2))], dims=(0, 1))
    assert X["H0"][0].tolist() == [[0.0, np.inf]]


def test_parts_come_in_the_order_that_was_asked_for(rng):
    cloud = rng.uniform(size=(10, 2))
    X = rips([cloud], dims=[1, 0])
    assert X.parts == ("H1", "H0")
    assert X[["H0", "H1"]] == rips([cloud], dims=(0, 1))
    assert X["H1"] == rips([cloud], dims=np.int64(1))


def test_any_container_gives_the_same_diagrams(rng):
    clouds = rng.uniform(size=(3, 12, 2))
    expected = rips(clouds)
    assert rips(list(clouds)) == expected
    assert rips(cloud for cloud in clouds) == expected
    assert rips(clouds.tolist()) == expected
    assert rips(np.asfortranarray(clouds)) == expected


def test_clouds_may_differ_in_size_and_space(rng):
    X = rips([rng.uniform(size=(5, 2)), rng.uniform(size=(7, 3))], dims=0)
    assert X.sizes.tolist() == [5, 7]


@pytest.mark.parametrize("n_jobs", [1, 2, 3, -1])
def test_threads_do_not_change_the_diagrams(rng, n_jobs):
    clouds = [rng.uniform(size=(n, 3)) for n in (3, 40, 0, 25, 60)]
    assert rips(clouds, (0, 1), n_jobs=n_jobs) == rips(clouds, (0, 1))


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_progress_is_called_once_a_cloud_by_the_caller(rng, n_jobs):
    calls = []
    rips(
        rng.uniform(size=(7, 5, 2)),
        n_jobs=n_jobs,
        progress=lambda: calls.append(threading.current_thread()),
    )
    assert calls == [threading.current_thread()] * 7


def test_an_interrupt_does_not_wait_for_all_clouds(rng):
    n_left = threading.active_count()

    def interrupt():
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        rips(rng.uniform(size=(200, 60, 3)), n_jobs=2, progress=interrupt)
    assert threading.active_count() == n_left


def test_the_input_stays_as_it_is(rng):
    clouds = rng.uniform(size=(2, 10, 2))
    before = clouds.copy()
    rips(clouds, (0, 1), max_edge=0.5)
    assert_array_equal(clouds, before)


def test_scikit_learn_may_be_set_to_make_frames(rng):
    clouds = rng.uniform(size=(2, 10, 2))
    with config_context(transform_output="pandas"):
        assert rips(clouds, (0, 1)) == rips(clouds, (0, 1), n_jobs=2)


@pytest.mark.parametrize(
    ("clouds", "message"),
    [
        (np.zeros((3, 2)), r"one cloud of 3 points\. Wrap a single cloud in a list"),
        ([[0, 1], [2, 3]], r"one cloud of 2 points\. Wrap a single cloud in a list"),
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
def test_bad_clouds_are_named(clouds, message):
    with pytest.raises(ValueError, match=message):
        rips(clouds)


@pytest.mark.parametrize(
    "dims", [(), (-1,), -1, (0.5,), "1", (True,), [[0], [1]], None]
)
def test_dimensions_are_whole_numbers(dims):
    with pytest.raises(ValueError, match="Expected dims to be one or more ints >= 0"):
        rips([], dims=dims)


def test_dimensions_are_named_once():
    with pytest.raises(ValueError, match="Every dimension must be named once"):
        rips([], dims=(1, 1))


@pytest.mark.parametrize("max_edge", [0, -1.0, np.nan, "1", True, [1.0]])
def test_the_longest_edge_is_a_positive_number(max_edge):
    with pytest.raises(
        ValueError, match="Expected max_edge to be a number > 0 or None"
    ):
        rips([], max_edge=max_edge)


def test_without_gudhi_the_extra_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "gudhi.sklearn", None)
    with pytest.raises(ImportError, match=r'pip install "pbow\[homology\]"'):
        rips([])
