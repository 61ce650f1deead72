import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from numpy.testing import assert_array_equal

from pbow.homology._locations import distinct_keys, located_pairs, ranks

# Few of them, some in the last bit apart: many are equal, and some nearly so.
NEAR = [np.nextafter(x, 9.0) for x in (-1.5, 0.0, 1.0)]
few_values = hnp.arrays(
    np.float64,
    st.integers(1, 30),
    elements=st.sampled_from([-1.5, -1.0, 0.0, 1.0, 1e90, -1e90, 1 / 3, *NEAR]),
)


@given(values=few_values)
def test_keys_order_by_value_then_by_index_and_tell_their_place(values):
    found = distinct_keys(values)
    expected = np.argsort(values, kind="stable")
    assert_array_equal(np.argsort(found.keys), expected)
    assert (np.diff(found.keys[expected]) > 0).all()
    assert_array_equal(found.places_of(found.keys), np.arange(len(values)))


@pytest.mark.parametrize("scale", [1.0, np.pi])
def test_inf_stays_inf(scale):
    values = np.array([2.0, np.inf, 1.0, np.inf]) * scale
    found = distinct_keys(values)
    assert_array_equal(np.isinf(found.keys), np.isinf(values))
    keys, order = ranks(values)
    assert_array_equal(keys, [1, np.inf, 0, np.inf])
    assert_array_equal(order, [2, 0, 1, 3])


def test_points_of_one_value_and_of_masked_births_are_left_out():
    found = distinct_keys(np.array([1.0, 1.0, 2.0, np.inf]))
    one, same, two, masked = found.keys
    diagram = np.array([[one, same], [one, two], [same, masked], [masked, masked]])
    points, locations = found.locate(diagram)
    assert_array_equal(points, [[1, 2], [1, np.inf]])
    assert_array_equal(locations[:, :, 0], [[0, 2], [1, -1]])


def test_pairs_of_simplices_become_sorted_rows_with_padding():
    pairs = [([1, 0], [2, 1, 0]), ([0], [1, 0]), ([3, 2], [])]
    points, locations = located_pairs(pairs, 1, lambda simplex: float(sum(simplex)))
    assert_array_equal(points, [[1, 3], [5, np.inf]])
    assert_array_equal(locations, [[[0, 1, -1], [0, 1, 2]], [[2, 3, -1], [-1, -1, -1]]])
