"""Confusion matrices are tested by the numbers written and the shades drawn."""

from itertools import pairwise

import numpy as np
import pytest
from numpy.testing import assert_allclose

from pbow.plotting import plot_confusion

plt = pytest.importorskip("matplotlib.pyplot")

MATRIX = [[6, 2, 0], [0, 1000, 1], [0, 0, 0]]


def test_shades_are_percent_of_the_true_class():
    (image,) = plot_confusion(MATRIX).images
    expected = [[75, 25, 0], [0, 100_000 / 1001, 100 / 1001], [0, 0, 0]]
    assert_allclose(image.get_array(), expected)
    assert image.get_clim() == (0, 100)


def test_numbers_are_written_into_their_cells_and_nothing_into_empty_ones():
    texts = plot_confusion(MATRIX).texts
    # Position is (column, row).
    assert {t.get_position(): (t.get_text(), t.get_color()) for t in texts} == {
        (0, 0): ("75%", "white"),
        (1, 0): ("25%", "black"),
        (1, 1): ("100%", "white"),
        (2, 1): ("<1%", "black"),
    }


@pytest.mark.parametrize(
    ("given", "shown"), [(None, ["0", "1", "2"]), (["a", "b", "cc"],) * 2], ids=str
)
def test_rows_are_true_and_columns_predicted_classes(given, shown):
    ax = plot_confusion(MATRIX, given)
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("predicted label", "true label")
    for axis in (ax.xaxis, ax.yaxis):
        assert [text.get_text() for text in axis.get_ticklabels()] == shown
    # The first class is at the top.
    assert ax.get_ylim()[0] > ax.get_ylim()[1]


def test_long_names_are_turned_and_do_not_overlap():
    names = [f"a long name {k}" for k in range(19)]
    ax = plot_confusion(np.eye(19), names)
    ax.figure.draw_without_rendering()
    boxes = [text.get_window_extent() for text in ax.get_xticklabels()]
    assert all(a.x1 < b.x0 for a, b in pairwise(boxes))


@pytest.mark.parametrize("n", [2, 6, 19, 40])
def test_numbers_fit_into_their_cells(n):
    ax = plot_confusion(np.eye(n))
    ax.figure.draw_without_rendering()
    for text in ax.texts:
        box = text.get_window_extent().transformed(ax.transData.inverted())
        assert abs(box.width) < 1
        assert abs(box.height) < 1


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([[1, 2]],), r"Expected matrix to be .* got \[\[1, 2\]\]"),
        (([[-1]],), "none below 0"),
        (([[np.nan]],), "Expected matrix to be"),
        ((np.empty((0, 0)),), "Expected matrix to be"),
        ((MATRIX, ["a"]), "a sequence of 3 names, one per label"),
    ],
    ids=["not square", "negative", "nan", "empty", "names"],
)
def test_bad_input_is_named(arguments, message):
    with pytest.raises(ValueError, match=message):
        plot_confusion(*arguments)
