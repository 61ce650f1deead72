"""Pictures are tested by what is drawn, offsets and sizes, and not by pixels."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import BaseEstimator

from pbow import Diagrams, PersistenceBoW
from pbow.codebook import KMeansCodebook
from pbow.plotting import plot_class_words

plt = pytest.importorskip("matplotlib.pyplot")

# Near the first word: 3 and 1 points in class "a"; near the second: 0 and 2. In class
# "b": 0 near the first and 8 near the second.
WORDS = np.array([[0.0, 1.0], [4.0, 2.0]])
X = [
    [[0, 1], [0, 1.1], [0, 1.2]],
    [[0, 1], [4, 6], [4, 6.1]],
    [[4, 6]] * 8,
]
y = ["a", "a", "b"]


class Double(BaseEstimator):
    """A fitted PersistenceBoW as far as pictures look."""

    def __init__(self, words=WORDS):
        self.words = words

    def fit(self, X=None, y=None):
        self.parts_ = ("H1",)
        self.codebooks_ = {"H1": KMeansCodebook(self.words, np.ones(2))}
        return self


@pytest.fixture(autouse=True)
def _close_figures():
    yield
    plt.close("all")


def circles(ax):
    """Return the collection of circles: the last one drawn."""
    return ax.collections[-1]


def test_a_circle_stands_at_each_word_in_every_class():
    for ax in plot_class_words(Double().fit(), X, y):
        assert_array_equal(circles(ax).get_offsets(), WORDS)


def test_areas_are_proportional_to_the_average_counts_of_the_class():
    axes = plot_class_words(Double().fit(), X, y)
    areas = np.array([circles(ax).get_sizes() for ax in axes])
    assert_allclose(areas / areas.max(), np.array([[2, 1], [0, 8]]) / 8)


def test_a_word_without_points_is_a_dot_and_not_a_circle():
    _, ax = plot_class_words(Double().fit(), X, y)
    assert circles(ax).get_sizes()[0] == 0
    assert circles(ax).get_linewidths()[0] == 0
    assert_array_equal(ax.collections[0].get_offsets(), WORDS)


def test_limits_are_the_same_and_hold_all_words():
    axes = plot_class_words(Double().fit(), X, y)
    assert len({ax.get_xlim() + ax.get_ylim() for ax in axes}) == 1
    low, high = np.array([axes[0].get_xlim(), axes[0].get_ylim()]).T
    assert (low < WORDS.min(axis=0)).all()
    assert (high > WORDS.max(axis=0)).all()
    assert low[1] < 0.0


def test_the_key_has_circles_of_the_same_scale():
    axes = plot_class_words(Double().fit(), X, y)
    keys = [ax.get_legend() for ax in axes if ax.get_legend()]
    assert len(keys) == 1
    largest = circles(axes[1]).get_sizes()[1]
    for handle, text in zip(keys[0].legend_handles, keys[0].get_texts(), strict=True):
        expected = largest * float(text.get_text()) / 8
        assert_allclose(handle.get_markersize() ** 2, expected)
    assert [text.get_text() for text in keys[0].get_texts()] == ["5", "1", "0.2"]


def test_titles_are_labels_or_the_names_given():
    titled = plot_class_words(Double().fit(), X, [7, 7, 3])
    assert [ax.get_title() for ax in titled] == ["3", "7"]
    named = plot_class_words(Double().fit(), X, [7, 7, 3], label_names=["b", "a"])
    assert [ax.get_title() for ax in named] == ["b", "a"]


def test_axes_that_are_given_are_drawn_in_and_returned():
    figure, grid = plt.subplots(2, 1)
    axes = plot_class_words(Double().fit(), X, y, axes=grid)
    assert list(axes) == list(grid)
    assert plt.get_fignums() == [figure.number]
    assert [ax.get_xlabel() for ax in axes] == ["birth", "birth"]
    assert [ax.get_ylabel() for ax in axes] == ["persistence", "persistence"]


def test_one_class_takes_one_axes():
    _, ax = plt.subplots()
    assert plot_class_words(Double().fit(), X, ["a"] * 3, axes=ax).tolist() == [ax]


@pytest.mark.parametrize("n_classes", [1, 2, 3, 4, 5, 10])
def test_a_new_figure_has_as_many_axes_as_classes(n_classes):
    axes = plot_class_words(
        Double().fit(), [[[0, 1]]] * n_classes, np.arange(n_classes)
    )
    assert axes[0].figure.axes == list(axes)
    assert axes[0].get_ylabel() == "persistence"
    assert axes[-1].get_xlabel() == "birth"


def test_no_style_is_changed():
    before = dict(plt.rcParams)
    plot_class_words(Double().fit(), X, y)
    assert dict(plt.rcParams) == before


def test_diagrams_without_points_have_no_circles_and_no_key():
    axes = plot_class_words(Double().fit(), [[], []], ["a", "b"])
    assert not any(circles(ax).get_sizes().any() for ax in axes)
    assert not any(ax.get_legend() for ax in axes)


def test_points_that_never_die_are_not_counted():
    finite = plot_class_words(Double().fit(), X, y)
    with_essential = [[*diagram, [0, np.inf]] for diagram in X]
    same = plot_class_words(Double().fit(), with_essential, y)
    for ax, other in zip(finite, same, strict=True):
        assert_array_equal(circles(ax).get_sizes(), circles(other).get_sizes())


@pytest.mark.parametrize(
    "options",
    [{}, {"whiten": False}, {"normalize": "sqrt-l2"}, {"point_weight": "ramp"}],
    ids=str,
)
def test_counts_are_those_before_normalization(ragged, options):
    bow = PersistenceBoW(n_words=4, random_state=0, **options).fit(ragged)
    (ax,) = plot_class_words(bow, ragged, np.zeros(30))
    words, scale = bow.codebooks_["H1"].words, bow.codebooks_["H1"].scale
    points = np.column_stack((ragged.points[:, 0], np.diff(ragged.points, axis=1)))
    distances = np.linalg.norm((points[:, None] - words) / scale, axis=2)
    counts = np.bincount(distances.argmin(axis=1), minlength=4)
    assert_array_equal(circles(ax).get_offsets(), words)
    areas = circles(ax).get_sizes()
    assert_allclose(areas / areas.max(), counts / counts.max())


def test_the_part_is_named_where_there_are_several():
    parts = Diagrams.from_parts({"H0": [[[0, 1]], [[0, 2]]], "H1": [[[1, 2]], []]})
    bow = PersistenceBoW(n_words=1, random_state=0).fit(parts)
    (ax,) = plot_class_words(bow, parts, [0, 0], part="H1")
    assert_allclose(circles(ax).get_offsets(), [[1, 1]])
    message = "Expected part to be one of 'H0', 'H1', .*; got None"
    with pytest.raises(ValueError, match=message):
        plot_class_words(bow, parts, [0, 0])
    with pytest.raises(ValueError, match="got 'H2'"):
        plot_class_words(bow, parts, [0, 0], part="H2")


def test_the_part_is_in_the_diagrams():
    other = Diagrams.from_list(X, name="H0")
    with pytest.raises(ValueError, match="Expected parts H1, got H0"):
        plot_class_words(Double().fit(), other, y)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            {"y": ["a"]},
            r"Expected one label per diagram, shape \(3,\); got shape \(1,\)",
        ),
        ({"label_names": ["x"]}, "a sequence of 2 names, one per label"),
        ({"axes": [None, None]}, "Expected axes to be 2 matplotlib Axes"),
        ({"axes": []}, "Expected axes to be 2 matplotlib Axes"),
    ],
    ids=["labels", "names", "not axes", "no axes"],
)
def test_bad_input_is_named(options, message):
    with pytest.raises(ValueError, match=message):
        plot_class_words(Double().fit(), X, **{"y": y, **options})
