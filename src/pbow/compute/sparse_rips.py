"""The sparse graph of a point cloud whose cliques stand in for its Rips complex.

Conventions: `columns` is (n_coordinates, n_points) in float64, C-contiguous, so that
loops over points vectorize; distances are Euclidean. `order` lists the points farthest
first, and `radii` belong to the places in that order. `epsilon` is in (0, 1). Compiled
calls end after ``points_per_call``, and cost n_points * n_coordinates for each. After
N. J. Cavanna, M. Jahanseir, D. R. Sheehy. A geometric perspective on sparse
filtrations. CCCG 2015.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pbow.compute.jit import loop

__all__ = ["Edges", "find_sparse_edges", "order_farthest_first", "room_for_edges"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Ids = NDArray[np.int32]
Edges = tuple[Ids, Ids, Floats]


def room_for_edges(n_edges: int) -> Edges:
    """Return what :func:`find_sparse_edges` fills."""
    return np.empty(n_edges, np.int32), np.empty(n_edges, np.int32), np.empty(n_edges)


@loop
def _fill_squares(columns: Floats, j: int, squares: Floats) -> None:
    """Fill the squared distances of point `j` to the first points, as many as fit."""
    n = squares.shape[0]
    for i in range(n):
        squares[i] = 0.0
    for k in range(columns.shape[0]):
        column = columns[k]
        here = column[j]
        for i in range(n):
            difference = column[i] - here
            squares[i] += difference * difference


def order_farthest_first(columns: Floats, points_per_call: int) -> tuple[Ints, Floats]:
    """Return the order from point 0, each time by the point farthest from those before.

    `radii` are these distances, so they decrease; the first one is inf. Among points as
    far, the one of lowest index comes first.
    """
    n = columns.shape[1]
    order, radii, nearest = np.zeros(n + 1, np.int64), np.empty(n), np.full(n, np.inf)
    for first in range(0, n, points_per_call):
        last = min(first + points_per_call, n)
        _order_farthest_first(columns, first, last, nearest, order, radii)
    return order[:n], radii


@loop
def _order_farthest_first(
    columns: Floats, first: int, last: int, nearest: Floats, order: Ints, radii: Floats
) -> None:
    """Fill places ``first:last`` of `radii`, and of `order` those after each."""
    n = columns.shape[1]
    squares = np.empty(n)
    for place in range(first, last):
        farthest = order[place]
        radii[place] = np.sqrt(nearest[farthest])
        nearest[farthest] = -1.0  # stays the smallest
        _fill_squares(columns, farthest, squares)
        for i in range(n):
            nearest[i] = min(nearest[i], squares[i])
        for i in range(n):
            if nearest[i] > nearest[farthest]:
                farthest = i
        order[place + 1] = farthest


@loop
def _edge_value(length: float, older: float, younger: float, epsilon: float) -> float:
    """Return when two balls meet, as a diameter; inf where they never do.

    The ball of a point of radius r in the order grows to r / epsilon and stays so; it
    is taken away at r / (epsilon (1 - epsilon)), when it lies in others.
    """
    stops = younger / epsilon
    if length <= 2.0 * stops:
        return length
    meets = length - stops
    if meets <= older / epsilon and meets <= stops / (1.0 - epsilon):
        return 2.0 * meets
    return np.inf


@loop
def _longest_square(younger: float, epsilon: float) -> float:
    """Return a bound, not less than the square of any length of an edge."""
    longest = younger / epsilon * (1.0 + 1.0 / (1.0 - epsilon))
    return longest * longest * (1.0 + 1e-9)


def find_sparse_edges(
    columns: Floats,
    radii: Floats,
    epsilon: float,
    max_value: float,
    edges: Edges,
    points_per_call: int,
) -> int:
    """Fill `edges` of value up to `max_value` of the sparse graph; return their number.

    Points are in the order of `radii`; `max_value` is finite. Edges are the places of
    both ends, the older one first, and the value. Those beyond the room in the arrays
    are counted and not filled in.
    """
    n_edges = 0
    for first in range(0, columns.shape[1], points_per_call):
        last = min(first + points_per_call, columns.shape[1])
        n_edges = _find_sparse_edges(
            columns, radii, epsilon, max_value, first, last, n_edges, *edges
        )
    return n_edges


@loop
def _find_sparse_edges(
    columns: Floats,
    radii: Floats,
    epsilon: float,
    max_value: float,
    first: int,
    last: int,
    n_edges: int,
    older: Ids,
    younger: Ids,
    values: Floats,
) -> int:
    squares = np.empty(last)
    for j in range(first, last):
        _fill_squares(columns, j, squares[:j])
        longest = _longest_square(radii[j], epsilon)
        for i in range(j):
            if squares[i] <= longest:
                length = np.sqrt(squares[i])
                value = _edge_value(length, radii[i], radii[j], epsilon)
                if value <= max_value:
                    if n_edges < values.shape[0]:
                        older[n_edges], younger[n_edges] = i, j
                        values[n_edges] = value
                    n_edges += 1
    return n_edges
