"""Contract of every vectorizer, beside that of every estimator."""

from itertools import pairwise

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC
from tests.estimators import VECTORIZERS

from pbow import Diagrams
from pbow.vectorizers import PersistenceStatistics
from pbow.vectorizers.base import row_cuts

each_vectorizer = pytest.mark.parametrize("vectorizer", VECTORIZERS, ids=str)


@each_vectorizer
def test_only_empty_diagrams_are_rows_of_zeros_and_none_is_no_row(vectorizer, ragged):
    fitted = clone(vectorizer).fit(ragged)
    features = fitted.transform(ragged)
    assert_array_equal(features.any(axis=1), ragged.sizes > 0)
    assert_array_equal(fitted.transform([[], []]), np.zeros((2, features.shape[1])))
    assert fitted.transform([]).shape == (0, features.shape[1])


@each_vectorizer
def test_columns_are_counted_by_part(vectorizer, ragged):
    with_essential = [*ragged, [[0.0, np.inf], [1.0, np.inf], [2.0, np.inf]]]
    X = Diagrams.from_parts({"H1": with_essential, "H0": [*ragged, []]})
    fitted = clone(vectorizer).set_params(essential="separate").fit(X)
    counts = fitted.n_features_by_part()
    assert list(counts) == ["H1", "H1_inf", "H0"]
    starts = [f"{part.lower()}_" for part, n in counts.items() for _ in range(n)]
    names = fitted.get_feature_names_out()
    assert all(map(str.startswith, names, starts))
    assert fitted.n_features_out_ == len(names) == len(starts)


@each_vectorizer
def test_points_have_no_order(vectorizer, ragged, rng):
    fitted = clone(vectorizer).fit(ragged)
    shuffled = [rng.permutation(d) for d in ragged]
    features = fitted.transform(ragged)
    tolerance = 1e-5 if "float32" in str(vectorizer) else 1e-12
    assert_allclose(
        fitted.transform(shuffled), features, tolerance, 1e-12 * features.max()
    )


@each_vectorizer
def test_the_number_of_threads_does_not_change_a_bit(vectorizer):
    rng = np.random.default_rng(1)
    births = rng.uniform(size=300_000)
    points = np.column_stack((births, births + rng.exponential(size=births.shape)))
    points[::3, 1] = np.inf
    X = Diagrams(points, np.linspace(0, 300_000, 501).astype(np.int64))
    params = {k: 40 for k in vectorizer.get_params() if k == "n_words"}
    params["essential"] = "separate"
    results = [
        clone(vectorizer).set_params(n_jobs=n, **params).fit_transform(X)
        for n in (1, 2, 4)
    ]
    assert_array_equal(results[1], results[0])
    assert_array_equal(results[2], results[0])


@each_vectorizer
def test_a_pipeline_with_it_can_be_searched(vectorizer, ragged):
    y = np.arange(30) % 2
    pipeline = make_pipeline(clone(vectorizer), StandardScaler(), LinearSVC(dual=False))
    grid = {f"{pipeline.steps[0][0]}__essential": ["drop", 9.0]}
    search = GridSearchCV(pipeline, grid, cv=2).fit(ragged, y)
    assert search.predict(ragged).shape == (30,)


@each_vectorizer
def test_set_output_names_every_feature(vectorizer, ragged):
    pytest.importorskip("pandas")
    fitted = clone(vectorizer).set_output(transform="pandas").fit(ragged)
    columns = list(fitted.transform(ragged).columns)
    assert columns == list(fitted.get_feature_names_out())
    assert len(set(columns)) == len(columns)
    assert all(column.startswith("h1_") for column in columns)


@each_vectorizer
def test_two_parts_stand_side_by_side(vectorizer, ragged):
    X = Diagrams.from_parts({"H0": ragged[::-1], "H1": ragged})
    fitted = clone(vectorizer).fit(X)
    one, other = (clone(vectorizer).fit(X[name]) for name in X.parts)
    features = fitted.transform(X)
    assert_array_equal(
        features, np.hstack([one.transform(X["H0"]), other.transform(X["H1"])])
    )
    assert fitted.get_feature_names_out().tolist() == [
        *one.get_feature_names_out(),
        *other.get_feature_names_out(),
    ]


@each_vectorizer
def test_essential_points_can_have_columns_of_their_own(vectorizer, ragged, rng):
    births = rng.integers(0, 3, size=30) * 1.0
    X = [
        np.concatenate((d, [[b, np.inf]])) for d, b in zip(ragged, births, strict=True)
    ]
    fitted = clone(vectorizer).set_params(essential="separate").fit(X)
    features, names = fitted.transform(X), fitted.get_feature_names_out()
    alone = clone(vectorizer).fit_transform(ragged)
    n_finite = alone.shape[1]
    assert_array_equal(features[:, :n_finite], alone)
    assert not any(name.startswith("inf_") for name in names[:n_finite])
    assert all(name.startswith("inf_") for name in names[n_finite:])
    own = features[:, n_finite:]
    assert 1 <= own.shape[1] <= n_finite
    # Equal births are equal rows, and others are not.
    for b in range(3):
        assert_array_equal(
            own[births == b],
            own[births == b][:1].repeat(int((births == b).sum()), axis=0),
        )
    assert len(np.unique(own, axis=0)) == 3
    without = fitted.transform(ragged)
    assert_array_equal(without[:, n_finite:], np.zeros_like(own))


@each_vectorizer
def test_no_essential_points_in_training_give_no_columns_later(vectorizer, ragged):
    fitted = clone(vectorizer).set_params(essential="separate").fit(ragged)
    n_features = clone(vectorizer).fit_transform(ragged).shape[1]
    assert fitted.transform([[[0.0, np.inf]]]).shape == (1, n_features)


@pytest.mark.parametrize("n_points", [1, 7, 50, 10**9])
def test_rows_are_cut_where_blocks_are_full(ragged, n_points):
    X = Diagrams.from_parts({"H0": ragged[::-1], "H1": ragged})
    cuts = row_cuts(X, n_points)
    assert cuts == sorted(set(cuts))
    assert (cuts[0], cuts[-1]) == (0, 30)
    sizes = X["H0"].sizes + X["H1"].sizes
    for start, stop in pairwise(cuts):
        # Without its last diagram, a block is not full.
        assert sizes[start : stop - 1].sum() < n_points


def test_blocks_of_rows_do_not_change_a_bit():
    births = np.random.default_rng(0).uniform(size=(2, 700_000))
    points = np.stack((births, births + 1.0), axis=-1)
    points[0, ::1000, 1] = np.inf
    offsets = np.arange(0, 700_001, 350)
    X = Diagrams.from_parts(
        {"H0": Diagrams(points[0], offsets), "H1": Diagrams(points[1], offsets)}
    )
    fitted = PersistenceStatistics(essential="separate").fit(X)
    assert len(row_cuts(X, 1 << 20)) > 2
    rows = [fitted.transform(X[i : i + 100]) for i in range(0, 2000, 100)]
    assert_array_equal(fitted.transform(X), np.concatenate(rows))
    late = PersistenceStatistics(essential=5.0).fit(X)
    parts = {"H0": [*X["H0"][:1999], [[6.0, np.inf]]], "H1": X["H1"]}
    with pytest.raises(ValueError, match=r"Diagram 1999 of part H0 .* born at 6"):
        late.transform(parts)
