"""The sparse graph of a point cloud whose cliques stand in for its Rips complex.

Conventions: `points` is (n, n_coordinates) in float64, C-contiguous; distances are
Euclidean. `order` lists the points farthest first, `radii` belong to the places in that
order. `epsilon` is in (0, 1). Definitions: N. J. Cavanna, M. Jahanseir, D. R. Sheehy. A
geometric perspective on sparse filtrations. CCCG 2015.
"""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

__all__ = ["count_sparse_edges", "fill_sparse_edges", "order_farthest_first"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@njit(nogil=True, cache=True)
def order_farthest_first(points: Floats, order: Ints, radii: Floats) -> None:
    """Fill `order`, from point 0, each time by the point farthest from those before.

    `radii` are these distances, so they decrease; the first one is inf. Among points as
    far, the one of lowest index comes first. O(n^2 n_coordinates).
    """
    n, n_coordinates = points.shape
    nearest = np.full(n, np.inf)
    last = 0
    for place in range(n):
        order[place] = last
        radii[place] = nearest[last]
        nearest[last] = -1.0
        farthest = last
        for i in range(n):
            if nearest[i] < 0.0:
                continue
            square = 0.0
            for k in range(n_coordinates):
                square += (points[i, k] - points[last, k]) ** 2
            nearest[i] = min(nearest[i], np.sqrt(square))
            if nearest[i] > nearest[farthest]:
                farthest = i
        last = farthest


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
def count_sparse_edges(
    points: Floats, radii: Floats, epsilon: float, max_value: float
) -> int:
    """Return the number of edges of value up to `max_value` of the sparse graph.

    `points` are in the order of `radii`. O(n^2 n_coordinates).
    """
    n, n_coordinates = points.shape
    n_edges = 0
    for j in range(n):
        for i in range(j):
            square = 0.0
            for k in range(n_coordinates):
                square += (points[i, k] - points[j, k]) ** 2
            value = _edge_value(np.sqrt(square), radii[i], radii[j], epsilon)
            if value <= max_value and value < np.inf:
                n_edges += 1
    return n_edges


@njit(nogil=True, cache=True)
def fill_sparse_edges(
    points: Floats,
    radii: Floats,
    epsilon: float,
    max_value: float,
    rows: NDArray[np.int32],
    columns: NDArray[np.int32],
    values: Floats,
) -> None:
    """Fill the edges that :func:`count_sparse_edges` counts: both ends, and values."""
    n, n_coordinates = points.shape
    edge = 0
    for j in range(n):
        for i in range(j):
            square = 0.0
            for k in range(n_coordinates):
                square += (points[i, k] - points[j, k]) ** 2
            value = _edge_value(np.sqrt(square), radii[i], radii[j], epsilon)
            if value <= max_value and value < np.inf:
                rows[edge] = i
                columns[edge] = j
                values[edge] = value
                edge += 1
