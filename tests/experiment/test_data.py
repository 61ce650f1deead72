"""Data sets of an experiment, from wherever they are."""

from dataclasses import replace

import numpy as np
import pytest
from tests.datasets.layouts import graph_arrays, write

from pbow import Diagrams
from pbow.datasets import SHAPE_NAMES
from pbow.experiment.data import fingerprint, open_dataset
from pbow.experiment.declaration import DatasetEntry, DeclarationError
from pbow.experiment.surfaces import diagrams_like_surfaces
from pbow.io import write_diagrams

SURFACES = {"surfaces": {"n_diagrams": 20, "n_points": 15}}


def entry(source, **said):
    return DatasetEntry(name="mine", title="Mine", source=source, **said)


@pytest.fixture
def own(tmp_path, monkeypatch):
    """Diagrams and labels in a folder of data, and a working folder elsewhere."""
    monkeypatch.delenv("PBOW_DATA", raising=False)
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    home = tmp_path / "home"
    home.mkdir()
    X = Diagrams.from_list([[[0.0, k + 1.0]] for k in range(6)])
    write_diagrams(X, home / "own.pbow")
    (home / "own.txt").write_text("rot\nblau\n\nrot\nblau\ngrün\ngrün\n", "utf-8")
    np.save(home / "own.npy", [3, 1, 3, 1, 2, 2])
    return home, X


def from_files(labels="own.txt"):
    return entry({"diagrams": "own.pbow", "labels": labels})


def test_surfaces_are_generated():
    dataset = open_dataset(entry(SURFACES), seed=5)
    X, labels = diagrams_like_surfaces(n_diagrams=20, n_points=15)
    assert dataset.diagrams == X
    np.testing.assert_array_equal(dataset.labels, labels)
    assert (dataset.name, dataset.protocol) == ("mine", "80/20")
    assert dataset.label_names == ("smooth", "rough")


def test_shapes_are_generated_with_a_seed_of_their_own():
    pytest.importorskip("gudhi")
    few = {"n_per_class": 2, "n_points": 20}
    one = open_dataset(entry({"shapes": few}), seed=5)
    same = open_dataset(entry({"shapes": few | {"random_state": 0}}), seed=6)
    other = open_dataset(entry({"shapes": few | {"random_state": 1}}), seed=5)
    assert fingerprint(one) == fingerprint(same) != fingerprint(other)
    assert one.label_names == SHAPE_NAMES
    assert np.bincount(one.labels).tolist() == [2] * 6


def test_what_a_generator_does_not_take_is_an_error_of_the_declaration():
    with pytest.raises(DeclarationError, match="Data set mine: surfaces does not take"):
        open_dataset(entry({"surfaces": {"points": 3}}), seed=0)


def test_a_sub_sample_has_as_many_of_each_class_and_depends_on_the_seed():
    one, same, other = (
        open_dataset(entry(SURFACES, per_class=4), seed=seed) for seed in (0, 0, 1)
    )
    assert np.bincount(one.labels).tolist() == [4, 4]
    assert fingerprint(one) == fingerprint(same) != fingerprint(other)


@pytest.mark.parametrize(
    ("labels", "names", "values"),
    [
        ("own.txt", ("blau", "grün", "rot"), [2, 0, 2, 0, 1, 1]),
        ("own.npy", ("1", "2", "3"), [2, 0, 2, 0, 1, 1]),
    ],
)
def test_own_files_are_read_from_the_data_folder(own, labels, names, values):
    home, X = own
    dataset = open_dataset(from_files(labels), seed=0, data_home=home)
    assert dataset.diagrams == X
    assert dataset.label_names == names
    assert dataset.labels.tolist() == values


def test_own_files_may_be_in_the_working_folder(own, monkeypatch):
    home, X = own
    monkeypatch.chdir(home)
    assert open_dataset(from_files(), seed=0).diagrams == X


def test_files_that_are_not_there_say_where_they_were_looked_for(own):
    home, _ = own
    with pytest.raises(
        FileNotFoundError, match=r"There is no own\.pbow: looked in .*-da"
    ):
        open_dataset(from_files(), seed=0)
    with pytest.raises(FileNotFoundError, match=r"There is no x\.txt: .*home"):
        open_dataset(from_files("x.txt"), seed=0, data_home=home)


def test_labels_must_be_as_many_as_diagrams(own):
    home, _ = own
    (home / "few.txt").write_text("a\nb\n")
    with pytest.raises(ValueError, match=r"own.pbow has 6 diagrams, and .* 2 labels"):
        open_dataset(from_files("few.txt"), seed=0, data_home=home)
    (home / "no.txt").write_text("\n\n")
    with pytest.raises(ValueError, match="a label for each diagram; it is empty"):
        open_dataset(from_files("no.txt"), seed=0, data_home=home)


def test_a_data_set_is_loaded_by_its_name(tmp_path, monkeypatch):
    pytest.importorskip("gudhi")
    monkeypatch.setenv("PBOW_CACHE", str(tmp_path / "cache"))
    write(tmp_path / "data", "graphs_MUTAG", graph_arrays())
    dataset = open_dataset(
        entry({"load": "mutag"}), seed=0, data_home=tmp_path / "data"
    )
    assert len(dataset) == 8


def test_the_fingerprint_sees_every_number():
    dataset = open_dataset(entry(SURFACES), seed=0)
    X, labels = diagrams_like_surfaces(n_diagrams=20, n_points=15)
    points = X.points.copy()
    points[-1, 1] = np.nextafter(points[-1, 1], np.inf)
    moved = Diagrams.from_list(np.split(points, X.offsets[1:-1]), name="H1")
    named = Diagrams.from_list(np.split(X.points, X.offsets[1:-1]), name="H0")
    others = [
        {"diagrams": moved},
        {"diagrams": named},
        {"labels": labels[::-1].copy()},
        {"groups": labels},
    ]
    digests = {fingerprint(replace(dataset, **change)) for change in others}
    digests.add(fingerprint(dataset))
    assert len(digests) == 5
    assert fingerprint(replace(dataset, name="else")) == fingerprint(dataset)
