"""Figure of the points of a word in a point cloud, or on the vertices of a mesh."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pbow._utils.optional import import_optional
from pbow.errors import ParameterError
from pbow.plotting._axes import LIGHT_GRAY, check_axes, draw_lines
from pbow.plotting._located import EVENT_COLORS, draw_marks, end_figure, find_points

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from pbow.vectorizers import PersistenceBoW, StablePersistenceBoW

__all__ = ["plot_word_in_cloud"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


def plot_word_in_cloud(
    vectorizer: PersistenceBoW | StablePersistenceBoW,
    cloud: ArrayLike,
    X: Any,
    word: int | str,
    *,
    ax: Axes | None = None,
) -> Axes:
    """Draw a point cloud, and mark the simplices of the points that fall to a word.

    The simplex with which a point of the diagram is born is orange, the one with which
    it dies is blue: their vertices are circles and crosses, joined by lines. A loop is
    born with an edge, the last one of a ring, and dies with a triangle that fills it.
    Vertices of a mesh have births and deaths at single vertices. For sPBoW, points with
    a smaller membership are paler.

    Parameters
    ----------
    vectorizer : PersistenceBoW or StablePersistenceBoW
        Fitted.
    cloud : array-like of shape (n_points, 2) or (n_points, 3)
        The point cloud, or the vertices of the mesh.
    X : Diagrams
        The diagrams of this cloud, as ``X[3:4]``, with locations:
        ``rips(clouds, return_locations=True)``.
    word : int or str
        Column of the features, or its name, as ``"h1_n30_word4"``.
    ax : matplotlib.axes.Axes, optional
        Where to draw; for a cloud in space, Axes with ``projection="3d"``, or others
        for its first two coordinates. By default in a new figure.

    Returns
    -------
    ax : matplotlib.axes.Axes
        ``ax.figure`` is the figure.

    Raises
    ------
    ValueError
        If the diagrams have no locations, or are not those of the cloud.
    ImportError
        Without matplotlib, which is in the extra ``plot``.

    See Also
    --------
    pbow.explain.locate_word : The vertices, without a figure.

    Examples
    --------
    A loop that is born with the edge of points 0 and 3, and dies with a triangle.

    >>> from pbow import Diagrams, PersistenceBoW
    >>> from pbow.plotting import plot_word_in_cloud
    >>> square = [[0, 0], [1, 0], [1, 1], [0, 1]]
    >>> where = [[[0, 3, -1], [0, 1, 2]]]
    >>> X = Diagrams([[1, 1.41]], [0, 1], name="H1", locations=where)
    >>> bow = PersistenceBoW(n_words=1).fit(X)
    >>> ax = plot_word_in_cloud(bow, square, X, "h1_word0")
    >>> ax.get_title()
    'h1_word0: 1 point'
    """
    points = np.asarray(cloud, dtype=np.float64)
    if points.ndim != 2 or points.shape[1] not in {2, 3} or not len(points):
        expected = "points of the plane or of space, shape (n_points, 2 or 3)"
        raise ParameterError("cloud", expected, cloud)
    found = find_points(vectorizer, X, word, len(points), "vertex")
    ax = _new_axes_in_space() if ax is None and points.shape[1] == 3 else check_axes(ax)
    points = points[:, : 3 if hasattr(ax, "zaxis") else 2]
    dots: dict[str, Any] = {"s": 8.0, "color": LIGHT_GRAY, "linewidths": 0, "zorder": 1}
    ax.scatter(*points.T, **dots)
    for event, vertices in (("birth", found.births), ("death", found.deaths)):
        _draw_edges(ax, points, vertices, found.memberships, event)
        owner, column = np.nonzero(vertices >= 0)
        places = points[vertices[owner, column]]
        draw_marks(ax, places, found.memberships[owner], event)
    ax.set_aspect("equal")
    end_figure(ax, vectorizer, word, found)
    return ax


def _draw_edges(
    ax: Axes, points: Floats, vertices: Ints, memberships: Floats, event: str
) -> None:
    """Draw the lines between all vertices of each simplex."""
    from matplotlib.colors import to_rgba  # noqa: PLC0415

    first, second = np.triu_indices(vertices.shape[1], 1)
    pairs = np.stack((vertices[:, first], vertices[:, second]), axis=2)
    row, column = np.nonzero((pairs >= 0).all(axis=2))
    if not len(row):
        return
    colors = np.tile(to_rgba(EVENT_COLORS[event]), (len(row), 1))
    colors[:, 3] = 0.3 + 0.6 * memberships[row]
    segments = points[pairs[row, column]]
    draw_lines(ax, segments, colors=colors, linewidths=1.2, zorder=3)


def _new_axes_in_space() -> Axes:
    plt = import_optional("matplotlib.pyplot", extra="plot", purpose="pbow.plotting")
    _, ax = plt.subplots(
        figsize=(5.4, 4.4), subplot_kw={"projection": "3d"}, layout="constrained"
    )
    axes: Axes = ax
    return axes
