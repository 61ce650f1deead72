"""What words count for each label, and which labels are confused."""

import warnings

import numpy as np
from experiments.figures.drawing import (
    CannotDraw,
    Captioned,
    file_name,
    new_figure,
    new_panels,
)
from experiments.figures.results import ABOUT_CLASSIFIER, CLASSIFIER, Results
from matplotlib.patches import Rectangle
from numpy.typing import NDArray

from pbow.datasets import Dataset
from pbow.errors import FewerWordsWarning
from pbow.plotting import plot_class_difference, plot_class_words, plot_confusion
from pbow.vectorizers import PersistenceBoW

# The paper's N: of its histograms, and the best for GeoMat, whose labels it compares.
WORDS_OF_HISTOGRAMS, WORDS_OF_DIFFERENCES = 20, 100
# Rows of the differences: the share of the words, in each coordinate, that is in view;
# and the share of a view that is left free on each side, for the circles.
VIEWS = {"all words": 1.0, "zoomed in": 0.75, "further zoomed in": 0.4}
MARGIN = 0.12
# Of a confusion matrix in inches: at least, per label, per letter of the longest name.
SMALLEST, CELL, LETTER = 2.6, 0.3, 0.09


def class_histograms(results: Results) -> Captioned:
    """Return the paper's figure "Average codebook histograms"."""
    name = results.first_of_shapes()
    dataset = results.open(name)
    bow = learn(PersistenceBoW.paper(WORDS_OF_HISTOGRAMS), dataset)
    present = np.unique(dataset.labels)
    names = [dataset.label_names[label] for label in present]
    figure, axes = new_panels(len(present))
    X = dataset.diagrams[last_part(dataset)]
    plot_class_words(bow, X, dataset.labels, label_names=names, axes=axes)
    for ax in axes:
        ax.set(xlabel="", ylabel="")
    figure.supxlabel("birth")
    figure.supylabel("persistence")
    title = f"Average codebook histograms: {results.title(name)}"
    caption = (
        "One circle per word, at its place in the birth-persistence plane. Its area is "
        "the number of points nearest to the word, averaged over the diagrams of the "
        f"label. {_about(bow, dataset)}"
    )
    return Captioned(file_name("class_histograms", name), title, caption, figure)


def confusion(results: Results) -> Captioned:
    """Return the supplement's figure "Confusion matrix": PI beside PBoW."""
    name, matrices = _compared(results)
    names = results.open(name).label_names
    side = max(SMALLEST, CELL * len(names))
    room = LETTER * max(map(len, names)) + 0.4
    figure = new_figure(2.0 * side + room + 0.3, side + room + 0.4)
    axes = figure.subplots(1, 2, sharey=True)
    for ax, (descriptor, matrix) in zip(axes, matrices.items(), strict=True):
        plot_confusion(matrix, names, ax=ax)
        # Square Axes are smaller than their room: what is left is for names below.
        ax.set(title=descriptor, anchor="N")
    axes[1].set_ylabel("")
    right = [f"{d} {100.0 * np.trace(m) / m.sum():.1f}%" for d, m in matrices.items()]
    title = f"Confusion matrices: {results.title(name)}"
    caption = (
        "Percentages of each true label over the test sets of all splits, parameters "
        f"chosen inside the training sets. Accuracy: {', '.join(right)}. "
        f"{ABOUT_CLASSIFIER}"
    )
    return Captioned(file_name("confusion", name), title, caption, figure)


