"""Alpha-complex diagrams of point clouds."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from pbow._utils.checks import check_dims, check_option
from pbow.diagrams import Diagrams
from pbow.homology._clouds import check_clouds
from pbow.homology._common import (
    Floats,
    Ints,
    check_field,
    diagrams_of_tree,
    empty_diagrams,
    import_gudhi,
    make_diagrams,
)
from pbow.homology._locations import (
    LocatedBatch,
    check_return_locations,
    located_components,
    located_pairs,
    make_located,
)
from pbow.homology._memory import check_memory

__all__ = ["alpha"]

# Pairs of simplices are lists, of which a batch holds few.
NUMBERS_PER_POINT = 16


def alpha(
    clouds: Iterable[Any],
    dims: int | Sequence[int] = (0, 1),
    *,
    precision: str = "safe",
    field: int = 2,
    return_locations: bool = False,
    n_jobs: int | None = None,
    progress: bool = False,
) -> Diagrams:
    """Compute the alpha-complex persistence diagrams of point clouds.

    These are the diagrams of the union of balls around the points as they grow (those
    of the Čech filtration), by the Delaunay triangulation [1]_, which has few simplices
    in the plane and in space: a hundred thousand points are no trouble. With each
    further coordinate there are six times as many; beyond five or so, :func:`rips` is
    the better choice.

    Births and deaths are radii of balls. gudhi's alpha complex gives their squares;
    edge lengths, as of :func:`rips`, compare with twice the radii.

    Parameters
    ----------
    clouds : iterable of array-like of shape (n_points_i, n_coordinates)
        One array per cloud, or one 3-D array, as for :func:`rips`.
    dims : int or sequence of int, default=(0, 1)
        Dimensions of homology. That of all points in the plane is 0 and 1, in space 0
        to 2; higher ones are empty.
    precision : {"fast", "safe", "exact"}, default="safe"
        How gudhi computes: "safe" has the right triangulation and values up to
        rounding, "exact" values that are rounded correctly, "fast" may have a wrong
        triangulation where points lie nearly on a sphere.
    field : int, default=2
        A prime p: coefficients are in Z/p.
    return_locations : bool, default=False
        Whether to keep the simplex with which each class is born and dies, by the
        indices of its points: ``X["H1"].locations`` of shape (n_points, 2, 3) has the
        edge of birth and the triangle of death. Those of H0 have a point, that of the
        lowest index in its component, and an edge. Of points with equal coordinates
        the first is in the complex, and the others are not. Unused places are -1, as is
        the death of an essential point.
    n_jobs : int or None, default=None
        Number of threads. None is 1 outside a joblib context, -1 all processors. The
        result does not depend on it.
    progress : bool, default=False
        Whether to draw a progress bar on stderr.

    Returns
    -------
    X : Diagrams
        One sample per cloud, with parts ``"H0"``, ``"H1"``, ... in the order of `dims`.

    Raises
    ------
    ValueError
        For clouds or parameters that are not as above.
    MemoryError
        If the clouds are estimated to need more memory than there is.
    ImportError
        Without gudhi, which the extra ``homology`` installs.

    See Also
    --------
    rips : For any number of coordinates, and for distance matrices.

    Notes
    -----
    Where more points than needed lie on one sphere, as those of a grid do, rounding can
    leave points of persistence about 1e-16 in the diagrams.

    Computed by ``gudhi.AlphaComplex``. That part of gudhi uses CGAL and is under the
    GPL, while those that the other functions here use are under the MIT license.

    References
    ----------
    .. [1] Herbert Edelsbrunner, Ernst P. Mücke. Three-dimensional alpha shapes. ACM
       Transactions on Graphics, 1994.

    Examples
    --------
    Balls around the corners of a square touch at half a side, and meet in the center
    at half a diagonal.

    >>> from pbow.homology import alpha
    >>> alpha([[[0, 0], [1, 0], [1, 1], [0, 1]]], dims=1)[0].round(3)
    array([[0.5  , 0.707]])

    Which two of five points join first?

    >>> X = alpha([[[0], [4], [9], [15], [7]]], dims=0, return_locations=True)
    >>> X.locations_of(0)[:, 1].tolist()
    [[2, 4], [1, 4], [0, 1], [2, 3], [-1, -1]]
    """
    wanted = check_dims(dims)
    prime = check_field(field)
    located = check_return_locations(return_locations)
    check_option("precision", precision, ("fast", "safe", "exact"))
    checked = check_clouds(clouds)
    alpha_complex = import_gudhi("AlphaComplex", "alpha")
    check_memory(
        [_alpha_bytes(*cloud.shape, located=located) for cloud in checked],
        noun="cloud",
        n_jobs=n_jobs,
        advice=(
            "Take fewer points or coordinates, sparse_rips, whose memory does not grow "
            "with these, or fewer threads (n_jobs)."
        ),
    )

    def tree_of(cloud: Floats) -> Any:
        return alpha_complex(points=cloud, precision=precision).create_simplex_tree()

    def one(cloud: Floats) -> list[Floats]:
        if len(cloud) == 0:
            return empty_diagrams(wanted)
        squares = diagrams_of_tree(tree_of(cloud), wanted, prime)
        radii = [np.sqrt(diagram) for diagram in squares]
        # Rounded, some more points die when they are born.
        return [diagram[diagram[:, 0] < diagram[:, 1]] for diagram in radii]

    def several(batch: Sequence[Floats]) -> list[LocatedBatch]:
        squares: list[list[Floats]] = []
        pairs: list[list[Any]] = []
        firsts: list[Ints | None] = []
        for cloud in batch:
            first = None
            if len(cloud) == 0:
                squares.append(empty_diagrams(wanted))
                pairs.append([])
            else:
                tree = tree_of(cloud)
                squares.append(diagrams_of_tree(tree, wanted, prime))
                pairs.append(tree.persistence_pairs())
                if tree.num_vertices() < len(cloud):
                    first = _first_of_equal_points(cloud)
            firsts.append(first)
        sizes = np.array([len(cloud) for cloud in batch])
        return [
            _of_radii(found, sizes, firsts)
            for found in located_pairs(pairs, squares, wanted)
        ]

    if located:
        return make_located(
            several,
            checked,
            [NUMBERS_PER_POINT * len(cloud) for cloud in checked],
            wanted,
            unit="clouds",
            n_jobs=n_jobs,
            progress=progress,
        )
    return make_diagrams(
        one, checked, wanted, unit="clouds", n_jobs=n_jobs, progress=progress
    )


def _first_of_equal_points(cloud: Floats) -> Ints:
    """Return of each point the lowest index of a point with its coordinates."""
    _, first, inverse = np.unique(
        cloud + 0.0, axis=0, return_index=True, return_inverse=True
    )
    found: Ints = first[inverse.ravel()]
    return found


def _of_radii(
    squares: LocatedBatch, sizes: Ints, firsts: Sequence[Ints | None]
) -> LocatedBatch:
    """Return the diagrams of radii, given those of their squares.

    Of points that are equal gudhi has one in the complex: the first stands for it.
    """
    points, locations = np.sqrt(squares.points), squares.locations
    items = np.repeat(np.arange(len(sizes)), squares.counts)
    for item, first in enumerate(firsts):
        if first is not None:
            own = items == item
            renamed = np.where(locations[own] < 0, -1, first[locations[own]])
            # Unused places stay last.
            renamed[renamed < 0] = sizes[item]
            renamed.sort()
            renamed[renamed == sizes[item]] = -1
            locations[own] = renamed
    if locations.shape[2] == 2:
        # All points enter at once, and gudhi takes any of a component for its birth.
        dies = np.isfinite(points[:, 1])
        ends, values, items = locations[dies, 1], points[dies, 1], items[dies]
        for item, first in enumerate(firsts):
            if first is not None:
                # Equal points are joined from the start.
                again = np.flatnonzero(first != np.arange(len(first)))
                joined = np.column_stack((first[again], again))
                ends = np.concatenate((ends, joined))
                values = np.concatenate((values, np.zeros(len(again))))
                items = np.concatenate((items, np.full(len(again), item)))
        order = np.lexsort((values, items))
        return located_components(ends[order], values[order], items[order], sizes)
    kept = points[:, 0] < points[:, 1]
    counts = np.bincount(items[kept], minlength=len(sizes))
    return LocatedBatch(points[kept], locations[kept], counts)


def _alpha_bytes(n_points: int, n_coordinates: int, *, located: bool) -> float:
    """Return about what the Delaunay triangulation of points without order needs.

    Points drawn from a cube have 6, 29, 170 and 1000 simplices each in 2 to 5
    coordinates, and gudhi 3.13 takes up to 330 bytes for one; with locations it is up
    to 100 more. There are never more than subsets of the points.
    """
    # The caps are beyond every memory and keep the powers within floats.
    of_a_point = 6.0 ** (min(n_coordinates, 99) - 1)
    per_simplex = 430.0 if located else 330.0
    return per_simplex * min(n_points * of_a_point, 2.0 ** min(n_points, 999))
