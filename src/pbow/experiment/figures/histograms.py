"""What the words of a codebook count in each class, and in the two most confused."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pbow.datasets import Dataset
from pbow.experiment.figures.figure import CannotDraw, Figure, new_figure, new_panels
from pbow.plotting import plot_class_difference, plot_class_words
from pbow.vectorizers import PersistenceBoW

if TYPE_CHECKING:
    import matplotlib.figure
    from matplotlib.axes import Axes

__all__ = [
    "class_differences",
    "class_histograms",
    "file_name",
    "learn",
    "most_confused",
    "title_of",
]

Floats = NDArray[np.float64]
Window = tuple[tuple[float, float], tuple[float, float]]

# The paper's N: of its histograms, and the best for GeoMat, whose classes it compares.
WORDS_OF_HISTOGRAMS = 20
WORDS_OF_DIFFERENCES = 100
SEED = 0

# Rows of the differences: the share of the words, in each coordinate, that is in view.
VIEWS = {"all words": 1.0, "zoomed in": 0.75, "further zoomed in": 0.4}
# Share of a window that is left free on each side, for the circles.
MARGIN = 0.12


def class_histograms(dataset: Dataset, title: str | None = None) -> Figure:
    """Return the paper's figure "Average codebook histograms".

    Parameters
    ----------
    dataset : Dataset
        All of its samples are used; of several parts the last.
    title : str, optional
        What tables call the data set. By default its name.

    Raises
    ------
    CannotDraw
        Where there are too few points for the words.
    """
    shown, part = title_of(dataset, title), _part(dataset)
    bow = learn(PersistenceBoW.paper(WORDS_OF_HISTOGRAMS), dataset, part)
    caption = (
        f"{shown}: average codebook histograms of its {len(dataset.label_names)} "
        "classes. Each word is a circle at its place in the birth-persistence plane, "
        "the same in all panels; the area is the number of points nearest to the word, "
        f"averaged over the diagrams of the class. {_codebook(WORDS_OF_HISTOGRAMS)} "
        f"{_samples(dataset)}"
    )
    return Figure(
        file_name("class_histograms", dataset.name),
        f"Average codebook histograms: {shown}",
        caption,
        lambda: _draw_histograms(bow, dataset, part),
    )


def class_differences(
    dataset: Dataset, confusion: ArrayLike, title: str | None = None
) -> Figure:
    """Return the figure of the two most confused classes, with zoom levels.

    Parameters
    ----------
    dataset : Dataset
        All of its samples are used; of several parts the last.
    confusion : array-like of shape (n_classes, n_classes)
        Samples by true class (row) and predicted class: chooses the classes.
    title : str, optional
        What tables call the data set. By default its name.

    Raises
    ------
    CannotDraw
        Where no two classes are confused, or too few points are there for the words.
    """
    shown, part = title_of(dataset, title), _part(dataset)
    pair = most_confused(confusion)
    bow = learn(PersistenceBoW.paper(WORDS_OF_DIFFERENCES), dataset, part)
    first, second = (dataset.label_names[label] for label in pair)
    caption = (
        f"{shown}: average codebook histograms of “{first}” (left, red) and “{second}” "
        "(right, blue), the two classes that are confused most, and between them their "
        "difference: red where the left class has more points near a word, blue where "
        "the right one has. Areas are numbers of points per diagram; each row has its "
        "own scale, and dashed boxes are the view of the next row. "
        f"{_codebook(WORDS_OF_DIFFERENCES)} {_samples(dataset)}"
    )
    return Figure(
        file_name("class_differences", dataset.name),
        f"The two most confused classes: {shown}",
        caption,
        lambda: _draw_differences(bow, dataset, part, pair),
    )


def most_confused(confusion: ArrayLike) -> tuple[int, int]:
    """Return the two classes whose shares taken for each other add up to most.

    Of equal pairs the first one.
    """
    counts = np.asarray(confusion, dtype=np.float64)
    shares = counts / np.maximum(counts.sum(axis=1, keepdims=True), 1.0)
    both = np.triu(shares + shares.T, k=1)
    if not both.any():
        msg = "Class differences need two classes that are confused; there are none."
        raise CannotDraw(msg)
    first, second = np.unravel_index(np.argmax(both), both.shape)
    return int(first), int(second)


def title_of(dataset: Dataset, title: str | None = None) -> str:
    """Return what a figure calls a data set: a stand-in is named so, and for what."""
    name = dataset.name if title is None else title
    of = dataset.provenance.stand_in_for
    if of is None or ("stand-in" in name.lower() and of.lower() in name.lower()):
        return name
    return f"{name} (stand-in for {of})"


def file_name(shows: str, dataset: str) -> str:
    """Return the name of a figure of a data set, which may be called anything."""
    return f"{shows}_{re.sub('[^A-Za-z0-9_-]+', '-', dataset)}"


def learn(bow: PersistenceBoW, dataset: Dataset, part: str) -> PersistenceBoW:
    """Fit to all samples of a part."""
    bow.set_params(random_state=SEED).fit(dataset.diagrams[part])
    return bow


def _part(dataset: Dataset) -> str:
    return dataset.diagrams.parts[-1]


def _codebook(n_words: int) -> str:
    return f"The codebook has {n_words} words, learnt with the paper's settings."


def _samples(dataset: Dataset) -> str:
    words = f"All {len(dataset):,} diagrams, part {_part(dataset)}."
    selection = dataset.provenance.selection
    return f"{words} Taken: {selection}." if selection else words


def _draw_histograms(
    bow: PersistenceBoW, dataset: Dataset, part: str
) -> matplotlib.figure.Figure:
    present = np.unique(dataset.labels)
    figure, axes = new_panels(len(present))
    plot_class_words(
        bow,
        dataset.diagrams[part],
        dataset.labels,
        label_names=[dataset.label_names[label] for label in present],
        axes=axes,
    )
    for ax in axes:
        ax.set(xlabel="", ylabel="")
    figure.supxlabel("birth")
    figure.supylabel("persistence")
    return figure


def _draw_differences(
    bow: PersistenceBoW, dataset: Dataset, part: str, pair: tuple[int, int]
) -> matplotlib.figure.Figure:
    words = bow.codebooks_[part].words
    windows = [_window(words, share) for share in VIEWS.values()]
    figure = new_figure(10.5, 8.4)
    grid = figure.subplots(len(VIEWS), 3)
    for row, view, window in zip(grid, VIEWS, windows, strict=True):
        plot_class_difference(
            bow,
            dataset.diagrams[part],
            dataset.labels,
            pair,
            label_names=[dataset.label_names[label] for label in pair],
            zoom=window,
            axes=row,
        )
        for ax in row:
            # Areas are what is to be read: a circle at the edge must not be cut.
            ax.collections[-1].set_clip_on(False)
            ax.set(xlabel="", ylabel="")
        row[0].set_ylabel(f"{view}\n\npersistence")
    for ax in grid[-1]:
        ax.set_xlabel("birth")
    for ax in grid[1:].flat:
        ax.set_title("")
    for row, following in zip(grid[:-1], windows[1:], strict=True):
        for ax in row:
            _draw_window(ax, following)
    figure.align_ylabels(grid[:, 0])
    return figure


def _window(words: Floats, share: float) -> Window:
    """Return the view of the words in the middle of births and low in persistence."""
    left, right = np.quantile(words[:, 0], [(1.0 - share) / 2.0, (1.0 + share) / 2.0])
    high = np.quantile(words[:, 1], share)
    births, persistences = words.T
    inside = (births >= left) & (births <= right) & (persistences <= high)
    # Where those in the middle are all high, the whole width is shown.
    seen = words[inside] if inside.any() else words[persistences <= high]
    return _with_margin(seen[:, 0]), _with_margin(np.append(seen[:, 1], 0.0))


def _with_margin(values: Floats) -> tuple[float, float]:
    low, high = float(values.min()), float(values.max())
    margin = MARGIN * (high - low) if high > low else 0.5
    return low - margin, high + margin


def _draw_window(ax: Axes, window: Any) -> None:
    from matplotlib.patches import Rectangle  # noqa: PLC0415

    (left, right), (low, high) = window
    box = Rectangle(
        (left, low),
        right - left,
        high - low,
        fill=False,
        edgecolor="0.35",
        linestyle="--",
        linewidth=0.8,
        zorder=3,
    )
    ax.add_patch(box)
