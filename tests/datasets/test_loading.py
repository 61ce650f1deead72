import json
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from tests.datasets.layouts import graph_arrays, mesh_arrays, point_arrays, write

from pbow import PersistenceBoW
from pbow.datasets import (
    SHAPE_NAMES,
    catalog,
    list_datasets,
    load_dataset,
    make_shapes,
)
from pbow.datasets.mesh_recipes import GeodesicBalls
from pbow.io import FileFormatError
from pbow.io.npz import opened

# Samples and classes of each file that the fixture `small` writes.
SMALL = {
    "synthetic-authors": (24, 6),
    "synthetic-authors-7": (28, 7),
    "geomat": (60, 2),
    "geomat-standin": (12, 2),
    "reddit-5k": (20, 5),
    "reddit-12k": (1026, 2),
    "petrosurf3d": (24, 2),
    "petrosurf3d-standin": (24, 2),
    "shape-segmentation": (5700, 3),
    "shape-segmentation-paper": (24, 4),
    "shape-segmentation-paper-extra": (24, 4),
    "mutag": (8, 2),
    "proteins": (8, 2),
    "imdb-binary": (8, 2),
    "reddit-multi-12k": (1030, 2),
    "reddit-5k-hofer": (12, 3),
    "reddit-12k-hofer": (1026, 2),
    "shape-segmentation-carriere": (12, 3),
}


def cached_files(cache):
    return sorted((cache / "diagrams").glob("*")) if cache.exists() else []


@pytest.mark.parametrize(("name", "counts"), SMALL.items(), ids=SMALL)
def test_every_name_loads_the_same_the_second_time(small, cache, name, counts):
    dataset = load_dataset(name, small, n_jobs=2)
    assert (len(dataset.diagrams), len(dataset.label_names)) == counts
    assert dataset.name == name
    assert set(dataset.labels) == set(range(counts[1]))
    assert len(dataset.splits()) == {"4 folds": 4, "original": 1}.get(
        dataset.protocol, 5
    )
    entry = catalog.find_entry(name, list(small.iterdir()))
    n_files = 1 if entry.recipe.is_computed else 0
    assert len(cached_files(cache)) == n_files
    again = load_dataset(name, small)
    assert again.diagrams == dataset.diagrams
    assert_array_equal(again.labels, dataset.labels)
    assert again.provenance == dataset.provenance
    assert len(cached_files(cache)) == n_files
    features = PersistenceBoW(4, random_state=0).fit_transform(dataset.diagrams)
    assert features.shape[0] == counts[0]


def test_the_second_time_nothing_is_computed(small, monkeypatch):
    first = load_dataset("petrosurf3d", small)
    monkeypatch.setattr("pbow.datasets.recipes.cubical", None)
    assert load_dataset("petrosurf3d", small).diagrams == first.diagrams


def test_every_entry_of_the_catalog_is_tried_here():
    assert {entry.name for entry in catalog.CATALOG} - {*SMALL} == {"synthetic"}


def few_shapes(seed):
    clouds, labels = make_shapes(2, 30, random_state=seed)
    return {"clouds": clouds, "labels": labels, "label_names": np.array(SHAPE_NAMES)}


def test_shapes_need_no_data_folder(cache, monkeypatch):
    entry = replace(catalog.find_entry("synthetic", []), generate=few_shapes)
    monkeypatch.setattr("pbow.datasets.loading.find_entry", lambda *_: entry)
    dataset = load_dataset("synthetic")
    assert dataset.label_names[:2] == ("cube", "circle")
    assert dataset.diagrams.parts == ("H1",)
    assert dataset.provenance.path is None
    assert dataset.provenance.selection == "generated, seed 0"
    assert load_dataset("synthetic").diagrams == dataset.diagrams
    assert len(cached_files(cache)) == 1
    other = load_dataset("synthetic", seed=1)
    assert other.diagrams != dataset.diagrams
    assert other.provenance.sha256 != dataset.provenance.sha256


def test_the_data_folder_is_the_argument_or_the_variable(small, monkeypatch):
    monkeypatch.setenv("PBOW_DATA", str(small))
    by_variable = load_dataset("mutag")
    monkeypatch.delenv("PBOW_DATA")
    assert load_dataset("mutag", str(small)).diagrams == by_variable.diagrams


