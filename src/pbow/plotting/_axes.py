"""What pictures share: Axes to draw in, and colours that everyone can tell apart."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from numpy.typing import NDArray

__all__ = ["BLUE", "COLOURS", "GREY", "MARKERS", "RED", "check_axes", "new_axes"]

# Palette of Okabe and Ito, the darkest first; yellow is too pale for points.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
BLUE, RED = COLOURS[:2]
GREY = "0.35"
# Shapes beside colours, for whoever sees no colours.
MARKERS = "os^Dv<>"


def new_axes(
    width: float, height: float, n_columns: int = 1, n_rows: int = 1
) -> NDArray[Any]:
    """Return Axes, row after row, in a new figure of so many inches."""
    try:
        import matplotlib.pyplot as plt  # noqa: PLC0415
    except ImportError as error:
        msg = (
            "pbow.plotting needs matplotlib, of the extra plot: pip install matplotlib."
        )
        raise ImportError(msg) from error
    _, grid = plt.subplots(
        n_rows, n_columns, figsize=(width, height), squeeze=False, layout="constrained"
    )
    axes: NDArray[Any] = grid.ravel()
    return axes


def check_axes(ax: Any, width: float = 4.4, height: float = 4.0) -> Axes:
    """Return the Axes that were given, or new ones for None."""
    if ax is None:
        made: Axes = new_axes(width, height)[0]
        return made
    if not hasattr(ax, "scatter"):
        msg = (
            "Expected ax to be matplotlib Axes, as plt.subplots()[1] is, or None for "
            f"new ones; got {ax!r}."
        )
        raise ValueError(msg)
    given: Axes = ax
    return given
