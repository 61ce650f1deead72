"""Approximate Vietoris-Rips diagrams of large point clouds."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from scipy.sparse import coo_matrix

from pbow._utils.checks import check_dims, is_finite_number
from pbow._utils.threads import steps_per_call
from pbow.compute.sparse_rips import (
    Edges,
    find_sparse_edges,
    order_farthest_first,
    room_for_edges,
)
from pbow.diagrams import Diagrams
from pbow.errors import ParameterError
from pbow.homology._clouds import check_clouds
from pbow.homology._common import (
    Floats,
    check_field,
    check_max_edge,
    in_threads,
)
from pbow.homology._flag import LARGEST, Graph, flag_diagrams, flag_engine

__all__ = ["sparse_rips"]

# By coordinate.
NANOSECONDS_A_DISTANCE = 0.5


def sparse_rips(
    clouds: Iterable[Any],
    dims: int | Sequence[int] = (0, 1),
    *,
    epsilon: float = 0.5,
    max_edge: float | None = None,
    field: int = 2,
    n_jobs: int | None = None,
    progress: bool = False,
) -> Diagrams:
    r"""Compute approximate Vietoris-Rips diagrams of large point clouds.

    Points are taken farthest first, and each has only those edges that matter at the
    scale at which it adds something to the points before it [1]_; the number of edges
    then grows with the number of points and not with its square: 20,000 points of a
    torus take seconds. Values are edge lengths (diameters), as those of :func:`rips`.

    The guarantee, with :math:`c = 1 / (1 - \varepsilon)`: points :math:`(b, d)` of the
    exact diagram can be matched, one to one, to points :math:`(b', d')` of this one,
    :math:`b \le b' \le c\,b` and :math:`d \le d' \le c\,d`; whatever is left over, in
    either diagram, dies before c times its birth.

    It takes the place of SimBa, with which the diagrams of the paper were approximated.

    Parameters
    ----------
    clouds : iterable of array-like of shape (n_points_i, n_coordinates)
        One array per cloud, or one 3-D array, as for :func:`rips`.
    dims : int or sequence of int, default=(0, 1)
        Dimensions of homology.
    epsilon : float, default=0.5
        Between 0 and 1: smaller is nearer to the exact diagrams and slower.
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
    rips : Exact.

    Notes
    -----
    The order starts at the first point of a cloud, so another order of the points may
    give another diagram, within the same bounds. The same graph is in gudhi's
    ``RipsComplex(sparse=epsilon)``, where it starts at a random point.

    All cliques of the graph enter, also those of points that a larger ball has covered
    meanwhile, which [1]_ leaves out. That changes no diagram: once covered, a point has
    no neighbor that its coverer does not have, and can be collapsed onto it; one after
    another, in the order in which they are covered, all such points go away.

    References
    ----------
    .. [1] Nicholas J. Cavanna, Mahmoodreza Jahanseir, Donald R. Sheehy. A geometric
       perspective on sparse filtrations. CCCG 2015.

    Examples
    --------
    >>> import numpy as np
    >>> from pbow.homology import rips, sparse_rips
    >>> angles = np.linspace(0, 2 * np.pi, 100, endpoint=False)
    >>> circle = np.column_stack((np.cos(angles), np.sin(angles)))
    >>> rips([circle], dims=1)[0].round(2)
    array([[0.06, 1.75]])
    >>> sparse_rips([circle], dims=1)[0].round(2)
    array([[0.06, 1.84]])
    """
    wanted = check_dims(dims)
    limit = check_max_edge(max_edge)
    prime = check_field(field)
    if not is_finite_number(epsilon) or not 0 < epsilon < 1:
        raise ParameterError("epsilon", "a number between 0 and 1", epsilon)
    checked = check_clouds(clouds)
    engine = flag_engine("sparse_rips", wanted, limit=limit, field=prime, noun="cloud")
    graphs = in_threads(
        lambda cloud: _sparse_graph(cloud, float(epsilon), limit), checked, n_jobs
    )
    return flag_diagrams(
        engine,
        list(graphs),
        wanted,
        noun="cloud",
        advice=(
            "Raise epsilon, leave long edges out (max_edge), take alpha, fewer points, "
            "or fewer threads (n_jobs)."
        ),
        n_jobs=n_jobs,
        progress=progress,
    )


def _sparse_graph(cloud: Floats, epsilon: float, limit: float) -> Graph:
    """Count the edges of the sparse graph, which are found once more when made."""
    columns = np.ascontiguousarray(cloud.T)
    points_per_call = steps_per_call(NANOSECONDS_A_DISTANCE * max(1, columns.size))
    order, radii = order_farthest_first(columns, points_per_call)
    columns = np.ascontiguousarray(columns[:, order])
    n = len(radii)

    def find(edges: Edges) -> int:
        largest = min(limit, LARGEST)
        return find_sparse_edges(
            columns, radii, epsilon, largest, edges, points_per_call
        )

    n_edges = find(room_for_edges(0))

    def make() -> coo_matrix:
        older, younger, values = edges = room_for_edges(n_edges)
        find(edges)
        return coo_matrix((values, (older, younger)), shape=(n, n))

    return Graph(n, n_edges, make)
