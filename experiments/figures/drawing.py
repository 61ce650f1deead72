"""What figures share: colors, panels, and the error if one cannot be drawn."""

import math
from collections.abc import Sequence
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure

# A figure, what its caption says, and the data set that its files are named after.
Drawn = tuple[Figure, dict[str, Any]] | tuple[Figure, dict[str, Any], str]

# Okabe and Ito's, which everyone can tell apart.
BLUE, RED, GREEN, ORANGE = "#0072B2", "#D55E00", "#009E73", "#E69F00"
# Of one of several panels, and the width of an entry of a legend, in inches.
PANEL, ENTRY = (3.3, 2.7), 1.3


class CannotDraw(ValueError):  # noqa: N818  a figure is left out, nothing failed
    """What a figure would show is not there; the message says what is missing."""


def new_figure(width: float, height: float) -> Figure:
    """Return an empty figure of so many inches, which pyplot knows nothing of."""
    return Figure(figsize=(width, height), layout="constrained")


def new_panels(titles: Sequence[str]) -> tuple[Figure, list[Axes]]:
    """Return a figure with panels, row after row, and room for a legend."""
    n_rows = math.isqrt(len(titles))
    n_columns = math.ceil(len(titles) / n_rows)
    figure = new_figure(max(PANEL[0] * n_columns, 4.5), PANEL[1] * n_rows + 0.5)
    grid = figure.add_gridspec(n_rows, n_columns)
    return figure, [figure.add_subplot(grid[k], title=t) for k, t in enumerate(titles)]


def add_legend(figure: Figure, handles: Sequence[Any]) -> None:
    """Add a legend below all panels, in rows that fit into the figure."""
    n_rows = math.ceil(len(handles) / max(1, int(figure.get_figwidth() / ENTRY)))
    look = {"ncols": math.ceil(len(handles) / n_rows), "columnspacing": 1.2}
    figure.legend(handles=handles, loc="outside lower center", frameon=False, **look)
