"""Figure of a codebook: words, their cells or ellipses, and the points below."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.spatial import Voronoi

from pbow.codebook import GaussianCodebook, KMeansCodebook
from pbow.diagrams import Diagrams
from pbow.plotting._axes import BLUE, GRAY, LIGHT_GRAY, ORANGE, check_axes, draw_lines
from pbow.plotting._checks import check_codebook, check_points, check_samples
from pbow.plotting._circles import draw_beyond, draw_words_beyond, places_of, room_for
from pbow.sampling import draw_sample

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from pbow.vectorizers import PersistenceBoW, StablePersistenceBoW

__all__ = ["draw_codebook", "plot_codebook", "thinned"]

Floats = NDArray[np.float64]

# Dots of the consolidated diagram; more would only blacken the same places.
MOST_POINTS = 5000
# Of the view in scaled coordinates, relative to the longer side.
SHORTEST_SIDE = 1e-6


def plot_codebook(
    vectorizer: PersistenceBoW | StablePersistenceBoW,
    X: Any = None,
    *,
    sample: ArrayLike | None = None,
    part: str | None = None,
    resolution: int | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw the words of a codebook in the birth-persistence plane.

    Words of k-means are dots, with lines between the cells of points that each word is
    nearest to; components of a mixture are ellipses of one standard deviation. Nearest
    is meant in the coordinates that the codebook was learnt in: divided by its scale.

    Parameters
    ----------
    vectorizer : PersistenceBoW or StablePersistenceBoW
        Fitted.
    X : Diagrams or list of array-like of shape (n_points_i, 2), optional
        Diagrams with the same parts as in fit, whose points are drawn below the words,
        in gray: all that are finite, or 5000 of them drawn at random.
    sample : array-like of shape (n_points, 2), optional
        Births and persistences that are drawn above those, in blue, for example the
        points that the words were learnt from (:func:`pbow.sampling.draw_sample`).
    part : str, optional
        Part to draw, for example ``"H1"``. Needed if there are several.
    resolution : int, optional
        Number of words of the resolution to draw, if the codebook has several. By
        default the finest.
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
    plot_class_words : How many points diagrams of each label have near the words.

    Examples
    --------
    >>> from pbow import PersistenceBoW
    >>> from pbow.plotting import plot_codebook
    >>> X = [[[0, 1], [0, 2]], [[0, 1]], [[3, 9], [3, 8]], [[3, 8]]]
    >>> bow = PersistenceBoW(n_words=2, random_state=0).fit(X)
    >>> ax = plot_codebook(bow, X)
    >>> words = ax.collections[-1].get_offsets()
    >>> bool((words == bow.codebooks_[""].words).all())
    True
    """
    part, codebook = check_codebook(vectorizer, part, resolution)
    layers = []
    if X is not None:
        layers.append((thinned(check_samples(vectorizer, X, part)), LIGHT_GRAY))
    if sample is not None:
        layers.append((check_points(sample, "sample"), BLUE))
    ax = check_axes(ax, 5.0)
    words = draw_codebook(ax, codebook, layers)
    births, persistences = words.T
    ax.scatter(
        births,
        persistences,
        s=22.0,
        color=ORANGE,
        edgecolor="white",
        linewidths=0.8,
        zorder=3,
    )
    return ax


def thinned(finite: Diagrams) -> Floats:
    """Return births and persistences to draw, 5000 of them at most."""
    if len(finite.points) == 0:
        return np.empty((0, 2))
    return draw_sample([finite], MOST_POINTS, ramp=None, seed=0)


def draw_codebook(
    ax: Axes,
    codebook: KMeansCodebook | GaussianCodebook,
    layers: Sequence[tuple[Floats, str]],
) -> Floats:
    """Draw layers of points, and cells or ellipses; return the words, to draw above."""
    words = places_of(codebook)
    limits = room_for(np.concatenate([words, *(points for points, _ in layers)]))
    ax.axhline(0.0, color=GRAY, linewidth=0.6, linestyle=":", zorder=0.5)
    for points, color in layers:
        births, persistences = points.T
        ax.scatter(
            births, persistences, s=4.0, color=color, alpha=0.5, linewidths=0, zorder=1
        )
        draw_beyond(ax, points, limits, color)
    if isinstance(codebook, KMeansCodebook):
        _draw_cells(ax, codebook, np.array([limits["xlim"], limits["ylim"]]))
    else:
        _draw_ellipses(ax, codebook)
    draw_words_beyond(ax, words, limits, [ORANGE] * len(words))
    ax.set(xlabel="birth", ylabel="persistence", **limits)
    return words


def _draw_cells(ax: Axes, codebook: KMeansCodebook, box: Floats) -> None:
    """Draw the borders between the cells of the words, as far as the box goes."""
    # In units of the longer side, for Qhull needs sizes near 1. To make the other side
    # longer than it is turns no border by anything that could be seen.
    sides = np.ptp(box, axis=1) / codebook.scale
    scale = np.ptp(box, axis=1) / np.maximum(sides / sides.max(), SHORTEST_SIDE)
    segments = _borders(codebook.words / scale, box / scale[:, np.newaxis])
    draw_lines(ax, segments * scale, linewidths=0.7, zorder=2)


def _borders(words: Floats, box: Floats) -> Floats:
    """Return the borders between Voronoi cells in a box that has all words in it.

    Each word is mirrored at the four sides, which so become borders themselves: every
    other border ends at them, and no number or position of words is a special case.
    """
    low, high = box.T
    mirrored = [
        np.where(np.arange(2) == axis, 2.0 * side - words, words)
        for axis in range(2)
        for side in (low, high)
    ]
    diagram = Voronoi(np.concatenate([words, *mirrored]))
    # A ridge goes to infinity, by a vertex -1, between mirrored words only.
    between = (diagram.ridge_points < len(words)).all(axis=1)
    segments: Floats = diagram.vertices[np.array(diagram.ridge_vertices)[between]]
    return segments


def _draw_ellipses(ax: Axes, codebook: GaussianCodebook) -> None:
    """Draw an ellipse for each component of the mixture."""
    from matplotlib.patches import Ellipse  # noqa: PLC0415

    for mean, covariance in zip(codebook.means, codebook.covariances, strict=True):
        variances, axes = np.linalg.eigh(covariance)
        width, height = 2.0 * np.sqrt(variances)
        ellipse = Ellipse(
            (float(mean[0]), float(mean[1])),
            float(width),
            float(height),
            angle=float(np.degrees(np.arctan2(axes[1, 0], axes[0, 0]))),
            facecolor=(ORANGE, 0.15),
            edgecolor=ORANGE,
            linewidth=0.8,
            zorder=2,
        )
        ax.add_patch(ellipse)
