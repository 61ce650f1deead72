"""Diagrams against the sentence of each recipe; sources that are not as expected."""

from importlib.metadata import PackageNotFoundError

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from tests.datasets.following import make, samples, samples_and_diagrams
from tests.datasets.layouts import diagram_arrays, graph_arrays, image_arrays

from pbow import Diagrams
from pbow.datasets import remove_paraboloid
from pbow.datasets.recipes import (
    MAPS_PER_BLOCK,
    DegreesOfGraphs,
    DepthMaps,
    RipsOfClouds,
    StoredDiagrams,
)
from pbow.homology import cubical, rips


def in_order(diagram):
    return diagram[np.lexsort(diagram.T)]


def test_stored_diagrams_are_as_they_are_stored():
    arrays = diagram_arrays()
    X = make(StoredDiagrams("H0"), arrays)
    assert Diagrams(arrays["points"], arrays["offsets"], name="H0") == X
    found = samples(StoredDiagrams("H0"), arrays)
    assert_array_equal(found.labels, arrays["labels"])
    assert found.labels.dtype == np.int64
    assert found.label_names == ("class 0", "class 1", "class 2")
    assert found.rows is found.groups is found.in_test is None


def test_a_class_is_left_out_and_those_after_it_move_up():
    recipe = StoredDiagrams("H1", without="class 1")
    found = samples(recipe, diagram_arrays(n_classes=4))
    assert found.rows.tolist() == [0, 2, 3, 4, 6, 7, 8, 10, 11, 12, 14, 15]
    assert found.labels.tolist() == [0, 1, 2] * 4
    assert found.label_names == ("class 0", "class 2", "class 3")
    assert found.selection == "without the label 'class 1'"


def test_some_of_each_class_are_drawn_by_the_seed():
    arrays = {
        **graph_arrays(10, 3),
        "groups": np.arange(30),
        "in_test": np.ones(30, bool),
    }
    for recipe in (DegreesOfGraphs(n_per_class=4), StoredDiagrams("H0", n_per_class=4)):
        found = samples(recipe, arrays, seed=1)
        assert_array_equal(np.bincount(found.labels), [4, 4, 4])
        assert_array_equal(found.groups, found.rows)
        assert_array_equal(found.labels, arrays["labels"][found.rows])
        assert len(found.in_test) == 12
        assert found.selection == "4 samples per label, seed 1"
        assert not np.array_equal(found.rows, samples(recipe, arrays, seed=2).rows)


def test_graphs_are_filtered_by_degree_and_scaled():
    # A path 0-1-2-3 whose vertex 2 has a leaf more: degrees 1, 2, 3, 1, 1.
    arrays = {
        "edges": np.array([[0, 1], [1, 2], [2, 3], [2, 4]]),
        "offsets": np.array([0, 4]),
        "num_nodes": np.array([5]),
        "labels": np.array([0]),
        "label_names": np.array(["tree"]),
    }
    X = make(DegreesOfGraphs(), arrays)
    assert X.parts == ("H0",)
    assert_array_equal(in_order(X[0]), [[0, 1], [0, 1], [0, np.inf]])


@pytest.mark.parametrize("flatten", [True, False])
def test_depth_maps_are_flooded_after_their_curvature_is_removed(flatten):
    arrays = {**image_arrays(n_per_class=140), "scale": np.float64(0.25)}
    assert len(arrays["images"]) > MAPS_PER_BLOCK
    heights = arrays["images"] * 0.25
    expected = cubical(remove_paraboloid(heights) if flatten else heights, dims=1)
    X = make(DepthMaps(flatten), arrays)
    assert_array_equal(X.offsets, expected.offsets)
    assert_allclose(X.points, expected.points, atol=1e-9)
    del arrays["scale"]
    assert make(DepthMaps(flatten=False), arrays) == cubical(arrays["images"], dims=1)


def test_pixels_that_were_not_measured_never_enter():
    arrays = image_arrays(n_per_class=2, dtype=np.float32)
    arrays["images"][1, 4, 4] = np.nan
    masked = np.where(np.isnan(arrays["images"]), np.inf, arrays["images"])
    X = make(DepthMaps(flatten=False), arrays)
    assert cubical(masked, dims=1) == X
    assert X.has_essential
    assert make(DepthMaps(flatten=True), arrays).has_essential


def test_of_no_depth_maps_there_are_no_diagrams():
    assert len(make(DepthMaps(flatten=True), image_arrays(n_per_class=0))) == 0


def test_patches_of_one_resolution_are_taken_where_they_are_known():
    recipe = DepthMaps(flatten=True, resolution=400)
    arrays = image_arrays()
    assert samples(recipe, arrays).rows is None
    arrays["scales"] = np.tile([100, 400, 800], 4)
    found = samples(recipe, arrays)
    assert found.rows.tolist() == [1, 4, 7, 10]
    assert found.selection == "patches of resolution 400 x 400"
    arrays["scales"] = np.tile([800, 100], 6)
    with pytest.raises(
        ValueError, match="no patches of scale 400; its scales are 100, "
    ):
        samples(recipe, arrays)
    arrays["scales"] = arrays["scales"][:5]
    with pytest.raises(ValueError, match="12 labels and 5 of scales"):
        samples(recipe, arrays)


