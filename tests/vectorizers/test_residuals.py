"""What the vectorizers with several features per word share."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from tests import estimators

import pbow
from pbow.errors import FewerWordsWarning, ParameterError
from pbow.vectorizers import (
    PersistenceFisherVector,
    PersistenceVLAD,
    SoftPersistenceVLAD,
)
from pbow.vectorizers.residuals import ResidualVectorizer

VECTORIZERS = [v for v in estimators.VECTORIZERS if isinstance(v, ResidualVectorizer)]
CLASSES = [PersistenceVLAD, SoftPersistenceVLAD, PersistenceFisherVector]
each_class = pytest.mark.parametrize("cls", CLASSES)


def with_births(ragged):
    """Give each diagram one essential point, of thirty different births."""
    return [np.concatenate((d, [[i / 7, np.inf]])) for i, d in enumerate(ragged)]


def test_the_contracts_see_all_classes():
    assert {type(vectorizer) for vectorizer in VECTORIZERS} == set(CLASSES)


@each_class
def test_a_word_has_its_features_side_by_side(cls, ragged):
    fitted = cls({"": 2, "_inf": 1}, essential="separate", random_state=0)
    fitted.fit(with_births(ragged))
    words = ("word0", "word1")
    plane = [f"{word}_{feature}" for word in words for feature in cls.features]
    line = [f"inf_word0_{f}" for f in cls.features if f.endswith("birth")]
    assert fitted.get_feature_names_out().tolist() == plane + line
    assert fitted.n_features_by_part() == {"": len(plane), "_inf": len(line)}
    assert fitted.transform(with_births(ragged)).shape == (30, len(plane + line))


@each_class
def test_resolutions_are_those_of_each_size_alone(cls, ragged):
    together = cls((2, 5), random_state=0).fit(ragged)
    alone = [cls(n, random_state=0).fit_transform(ragged) for n in (2, 5)]
    assert_array_equal(together.transform(ragged), np.hstack(alone))
    names = together.get_feature_names_out()
    assert names[0] == f"h1_n2_word0_{cls.features[0]}"
    assert names[-1] == f"h1_n5_word4_{cls.features[-1]}"


@each_class
def test_too_many_words_are_refused_by_the_number_of_features(cls, ragged):
    n_words = 10**9
    n_features = f"{n_words * len(cls.features):,}"
    with pytest.raises(ParameterError, match=f"asks for {n_features}"):
        cls(n_words).fit(ragged)


@each_class
def test_a_model_can_be_saved_with_essential_parts(cls, ragged, tmp_path):
    X = with_births(ragged)
    fitted = cls((2, 3), essential="separate", random_state=0).fit(X)
    pbow.save(fitted, tmp_path / "model.pbow")
    loaded = pbow.load(tmp_path / "model.pbow")
    assert_array_equal(loaded.transform(X), fitted.transform(X))


@pytest.mark.parametrize("cls", [SoftPersistenceVLAD, PersistenceFisherVector])
def test_a_temperature_widens_the_words(cls, ragged):
    plain, wide = (
        cls(4, temperature=t, random_state=0).fit(ragged).codebooks_["H1"]
        for t in (1.0, 3.0)
    )
    assert_array_equal(wide.covariances, 9.0 * plain.covariances)
    assert_array_equal(wide.means, plain.means)
    for bad in (0.0, -1.0, np.nan, np.inf):
        with pytest.raises(ParameterError, match="temperature"):
            cls(4, temperature=bad).fit(ragged)


@each_class
def test_normalizations_of_other_encodings_are_refused(cls, ragged):
    with pytest.raises(ParameterError, match="normalize"):
        cls(4, normalize="lipschitz").fit(ragged)


@pytest.mark.parametrize("cls", [PersistenceVLAD, SoftPersistenceVLAD])
def test_where_every_point_is_a_word_a_warning_says_that_features_are_zeros(cls):
    X = [[[0, 1], [0, 2]], [[0, 2], [1, 3]]]
    with pytest.warns(FewerWordsWarning, match="is a word, all features are 0"):
        H = cls(5, random_state=0).fit_transform(X)
    assert_array_equal(H, np.zeros((2, 6)))
