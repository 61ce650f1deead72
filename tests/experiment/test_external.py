import sys

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.spatial.distance import cdist
from sklearn.base import clone
from sklearn.utils.estimator_checks import parametrize_with_checks
from tests.rows import rows_double

from pbow.experiment.external import Atol

vector_methods = pytest.importorskip("gudhi.representations.vector_methods")


@pytest.mark.filterwarnings("ignore")
@parametrize_with_checks([rows_double(Atol(n_words=2, random_state=0))])
def test_scikit_learn_checks(estimator, check):
    check(estimator)


def test_a_feature_is_the_sum_of_gaussians_half_as_wide_as_the_distance_of_centers(
    ragged,
):
    atol = Atol(n_words=4, random_state=0)
    H = atol.fit_transform(ragged)
    gudhis = atol.atols_["H1"]
    assert isinstance(gudhis, vector_methods.Atol)
    between = cdist(gudhis.centers, gudhis.centers)
    np.fill_diagonal(between, np.inf)
    widths = between.min(axis=0) / 2
    expected = [
        np.exp(-((cdist(points, gudhis.centers) / widths) ** 2)).sum(axis=0)
        for points in ragged
    ]
    assert H.shape == (30, 4)
    assert_allclose(H, expected, rtol=1e-12)
    assert_array_equal(H, gudhis.transform(list(ragged)))


def test_essential_points_are_left_out_or_have_centers_of_their_own(ragged):
    more = [np.concatenate((d, [[k % 3, np.inf]])) for k, d in enumerate(ragged)]
    atol = Atol(n_words=5, random_state=0)
    H = clone(atol).fit_transform(ragged)
    assert_array_equal(clone(atol).fit_transform(more), H)
    assert not H[0].any()  # an empty diagram
    atol.set_params(essential="separate").fit(more)
    names = atol.get_feature_names_out().tolist()
    assert names[5:] == [f"inf_word{k}" for k in range(3)]
    assert atol.transform([]).shape == (0, 8)


@pytest.mark.parametrize("points", [[[0.0, 1.0]] * 7, [[0.0, 1.0], [0.0, 2.0]] * 3])
def test_there_are_no_more_centers_than_distinct_points(points, capsys):
    H = Atol(n_words=5, random_state=0).fit_transform([points, []])
    assert H.shape == (2, len(np.unique(points, axis=0)))
    assert np.isfinite(H).all()
    assert H[0].all()
    assert not H[1].any()
    assert capsys.readouterr().out == ""


def test_no_centers_and_no_gudhi_are_named(ragged, monkeypatch):
    with pytest.raises(ValueError, match="'n_words' parameter of Atol must be an int"):
        Atol(n_words=0).fit(ragged)
    monkeypatch.setitem(sys.modules, "gudhi.representations.vector_methods", None)
    with pytest.raises(ImportError, match="extra homology of pbow"):
        Atol().fit(ragged)
