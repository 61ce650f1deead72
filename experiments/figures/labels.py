"""What words count for each label, and which labels are confused."""

import warnings
from typing import Any

import numpy as np
from experiments.figures.drawing import CannotDraw, Drawn, new_figure, new_panels
from experiments.figures.results import Results
from matplotlib.patches import Rectangle
from numpy.typing import NDArray

from pbow import Diagrams
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


def class_histograms(results: Results) -> Drawn:
    """Draw the paper's figure "Average codebook histograms"."""
    name = results.first_of_shapes()
    dataset = results.open(name)
    bow, X, facts = learn(PersistenceBoW.paper(WORDS_OF_HISTOGRAMS), dataset)
    names = [dataset.label_names[label] for label in np.unique(dataset.labels)]
    figure, axes = new_panels(names)
    plot_class_words(bow, X, dataset.labels, label_names=names, axes=axes)
    for ax in axes:
        ax.set(xlabel="", ylabel="")
    figure.supxlabel("birth")
    figure.supylabel("persistence")
    return figure, facts | {"dataset": results.title(name)}, name


def confusion(results: Results) -> Drawn:
    """Draw the supplement's figure "Confusion matrix": PI beside PBoW."""
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
    facts = {d: 100.0 * np.trace(m) / m.sum() for d, m in matrices.items()}
    return figure, facts | {"dataset": results.title(name)}, name


def class_differences(results: Results) -> Drawn:
    """Draw the two labels that are confused most, with zoom levels."""
    name, matrices = _compared(results)
    pair = most_confused(matrices["PBoW"])
    dataset = results.open(name)
    bow, X, facts = learn(PersistenceBoW.paper(WORDS_OF_DIFFERENCES), dataset)
    names = [dataset.label_names[label] for label in np.unique(dataset.labels)]
    windows = [_window(bow, share) for share in VIEWS.values()]
    figure = new_figure(10.5, 8.4)
    grid = figure.subplots(len(VIEWS), 3)
    for row, view, zoom in zip(grid, VIEWS, windows, strict=True):
        look = {"label_names": names, "zoom": zoom, "axes": row}
        plot_class_difference(bow, X, dataset.labels, pair, **look)
        for ax in row:
            # Areas are what is to be read: a circle at the edge must not be cut.
            ax.collections[-1].set_clip_on(False)
            ax.set(xlabel="", ylabel="")
        row[0].set_ylabel(f"{view}\n\npersistence")
    look = {"fill": False, "edgecolor": "0.35", "linestyle": "--", "linewidth": 0.8}
    for row, ((left, right), (low, high)) in zip(grid, windows[1:], strict=False):
        size = right - left, high - low
        for ax in row:
            ax.add_patch(Rectangle((left, low), *size, zorder=3, **look))
    for ax in grid[1:].flat:
        ax.set_title("")
    for ax in grid[-1]:
        ax.set_xlabel("birth")
    figure.align_ylabels(grid[:, 0])
    facts |= {"dataset": results.title(name), "first": names[0], "second": names[1]}
    return figure, facts, name


def most_confused(matrix: NDArray[np.int64]) -> tuple[int, int]:
    """Return the first two labels whose rates of confusion add up to most."""
    rates = matrix / np.maximum(matrix.sum(axis=1, keepdims=True), 1)
    both = np.triu(rates + rates.T, k=1)
    if not both.any():
        msg = "It compares two labels that are confused, and there are none."
        raise CannotDraw(msg)
    first, second = np.unravel_index(np.argmax(both), both.shape)
    return int(first), int(second)


def learn(
    bow: PersistenceBoW, dataset: Dataset
) -> tuple[PersistenceBoW, Diagrams, dict[str, Any]]:
    """Fit to the last part of all diagrams; return it and what captions say of it."""
    part = dataset.diagrams.parts[-1]
    X = dataset.diagrams[part].finite()
    # Captions give the number.
    with warnings.catch_warnings(action="ignore", category=FewerWordsWarning):
        bow.set_params(random_state=0).fit(X)
    n_words = bow.codebooks_[part].n_words
    return bow, X, {"n_words": n_words, "n_diagrams": len(X), "part": part}


def _compared(results: Results) -> tuple[str, dict[str, NDArray[np.int64]]]:
    """Return a data set, and the confusion matrices of PI and PBoW on it.

    The paper compares them on GeoMat; or else it is the first data set with both.
    """
    found = results.chosen.groupby(["dataset", "descriptor"]).confusion.agg(list)
    names = [entry.name for entry in results.experiment.datasets]
    both = [n for n in names if (n, "PI") in found and (n, "PBoW") in found]
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