def class_differences(results: Results) -> Captioned:
    """Return the figure of the two labels that are confused most, with zoom levels."""
    name, matrices = _compared(results)
    pair = most_confused(matrices["PBoW"])
    dataset = results.open(name)
    bow = learn(PersistenceBoW.paper(WORDS_OF_DIFFERENCES), dataset)
    X, y = dataset.diagrams[last_part(dataset)], dataset.labels
    names = [dataset.label_names[label] for label in pair]
    windows = [_window(bow, share) for share in VIEWS.values()]
    figure = new_figure(10.5, 8.4)
    grid = figure.subplots(len(VIEWS), 3)
    for row, view, window in zip(grid, VIEWS, windows, strict=True):
        plot_class_difference(bow, X, y, pair, label_names=names, zoom=window, axes=row)
        for ax in row:
            # Areas are what is to be read: a circle at the edge must not be cut.
            ax.collections[-1].set_clip_on(False)
            ax.set(xlabel="", ylabel="")
        row[0].set_ylabel(f"{view}\n\npersistence")
    look = {"fill": False, "edgecolor": "0.35", "linestyle": "--", "linewidth": 0.8}
    for row, ((left, right), (low, high)) in zip(grid, windows[1:], strict=False):
        for ax in row:
            corner = (left, low)
            ax.add_patch(Rectangle(corner, right - left, high - low, zorder=3, **look))
    for ax in grid[1:].flat:
        ax.set_title("")
    for ax in grid[-1]:
        ax.set_xlabel("birth")
    figure.align_ylabels(grid[:, 0])
    title = f"The two most confused labels: {results.title(name)}"
    caption = (
        f"Average codebook histograms of {names[0]} (left) and {names[1]} (right), the "
        f"labels that PBoW with the classifier “{CLASSIFIER}” confuses most, and their "
        "difference: red where the left label has more points near a word, blue where "
        "the right one has. Areas are numbers of points per diagram. Every row has its "
        f"own scale; dashed boxes are the view of the next row. {_about(bow, dataset)}"
    )
    return Captioned(file_name("class_differences", name), title, caption, figure)


def most_confused(matrix: NDArray[np.int64]) -> tuple[int, int]:
    """Return the first two labels whose rates of confusion add up to most."""
    rates = matrix / np.maximum(matrix.sum(axis=1, keepdims=True), 1)
    both = np.triu(rates + rates.T, k=1)
    if not both.any():
        msg = "It compares two labels that are confused, and there are none."
        raise CannotDraw(msg)
    first, second = np.unravel_index(np.argmax(both), both.shape)
    return int(first), int(second)


def learn(bow: PersistenceBoW, dataset: Dataset) -> PersistenceBoW:
    """Fit to the last part of all diagrams."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FewerWordsWarning)  # captions give the number
        bow.set_params(random_state=0).fit(dataset.diagrams[last_part(dataset)])
    return bow


def last_part(dataset: Dataset) -> str:
    """Return the name of the part that figures show: the highest dimension."""
    return dataset.diagrams.parts[-1]


def _about(bow: PersistenceBoW, dataset: Dataset) -> str:
    part = last_part(dataset)
    n = bow.codebooks_[part].n_words
    return f"{n} words, the paper's settings; {part} of all {len(dataset):,} diagrams."


def _compared(results: Results) -> tuple[str, dict[str, NDArray[np.int64]]]:
    """Return a data set, and the confusion matrices of PI and PBoW on it.

    The paper compares them on GeoMat; or else it is the first data set with both.
    """
    found = results.chosen.groupby(["dataset", "descriptor"]).confusion.agg(list)
    both = [
        entry.name
        for entry in results.experiment.datasets
        if (entry.name, "PI") in found and (entry.name, "PBoW") in found
    ]
    if not both:
        msg = "It needs finished cells of PI and PBoW on one data set."
        raise CannotDraw(msg)
    # min keeps the first of equals.
    best = min(both, key=lambda name: not name.startswith("geomat"))
    return best, {d: np.sum(found[best, d], axis=0) for d in ("PI", "PBoW")}


def _window(bow: PersistenceBoW, share: float) -> list[tuple[float, float]]:
    """Return the view of the words in the middle of births and low in persistence."""
    births, persistences = next(iter(bow.codebooks_.values())).words.T
    left, right = np.quantile(births, [0.5 - share / 2.0, 0.5 + share / 2.0])
    sides = [(left, right), (0.0, np.quantile(persistences, share))]
    margins = [MARGIN * (high - low) or 0.5 for low, high in sides]
    return [(low - m, high + m) for (low, high), m in zip(sides, margins, strict=True)]
