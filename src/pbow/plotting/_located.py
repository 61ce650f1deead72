"""What figures of words in raw data share: the points of one sample, and markers."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from pbow.diagrams import check_diagrams
from pbow.explain import WordPoints, find_word, locate_word
from pbow.plotting._axes import BLUE, ORANGE, without_formulas

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["EVENT_COLORS", "draw_marks", "end_figure", "find_points"]

Floats = NDArray[np.float64]

# A point that barely belongs to a word is paler, but can be seen.
PALEST = 0.35
EVENT_COLORS = MappingProxyType({"birth": ORANGE, "death": BLUE})


def find_points(
    vectorizer: Any,
    X: Any,
    word: int | str,
    n_places: int,
    noun: str,
    *,
    single: bool = False,
) -> WordPoints:
    """Return the points of a word in one sample, whose raw data have so many places.

    With `single`, each birth and each death has one place, and not a simplex.
    """
    find_word(vectorizer, word)  # Before anything else is asked of what may have none.
    diagrams = check_diagrams(X, parts=vectorizer.parts_, min_samples=1)
    if len(diagrams) != 1:
        msg = (
            f"Expected the diagrams of one sample, as X[3:4]; got {len(diagrams)} "
            "samples."
        )
        raise ValueError(msg)
    found = locate_word(vectorizer, diagrams, word)
    width = found.births.shape[1]
    if single and width != 1:
        msg = (
            f"Expected diagrams with one {noun} for each birth and death; got those "
            f"of {width} vertices, as of point clouds, which plot_word_in_cloud draws. "
            "Pass the diagrams that were computed from the raw data."
        )
        raise ValueError(msg)
    largest = max(found.births.max(initial=-1), found.deaths.max(initial=-1))
    if largest >= n_places:
        msg = (
            f"The diagrams have a point at {noun} {largest}, and there are {n_places}. "
            "Pass the raw data that they were computed from."
        )
        raise ValueError(msg)
    return found


def draw_marks(ax: Axes, places: Floats, memberships: Floats, event: str) -> None:
    """Mark places of an event, "birth" or "death"; NaN where there is none.

    Births are orange circles, deaths are blue crosses, so that both can be seen at one
    place.
    """
    from matplotlib.colors import to_rgba  # noqa: PLC0415

    exist = np.isfinite(places).all(axis=1)
    if not exist.any():
        return  # essential points: the legend names what can be seen
    places, memberships = places[exist], memberships[exist]
    colors = np.tile(to_rgba(EVENT_COLORS[event]), (len(memberships), 1))
    colors[:, 3] = PALEST + (1.0 - PALEST) * memberships
    look: dict[str, Any] = {"marker": "x", "color": colors}
    if event == "birth":
        look = {"marker": "o", "facecolor": "none", "edgecolor": colors}
    look |= {"s": 44.0, "linewidths": 1.7, "zorder": 4, "label": event}
    ax.scatter(*places.T, **look)


def end_figure(ax: Axes, vectorizer: Any, word: int | str, found: WordPoints) -> None:
    """Write which word is shown, how many points it has, and what the markers are."""
    name = find_word(vectorizer, word).name
    n_points = len(found.points)
    ax.set_title(f"{name}: {n_points} point{'' if n_points == 1 else 's'}")
    without_formulas(ax)
    if n_points:
        ax.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0), frameon=False)
