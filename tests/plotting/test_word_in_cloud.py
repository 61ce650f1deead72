"""Simplices of birth and death are drawn as lines between their marked vertices."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from tests.plotting.test_located import marks, sample

from pbow import PersistenceBoW, StablePersistenceBoW
from pbow.explain import locate_word
from pbow.plotting import plot_word_in_cloud
from pbow.plotting._axes import BLUE, ORANGE

plt = pytest.importorskip("matplotlib.pyplot")

LineCollection = pytest.importorskip("matplotlib.collections").LineCollection
to_rgba = pytest.importorskip("matplotlib.colors").to_rgba

SQUARE = np.array([[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]])
X = sample([[1, 1.4]], [[[0, 3, -1], [0, 1, 2]]])
BOW = PersistenceBoW(n_words=1).fit(X)


def lines(ax):
    """Return the lines of births, and those of deaths."""
    return [found for found in ax.collections if isinstance(found, LineCollection)]


def test_a_loop_has_the_edge_of_its_birth_and_the_triangle_of_its_death():
    ax = plot_word_in_cloud(BOW, SQUARE, X, 0)
    births, deaths = marks(ax)
    assert births.get_offsets().tolist() == SQUARE[[0, 3]].tolist()
    assert deaths.get_offsets().tolist() == SQUARE[[0, 1, 2]].tolist()
    born, died = lines(ax)
    assert_array_equal(born.get_segments(), SQUARE[[[0, 3]]])
    assert_array_equal(died.get_segments(), SQUARE[[[0, 1], [0, 2], [1, 2]]])
    assert_allclose(born.get_colors(), [to_rgba(ORANGE, 0.9)])
    assert_allclose(died.get_colors(), [to_rgba(BLUE, 0.9)] * 3)
    assert not ax.lines


def test_a_cloud_in_space_has_axes_in_space_or_its_first_coordinates():
    cloud = np.column_stack((SQUARE, np.arange(4.0)))
    ax = plot_word_in_cloud(BOW, cloud, X, 0)
    assert ax.name == "3d"
    assert ax.get_title() == "h1_word0: 1 point"
    _, flat = plt.subplots()
    plot_word_in_cloud(BOW, cloud, X, 0, ax=flat)
    births, _ = marks(flat)
    assert births.get_offsets().tolist() == SQUARE[[0, 3]].tolist()
    # Of points in space, drawn where the view puts them.
    assert len(lines(ax)) == len(lines(flat)) == 2
    ax.figure.draw_without_rendering()
    assert [len(of_event.get_segments()) for of_event in lines(ax)] == [1, 3]


def test_many_simplices_are_two_collections_the_paler_the_less_they_belong():
    # A single vertex has no line, and a death that is nowhere neither.
    where = [[[0, 1, -1], [0, 1, 2]], [[2, -1, -1], [1, 2, 3]], [[3, 0, -1], [-1] * 3]]
    Y = sample([[0, 1], [0, 2], [0, 9]], where)
    bow = StablePersistenceBoW(2, temperature=30.0, random_state=0).fit(Y)
    born, died = lines(plot_word_in_cloud(bow, SQUARE, Y, "h1_word0"))
    found = locate_word(bow, Y, "h1_word0")
    assert len(found.points) == 2
    assert_array_equal(born.get_segments(), SQUARE[[[0, 1]]])
    assert_array_equal(
        died.get_segments(), SQUARE[[[1, 2], [1, 3], [2, 3], [0, 1], [0, 2], [1, 2]]]
    )
    alphas = 0.3 + 0.6 * np.repeat(found.memberships, 3)
    assert_allclose(died.get_colors()[:, 3], alphas)


@pytest.mark.parametrize("shape", [(4,), (4, 4), (0, 2)])
def test_other_shapes_are_refused(shape):
    with pytest.raises(ValueError, match="Expected cloud to be points of the plane"):
        plot_word_in_cloud(BOW, np.zeros(shape), X, 0)
