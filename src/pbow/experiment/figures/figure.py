"""A figure of an experiment: what it is called, what it says, and how it is drawn."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pbow._utils.files import AnyPath, atomic_write

if TYPE_CHECKING:
    import matplotlib.figure
    from matplotlib.axes import Axes

__all__ = [
    "CannotDraw",
    "Figure",
    "Saved",
    "add_legend",
    "new_figure",
    "new_panels",
    "save",
]

NOT_IN_FILE_NAMES = re.compile(r"[^A-Za-z0-9_-]+")
DOTS_PER_INCH = 150
# Of one of several panels, in inches.
PANEL = (3.3, 2.7)
# Width of an entry of a legend, in inches.
ENTRY = 1.3


class CannotDraw(ValueError):  # noqa: N818  it is what a caller leaves out and tells of
    """What a figure would show is not there; the message says what is missing."""


@dataclass(frozen=True)
class Figure:
    """A figure that is drawn when it is needed.

    Attributes
    ----------
    name : str
        Of its files, without extension; letters, digits, ``-`` and ``_`` are kept.
    title : str
        A few words, for a heading.
    caption : str
        What is shown, and all that one must know to read it.
    draw : callable
        Takes nothing and returns a new ``matplotlib.figure.Figure``, which
        pyplot knows nothing of; ``new_figure`` makes one.

    See Also
    --------
    save : Draw one and write its files.
    """

    name: str
    title: str
    caption: str
    draw: Callable[[], matplotlib.figure.Figure]

    @property
    def stem(self) -> str:
        """The name as files have it: data sets may be called anything."""
        return NOT_IN_FILE_NAMES.sub("-", self.name)


@dataclass(frozen=True)
class Saved:
    """A figure that was drawn: what it says, and its files."""

    name: str
    title: str
    caption: str
    png: Path
    svg: Path


def save(figure: Figure, folder: AnyPath) -> Saved:
    """Draw a figure and write it as PNG and as SVG.

    It looks the same whatever the user's settings of matplotlib are, and the same
    content gives the same bytes with the same matplotlib.

    Parameters
    ----------
    figure : Figure
        What to draw.
    folder : str or path-like
        Where to; it is made where it is missing.

    Returns
    -------
    saved : Saved
        With the paths of both files.

    Raises
    ------
    ImportError
        Without matplotlib, which is in the extra ``plot``.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> from pbow.experiment.figures.figure import Figure, new_figure, save
    >>> def draw():
    ...     figure = new_figure(3, 2)
    ...     figure.subplots().plot([10, 20, 50], [61.0, 64.5, 66.0])
    ...     return figure
    >>> example = Figure("example", "An example", "Accuracy by number of words.", draw)
    >>> with TemporaryDirectory() as folder:
    ...     saved = save(example, folder)
    ...     saved.png.name, saved.svg.exists()
    ('example.png', True)
    """
    _load_matplotlib()
    from matplotlib import style  # noqa: PLC0415

    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    png, svg = folder / f"{figure.stem}.png", folder / f"{figure.stem}.svg"
    # Without a salt, the names inside an SVG are drawn anew each time.
    with style.context(["default", {"svg.hashsalt": figure.name}]):
        drawn = figure.draw()
        with atomic_write(png) as file:
            drawn.savefig(
                file, format="png", dpi=DOTS_PER_INCH, metadata={"Software": None}
            )
        with atomic_write(svg) as file:
            about = {"Title": figure.title, "Date": None, "Creator": None}
            drawn.savefig(file, format="svg", metadata=about)
    return Saved(figure.name, figure.title, figure.caption, png, svg)


def new_figure(width: float, height: float) -> matplotlib.figure.Figure:
    """Return an empty figure of so many inches, which pyplot knows nothing of.

    Raises
    ------
    ImportError
        Without matplotlib, which is in the extra ``plot``.
    """
    made: matplotlib.figure.Figure = _load_matplotlib().figure.Figure(
        figsize=(width, height), layout="constrained"
    )
    return made


def new_panels(n_panels: int) -> tuple[matplotlib.figure.Figure, list[Axes]]:
    """Return a figure with so many panels, row after row, and room for a legend."""
    n_columns = n_panels if n_panels <= 3 else math.ceil(math.sqrt(n_panels))
    n_rows = math.ceil(n_panels / n_columns)
    width, height = PANEL
    figure = new_figure(max(width * n_columns, 4.5), height * n_rows + 0.5)
    axes: list[Axes] = list(figure.subplots(n_rows, n_columns, squeeze=False).flat)
    for ax in axes[n_panels:]:
        ax.remove()
    return figure, axes[:n_panels]


def add_legend(figure: matplotlib.figure.Figure, handles: Sequence[Any]) -> None:
    """Add a legend below all panels, in rows that fit into the figure."""
    most = max(1, int(figure.get_figwidth() / ENTRY))
    n_rows = math.ceil(len(handles) / most)
    figure.legend(
        handles=handles,
        loc="outside lower center",
        ncols=math.ceil(len(handles) / n_rows),
        frameon=False,
        columnspacing=1.2,
    )


def _load_matplotlib() -> Any:
    try:
        import matplotlib.figure  # noqa: PLC0415
    except ImportError as error:
        msg = (
            "Figures of experiments need matplotlib, of the extra plot: "
            "pip install matplotlib."
        )
        raise ImportError(msg) from error
    return matplotlib
