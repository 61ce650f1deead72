"""Figures are tested by what is drawn, offsets and sizes, and not by pixels."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from tests.plotting.doubles import (
    assert_key_has_the_scale_of,
    circles,
    of_words,
    titles,
    view,
)

from pbow import Diagrams, PersistenceBoW, StablePersistenceBoW
from pbow.plotting import plot_class_words

plt = pytest.importorskip("matplotlib.pyplot")

# Label "a" has 3 and 1 points near the first word, 0 and 2 near the second; label "b"
# has none near the first and 8 near the second.
WORDS = np.array([[0.0, 1.0], [4.0, 2.0]])
X = [
    [[0, 1], [0, 1.1], [0, 1.2]],
    [[0, 1], [4, 6], [4, 6.1]],
    [[4, 6]] * 8,
]
y = ["a", "a", "b"]


BOW = of_words(WORDS)


def test_a_circle_of_the_average_count_stands_at_each_word_for_every_label():
    axes = plot_class_words(BOW, X, y)
    for ax in axes:
        assert_array_equal(ax.collections[0].get_offsets(), WORDS)
        assert_array_equal(circles(ax).get_offsets(), WORDS)
    areas = np.array([circles(ax).get_sizes() for ax in axes])
    assert_allclose(areas / areas.max(), np.array([[2, 1], [0, 8]]) / 8)
    # A word without points is a dot and no circle.
    assert circles(axes[1]).get_linewidths()[0] == 0


def test_the_view_is_the_same_and_has_one_key():
    axes = plot_class_words(BOW, X, y)
    for ax in axes:
        assert_array_equal(view(ax), view(axes[0]))
    assert (view(axes[0])[0] < [0, 0]).all()
    assert (view(axes[0])[1] > [4, 2]).all()
    assert [ax.get_legend() is None for ax in axes] == [True, False]
    assert_key_has_the_scale_of(axes[1], 8)


def test_titles_are_labels_or_the_names_given():
    assert titles(plot_class_words(BOW, X, [7, 7, 3])) == ["3", "7"]
    named = plot_class_words(BOW, X, [7, 7, 3], label_names=["b", "a"])
    assert titles(named) == ["b", "a"]


def test_axes_that_are_given_are_drawn_in_and_returned():
    figure, grid = plt.subplots(2, 1)
    axes = plot_class_words(BOW, X, y, axes=grid)
    assert list(axes) == list(grid)
    assert plt.get_fignums() == [figure.number]
    assert [ax.get_xlabel() for ax in axes] == ["birth", "birth"]
    assert [ax.get_ylabel() for ax in axes] == ["persistence", "persistence"]


@pytest.mark.parametrize("n_labels", [1, 2, 3, 4, 5, 10])
def test_a_new_figure_has_as_many_axes_as_labels(n_labels):
    axes = plot_class_words(BOW, [[[0, 1]]] * n_labels, np.arange(n_labels))
    assert axes[0].figure.axes == list(axes)
    assert axes[0].get_ylabel() == "persistence"
    assert axes[-1].get_xlabel() == "birth"


def test_diagrams_without_points_have_no_circles_and_no_key():
    axes = plot_class_words(BOW, [[], []], ["a", "b"])
    assert not any(circles(ax).get_sizes().any() for ax in axes)
    assert not any(ax.get_legend() for ax in axes)


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


@pytest.mark.parametrize(("resolution", "n_words"), [(None, 6), (2, 2), (6, 6)])
def test_points_are_counted_by_the_words_of_one_resolution(ragged, resolution, n_words):
    several = PersistenceBoW(n_words=(2, 6), random_state=0).fit(ragged)
    alone = PersistenceBoW(n_words=n_words, random_state=0).fit(ragged)
    y = np.arange(30) % 2
    axes = plot_class_words(several, ragged, y, resolution=resolution)
    for ax, expected in zip(axes, plot_class_words(alone, ragged, y), strict=True):
        for collection, same in zip(ax.collections, expected.collections, strict=True):
            assert_array_equal(collection.get_offsets(), same.get_offsets())
            assert_array_equal(collection.get_sizes(), same.get_sizes())


def test_diagrams_must_have_the_parts_of_the_model():
    with pytest.raises(ValueError, match="Expected parts H1, got H0"):
        plot_class_words(BOW, Diagrams.from_list(X, name="H0"), y)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"y": ["a"]}, r"one label per diagram, shape \(3,\); got shape \(1,\)"),
        ({"label_names": ["x"]}, "a sequence of 2 names, one per label"),
        ({"axes": [None, None]}, "Expected axes to be 2 matplotlib Axes"),
        ({"part": "H2"}, "Expected part to be one of 'H1', .*; got 'H2'"),
        ({"resolution": 3}, "Expected resolution to be 2, .*; got 3"),
    ],
    ids=str,
)
def test_bad_input_is_named(options, message):
    with pytest.raises(ValueError, match=message):
        plot_class_words(BOW, X, **{"y": y, **options})


def test_words_of_a_mixture_share_each_point(ragged):
    bow = StablePersistenceBoW(n_words=4, scale="density", random_state=0).fit(ragged)
    shares = StablePersistenceBoW(n_words=4, normalize=None, random_state=0)
    expected = shares.fit_transform(ragged).mean(axis=0)  # sums of posteriors
    (ax,) = plot_class_words(bow, ragged, np.zeros(30))
    assert_array_equal(circles(ax).get_offsets(), bow.codebooks_["H1"].means)
    areas = circles(ax).get_sizes()
    assert_allclose(areas / areas.max(), expected / expected.max())
    assert_key_has_the_scale_of(ax, expected.max())


@pytest.mark.parametrize("make", [PersistenceBoW, StablePersistenceBoW])
def test_several_parts_are_below_each_other_each_with_its_words(ragged, make):
    Y = Diagrams.from_parts({"H0": ragged[::-1], "H1": ragged})
    bow = make(n_words={"H0": 3, "H1": (2, 5)}, random_state=0).fit(Y)
    labels = np.arange(30) % 4
    axes = plot_class_words(bow, Y, labels, label_names=[*"abcd"])
    assert titles(axes[0]) == ["H0: a", "H0: b", "H0: c", "H0: d"]
    assert titles(axes[1]) == ["H1: a", "H1: b", "H1: c", "H1: d"]
    assert axes[0, 0].figure.axes == list(axes.flat)
    for part, row in zip(Y.parts, axes, strict=True):
        alone = plot_class_words(bow, Y, labels, part=part)
        assert titles(alone) == list("0123")
        for ax, same in zip(row, alone, strict=True):
            assert_array_equal(circles(ax).get_offsets(), circles(same).get_offsets())
            assert_array_equal(circles(ax).get_sizes(), circles(same).get_sizes())
        assert sum(ax.get_legend() is not None for ax in row) == 1
    _, grid = plt.subplots(2, 4)
    given = plot_class_words(bow, Y, labels, axes=grid)
    assert list(given.flat) == list(grid.flat)


def test_words_of_essential_points_are_not_in_the_plane(ragged):
    Y = [[*diagram, [0.5, np.inf]] for diagram in ragged]
    bow = PersistenceBoW(n_words=3, essential="separate", random_state=0).fit(Y)
    assert plot_class_words(bow, Y, np.arange(30) % 2).shape == (2,)
