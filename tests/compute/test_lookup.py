import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

from pbow.compute.lookup import only_places

values = st.lists(st.sampled_from([-1.5, 0.0, 1.0, 1 / 3, 7.0, 1e90, np.inf]))


@given(values=values, data=st.data())
def test_places_are_found_if_there_is_one_for_each(values, data):
    some = st.lists(st.sampled_from(values), max_size=9) if values else st.just([])
    wanted = data.draw(some)
    found = np.full(len(wanted), -1)
    words, wanted_words = (
        np.array(numbers, np.float64).view(np.uint64) for numbers in (values, wanted)
    )
    is_only = only_places(words, wanted_words, found)
    assert is_only == all(values.count(value) == 1 for value in wanted)
    if is_only:
        assert_array_equal(found, [values.index(value) for value in wanted])


def test_thousands_of_places_are_found(rng):
    numbers = rng.normal(size=10_000)
    expected = rng.permutation(10_000)[:4_000]
    found = np.empty(4_000, np.int64)
    words = numbers.view(np.uint64)
    assert only_places(words, words[expected], found)
    assert_array_equal(found, expected)
    numbers[5] = numbers[expected[0]] = 9.0
    assert not only_places(words, words[expected], found)
