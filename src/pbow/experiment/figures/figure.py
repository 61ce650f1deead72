"""A figure of an experiment: what it is called, what it says, and how it is drawn."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pbow.io.archive import AnyPath, replacing

if TYPE_CHECKING:
    import matplotlib.figure

__all__ = ["Figure", "Saved", "new_figure", "save"]

FILE_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]*")
DOTS_PER_INCH = 150


@dataclass(frozen=True)
class Figure:
    """A figure that is drawn when it is needed.

    Attributes
    ----------
    name : str
        Of its files, without extension: letters, digits, ``-`` and ``_``.
    title : str
        A few words, for a heading.
    caption : str
        What is shown, and all that one must know to read it.
    draw : callable
        Takes nothing and returns a new :class:`matplotlib.figure.Figure`, which
        pyplot knows nothing of; :func:`new_figure` makes one.

    See Also
    --------
    save : Draw one and write its files.
    """

    name: str
    title: str
    caption: str
    draw: Callable[[], matplotlib.figure.Figure]

    def __post_init__(self) -> None:
        if not isinstance(self.name, str) or not FILE_NAME.fullmatch(self.name):
            msg = (
                "Expected the name of a figure to have letters, digits, - and _ only, "
                f"because files are called so; got {self.name!r}."
            )
            raise ValueError(msg)


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
    png, svg = folder / f"{figure.name}.png", folder / f"{figure.name}.svg"
    # Without a salt, the names inside an SVG are drawn anew each time.
    with style.context(["default", {"svg.hashsalt": figure.name}]):
        drawn = figure.draw()
        with replacing(png) as file:
            drawn.savefig(
                file, format="png", dpi=DOTS_PER_INCH, metadata={"Software": None}
            )
        with replacing(svg) as file:
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
