"""Data sets of an experiment, from wherever they are, and their repetitions."""

from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from tests.datasets.layouts import graph_arrays, write

from pbow import Diagrams
from pbow.datasets import SHAPE_NAMES
from pbow.experiment import DatasetEntry, DeclarationError, diagrams_like_surfaces
from pbow.experiment.data import draw, fingerprint, inner_groups, open_dataset
from pbow.io import write_diagrams

SURFACES = {"n_diagrams": 20, "n_points": 15}


def entry(**said):
    return DatasetEntry(name="mine", **said)


def opened(*, seed=0, home=None, **said):
    said = said or {"surfaces": SURFACES}
    return open_dataset(entry(**said), seed=seed, data_home=home)


def drawn(dataset, repetition, *, seed=0, n_wanted=5, **said):
    return draw(dataset, entry(**said), repetition, seed=seed, n_wanted=n_wanted)


@pytest.fixture
def home(tmp_path, monkeypatch):
    """A folder of data with diagrams and labels, and a working folder elsewhere."""
    monkeypatch.delenv("PBOW_DATA", raising=False)
    for name in ("elsewhere", "home"):
        (tmp_path / name).mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    home = tmp_path / "home"
    write_diagrams(OWN, home / "own.pbow")
    (home / "own.txt").write_text("rot\nblau\nrot\nblau\ngrün\ngrün\n", "utf-8")
    (home / "few.txt").write_text("a\nb\n")
    np.save(home / "own.npy", [3, 1, 3, 1, 2, 2])
    return home


OWN = Diagrams.from_list([[[0.0, k + 1.0]] for k in range(6)])
FILES = {"diagrams": "own.pbow", "labels": "own.txt"}


def test_surfaces_and_shapes_are_generated_with_a_seed_of_their_own():
    dataset = opened(seed=5)
    X, labels = diagrams_like_surfaces(**SURFACES)
    assert dataset.diagrams == X
    assert dataset.labels.tolist() == labels.tolist()
    assert (dataset.name, dataset.protocol) == ("mine", "80/20")
    assert dataset.label_names == ("smooth", "rough")
    with pytest.raises(DeclarationError, match=r"mine cannot be .*argument 'points'"):
        opened(surfaces={"points": 3})
    pytest.importorskip("gudhi")
    few = {"n_per_class": 2, "n_points": 20}
    one = opened(shapes=few, seed=5)
    same = opened(shapes=few | {"random_state": 0}, seed=6)
    other = opened(shapes=few | {"random_state": 1}, seed=5)
    assert fingerprint(one) == fingerprint(same) != fingerprint(other)
    assert one.label_names == SHAPE_NAMES


@pytest.mark.parametrize(
    ("labels", "names"),
    [("own.txt", ("blau", "grün", "rot")), ("own.npy", ("1", "2", "3"))],
)
def test_own_files_are_read_from_the_data_folder_or_the_working_folder(
    home, monkeypatch, labels, names
):
    dataset = opened(**FILES | {"labels": labels}, home=home)
    assert (dataset.diagrams, dataset.label_names) == (OWN, names)
    assert dataset.labels.tolist() == [2, 0, 2, 0, 1, 1]
    monkeypatch.chdir(home)
    assert fingerprint(opened(**FILES)) == fingerprint(dataset)


def test_files_that_are_not_there_or_have_too_few_labels_are_named(home):
    with pytest.raises(FileNotFoundError, match=r"no own\.pbow: looked in .*elsewhere"):
        opened(**FILES)
    with pytest.raises(FileNotFoundError, match=r"There is no x\.txt: .*home"):
        opened(**FILES | {"labels": "x.txt"}, home=home)
    with pytest.raises(ValueError, match=r"few\.txt: .* the 6 samples; it has 2"):
        opened(**FILES | {"labels": "few.txt"}, home=home)


def test_a_data_set_is_loaded_by_its_name(tmp_path, monkeypatch):
    pytest.importorskip("gudhi")
    monkeypatch.setenv("PBOW_CACHE", str(tmp_path / "cache"))
    write(tmp_path / "data", "graphs_MUTAG", graph_arrays())
    assert len(opened(load="mutag", home=tmp_path / "data")) == 8


