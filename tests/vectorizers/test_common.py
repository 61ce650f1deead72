"""Contract of every vectorizer. Add new ones to VECTORIZERS and nowhere else."""

import pickle
import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC
from sklearn.utils.estimator_checks import (
    estimator_checks_generator,
    parametrize_with_checks,
)
from tests.rows import rows_double

import pbow
from pbow import Diagrams, vectorizers
from pbow.vectorizers import (
    PersistenceBoW,
    PersistenceImage,
    PersistenceLandscape,
    PersistenceStatistics,
    RiemannianHeatMap,
    StablePersistenceBoW,
)

VECTORIZERS = [
    PersistenceBoW(n_words=3, random_state=0),
    PersistenceBoW.paper(n_words=3, weighting="ramp", random_state=0),
    PersistenceBoW(n_words=3, point_weight="ramp", normalize=None, random_state=0),
    StablePersistenceBoW(n_words=3, random_state=0),
    StablePersistenceBoW.paper(n_words=3, random_state=0),
    StablePersistenceBoW.certified(n_words=3, random_state=0),
    StablePersistenceBoW(
        n_words=3,
        covariance="full",
        scale="peak",
        normalize="lipschitz",
        dtype="float32",
        random_state=0,
    ),
    PersistenceImage(resolution=3),
    PersistenceImage.paper(),
    PersistenceLandscape(n_levels=2, resolution=40),
    RiemannianHeatMap(n_components=3),
    RiemannianHeatMap(n_components=40, resolution=4, bandwidth=0.2),
    PersistenceStatistics(),
]
each_vectorizer = pytest.mark.parametrize("vectorizer", VECTORIZERS, ids=str)
FIRST_OF_CLASS = list({type(v): v for v in reversed(VECTORIZERS)}.values())
each_class = pytest.mark.parametrize("vectorizer", FIRST_OF_CLASS, ids=str)
# Rows of scikit-learn's checks have two points.
ROW_DOUBLES = [
    rows_double(vectorizer).set_params(
        **{k: 2 for k in vectorizer.get_params() if k == "n_words"}
    )
    for vectorizer in FIRST_OF_CLASS
]


def test_every_vectorizer_is_here():
    assert {type(v).__name__ for v in VECTORIZERS} == set(vectorizers.__all__)


@pytest.mark.filterwarnings("ignore")
@parametrize_with_checks(ROW_DOUBLES)
def test_scikit_learn_checks(estimator, check):
    check(estimator)


@each_vectorizer
def test_only_cloning_is_checked_without_the_double(vectorizer):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert len(list(estimator_checks_generator(vectorizer))) == 1


@each_vectorizer
@pytest.mark.parametrize(
    "container",
    [Diagrams.from_list, list, tuple, lambda x: {"H1": list(x)}, iter],
    ids=["Diagrams", "list", "tuple", "dict", "iterator"],
)
def test_any_container_gives_the_same_features(vectorizer, ragged, container):
    expected = clone(vectorizer).fit_transform(ragged)
    fitted = clone(vectorizer).fit(container(list(ragged)))
    assert_array_equal(fitted.transform(container(list(ragged))), expected)
    again = clone(vectorizer).fit_transform(container(list(ragged)))
    assert_array_equal(again, expected)


@each_vectorizer
def test_an_empty_diagram_is_a_row_of_zeros(vectorizer, ragged):
    features = clone(vectorizer).fit_transform(ragged)
    assert ragged.sizes[0] == 0
    assert not features[0].any()
    assert features[1:].any(axis=1).all()


@each_vectorizer
def test_only_empty_diagrams_are_rows_of_zeros_and_none_is_no_row(vectorizer, ragged):
    fitted = clone(vectorizer).fit(ragged)
    n_features = len(fitted.get_feature_names_out())
    assert_array_equal(fitted.transform([[], []]), np.zeros((2, n_features)))
    assert fitted.transform([]).shape == (0, n_features)


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
    X = Diagrams(points, np.linspace(0, 300_000, 501).astype(np.int64))
    more_words = {k: 40 for k in vectorizer.get_params() if k == "n_words"}
    results = [
        clone(vectorizer).set_params(n_jobs=n, **more_words).fit_transform(X)
        for n in (1, 2, 4)
    ]
    assert_array_equal(results[1], results[0])
    assert_array_equal(results[2], results[0])


@each_vectorizer
def test_chunks_of_the_data_give_the_same_rows(vectorizer, ragged):
    fitted = clone(vectorizer).fit(ragged)
    whole = fitted.transform(ragged)
    chunks = [fitted.transform(ragged[i : i + 7]) for i in range(0, 30, 7)]
    assert_array_equal(np.concatenate(chunks), whole)
    assert_array_equal(fitted.transform(ragged[::-1]), whole[::-1])


