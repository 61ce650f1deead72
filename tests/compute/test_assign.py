"""Labels are compared, bit for bit, with the slow sentence that defines them."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.testing import assert_array_equal

from pbow.compute.assign import label_brute
from pbow.compute.grid import build_grid, label_grid


def nearest_by_definition(points, words, inverse):
    """Lowest index of the smallest (x - word_x)**2 + (y - word_y)**2."""
    x = points[:, 0] * inverse[0]
    y = (points[:, 1] - points[:, 0]) * inverse[1]
    labels = np.zeros(len(points), np.int32)
    smallest = np.full(len(points), np.inf)
    for k, (word_x, word_y) in enumerate(words):
        d = (x - word_x) * (x - word_x) + (y - word_y) * (y - word_y)
        labels[d < smallest] = k
        smallest = np.minimum(smallest, d)
    return labels


def brute(points, words, inverse, start=0):
    labels = np.full(len(points) - start, -1, np.int32)
    label_brute(points, start, words, inverse, labels)
    return labels


def grid(points, words, inverse, start=0):
    labels = np.full(len(points) - start, -1, np.int32)
    label_grid(points, start, words, inverse, build_grid(words), labels)
    return labels


def cloud(rng, n):
    births = rng.normal(size=n)
    return np.column_stack((births, births + rng.exponential(0.3, size=n)))


each_way = pytest.mark.parametrize("label", [brute, grid])


@pytest.mark.parametrize("n_words", [1, 2, 3, 4, 5, 17, 50, 128, 300])
def test_labels_of_a_million_random_points_match_the_definition(rng, n_words):
    points = cloud(rng, 1_000_000)
    inverse = np.array([1.0, 3.7])
    words = cloud(rng, n_words)
    words[:, 1] = (words[:, 1] - words[:, 0]) * inverse[1]
    expected = nearest_by_definition(points, words, inverse)
    assert_array_equal(brute(points, words, inverse), expected)
    assert_array_equal(grid(points, words, inverse), expected)


@each_way
@pytest.mark.parametrize("n_words", [1, 4, 9, 100, 225])
def test_ties_go_to_the_first_word(rng, label, n_words):
    # Points and words on one lattice: nearly every point has several nearest words.
    births = rng.integers(-4, 20, size=50_000).astype(float)
    points = np.column_stack((births, births + rng.integers(0, 20, size=50_000)))
    side = np.arange(np.sqrt(n_words)) * 2.0
    words = np.stack(np.meshgrid(side, side), axis=-1).reshape(-1, 2)
    words = rng.permutation(words)
    ones = np.ones(2)
    expected = nearest_by_definition(points, words, ones)
    assert_array_equal(label(points, words, ones), expected)
    if n_words > 1:
        assert_array_equal(
            label(np.array([[0.5, 0.5]]), np.array([[1.0, 0.0], [0.0, 0.0]]), ones), [0]
        )


@each_way
def test_points_on_and_next_to_bisectors_match_the_definition(rng, label):
    words = np.column_stack((rng.normal(size=40), rng.exponential(size=40)))
    i, j = rng.integers(0, 40, size=(2, 200_000))
    # Points at the middle of two words, moved along their bisector, then by a few units
    # in the last place.
    middle = 0.5 * (words[i] + words[j])
    along = (words[i] - words[j])[:, ::-1] * [1.0, -1.0]
    points = middle + along * rng.normal(scale=0.2, size=(len(i), 1))
    points *= 1.0 + rng.integers(-3, 4, size=points.shape) * 2.0**-52
    points[:, 1] += points[:, 0]
    ones = np.ones(2)
    assert_array_equal(
        label(points, words, ones), nearest_by_definition(points, words, ones)
    )


@each_way
@pytest.mark.parametrize("far", [10.0, 1e6, 1e18, 1e60, 1e100])
def test_points_far_outside_the_words_match_the_definition(rng, label, far):
    points = cloud(rng, 2_000) * far
    words = np.column_stack((rng.normal(size=30), rng.exponential(size=30)))
    ones = np.ones(2)
    assert_array_equal(
        label(points, words, ones), nearest_by_definition(points, words, ones)
    )


@each_way
@pytest.mark.parametrize("size", [1e-160, 1e-162, 1e-200, 1e50])
def test_words_of_any_size_match_the_definition(rng, label, size):
    points, ones = cloud(rng, 3_000) * size, np.ones(2)
    for _ in range(5):
        words = cloud(rng, 20) * size
        assert_array_equal(
            label(points, words, ones), nearest_by_definition(points, words, ones)
        )


@each_way
@pytest.mark.parametrize("offset", [1e3, 1e9, 1e15])
def test_coordinates_far_from_zero_match_the_definition(rng, label, offset):
    points = cloud(rng, 20_000) + offset
    words = cloud(rng, 60) + np.array([offset, 0.0])
    ones = np.ones(2)
    assert_array_equal(
        label(points, words, ones), nearest_by_definition(points, words, ones)
    )


@each_way
@pytest.mark.parametrize(
    "words",
    [
        np.zeros((3, 2)),
        np.column_stack((np.arange(30.0), np.zeros(30))),
        np.column_stack((np.zeros(30), np.arange(30.0))),
        np.repeat([[0.5, 0.5], [0.25, 1.0]], 20, axis=0),
    ],
    ids=["one place", "one row", "one column", "repeated"],
)
def test_degenerate_words_match_the_definition(rng, label, words):
    points, ones = cloud(rng, 20_000), np.ones(2)
    assert_array_equal(
        label(points, words, ones), nearest_by_definition(points, words, ones)
    )


@each_way
def test_a_start_skips_points(rng, label):
    points, words, ones = cloud(rng, 1_000), cloud(rng, 30), np.ones(2)
    assert_array_equal(
        label(points, words, ones, start=333), label(points, words, ones)[333:]
    )


coordinates = st.floats(-1e3, 1e3) | st.integers(-3, 3).map(float)


@given(
    arrays(np.float64, st.tuples(st.integers(1, 40), st.just(2)), elements=coordinates),
    arrays(np.float64, st.tuples(st.integers(1, 12), st.just(2)), elements=coordinates),
)
def test_both_ways_match_the_definition_for_any_numbers(points, words):
    points = np.sort(points, axis=1)
    ones = np.ones(2)
    expected = nearest_by_definition(points, words, ones)
    assert_array_equal(brute(points, words, ones), expected)
    assert_array_equal(grid(points, words, ones), expected)
