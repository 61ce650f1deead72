"""Data sets of an experiment, from wherever they are, and their repetitions."""

from dataclasses import replace

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


def opened(seed=0, **said):
    return open_dataset(entry(**{"surfaces": SURFACES} | said), seed=seed)


def drawn(dataset, repetition, *, seed=0, n_wanted=5, **said):
    return draw(dataset, entry(**said), repetition, seed=seed, n_wanted=n_wanted)


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
    (home / "own.txt").write_text("rot\nblau\nrot\nblau\ngrün\ngrün\n", "utf-8")
    np.save(home / "own.npy", [3, 1, 3, 1, 2, 2])
    return home, X


def from_files(labels="own.txt"):
    return entry(diagrams="own.pbow", labels=labels)


def test_surfaces_are_generated():
    dataset = opened(seed=5)
    X, labels = diagrams_like_surfaces(**SURFACES)
    assert dataset.diagrams == X
    assert dataset.labels.tolist() == labels.tolist()
    assert (dataset.name, dataset.protocol) == ("mine", "80/20")
    assert dataset.label_names == ("smooth", "rough")


def test_shapes_are_generated_with_a_seed_of_their_own():
    pytest.importorskip("gudhi")
    few = {"n_per_class": 2, "n_points": 20}
    one = open_dataset(entry(shapes=few), seed=5)
    same = open_dataset(entry(shapes=few | {"random_state": 0}), seed=6)
    other = open_dataset(entry(shapes=few | {"random_state": 1}), seed=5)
    assert fingerprint(one) == fingerprint(same) != fingerprint(other)
    assert one.label_names == SHAPE_NAMES


def test_what_a_generator_does_not_accept_is_an_error_of_the_declaration():
    with pytest.raises(DeclarationError, match=r"mine cannot be .*argument 'points'"):
        opened(surfaces={"points": 3})


@pytest.mark.parametrize(
    ("labels", "names"),
    [("own.txt", ("blau", "grün", "rot")), ("own.npy", ("1", "2", "3"))],
)
def test_own_files_are_read_from_the_data_folder(own, labels, names):
    home, X = own
    dataset = open_dataset(from_files(labels), seed=0, data_home=home)
    assert dataset.diagrams == X
    assert dataset.label_names == names
    assert dataset.labels.tolist() == [2, 0, 2, 0, 1, 1]


def test_own_files_may_be_in_the_working_folder(own, monkeypatch):
    home, X = own
    monkeypatch.chdir(home)
    assert open_dataset(from_files(), seed=0).diagrams == X


def test_files_that_are_not_there_say_where_they_were_looked_for(own):
    home, _ = own
    with pytest.raises(FileNotFoundError, match=r"no own\.pbow: looked in .*elsewhere"):
        open_dataset(from_files(), seed=0)
    with pytest.raises(FileNotFoundError, match=r"There is no x\.txt: .*home"):
        open_dataset(from_files("x.txt"), seed=0, data_home=home)


def test_there_must_be_one_label_per_diagram(own):
    home, _ = own
    (home / "few.txt").write_text("a\nb\n")
    with pytest.raises(ValueError, match=r"few\.txt: .* the 6 samples; it has 2"):
        open_dataset(from_files("few.txt"), seed=0, data_home=home)


def test_a_data_set_is_loaded_by_its_name(tmp_path, monkeypatch):
    pytest.importorskip("gudhi")
    monkeypatch.setenv("PBOW_CACHE", str(tmp_path / "cache"))
    write(tmp_path / "data", "graphs_MUTAG", graph_arrays())
    dataset = open_dataset(entry(load="mutag"), seed=0, data_home=tmp_path / "data")
    assert len(dataset) == 8


def test_repetitions_are_the_splits_of_the_protocol():
    dataset = opened()
    for protocol in (None, "50/50"):
        expected = dataset.splits(protocol, seed=3, repetitions=2)
        for repetition, (train, test) in enumerate(expected):
            got = drawn(dataset, repetition, seed=3, protocol=protocol)
            assert got.dataset is dataset
            assert got.train.tolist() == train.tolist()
            assert got.test.tolist() == test.tolist()
    fewer = drawn(dataset, 1, seed=3, n_wanted=2)
    assert fewer.test.tolist() == drawn(dataset, 1, seed=3, n_wanted=9).test.tolist()


def test_sub_samples_are_drawn_anew_in_each_repetition_and_always_the_same():
    dataset = opened()
    draws = [drawn(dataset, repetition, per_label=4) for repetition in (0, 1, 2, 0)]
    digests = [fingerprint(one.dataset) for one in draws]
    assert len({*digests[:3]}) == 3
    assert digests[3] == digests[0]
    for one in draws:
        assert np.bincount(one.dataset.labels).tolist() == [4, 4]
        assert sorted([*one.train, *one.test]) == list(range(8))
    other_seed = drawn(dataset, 0, seed=7, per_label=4)
    assert fingerprint(other_seed.dataset) != digests[0]
    with pytest.raises(ValueError, match="at least 11 samples per label"):
        drawn(dataset, 0, per_label=11)


def test_repetitions_of_folds_are_folds_of_as_many_draws_as_needed():
    dataset = replace(opened(), groups=np.arange(20) % 10)
    tests = [
        drawn(dataset, repetition, n_wanted=6, protocol="4 folds").test.tolist()
        for repetition in range(6)
    ]
    assert sorted(row for test in tests[:4] for row in test) == list(range(20))
    assert not {*tests[4]} & {*tests[5]}
    assert tests[4] not in tests[:4]


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
    X, labels = diagrams_like_surfaces(**SURFACES)
    points = X.points.copy()
    points[-1, 1] = np.nextafter(points[-1, 1], np.inf)
    moved, split, named, joined = (
        Diagrams.from_list(np.split(values, offsets), name=name)
        for values, offsets, name in (
            (points, X.offsets[1:-1], "H1"),
            (X.points, [1, *X.offsets[2:-1]], "H1"),
            (X.points, X.offsets[1:-1], "H0"),
            (X.points, X.offsets[1:-1], "H1 H0"),
        )
    )
    empty = Diagrams.from_list([[]] * 20)
    changes = [
        *({"diagrams": other} for other in (moved, split, named, joined, empty)),
        {"diagrams": Diagrams.from_parts({"H1": X, "H0": empty})},
        {"labels": labels[::-1].copy()},
        {"groups": labels},
        {"in_test": labels == 0},  # the original split
    ]
    digests = {fingerprint(replace(dataset, **change)) for change in changes}
    assert len({*digests, fingerprint(dataset)}) == len(changes) + 1
    assert fingerprint(replace(dataset, name="else")) == fingerprint(dataset)


def test_four_folds_of_a_sub_sample_test_every_group_once():
    groups = np.repeat(np.arange(12), 5)
    whole = replace(
        opened(surfaces={"n_diagrams": 60, "n_points": 5}),
        groups=groups,
        protocol="4 folds",
    )
    draws = [drawn(whole, r, per_label=20, n_wanted=8) for r in range(8)]
    for four in (draws[:4], draws[4:]):
        tested = [np.unique(one.dataset.groups[one.test]) for one in four]
        assert sorted(np.concatenate(tested)) == list(np.unique(groups))
    assert draws[0].dataset.diagrams == draws[3].dataset.diagrams
    assert draws[0].dataset.diagrams != draws[4].dataset.diagrams