@each_vectorizer
@pytest.mark.parametrize("n_points", [1, 7, 50, 10**9])
def test_copies_by_rows_do_not_change_a_bit(vectorizer, ragged, monkeypatch, n_points):
    endless = [np.concatenate((d, [[0.0, np.inf]])) for d in ragged]
    X = Diagrams.from_parts({"H0": endless, "H1": ragged})
    fitted = clone(vectorizer).set_params(essential="separate").fit(X)
    whole = fitted.transform(X)
    monkeypatch.setattr("pbow.vectorizers._base.ROWS_OF_POINTS", n_points)
    assert_array_equal(fitted.transform(X), whole)


@each_vectorizer
def test_cloning_pickling_and_saving_keep_the_descriptor(vectorizer, ragged, tmp_path):
    fitted = clone(vectorizer).fit(ragged)
    pbow.save(fitted, tmp_path / "model")
    for copy in (pickle.loads(pickle.dumps(fitted)), pbow.load(tmp_path / "model")):
        assert copy.get_params() == fitted.get_params()
        assert_array_equal(copy.transform(ragged), fitted.transform(ragged))


@each_vectorizer
def test_a_pipeline_with_it_classifies(vectorizer, ragged):
    y = np.arange(30) % 2
    pipeline = make_pipeline(clone(vectorizer), StandardScaler(), LinearSVC(dual=False))
    assert pipeline.fit(ragged, y).predict(ragged).shape == (30,)


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
    assert_array_equal(fitted.transform(X[["H1", "H0"]]), features)
    assert fitted.get_feature_names_out().tolist() == [
        *one.get_feature_names_out(),
        *other.get_feature_names_out(),
    ]


@each_vectorizer
def test_a_missing_and_an_extra_part_are_errors(vectorizer, ragged):
    X = Diagrams.from_parts({"H0": ragged, "H1": ragged})
    both, one = clone(vectorizer).fit(X), clone(vectorizer).fit(ragged)
    with pytest.raises(
        ValueError, match="Expected parts H0, H1, got H1: H0 is missing"
    ):
        both.transform(ragged)
    with pytest.raises(ValueError, match="got H0, H1: H0 is unexpected"):
        one.transform(X)
    with pytest.raises(ValueError, match="H1 is missing and H0 is unexpected"):
        one.transform(X["H0"])


@each_vectorizer
def test_a_part_without_points_gives_no_columns_and_a_warning(vectorizer, ragged):
    X = Diagrams.from_parts({"H0": [[]] * 30, "H1": ragged})
    with pytest.warns(UserWarning, match="Part H0 has no finite point in 30 training"):
        fitted = clone(vectorizer).fit(X)
    alone = clone(vectorizer).fit_transform(ragged)
    assert_array_equal(fitted.transform(X), alone)


@each_vectorizer
def test_essential_points_are_dropped_by_default(vectorizer, ragged):
    endless = [np.concatenate((d, [[0.0, np.inf]])) for d in ragged]
    fitted = clone(vectorizer).fit(endless)
    alone = clone(vectorizer).fit_transform(ragged)
    assert_array_equal(fitted.transform(endless), alone)


@each_vectorizer
def test_essential_points_can_die_at_a_number(vectorizer, ragged):
    endless = [np.concatenate((d, [[0.0, np.inf]])) for d in ragged]
    closed = [np.concatenate((d, [[0.0, 7.0]])) for d in ragged]
    fitted = clone(vectorizer).set_params(essential=7.0).fit(endless)
    alone = clone(vectorizer).fit_transform(closed)
    assert_array_equal(fitted.transform(endless), alone)
    with pytest.raises(
        ValueError,
        match=r"Diagram 1 of part H1 .* born at 7\.5, after essential=7\. Pass",
    ):
        fitted.transform([[], [[7.5, np.inf]]])


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
    assert not any(name.startswith("h1_inf_") for name in names[:n_finite])
    assert all(name.startswith("h1_inf_") for name in names[n_finite:])
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


@each_vectorizer
def test_a_part_may_have_the_suffix_of_an_essential_one(vectorizer, ragged):
    X = Diagrams.from_parts({"H0_inf": ragged})
    fitted = clone(vectorizer).set_params(essential="separate").fit(X)
    alone = clone(vectorizer).fit_transform(ragged)
    assert_array_equal(fitted.transform(X), alone)


@each_vectorizer
def test_a_part_named_like_an_essential_one_is_refused(vectorizer, ragged):
    X = Diagrams.from_parts({"H0": ragged, "h0_INF": ragged})
    assert clone(vectorizer).fit(X).transform(X).shape[0] == 30
    with pytest.raises(ValueError, match="makes a part H0_inf, and there is one"):
        clone(vectorizer).set_params(essential="separate").fit(X)


