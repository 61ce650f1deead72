import numpy as np
import pytest
from numpy.testing import assert_array_equal
from sklearn.exceptions import NotFittedError

from pbow import PersistenceBoW, StablePersistenceBoW
from pbow.plotting._checks import (
    check_codebook,
    check_label_names,
    check_labels,
    check_points,
)
from pbow.vectorizers import PersistenceImage

X = [[[0, 1], [0, np.inf], [3, np.inf]], [[0, 2]]]


def test_the_vectorizer_is_fitted():
    with pytest.raises(NotFittedError):
        check_codebook(PersistenceBoW(), None)


@pytest.mark.parametrize("make", [PersistenceBoW, StablePersistenceBoW])
def test_a_single_part_need_not_be_named(make):
    bow = make(n_words=2, random_state=0).fit(X)
    part, codebook = check_codebook(bow, None)
    assert part == "H1"
    assert codebook is bow.codebooks_["H1"]


def test_words_on_the_line_of_births_are_not_in_the_plane():
    bow = PersistenceBoW(n_words=2, essential="separate", random_state=0).fit(X)
    assert check_codebook(bow, None)[0] == "H1"
    with pytest.raises(ValueError, match="Expected part to be one of 'H1', "):
        check_codebook(bow, "H1_inf")


def test_only_codebooks_can_be_drawn():
    message = "PersistenceBoW or StablePersistenceBoW; got PersistenceImage"
    with pytest.raises(TypeError, match=message):
        check_codebook(PersistenceImage().fit([[[0, 1]]]), None)


def test_points_are_counted_by_words_of_k_means_only():
    stable = StablePersistenceBoW(n_words=2, random_state=0).fit(X)
    message = "expects a fitted PersistenceBoW; got StablePersistenceBoW"
    with pytest.raises(TypeError, match=message):
        check_codebook(stable, None, counts=True)


@pytest.mark.parametrize("points", [[1, 2, 3], [[0, np.inf]], [[np.nan, 1]]])
def test_points_are_finite_pairs(points):
    message = "Expected sample to be finite births and persistences"
    with pytest.raises(ValueError, match=message):
        check_points(points, "sample")


def test_there_is_one_label_per_diagram():
    assert_array_equal(check_labels(["a", "b"], 2), ["a", "b"])
    with pytest.raises(ValueError, match=r"one label per diagram, shape \(3,\)"):
        check_labels(["a", "b"], 3)


def test_labels_have_names():
    assert check_label_names(None, [3, 5]) == ["3", "5"]
    assert check_label_names(("x", "y"), [3, 5]) == ("x", "y")
    for names in (["x"], "xy"):
        with pytest.raises(ValueError, match="a sequence of 2 names, one per label"):
            check_label_names(names, [3, 5])
