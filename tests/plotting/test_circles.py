import matplotlib.pyplot as plt
import numpy as np
import pytest
from numpy.testing import assert_allclose

from pbow.plotting._axes import BLUE
from pbow.plotting._circles import add_key, draw_beyond, draw_circles, room_for


def areas(ax):
    return ax.collections[-1].get_sizes()


def test_circles_of_many_words_cover_as_much_as_those_of_few():
    _, ax = plt.subplots()
    sizes = []
    for n in (25, 100):
        draw_circles(ax, np.zeros((n, 2)), np.ones(n), 1.0, [BLUE] * n)
        sizes.append(areas(ax).sum())
    assert_allclose(*sizes)


@pytest.mark.parametrize(
    ("largest", "values"),
    [(1.0, ["1", "0.2", "0.05"]), (37.0, ["20", "5", "1"]), (0.03, ["0.02", "0.005"])],
)
def test_the_key_has_round_values_up_to_the_largest(largest, values):
    _, ax = plt.subplots()
    add_key(ax, largest, 3, "points")
    texts = [text.get_text() for text in ax.get_legend().get_texts()]
    assert texts[: len(values)] == values


def test_a_few_outliers_of_many_points_do_not_set_the_limits():
    points = np.random.default_rng(0).uniform(size=(5000, 2))
    limits = room_for(np.vstack((points, [[900.0, 0.5], [0.5, -900.0], [0.2, 2.5]])))
    assert_allclose(limits["xlim"], (-0.12, 1.12), atol=0.01)
    # What is only a little beyond the others is in view.
    assert_allclose(limits["ylim"], (-0.3, 2.8), atol=0.01)


def test_no_point_of_few_is_an_outlier_and_none_that_repeats():
    points = np.random.default_rng(0).uniform(size=(900, 2))
    assert room_for(np.vstack((points, [[900.0, 0.5]])))["xlim"][1] > 900.0
    many = np.vstack((points, points, np.tile([900.0, 0.5], (3, 1))))
    assert room_for(many)["xlim"][1] > 900.0
    assert room_for(np.ones((3000, 2)))["xlim"] == (0.88, 1.12)


def test_a_word_of_no_weight_is_an_outlier_and_one_of_weight_is_not():
    words = np.array([[0.0, 1.0], [1.0, 1.0], [2.0, 2.0], [500.0, 1.0]])
    assert room_for(words, np.array([5.0, 5.0, 5.0, 0.001]))["xlim"][1] < 3.0
    assert room_for(words, np.array([5.0, 5.0, 5.0, 1.0]))["xlim"][1] > 500.0
    assert room_for(words, np.zeros(4))["xlim"][1] > 500.0


def test_points_beyond_the_limits_are_marked_at_the_edge_they_are_beyond():
    _, ax = plt.subplots()
    limits = {"xlim": (0.0, 1.0), "ylim": (0.0, 2.0)}
    draw_beyond(ax, np.array([[0.5, 1.0], [9.0, 1.0], [0.5, 7.0]]), limits, BLUE)
    right, top = ax.collections
    assert_allclose(right.get_offsets(), [[0.985, 1.0]])
    assert_allclose(top.get_offsets(), [[0.5, 1.97]])