@each_vectorizer
@pytest.mark.parametrize(
    ("X", "message"),
    [
        ([], "Found 0 diagrams while a minimum of 1 is required"),
        ([[], []], "All 2 diagrams are empty: there is nothing to learn from"),
        ([[[0, np.inf]]], "but for 1 points that never die, which essential='drop'"),
        (np.zeros((3, 2)), "Wrap a single diagram"),
        ([[[0, np.nan]]], "Diagram 0 of part H1 has a point that is NaN"),
        ([[], [[1, 0]]], "Diagram 1 of part H1 has a point that dies before"),
        ([["a"]], "Diagram 0 of part H1 is not an array of numbers"),
    ],
    ids=str,
)
def test_bad_training_data_are_named(vectorizer, X, message):
    with pytest.raises(ValueError, match=message):
        clone(vectorizer).fit(X)


@each_vectorizer
@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"essential": "keep"}, "'essential' .* 'drop', 'separate' or a finite number"),
        ({"essential": np.inf}, "'essential' .* finite number. Got inf"),
        ({"essential": np.array([1.0, 2.0])}, "'essential' .* or a finite number"),
        ({"essential": 10**400}, "'essential' .* or a finite number"),
        ({"n_jobs": 0}, "'n_jobs' .* other than 0"),
        ({"n_jobs": "two"}, "'n_jobs' .* an int or None"),
    ],
    ids=str,
)
def test_bad_parameters_are_refused_in_fit(vectorizer, ragged, params, message):
    with pytest.raises(ValueError, match=message):
        clone(vectorizer).set_params(**params).fit(ragged)


@each_vectorizer
def test_parameters_that_were_changed_after_fit_are_checked(vectorizer, ragged):
    fitted = clone(vectorizer).fit(ragged).set_params(n_jobs=0)
    with pytest.raises(ValueError, match=r"'n_jobs' .* other than 0"):
        fitted.transform(ragged)


@each_vectorizer
def test_a_fit_that_fails_leaves_what_was_there(vectorizer, ragged):
    fitted = clone(vectorizer).fit(ragged)
    expected = fitted.transform(ragged)
    with pytest.raises(ValueError, match="nothing to learn from"):
        fitted.fit([[], []])
    assert_array_equal(fitted.transform(ragged), expected)


@each_vectorizer
def test_what_is_done_with_essential_points_is_decided_in_fit(vectorizer, ragged):
    X = [np.concatenate((d, [[0.0, np.inf]])) for d in ragged]
    fitted = clone(vectorizer).set_params(essential="separate").fit(X)
    expected = fitted.transform(X)
    assert_array_equal(fitted.set_params(essential="drop").transform(X), expected)


@each_vectorizer
def test_a_late_birth_is_named_wherever_rows_are_cut(vectorizer, ragged, monkeypatch):
    fitted = clone(vectorizer).set_params(essential=7.0).fit(ragged)
    monkeypatch.setattr("pbow.vectorizers._base.ROWS_OF_POINTS", 2)
    X = [[[0, 1], [0, np.inf]]] * 5 + [[[7.5, np.inf]]]
    with pytest.raises(ValueError, match="Diagram 5 of part H1"):
        fitted.transform(X)


@each_vectorizer
def test_an_unfitted_vectorizer_says_so(vectorizer):
    with pytest.raises(NotFittedError):
        clone(vectorizer).transform([[]])
    with pytest.raises(NotFittedError):
        clone(vectorizer).get_feature_names_out()


coordinate = st.floats(-1e100, 1e100) | st.floats(-1, 1) | st.sampled_from([0.0, 0.5])
diagram = st.lists(
    st.tuples(coordinate, coordinate | st.just(np.inf))
    .map(sorted)
    .filter(lambda point: np.isfinite(point[0])),
    max_size=12,
)


@each_class
@given(
    train=st.lists(diagram, min_size=1, max_size=4),
    test=diagram,
    essential=st.sampled_from(["drop", "separate", 1e100]),
)
def test_no_valid_input_gives_nan_or_inf(vectorizer, train, test, essential):
    train = [*train, [[0.0, 1.0], [0.5, 0.75], [0.25, 0.5]]]
    model = clone(vectorizer).set_params(essential=essential)
    try:
        fitted = model.fit(train)
    except ValueError as error:
        # Points so near in the scale of the others that squares cannot tell them apart.
        assert "told apart" in str(error)  # noqa: PT017
        return
    assert np.isfinite(fitted.transform([*train, test, []])).all()