def test_clouds_are_filtered_by_rips(rng):
    clouds = rng.uniform(size=(2, 30, 3))
    arrays = {
        "clouds": clouds,
        "labels": np.array([0, 1]),
        "label_names": np.array(["a", "b"]),
    }
    assert make(RipsOfClouds(), arrays) == rips(clouds, dims=1)
    assert samples(RipsOfClouds(), arrays, seed=4).selection == "generated, seed 4"


RECIPES = {
    "graphs": (DegreesOfGraphs(), graph_arrays()),
    "maps": (DepthMaps(flatten=True), image_arrays()),
}


@pytest.mark.parametrize(("recipe", "arrays"), RECIPES.values(), ids=RECIPES)
def test_threads_and_progress_make_no_difference(recipe, arrays, capsys):
    X = make(recipe, arrays)
    assert capsys.readouterr().err == ""
    assert make(recipe, arrays, n_jobs=2, progress=True) == X
    # Graphs take no time that is worth a bar.
    is_shown = not isinstance(recipe, DegreesOfGraphs)
    assert ("%" in capsys.readouterr().err) == is_shown


def test_keys_tell_recipes_and_parameters_apart():
    keys = [
        DegreesOfGraphs().key(0),
        DepthMaps(flatten=True).key(0),
        DepthMaps(flatten=False).key(0),
        RipsOfClouds().key(0),
    ]
    assert len({repr(key) for key in keys}) == len(keys)


@pytest.mark.parametrize(
    ("recipe", "n_keys"),
    [
        (DepthMaps(flatten=True), 2),
        (RipsOfClouds(), 2),
        (DegreesOfGraphs(), 1),
    ],
    ids=str,
)
def test_the_version_of_gudhi_is_in_the_key_where_it_is_used(
    recipe, n_keys, monkeypatch
):
    keys = set()
    for version in ("3.12.0", "3.13.0"):
        monkeypatch.setattr("pbow.datasets.recipes.version", lambda _, v=version: v)
        keys.add(repr(recipe.key(0)))
    assert len(keys) == n_keys


def test_without_gudhi_there_is_a_key_too(monkeypatch):
    def missing(name):
        raise PackageNotFoundError(name)

    monkeypatch.setattr("pbow.datasets.recipes.version", missing)
    assert RipsOfClouds().key(0)["gudhi"] is None


def test_keys_are_the_same_where_the_diagrams_are():
    assert DegreesOfGraphs(n_per_class=513).key(1) == DegreesOfGraphs().key(0)


GRAPHS, MAPS = graph_arrays(), image_arrays()
STORED = diagram_arrays()
STORE, DEGREES, FLOODED = (
    StoredDiagrams("H1"),
    DegreesOfGraphs(),
    DepthMaps(flatten=True),
)


@pytest.mark.parametrize(
    ("recipe", "arrays", "change", "message"),
    [
        (STORE, STORED, {"labels": np.full(12, 3)}, "Label 0 is 3; expected 0 to 2"),
        (STORE, STORED, {"labels": np.full(12, -1)}, "Label 0 is -1"),
        (STORE, STORED, {"labels": np.zeros(11, int)}, "12 diagrams and 11 labels"),
        (STORE, STORED, {"label_names": np.array(["a", "a", "b"])}, "differ from each"),
        (STORE, STORED, {"groups": np.arange(5)}, "12 labels and 5 of groups"),
        (STORE, STORED, {"in_test": np.ones(5, bool)}, "12 labels and 5 of in_test"),
        (STORE, STORED, {"points": -STORED["points"]}, "dies before it is born"),
        (STORE, STORED, {"offsets": np.arange(13)}, "Offsets of part H1 must grow"),
        (DEGREES, GRAPHS, {"edges": GRAPHS["edges"] + 5}, "there are 8 vertices"),
        (DEGREES, GRAPHS, {"labels": np.zeros(3, int)}, "8 graphs and 3 labels"),
        (DegreesOfGraphs(9), GRAPHS, {}, "at least 9 samples per label"),
        (FLOODED, MAPS, {"images": MAPS["images"][:3]}, "3 images and 12"),
        (FLOODED, MAPS, {"scale": np.float64("nan")}, "scale is nan"),
        (FLOODED, MAPS, {"scale": np.float64(0)}, "scale is 0.0; exp"),
    ],
)
def test_what_is_wrong_in_a_source_is_said(recipe, arrays, change, message):
    with pytest.raises(ValueError, match=message):
        samples_and_diagrams(recipe, {**arrays, **change})
