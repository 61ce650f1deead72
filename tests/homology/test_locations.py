import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from numpy.testing import assert_array_equal

from pbow.homology._locations import distinct_keys, located_pairs, ranks

# Few of them, some in the last bit apart: many are equal, and some nearly so.
NEAR = [np.nextafter(x, 9.0) for x in (-1.5, 0.0, 1.0)] + [-5e-324]
few_values = hnp.arrays(
    np.float64,
    st.integers(1, 30),
    elements=st.sampled_from([-1.5, -1.0, 0.0, 1.0, 1e90, -1e90, 1 / 3, *NEAR]),
)


@given(values=few_values)
def test_keys_order_by_value_then_by_index_and_tell_their_place(values):
    found = distinct_keys([values])
    expected = np.argsort(values, kind="stable")
    assert_array_equal(np.argsort(found.keys), expected)
    assert (np.diff(found.keys[expected]) > 0).all()
    places = found.places_of(found.keys, np.zeros(len(values), int))
    assert_array_equal(places, np.arange(len(values)))


def test_the_key_of_the_last_number_below_zero_is_below_that_of_zero():
    found = distinct_keys([np.array([0.0, 0.1, 0.1, -5e-324])])
    assert_array_equal(np.argsort(found.keys), [3, 0, 1, 2])


@given(arrays=st.lists(few_values, min_size=1, max_size=4), first=st.integers(0, 1))
def test_keys_of_several_arrays_order_each_of_them(arrays, first):
    found = distinct_keys(arrays, first)
    items = np.repeat(np.arange(len(arrays)), [len(values) for values in arrays])
    places = found.places_of(found.keys, items)
    assert_array_equal(places, np.arange(len(found.values)))
    for i, values in enumerate(arrays):
        keys = found.keys[found.starts[i] : found.starts[i + 1]]
        assert_array_equal(np.argsort(keys), np.argsort(values, kind="stable"))
        if first and (values >= 0).all():
            assert (keys > 0).all()


def test_values_that_are_near_each_other_have_keys_without_a_sort(rng):
    values = 1.0 + rng.integers(0, 90, 500) * np.finfo(float).eps
    values[7] = np.inf
    found = distinct_keys([values])
    assert_array_equal(np.argsort(found.keys), np.argsort(values, kind="stable"))
    assert_array_equal(np.isinf(found.keys), np.isinf(values))
    finite = found.keys[np.isfinite(values)]
    assert finite.view(np.int64).max() < 2**20


@pytest.mark.parametrize("scale", [1.0, np.pi])
def test_inf_stays_inf(scale):
    values = np.array([2.0, np.inf, 1.0, np.inf]) * scale
    found = distinct_keys([values])
    assert_array_equal(np.isinf(found.keys), np.isinf(values))
    keys, order = ranks(values)
    assert_array_equal(keys, [1, np.inf, 0, np.inf])
    assert_array_equal(order, [2, 0, 1, 3])


def test_points_of_one_value_and_of_masked_births_are_left_out():
    found = distinct_keys([np.array([1.0, 1.0, 2.0, np.inf])])
    one, same, two, masked = found.keys
    diagram = np.array([[one, same], [one, two], [same, masked], [masked, masked]])
    points, locations, counts = found.locate([diagram])
    assert_array_equal(counts, [2])
    assert_array_equal(points, [[1, 2], [1, np.inf]])
    assert_array_equal(locations[:, :, 0], [[0, 2], [1, -1]])


def test_pairs_of_simplices_become_sorted_rows_with_padding():
    pairs = [[([1, 0], [2, 1, 0]), ([0], [1, 0]), ([3, 2], [])], [], [([4], [])]]
    none = np.empty((0, 2))
    first = [np.array([[1.0, 3.0], [5.0, np.inf]]), np.array([[0.0, 1.0]])]
    third = [none, np.array([[0.0, np.inf]])]
    loops, components = located_pairs(pairs, [first, [none, none], third], [1, 0])
    assert_array_equal(loops.points, first[0])
    assert_array_equal(loops.counts, [2, 0, 0])
    assert_array_equal(
        loops.locations, [[[0, 1, -1], [0, 1, 2]], [[2, 3, -1], [-1, -1, -1]]]
    )
    assert_array_equal(components.points, [[0, 1], [0, np.inf]])
    assert_array_equal(components.counts, [1, 0, 1])
    assert_array_equal(components.locations, [[[0, -1], [0, 1]], [[4, -1], [-1, -1]]])
