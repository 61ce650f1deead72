"""Point clouds and distance matrices, checked."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from pbow._utils.warn import warn_user
from pbow.diagrams import LARGEST_COORDINATE
from pbow.homology._common import (
    Floats,
    as_numbers,
    check_collection,
    check_coordinates,
    check_items,
)

__all__ = ["check_clouds", "check_matrices"]

# Matrices that other programs compute are symmetric, and zero on the diagonal, up to
# rounding; relative to the largest distance.
ROUNDING = 1e-8


def check_clouds(clouds: Any) -> list[Floats]:
    """Return contiguous arrays of shape (n_points, n_coordinates)."""
    listed = check_collection(
        clouds,
        "point clouds",
        "(n_points, n_coordinates)",
        "{n} rows of numbers, which are one cloud. Wrap a single cloud in a list, "
        "[cloud]; points on a line are a column, x[:, None].",
    )
    checked = check_items(listed, "cloud", _check_cloud)
    if checked and all(_may_be_distances(cloud) for cloud in checked):
        msg = (
            "These clouds look like distance matrices: they are square, symmetric, and "
            'zero on the diagonal. For distances, set metric="precomputed".'
        )
        warn_user(msg)
    return checked


def check_matrices(matrices: Any) -> list[Floats]:
    """Return contiguous, symmetric arrays of distances; inf where there is no edge."""
    listed = check_collection(
        matrices,
        "distance matrices",
        "(n_points, n_points)",
        "{n} rows of numbers. Wrap a single matrix in a list, [matrix]; "
        "scipy.spatial.distance.squareform makes a square of a condensed one.",
    )
    return check_items(listed, "matrix", _check_matrix)


def _check_cloud(cloud: Any) -> Floats:
    points = as_numbers(cloud)
    if points.ndim in {1, 2} and len(points) == 0:
        return np.empty((0, 1))
    if points.ndim != 2 or points.shape[1] == 0:
        msg = f"it has shape {points.shape}; expected (n_points, n_coordinates)."
        raise ValueError(msg)
    points = np.ascontiguousarray(points, dtype=np.float64)
    check_coordinates(points, "point")
    return points


def _may_be_distances(cloud: Floats) -> bool:
    return (
        len(cloud) > 2
        and cloud.shape[0] == cloud.shape[1]
        and not np.diagonal(cloud).any()
        and bool((cloud >= 0.0).all())
        and np.array_equal(cloud, cloud.T)
    )


def _check_matrix(matrix: Any) -> Floats:
    distances = as_numbers(matrix)
    if distances.size == 0:
        return np.empty((0, 0))
    if distances.ndim != 2 or distances.shape[0] != distances.shape[1]:
        msg = (
            f"it has shape {distances.shape}; expected (n_points, n_points). "
            "scipy.spatial.distance.squareform makes a square of a condensed matrix."
        )
        raise ValueError(msg)
    distances = np.ascontiguousarray(distances, dtype=np.float64)
    finite = np.isfinite(distances)
    rounding = ROUNDING * float(distances.max(initial=0.0, where=finite))
    # A NaN fails the comparisons.
    valid = (distances >= 0.0) & ((distances <= LARGEST_COORDINATE) | ~finite)
    _require(valid, distances, f"from 0 to {LARGEST_COORDINATE:g}, or inf")
    on_diagonal = np.eye(len(distances), dtype=bool)
    _require((distances <= rounding) | ~on_diagonal, distances, "0")
    if np.array_equal(distances, distances.T):
        return distances
    with np.errstate(invalid="ignore"):  # inf - inf
        symmetric = np.abs(distances - distances.T) <= rounding
    symmetric |= ~finite & ~finite.T
    _require(symmetric, distances, "the value across the diagonal, {across:g}")
    # gudhi's result is wrong if both sides differ, be it in the last bit.
    symmetrized: Floats = np.maximum(distances, distances.T)
    return symmetrized


def _require(holds: NDArray[np.bool_], distances: Floats, expected: str) -> None:
    if holds.all():
        return
    i, j = np.unravel_index(np.argmin(holds), holds.shape)
    across = distances[j, i]
    msg = (
        f"entry ({i}, {j}) is {distances[i, j]:g}; expected "
        f"{expected.format(across=across)}."
    )
    raise ValueError(msg)
