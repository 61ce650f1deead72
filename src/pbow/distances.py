"""Distances between two diagrams, exact, with the matching that they come from."""

from __future__ import annotations

import math
from numbers import Real
from typing import Any, Literal, NamedTuple, overload

import numpy as np
from numpy.typing import NDArray

from pbow._utils.checks import is_finite_number
from pbow._utils.text import plural
from pbow.compute.bottleneck import diagonal_factor
from pbow.compute.matching import NOBODY, match
from pbow.compute.transport import set_lengths, transport
from pbow.compute.wasserstein import (
    Prepared,
    births_between,
    distances_between,
    norm_of,
    prepare,
    transports,
)
from pbow.diagrams import LARGEST_COORDINATE, Diagrams
from pbow.errors import ParameterError
from pbow.essential import finite_parts

__all__ = ["bottleneck_distance", "wasserstein_distance"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Essential = Literal["match", "drop"] | float

DIAGONAL = -1


@overload
def wasserstein_distance(
    X: Any,
    Y: Any,
    order: float = ...,
    *,
    ground_metric: float = ...,
    essential: Essential = ...,
    return_matching: Literal[False] = ...,
) -> float: ...
@overload
def wasserstein_distance(
    X: Any,
    Y: Any,
    order: float = ...,
    *,
    ground_metric: float = ...,
    essential: Essential = ...,
    return_matching: Literal[True],
) -> tuple[float, Ints | None]: ...
def wasserstein_distance(
    X: Any,
    Y: Any,
    order: float = 2,
    *,
    ground_metric: float = math.inf,
    essential: Essential = "match",
    return_matching: bool = False,
) -> float | tuple[float, Ints | None]:
    r"""Return the Wasserstein distance between two diagrams.

    The distance of order q is the least, over all ways to pair points of X with points
    of Y and to leave the others to the diagonal, of :math:`(\sum c^q)^{1/q}`, where c
    is the distance of a pair, or that of a point to the diagonal. It is exact: the
    matching is proven to be the best one, but for rounding.

    Parameters
    ----------
    X, Y : array-like of shape (n_points, 2), or Diagrams of one sample and one part
        Births and deaths.
    order : float, default=2
        The q of the distance, 1 or more; ``inf`` for the bottleneck distance.
    ground_metric : {1, 2, inf}, default=inf
        The norm of the differences in birth and in death that is the distance of two
        points: their sum, the Euclidean distance, or the larger one. A point of
        persistence p is then p, p / √2, or p / 2 away from the diagonal.
    essential : {"match", "drop"} or float, default="match"
        What to do with essential points: match them among themselves by their births,
        so that the distance is infinite where their numbers differ; leave them out; or
        take this number as their death.
    return_matching : bool, default=False
        Whether to return the matching as well.

    Returns
    -------
    distance : float
    matching : ndarray of shape (n_pairs, 2), or None
        Only if `return_matching`. Row ``[i, j]`` says that point i of X is paired with
        point j of Y; -1 stands for the diagonal. Points of X come in their order, then
        points of Y that are left. Points that are dropped are in no row. Where several
        matchings have the distance, it is one of them; of order ``inf``, one with the
        least sum of distances among those within the distance of the finite points.
        None where the distance is infinite.

    See Also
    --------
    bottleneck_distance : Order ``inf``.
    pbow.kernels.WassersteinKernel : The distances of many diagrams, in threads.
    pbow.plotting.plot_matching : A figure of the matching.

    Notes
    -----
    This is what GUDHI's ``wasserstein_distance`` computes. There, the defaults are
    order 1 and the ground metric ``inf``; persim's ``wasserstein`` has order 1 and the
    ground metric 2.

    Examples
    --------
    The second point of the first diagram is left to the diagonal, for 0.1:

    >>> from pbow.distances import wasserstein_distance
    >>> X, Y = [[0.0, 1.0], [0.5, 0.7]], [[0.0, 1.3]]
    >>> round(wasserstein_distance(X, Y, order=1), 6)
    0.4
    >>> distance, matching = wasserstein_distance(X, Y, order=1, return_matching=True)
    >>> matching
    array([[ 0,  0],
           [ 1, -1]])

    Essential points cannot be left, and are matched by their births:

    >>> inf = float("inf")
    >>> wasserstein_distance([[0.0, inf]], [[0.5, inf]])
    0.5
    >>> wasserstein_distance([[0.0, inf]], [])
    inf
    """
    return _compare(X, Y, order, ground_metric, essential, return_matching)


@overload
def bottleneck_distance(
    X: Any,
    Y: Any,
    *,
    ground_metric: float = ...,
    essential: Essential = ...,
    return_matching: Literal[False] = ...,
) -> float: ...
@overload
def bottleneck_distance(
    X: Any,
    Y: Any,
    *,
    ground_metric: float = ...,
    essential: Essential = ...,
    return_matching: Literal[True],
) -> tuple[float, Ints | None]: ...
def bottleneck_distance(
    X: Any,
    Y: Any,
    *,
    ground_metric: float = math.inf,
    essential: Essential = "match",
    return_matching: bool = False,
) -> float | tuple[float, Ints | None]:
    """Return the bottleneck distance between two diagrams.

    It is the least, over all ways to pair points of X with points of Y and to leave the
    others to the diagonal, of the largest distance of a pair, or of a point to the
    diagonal. It is exact: one of these distances.

    Parameters
    ----------
    X, Y : array-like of shape (n_points, 2), or Diagrams of one sample and one part
        Births and deaths.
    ground_metric : {1, 2, inf}, default=inf
        The distance of two points, as in :func:`wasserstein_distance`.
    essential : {"match", "drop"} or float, default="match"
        What to do with essential points, likewise.
    return_matching : bool, default=False
        Whether to return the matching as well.

    Returns
    -------
    distance : float
    matching : ndarray of shape (n_pairs, 2), or None
        Only if `return_matching`, as in :func:`wasserstein_distance`. Of all matchings
        within the distance of the finite points, one with the least sum of distances.

    See Also
    --------
    wasserstein_distance : The norm of all distances, not the largest one.

    Examples
    --------
    >>> from pbow.distances import bottleneck_distance
    >>> X, Y = [[0.0, 10.0], [2.0, 2.5]], [[0.0, 13.0]]
    >>> bottleneck_distance(X, Y)
    3.0
    >>> bottleneck_distance(X, Y, return_matching=True)[1]
    array([[ 0,  0],
           [ 1, -1]])
    """
    return _compare(X, Y, math.inf, ground_metric, essential, return_matching)


def _compare(
    X: Any,
    Y: Any,
    order: Any,
    ground_metric: Any,
    essential: Any,
    return_matching: bool,  # noqa: FBT001 - of the callers, by position
) -> float | tuple[float, Ints | None]:
    is_infinite = isinstance(order, (float, np.floating)) and order == math.inf
    if not is_infinite and not (is_finite_number(order) and order >= 1):
        expected = "a number >= 1, or inf for the bottleneck distance"
        raise ParameterError("order", expected, order)
    is_number = isinstance(ground_metric, Real) and not isinstance(ground_metric, bool)
    if not is_number or ground_metric not in (1, 2, math.inf):
        raise ParameterError("ground_metric", "1, 2 or inf", ground_metric)
    _check_essential(essential)
    q, metric = float(order), float(ground_metric)
    left, right = (
        _prepare(name, diagram, essential) for name, diagram in (("X", X), ("Y", Y))
    )
    one, other = left.prepared, right.prepared
    none = np.empty(0)
    among_finite = distances_between(
        one._replace(births=none),
        other._replace(births=none),
        q,
        metric,
        mirrored=False,
    )
    both = np.stack((among_finite, births_between(one, other, q)))
    distance = float(norm_of(both, q)[0, 0])
    if not return_matching:
        return distance
    if math.isinf(distance):
        return distance, None
    return distance, _matching(left, right, q, metric, float(among_finite[0, 0]))


def _check_essential(essential: Any) -> None:
    if isinstance(essential, str):
        is_one = essential in ("match", "drop")
    else:
        is_one = is_finite_number(essential) and abs(essential) <= LARGEST_COORDINATE
    if not is_one:
        expected = "'match', 'drop' or a finite number"
        raise ParameterError("essential", expected, essential)


class _Diagram(NamedTuple):
    """A diagram that is ready to be compared, and the places of its finite points."""

    prepared: Prepared
    finite: Ints


def _prepare(name: str, diagram: Any, essential: Essential) -> _Diagram:
    if not isinstance(diagram, Diagrams):
        diagram = _from_array(name, diagram)
    if len(diagram) != 1 or len(diagram.parts) != 1:
        msg = (
            f"Expected {name} to be one diagram; got {plural(len(diagram), 'sample')} "
            f"with parts {', '.join(diagram.parts)}. Take a part and a sample, as in "
            f'{name}["{diagram.parts[0]}"][0]; WassersteinKernel compares collections.'
        )
        raise ValueError(msg)
    if not isinstance(essential, str):
        [diagram] = finite_parts(diagram, essential).values()
    prepared = prepare(diagram.points, diagram.offsets)
    if essential == "drop":
        prepared = prepared._replace(
            births=prepared.births[:0],
            birth_places=prepared.birth_places[:0],
            birth_offsets=np.zeros_like(prepared.birth_offsets),
        )
    return _Diagram(prepared, np.flatnonzero(np.isfinite(diagram.points[:, 1])))


def _from_array(name: str, diagram: Any) -> Diagrams:
    try:
        points = np.asarray(diagram, dtype=np.float64)
    except (TypeError, ValueError):  # lists of different lengths, or no numbers
        points = np.empty(1)
    if points.size and (points.ndim != 2 or points.shape[1] != 2):
        msg = (
            f"Expected {name} to be one diagram, births and deaths of shape "
            f"(n_points, 2); got {diagram!r:.100}. Of a list of diagrams take one, as "
            f"{name}[0]; WassersteinKernel compares collections."
        )
        raise ValueError(msg)
    try:
        return Diagrams.from_list([points.reshape(-1, 2)])
    except ValueError as error:
        msg = f"{name} is not a persistence diagram. {error}"
        raise ValueError(msg) from None


def _matching(
    left: _Diagram, right: _Diagram, order: float, metric: float, distance: float
) -> Ints:
    """Return pairs of points, and points that are left, by their places.

    `distance` is that of the finite points.
    """
    one, other = left.prepared, right.prepared
    rows, columns = _best_pairs(one, other, order, metric, distance)
    rows, columns = one.places[rows], other.places[columns]
    rows_left, columns_left = (
        np.setdiff1d(left.finite, rows),
        np.setdiff1d(right.finite, columns),
    )
    diagonal = np.full(len(rows_left) + len(columns_left), DIAGONAL)
    first = np.concatenate(
        (rows, one.birth_places, rows_left, diagonal[: len(columns_left)])
    )
    second = np.concatenate(
        (columns, other.birth_places, diagonal[: len(rows_left)], columns_left)
    )
    # Those of X in their order; the diagonal, below 0, would be first.
    n = len(first) - len(columns_left)
    by_row = np.append(np.argsort(first[:n]), np.arange(n, len(first)))
    return np.stack((first, second), axis=1)[by_row]


def _best_pairs(
    left: Prepared, right: Prepared, order: float, metric: float, distance: float
) -> tuple[Ints, Ints]:
    """Return the finite points that are paired, by their places among sorted ones."""
    n, m = len(left.middles), len(right.middles)
    if np.array_equal(left.points, right.points):
        return np.arange(n), np.arange(n)
    # In this unit no step of a best matching costs more than 1, and all together cost
    # at most n + m: nobody need know how much more others cost.
    unit, most = max(distance, np.finfo(np.float64).tiny), 2.0 * (n + m)

    def cost(lengths: Floats) -> Floats:
        if math.isinf(order):
            return np.where(lengths <= distance, lengths / unit, most)
        with np.errstate(over="ignore"):
            powers: Floats = np.minimum((lengths / unit) ** order, most)
        return powers

    def leaving(points: Floats) -> Floats:
        return cost(diagonal_factor(metric) * (points[1::2] - points[::2]))

    if transports(left, right, order)[0, 0]:
        n_rows, n_columns = len(left.counts), len(right.counts)
        lengths = np.empty(n_rows * n_columns + n_rows + n_columns)
        # By the loop that gave the distance: one of them is it, to the last bit.
        set_lengths(left.distinct, right.distinct, metric, lengths)
        return _pairs_by_transport(left, right, cost(lengths))
    partners, prices = np.empty(n, np.int32), np.empty(m)
    is_bottleneck = math.isinf(order)
    match(
        left.points,
        left.middles,
        leaving(left.points),
        right.points,
        right.middles,
        leaving(right.points),
        1.0 if is_bottleneck else order,
        metric,
        unit,
        unit if is_bottleneck else math.inf,
        partners,
        prices,
    )
    rows = np.flatnonzero(partners != NOBODY)
    return rows, partners[rows].astype(np.int64)


def _pairs_by_transport(
    left: Prepared,
    right: Prepared,
    flat: Floats,
) -> tuple[Ints, Ints]:
    """Return the pairs that a best flow between distinct points stands for."""
    n, m = len(left.counts), len(right.counts)
    flows, prices = np.empty(len(flat), np.int64), np.empty(n + m)
    transport(flat, left.counts, right.counts, flows, prices)
    costs = flat[: n * m].reshape(n, m)
    row_costs, column_costs = flat[n * m : n * m + n], flat[n * m + n :]
    # A pair that costs as much as to leave both points is none.
    is_pair = costs < np.add.outer(row_costs, column_costs)
    pairs = np.where(is_pair, flows[: n * m].reshape(n, m), 0)
    rows, columns = np.nonzero(pairs)
    amounts = pairs[rows, columns]
    rows, columns = np.repeat(rows, amounts), np.repeat(columns, amounts)
    return _one_by_one(rows, left.counts), _one_by_one(columns, right.counts)


def _one_by_one(groups: Ints, counts: Ints) -> Ints:
    """Return the points of groups, each once; those of a group follow each other."""
    by_group = np.argsort(groups, kind="stable")
    used = np.bincount(groups, minlength=len(counts))
    each = np.arange(len(groups)) - np.repeat(np.cumsum(used) - used, used)
    points = np.empty_like(groups)
    points[by_group] = np.repeat(np.cumsum(counts) - counts, used) + each
    return points
