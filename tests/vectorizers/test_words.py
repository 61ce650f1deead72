"""Contract of the vectorizers that learn a codebook, beyond what all share."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.pipeline import make_union
from tests import estimators

from pbow import PersistenceBoW, StablePersistenceBoW
from pbow.errors import FewerWordsWarning
from pbow.vectorizers.words import CodebookVectorizer

VECTORIZERS = [v for v in estimators.VECTORIZERS if isinstance(v, CodebookVectorizer)]
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
    # Three distinct births are three words, and each diagram has one such point.
    assert fitted.codebooks_["_inf"].n_words == 3
    assert_allclose(features[:, 5:], births[:, None] == [0, 1, 2], atol=1e-6)


@each_class
def test_words_of_essential_points_can_be_set_apart(cls, ragged):
    X = [np.concatenate((d, [[i, np.inf]])) for i, d in enumerate(ragged)]
    n_words = {"H1": 4, "H1_inf": 2}
    fitted = cls(n_words, essential="separate").fit({"H1": X})
    assert {k: v.n_words for k, v in fitted.codebooks_.items()} == n_words


@each_class
@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"random_state": [0]}, "Expected random_state to be an int .*; got"),
        ({"random_state": "seed"}, "Expected random_state to be an int .*; got 'seed'"),
        ({"random_state": -1}, "Expected random_state to be an int >= 0"),
        ({"n_words": ()}, "'n_words' .* in increasing order, or 'auto'.* Got \\(\\)"),
        ({"n_words": (3, 3)}, "in increasing order"),
        ({"n_words": (5, 3)}, "in increasing order"),
        ({"n_words": (0, 3)}, "in increasing order"),
        ({"n_words": (2.0, 3.0)}, "in increasing order"),
        ({"n_words": ((2, 3), 4)}, "in increasing order"),
        ({"n_words": "all"}, "or 'auto'"),
        ({"n_words": {"H1": ()}}, "or a dict of such by part"),
        ({"n_words": (10, 10_000_000)}, "'n_words' .* It asks for 10,000,010"),
        ({"quantiles": (None, 0.0)}, "'quantiles' .* low may be None"),
        ({"quantiles": (None, None)}, "'quantiles' .* low may be None"),
        ({"point_weight": "square"}, "'point_weight'"),
    ],
    ids=str,
)
def test_what_cannot_be_learnt_is_refused_in_fit(cls, ragged, params, message):
    with pytest.raises(ValueError, match=message):
        cls(5).set_params(**params).fit(ragged)


RESOLUTIONS = (2, 7, 20)


@each_class
@pytest.mark.parametrize("normalize", [None, "sqrt", "sqrt-l2", "lipschitz"])
@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_several_resolutions_are_each_alone_to_the_last_bit(
    cls, ragged, normalize, dtype
):
    params = {"normalize": normalize, "random_state": 3, "weighting": "ramp"}
    if "dtype" in cls().get_params():
        params |= {"dtype": dtype}
    joint = cls(RESOLUTIONS, **params).fit(ragged)
    alone = [cls(n, **params).fit(ragged) for n in RESOLUTIONS]
    assert_array_equal(
        joint.transform(ragged), np.hstack([one.transform(ragged) for one in alone])
    )
    for book, one in zip(joint.codebooks_["H1"].resolutions, alone, strict=True):
        name = "words" if hasattr(book, "words") else "means"
        assert_array_equal(getattr(book, name), getattr(one.codebooks_["H1"], name))


@each_class
def test_columns_are_named_by_resolution_and_word(cls, ragged):
    fitted = cls((1, 2), random_state=0).fit(ragged)
    names = ["h1_n1_word0", "h1_n2_word0", "h1_n2_word1"]
    assert fitted.get_feature_names_out().tolist() == names
    assert cls((2,)).fit(ragged).get_feature_names_out()[0] == "h1_n2_word0"
    assert cls([1, 2]).fit(ragged).n_features_out_ == 3
    X = {"H0": list(ragged), "H1": list(ragged)}
    mixed = cls({"H0": 1, "H1": (1, 2)}).fit(X)
    assert mixed.get_feature_names_out().tolist() == ["h0_word0", *names]


FEW = [[[0.0, 1.0], [0.0, 2.0]], [[1.0, 3.0], [0.0, 1.0]]]


@each_class
@pytest.mark.parametrize(
    ("n_words", "sizes"),
    [
        (100, (3,)),
        ((2, 100), (2, 3)),
        # Those that would have the same words are learnt once.
        ((2, 10, 30, 100), (2, 3)),
        ((3, 10), (3,)),
        ((1, 3, 5), (1, 3)),
        ((50, 60), (3,)),
    ],
)
def test_fewer_distinct_points_have_one_word_each_and_one_warning(cls, n_words, sizes):
    with pytest.warns(FewerWordsWarning) as caught:
        fitted = cls(n_words, random_state=0).fit(FEW)
    assert fitted.codebooks_[""].sizes == sizes
    assert len(caught) == 1
    there = " + ".join(map(str, sizes))
    assert f"the model has {there} words instead of" in str(caught[0].message)
    assert caught[0].filename == __file__
    assert np.isfinite(fitted.transform(FEW)).all()
    alone = [cls(n, random_state=0).fit(FEW).transform(FEW) for n in sizes]
    assert_array_equal(fitted.transform(FEW), np.hstack(alone))


@each_class
def test_one_warning_names_all_parts_with_fewer_words(cls):
    X = {"H0": FEW, "H1": [[[0.0, k], [0.5, k + 1.0]] for k in range(1, 9)][:2]}
    with pytest.warns(FewerWordsWarning, match="H0 has 3 .*, part H1 has 4") as caught:
        cls(9).fit(X)
    assert len(caught) == 1


@each_class
def test_the_size_may_be_chosen_from_the_data(cls, rng):
    places = np.array([[0.0, 2.0], [1.0, 5.0], [2.0, 4.0]])
    blobs = [rng.normal(place, 0.01, size=(100, 2)) for place in places]
    X = [np.c_[b, b + p] for b, p in (blob.T for blob in blobs)]
    fitted = cls("auto", random_state=0).fit(X)
    assert fitted.codebooks_[""].n_words == 3
    curve = fitted.size_curves_[""]
    assert 3 in curve.sizes
    assert len(curve.values) == len(curve.sizes)
    assert fitted.get_feature_names_out()[0] == "word0"
    assert cls(3).fit(X).size_curves_ == {"": None}


@each_class
@pytest.mark.parametrize("X", [FEW, [[[0.0, 1.0]]], [[[0.0, 1.0]] * 5, []]])
def test_the_size_may_be_chosen_from_next_to_nothing(cls, X):
    fitted = cls("auto", random_state=0).fit(X)
    assert 1 <= fitted.codebooks_[""].n_words <= 3
    assert np.isfinite(fitted.transform(X)).all()


def test_a_ramp_may_start_at_zero(ragged):
    bow = PersistenceBoW(3, point_weight="squared-ramp", quantiles=(None, 0.5))
    ramp = bow.fit(ragged).ramps_["H1"]
    assert (ramp.low, ramp.power) == (0.0, 2)
    assert_allclose(
        ramp.high, np.quantile(np.ptp(ragged.points, axis=1), 0.5, method="hazen")
    )


@each_class
def test_births_that_differ_by_rounding_share_a_word(cls, ragged):
    births = 2.0 - np.arange(30) % 4 * 2.0**-52
    X = [
        np.concatenate((d, [[b, np.inf]])) for d, b in zip(ragged, births, strict=True)
    ]
    fitted = cls({"H1": 3, "H1_inf": 50}, essential="separate").fit({"H1": X})
    assert 1 <= fitted.codebooks_["H1_inf"].n_words <= 4
