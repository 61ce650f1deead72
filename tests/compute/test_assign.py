"""Labels are compared, bit for bit, with the slow sentence that defines them."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.testing import assert_array_equal
from tests.compute.oracles import check_labels, cloud, label_by

from pbow.compute.assign import label_brute
from pbow.compute.grid import label_grid


@pytest.mark.parametrize("n_words", [1, 2, 3, 4, 5, 17, 50, 128, 300])
def test_labels_of_a_million_random_points_match_the_definition(rng, n_words):
    inverse = np.array([1.0, 3.7])
    points, words = cloud(rng, 1_000_000), cloud(rng, n_words)
    words[:, 1] = (words[:, 1] - words[:, 0]) * inverse[1]
    check_labels(points, words, inverse)


@pytest.mark.parametrize("n_words", [1, 4, 9, 100, 225])
def test_ties_go_to_the_first_word(rng, n_words):
    # Points and words on one lattice: nearly every point has several nearest words.
    births = rng.integers(-4, 20, size=50_000).astype(float)
    points = np.column_stack((births, births + rng.integers(0, 20, size=50_000)))
    side = np.arange(np.sqrt(n_words)) * 2.0
    words = np.stack(np.meshgrid(side, side), axis=-1).reshape(-1, 2)
    check_labels(points, rng.permutation(words))


def test_points_on_and_next_to_bisectors_match_the_definition(rng):
    words = np.column_stack((rng.normal(size=40), rng.exponential(size=40)))
    i, j = rng.integers(0, 40, size=(2, 200_000))
    # Points at the middle of two words, moved along their bisector, then by a few units
    # in the last place.
    middle = 0.5 * (words[i] + words[j])
    along = (words[i] - words[j])[:, ::-1] * [1.0, -1.0]
    points = middle + along * rng.normal(scale=0.2, size=(len(i), 1))
    points *= 1.0 + rng.integers(-3, 4, size=points.shape) * 2.0**-52
    points[:, 1] += points[:, 0]
    check_labels(points, words)


@pytest.mark.parametrize("far", [10.0, 1e6, 1e18, 1e60, 1e100])
def test_points_far_outside_the_words_match_the_definition(rng, far):
    check_labels(cloud(rng, 2_000) * far, cloud(rng, 30))


@pytest.mark.parametrize("size", [1e-160, 1e-162, 1e-200, 1e50])
def test_words_of_any_size_match_the_definition(rng, size):
    for _ in range(5):
        check_labels(cloud(rng, 3_000) * size, cloud(rng, 20) * size)


@pytest.mark.parametrize("offset", [1e3, 1e9, 1e15])
def test_coordinates_far_from_zero_match_the_definition(rng, offset):
    check_labels(cloud(rng, 20_000) + offset, cloud(rng, 60) + np.array([offset, 0.0]))


@pytest.mark.parametrize("width", [5e-324, 1e-310, 1e-306, 1e-150, 1e-99])
@pytest.mark.parametrize("axis", [0, 1])
def test_an_axis_may_be_next_to_nothing(rng, width, axis):
    words, points = rng.uniform(size=(40, 2)), rng.uniform(size=(5_000, 2))
    words[:, axis] *= width
    points[:, axis] *= width
    points[:, 1] += points[:, 0]
    check_labels(points, words)


@pytest.mark.parametrize(
    "words",
    [
        np.zeros((3, 2)),
        np.column_stack((np.arange(30.0), np.zeros(30))),
        np.column_stack((np.zeros(30), np.arange(30.0))),
        np.repeat([[0.5, 0.5], [0.25, 1.0]], 20, axis=0),
        [[0.0, 1e155], [1e155, 2e154], [3e154, 0.0]],
    ],
    ids=["one place", "one row", "one column", "repeated", "squares overflow"],
)
def test_degenerate_words_match_the_definition(rng, words):
    with np.errstate(over="ignore"):
        check_labels(cloud(rng, 20_000), np.array(words))


@pytest.mark.parametrize("loop", [label_brute, label_grid])
def test_a_start_skips_points(rng, loop):
    points, words = cloud(rng, 1_000), cloud(rng, 30)
    labels = label_by(loop, points, words)
    assert_array_equal(label_by(loop, points, words, start=333), labels[333:])


coordinates = st.floats(-1e3, 1e3) | st.integers(-3, 3).map(float)


@given(
    arrays(np.float64, st.tuples(st.integers(1, 40), st.just(2)), elements=coordinates),
    arrays(np.float64, st.tuples(st.integers(1, 12), st.just(2)), elements=coordinates),
)
def test_both_ways_match_the_definition_for_any_numbers(points, words):
    check_labels(np.sort(points, axis=1), words)


def test_each_axis_has_a_rate_of_its_own(rng):
    inverse = np.array([0.3, 3.7])
    words = rng.normal(size=(7, 2)) * inverse
    check_labels(cloud(rng, 300), words, inverse)
