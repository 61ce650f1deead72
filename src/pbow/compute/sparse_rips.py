"""The sparse graph of a point cloud whose cliques stand in for its Rips complex.

Conventions: `columns` is (n_coordinates, n_points) in float64, C-contiguous, so that
loops over points vectorise; distances are Euclidean. `order` lists the points farthest
first, and `radii` belong to the places in that order. `epsilon` is in (0, 1). After
N. J. Cavanna, M. Jahanseir, D. R. Sheehy. A geometric perspective on sparse
filtrations. CCCG 2015.
"""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

__all__ = ["count_sparse_edges", "fill_sparse_edges", "order_farthest_first"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@njit(nogil=True, cache=True)
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


@njit(nogil=True, cache=True)
def order_farthest_first(columns: Floats, order: Ints, radii: Floats) -> None:
    """Fill `order`, from point 0, each time by the point farthest from those before.

    `radii` are these distances, so they decrease; the first one is inf. Among points as
    far, the one of lowest index comes first. O(n_points^2 n_coordinates).
    """
    n = columns.shape[1]
    squares = np.empty(n)
    nearest = np.full(n, np.inf)
    last = 0
    for place in range(n):
        order[place] = last
        radii[place] = np.sqrt(nearest[last])
        nearest[last] = -1.0  # stays the smallest
        _fill_squares(columns, last, squares)
        for i in range(n):
            nearest[i] = min(nearest[i], squares[i])
        for i in range(n):
            if nearest[i] > nearest[last]:
                last = i


@njit(nogil=True, cache=True)
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


@njit(nogil=True, cache=True)
def _longest_square(younger: float, epsilon: float) -> float:
    """Return a bound, not less than the square of any length of an edge."""
    longest = younger / epsilon * (1.0 + 1.0 / (1.0 - epsilon))
    return longest * longest * (1.0 + 1e-9)


@njit(nogil=True, cache=True)
def count_sparse_edges(
    columns: Floats, radii: Floats, epsilon: float, max_value: float
) -> int:
    """Return the number of edges of value up to `max_value` of the sparse graph.

    Points are in the order of `radii`; `max_value` is finite. O(n_points^2
    n_coordinates).
    """
    n = columns.shape[1]
    squares = np.empty(n)
    n_edges = 0
    for j in range(n):
        _fill_squares(columns, j, squares[:j])
        longest = _longest_square(radii[j], epsilon)
        for i in range(j):
            if squares[i] <= longest:
                length = np.sqrt(squares[i])
                if _edge_value(length, radii[i], radii[j], epsilon) <= max_value:
                    n_edges += 1
    return n_edges


@njit(nogil=True, cache=True)
def fill_sparse_edges(
    columns: Floats,
    radii: Floats,
    epsilon: float,
    max_value: float,
    older: NDArray[np.int32],
    younger: NDArray[np.int32],
    values: Floats,
) -> None:
    """Fill the edges that :func:`count_sparse_edges` counts: both ends, and values."""
    n = columns.shape[1]
    squares = np.empty(n)
    edge = 0
    for j in range(n):
        _fill_squares(columns, j, squares[:j])
        longest = _longest_square(radii[j], epsilon)
        for i in range(j):
            if squares[i] <= longest:
                length = np.sqrt(squares[i])
                value = _edge_value(length, radii[i], radii[j], epsilon)
                if value <= max_value:
                    older[edge] = i
                    younger[edge] = j
                    values[edge] = value
                    edge += 1
