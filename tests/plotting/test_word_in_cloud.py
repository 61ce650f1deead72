"""Simplices of birth and death are drawn as lines between their marked vertices."""

import numpy as np
import pytest
from tests.plotting.test_located import marks, sample

from pbow import PersistenceBoW
from pbow.plotting import plot_word_in_cloud

plt = pytest.importorskip("matplotlib.pyplot")

SQUARE = np.array([[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]])
X = sample([[1, 1.4]], [[[0, 3, -1], [0, 1, 2]]])
BOW = PersistenceBoW(n_words=1).fit(X)


def test_a_loop_has_the_edge_of_its_birth_and_the_triangle_of_its_death():
    ax = plot_word_in_cloud(BOW, SQUARE, X, 0)
    births, deaths = marks(ax)
    assert births.get_offsets().tolist() == SQUARE[[0, 3]].tolist()
    assert deaths.get_offsets().tolist() == SQUARE[[0, 1, 2]].tolist()
    lines = [line.get_xydata().tolist() for line in ax.lines]
    pairs = [(0, 3), (0, 1), (0, 2), (1, 2)]
    assert lines == [SQUARE[list(pair)].tolist() for pair in pairs]


def test_a_cloud_in_space_has_axes_in_space_or_its_first_coordinates():
    cloud = np.column_stack((SQUARE, np.arange(4.0)))
    ax = plot_word_in_cloud(BOW, cloud, X, 0)
    assert ax.name == "3d"
    assert ax.get_title() == "h1_word0: 1 point"
    _, flat = plt.subplots()
    plot_word_in_cloud(BOW, cloud, X, 0, ax=flat)
    births, _ = marks(flat)
    assert births.get_offsets().tolist() == SQUARE[[0, 3]].tolist()


@pytest.mark.parametrize("shape", [(4,), (4, 4), (0, 2)])
def test_other_shapes_are_refused(shape):
    with pytest.raises(ValueError, match="Expected cloud to be points of the plane"):
        plot_word_in_cloud(BOW, np.zeros(shape), X, 0)
