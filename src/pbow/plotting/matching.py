"""Figure of the best matching between two diagrams, and its cost."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from pbow.distances import wasserstein_distance
from pbow.plotting._axes import draw_lines
from pbow.plotting._checks import check_sample
from pbow.plotting.diagram import plot_diagram

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["plot_matching"]

Floats = NDArray[np.float64]

# Per diagram. More cannot be seen in a figure.
MOST_POINTS = 2000


def plot_matching(
    first: Any, second: Any, *, order: float = 2, ax: Axes | None = None
) -> Axes:
    r"""Draw the matching of two diagrams that their Wasserstein distance comes from.

    A solid line joins two points that are paired; a dashed one leads from a point that
    is left to its place on the diagonal. The title has the distance,
    :math:`(\sum c^q)^{1/q}` over the lines, where a line costs c, the larger of the
    differences in birth and in death: the one of
    :class:`~pbow.kernels.WassersteinKernel`. Order ``inf`` is the bottleneck distance,
    the largest c; of all matchings that have it, one with the least sum is drawn.

    Parameters
    ----------
    first, second : array-like of shape (n_points, 2), or Diagrams
        Births and deaths of one part, as ``X[3]`` or ``X[3]["H1"]``; at most 2000
        points each. Essential points are left out, as they are by default in the
        kernel.
    order : float, default=2
        The q of the distance, 1 or more; ``inf`` for the bottleneck distance.
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
    pbow.distances.wasserstein_distance : The distance and the matching, without figure.
    pbow.kernels.WassersteinKernel : The distances of many diagrams, much faster.

    Examples
    --------
    The second point of the first diagram is left to the diagonal, for 0.1:

    >>> from pbow.plotting import plot_matching
    >>> ax = plot_matching([[0.0, 1.0], [0.5, 0.7]], [[0.0, 1.3]], order=1)
    >>> ax.get_title()
    'Wasserstein distance of order 1: 0.4'
    """
    left, right = _check_diagram("first", first), _check_diagram("second", second)
    distance, matching = wasserstein_distance(left, right, order, return_matching=True)
    assert matching is not None  # no essential points, no infinite distance
    rows, columns = matching[(matching >= 0).all(axis=1)].T
    pairs = np.stack((left[rows], right[columns]), axis=1)
    alone = np.concatenate(
        (np.delete(left, rows, axis=0), np.delete(right, columns, axis=0))
    )
    diagonal = np.repeat(alone.mean(axis=1, keepdims=True), 2, axis=1)

    ax = plot_diagram({"first": left, "second": right}, ax=ax)
    left_alone = np.stack((alone, diagonal), axis=1)
    for segments, style in ((pairs, "-"), (left_alone, "--")):
        draw_lines(ax, segments, linewidths=0.9, linestyles=style, zorder=1)
    # Nothing is below the diagonal.
    ax.legend(loc="lower right")
    name = f"Wasserstein distance of order {order:g}"
    if math.isinf(order):
        name = "bottleneck distance"
    ax.set_title(f"{name}: {distance:.4g}")
    return ax


def _check_diagram(name: str, sample: Any) -> Floats:
    parts = check_sample(sample)
    if len(parts) != 1:
        msg = (
            f"Expected {name} to be a diagram of one part; got {', '.join(parts)}. "
            f'Take one of them, as in X[3]["{next(iter(parts))}"].'
        )
        raise ValueError(msg)
    [points] = parts.values()
    finite = points[np.isfinite(points[:, 1])]
    if len(finite) > MOST_POINTS:
        msg = (
            f"Expected {name} to have at most {MOST_POINTS} finite points; got "
            f"{len(finite)}. Draw the most persistent ones; "
            "pbow.distances.wasserstein_distance has the distance of all."
        )
        raise ValueError(msg)
    return finite
