"""What figures share: Axes to draw in, and colors that everyone can tell apart."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from pbow._utils.optional import import_optional
from pbow.errors import ParameterError

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from numpy.typing import NDArray

__all__ = [
    "BLUE",
    "COLORS",
    "GRAY",
    "LIGHT_GRAY",
    "MARKERS",
    "ORANGE",
    "check_axes",
    "check_panels",
    "draw_lines",
    "new_axes",
    "without_formulas",
]

# Palette of Okabe and Ito, the darkest first; yellow is too pale for points.
COLORS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
# The second is the one that Okabe and Ito call vermilion; most people say orange.
BLUE, ORANGE = COLORS[:2]
GRAY = "0.35"
LIGHT_GRAY = "0.6"
# Shapes beside colors, for readers who do not see the colors.
MARKERS = "os^Dv<>"


def new_axes(
    width: float, height: float, n_columns: int = 1, n_rows: int = 1
) -> NDArray[Any]:
    """Return Axes, row after row, in a new figure of so many inches."""
    plt = import_optional("matplotlib.pyplot", extra="plot", purpose="pbow.plotting")
    _, grid = plt.subplots(
        n_rows, n_columns, figsize=(width, height), squeeze=False, layout="constrained"
    )
    return np.ravel(grid)


def check_axes(ax: Axes | None, width: float = 4.4, height: float = 4.0) -> Axes:
    """Return the Axes that were given, or new ones for None."""
    if ax is None:
        ax = new_axes(width, height)[0]
    if not hasattr(ax, "scatter"):
        expected = "matplotlib Axes, as plt.subplots()[1] is, or None for new ones"
        raise ParameterError("ax", expected, ax)
    return ax


def check_panels(axes: Any, n_axes: int, meaning: str) -> NDArray[Any]:
    """Return the Axes that were given as an array, or raise unless there are n."""
    panels = np.asarray(axes, dtype=object).ravel()
    if len(panels) != n_axes or not all(hasattr(ax, "scatter") for ax in panels):
        raise ParameterError("axes", f"{n_axes} matplotlib Axes, {meaning}", axes)
    return panels


def without_formulas(ax: Axes, *, ticks: bool = False) -> None:
    """Show dollar signs in the title and the legend, and at ticks that are names.

    A label, a part or a name may have them; matplotlib would read formulas, and fail
    when it draws what is none.
    """
    texts = [ax.title]
    if legend := ax.get_legend():
        texts += [legend.get_title(), *legend.get_texts()]
    if ticks:
        texts += [*ax.get_xticklabels(), *ax.get_yticklabels()]
    for text in texts:
        text.set_parse_math(False)


def draw_lines(ax: Axes, segments: NDArray[np.float64], **look: Any) -> None:
    """Draw lines, shape (n_lines, 2, 2), which do not change the view; gray ones.

    Axes in space take shape (n_lines, 2, 3), of ends that are drawn already.
    """
    look = {"colors": GRAY} | look
    if segments.shape[2] == 3:
        from mpl_toolkits.mplot3d.art3d import Line3DCollection  # noqa: PLC0415

        space: Any = ax
        space.add_collection3d(Line3DCollection(segments, **look))
    else:
        from matplotlib.collections import LineCollection  # noqa: PLC0415

        ax.add_collection(LineCollection(list(segments), **look), autolim=False)
