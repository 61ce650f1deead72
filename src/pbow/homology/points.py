"""Point clouds in, persistence diagrams out."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import comb, inf
from numbers import Real
from typing import Any, NamedTuple

import numpy as np
from scipy.sparse import coo_matrix
from scipy.spatial.distance import cdist

from pbow._utils.checks import check_option, is_finite_number, is_integer
from pbow.compute.sparse_rips import (
    count_sparse_edges,
    fill_sparse_edges,
    order_farthest_first,
)
from pbow.diagrams import Diagrams
from pbow.homology._clouds import check_clouds, check_matrices
from pbow.homology._common import (
    Floats,
    Progress,
    check_dims,
    check_field,
    count_threads,
    empty_diagrams,
    import_from_gudhi,
    in_threads,
    make_diagrams,
    part_names,
)
from pbow.homology._flag import LARGEST, Edges, flag_bytes, flag_engine
from pbow.homology._memory import check_memory

__all__ = ["alpha", "dtm_rips", "rips", "sparse_rips"]


def rips(
    clouds: Iterable[Any],
    dims: int | Sequence[int] = (0, 1),
    *,
    metric: str = "euclidean",
    max_edge: float | None = None,
    field: int = 2,
    n_jobs: int | None = None,
    progress: Progress = None,
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
        One array a cloud, or one 3-D array. Clouds need not have the same size, nor lie
        in the same space. The diagrams of a cloud without points are empty.
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
    n_jobs : int or None, default=None
        Number of threads. None is 1 outside a joblib context, -1 all processors. The
        result does not depend on it.
    progress : bool or callable, optional
        True draws a bar on stderr, where that is a terminal. A callable is called
        without arguments each time a cloud is done.

    Returns
    -------
    X : Diagrams
        One sample a cloud, with parts ``"H0"``, ``"H1"``, ... in the order of `dims`.

    Raises
    ------
    ValueError
        For clouds, matrices or parameters that are not as above.
    MemoryError
        When the clouds are estimated to need more memory than there is.
    ImportError
        Without gudhi, which is in the extra ``homology``.

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
    """
    wanted = check_dims(dims)
    limit = _check_max_edge(max_edge)
    prime = check_field(field)
    check_option("metric", metric, ("euclidean", "precomputed"))
    precomputed = metric == "precomputed"
    noun = "matrix" if precomputed else "cloud"
    items = check_matrices(clouds) if precomputed else check_clouds(clouds)
    engine = flag_engine(
        "rips",
        wanted,
        limit=limit,
        field=prime,
        noun=noun,
        n_threads=count_threads(n_jobs, items),
    )
    edges = [Edges.up_to(limit, item, precomputed=precomputed) for item in items]
    check_memory(
        [flag_bytes(len(each.item), each.n_edges, wanted) for each in edges],
        noun=noun,
        n_jobs=n_jobs,
        advice=(
            "Leave long edges out (max_edge), take sparse_rips, or alpha in the plane "
            "or in space, fewer points, or fewer threads (n_jobs)."
        ),
    )
    return make_diagrams(
        lambda item: engine(item[1].graph(), item[0]),
        list(enumerate(edges)),
        part_names(wanted),
        n_jobs=n_jobs,
        progress=progress,
    )


