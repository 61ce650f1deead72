"""Figure of accuracy against the size of the codebook."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pbow.errors import ParameterError
from pbow.plotting._axes import COLORS, MARKERS, check_axes, without_formulas

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["plot_accuracy_by_size"]

Floats = NDArray[np.float64]


def plot_accuracy_by_size(
    sizes: ArrayLike,
    accuracies: ArrayLike,
    *,
    label: str | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw accuracy against the number of words, and how much it varies.

    A line through the means over the repetitions, in percent, and a band of one sample
    standard deviation to each side. Draw again in the same Axes to compare: each line
    has its own color.

    Parameters
    ----------
    sizes : array-like of shape (n_sizes,)
        Numbers of words, in any order.
    accuracies : array-like of shape (n_sizes, n_repetitions)
        From 0 to 1; one row per size, as ``cross_val_score`` returns it.
    label : str, optional
        Name of the line, for the legend.
    ax : matplotlib.axes.Axes, optional
        Where to draw. By default in a new figure.

    Returns
    -------
    ax : matplotlib.axes.Axes
        ``ax.figure`` is the figure.

    Raises
    ------
    ImportError
        Without matplotlib, which is in the extra ``plot``.

    Examples
    --------
    >>> from pbow.plotting import plot_accuracy_by_size
    >>> sizes = [10, 20]
    >>> ax = plot_accuracy_by_size(sizes, [[0.5, 0.75], [0.75, 1.0]], label="PBoW")
    >>> ax = plot_accuracy_by_size(sizes, [[0.5, 0.5], [1, 1]], label="sPBoW", ax=ax)
    >>> [line.get_ydata().tolist() for line in ax.lines]
    [[62.5, 87.5], [50.0, 100.0]]
    """
    words = _check_sizes(sizes)
    percent = 100.0 * _check_accuracies(accuracies, len(words))
    ax = check_axes(ax, 4.8, 3.4)
    order = np.argsort(words, kind="stable")
    words, percent = words[order], percent[order]
    means = percent.mean(axis=1)
    # A single repetition says nothing of how much it varies.
    deviations = percent.std(axis=1, ddof=1) if percent.shape[1] > 1 else 0.0 * means
    k = len(ax.lines)
    color = COLORS[k % len(COLORS)]
    ax.fill_between(
        words,
        means - deviations,
        means + deviations,
        color=color,
        alpha=0.15,
        linewidth=0,
    )
    ax.plot(
        words,
        means,
        color=color,
        marker=MARKERS[k % len(MARKERS)],
        markersize=4.0,
        label=label,
    )
    ax.set(xlabel="number of words", ylabel="accuracy (%)")
    if label is not None:
        ax.legend(loc="best")
        without_formulas(ax)
    return ax


def _check_sizes(sizes: ArrayLike) -> Floats:
    words = np.asarray(sizes, dtype=np.float64)
    if (
        words.ndim != 1
        or not len(words)
        or not (np.isfinite(words) & (words > 0)).all()
    ):
        expected = "numbers of words, shape (n_sizes,), all above 0"
        raise ParameterError("sizes", expected, sizes)
    if len(np.unique(words)) < len(words):
        msg = (
            "Expected each size once, with the accuracies of all its repetitions in "
            f"one row; got {sizes!r:.200}."
        )
        raise ValueError(msg)
    return words


def _check_accuracies(accuracies: ArrayLike, n_sizes: int) -> Floats:
    values = np.asarray(accuracies, dtype=np.float64)
    if values.ndim != 2 or len(values) != n_sizes or values.shape[1] == 0:
        msg = (
            f"Expected accuracies of shape ({n_sizes}, n_repetitions), one row per "
            f"size; got shape {values.shape}."
        )
        raise ValueError(msg)
    if not ((values >= 0.0) & (values <= 1.0)).all():
        msg = (
            "Expected accuracies from 0 to 1; they go from "
            f"{values.min():g} to {values.max():g}. Divide percentages by 100."
        )
        raise ValueError(msg)
    return values
