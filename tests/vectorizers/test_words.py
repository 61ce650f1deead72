"""Contract of the vectorizers that learn a codebook, beyond what all share."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.pipeline import make_union
from tests import estimators

from pbow import PersistenceBoW, StablePersistenceBoW
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
    assert fitted.codebooks_["H1_inf"].n_words == 3
    assert_allclose(features[:, 5:], births[:, None] == [0, 1, 2], atol=1e-6)


@each_class
def test_words_of_essential_points_can_be_set_apart(cls, ragged):
    X = [np.concatenate((d, [[i, np.inf]])) for i, d in enumerate(ragged)]
    n_words = {"H1": 4, "H1_inf": 2}
    fitted = cls(n_words, essential="separate").fit(X)
    assert {k: v.n_words for k, v in fitted.codebooks_.items()} == n_words


@each_class
@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"sample_size": 4}, "'n_words' .* at most sample_size=4"),
        ({"random_state": "seed"}, "'seed' cannot be used to seed"),
        ({"random_state": -1}, "Seed must be between 0"),
        ({"n_words": 5000, "sample_size": None}, "Part H1: Cannot learn 5000 words"),
        ({"n_words": 90, "sample_size": 90, "weighting": "ramp"}, "'uniform' does not"),
    ],
    ids=str,
)
def test_what_cannot_be_learnt_is_refused_in_fit(cls, ragged, params, message):
    with pytest.raises(ValueError, match=message):
        cls(5).set_params(**params).fit(ragged)


@each_class
def test_births_that_differ_by_rounding_share_a_word(cls, ragged):
    births = 2.0 - np.arange(30) % 4 * 2.0**-52
    X = [
        np.concatenate((d, [[b, np.inf]])) for d, b in zip(ragged, births, strict=True)
    ]
    fitted = cls({"H1": 3, "H1_inf": 50}, essential="separate").fit(X)
    assert 1 <= fitted.codebooks_["H1_inf"].n_words <= 4