def sparse_rips(
    clouds: Iterable[Any],
    dims: int | Sequence[int] = (0, 1),
    *,
    epsilon: float = 0.5,
    max_edge: float | None = None,
    field: int = 2,
    n_jobs: int | None = None,
    progress: Progress = None,
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
        One array a cloud, or one 3-D array, as for :func:`rips`.
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
    progress : bool or callable, optional
        True draws a bar on stderr, where that is a terminal. A callable is called
        without arguments each time a cloud is done.

    Returns
    -------
    X : Diagrams
        One sample a cloud, with parts ``"H0"``, ``"H1"``, ... in the order of `dims`.

    Raises
    ------
    ValueError
        For clouds or parameters that are not as above.
    MemoryError
        When the clouds are estimated to need more memory than there is.
    ImportError
        Without gudhi, which is in the extra ``homology``.

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
    no neighbour that its coverer does not have, and can be collapsed onto it; one after
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
    limit = _check_max_edge(max_edge)
    prime = check_field(field)
    if not is_finite_number(epsilon) or not 0 < epsilon < 1:
        msg = f"Expected epsilon to be a number between 0 and 1; got {epsilon!r}."
        raise ValueError(msg)
    checked = check_clouds(clouds)
    engine = flag_engine(
        "sparse_rips",
        wanted,
        limit=limit,
        field=prime,
        noun="cloud",
        n_threads=count_threads(n_jobs, checked),
    )
    orders = list(
        in_threads(lambda c: _Sparse.of(c, float(epsilon), limit), checked, n_jobs)
    )
    check_memory(
        [flag_bytes(len(s.radii), s.n_edges, wanted) for s in orders],
        noun="cloud",
        n_jobs=n_jobs,
        advice=(
            "Raise epsilon, leave long edges out (max_edge), take alpha, fewer points, "
            "or fewer threads (n_jobs)."
        ),
    )
    return make_diagrams(
        lambda item: engine(item[1].graph(), item[0]),
        list(enumerate(orders)),
        part_names(wanted),
        n_jobs=n_jobs,
        progress=progress,
    )


def alpha(
    clouds: Iterable[Any],
    dims: int | Sequence[int] = (0, 1),
    *,
    precision: str = "safe",
    field: int = 2,
    n_jobs: int | None = None,
    progress: Progress = None,
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
        One array a cloud, or one 3-D array, as for :func:`rips`.
    dims : int or sequence of int, default=(0, 1)
        Dimensions of homology. That of all points in the plane is 0 and 1, in space 0
        to 2; higher ones are empty.
    precision : {"fast", "safe", "exact"}, default="safe"
        How gudhi computes: "safe" has the right triangulation and values up to
        rounding, "exact" values that are rounded correctly, "fast" may have a wrong
        triangulation where points lie nearly on a sphere.
    field : int, default=2
        A prime p: coefficients are in Z/p.
    n_jobs : int or None, default=None
        Number of threads. None is 1 outside a joblib context, -1 all processors. The
        result does not depend on it.
    progress : bool or callable, optional
        True draws a bar on stderr, where that is a terminal. A callable is called
        without arguments each time a cloud is done.

    Returns
    -------
    X : Diagrams
        One sample a cloud, with parts ``"H0"``, ``"H1"``, ... in the order of `dims`.

    Raises
    ------
    ValueError
        For clouds or parameters that are not as above.
    MemoryError
        When the clouds are estimated to need more memory than there is.
    ImportError
        Without gudhi, which is in the extra ``homology``.

    See Also
    --------
    rips : For any number of coordinates, and for distance matrices.

    Notes
    -----
    Where more points than needed lie on one sphere, as those of a grid do, rounding can
    leave points of persistence about 1e-16 in the diagrams.

    Computed by ``gudhi.AlphaComplex``. That part of gudhi uses CGAL and is under the
    GPL, while those that the other functions here use are under the MIT licence.

    References
    ----------
    .. [1] Herbert Edelsbrunner, Ernst P. Mücke. Three-dimensional alpha shapes. ACM
       Transactions on Graphics, 1994.

    Examples
    --------
    Balls around the corners of a square touch at half a side, and meet in the centre
    at half a diagonal.

    >>> from pbow.homology import alpha
    >>> alpha([[[0, 0], [1, 0], [1, 1], [0, 1]]], dims=1)[0].round(3)
    array([[0.5  , 0.707]])
    """
    wanted = check_dims(dims)
    prime = check_field(field)
    check_option("precision", precision, ("fast", "safe", "exact"))
    checked = check_clouds(clouds)
    alpha_complex = import_from_gudhi("gudhi", "AlphaComplex", "alpha")
    check_memory(
        [_alpha_bytes(*cloud.shape) for cloud in checked],
        noun="cloud",
        n_jobs=n_jobs,
        advice=(
            "Take fewer points or coordinates, sparse_rips, whose memory does not grow "
            "with these, or fewer threads (n_jobs)."
        ),
    )

    def one(cloud: Floats) -> list[Floats]:
        if len(cloud) == 0:
            return empty_diagrams(wanted)
        complex_ = alpha_complex(points=cloud, precision=precision)
        tree = complex_.create_simplex_tree()
        return [_alive(np.sqrt(squares)) for squares in _of_tree(tree, wanted, prime)]

    return make_diagrams(
        one, checked, part_names(wanted), n_jobs=n_jobs, progress=progress
    )


def dtm_rips(
    clouds: Iterable[Any],
    dims: int | Sequence[int] = (0, 1),
    *,
    k: int,
    q: float = 2.0,
    max_edge: float | None = None,
    field: int = 2,
    n_jobs: int | None = None,
    progress: Progress = None,
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
        One array a cloud, or one 3-D array, as for :func:`rips`.
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
    progress : bool or callable, optional
        True draws a bar on stderr, where that is a terminal. A callable is called
        without arguments each time a cloud is done.

    Returns
    -------
    X : Diagrams
        One sample a cloud, with parts ``"H0"``, ``"H1"``, ... in the order of `dims`.

    Raises
    ------
    ValueError
        For clouds or parameters that are not as above.
    MemoryError
        When the clouds are estimated to need more memory than there is.
    ImportError
        Without gudhi, which is in the extra ``homology``.

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
    limit = _check_max_edge(max_edge)
    prime = check_field(field)
    if not is_integer(k, 1):
        msg = f"Expected k to be an int >= 1; got {k!r}."
        raise ValueError(msg)
    if not is_finite_number(q) or q < 1:
        msg = f"Expected q to be a number >= 1; got {q!r}."
        raise ValueError(msg)
    checked = check_clouds(clouds)
    for i, cloud in enumerate(checked):
        if 0 < len(cloud) < k:
            msg = f"Cloud {i} has {len(cloud)} points; expected at least k={k}."
            raise ValueError(msg)
    simplex_tree = import_from_gudhi("gudhi", "SimplexTree", "dtm_rips")
    engine = flag_engine(
        "dtm_rips",
        wanted,
        limit=limit,
        field=prime,
        noun="cloud",
        n_threads=count_threads(n_jobs, checked),
    )
    check_memory(
        [flag_bytes(len(c), comb(len(c), 2), wanted) for c in checked],
        noun="cloud",
        n_jobs=n_jobs,
        advice="Take fewer points, or fewer threads (n_jobs).",
    )

    def one(item: tuple[int, Floats]) -> list[Floats]:
        number, cloud = item
        if len(cloud) == 0:
            return empty_diagrams(wanted)
        values = _dtm_values(cloud, int(k), float(q))
        diagrams = engine(values, number)
        if 0 in wanted:
            # The engine lets all points enter at 0, which matters to H0 alone: no edge
            # enters before its ends, so until then a point is only a component.
            tree = simplex_tree.create_from_array(values, max_filtration=limit)
            diagrams[wanted.index(0)] = _of_tree(tree, [0], prime)[0]
        return diagrams

    return make_diagrams(
        one,
        list(enumerate(checked)),
        part_names(wanted),
        n_jobs=n_jobs,
        progress=progress,
    )


class _Sparse(NamedTuple):
    """A cloud in the order of :func:`order_farthest_first`, and its sparse graph."""

    columns: Floats
    radii: Floats
    epsilon: float
    limit: float
    n_edges: int

    @classmethod
    def of(cls, cloud: Floats, epsilon: float, limit: float) -> _Sparse:
        limit = min(limit, LARGEST)
        order = np.empty(len(cloud), dtype=np.int64)
        radii = np.empty(len(cloud))
        columns = np.ascontiguousarray(cloud.T)
        order_farthest_first(columns, order, radii)
        columns = np.ascontiguousarray(columns[:, order])
        n_edges = count_sparse_edges(columns, radii, epsilon, limit)
        return cls(columns, radii, epsilon, limit, n_edges)

    def graph(self) -> coo_matrix:
        older = np.empty(self.n_edges, dtype=np.int32)
        younger = np.empty(self.n_edges, dtype=np.int32)
        values = np.empty(self.n_edges)
        fill_sparse_edges(
            self.columns, self.radii, self.epsilon, self.limit, older, younger, values
        )
        n = len(self.radii)
        return coo_matrix((values, (older, younger)), shape=(n, n))


def _dtm_values(cloud: Floats, k: int, q: float) -> Floats:
    """Return when points (on the diagonal) and edges enter."""
    distances = cdist(cloud, cloud)
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


def _of_tree(tree: Any, dims: list[int], prime: int) -> list[Floats]:
    """Return the diagrams of a simplex tree of gudhi."""
    # By default the highest dimension is left out, also where that is 0.
    only_points = tree.dimension() == 0
    tree.compute_persistence(
        homology_coeff_field=prime, persistence_dim_max=only_points
    )
    diagrams = [tree.persistence_intervals_in_dimension(dim) for dim in dims]
    return [diagram.reshape(-1, 2) for diagram in diagrams]


def _alpha_bytes(n_points: int, n_coordinates: int) -> float:
    """Return about what the Delaunay triangulation of points without order needs.

    Points drawn from a cube have 6, 29, 170 and 1000 simplices each in 2 to 5
    coordinates, and gudhi 3.13 takes up to 330 bytes for one. There are never more than
    subsets of the points.
    """
    # The caps are beyond every memory and keep the powers within floats.
    of_a_point = 6.0 ** (min(n_coordinates, 99) - 1)
    return 330.0 * min(n_points * of_a_point, 2.0 ** min(n_points, 999))


def _alive(diagram: Floats) -> Floats:
    """Leave out points that died when they were born, once values are rounded."""
    alive: Floats = diagram[diagram[:, 0] < diagram[:, 1]]
    return alive


def _check_max_edge(max_edge: Any) -> float:
    if max_edge is None:
        return inf
    # A NaN fails the comparison.
    if (
        not isinstance(max_edge, Real)
        or isinstance(max_edge, bool)
        or not float(max_edge) > 0
    ):
        msg = f"Expected max_edge to be a number > 0 or None; got {max_edge!r}."
        raise ValueError(msg)
    return float(max_edge)
