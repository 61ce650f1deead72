"""Figure of a persistence diagram: one dot per point."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from pbow._utils.checks import check_option
from pbow.plotting._axes import COLORS, GRAY, MARKERS, check_axes, without_formulas
from pbow.plotting._checks import check_sample

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["plot_diagram"]

Floats = NDArray[np.float64]

# Share of the range that is left free on each side.
MARGIN = 0.05


def plot_diagram(
    sample: Any, *, coordinates: str = "birth-death", ax: Axes | None = None
) -> Axes:
    """Draw a persistence diagram.

    All parts in one figure, with a legend if there are several. The dotted line is the
    diagonal, where points have no persistence; essential points are on a dashed line at
    the top, at ∞.

    Parameters
    ----------
    sample : array-like of shape (n_points, 2), dict of such by part, or Diagrams
        Births and deaths. ``X[3]`` is one sample of a collection; of a collection, as
        ``X`` or ``X[:10]``, the points of all samples are drawn: the consolidated
        diagram.
    coordinates : {"birth-death", "birth-persistence"}, default="birth-death"
        What is drawn upwards: death, or persistence = death - birth, as codebooks have
        it.
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
    plot_barcode : The same points as bars.

    Examples
    --------
    >>> import numpy as np
    >>> from pbow.plotting import plot_diagram
    >>> sample = {"H0": [[0, 1], [0, np.inf]], "H1": [[1, 3]]}
    >>> ax = plot_diagram(sample, coordinates="birth-persistence")
    >>> ax.get_ylabel()
    'persistence'
    >>> [text.get_text() for text in ax.get_legend().get_texts()]
    ['H0', 'H1']
    """
    check_option("coordinates", coordinates, ("birth-death", "birth-persistence"))
    parts = check_sample(sample)
    ax = check_axes(ax)
    heights = {
        name: points[:, 1] - points[:, 0] * (coordinates == "birth-persistence")
        for name, points in parts.items()
    }
    births = np.concatenate([points[:, 0] for points in parts.values()])
    upwards = np.concatenate(list(heights.values()))
    (left, right), (low, high) = _limits(births, upwards, coordinates)
    infinity = high
    if np.isinf(upwards).any():
        # Above all finite deaths, with as much room over it.
        infinity, high = high + 0.04 * (high - low), high + 0.08 * (high - low)
        ax.axhline(infinity, color=GRAY, linewidth=0.8, linestyle="--", zorder=0.5)
        ax.annotate(
            "∞",
            (1.0, infinity),
            xycoords=("axes fraction", "data"),
            xytext=(4, 0),
            textcoords="offset points",
            verticalalignment="center",
            annotation_clip=False,
        )
    diagonal = (0.0, 0.0) if coordinates == "birth-persistence" else (left, right)
    ax.plot(
        (left, right), diagonal, color=GRAY, linewidth=0.8, linestyle=":", zorder=0.5
    )
    for k, (name, points) in enumerate(parts.items()):
        ax.scatter(
            points[:, 0],
            np.minimum(heights[name], infinity),
            s=20.0,
            marker=MARKERS[k % len(MARKERS)],
            facecolor=(COLORS[k % len(COLORS)], 0.6),
            edgecolor=COLORS[k % len(COLORS)],
            linewidths=0.5,
            label=name,
            zorder=2,
        )
    ax.set(
        xlim=(left, right),
        ylim=(low, high),
        xlabel="birth",
        ylabel=coordinates.removeprefix("birth-"),
    )
    if len(parts) > 1:
        ax.legend(loc="best")
        without_formulas(ax)
    return ax


def _limits(
    births: Floats, upwards: Floats, coordinates: str
) -> tuple[tuple[float, float], tuple[float, float]]:
    """Return room for all points and the diagonal; the same both ways for deaths."""
    finite = upwards[np.isfinite(upwards)]
    if coordinates == "birth-persistence":
        return _padded(births), _padded(np.append(finite, 0.0))
    both = _padded(np.concatenate((births, finite)))
    return both, both


def _padded(values: Floats) -> tuple[float, float]:
    if len(values) == 0:
        return 0.0, 1.0
    low, high = float(values.min()), float(values.max())
    margin = MARGIN * (high - low) if high > low else 0.5
    return low - margin, high + margin