def test_what_was_imported_is_found_after_the_data_folder(tmp_path, cache):
    write(cache / "imported", "graphs_MUTAG", graph_arrays(seed=7))
    imported = load_dataset("mutag")
    assert imported.provenance.path == cache / "imported" / "graphs_MUTAG.npz"
    write(tmp_path / "data", "graphs_MUTAG", graph_arrays(seed=8))
    mine = load_dataset("mutag", tmp_path / "data")
    assert mine.provenance.path == tmp_path / "data" / "graphs_MUTAG.npz"
    assert mine.diagrams != imported.diagrams


def test_the_case_of_a_file_does_not_matter(tmp_path):
    path = write(tmp_path, "graphs_mutag", graph_arrays())
    assert load_dataset("MUTAG", tmp_path).provenance.path == path
    path = write(tmp_path, "graphs_Toy-Set", graph_arrays())
    assert load_dataset("toy_set", tmp_path).provenance.path == path


def test_a_source_that_has_changed_is_computed_anew(tmp_path, cache):
    write(tmp_path, "graphs_MUTAG", graph_arrays(seed=1))
    first = load_dataset("mutag", tmp_path)
    write(tmp_path, "graphs_MUTAG", graph_arrays(seed=2))
    second = load_dataset("mutag", tmp_path)
    assert first.diagrams != second.diagrams
    assert first.provenance.sha256 != second.provenance.sha256
    assert len(cached_files(cache)) == 2


def test_a_recipe_that_has_changed_is_followed_anew(small, cache, monkeypatch):
    load_dataset("mutag", small)
    monkeypatch.setattr("pbow.datasets.recipes.DegreesOfGraphs.version", 99)
    load_dataset("mutag", small)
    assert len(cached_files(cache)) == 2


def test_diagrams_of_all_graphs_serve_every_seed_and_the_whole_set(small, cache):
    some = load_dataset("reddit-12k", small, seed=0)
    others = load_dataset("reddit-12k", small, seed=1)
    whole = load_dataset("reddit-multi-12k", small)
    assert len(cached_files(cache)) == 1
    assert some.diagrams != others.diagrams
    assert (len(some), len(whole)) == (1026, 1030)
    assert some.provenance.selection == "513 samples per label, seed 0"
    assert whole.provenance.selection == ""


def test_the_seed_draws_vertices(small, cache):
    first, other = (load_dataset("shape-segmentation", small, seed=s) for s in (0, 1))
    assert first.diagrams != other.diagrams
    assert len(cached_files(cache)) == 2
    assert len(set(first.groups)) == 19


def test_the_seventh_shape_is_the_last_label_of_the_authors_diagrams(small):
    six, seven = (
        load_dataset(name, small)
        for name in ("synthetic-authors", "synthetic-authors-7")
    )
    assert seven.label_names == (*six.label_names, "Random Cloud 2D")
    kept = np.flatnonzero(seven.labels < 6)
    assert seven.diagrams[kept] == six.diagrams
    assert_array_equal(seven.labels[kept], six.labels)


def test_the_papers_points_are_of_one_file_and_their_meshes_of_another(small, cache):
    h1, extra = (
        load_dataset(f"shape-segmentation-paper{end}", small) for end in ("", "-extra")
    )
    assert len(cached_files(cache)) == 2
    for dataset in (extra, h1):
        assert dataset.groups.tolist() == [61] * 8 + [62] * 8 + [63] * 8
        provenance = dataset.provenance
        assert provenance.path == small / "psb_airplane_points.npz"
        [(path, sha256)] = provenance.other_files
        meshes = load_dataset("shape-segmentation", small).provenance
        assert (path, sha256) == (meshes.path, meshes.sha256)
        assert "were not compared with the authors'" in provenance.recipe
        assert meshes.other_files == ()
    for with_extra, without in zip(extra.diagrams, h1.diagrams, strict=True):
        assert_array_equal(with_extra[:-1], without)
        assert with_extra[-1, 0] == 0.0


