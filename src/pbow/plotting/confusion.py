"""Figure of a confusion matrix."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pbow._utils.checks import check_label_names
from pbow.errors import ParameterError
from pbow.plotting._axes import check_axes, without_formulas

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["plot_confusion"]

# Height of a cell in a new figure, in inches, and what labels take beside them.
CELL, BESIDE = 0.32, 1.6
# Letters in points of 1/72 inch, and their share of a cell, so that 100% fits into it.
LARGEST_LETTERS, SHARE_OF_CELL = 9.0, 0.36


def plot_confusion(
    matrix: ArrayLike,
    label_names: Sequence[str] | None = None,
    *,
    ax: Axes | None = None,
) -> Axes:
    """Draw a confusion matrix.

    One row per true label. Numbers, and the darkness of cells, are percentages of the
    row, so that the diagonal is the accuracy of each label; cells without samples are
    empty.

    Parameters
    ----------
    matrix : array-like of shape (n_labels, n_labels)
        Number of samples by true label (row) and predicted label (column), as
        ``sklearn.metrics.confusion_matrix`` returns it.
    label_names : sequence of str, optional
        Names of the labels, in the order of the sorted labels, which is that of the
        rows. By default 0, 1, ...
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
    >>> from pbow.plotting import plot_confusion
    >>> ax = plot_confusion([[9, 1], [5, 15]], ["cube", "torus"])
    >>> [text.get_text() for text in ax.texts]
    ['90%', '10%', '25%', '75%']
    """
    counts = _check_matrix(matrix)
    n = len(counts)
    names = check_label_names(label_names, range(n))
    ax = check_axes(ax, CELL * n + BESIDE + 0.6, CELL * n + BESIDE)
    percent = 100.0 * counts / np.maximum(counts.sum(axis=1, keepdims=True), 1.0)
    ax.imshow(percent, cmap="Blues", vmin=0.0, vmax=100.0)
    # The smaller side of the Axes, before the layout, which is only known when drawn.
    points_across = 72.0 * float(min(ax.bbox.size)) / ax.figure.dpi
    letters = min(LARGEST_LETTERS, SHARE_OF_CELL * points_across / n)
    for (row, column), value in np.ndenumerate(percent):
        if value > 0.0:
            ax.text(
                column,
                row,
                f"{value:.0f}%" if value >= 0.5 else "<1%",
                fontsize=letters,
                color="white" if value > 60.0 else "black",
                horizontalalignment="center",
                verticalalignment="center",
            )
    # Short names need not be turned.
    turned = 90 if max(map(len, names)) > 2 else 0
    ax.set_xticks(range(n), names, rotation=turned)
    ax.set_yticks(range(n), names)
    without_formulas(ax, ticks=True)
    ax.set(xlabel="predicted label", ylabel="true label")
    return ax


def _check_matrix(matrix: ArrayLike) -> NDArray[np.float64]:
    counts = np.asarray(matrix, dtype=np.float64)
    square = counts.ndim == 2 and counts.shape[0] == counts.shape[1] > 0
    if not square or not np.isfinite(counts).all() or (counts < 0.0).any():
        expected = (
            "numbers of samples by true and predicted label, shape (n_labels, "
            "n_labels), none below 0"
        )
        raise ParameterError("matrix", expected, matrix)
    return counts
