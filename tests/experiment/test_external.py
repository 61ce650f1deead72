import sys

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.spatial.distance import cdist
from sklearn.base import clone
from sklearn.utils.estimator_checks import parametrize_with_checks
from tests.rows import rows_double

from pbow import Diagrams
from pbow.experiment.external import Atol

vector_methods = pytest.importorskip("gudhi.representations.vector_methods")


@pytest.fixture
def two_parts(ragged, rng):
    births = rng.uniform(size=(len(ragged), 5))
    return Diagrams.from_parts(
        {"H0": [np.c_[b, b + 1.0] for b in births], "H1": list(ragged)}
    )


@pytest.mark.filterwarnings("ignore")
@parametrize_with_checks([rows_double(Atol(n_words=2, random_state=0))])
def test_scikit_learn_checks(estimator, check):
    check(estimator)


def test_a_feature_is_the_sum_of_gaussians_half_as_wide_as_the_distance_of_centers(
    ragged,
):
    atol = Atol(n_words=4, random_state=0)
    H = atol.fit_transform(ragged)
    centers = atol.atols_["H1"].centers
    between = cdist(centers, centers)
    np.fill_diagonal(between, np.inf)
    widths = between.min(axis=0) / 2
    expected = [
        np.exp(-((cdist(points, centers) / widths) ** 2)).sum(axis=0)
        for points in ragged
    ]
    assert H.shape == (30, 4)
    assert_allclose(H, expected, rtol=1e-12)


def test_rows_are_those_of_gudhi(ragged):
    atol = Atol(n_words=4, random_state=0).fit(ragged)
    assert isinstance(atol.atols_["H1"], vector_methods.Atol)
    expected = atol.atols_["H1"].transform(list(ragged))
    assert_array_equal(atol.transform(ragged), expected)


def test_columns_of_parts_stand_side_by_side(two_parts):
    both = Atol(n_words=3, random_state=0).fit(two_parts)
    alone = [clone(both).fit_transform(two_parts[name]) for name in ("H0", "H1")]
    assert_array_equal(both.transform(two_parts), np.hstack(alone))
    assert both.get_feature_names_out().tolist() == [
        *("h0_word0", "h0_word1", "h0_word2"),
        *("h1_word0", "h1_word1", "h1_word2"),
    ]


def test_essential_points_are_left_out_or_have_centers_of_their_own(ragged):
    more = [np.concatenate((d, [[k % 3, np.inf]])) for k, d in enumerate(ragged)]
    atol = Atol(n_words=5, random_state=0)
    H = clone(atol).fit_transform(ragged)
    assert_array_equal(clone(atol).fit_transform(more), H)
    assert not H[0].any()  # an empty diagram
    atol.set_params(essential="separate").fit(more)
    names = atol.get_feature_names_out().tolist()
    assert names[5:] == [f"h1_inf_word{k}" for k in range(3)]
    assert atol.transform([]).shape == (0, 8)


@pytest.mark.parametrize(
    "points", [[[0.0, 1.0]], [[0.0, 1.0]] * 7, [[0.0, 1.0], [0.0, 2.0]] * 3]
)
def test_there_are_no_more_centers_than_distinct_points(points, capsys):
    H = Atol(n_words=5, random_state=0).fit_transform([points, []])
    assert H.shape == (2, len(np.unique(points, axis=0)))
    assert np.isfinite(H).all()
    assert H[0].all()
    assert not H[1].any()
    assert capsys.readouterr().out == ""


def test_a_part_without_points_has_no_columns(ragged):
    X = Diagrams.from_parts({"H0": [[]] * len(ragged), "H1": list(ragged)})
    with pytest.warns(UserWarning, match="Part H0 has no finite point"):
        atol = Atol(n_words=3, random_state=0).fit(X)
    assert atol.transform(X).shape == (30, 3)


@pytest.mark.parametrize("n_words", [0, 2.5, "ten", {"H1": 3}])
def test_a_number_of_centers_that_is_none_is_refused(n_words, ragged):
    with pytest.raises(ValueError, match="'n_words' parameter of Atol must be an int"):
        Atol(n_words=n_words).fit(ragged)


def test_without_gudhi_the_extra_is_named(ragged, monkeypatch):
    monkeypatch.setitem(sys.modules, "gudhi.representations.vector_methods", None)
    with pytest.raises(ImportError, match="extra homology of pbow"):
        Atol().fit(ragged)
