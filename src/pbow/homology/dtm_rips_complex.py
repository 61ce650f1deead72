"""Rips diagrams of point clouds that are weighted by the distance to measure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial
from math import comb
from typing import Any

import numpy as np
from scipy.spatial.distance import cdist

from pbow._utils.checks import check_dims, is_finite_number, is_integer
from pbow.diagrams import Diagrams
from pbow.errors import ItemError, ParameterError
from pbow.homology._clouds import check_clouds
from pbow.homology._common import (
    Floats,
    check_field,
    check_max_edge,
    diagrams_of_tree,
    import_gudhi,
)
from pbow.homology._flag import Graph, flag_diagrams, flag_engine

__all__ = ["dtm_rips"]


def dtm_rips(
    clouds: Iterable[Any],
    dims: int | Sequence[int] = (0, 1),
    *,
    k: int,
    q: float = 2.0,
    max_edge: float | None = None,
    field: int = 2,
    n_jobs: int | None = None,
    progress: bool = False,
) -> Diagrams:
    r"""Compute Rips diagrams of point clouds that are weighted against outliers.

    A point enters late where few others are near. Its weight w is its distance to
    measure, :math:`(\frac{1}{k} \sum_j \lVert x - x_j \rVert^q)^{1/q}` over the k
    nearest points, itself among them. It enters at 2 w, an edge at the larger of its
    length plus the weights of both ends and the values of these. All values are twice
    those of [1]_ (where p = 1), so that with ``k=1`` all weights are 0 and the
    diagrams are those of :func:`rips`: diameters.

    Parameters
    ----------
    clouds : iterable of array-like of shape (n_points_i, n_coordinates)
        One array per cloud, or one 3-D array, as for :func:`rips`.
    dims : int or sequence of int, default=(0, 1)
        Dimensions of homology.
    k : int
        Number of nearest points that weigh, the point itself included. No cloud may
        have fewer points, unless it has none.
    q : float, default=2.0
        Order of the mean, at least 1.
    max_edge : float, optional
        Leave simplices of a larger value out. What is still alive there has death
        ``inf``.
    field : int, default=2
        A prime p: coefficients are in Z/p.
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
    rips : Without weights.

    Notes
    -----
    The diagrams are those of ``gudhi.DTMRipsComplex``, sooner.

    References
    ----------
    .. [1] Hirokazu Anai, Frédéric Chazal, Marc Glisse, Yuichi Ike, Hiroya Inakoshi,
       Raphaël Tinarrage, Yuhei Umeda. DTM-based filtrations. SoCG 2019.

    Examples
    --------
    The point in the middle of a circle cuts its loop short, if it is not weighted.

    >>> import numpy as np
    >>> from pbow.homology import dtm_rips, rips
    >>> angles = np.linspace(0, 2 * np.pi, 100, endpoint=False)
    >>> circle = np.column_stack((np.cos(angles), np.sin(angles)))
    >>> disturbed = np.concatenate((circle, [[0.0, 0.0]]))
    >>> rips([disturbed], dims=1)[0].round(2)
    array([[0.06, 1.  ]])
    >>> dtm_rips([disturbed], dims=1, k=5)[0].round(2)
    array([[0.24, 1.93]])
    """
    wanted = check_dims(dims)
    limit = check_max_edge(max_edge)
    prime = check_field(field)
    if not is_integer(k, 1):
        raise ParameterError("k", "an int >= 1", k)
    if not is_finite_number(q) or q < 1:
        raise ParameterError("q", "a number >= 1", q)
    checked = check_clouds(clouds)
    for i, cloud in enumerate(checked):
        if 0 < len(cloud) < k:
            fewer = f"it has {len(cloud)} points, fewer than k. Take a smaller k."
            raise ItemError("cloud", i, fewer)
    simplex_tree = import_gudhi("SimplexTree", "dtm_rips")
    engine = flag_engine("dtm_rips", wanted, limit=limit, field=prime, noun="cloud")

    def weighted(
        graphs: Sequence[Floats], first: int, n_threads: int
    ) -> list[list[Floats]]:
        made = engine(graphs, first, n_threads)
        for values, diagrams in zip(graphs, made, strict=True):
            if 0 in wanted and len(values) > 0:
                # The engine lets all points enter at 0, which matters to H0 alone: no
                # edge enters before its ends, so until then a point is only a
                # component.
                tree = simplex_tree.create_from_array(values, max_filtration=limit)
                diagrams[wanted.index(0)] = diagrams_of_tree(tree, [0], prime)[0]
        return made

    return flag_diagrams(
        weighted,
        [
            Graph(len(c), comb(len(c), 2), partial(_dtm_values, c, int(k), float(q)))
            for c in checked
        ],
        wanted,
        noun="cloud",
        advice="Take fewer points, or fewer threads (n_jobs).",
        n_jobs=n_jobs,
        progress=progress,
    )


def _dtm_values(cloud: Floats, k: int, q: float) -> Floats:
    """Return when points (on the diagonal) and edges enter."""
    distances: Floats = cdist(cloud, cloud)
    if len(cloud) == 0:
        return distances
    nearest = np.partition(distances, k - 1, axis=1)[:, :k]
    # Powers of numbers up to 1 do not overflow.
    scale = float(nearest.max()) or 1.0
    weights = scale * np.mean((nearest / scale) ** q, axis=1) ** (1.0 / q)
    # In this order the sums are the same on both sides of the diagonal to the last bit;
    # the engine goes astray where they are not.
    values: Floats = distances + np.add.outer(weights, weights)
    # For rounding alone: weights differ by no more than the distance.
    np.maximum(values, 2.0 * np.maximum.outer(weights, weights), out=values)
    np.fill_diagonal(values, 2.0 * weights)
    return values
