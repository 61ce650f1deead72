"""What all figures share: their form, their look, and how they are written."""

import math
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from pbow._utils.files import atomic_write

# Without a salt, the names inside an SVG are random. A dollar sign in the name of a
# data set begins no formula.
STYLE = {"svg.hashsalt": "pbow", "text.parse_math": False}
# Okabe and Ito's, which everyone can tell apart.
BLUE, RED, GREEN, ORANGE = "#0072B2", "#D55E00", "#009E73", "#E69F00"
# Of one of several panels, and the width of an entry of a legend, in inches.
PANEL, ENTRY = (3.3, 2.7), 1.3


class CannotDraw(ValueError):  # noqa: N818  a figure is left out, nothing failed
    """What a figure would show is not there; the message says what is missing."""


class Captioned(NamedTuple):
    """A figure, the name of its files, and the words that go with it."""

    name: str
    title: str
    caption: str
    figure: Figure


def file_name(shows: str, dataset: str) -> str:
    """Return the name of a figure of a data set, which may be called anything."""
    return f"{shows}_{re.sub('[^A-Za-z0-9_-]+', '-', dataset)[:80]}"


def save(made: Captioned, folder: Path) -> None:
    """Write a figure as PNG and as SVG, without date and version."""
    with atomic_write(folder / f"{made.name}.png") as file:
        made.figure.savefig(file, format="png", dpi=150, metadata={"Software": None})
    with atomic_write(folder / f"{made.name}.svg") as file:
        about = {"Title": made.title, "Date": None, "Creator": None}
        made.figure.savefig(file, format="svg", metadata=about)


def new_figure(width: float, height: float) -> Figure:
    """Return an empty figure of so many inches, which pyplot knows nothing of."""
    return Figure(figsize=(width, height), layout="constrained")


def new_panels(n: int) -> tuple[Figure, list[Axes]]:
    """Return a figure with n panels, row after row, and room for a legend."""
    n_columns = n if n <= 3 else math.ceil(math.sqrt(n))
    n_rows = math.ceil(n / n_columns)
    figure = new_figure(max(PANEL[0] * n_columns, 4.5), PANEL[1] * n_rows + 0.5)
    return figure, [figure.add_subplot(n_rows, n_columns, k + 1) for k in range(n)]


def add_legend(figure: Figure, handles: Sequence[Any]) -> None:
    """Add a legend below all panels, in rows that fit into the figure."""
    n_rows = math.ceil(len(handles) / max(1, int(figure.get_figwidth() / ENTRY)))
    look = {"ncols": math.ceil(len(handles) / n_rows), "columnspacing": 1.2}
    figure.legend(handles=handles, loc="outside lower center", frameon=False, **look)
