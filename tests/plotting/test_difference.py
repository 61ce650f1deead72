"""Differences of labels are tested by the places, areas and colors of circles."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from tests.plotting.doubles import (
    Double,
    assert_key_has_the_scale_of,
    circles,
    of_words,
    titles,
    view,
)

from pbow import Diagrams, PersistenceBoW, StablePersistenceBoW
from pbow.codebook import KMeansCodebook
from pbow.plotting import plot_class_difference
from pbow.plotting._axes import BLUE, ORANGE

plt = pytest.importorskip("matplotlib.pyplot")
to_rgba = pytest.importorskip("matplotlib.colors").to_rgba

# On average, near the three words: 2, 1, 1 with label "a"; 0, 8, 1 with label "b".
WORDS = np.array([[0.0, 1.0], [4.0, 2.0], [9.0, 5.0]])
X = [
    [[0, 1], [0, 1.1], [0, 1.2], [9, 14]],
    [[0, 1], [4, 6], [4, 6.1], [9, 14]],
    [*[[4, 6]] * 8, [9, 14]],
    [[0, 100]] * 50,
]
y = ["a", "a", "b", "c"]


BOW = of_words(WORDS)


def draw(between=("a", "b"), **options):
    return plot_class_difference(BOW, X, y, between, **options)


def colors(ax):
    return [tuple(color) for color in circles(ax).get_edgecolor()]


def test_all_three_have_all_words_in_view_and_keys_of_their_own_scale():
    axes = draw()
    for ax in axes:
        assert_array_equal(circles(ax).get_offsets(), WORDS)
        assert_array_equal(ax.collections[0].get_offsets(), WORDS)
        assert (view(ax)[0] < [0, 0]).all()
        assert (view(ax)[1] > [9, 5]).all()
    assert [ax.get_ylabel() for ax in axes] == ["persistence", "", ""]
    assert axes[0].get_legend() is None
    assert_key_has_the_scale_of(axes[1], 7)
    assert_key_has_the_scale_of(axes[2], 8)


def test_titles_are_labels_or_the_names_given():
    names = titles(draw(label_names=("first", "second", "third")))
    assert names == ["first", "difference", "second"]
    names = titles(draw(("c", "a"), label_names=("first", "second", "third")))
    assert names == ["third", "difference", "first"]
    labels = np.array([4, 4, 7, 1])
    numbered = plot_class_difference(BOW, X, labels, labels[[0, 2]])
    assert titles(numbered) == ["4", "difference", "7"]


def test_axes_that_are_given_are_drawn_in_and_returned():
    figure, row = plt.subplots(1, 3)
    axes = draw(axes=row)
    assert list(axes) == list(row)
    assert plt.get_fignums() == [figure.number]
    assert [ax.get_ylabel() for ax in axes] == ["persistence"] * 3


def test_the_labels_are_left_and_right_on_one_scale():
    left, _, right = draw()
    areas = np.array([circles(ax).get_sizes() for ax in (left, right)])
    assert_allclose(areas / areas.max(), np.array([[2, 1, 1], [0, 8, 1]]) / 8)
    assert set(colors(left)) == {to_rgba(ORANGE)}
    assert set(colors(right)) == {to_rgba(BLUE)}


def test_between_them_is_what_one_has_more_in_its_color():
    _, ax, _ = draw()
    areas = circles(ax).get_sizes()
    assert_allclose(areas / areas.max(), np.array([2, 7, 0]) / 7)
    assert colors(ax)[:2] == [to_rgba(ORANGE), to_rgba(BLUE)]
    assert circles(ax).get_linewidths()[2] == 0


def test_the_order_of_labels_decides_who_is_left_and_orange():
    axes = draw(("b", "a"))
    assert titles(axes) == ["b", "difference", "a"]
    assert colors(axes[1])[:2] == [to_rgba(BLUE), to_rgba(ORANGE)]


def test_a_zoom_shows_the_words_in_it_on_their_own_scale():
    axes = draw(zoom=((-1, 1), (0, 3)))
    for ax in axes:
        assert (ax.get_xlim(), ax.get_ylim()) == ((-1, 1), (0, 3))
        assert_array_equal(circles(ax).get_offsets(), WORDS[:1])
    everywhere = draw()
    assert circles(axes[0]).get_sizes()[0] == circles(everywhere[2]).get_sizes().max()
    assert circles(axes[1]).get_sizes()[0] == circles(everywhere[1]).get_sizes().max()


def test_a_zoom_without_words_has_no_circles_and_no_key():
    for ax in draw(zoom=((50, 60), (50, 60))):
        assert len(circles(ax).get_offsets()) == 0
        assert ax.get_legend() is None


def test_equal_labels_have_no_difference():
    axes = plot_class_difference(BOW, X[:1] * 2, ["a", "b"], ("a", "b"))
    assert not circles(axes[1]).get_sizes().any()
    assert axes[1].get_legend() is None


def test_one_resolution_is_compared():
    other = of_words([[2.0, 1.5], [9.0, 5.0]])
    coarse, fine = other.codebook, BOW.codebook
    both = Double(KMeansCodebook.join([coarse, fine])).fit()
    for resolution, alone in ((None, BOW), (3, BOW), (2, other)):
        axes = plot_class_difference(both, X, y, ("a", "b"), resolution=resolution)
        expected = plot_class_difference(alone, X, y, ("a", "b"))
        for ax, same in zip(axes, expected, strict=True):
            assert_array_equal(circles(ax).get_offsets(), circles(same).get_offsets())
            assert_array_equal(circles(ax).get_sizes(), circles(same).get_sizes())


def test_essential_points_are_not_counted():
    with_essential = [[*diagram, [0, np.inf]] for diagram in X]
    axes = plot_class_difference(BOW, with_essential, y, ("a", "b"))
    for ax, other in zip(axes, draw(), strict=True):
        assert_array_equal(circles(ax).get_sizes(), circles(other).get_sizes())


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"y": ["a"]}, r"Expected one label per diagram, shape \(4,\)"),
        ({"between": ("a", "d")}, r"two different labels of \['a', 'b', 'c'\]"),
        ({"between": ("a", "a")}, "two different labels of"),
        ({"between": "ab"}, "two different labels of"),
        ({"between": None}, "two different labels of"),
        ({"label_names": ["one"]}, "a sequence of 3 names, one per label"),
        ({"zoom": (0, 1, 0, 1)}, "Expected zoom to be"),
        ({"zoom": ((0, 1), (1, 0))}, "Expected zoom to be"),
        ({"zoom": ((0, 1), (0, np.inf))}, "Expected zoom to be"),
        ({"axes": [None] * 3}, "Expected axes to be 3 matplotlib Axes"),
        ({"part": "H2"}, "Expected part to be one of 'H1', .*; got 'H2'"),
        ({"resolution": 2}, "Expected resolution to be 3, .*; got 2"),
    ],
    ids=str,
)
def test_bad_input_is_named(options, message):
    arguments = {"y": y, "between": ("a", "b"), **options}
    with pytest.raises(ValueError, match=message):
        plot_class_difference(BOW, X, **arguments)


@pytest.mark.parametrize("make", [PersistenceBoW, StablePersistenceBoW])
def test_several_parts_are_below_each_other(ragged, make):
    Y = Diagrams.from_parts({"H0": ragged[::-1], "H1": ragged})
    bow = make(n_words={"H0": 3, "H1": (2, 5)}, random_state=0).fit(Y)
    labels = np.arange(30) % 2
    axes = plot_class_difference(bow, Y, labels, (1, 0), label_names=["even", "odd"])
    assert titles(axes[1]) == ["H1: odd", "H1: difference", "H1: even"]
    for part, row in zip(Y.parts, axes, strict=True):
        alone = plot_class_difference(bow, Y, labels, (1, 0), part=part)
        for ax, same in zip(row, alone, strict=True):
            assert_array_equal(circles(ax).get_offsets(), circles(same).get_offsets())
            assert_array_equal(circles(ax).get_sizes(), circles(same).get_sizes())
    _, grid = plt.subplots(2, 3)
    given = plot_class_difference(bow, Y, labels, (1, 0), axes=grid)
    assert list(given.flat) == list(grid.flat)
