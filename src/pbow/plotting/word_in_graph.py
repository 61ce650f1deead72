"""Figure of the points of a word in the graph that they were computed from."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import coo_array
from scipy.sparse.csgraph import shortest_path

from pbow.errors import ParameterError
from pbow.homology import Graphs
from pbow.plotting._axes import LIGHT_GRAY, check_axes, draw_lines
from pbow.plotting._located import draw_marks, end_figure, find_points

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from pbow.vectorizers import PersistenceBoW, StablePersistenceBoW

__all__ = ["plot_word_in_graph"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

# More vertices without positions would take minutes, and show nothing.
MOST_VERTICES = 2000
N_STEPS = 100


def plot_word_in_graph(
    vectorizer: PersistenceBoW | StablePersistenceBoW,
    graph: Any,
    X: Any,
    word: int | str,
    *,
    positions: ArrayLike | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw a graph, and mark the vertices of the points that fall to a word.

    An orange circle is the vertex where a point is born, a blue cross the vertex where
    it dies. For sPBoW, points with a smaller membership are paler.

    Parameters
    ----------
    vectorizer : PersistenceBoW or StablePersistenceBoW
        Fitted.
    graph : networkx graph, adjacency matrix, or (edges, n_vertices)
        The graph.
    X : Diagrams
        The diagrams of this graph, as ``X[3:4]``, with locations:
        ``graph_extended(graphs, return_locations=True)``.
    word : int or str
        Column of the features, or its name, as ``"ext1_n30_word4"``.
    positions : array-like of shape (n_vertices, 2), optional
        Where to draw the vertices. By default, distances in the plane approximate the
        numbers of edges between vertices (multidimensional scaling), for graphs of up
        to 2000 vertices.
    ax : matplotlib.axes.Axes, optional
        Where to draw. By default in a new figure.

    Returns
    -------
    ax : matplotlib.axes.Axes
        ``ax.figure`` is the figure.

    Raises
    ------
    ValueError
        If the diagrams have no locations, or are not those of the graph.
    ImportError
        Without matplotlib, which is in the extra ``plot``.

    See Also
    --------
    pbow.explain.locate_word : The vertices, without a figure.

    Examples
    --------
    >>> from pbow import Diagrams, PersistenceBoW
    >>> from pbow.plotting import plot_word_in_graph
    >>> graph = ([[0, 1], [1, 2], [2, 0], [2, 3]], 4)
    >>> X = Diagrams([[2, 3]], [0, 1], name="Ext1", locations=[[[0], [2]]])
    >>> bow = PersistenceBoW(n_words=1).fit(X)
    >>> ax = plot_word_in_graph(bow, graph, X, "ext1_word0")
    >>> ax.get_title()
    'ext1_word0: 1 point'
    """
    edges, n_vertices = _edges_of(graph)
    found = find_points(vectorizer, X, word, n_vertices, "vertex", single=True)
    if positions is None:
        places = _layout(edges, n_vertices)
    else:
        places = np.asarray(positions, dtype=np.float64)
        if places.shape != (n_vertices, 2) or not np.isfinite(places).all():
            expected = f"finite numbers of shape ({n_vertices}, 2)"
            raise ParameterError("positions", expected, positions)
    ax = check_axes(ax, 4.8)
    draw_lines(ax, places[edges], linewidths=0.6, alpha=0.5, zorder=1)
    x, y = places.T
    ax.scatter(x, y, s=14.0, color=LIGHT_GRAY, linewidths=0, zorder=2)
    for event, vertices in (("birth", found.births), ("death", found.deaths)):
        marked = np.where(vertices[:, :1] < 0, np.nan, places[vertices[:, 0]])
        draw_marks(ax, marked, found.memberships, event)
    ax.set(xticks=[], yticks=[], aspect="equal")
    end_figure(ax, vectorizer, word, found)
    return ax


def _edges_of(graph: Any) -> tuple[Ints, int]:
    edges, n_vertices = Graphs.from_list([graph])[0]
    return edges.astype(np.int64), n_vertices


def _layout(edges: Ints, n_vertices: int) -> Floats:
    """Place vertices so that distances are about the numbers of edges between them."""
    from sklearn.manifold import smacof  # noqa: PLC0415

    if n_vertices > MOST_VERTICES:
        msg = (
            f"Expected positions for a graph of more than {MOST_VERTICES} vertices; "
            f"it has {n_vertices}."
        )
        raise ValueError(msg)
    ends = (edges[:, 0], edges[:, 1])
    shape = (n_vertices, n_vertices)
    adjacency = coo_array((np.ones(len(edges)), ends), shape=shape).tocsr()
    distances = shortest_path(adjacency, directed=False, unweighted=True)
    is_far = np.isinf(distances)
    # Components stand beside each other.
    distances[is_far] = 0.75 * distances[~is_far].max(initial=0.0) + 1.0
    if n_vertices < 3:
        return np.column_stack(
            (np.arange(n_vertices, dtype=float), np.zeros(n_vertices))
        )
    start = _classical_scaling(distances)
    found = smacof(
        distances, init=start, n_init=1, max_iter=N_STEPS, normalized_stress=False
    )
    places: Floats = np.asarray(found[0], dtype=np.float64)
    return places


def _classical_scaling(distances: Floats) -> Floats:
    """Return places whose scalar products are nearest to those of the distances."""
    squares = distances**2
    centered = squares - squares.mean(axis=0) - squares.mean(axis=1, keepdims=True)
    values, vectors = np.linalg.eigh(-0.5 * (centered + squares.mean()))
    places: Floats = vectors[:, -2:] * np.sqrt(np.maximum(values[-2:], 0.0))
    # Vertices with the same neighbors would never part from each other.
    apart = 1e-3 * np.random.default_rng(0).normal(size=places.shape)
    places += apart * np.abs(places).max(initial=1.0)
    return places
