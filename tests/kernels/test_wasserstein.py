"""The Wasserstein kernel: against its definition, Hera, and the authors' matrices."""

import math
import re

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import pbow
from pbow import Diagrams
from pbow.kernels import WassersteinKernel

GOLDEN = "synthetic_pcodebooks_gauss_0_1_wasserstein_matrices.npz"
AUTHORS = "synthetic_pcodebooks_gauss_0_1_h1.npz"


@pytest.fixture(scope="module")
def golden(data_home):
    """The authors' diagrams of six classes, and their matrices of distances."""
    with np.load(data_home / AUTHORS) as data, np.load(data_home / GOLDEN) as matrices:
        kept = np.isin(data["file_ids"], matrices["file_ids"]) & (data["labels"] < 6)
        X = Diagrams(data["points"], data["offsets"])[kept].finite()
        assert_array_equal(data["file_ids"][kept], matrices["file_ids"])
        assert_array_equal(data["labels"][kept], matrices["labels"])
        return X, {name: matrices[name] for name in ("w1", "w2", "winf")}


@pytest.mark.parametrize(("order", "name"), [(1, "w1"), (2, "w2"), (math.inf, "winf")])
def test_distances_are_those_of_the_authors(golden, order, name):
    X, matrices = golden
    distances = WassersteinKernel(order, n_jobs=-1).distances(X)
    # Theirs are by Hera: up to 0.01 too large, never too small, and rounded to float32.
    assert (matrices[name] >= distances * (1 - 1e-6)).all()
    assert (matrices[name] <= distances * 1.01 * (1 + 1e-6)).all()


@pytest.mark.parametrize("order", [1, 2, 3.5, math.inf])
def test_distances_are_those_of_hera(order, ragged):
    gudhi = pytest.importorskip("gudhi", reason="needs gudhi, in the extra homology")
    hera = pytest.importorskip("gudhi.hera")
    expected = [
        [
            gudhi.bottleneck_distance(a, b)
            if math.isinf(order)
            else hera.wasserstein_distance(
                a, b, order=order, internal_p=np.inf, delta=1e-4
            )
            for b in ragged[::3]
        ]
        for a in ragged[::5]
    ]
    distances = WassersteinKernel(order).distances(ragged[::5], ragged[::3])
    assert_allclose(distances, expected, rtol=1.1e-4, atol=1e-15)


def test_the_kernel_is_a_gaussian_of_the_distance(ragged):
    kernel = WassersteinKernel(order=3, bandwidth=0.7).fit(ragged[:10])
    distances = kernel.distances(ragged, ragged[:10])
    expected = np.exp(-(distances**2) / (2 * 0.7**2))
    assert_allclose(kernel.transform(ragged), expected, rtol=1e-14)
    assert kernel.bandwidths_ == {"H1": 0.7}


def test_the_default_bandwidth_is_the_median_distance(ragged):
    kernel = WassersteinKernel(order=1).fit(ragged)
    distances = kernel.distances(ragged)[np.triu_indices(30, 1)]
    assert kernel.bandwidths_["H1"] == np.median(distances[distances > 0])


def test_the_default_bandwidth_looks_at_60_diagrams_evenly_spaced(rng):
    deaths = rng.uniform(1.0, 2.0, size=200)
    X = [[[0.0, death]] for death in deaths]
    kernel = WassersteinKernel().fit(X)
    some = [X[i] for i in np.linspace(0, 199, 60).round().astype(int)]
    assert kernel.bandwidths_ == WassersteinKernel().fit(some).bandwidths_


@pytest.mark.parametrize("order", [1.0, 2.0, math.inf])
def test_several_parts_are_one_diagram_whose_parts_are_never_paired(order, ragged, rng):
    # Born far away, no point of the second part would be paired with one of the first.
    H0 = Diagrams.from_list([ragged[i] + 100.0 for i in rng.permutation(30)])
    X = Diagrams.from_parts({"H0": H0, "H1": ragged})
    union = [np.concatenate((sample["H0"], sample["H1"])) for sample in X]
    kernel = WassersteinKernel(order)
    assert_allclose(kernel.distances(X), kernel.distances(union), rtol=1e-12)


