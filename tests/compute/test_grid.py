"""What a grid knows; labels through it are compared in test_assign."""

from itertools import pairwise

import numpy as np
import pytest
from numpy.testing import assert_allclose
from tests.compute.oracles import check_labels, cloud

from pbow.compute.grid import MOST_WORDS, N_CELLS, build_grid


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
    words = cloud(rng, n_words)
    assert build_grid(words).codes.itemsize == (1 if n_words < 255 else 2)
    check_labels(cloud(rng, 20_000), words)


def test_words_in_the_same_place_do_not_make_lists_long(rng):
    words = np.repeat(cloud(rng, 20), 3, axis=0)
    assert (build_grid(words).codes < len(words)).mean() > 0.8
    check_labels(cloud(rng, 20_000), words)


def test_words_too_far_apart_to_square_are_all_kept(rng):
    words = 1e155 * rng.uniform(size=(5, 2))
    assert (build_grid(words).codes > len(words)).all()


def test_the_box_of_a_grid_is_that_of_its_words_and_an_eighth_around_it():
    frame = build_grid(np.array([[3.0, 1.0], [7.0, 1.5], [4.0, 5.0]])).frame
    assert frame[:2].tolist() == [3.0 - 0.5, 1.0 - 0.5]
    assert_allclose(frame[2:4], N_CELLS / 5)
    assert frame[4:6].tolist() == [2.5 + 2.5, 0.5 + 2.5]


def near_where_words_meet(rng, words, n):
    """Points where two or three words are about equally near, inside and outside."""
    chosen = words[rng.integers(0, len(words), size=(3, n))]
    two = 0.5 * (chosen[0] + chosen[1])
    along = (chosen[0] - chosen[1])[:, ::-1] * [1.0, -1.0]
    far = 10.0 ** rng.uniform(-3, 3, (n, 1))
    points = np.concatenate((two, two + far * along, chosen.mean(axis=0)))
    points[:, 1] += points[:, 0]
    return points


@pytest.mark.parametrize("n_words", [2, 3, 20])
@pytest.mark.parametrize("offset", [0.0, 1e3])
def test_labels_are_exact_where_words_meet(rng, n_words, offset):
    words = rng.uniform(size=(n_words, 2)) * [1.0, 0.3] + offset
    check_labels(near_where_words_meet(rng, words, 150), words)


def test_all_words_that_are_nearest_in_a_cell_are_on_its_list(rng):
    words = rng.integers(0, 9, size=(5, 2)) / 8 + rng.normal(scale=1e-4, size=(5, 2))
    # Some so close to each other that they share a cell, and some far away.
    words = np.concatenate((words, 1e-3 * words, [[-3.0, 5.0], [6.0, -2.0]]))
    check_labels(near_where_words_meet(rng, words, 100), words)


@pytest.mark.parametrize("axis", [0, 1])
def test_words_on_a_line_are_told_apart_along_it(rng, axis):
    words = rng.uniform(size=(6, 2))
    words[:, axis] = 0.5
    check_labels(near_where_words_meet(rng, words, 60), words)


def test_the_lengths_of_axes_differ(rng):
    words = rng.uniform(size=(5, 2)) * [1.0, 4.0]
    points = near_where_words_meet(rng, words, 60)
    births, lives = points[:, 0] / 0.25, (points[:, 1] - points[:, 0]) / 4.0
    points = np.column_stack((births, births + lives))
    check_labels(points, words, np.array([0.25, 4.0]))


@pytest.mark.parametrize("at", [0.0, -2.0, 1e9])
def test_words_in_one_place_have_a_box_around_them(at):
    frame = build_grid(np.full((2, 2), at)).frame
    assert np.isfinite(frame).all()
    assert (frame[2:4] > 0.0).all()
    assert (np.abs(frame[4:6] - at) <= frame[6:8]).all()


def test_within_the_outermost_cells_the_only_word_is_known():
    codes = build_grid(np.array([[0.3, 0.4]])).codes.reshape(N_CELLS, N_CELLS)
    assert (codes[1:-1, 1:-1] == 0).all()
    assert (codes[[0, -1]] > 0).all()
    assert (codes[:, [0, -1]] > 0).all()


@pytest.mark.parametrize("n_words", [1, 253, 254, 255, 256, MOST_WORDS])
def test_codes_have_numbers_for_all_words_and_for_two_and_more(n_words, monkeypatch):
    monkeypatch.setattr("pbow.compute.grid._fill", lambda *_: (None, None, None))
    made = build_grid(np.zeros((n_words, 2)))
    for codes in (made.codes, made.pairs):
        assert np.iinfo(codes.dtype).max >= n_words + 1
