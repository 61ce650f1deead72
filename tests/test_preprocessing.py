"""Transformers from diagrams to diagrams, each beside the sentence that defines it."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_array_equal
from sklearn import config_context
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.svm import LinearSVC
from tests.estimators import TRANSFORMERS

from pbow import Diagrams, PersistenceBoW
from pbow.preprocessing import (
    MostPersistent,
    PersistenceThreshold,
    Rescale,
    SelectParts,
)

each_transformer = pytest.mark.parametrize("transformer", TRANSFORMERS, ids=str)


@pytest.fixture(name="X")
def diagrams(ragged):
    with_essential = [
        np.concatenate((d, [[i % 3, np.inf]])) for i, d in enumerate(ragged)
    ]
    return Diagrams.from_parts({"H0": with_essential, "H1": ragged[::-1]})


# What all of them share


@each_transformer
def test_empty_diagrams_stay_empty_and_no_sample_stays_none(transformer, ragged):
    fitted = clone(transformer).fit(ragged)
    assert_array_equal(fitted.transform([[], []]).sizes, [0, 0])
    assert len(fitted.transform([])) == 0


@each_transformer
def test_only_empty_diagrams_can_be_learnt_from(transformer):
    X = Diagrams.from_parts({"H0": [[], []], "H1": [[], [[0.0, np.inf]]]})
    fitted = clone(transformer).fit(X)
    assert_array_equal(fitted.transform(X)["H1"][1], [[0.0, np.inf]])


@each_transformer
def test_a_pipeline_with_words_can_be_searched(transformer, X):
    pipeline = make_pipeline(clone(transformer), PersistenceBoW(2), LinearSVC())
    search = GridSearchCV(pipeline, {"persistencebow__n_words": [2, 3]}, cv=2)
    assert search.fit(X, np.arange(30) % 2).predict(X).shape == (30,)


@each_transformer
def test_a_pipeline_puts_out_frames_with_the_names_of_words(transformer, ragged):
    pytest.importorskip("pandas")
    pipeline = make_pipeline(clone(transformer), PersistenceBoW(2, random_state=0))
    expected = clone(pipeline).fit_transform(ragged)
    frame = pipeline.set_output(transform="pandas").fit_transform(ragged)
    assert list(frame.columns) == ["h1_word0", "h1_word1"]
    assert list(pipeline.get_feature_names_out()) == ["h1_word0", "h1_word1"]
    assert_array_equal(frame, expected)
    with config_context(transform_output="pandas"):
        assert isinstance(clone(transformer).fit_transform(ragged), Diagrams)


# What each of them does


coordinate = st.sampled_from([-1.0, 0.0, 0.25, 0.5, 1.0, 2.0]) | st.floats(-9, 9)
point = st.tuples(coordinate, coordinate | st.just(np.inf)).map(sorted)
samples = st.lists(st.lists(point, max_size=8), min_size=1, max_size=5)


def persistence(point):
    return point[1] - point[0]


@given(X=samples, threshold=st.sampled_from([0.0, 0.25, 0.5]) | st.floats(0, 9))
def test_points_above_the_threshold_and_essential_ones_are_kept(X, threshold):
    kept = PersistenceThreshold(threshold).fit_transform(X)
    expected = [[p for p in d if persistence(p) > threshold] for d in X]
    assert kept == Diagrams.from_list(expected)


@given(X=samples, k=st.integers(1, 9))
def test_the_most_persistent_points_are_kept_in_their_order(X, k):
    expected = []
    for sample in X:
        best = sorted(range(len(sample)), key=lambda i: -persistence(sample[i]))[:k]
        expected.append([sample[i] for i in sorted(best)])
    assert MostPersistent(k).fit_transform(X) == Diagrams.from_list(expected)


@given(X=samples, by=st.sampled_from(["death", "persistence"]), q=st.floats(0, 1))
def test_the_quantile_of_what_is_learnt_from_becomes_one(X, by, q):
    fitted = Rescale(by, quantile=q).fit(X)
    finite = [p for d in X for p in d if p[1] < np.inf]
    sizes = [abs(p[1]) if by == "death" else persistence(p) for p in finite]
    quantile = np.quantile(sizes, q) if sizes else 0.0
    scale = quantile if quantile > 1e-100 else 1.0
    assert fitted.scales_ == {"": scale}
    if max((abs(x) for d in X for p in d for x in p if x < np.inf), default=0) < scale:
        expected = [[[b / scale, d / scale] for b, d in sample] for sample in X]
        assert fitted.transform(X) == Diagrams.from_list(expected)


def test_the_largest_death_is_one_and_test_diagrams_are_divided_alike():
    fitted = Rescale().fit([[[0.1, 0.3], [0.2, np.inf]], [[-7.0, 0.1]]])
    assert_array_equal(
        fitted.transform([[[0.3, 0.6], [0.3, np.inf]]])[0], [[1, 2], [1, np.inf]]
    )


def test_a_quantile_may_be_any_number():
    X = [[[0.0, 1.0], [0.0, 2.0], [0.0, 3.0]]]
    assert Rescale(quantile=Fraction(1, 2)).fit(X).scales_ == {"": 2.0}


def test_each_part_has_its_own_scale():
    X = Diagrams.from_parts({"H0": [[[0, 2]]], "H1": [[[1, 4]]], "H2": [[]]})
    assert Rescale().fit(X).scales_ == {"H0": 2.0, "H1": 4.0, "H2": 1.0}
    assert Rescale("persistence").fit(X).scales_["H1"] == 3.0


@pytest.mark.parametrize("tiny", [0.0, 1e-320, 1e-120])
def test_nothing_is_divided_by_nothing(tiny):
    X = [[[0.0, tiny]], [[0.0, np.inf]]]
    assert Rescale().fit_transform(X) == Diagrams.from_list(X)


def test_coordinates_that_leave_their_range_are_an_error():
    fitted = Rescale().fit([[[0.0, 1e-50]]])
    with pytest.raises(ValueError, match="Diagram 0 has a point beyond"):
        fitted.transform([[[0.0, 1e60]]])


def test_a_dict_has_a_value_for_each_part(X):
    kept = MostPersistent({"H0": 1, "H1": 3}).fit_transform(X)
    assert kept["H0"].sizes.max() == 1
    assert kept["H0"].has_essential
    assert kept["H1"].sizes.max() == 3
    limits = {"H0": 1e9, "H1": 0.0}
    kept = PersistenceThreshold(limits).fit_transform(X)
    assert kept["H0"] == X["H0"].essential()
    assert kept["H1"] == X["H1"]


def test_parts_come_in_the_order_in_which_they_are_asked_for(X):
    assert SelectParts(["H1", "H0"]).fit_transform(X) == X[["H1", "H0"]]
    fitted = SelectParts("H0").fit(X)
    assert fitted.transform(X) == X["H0"]
    assert fitted.get_feature_names_out().tolist() == ["H0"]
    assert fitted.parts_ == ("H0", "H1")


@pytest.mark.parametrize(
    "transformer",
    [
        PersistenceThreshold(0.5),
        PersistenceThreshold(),
        MostPersistent(1),
        Rescale(),
        SelectParts("H1"),
    ],
    ids=str,
)
def test_points_keep_their_locations(transformer):
    points = np.array([[0, 0.2], [0, 0.4], [0, 2], [0, 3.0], [0, np.inf]])
    where = np.arange(10).reshape(5, 2, 1)
    where[4, 1] = -1
    X = Diagrams(points, [0, 3, 5], name="H1", locations=where)
    Y = transformer.fit_transform(X)
    kept = Y.locations[:, 0, 0] // 2
    scale = getattr(transformer, "scales_", {"H1": 1.0})["H1"]
    assert_array_equal(Y.points, points[kept] / scale)
    assert_array_equal(Y.locations, where[kept])
