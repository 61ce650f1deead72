import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

from pbow.explorer.thinning import (
    most_per_diagram,
    round_off,
    round_points,
    rows_to_keep,
    spread,
)

MANY = np.c_[np.zeros(100), np.random.default_rng(0).permutation(100) + 1.0]


@given(
    st.lists(st.integers(0, 50), min_size=1),
    st.integers(0, 400),
    st.integers(1, 60),
)
def test_the_cap_is_the_largest_that_fits(sizes, n_points, most):
    sizes = np.array(sizes)
    fitting = [c for c in range(most + 1) if np.minimum(sizes, c).sum() <= n_points]
    assert most_per_diagram(sizes, n_points, most) == max(fitting)


@pytest.mark.parametrize("cap", [100, 200])
def test_few_points_stay_as_they_are(cap):
    assert_array_equal(rows_to_keep(MANY, cap), np.arange(100))


def test_of_many_points_an_even_choice_stays_with_the_most_persistent():
    kept = MANY[rows_to_keep(MANY, 5)]
    assert_array_equal(kept, MANY[np.isin(MANY[:, 1], [20, 40, 60, 80, 100])])
    assert rows_to_keep(MANY, 0).shape == (0,)


def test_rounding_is_within_what_the_page_promises():
    rng = np.random.default_rng(0)
    vectors = np.array([0.0, 1e-300, 0.5, 1.0, 1.0 + 2.0**-50, 1e5 + 1e-9, 1e300, 2e6])
    vectors = np.concatenate((vectors, rng.uniform(0.0, 9.0, 1000)))
    rounded = round_off(vectors)
    assert np.abs(rounded - vectors).max() <= 1.2e-10
    assert (rounded[6:8] == vectors[6:8]).all()
    assert len({x.hex()[-5:] for x in rounded[8:].tolist()}) < 200


@pytest.mark.parametrize("scale", [1.0, 1e-9, 1e80])
def test_points_are_rounded_to_what_can_be_seen(scale):
    rng = np.random.default_rng(0)
    axes = np.array([5.0, 7.0, 0.0, 0.1]) * scale
    points = np.column_stack((rng.uniform(5.0, 7.0, 500), rng.uniform(0.0, 0.1, 500)))
    points = np.vstack((points, [[900.0, -3.0]])) * scale
    rounded = round_points(points, axes)
    assert (np.abs(rounded - points) <= np.array([2.0, 0.1]) * scale * 2.0**-25).all()
    assert len(set((rounded.view(np.uint64) & 0xFFFF).ravel().tolist())) < 20
    line = np.array([[1.0, 0.0], [1.0 + 2.0**-52, 0.0]])
    assert (round_points(line, [0.0, 1e-250, -1.0, 1.0]) == line).all()


def test_a_choice_has_its_share_of_each_class_however_they_are_ordered():
    in_turn = np.arange(120) % 3
    for members in (in_turn, np.sort(in_turn)):
        rows = spread(members, 40)
        assert (np.diff(rows) > 0).all()
        assert np.abs(np.bincount(members[rows]) - 40 / 3).max() < 1


def test_without_classes_a_choice_is_spread_over_the_file():
    assert spread(np.zeros(10, int), 4).tolist() == [0, 2, 5, 7]
    assert spread(np.zeros(10, int), 10).tolist() == list(range(10))
