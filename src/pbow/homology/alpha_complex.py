"""Alpha-complex diagrams of point clouds."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from pbow._utils.checks import check_dims, check_option
from pbow.compute.union_find import merge_components
from pbow.diagrams import Diagrams
from pbow.homology._clouds import check_clouds
from pbow.homology._common import (
    Floats,
    check_field,
    diagrams_of_tree,
    empty_diagrams,
    import_gudhi,
    make_diagrams,
)
from pbow.homology._locations import Located, check_return_locations, located_pairs
from pbow.homology._memory import check_memory

__all__ = ["alpha"]


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
        lowest index in its component, and an edge.
        Unused places are -1, as is the death of an essential point.
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
        [_alpha_bytes(*cloud.shape) for cloud in checked],
        noun="cloud",
        n_jobs=n_jobs,
        advice=(
            "Take fewer points or coordinates, sparse_rips, whose memory does not grow "
            "with these, or fewer threads (n_jobs)."
        ),
    )

    def one(cloud: Floats) -> list[Any]:
        if len(cloud) == 0:
            if located:
                return [located_pairs([], dim, len) for dim in wanted]
            return empty_diagrams(wanted)
        complex_ = alpha_complex(points=cloud, precision=precision)
        tree = complex_.create_simplex_tree()
        squares = diagrams_of_tree(tree, wanted, prime)
        if located:
            pairs = tree.persistence_pairs()
            return [
                _without_rounded(located_pairs(pairs, dim, tree.filtration), len(cloud))
                for dim in wanted
            ]
        radii = [np.sqrt(diagram) for diagram in squares]
        # Rounded, some more points die when they are born.
        return [diagram[diagram[:, 0] < diagram[:, 1]] for diagram in radii]

    return make_diagrams(
        one, checked, wanted, unit="clouds", n_jobs=n_jobs, progress=progress
    )


def _without_rounded(squares: Located, n_points: int) -> Located:
    radii, locations = np.sqrt(squares.points), squares.locations
    if locations.shape[2] == 2:
        # All points enter at once, and gudhi takes any of a component for its birth.
        order = np.argsort(radii[:, 1], kind="stable")
        radii, locations = radii[order], locations[order]
        finite = np.isfinite(radii[:, 1])
        locations[~finite, 0, 0] = locations[:, 0, 0].min()
        merged = merge_components(locations[finite, 1], n_points)
        locations[finite, 0, 0] = merged[: finite.sum()]
    kept = radii[:, 0] < radii[:, 1]
    return Located(radii[kept], locations[kept])


def _alpha_bytes(n_points: int, n_coordinates: int) -> float:
    """Return about what the Delaunay triangulation of points without order needs.

    Points drawn from a cube have 6, 29, 170 and 1000 simplices each in 2 to 5
    coordinates, and gudhi 3.13 takes up to 330 bytes for one. There are never more than
    subsets of the points.
    """
    # The caps are beyond every memory and keep the powers within floats.
    of_a_point = 6.0 ** (min(n_coordinates, 99) - 1)
    return 330.0 * min(n_points * of_a_point, 2.0 ** min(n_points, 999))
