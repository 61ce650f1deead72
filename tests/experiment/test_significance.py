import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from pbow.experiment.significance import corrected_t_test, wilcoxon

SIZES = {"n_train": 80, "n_test": 20}


def p_by_enumeration(differences):
    """The share of sign patterns that are as far from the mean, one by one."""
    differences = np.array([d for d in differences if d != 0])
    ranks = stats.rankdata(np.abs(differences))
    centre = ranks.sum() / 2
    seen = abs(ranks[differences > 0].sum() - centre)
    patterns = itertools.product([0, 1], repeat=len(ranks))
    far = [abs(np.dot(signs, ranks) - centre) >= seen - 1e-9 for signs in patterns]
    return np.mean(far)


@given(st.lists(st.integers(-4, 4), min_size=1, max_size=9))
def test_wilcoxon_is_the_share_of_sign_patterns_with_ties_and_zeros(differences):
    p = wilcoxon(np.array(differences) + 50.0, np.full(len(differences), 50.0))
    assert p == pytest.approx(p_by_enumeration(differences), abs=1e-12)


def test_differences_that_are_equal_counts_are_ties():
    # 1/60 three times, of which no two are the same float.
    first = [100 * 55 / 60, 100 * 47 / 60, 100 * 20 / 60, 50.0]
    second = [100 * 54 / 60, 100 * 46 / 60, 100 * 21 / 60, 100 * 37 / 60]
    assert len(set(np.abs(np.subtract(first, second)[:3]))) > 1
    assert wilcoxon(first, second) == p_by_enumeration([1, 1, -1, -7])


def test_corrected_t_test_by_hand():
    # Differences 1, 3, 2, 2: mean 2, variance 2/3; factor 1/4 + 1/4.
    t = 2 / math.sqrt((2 / 3) * (1 / 4 + 20 / 80))
    p = corrected_t_test([95, 96, 97, 98], [94, 93, 95, 96], **SIZES)
    assert p == pytest.approx(2 * stats.t.sf(t, 3), rel=1e-12)
    # Of differences that never vary.
    assert corrected_t_test([1.0, 2.0], [1.0, 2.0], **SIZES) == 1.0
    assert corrected_t_test([0.3, 0.4], [0.2, 0.3], **SIZES) == 0.0


@pytest.mark.parametrize(
    ("first", "second"),
    [([1.0, 2.0], [1.0]), ([], []), ([[1.0]], [[1.0]]), ([math.nan], [1.0])],
)
def test_pairs_that_are_none_are_refused(first, second):
    for test in (wilcoxon, corrected_t_test):
        with pytest.raises(ValueError, match=r"same length.*; got \["):
            test(first, second, **SIZES if test is corrected_t_test else {})
    with pytest.raises(ValueError, match="at least 2 pairs"):
        corrected_t_test([1.0], [2.0], **SIZES)
    with pytest.raises(
        ValueError, match="n_train to be a number of samples > 0; got 0"
    ):
        corrected_t_test([1.0, 2.0], [2.0, 4.0], n_train=0, n_test=20)