def test_the_matrix_need_not_be_positive_semidefinite():
    # Four diagrams 2 away from each other, and all 1 away from a fifth: no Hilbert
    # space has room for them.
    X = [[[5.0 + x, 20.0 + y]] for x, y in ((0, 0), (1, 1), (1, -1), (-1, 1), (-1, -1))]
    gram = WassersteinKernel(bandwidth=3.0).fit_transform(X)
    assert np.linalg.eigvalsh(gram).min() < -0.01


@pytest.mark.parametrize("bandwidth", [1e-300, 1e300])
def test_no_bandwidth_makes_the_kernel_anything_but_numbers_from_0_to_1(bandwidth):
    X = [[[0.0, 1e100]], [[-1e100, 1e100]], [[0.0, 1e-100]], []]
    gram = WassersteinKernel(bandwidth=bandwidth).fit_transform(X)
    assert ((gram >= 0.0) & (gram <= 1.0)).all()


@pytest.mark.parametrize("scale", [2.0**-1000, 2.0**-520, 1.0, 2.0**330])
def test_a_kernel_of_tiny_or_huge_diagrams_can_be_saved(scale, ragged, tmp_path):
    X = [scale * F for F in ragged]
    kernel = WassersteinKernel().fit(X)
    assert_allclose(kernel.transform(X), WassersteinKernel().fit_transform(ragged))
    pbow.save(kernel, tmp_path / "kernel.pbow")
    again = pbow.load(tmp_path / "kernel.pbow")
    assert_array_equal(again.transform(X), kernel.transform(X))


@pytest.mark.parametrize("order", [0, 0.5, -1, math.nan, -math.inf, "2", None, True])
def test_an_order_that_is_not_one_is_refused(order):
    message = (
        "The 'order' parameter of WassersteinKernel must be a number >= 1, or inf for "
        f"the bottleneck distance. Got {order!r} instead."
    )
    with pytest.raises(ValueError, match=re.escape(message)):
        WassersteinKernel(order).fit([[[0.0, 1.0]]])
    with pytest.raises(ValueError, match=re.escape(message)):
        WassersteinKernel(order).distances([[[0.0, 1.0]]])


@pytest.mark.parametrize("bandwidth", [0, -1.0, math.inf, math.nan, "1"])
def test_a_bandwidth_that_is_not_positive_is_refused(bandwidth):
    with pytest.raises(ValueError, match="'bandwidth' parameter of WassersteinKernel"):
        WassersteinKernel(bandwidth=bandwidth).fit([[[0.0, 1.0]]])


@pytest.mark.parametrize("order", [np.inf, np.float32(np.inf), float("inf")])
def test_any_infinity_is_the_bottleneck_distance(order):
    X = [[[0.0, 1.0], [0.5, 0.7]], [[0.0, 1.25]]]
    assert WassersteinKernel(order).distances(X)[0, 1] == 0.25


@pytest.mark.parametrize("order", [2, np.int64(2), np.float32(2)])
def test_any_number_is_an_order(order):
    X = [[[0.0, 6.0]], [[0.0, 9.0], [5.0, 13.0]]]
    assert WassersteinKernel(order).distances(X)[0, 1] == 5.0


@pytest.mark.parametrize("order", [1, 2, 3, math.inf])
def test_points_1_ulp_apart_may_come_in_any_order(order):
    # Their middles are the same, once rounded.
    long, near, next_to_it = [0.0, 3.0], [1.0, 1.5], [1.0, 1.5 + 2.0**-52]
    X = [[long, near, next_to_it], [long, next_to_it, near]]
    on_a_line = [[near, next_to_it], [next_to_it, near]]
    assert not WassersteinKernel(order).distances(X).any()
    assert not WassersteinKernel(order).distances(on_a_line).any()