def test_either_file_of_two_that_has_changed_is_followed_anew(tmp_path, cache):
    found = []
    for points, meshes in [(8, 0), (7, 0), (8, 1), (8, 0)]:
        write(tmp_path, "psb_airplane_points", point_arrays(points, 4))
        write(tmp_path, "psb_airplane_meshes", mesh_arrays(4, 12, seed=meshes))
        found.append(load_dataset("shape-segmentation-paper", tmp_path).diagrams)
    assert len(cached_files(cache)) == 3
    assert found[0] == found[3]
    assert found[0] != found[2]


@pytest.mark.parametrize("end", ["", "-extra"])
def test_either_file_of_two_that_is_missing_is_named(tmp_path, end):
    name = f"shape-segmentation-paper{end}"
    write(tmp_path, "psb_airplane_points", point_arrays())
    with pytest.raises(FileNotFoundError) as raised:
        load_dataset(name, tmp_path)
    message = str(raised.value)
    assert f"set {name} is not here: psb_airplane_meshes.npz is neither in" in message
    assert "pbow datasets import shape-segmentation --from PATH" in message
    (tmp_path / "psb_airplane_points.npz").unlink()
    write(tmp_path, "psb_airplane_meshes", mesh_arrays(3, 12))
    with pytest.raises(FileNotFoundError, match=r"here: psb_airplane_points.npz is n"):
        load_dataset(name, tmp_path)


def test_the_meshes_of_the_papers_points_may_be_imported_ones(tmp_path, cache):
    write(tmp_path, "psb_airplane_points", point_arrays())
    write(cache / "imported", "psb_airplane_meshes", mesh_arrays(3, 12))
    dataset = load_dataset("shape-segmentation-paper", tmp_path)
    [(path, _)] = dataset.provenance.other_files
    assert path == cache / "imported" / "psb_airplane_meshes.npz"


@pytest.mark.parametrize(
    ("stem", "change", "message"),
    [
        ("points", {"vertices": np.full(24, 144)}, "its point 0 is vertex 144 of mesh"),
        ("points", {"mesh_ids": np.full(24, 9)}, "its point 0 is of mesh 9, which"),
        ("points", {"labels": np.zeros(5, int)}, "it has 5 labels and 24 of mesh_ids"),
        ("meshes", {"faces": np.zeros((5, 3), int)}, "its face_offsets are not 4 num"),
        ("meshes", {"mesh_ids": np.arange(4)}, "its vertex_offsets are not 5 numbers"),
        ("meshes", {"vertices": np.zeros((3, 3), int)}, "its array vertices is int64"),
        ("meshes", {"faces": np.full((726, 3), 200)}, "Face 0 .* there are 144 vert"),
        ("points", None, "it is damaged"),
        ("meshes", None, "it is damaged"),
    ],
)
def test_the_file_of_two_that_is_wrong_is_named(tmp_path, cache, stem, change, message):
    folder = tmp_path / "data"
    arrays = {"points": point_arrays(), "meshes": mesh_arrays(3, 12)}
    arrays[stem] |= change or {}
    paths = {s: write(folder, f"psb_airplane_{s}", a) for s, a in arrays.items()}
    if change is None:
        paths[stem].write_bytes(paths[stem].read_bytes()[:-50])
    with pytest.raises(FileFormatError, match=f"Cannot read {paths[stem]}: {message}"):
        load_dataset("shape-segmentation-paper", folder)
    assert cached_files(cache) == []


def test_the_data_folder_is_never_written_to(small, tmp_path):
    before = sorted((path.name, path.stat().st_mtime_ns) for path in small.iterdir())
    load_dataset("mutag", small)
    after = sorted((path.name, path.stat().st_mtime_ns) for path in small.iterdir())
    assert after == before


def test_a_release_with_its_own_split_is_split_by_it(small):
    geomat = load_dataset("geomat", small)
    assert geomat.protocol == "original"
    [(train, test)] = geomat.splits()
    assert (len(train), len(test)) == (40, 20)
    assert geomat.provenance.import_record == '{"done": "made up"}'
    standin = load_dataset("geomat-standin", small)
    assert standin.protocol == "groups"
    assert standin.provenance.import_record is None


def test_a_stand_in_says_so(small):
    for name, true_name in (("geomat", "GeoMat"), ("petrosurf3d", "PetroSurf3D")):
        standin = load_dataset(f"{name}-standin", small)
        assert standin.provenance.stand_in_for == true_name
        assert f"a stand-in for {true_name}" in repr(standin)
        assert "stand-in" not in repr(load_dataset(name, small))