def test_repetitions_are_the_splits_of_the_protocol():
    dataset = opened()
    for protocol, n_wanted in product((None, "50/50"), (2, 9)):
        for repetition, split in enumerate(dataset.splits(protocol, seed=3)[:2]):
            got = drawn(
                dataset, repetition, seed=3, n_wanted=n_wanted, protocol=protocol
            )
            assert got.dataset is dataset
            np.testing.assert_equal((got.train, got.test), split)


def test_sub_samples_are_drawn_anew_in_each_repetition_and_always_the_same():
    dataset = opened()
    draws = [drawn(dataset, repetition, per_label=4) for repetition in (0, 1, 2, 0)]
    draws.append(drawn(dataset, 0, seed=7, per_label=4))
    digests = [fingerprint(one.dataset) for one in draws]
    assert len({*digests}) == 4
    assert digests[3] == digests[0]
    for one in draws:
        assert np.bincount(one.dataset.labels).tolist() == [4, 4]
        assert sorted([*one.train, *one.test]) == list(range(8))
    with pytest.raises(ValueError, match="at least 11 samples per label"):
        drawn(dataset, 0, per_label=11)


def test_four_folds_of_a_sub_sample_test_every_group_once():
    groups = np.repeat(np.arange(12), 5)
    whole = replace(
        opened(surfaces={"n_diagrams": 60, "n_points": 5}),
        groups=groups,
        protocol="4 folds",
    )
    draws = [drawn(whole, r, per_label=20, n_wanted=6) for r in range(6)]
    tested = [np.unique(one.dataset.groups[one.test]) for one in draws]
    assert sorted(np.concatenate(tested[:4])) == list(np.unique(groups))
    assert not {*tested[4]} & {*tested[5]}
    assert draws[0].dataset.diagrams == draws[3].dataset.diagrams
    assert draws[0].dataset.diagrams != draws[4].dataset.diagrams


def test_there_is_one_original_split():
    dataset = replace(opened(), in_test=np.arange(20) < 3)
    only = drawn(dataset, 0, n_wanted=1, protocol="original")
    assert only.test.tolist() == [0, 1, 2]
    with pytest.raises(ValueError, match=r"mine has 1 splits .* `repetitions = 1`"):
        drawn(dataset, 0, n_wanted=2, protocol="original")


def test_inner_folds_keep_the_groups_that_outer_splits_keep():
    grouped = replace(opened(), groups=np.arange(20) % 10)
    for protocol in ("groups", "50/50 groups", "4 folds"):
        assert inner_groups(grouped, entry(protocol=protocol)) is grouped.groups
        own = replace(grouped, protocol=protocol)
        assert inner_groups(own, entry()) is own.groups
    for protocol in ("80/20", "50/50", "original", None):
        assert inner_groups(grouped, entry(protocol=protocol)) is None


def test_the_fingerprint_sees_every_value():
    dataset = opened()
    X, labels = dataset.diagrams, dataset.labels
    points, offsets = X.points.copy(), X.offsets.copy()
    points[-1, 1] = np.nextafter(points[-1, 1], np.inf)
    offsets[1] -= 1
    others = [
        Diagrams(points, X.offsets, name="H1"),
        Diagrams(X.points, offsets, name="H1"),
        Diagrams(X.points, X.offsets, name="H0"),
        Diagrams.from_parts({"H1": X, "H0": Diagrams.from_list([[]] * 20)}),
    ]
    changes = [
        *({"diagrams": other} for other in others),
        {"labels": labels[::-1].copy()},
        {"groups": labels},
        {"in_test": labels == 0},  # the original split
    ]
    digests = {fingerprint(replace(dataset, **change)) for change in changes}
    assert len({*digests, fingerprint(dataset)}) == len(changes) + 1
    assert fingerprint(replace(dataset, name="else")) == fingerprint(dataset)
