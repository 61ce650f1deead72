import pickle
from dataclasses import FrozenInstanceError, replace

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.svm import LinearSVC

from pbow import Diagrams, PersistenceBoW
from pbow.datasets import Dataset, Provenance


@pytest.fixture
def dataset():
    labels = np.repeat([0, 1], 12)
    return Dataset(
        name="toy",
        diagrams=Diagrams.from_list([[[label, label + 1.0]] * 3 for label in labels]),
        labels=labels,
        label_names=("low", "<high>"),
        groups=np.arange(24) // 3,
        in_test=np.arange(24) % 2 == 0,
        protocol="80/20",
        exp_a_per_class=5,
        provenance=Provenance(origin="Made up.", stand_in_for="Truth & co"),
    )


def test_splits_serve_as_scikit_learns_cv(dataset):
    pipeline = make_pipeline(PersistenceBoW(2, random_state=0), LinearSVC())
    scores = cross_val_score(
        pipeline, dataset.diagrams, dataset.labels, cv=dataset.splits()
    )
    assert scores.tolist() == [1.0] * 5


def test_the_default_protocol_is_the_sets_own(dataset):
    for protocol in ("80/20", "4 folds", "original"):
        own = replace(dataset, protocol=protocol)
        for mine, named in zip(own.splits(), own.splits(protocol), strict=True):
            assert_array_equal(mine[1], named[1])


def test_a_subsample_has_some_of_each_class_with_all_that_belongs_to_them(dataset):
    numbered = replace(dataset, groups=np.arange(24))
    sample = numbered.subsample(3, seed=1)
    rows = sample.groups
    assert_array_equal(np.bincount(sample.labels), [3, 3])
    assert_array_equal(sample.labels, dataset.labels[rows])
    assert_array_equal(sample.in_test, dataset.in_test[rows])
    assert sample.diagrams == dataset.diagrams[rows]
    assert sample.provenance.selection == "3 samples per label, seed 1"
    again = sample.subsample(2)
    assert again.provenance.selection.endswith("seed 1; 2 samples per label, seed 0")
    assert again.name == "toy"


def test_a_subsample_is_the_papers_by_default(dataset):
    assert len(dataset.subsample()) == 10
    whole = replace(dataset, exp_a_per_class=None)
    assert whole.subsample() is whole


def test_the_seed_decides_what_is_drawn(dataset):
    numbered = replace(dataset, groups=np.arange(24))
    first, again, other = (numbered.subsample(4, seed=s).groups for s in (0, 0, 1))
    assert_array_equal(first, again)
    assert not np.array_equal(first, other)


@pytest.mark.parametrize(
    ("n", "message"),
    [
        (0, "Expected n_per_class to be an int >= 1 or None; got 0"),
        (2.0, "Expected n_per_class"),
        (13, "at least 13 samples per label; label 0 has 12"),
    ],
)
def test_a_bad_subsample_is_refused(dataset, n, message):
    with pytest.raises(ValueError, match=message):
        dataset.subsample(n)


def test_it_says_what_it_is_and_that_it_stands_in(dataset):
    assert repr(dataset) == (
        "Dataset('toy', a stand-in for Truth & co, 2 classes, 8 groups, "
        "Diagrams(n_samples=24, 72 points))"
    )
    html = dataset._repr_html_()
    assert "a stand-in for Truth &amp; co" in html
    assert "<th>&lt;high&gt;</th><td>12</td>" in html
    true = replace(dataset, groups=None, provenance=Provenance(origin="Made up."))
    assert repr(true) == (
        "Dataset('toy', 2 classes, Diagrams(n_samples=24, 72 points))"
    )


def test_nothing_can_be_changed(dataset):
    with pytest.raises(ValueError, match="read-only"):
        dataset.labels[0] = 1
    with pytest.raises(FrozenInstanceError):
        dataset.labels = None
    labels = np.zeros(24, np.int64)
    other = replace(dataset, labels=labels)
    labels[0] = 1
    assert other.labels[0] == 0


def test_it_can_be_pickled(dataset):
    copy = pickle.loads(pickle.dumps(dataset))
    assert copy.diagrams == dataset.diagrams
    assert_array_equal(copy.groups, dataset.groups)
    assert copy.provenance == dataset.provenance
    assert repr(copy) == repr(dataset)
    for name in ("labels", "groups", "in_test"):
        assert not getattr(copy, name).flags.writeable


@pytest.mark.parametrize("name", ["labels", "groups", "in_test"])
def test_arrays_have_a_value_a_diagram(dataset, name):
    with pytest.raises(ValueError, match=rf"{name} to be .* of shape \(24,\).*\(5,\)"):
        replace(dataset, **{name: np.zeros(5, int)})


@pytest.mark.parametrize("label", [-1, 2])
def test_labels_are_those_that_have_names(dataset, label):
    labels = np.where(np.arange(24) == 3, label, 0)
    with pytest.raises(ValueError, match=f"Label 3 is {label}; expected 0 to 1, as"):
        replace(dataset, labels=labels)


BAD = {
    "halves as labels": ({"labels": [0.9, 1.2] * 12}, "labels to be integers of shape"),
    "words as labels": ({"labels": ["0", "1"] * 12}, "labels to be integers of shape"),
    "no labels": ({"labels": None}, r"labels to be integers.*got object of shape \(\)"),
    "ragged labels": ({"labels": [[0], [1, 2]]}, "labels to be integers.*: setting an"),
    "halves as groups": ({"groups": [0.5] * 24}, "groups to be integers of shape"),
    "words as in_test": ({"in_test": ["no"] * 24}, "in_test to be bool of shape"),
    "numbers as in_test": ({"in_test": [0, 1] * 12}, "in_test to be bool of shape"),
    "a list": (
        {"diagrams": [[[0, 1]]] * 24},
        r"diagrams to be Diagrams; got list. Make them by Diagrams\.from_list",
    ),
    "a number as name": ({"name": 5}, "name to be str; got int"),
    "no provenance": ({"provenance": "mine"}, "provenance to be Provenance; got str"),
    "a protocol": ({"protocol": "70/30"}, "protocol.*80/20"),
    "half a sample": ({"exp_a_per_class": 0.5}, "exp_a_per_class to be an int >= 1"),
    "one string as names": ({"label_names": "ab"}, "label_names to be one or more str"),
    "numbers as names": ({"label_names": (0, 1)}, r"strings.*; got \(0, 1\)"),
    "equal names": ({"label_names": ("a", "a")}, "strings that differ from each other"),
    "no names": ({"label_names": None}, "label_names to be one or more strings"),
}


@pytest.mark.parametrize(("change", "message"), BAD.values(), ids=BAD)
def test_what_is_of_another_kind_is_refused(dataset, change, message):
    with pytest.raises(ValueError, match=message):
        replace(dataset, **change)


def test_names_may_be_a_list_and_labels_of_any_integers(dataset):
    labels = dataset.labels.astype(np.uint8)
    other = replace(dataset, label_names=["a", "b"], labels=labels)
    assert other.label_names == ("a", "b")
    assert other.labels.dtype == np.int64


def test_there_may_be_no_samples():
    empty = Dataset(
        name="none",
        diagrams=Diagrams.from_list([]),
        labels=[],
        label_names=("a",),
        in_test=[],
        protocol="original",
        provenance=Provenance(origin="Made up."),
    )
    assert (len(empty), empty.labels.dtype, empty.in_test.dtype) == (0, np.int64, bool)