def test_provenance_tells_file_checksum_and_recipe(small):
    provenance = load_dataset("reddit-5k", small).provenance
    assert provenance.path == small / "graphs_REDDIT_MULTI_5K.npz"
    assert len(provenance.sha256) == 64
    assert "Yanardag" in provenance.origin
    assert "degree" in provenance.recipe


@pytest.mark.parametrize("name", [e.name for e in catalog.CATALOG if e.stem])
def test_what_is_missing_is_said_with_the_place_to_get_it(name, tmp_path, cache):
    entry = catalog.find_entry(name, [])
    with pytest.raises(FileNotFoundError) as raised:
        load_dataset(name)
    message = str(raised.value)
    assert f"The data set {name} is not here: {entry.stem}.npz is not in" in message
    assert str(cache / "imported") in message
    assert "PBOW_DATA names no other folder" in message
    if entry.convert is not None:
        assert f"pbow datasets import {name} --from PATH" in message
        assert f"Get it from {entry.release}; then run" in message
    else:
        assert "Set the variable PBOW_DATA" in message
    if name in {"geomat", "petrosurf3d"}:
        assert f"{name}-standin is a similar data set" in message
    with pytest.raises(FileNotFoundError, match=f"is neither in {tmp_path} nor in "):
        load_dataset(name, tmp_path)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"name": "nothing"}, "There is no data set 'nothing'"),
        ({"seed": -1}, "Expected seed"),
        ({"n_jobs": 0}, "Expected n_jobs to be an int other than 0, or None; got 0"),
        ({"n_jobs": 1.5}, "Expected n_jobs"),
    ],
    ids=str,
)
def test_bad_arguments_are_refused(small, arguments, message):
    with pytest.raises(ValueError, match=message):
        load_dataset(**{"name": "mutag", "data_home": small, **arguments})


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda arrays: {"num_nodes": None}, "it has no array num_nodes"),
        (
            lambda arrays: {"labels": arrays["labels"] + 1},
            "Label 1 is 2; expected 0 to",
        ),
        (lambda arrays: {"edges": arrays["edges"] + 100}, "Graph 0: edge 0 is"),
        (
            lambda arrays: {"num_nodes": np.full(8, 2**31 - 1)},
            r"its num_nodes add up to 1\.718e\+10 vertices",
        ),
        (None, "it is damaged"),
    ],
)
def test_a_damaged_file_is_named_and_nothing_is_kept(tmp_path, cache, change, message):
    arrays = graph_arrays()
    changed = arrays | change(arrays) if change else arrays
    given = {name: array for name, array in changed.items() if array is not None}
    path = write(tmp_path / "data", "graphs_MUTAG", given)
    if change is None:
        path.write_bytes(path.read_bytes()[:-50])
    with pytest.raises(FileFormatError, match=f"Cannot read {path}: {message}"):
        load_dataset("mutag", tmp_path / "data")
    assert cached_files(cache) == []


def test_geomats_loops_are_those_of_the_texture_without_the_bowl(tmp_path):
    # Water surrounds a ring of height 1, but not on a steep slope.
    y, x = np.mgrid[:21, :21] - 10.0
    ring = np.where(np.abs(np.hypot(x - 3, y) - 3.5) < 0.8, 1.0, 0.0)
    arrays = {
        "images": (ring + 2 * (x + y) + 0.5 * (x**2 + y**2))[None],
        "labels": np.array([0]),
        "label_names": np.array(["tile"]),
    }
    lives = {}
    for name, stem in (
        ("geomat", "geomat_depth_patches"),
        ("geomat-standin", "heightmaps_gelsight_19cls_100px"),
        ("petrosurf3d", "petrosurf3d_patches"),
    ):
        write(tmp_path, stem, arrays)
        [diagram] = load_dataset(name, tmp_path).diagrams
        lives[name] = np.max(diagram[:, 1] - diagram[:, 0], initial=0.0)
    assert lives["geomat"] == lives["geomat-standin"] == pytest.approx(0.9, abs=0.3)
    assert lives["petrosurf3d"] == 0.0


