"""Words as circles in the birth-persistence plane; a value is the area of a circle."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from pbow.codebook import GaussianCodebook, KMeansCodebook
from pbow.diagrams import Diagrams
from pbow.encoding import encode_counts, encode_likelihoods
from pbow.plotting._axes import GRAY

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["add_key", "average_counts", "draw_circles", "places_of", "room_for"]

Floats = NDArray[np.float64]

# Diameter of the largest circle, in points of 1/72 inch, up to so many words; with
# more words circles are smaller, and cover about as much together.
LARGEST, FEW = 26.0, 25
EDGE = 0.5
# Share of the range of the words that is left free on each side, for the circles.
MARGIN = 0.12


def places_of(codebook: KMeansCodebook | GaussianCodebook) -> Floats:
    """Return births and persistences of the words."""
    return codebook.words if isinstance(codebook, KMeansCodebook) else codebook.means


def average_counts(
    X: Diagrams, codebook: KMeansCodebook | GaussianCodebook, labels: NDArray[Any]
) -> dict[Any, Floats]:
    """Return how many points a diagram has near each word, averaged for each label.

    A point counts for its nearest word; for those of a mixture, by their posterior
    probabilities. Without weights and normalization.
    """
    if isinstance(codebook, KMeansCodebook):
        counts = encode_counts(X, codebook)
    else:
        counts = encode_likelihoods(X, codebook, scale="posterior")
    return {
        label: counts[labels == label].mean(axis=0)
        for label in np.unique(labels).tolist()
    }


def draw_circles(
    ax: Axes, words: Floats, values: Floats, largest: float, colors: Sequence[str]
) -> None:
    """Draw one circle per word, in its color; a word of value 0 is a small dot."""
    # Persistence 0 is the diagonal of the diagram.
    ax.axhline(0.0, color=GRAY, linewidth=0.6, linestyle=":", zorder=0.5)
    births, persistences = words.T
    ax.scatter(births, persistences, s=2.0, color=GRAY, linewidths=0, zorder=1)
    # An edge tells overlapping circles apart; on a circle of no size it would be a dot.
    ax.scatter(
        births,
        persistences,
        s=_areas(values, largest, len(words)),
        facecolor=[(color, 0.4) for color in colors],
        edgecolor=list(colors),
        linewidths=np.where(values > 0.0, EDGE, 0.0).tolist(),
        zorder=2,
    )


def add_key(ax: Axes, largest: float, n_words: int, title: str) -> None:
    """Show right of the Axes what the areas mean, where so many words were drawn."""
    from matplotlib.lines import Line2D  # noqa: PLC0415

    handles = [
        Line2D(
            [],
            [],
            linestyle="",
            marker="o",
            markersize=math.sqrt(_areas(np.array([value]), largest, n_words)[0]),
            markerfacecolor=(GRAY, 0.4),
            markeredgecolor=GRAY,
            markeredgewidth=EDGE,
            label=f"{value:g}",
        )
        for value in _round_values(largest)
    ]
    ax.legend(
        handles=handles,
        title=title,
        loc="upper left",
        bbox_to_anchor=(1.07, 1.0),
        borderaxespad=0.0,
        labelspacing=1.3,
        handletextpad=1.0,
        frameon=False,
        alignment="left",
    )


def room_for(points: Floats) -> dict[str, Any]:
    """Return limits of the Axes with all points and persistence 0, and a margin."""
    low, high = points.min(axis=0), points.max(axis=0)
    low[1], high[1] = min(0.0, low[1]), max(0.0, high[1])
    margin = MARGIN * np.where(high > low, high - low, 1.0)
    return {
        "xlim": (float(low[0] - margin[0]), float(high[0] + margin[0])),
        "ylim": (float(low[1] - margin[1]), float(high[1] + margin[1])),
    }


def _round_values(largest: float) -> list[float]:
    """Return three of 1, 2, 5, 10, 20, ..., about five times apart, up to `largest`."""
    exponent = math.floor(math.log10(largest))
    steps = [
        float(f"{digit}e{power}")
        for power in range(exponent, exponent - 3, -1)
        for digit in (5, 2, 1)
    ]
    return [value for value in steps if value <= largest][:5:2]


def _areas(values: Floats, largest: float, n_words: int) -> Floats:
    """Areas as matplotlib has them: the square of the diameter in points."""
    if largest == 0.0:
        return np.zeros(len(values))
    return LARGEST**2 * min(1.0, FEW / n_words) * values / largest