@pytest.mark.parametrize("metric", [1, 2, np.int64(2), math.inf, np.float32(np.inf)])
def test_the_ground_metric_is_a_norm_of_the_differences(metric):
    pair = WassersteinKernel(ground_metric=metric).distances(
        [[[0.0, 9.0]]] * 1, [[[3.0, 13.0]]]
    )
    assert_allclose(pair, np.linalg.norm([3.0, 4.0], float(metric)))
    alone = WassersteinKernel(ground_metric=metric).distances([[[0.0, 2.0]]], [[]])
    assert_allclose(alone, np.linalg.norm([1.0, 1.0], float(metric)))


@pytest.mark.parametrize(
    "metric", [0, 1.5, 3, -math.inf, math.nan, "2", None, [1], True]
)
def test_another_ground_metric_is_refused(metric):
    message = "'ground_metric' parameter of WassersteinKernel must be 1, 2 or inf"
    with pytest.raises(ValueError, match=message):
        WassersteinKernel(ground_metric=metric).distances([[[0.0, 1.0]]])


def test_repeated_points_change_no_distance_for_any_number_of_threads(rng):
    few = np.sort(rng.normal(size=(15, 2)), axis=1)
    X = [few[rng.integers(0, 15, size=n)] for n in rng.integers(1, 120, size=40)]
    distances = WassersteinKernel().distances(X)
    assert_array_equal(WassersteinKernel(n_jobs=2).distances(X), distances)
    assert_array_equal(distances, distances.T)
    # Moved by as little as nothing, no two points are the same.
    apart = [x + rng.uniform(0.0, 1e-12, size=x.shape) for x in X]
    assert_allclose(
        WassersteinKernel().distances(apart), distances, rtol=1e-9, atol=1e-10
    )


@pytest.mark.parametrize("order", [1.0, 2.0, math.inf])
def test_matched_essential_points_are_joined_by_the_norm_of_the_order(order, ragged):
    births = [[0.0, 4.0], [1.0, 7.0], [2.0]]
    X = [
        np.concatenate((d, np.column_stack((b, np.full(len(b), np.inf)))))
        for d, b in zip(ragged[:3], births, strict=True)
    ]
    found = WassersteinKernel(order, essential="match").distances(X)
    finite = WassersteinKernel(order).distances(ragged[:3])
    assert_allclose(found[0, 1], np.linalg.norm([finite[0, 1], 1.0, 3.0], order))
    assert np.isinf(found[2, :2]).all()
    assert_array_equal(np.diag(found), 0.0)


def test_infinite_distances_are_a_kernel_of_0_and_no_part_of_the_bandwidth():
    inf = math.inf
    X = [[[0.0, 1.0], [0.0, inf]], [[0.0, 2.0], [0.0, inf]], [[0.0, 1.0]]]
    kernel = WassersteinKernel(essential="match").fit(X)
    assert kernel.bandwidths_ == {"": 1.0}
    expected = [[1.0, np.exp(-0.5), 0.0], [np.exp(-0.5), 1.0, 0.0], [0.0, 0.0, 1.0]]
    assert_allclose(kernel.transform(X), expected)


def test_essential_points_of_several_parts_are_matched_within_them():
    inf = math.inf
    X = Diagrams.from_parts(
        {"H0": [[[0.0, inf]], [[3.0, inf]]], "H1": [[[0.0, 9.0]], [[0.0, 13.0]]]}
    )
    assert WassersteinKernel(essential="match").distances(X)[0, 1] == 5.0
    one_more = Diagrams.from_parts({"H0": X["H0"], "H1": [[[1.0, inf]], []]})
    assert WassersteinKernel(essential="match").distances(one_more)[0, 1] == inf