def test_importing_it_imports_no_optional_package():
    code = "import sys, json, pbow.datasets\nprint(json.dumps(sorted(sys.modules)))"
    run = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True)
    # scikit-learn itself imports pandas and pyarrow, where they are.
    optional = {"gudhi", "matplotlib", "h5py", "PIL", "click"}
    assert not optional & set(json.loads(run.stdout))


@pytest.fixture(scope="session")
def shared_cache(tmp_path_factory):
    return tmp_path_factory.mktemp("shared") / "cache"


@pytest.fixture
def real(data_home, shared_cache, monkeypatch):
    """Load from the real data, with one cache for all tests."""
    monkeypatch.setenv("PBOW_CACHE", str(shared_cache))
    return lambda name, **options: load_dataset(name, data_home, n_jobs=-1, **options)


# As the data's README counts them: samples, classes, groups.
REAL = {
    "synthetic-authors": (300, 6, None),
    "synthetic-authors-7": (350, 7, None),
    "geomat-standin": (2280, 19, 380),
    "reddit-5k": (4999, 5, None),
    "reddit-12k": (5643, 11, None),
    "reddit-multi-12k": (11929, 11, None),
    "petrosurf3d-standin": (1270, 2, 37),
    "mutag": (188, 2, None),
    "proteins": (1113, 2, None),
}


@pytest.mark.parametrize(("name", "counts"), REAL.items(), ids=REAL)
def test_real_data_have_as_many_samples_as_they_should(real, name, counts):
    dataset = real(name)
    groups = None if dataset.groups is None else len(np.unique(dataset.groups))
    assert (len(dataset), len(dataset.label_names), groups) == counts
    assert real(name).diagrams == dataset.diagrams


def test_some_real_airplanes(real, monkeypatch):
    airplanes = catalog.find_entry("shape-segmentation", [])
    few = replace(airplanes, recipe=GeodesicBalls(n_meshes=19, n_vertices=3))
    monkeypatch.setattr("pbow.datasets.loading.find_entry", lambda *_: few)
    dataset = real("shape-segmentation")
    assert len(dataset) == 57
    assert set(dataset.groups) < set(range(61, 81))


PAPER = ("shape-segmentation-paper", "shape-segmentation-paper-extra")


def test_the_papers_points_have_the_published_labels(data_home):
    listings = {one.name: one for one in list_datasets(data_home)}
    for name in PAPER:
        assert (listings[name].n_samples, listings[name].n_classes) == (5700, 4)
    with opened(data_home / "psb_airplane_points.npz") as points:
        names = points.read("label_names", "U", 1).tolist()
        counts = np.bincount(points.read("labels", "iu", 1)).tolist()
        vertices = points.read("vertices", "iu", 1).reshape(19, 300)
        meshes = points.read("mesh_ids", "iu", 1).reshape(19, 300)
    assert dict(zip(names, counts, strict=True)) == {
        "wing": 2442,
        "body": 2098,
        "rudder": 539,
        "stabilizer": 621,
    }
    assert (vertices == np.arange(0, 3000, 10)).all()
    assert (meshes == np.arange(61, 80)[:, None]).all()


@pytest.mark.long
def test_all_real_points_of_the_paper(real):
    h1, extra = (real(name) for name in PAPER)
    assert np.bincount(h1.labels).tolist() == [2442, 2098, 539, 621]
    assert not h1.diagrams.has_essential
    assert_array_equal(
        np.diff(extra.diagrams.offsets), np.diff(h1.diagrams.offsets) + 1
    )
    last = extra.diagrams.points[extra.diagrams.offsets[1:] - 1]
    assert (last[:, 0] == 0.0).all()
    assert (last[:, 1] >= [d[:, 1].max(initial=0.0) for d in h1.diagrams]).all()
    assert set(h1.groups) == set(range(61, 80))


@pytest.mark.long
def test_all_real_airplanes(real):
    dataset = real("shape-segmentation")
    assert (len(dataset), len(set(dataset.groups))) == (5700, 19)
    assert len(dataset.label_names) == 5
    assert not dataset.diagrams.has_essential


@pytest.mark.long
def test_all_shapes(shared_cache, monkeypatch):
    monkeypatch.setenv("PBOW_CACHE", str(shared_cache))
    assert len(load_dataset("synthetic", n_jobs=-1)) == 300
