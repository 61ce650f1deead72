"""Vietoris-Rips diagrams of point clouds and of distance matrices."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import inf
from typing import Any

from pbow._utils.checks import check_dims, check_option
from pbow.diagrams import Diagrams
from pbow.homology._clouds import check_clouds, check_matrices
from pbow.homology._common import check_field, check_max_edge
from pbow.homology._flag import edges_up_to, flag_diagrams, flag_engine
from pbow.homology._flag_locations import locating
from pbow.homology._locations import check_return_locations

__all__ = ["rips"]


def rips(
    clouds: Iterable[Any],
    dims: int | Sequence[int] = (0, 1),
    *,
    metric: str = "euclidean",
    max_edge: float | None = None,
    field: int = 2,
    return_locations: bool = False,
    n_jobs: int | None = None,
    progress: bool = False,
) -> Diagrams:
    """Compute the Vietoris-Rips persistence diagrams of point clouds.

    A simplex enters at its diameter, the length of its longest edge, so births and
    deaths are edge lengths (diameters): halve them to compare with radii. The diagrams
    are exact; points that die when they are born are left out. Memory grows with the
    square of the size of a cloud, and time faster: some 60 ms for H1 of 500 points in
    space. What would not fit into memory is refused before the work starts; where H2 or
    more is wanted, once more for each cloud when it is known which edges matter.

    Parameters
    ----------
    clouds : iterable of array-like of shape (n_points_i, n_coordinates)
        One array per cloud, or one 3-D array. Clouds need not have the same size, nor
        lie in the same space. The diagrams of a cloud without points are empty.
    dims : int or sequence of int, default=(0, 1)
        Dimensions of homology: 0 for components, 1 for loops, 2 for voids. Each costs
        far more than the one before.
    metric : {"euclidean", "precomputed"}, default="euclidean"
        With "precomputed", `clouds` are matrices of distances of shape (n_points_i,
        n_points_i), symmetric, with zeros on the diagonal; ``inf`` where there is no
        edge. The triangle inequality need not hold.
    max_edge : float, optional
        Leave longer edges out. What is still alive at this length has death ``inf``. By
        default there is no limit, and all classes die but one of H0.
    field : int, default=2
        A prime p: coefficients are in Z/p.
    return_locations : bool, default=False
        Whether to keep where each class is born and dies: ``X["H1"].locations`` of
        shape (n_points, 2, 2) has the indices of two points, the ends of the edge of
        birth and of death. An edge stands for the simplex that enters with it: for a
        triangle its longest edge. Classes of H0 are born at one point, that of the
        lowest index in its component, followed by -1; the death of an essential class
        is -1 twice. Of edges of equal length that of the lower indices enters first.
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
        For clouds, matrices or parameters that are not as above.
    MemoryError
        If the clouds are estimated to need more memory than there is.
    ImportError
        Without gudhi, which the extra ``homology`` installs.

    See Also
    --------
    sparse_rips : An approximation, for thousands of points.
    alpha : Another filtration, for many points in the plane or in space.
    dtm_rips : Robust against outliers.
    pbow.datasets.make_shapes : Point clouds to try it on.

    Notes
    -----
    Computed by ``gudhi.sklearn.RipsPersistence``, a fork of Ripser [1]_.

    References
    ----------
    .. [1] Ulrich Bauer. Ripser: efficient computation of Vietoris-Rips persistence
       barcodes. Journal of Applied and Computational Topology, 2021.

    Examples
    --------
    The four corners of a square make one loop, which is born with its sides and dies
    with its diagonals.

    >>> from pbow.homology import rips
    >>> X = rips([[[0, 0], [1, 0], [1, 1], [0, 1]]])
    >>> X
    Diagrams(n_samples=1, H0: 4 points (1 essential), H1: 1 point)
    >>> X["H1"][0].round(3)
    array([[1.   , 1.414]])

    Its last side joins points 2 and 3, and a diagonal, points 0 and 2, fills it.

    >>> X = rips([[[0, 0], [1, 0], [1, 1], [0, 1]]], return_locations=True)
    >>> X["H1"].locations_of(0).tolist()
    [[[2, 3], [0, 2]]]
    """
    wanted = check_dims(dims)
    limit = check_max_edge(max_edge)
    prime = check_field(field)
    check_option("metric", metric, ("euclidean", "precomputed"))
    precomputed = metric == "precomputed"
    noun = "matrix" if precomputed else "cloud"
    items = check_matrices(clouds) if precomputed else check_clouds(clouds)
    located = check_return_locations(return_locations)
    cut = inf if located else limit  # values are keys if located
    engine = flag_engine("rips", wanted, limit=cut, field=prime, noun=noun)
    return flag_diagrams(
        engine,
        [edges_up_to(limit, item, precomputed=precomputed) for item in items],
        wanted,
        noun=noun,
        advice=(
            "Leave long edges out (max_edge), take sparse_rips, or alpha in the plane "
            "or in space, fewer points, or fewer threads (n_jobs)."
        ),
        n_jobs=n_jobs,
        progress=progress,
        locate=locating(engine, wanted, limit) if located else None,
    )
