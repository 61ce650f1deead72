"""What the three figures of words in raw data share is tested for all of them."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.exceptions import NotFittedError
from sklearn.svm import LinearSVC
from tests.plotting.doubles import legend

from pbow import Diagrams, PersistenceBoW, StablePersistenceBoW
from pbow.plotting import plot_word_in_cloud, plot_word_in_graph, plot_word_in_image
from pbow.vectorizers import PersistenceStatistics

plt = pytest.importorskip("matplotlib.pyplot")

# The values of the sample below at its pixels.
IMAGE = np.array([[1.5, 0.0, 1.0, 0.0], [7.0, 0.0, 7.0, 0.0], [7.0, 7.0, 7.0, 9.0]])
CLOUD = np.arange(24.0).reshape(12, 2) ** 2
GRAPH = (np.column_stack((np.arange(11), np.arange(1, 12))), 12)
FIGURES = [
    (plot_word_in_image, IMAGE),
    (plot_word_in_cloud, CLOUD),
    (plot_word_in_graph, GRAPH),
]
all_figures = pytest.mark.parametrize(
    ("plot", "data"), FIGURES, ids=["image", "cloud", "graph"]
)


def sample(points=((0, 1), (0, 9), (0, 1.5), (0, np.inf)), where=None):
    if where is None:
        where = [[[1], [2]], [[5], [11]], [[7], [0]], [[3], [-1]]]
    return Diagrams(points, [0, len(points)], name="H1", locations=where)


X = sample()
BOW = PersistenceBoW(n_words=(1, 2), random_state=0).fit(X)


def marks(ax):
    """Return the places of births and of deaths."""
    named = {c.get_label(): c for c in ax.collections}
    return named["birth"], named["death"]


@all_figures
def test_the_points_of_the_word_are_marked_named_and_counted(plot, data):
    ax = plot(BOW, data, X, "h1_n2_word0")
    assert ax.get_title() == "h1_n2_word0: 2 points"
    assert legend(ax) == ["birth", "death"]
    births, deaths = marks(ax)
    assert len(births.get_offsets()) == len(deaths.get_offsets()) == 2
    assert plot(BOW, data, X, 2).get_title() == "h1_n2_word1: 1 point"


@all_figures
def test_essential_points_have_a_birth_and_no_death(plot, data):
    bow = PersistenceBoW(n_words=2, essential="separate", random_state=0).fit(X)
    ax = plot(bow, data, X, "h1_inf_word0")
    assert legend(ax) == ["birth"]
    [births] = [c for c in ax.collections if c.get_label() == "birth"]
    assert len(births.get_offsets()) == 1


@all_figures
def test_a_sample_without_points_is_drawn_without_marks(plot, data):
    empty = sample(np.empty((0, 2)), np.empty((0, 2, 1), int))
    ax = plot(BOW, data, empty, 0)
    assert ax.get_title() == "h1_n1_word0: 0 points"
    assert ax.get_legend() is None


@all_figures
def test_points_that_belong_less_to_a_word_are_paler(plot, data):
    bow = StablePersistenceBoW(2, temperature=30.0, random_state=0).fit(X)
    births, _ = marks(plot(bow, data, X, "h1_word0"))
    assert len(births.get_offsets()) == 2
    alphas = births.get_edgecolor()[:, 3]
    assert len(np.unique(alphas)) == 2
    assert (alphas < 1.0).all()


@all_figures
def test_axes_that_are_given_are_drawn_in_and_returned(plot, data):
    figure, ax = plt.subplots()
    assert plot(BOW, data, X, 0, ax=ax) is ax
    assert plt.get_fignums() == [figure.number]


@all_figures
def test_bad_input_is_named(plot, data):
    unlocated = Diagrams(X.points, X.offsets, name="H1")
    far = sample([[0, 1]], [[[12], [0]]])
    both = Diagrams.concatenate([X, X])
    # A vertex of a simplex is not a pixel, but edges are drawn in clouds.
    edge = sample([[0, 1]], [[[1, 2], [3, 4]]])
    edges = [(edge, "one (pixel|vertex) for each .* of 2 vertices, as of point")]
    if plot is plot_word_in_cloud:
        assert plot(BOW, data, edge, 0)
        edges = []
    for bad, message in (
        (unlocated, r"no locations.*return_locations=True"),
        (far, r"a point at (pixel|vertex) 12, and there are 12\. Pass the raw data"),
        (both, r"diagrams of one sample, as X\[3:4\]; got 2 samples"),
        (X[:0], "Found 0 diagrams"),
        *edges,
    ):
        with pytest.raises(ValueError, match=message):
            plot(BOW, data, bad, 0)
    with pytest.raises(ValueError, match="Expected word to be a column from 0 to 2"):
        plot(BOW, data, X, 3)
    with pytest.raises(ValueError, match="Expected ax to be matplotlib Axes"):
        plot(BOW, data, X, 0, ax="ax")


@all_figures
def test_what_has_no_words_is_refused(plot, data):
    with pytest.raises(NotFittedError, match="not fitted"):
        plot(PersistenceBoW(), data, X, 0)
    for bad in (PersistenceStatistics().fit(X), LinearSVC().fit([[0], [1]], [0, 1])):
        with pytest.raises(TypeError, match=f"are words .* got {type(bad).__name__}"):
            plot(bad, data, X, 0)
    with pytest.raises(TypeError, match="not an estimator instance"):
        plot(None, data, X, 0)


def test_colors_are_those_that_are_named():
    births, deaths = marks(plot_word_in_image(BOW, IMAGE, X, 0))
    red, green, blue = births.get_edgecolor()[0, :3]
    assert red > green > blue
    red, green, blue = deaths.get_edgecolor()[0, :3]
    assert_allclose((red, blue > green), (0.0, True))
