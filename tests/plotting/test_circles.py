import matplotlib.pyplot as plt
import numpy as np
import pytest
from numpy.testing import assert_allclose

from pbow.plotting._axes import BLUE
from pbow.plotting._circles import add_key, draw_circles


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
