"""Confusion matrices of two descriptors side by side."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from pbow.datasets import Dataset
from pbow.experiment.figures.figure import CannotDraw, Figure, new_figure
from pbow.experiment.figures.histograms import file_name, title_of
from pbow.experiment.selection import Outcome
from pbow.plotting import plot_confusion

if TYPE_CHECKING:
    import matplotlib.figure

__all__ = ["confusion_of", "confusion_pair"]

Ints = NDArray[np.int64]

# Of a matrix in inches: at least, and for each class.
SMALLEST, CELL = 2.6, 0.3
# What names of classes and of the axes take, for each letter of the longest.
LETTER = 0.09


def confusion_pair(left: Outcome, right: Outcome, dataset: Dataset) -> Figure:
    """Return the supplement's figure "Confusion matrix": PI beside PBoW.

    Parameters
    ----------
    left, right : Outcome
        Of two descriptors on the same data set, both complete.
    dataset : Dataset
        For the names of its classes.

    Raises
    ------
    CannotDraw
        Where an outcome has no confusion matrix yet.
    """
    entry = left.cell.dataset
    if right.cell.dataset.name != entry.name:
        msg = (
            "Expected two outcomes of one data set; got "
            f"{left.cell.name} and {right.cell.name}."
        )
        raise ValueError(msg)
    matrices = {
        outcome.cell.descriptor.title: confusion_of(outcome)
        for outcome in (left, right)
    }
    n_classes = len(dataset.label_names)
    for outcome, matrix in zip((left, right), matrices.values(), strict=True):
        if len(matrix) != n_classes:
            msg = (
                f"The confusion matrix of {outcome.cell.name} has {len(matrix)} "
                f"classes; expected {n_classes}, as {dataset.name} has."
            )
            raise ValueError(msg)
    shown = title_of(dataset, entry.title)
    n = len(left.nested)
    caption = (
        f"{shown}: confusion matrices of {' (left) and '.join(matrices)} (right), "
        f"test samples of {n} {'repetition' if n == 1 else 'repetitions'} together, "
        "parameters chosen inside the training parts. Numbers are percent of the true "
        "class, those on the diagonal are right, and empty cells have no sample. "
        + _accuracies(matrices)
    )
    return Figure(
        file_name("confusion", entry.name),
        f"Confusion matrices: {shown}",
        caption,
        lambda: _draw(matrices, dataset.label_names),
    )


def confusion_of(outcome: Outcome) -> Ints:
    """Return the test samples of all repetitions by true and predicted class.

    Raises
    ------
    CannotDraw
        Where the outcome is not complete.
    """
    found = [run.confusion for run in outcome.nested if run.confusion is not None]
    if not found or len(found) < len(outcome.nested):
        msg = (
            f"A confusion matrix of {outcome.cell.name} needs all of its runs; "
            f"{outcome.n_done} of {outcome.n_planned} are done."
        )
        raise CannotDraw(msg)
    total: Ints = np.sum(found, axis=0, dtype=np.int64)
    return total


def _accuracies(matrices: dict[str, Ints]) -> str:
    shares = [
        f"{name} {100.0 * np.trace(matrix) / max(matrix.sum(), 1):.1f} %"
        for name, matrix in matrices.items()
    ]
    return f"Accuracy over all of them: {', '.join(shares)}."


def _draw(
    matrices: dict[str, Ints], label_names: tuple[str, ...]
) -> matplotlib.figure.Figure:
    side = max(SMALLEST, CELL * len(label_names))
    names = LETTER * max(map(len, label_names)) + 0.4
    figure = new_figure(2.0 * side + names + 0.3, side + names + 0.4)
    axes = figure.subplots(1, 2, sharey=True)
    for ax, (name, matrix) in zip(axes, matrices.items(), strict=True):
        plot_confusion(matrix, label_names, ax=ax)
        ax.set_title(name)
        # Square Axes are smaller than their room: what is left is for names below.
        ax.set_anchor("N")
    axes[1].set_ylabel("")
    return figure
