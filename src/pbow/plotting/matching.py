"""Figure of the best matching between two diagrams, and its cost."""

from __future__ import annotations

import math
from bisect import bisect_left
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linear_sum_assignment

from pbow._utils.checks import is_finite_number
from pbow.errors import ParameterError
from pbow.plotting._axes import draw_lines
from pbow.plotting._checks import check_sample
from pbow.plotting.diagram import plot_diagram

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["plot_matching"]

Floats = NDArray[np.float64]
Rows = NDArray[np.intp]

# Per diagram. More cannot be seen in a figure, and the matching would take minutes.
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
    pbow.kernels.WassersteinKernel : The distances of many diagrams, much faster.

    Examples
    --------
    The second point of the first diagram is left to the diagonal, for 0.1:

    >>> from pbow.plotting import plot_matching
    >>> ax = plot_matching([[0.0, 1.0], [0.5, 0.7]], [[0.0, 1.3]], order=1)
    >>> ax.get_title()
    'Wasserstein distance of order 1: 0.4'
    """
    _check_order(order)
    left, right = _check_diagram("first", first), _check_diagram("second", second)
    costs = _Costs(
        np.abs(left[:, np.newaxis] - right).max(axis=2, initial=0.0),
        _half_persistences(left),
        _half_persistences(right),
    )
    rows, columns = _best_matching(costs, order)
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
    lengths = np.append(costs.pairs[rows, columns], _half_persistences(alone))
    name = f"Wasserstein distance of order {order:g}"
    if math.isinf(order):
        name = "bottleneck distance"
    ax.set_title(f"{name}: {_norm(lengths, order):.4g}")
    return ax


class _Costs(NamedTuple):
    """What it costs to pair two points, and to leave one of the left or right."""

    pairs: Floats
    left: Floats
    right: Floats


def _best_matching(costs: _Costs, order: float) -> tuple[Rows, Rows]:
    """Return the points that are paired; the others are left."""
    # In this unit no line of a best matching is longer than n ** (1 / order), and one
    # is at least 1: high powers neither vanish nor overflow.
    longest = _bottleneck(costs)
    unit = max(longest, np.finfo(np.float64).tiny)
    # More than all lines together, so that nobody need know how much more.
    most = 2.0 * (len(costs.left) + len(costs.right))

    def power(distances: Floats) -> Floats:
        if math.isinf(order):
            return np.where(distances <= longest, distances / unit, most)
        with np.errstate(over="ignore"):
            powers: Floats = np.minimum((distances / unit) ** order, most)
        return powers

    rows, columns, _ = _cheapest(_Costs(*map(power, costs)))
    return rows, columns


def _bottleneck(costs: _Costs) -> float:
    """Return the least length that a matching exists within."""

    def n_too_long(length: float) -> float:
        return _cheapest(_Costs(*(np.where(c > length, 1.0, 0.0) for c in costs)))[2]

    lengths = np.unique(np.concatenate([np.zeros(1), *costs], axis=None))
    # Within the last one every matching is.
    first = bisect_left(lengths[:-1], 0.0, key=lambda length: -n_too_long(length))
    return float(lengths[first])


def _cheapest(costs: _Costs) -> tuple[Rows, Rows, float]:
    """Return the pairs of the matching of the least sum, and that sum.

    A pair that costs as much as to leave both points is none.
    """
    saved = np.minimum(costs.pairs - costs.left[:, np.newaxis] - costs.right, 0.0)
    rows, columns = linear_sum_assignment(saved)
    total = costs.left.sum() + costs.right.sum() + saved[rows, columns].sum()
    paired = saved[rows, columns] < 0.0
    return rows[paired], columns[paired], float(total)


def _norm(lengths: Floats, order: float) -> float:
    """Return the norm of the lines, without overflow on the way."""
    longest = float(lengths.max(initial=0.0))
    if math.isinf(order) or longest == 0.0:
        return longest
    return longest * math.pow(np.sum((lengths / longest) ** order), 1.0 / order)


def _half_persistences(points: Floats) -> Floats:
    return 0.5 * (points[:, 1] - points[:, 0])


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
            f"{len(finite)}. Draw the most persistent ones; WassersteinKernel(order)"
            ".distances has the distance of all."
        )
        raise ValueError(msg)
    return finite


def _check_order(order: Any) -> None:
    is_inf = isinstance(order, float) and order == math.inf
    if not is_inf and not (is_finite_number(order) and order >= 1):
        expected = "a number >= 1, or inf for the bottleneck distance"
        raise ParameterError("order", expected, order)
