"""Figure of a barcode: one bar per point, from birth to death."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from pbow.plotting._axes import COLORS, check_axes, without_formulas
from pbow.plotting._checks import check_sample

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["plot_barcode"]

# Share of the range that essential bars go beyond all others.
BEYOND = 0.08
# Width of a bar in points of 1/72 inch: at most, and all bars together.
WIDEST, TOGETHER = 4.0, 160.0


def plot_barcode(sample: Any, *, ax: Axes | None = None) -> Axes:
    """Draw a persistence diagram as bars from birth to death.

    Parts are above each other, with a legend if there are several; the bars of a part
    are in the order of their births, then deaths, from the bottom. The bar of an
    essential class has an arrow, beyond all others.

    Parameters
    ----------
    sample : array-like of shape (n_points, 2), dict of such by part, or Diagrams
        Births and deaths. ``X[3]`` is one sample of a collection; of a collection, the
        bars of all samples are drawn.
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

    See Also
    --------
    plot_diagram : The same points in the plane.

    Examples
    --------
    >>> from pbow.plotting import plot_barcode
    >>> ax = plot_barcode([[0.0, 1.0], [0.5, 2.0]])
    >>> [bar.tolist() for bar in ax.collections[0].get_segments()]
    [[[0.0, 0.0], [1.0, 0.0]], [[0.5, 1.0], [2.0, 1.0]]]
    """
    parts = check_sample(sample)
    ax = check_axes(ax, height=3.0)
    values = np.concatenate(list(parts.values()), axis=None)
    n_bars = len(values) // 2
    values = values[np.isfinite(values)]
    low, high = (values.min(), values.max()) if len(values) else (0.0, 1.0)
    size = high - low if high > low else 1.0
    beyond = high + BEYOND * size
    n_below = 0
    for k, (name, points) in enumerate(parts.items()):
        births, deaths = points[np.lexsort((points[:, 1], points[:, 0]))].T
        heights = n_below + np.arange(len(points))
        color = COLORS[k % len(COLORS)]
        ax.hlines(
            heights,
            births,
            np.minimum(deaths, beyond),
            colors=color,
            linewidths=min(WIDEST, TOGETHER / max(n_bars, 1)),
            label=name,
        )
        essential = np.isinf(deaths)
        ax.scatter(
            np.full(essential.sum(), beyond),
            heights[essential],
            s=50.0,
            marker=">",
            color=color,
            linewidths=0,
        )
        n_below += len(points)
    ax.set(
        xlim=(low - 0.03 * size, beyond + 0.03 * size),
        ylim=(-1.0, max(n_bars, 1)),
        xlabel="birth to death",
        yticks=[],
    )
    if len(parts) > 1:
        # Bars are drawn upwards, and so are their names; beside them, to hide none.
        ax.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0), reverse=True)
        without_formulas(ax)
    return ax
