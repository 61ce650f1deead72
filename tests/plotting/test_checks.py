import warnings

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from sklearn.exceptions import NotFittedError

from pbow import Diagrams, PersistenceBoW, StablePersistenceBoW
from pbow.errors import ParameterError
from pbow.plotting._checks import (
    check_codebook,
    check_codebooks,
    check_points,
    check_sample,
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
    assert part == ""
    assert codebook is bow.codebooks_[""]


def test_one_of_several_parts_is_named():
    parts = {"H0": [[[0, 1]], [[0, 2]]], "H1": [[[1, 2]], []]}
    bow = StablePersistenceBoW(n_words=1, random_state=0).fit(parts)
    assert check_codebook(bow, "H1") == ("H1", bow.codebooks_["H1"])
    with pytest.raises(ValueError, match=r"one of 'H0', 'H1', .*; got None"):
        check_codebook(bow, None)


def test_words_on_the_line_of_births_are_not_in_the_plane():
    bow = PersistenceBoW(n_words=2, essential="separate", random_state=0).fit(X)
    assert check_codebook(bow, None)[0] == ""
    with pytest.raises(ValueError, match="Expected part to be left out, as"):
        check_codebook(bow, "_inf")


@pytest.mark.parametrize("make", [PersistenceBoW, StablePersistenceBoW])
def test_the_finest_resolution_is_drawn_or_the_one_with_that_many_words(make, ragged):
    bow = make(n_words=(2, 5, 9), random_state=0).fit(ragged)
    resolutions = bow.codebooks_["H1"].resolutions
    assert check_codebook(bow, None)[1] is resolutions[-1]
    for resolution, n_words in zip(resolutions, (2, 5, 9), strict=True):
        assert check_codebook(bow, None, n_words)[1] is resolution
    assert check_codebook(bow, "H1", np.int32(5))[1] is resolutions[1]


@pytest.mark.parametrize("resolution", [0, 7, 16, 5.0, True, "5", (2, 5)], ids=repr)
def test_the_resolutions_there_are_are_listed(ragged, resolution):
    bow = PersistenceBoW(n_words=(1, 5, 10), random_state=0).fit(ragged)
    message = "resolution to be one of 1, 5, 10, the numbers of words that part H1 has"
    with pytest.raises(ParameterError, match=message):
        check_codebook(bow, None, resolution)


def test_a_single_resolution_may_be_named(ragged):
    bow = PersistenceBoW(n_words=4, random_state=0).fit(ragged)
    assert check_codebook(bow, None, 4)[1] is bow.codebooks_["H1"]
    with pytest.raises(ParameterError, match="to be 4, the number of words that part"):
        check_codebook(bow, None, 5)


def test_only_codebooks_can_be_drawn():
    message = "PersistenceBoW or StablePersistenceBoW; got PersistenceImage"
    with pytest.raises(TypeError, match=message):
        check_codebook(PersistenceImage().fit([[[0, 1]]]), None)


def test_all_parts_in_the_plane_are_drawn_or_the_one_that_is_named(ragged):
    parts = Diagrams.from_parts({"H0": ragged, "H1": ragged})
    bow = PersistenceBoW({"H0": (2, 5), "H1": 2}, random_state=0).fit(parts)
    found = check_codebooks(bow, None)
    assert {name: book.n_words for name, book in found.items()} == {"H0": 5, "H1": 2}
    assert list(check_codebooks(bow, "H1")) == ["H1"]
    assert [book.n_words for book in check_codebooks(bow, None, 2).values()] == [2, 2]
    with pytest.raises(ParameterError, match="2, the number of words that part H1 has"):
        check_codebooks(bow, None, 5)


def test_words_on_a_line_alone_cannot_be_drawn():
    bow = PersistenceBoW(n_words=1, essential="separate", random_state=0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        bow.fit({"H0": [[[0, np.inf]]]})
    with pytest.raises(ParameterError, match="the parts that have words in the plane"):
        check_codebooks(bow, None)


@pytest.mark.parametrize("points", [[1, 2, 3], [[0, np.inf]], [[np.nan, 1]]])
def test_points_are_finite_pairs(points):
    message = "Expected sample to be finite births and persistences"
    with pytest.raises(ValueError, match=message):
        check_points(points, "sample")


POINTS = [[0.0, 1.0], [0.5, np.inf]]


@pytest.mark.parametrize(
    "sample",
    [POINTS, np.array(POINTS), {"H1": POINTS}, Diagrams.from_list([POINTS])],
    ids=["list", "array", "dict", "diagrams"],
)
def test_a_sample_has_one_of_several_forms(sample):
    parts = check_sample(sample)
    [points] = parts.values()
    assert_array_equal(points, POINTS)


def test_samples_of_a_collection_are_drawn_together():
    X = Diagrams.from_parts({"H0": [POINTS, POINTS], "H1": [[], POINTS]})
    parts = check_sample(X)
    assert_array_equal(parts["H0"], POINTS + POINTS)
    assert_array_equal(parts["H1"], POINTS)


def test_a_diagram_may_be_empty():
    assert check_sample([])[""].shape == (0, 2)


@pytest.mark.parametrize(
    "sample", [[1, 2], "H1", [[[0, 1]], [[0, 2], [0, 3]]], [[[0, 1]]]], ids=str
)
def test_what_is_no_sample_is_refused_with_advice(sample):
    message = "Expected one sample: .* Of a list of diagrams take one"
    with pytest.raises(ValueError, match=message):
        check_sample(sample)
