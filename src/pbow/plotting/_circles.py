"""Words as circles in the birth-persistence plane; a value is the area of a circle."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from pbow.codebook import GaussianCodebook, KMeansCodebook
from pbow.diagrams import Diagrams
from pbow.encoding import encode_counts, encode_likelihoods
from pbow.plotting._axes import GRAY

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.legend import Legend

__all__ = [
    "add_key",
    "average_counts",
    "draw_beyond",
    "draw_circles",
    "draw_words_beyond",
    "places_of",
    "room_for",
]

Floats = NDArray[np.float64]

# Diameter of the largest circle, in points of 1/72 inch, up to so many words; with
# more words circles are smaller, and cover about as much together.
LARGEST, FEW = 26.0, 25
EDGE = 0.5
# Share of the range of the words that is left free on each side, for the circles.
MARGIN = 0.12
# Outliers are at most this share of the points (or of their weights) at each end, and
# beyond the others by more than so many times the range of these.
OUTLIERS, FAR = 1e-3, 3.0


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
    ax: Axes,
    words: Floats,
    values: Floats,
    largest: float,
    colors: Sequence[str],
    filled: Sequence[bool] | None = None,
) -> None:
    """Draw one circle per word, in its color; a word of value 0 is a small dot."""
    fills = [True] * len(words) if filled is None else filled
    # Persistence 0 is the diagonal of the diagram.
    ax.axhline(0.0, color=GRAY, linewidth=0.6, linestyle=":", zorder=0.5)
    births, persistences = words.T
    ax.scatter(births, persistences, s=2.0, color=GRAY, linewidths=0, zorder=1)
    # An edge tells overlapping circles apart; on a circle of no size it would be a dot.
    ax.scatter(
        births,
        persistences,
        s=_areas(values, largest, len(words)),
        facecolor=[
            (color, 0.4 if is_filled else 0.0)
            for color, is_filled in zip(colors, fills, strict=True)
        ],
        edgecolor=list(colors),
        linewidths=np.where(values > 0.0, EDGE, 0.0).tolist(),
        zorder=2,
    )


def add_key(
    ax: Axes, largest: float, n_words: int, title: str, *, low: bool = False
) -> Legend:
    """Show right of the Axes what the areas mean, where so many words were drawn.

    `low` is at the bottom, below another legend.
    """
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
    return ax.legend(
        handles=handles,
        title=title,
        loc="lower left" if low else "upper left",
        bbox_to_anchor=(1.07, 0.0 if low else 1.0),
        borderaxespad=0.0,
        labelspacing=1.3,
        handletextpad=1.0,
        frameon=False,
        alignment="left",
    )


def room_for(points: Floats, weights: Floats | None = None) -> dict[str, Any]:
    """Return limits of the Axes with persistence 0, all points but outliers, a margin.

    Without weights, each point weighs 1: of fewer than 1000 points, none is an outlier.
    """
    weights = np.ones(len(points)) if weights is None else weights
    (left, right), (low, high) = (_range(values, weights) for values in points.T)
    low, high = min(0.0, low), max(0.0, high)
    across = MARGIN * (right - left if right > left else 1.0)
    up = MARGIN * (high - low if high > low else 1.0)
    return {"xlim": (left - across, right + across), "ylim": (low - up, high + up)}


def draw_beyond(
    ax: Axes, points: Floats, limits: Mapping[str, Any], color: str
) -> None:
    """Mark points outside the limits by triangles at the edge, towards the points."""
    low, high = np.array([limits["xlim"], limits["ylim"]]).T
    births, persistences = points.T
    sides = (
        (births < low[0], "<"),
        (births > high[0], ">"),
        (persistences < low[1], "v"),
        (persistences > high[1], "^"),
    )
    inset = 0.015 * (high - low)
    for is_beyond, marker in sides:
        if is_beyond.any():
            x, y = np.clip(points[is_beyond], low + inset, high - inset).T
            ax.scatter(x, y, s=24.0, marker=marker, color=color, zorder=3)


def draw_words_beyond(
    ax: Axes, words: Floats, limits: Mapping[str, Any], colors: Sequence[str]
) -> None:
    """Mark words outside the limits at the edge, each in its color."""
    for color in dict.fromkeys(colors):
        members = np.array([other == color for other in colors])
        draw_beyond(ax, words[members], limits, color)


def _range(values: Floats, weights: Floats) -> tuple[float, float]:
    """Return the least and the largest value; of an end with outliers, without them."""
    order = np.argsort(values, kind="stable")
    values, shares = values[order], weights[order]
    reached = np.cumsum(shares)
    low, high = float(values[0]), float(values[-1])
    if reached[-1] <= 0.0:
        return low, high
    cut = OUTLIERS * reached[-1] * (1.0 + 1e-9)
    core = values[(reached > cut) & (reached - shares < reached[-1] - cut)]
    if len(core) == 0 or core[-1] == core[0]:
        return low, high
    fence = FAR * (core[-1] - core[0])
    return (
        float(core[0]) if low < core[0] - fence else low,
        float(core[-1]) if high > core[-1] + fence else high,
    )


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
