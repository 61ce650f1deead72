"""What all figures share: the Axes that they draw in."""

import sys

import matplotlib.pyplot as plt
import numpy as np
import pytest
from sklearn.svm import LinearSVC

from pbow import Diagrams, PersistenceBoW
from pbow.explain import explain_words
from pbow.plotting import (
    CodebookDisplay,
    plot_accuracy_by_size,
    plot_barcode,
    plot_class_difference,
    plot_class_words,
    plot_codebook,
    plot_confusion,
    plot_diagram,
    plot_explanation,
    plot_matching,
    plot_word_in_image,
)
from pbow.plotting._axes import COLORS, check_panels

X = [[[0, 1], [2, 5]], [[0, 2]]]
BOW = PersistenceBoW(n_words=(1, 2), random_state=0).fit(X)

FIGURES = {
    "accuracy": lambda ax=None: plot_accuracy_by_size([10], [[0.5]], ax=ax),
    "barcode": lambda ax=None: plot_barcode(X[0], ax=ax),
    "codebook": lambda ax=None: plot_codebook(BOW, X, ax=ax),
    "confusion": lambda ax=None: plot_confusion([[1]], ax=ax),
    "diagram": lambda ax=None: plot_diagram(X[0], ax=ax),
    "display": lambda ax=None: CodebookDisplay.from_estimator(BOW, X, ax=ax).ax_,
    "matching": lambda ax=None: plot_matching(*X, ax=ax),
}
SEVERAL = {
    "difference": lambda: plot_class_difference(BOW, X, [0, 1], (0, 1)),
    "words": lambda: plot_class_words(BOW, X, [0, 1]),
}


@pytest.mark.parametrize("draw", FIGURES.values(), ids=FIGURES)
def test_axes_that_are_given_are_drawn_in_and_returned(draw):
    figure, ax = plt.subplots()
    assert draw(ax) is ax
    assert ax.has_data()
    assert plt.get_fignums() == [figure.number]


@pytest.mark.parametrize("draw", FIGURES.values(), ids=FIGURES)
def test_what_is_no_axes_is_refused(draw):
    with pytest.raises(ValueError, match="Expected ax to be matplotlib Axes"):
        draw("here")


@pytest.mark.parametrize("draw", (FIGURES | SEVERAL).values(), ids=FIGURES | SEVERAL)
def test_no_style_is_changed(draw):
    before = dict(plt.rcParams)
    draw()
    assert dict(plt.rcParams) == before


@pytest.mark.parametrize("draw", (FIGURES | SEVERAL).values(), ids=FIGURES | SEVERAL)
def test_without_matplotlib_the_extra_is_named(monkeypatch, draw):
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)
    with pytest.raises(ImportError, match="the extra plot of pbow"):
        draw()


LABELS = {
    "confusion": lambda names: [
        tick.get_text() for tick in plot_confusion(np.eye(3), names).get_yticklabels()
    ],
    "difference": lambda names: [
        plot_class_difference(BOW, Y, y, pair, label_names=names)[0].get_title()
        for pair in ((3, 5), (5, 8), (8, 3))
    ],
    "display": lambda names: [
        text.get_text()
        for text in CodebookDisplay.from_estimator(BOW, Y, y, label_names=names)
        .ax_.get_legend()
        .get_texts()
    ],
    "words": lambda names: [
        ax.get_title() for ax in plot_class_words(BOW, Y, y, label_names=names)
    ],
}
Y, y = [*X, X[1]], [8, 5, 3]


@pytest.mark.parametrize("drawn", LABELS.values(), ids=LABELS)
@pytest.mark.parametrize("kind", [list, tuple, np.array])
def test_names_of_labels_are_in_the_order_of_the_sorted_labels(drawn, kind):
    assert drawn(kind(["three", "five", "eight"])) == ["three", "five", "eight"]
    assert drawn(None) in (["3", "5", "8"], ["0", "1", "2"])  # a matrix has none
    for names in (["three", "five"], "358"):
        with pytest.raises(ValueError, match="a sequence of 3 names, one per label"):
            drawn(names)


HOSTILE = r"$\frac{$"
NAMED = Diagrams.from_parts({HOSTILE: Y, "H1": Y})
WORDS = PersistenceBoW(n_words=1).fit(NAMED)
HERE = Diagrams([[0, 1]], [0, 1], name=HOSTILE, locations=[[[0], [1]]])
EXPLAINED = explain_words(WORDS, LinearSVC(), NAMED[[0, 1] * 5], [HOSTILE, "b"] * 5)
FREE_TEXT = {
    "accuracy": lambda: plot_accuracy_by_size([10], [[0.5]], label=HOSTILE),
    "barcode": lambda: plot_barcode(NAMED[0]),
    "confusion": lambda: plot_confusion(np.eye(2), [HOSTILE, "b"]),
    "diagram": lambda: plot_diagram(NAMED[0]),
    "difference": lambda: plot_class_difference(
        WORDS, NAMED[:2], [HOSTILE, "b"], (HOSTILE, "b")
    )[0, 0],
    "display": lambda: CodebookDisplay.from_estimator(BOW, X, [HOSTILE, "b"]).ax_,
    "explanation": lambda: plot_explanation(EXPLAINED, HOSTILE, part="H1"),
    "word": lambda: plot_word_in_image(
        PersistenceBoW(n_words=1).fit(HERE), [[0.0, 1.0]], HERE, 0
    ),
    "words": lambda: plot_class_words(WORDS, NAMED[:2], [HOSTILE, "b"])[0, 0],
}


@pytest.mark.parametrize("draw", FREE_TEXT.values(), ids=FREE_TEXT)
def test_dollar_signs_of_labels_and_parts_are_no_formulas(draw):
    ax = draw()
    ax.figure.draw_without_rendering()
    texts = [ax.title, *ax.get_xticklabels(), *ax.get_yticklabels()]
    if ax.get_legend():
        texts += ax.get_legend().get_texts()
    assert any(HOSTILE in text.get_text() for text in texts)


def test_powers_at_ticks_stay_formulas():
    ax = plot_accuracy_by_size([10, 1000], [[0.5], [0.6]], label="a")
    ax.set_xscale("log")
    ax.figure.draw_without_rendering()
    assert all(text.get_parse_math() for text in ax.get_xticklabels())


def test_panels_are_taken_in_any_shape():
    _, axes = plt.subplots(2, 2)
    assert list(check_panels(axes, 4, "one per label")) == list(axes.flat)
    with pytest.raises(ValueError, match="axes to be 3 matplotlib Axes, one per label"):
        check_panels(axes, 3, "one per label")
    with pytest.raises(ValueError, match="axes to be 2 matplotlib Axes"):
        check_panels(np.zeros(2), 2, "one per label")


def test_colors_differ():
    assert len(set(COLORS)) == len(COLORS)
