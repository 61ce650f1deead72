"""What a grid knows; labels through it are compared with those of brute force."""

from itertools import pairwise

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from pbow.compute.assign import label_brute
from pbow.compute.grid import build_grid, label_grid


def labels_agree(points, words):
    by_grid, by_brute = np.full((2, len(points)), -1, np.int32)
    label_grid(points, 0, words, np.ones(2), build_grid(words), by_grid)
    label_brute(points, 0, words, np.ones(2), by_brute)
    assert_array_equal(by_grid, by_brute)


def cloud(rng, n):
    births = rng.normal(size=n)
    return np.column_stack((births, births + rng.exponential(0.3, size=n)))


def test_most_cells_know_one_word_and_every_list_ascends(rng):
    words = cloud(rng, 50)
    made = build_grid(words)
    assert (made.codes < len(words)).mean() > 0.8
    unsure = np.flatnonzero(made.codes == len(words))
    assert (made.pairs[2 * unsure] < made.pairs[2 * unsure + 1]).all()
    for start, stop in pairwise(made.starts):
        assert (np.diff(made.candidates[start:stop]) > 0).all()


@pytest.mark.parametrize("n_words", [254, 255, 256])
def test_codes_of_one_byte_and_of_two_tell_all_words_apart(rng, n_words):
    points, words = cloud(rng, 20_000), cloud(rng, n_words)
    assert build_grid(words).codes.itemsize == (1 if n_words < 255 else 2)
    labels_agree(points, words)


@pytest.mark.parametrize("width", [5e-324, 1e-310, 1e-306, 1e-150, 1e-99])
@pytest.mark.parametrize("axis", [0, 1])
def test_an_axis_may_be_next_to_nothing(rng, width, axis):
    words = rng.uniform(size=(40, 2))
    words[:, axis] *= width
    births = rng.uniform(size=5_000) * (width if axis == 0 else 1.0)
    lives = rng.uniform(size=5_000) * (width if axis == 1 else 1.0)
    points = np.column_stack((births, births + lives))
    labels_agree(points, words)


def test_words_in_the_same_place_do_not_make_lists_long(rng):
    places = cloud(rng, 20)
    words, points = np.repeat(places, 3, axis=0), cloud(rng, 20_000)
    labels_agree(points, words)
    assert (build_grid(words).codes < len(words)).mean() > 0.8


def test_words_too_far_apart_to_square_are_all_kept(rng):
    words, points = 1e155 * rng.uniform(size=(5, 2)), np.array([[0.0, 1.0], [2.0, 3.0]])
    assert (build_grid(words).codes > len(words)).all()
    labels_agree(points, words)
