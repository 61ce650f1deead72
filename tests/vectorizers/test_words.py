"""Contract of the vectorizers that learn a codebook, beyond what all share."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline, make_union
from sklearn.svm import LinearSVC

from pbow import Diagrams, PersistenceBoW, StablePersistenceBoW

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
]
each_vectorizer = pytest.mark.parametrize("vectorizer", VECTORIZERS, ids=str)
each_class = pytest.mark.parametrize("cls", [PersistenceBoW, StablePersistenceBoW])


@each_vectorizer
def test_the_same_seed_gives_the_same_bits(vectorizer, ragged):
    first, again = (clone(vectorizer).fit_transform(ragged) for _ in range(2))
    assert_array_equal(first, again)
    state = np.random.RandomState(5)
    one, other = (
        clone(vectorizer).set_params(random_state=state).fit_transform(ragged)
        for _ in range(2)
    )
    assert not np.array_equal(one, other)
    assert clone(vectorizer).set_params(random_state=None).fit(ragged)


@each_vectorizer
def test_grid_search_in_a_pipeline(vectorizer, ragged):
    y = np.arange(30) % 2
    search = GridSearchCV(
        make_pipeline(clone(vectorizer), LinearSVC()),
        {f"{type(vectorizer).__name__.lower()}__n_words": [2, 3]},
        cv=2,
    )
    assert search.fit(ragged, y).predict(ragged).shape == (30,)


def test_two_descriptors_join_in_a_union(ragged):
    union = make_union(PersistenceBoW(3), StablePersistenceBoW(4))
    assert union.fit_transform(ragged).shape == (30, 7)


@each_class
def test_essential_points_can_have_words_of_their_own(cls, ragged, rng):
    births = rng.integers(0, 3, size=30) * 1.0
    X = [
        np.concatenate((d, [[b, np.inf]])) for d, b in zip(ragged, births, strict=True)
    ]
    fitted = cls(5, essential="separate", normalize=None, random_state=0).fit(X)
    features = fitted.transform(X)
    alone = cls(5, normalize=None, random_state=0).fit_transform(ragged)
    assert_array_equal(features[:, :5], alone)
    # Three distinct births are three words, and each diagram has one such point.
    assert fitted.get_feature_names_out()[5:].tolist() == [
        "h1_inf_word0",
        "h1_inf_word1",
        "h1_inf_word2",
    ]
    assert fitted.codebooks_["H1_inf"].n_words == 3
    assert_allclose(features[:, 5:], births[:, None] == [0, 1, 2], atol=1e-6)


@each_class
def test_words_of_essential_points_can_be_set_apart(cls, ragged):
    X = [np.concatenate((d, [[i, np.inf]])) for i, d in enumerate(ragged)]
    n_words = {"H1": 4, "H1_inf": 2}
    fitted = cls(n_words, essential="separate").fit(X)
    assert {k: v.n_words for k, v in fitted.codebooks_.items()} == n_words


@each_class
def test_a_part_may_have_the_suffix_of_an_essential_one(cls, ragged):
    X = Diagrams.from_parts({"H0_inf": ragged})
    fitted = cls(3, essential="separate").fit(X)
    assert list(fitted.codebooks_) == ["H0_inf"]
    assert len(fitted.ramps_) == 1
    assert fitted.transform(X).shape == (30, 3)
    book = fitted.codebooks_["H0_inf"]
    assert (book.words if cls is PersistenceBoW else book.means).shape == (3, 2)


@each_class
@pytest.mark.parametrize(
    ("X", "message"),
    [
        ([], "Found 0 diagrams while a minimum of 1 is required"),
        ([[], []], "All 2 diagrams are empty: there is nothing to learn from"),
        ([[[0, np.inf]]], "but for 1 essential points, which essential='drop'"),
        (np.zeros((3, 2)), "Wrap a single diagram"),
        ([[[0, np.nan]]], "Diagram 0 of part H1 has a point that is NaN"),
        ([[], [[1, 0]]], "Diagram 1 of part H1 has a point that dies before"),
        ([["a"]], "Diagram 0 of part H1 is not an array of numbers"),
        ([[[0, 1], [0, 2]]], "Part H1: Cannot learn 3 words: .* 2 points has only 2 t"),
        ([[[0, 1]] * 9], "Cannot learn 3 words: the sample of 9 points has only 1 tha"),
    ],
    ids=str,
)
def test_bad_training_data_are_named(cls, X, message):
    with pytest.raises(ValueError, match=message):
        cls(3).fit(X)


@each_class
def test_identical_points_have_one_word(cls):
    X = [[[0.25, 1.0]] * 4, [[0.25, 1.0]], []]
    assert_allclose(cls(1).fit_transform(X), [[2.0], [1.0], [0.0]])


@each_class
@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"n_words": 0}, "'n_words' .* an int >= 1, or a dict of such by part. Got 0"),
        ({"n_words": 2.0}, "'n_words' .* must be an int >= 1, .* Got 2.0 instead"),
        ({"n_words": True}, "'n_words' .* must be an int"),
        ({"n_words": {"H0": 3}}, "'n_words' .* given for each of the parts H1"),
        (
            {"n_words": {"H1": 3, "H2": 3}},
            "'n_words' .* given for each of the parts H1",
        ),
        (
            {"n_words": {"H1": 3, "H1_inf": 3}},
            "'n_words' .* given for each of the parts H1",
        ),
        ({"n_words": {"H1": -3}}, "'n_words' .* a dict of such by part"),
        ({"weighting": "linear"}, "one of 'ramp', 'uniform'. Got 'linear'"),
        ({"weighting": None}, "one of 'ramp', 'uniform'. Got None"),
        ({"quantiles": (0.9, 0.1)}, "'quantiles' .* 0 <= low < high <= 1"),
        ({"quantiles": 0.5}, "'quantiles' .* a pair of numbers"),
        ({"quantiles": (0.1, np.nan)}, "'quantiles' .* a pair of numbers"),
        ({"sample_size": 0}, "'sample_size' .* an int >= 1 or None"),
        ({"sample_size": 4}, "n_words=5 words from a sample of at most sample_size=4"),
        ({"whiten": "yes"}, "'whiten' .* True or False"),
        ({"point_weight": "linear"}, "'point_weight' .* one of 'ramp', None"),
        (
            {"normalize": "l2"},
            "'normalize' .* one of 'lipschitz', 'sqrt', 'sqrt-l2', N",
        ),
        ({"normalize": ["l2"]}, "'normalize' .* one of"),
        ({"n_init": 0}, "'n_init' .* int >= 1"),
        ({"n_init": 10**6}, "'n_init' .* int >= 1 and <= 10000"),
        ({"random_state": "seed"}, "'seed' cannot be used to seed"),
        ({"random_state": -1}, "Seed must be between 0"),
    ],
    ids=str,
)
def test_bad_parameters_are_refused_in_fit(cls, ragged, params, message):
    with pytest.raises(ValueError, match=message):
        cls(5).set_params(**params).fit(ragged)


@each_class
def test_a_fit_that_fails_leaves_what_was_there(cls, ragged):
    with pytest.raises(ValueError, match="Cannot learn 5000 words"):
        (fresh := cls(5000)).fit(ragged)
    with pytest.raises(NotFittedError):
        fresh.transform(ragged)
    fitted = cls(3, random_state=0).fit(ragged)
    expected = fitted.transform(ragged)
    with pytest.raises(ValueError, match="Cannot learn 5000 words"):
        fitted.set_params(n_words=5000).fit(ragged)
    assert_array_equal(fitted.transform(ragged), expected)


@each_class
def test_births_that_differ_by_rounding_share_a_word(cls, ragged):
    births = 2.0 - np.arange(30) % 4 * 2.0**-52
    X = [
        np.concatenate((d, [[b, np.inf]])) for d, b in zip(ragged, births, strict=True)
    ]
    fitted = cls({"H1": 3, "H1_inf": 50}, essential="separate").fit(X)
    assert 1 <= fitted.codebooks_["H1_inf"].n_words <= 4


@each_class
def test_numpy_booleans_are_booleans(cls, ragged):
    assert cls(3, whiten=np.True_).fit(ragged)


coordinate = st.floats(-1e100, 1e100) | st.floats(-1, 1) | st.sampled_from([0.0, 0.5])
diagram = st.lists(
    st.tuples(coordinate, coordinate | st.just(np.inf))
    .map(sorted)
    .filter(lambda point: np.isfinite(point[0])),
    max_size=12,
)


@each_vectorizer
@given(train=st.lists(diagram, min_size=1, max_size=4), test=diagram, data=st.data())
def test_no_valid_input_gives_nan_or_inf(vectorizer, train, test, data):
    train = [*train, [[0.0, 1.0], [0.5, 0.75], [0.25, 0.5]]]
    params = data.draw(
        st.fixed_dictionaries(
            {
                "n_words": st.integers(1, 3),
                "whiten": st.booleans(),
                "weighting": st.sampled_from(["uniform", "ramp"]),
                "point_weight": st.sampled_from([None, "ramp"]),
                "normalize": st.sampled_from([None, "sqrt", "sqrt-l2", "lipschitz"]),
                "essential": st.sampled_from(["drop", "separate", 1e100]),
            }
        )
    )
    model = clone(vectorizer).set_params(**params)
    try:
        fitted = model.fit(train)
    except ValueError as error:
        # Points so near in the scale of the others that squares cannot tell them apart.
        assert "told apart" in str(error)  # noqa: PT017
        assert "_inf" not in str(error)  # noqa: PT017
        return
    assert np.isfinite(fitted.transform([*train, test, []])).all()
