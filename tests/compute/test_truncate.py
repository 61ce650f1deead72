import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pbow.compute.truncate import are_told_apart


@given(words=st.lists(st.integers(0, 40)), n_bits=st.integers(1, 4))
def test_words_are_told_apart_if_no_cut_word_stands_for_two(words, n_bits):
    expected = len({word >> n_bits for word in words}) == len(set(words))
    found = are_told_apart(np.array(words, np.uint64), np.uint64(n_bits))
    assert found == expected


@pytest.mark.parametrize(("n_cut", "apart"), [(3, False), (2, True)])
def test_no_word_is_cut_to_negative_zero(n_cut, apart):
    words = np.array([0, 2**63 + 4], np.uint64)
    assert are_told_apart(words, np.uint64(n_cut)) == apart


@pytest.mark.parametrize("last", [0.5, np.nextafter(0.5, 1.0)])
def test_doubles_that_differ_in_the_last_bit_are_found_among_many(last, rng):
    values = np.concatenate((rng.integers(0, 255, 10_000) / 255, [0.5, last]))
    assert are_told_apart(values.view(np.uint64), np.uint64(14)) == (last == 0.5)
