"""Triangle meshes in, persistence diagrams out."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import csr_array

from pbow.compute.geodesic import shortest_paths
from pbow.compute.surface import geodesic_loops
from pbow.diagrams import Diagrams
from pbow.homology._common import (
    Floats,
    Ints,
    check_array,
    check_coordinates,
    check_places,
    import_gudhi,
    make_diagrams,
)
from pbow.homology._locations import (
    Located,
    check_return_locations,
    located_pairs,
)

__all__ = ["mesh_geodesic"]

Ids = NDArray[np.int32]
# Points and, of these, the vertices, for each source.
Loops = Callable[[int], tuple[Floats, Ints]]

# Places in lists of neighbors, two for each edge, are counted in 32 bits.
MOST_FACES = 2**31 // 6


def mesh_geodesic(
    vertices: ArrayLike,
    faces: ArrayLike,
    sources: ArrayLike,
    *,
    return_locations: bool = False,
    n_jobs: int | None = None,
    progress: bool = False,
) -> Diagrams:
    """Compute the loops of geodesic balls that grow on a triangle mesh.

    For each source, a vertex enters at its distance from the source, the length of the
    shortest path along edges; an edge or a triangle enters with the last of its
    vertices. A point of H1 is a loop in the ball: born where two arms of it meet, as
    beyond a hole or around a wing, and dead where it is filled. Coefficients are in
    Z/2; loops that die when they are born are left out.

    Parameters
    ----------
    vertices : array-like of shape (n_vertices, n_coordinates)
        Places of the vertices. One that is in no face, or that cannot be reached from
        the source, never enters.
    faces : array-like of int of shape (n_faces, 3)
        The three vertices of each triangle, counted from 0. A face that is there twice
        counts once; one that names a vertex twice counts as the edge that it is.
    sources : array-like of int of shape (n_sources,)
        Vertices from which balls grow.
    return_locations : bool, default=False
        Whether to keep the vertex at which each loop is born and is filled:
        ``X.locations`` of shape (n_points, 2, 1), with -1 for the death of an essential
        point.
    n_jobs : int or None, default=None
        Number of threads. None is 1 outside a joblib context, -1 all processors. The
        result does not depend on it.
    progress : bool, default=False
        Whether to draw a progress bar on stderr.

    Returns
    -------
    X : Diagrams
        One sample per source, with the part ``"H1"``. Loops that are never filled, as
        those of a handle or of a boundary, are essential: they have death ``inf``.

    Raises
    ------
    ValueError
        If a vertex, a face or a source is not what it should be; the message says
        which.
    ImportError
        Without gudhi, which the extra ``homology`` installs, if an edge has more than
        two triangles. No other mesh needs it.

    See Also
    --------
    read_mesh : Vertices and faces of a file.

    Notes
    -----
    Where every edge has at most two triangles, loops are components of the dual graph
    seen backwards, so a ball costs little more than its shortest paths: some 2 ms for a
    mesh of 10,000 vertices. Meshes with other edges take a general algorithm, gudhi's,
    with the same result and some twenty times the time.

    The surface may have a boundary, several pieces, and need not be orientable.

    Examples
    --------
    A ring of six triangles: a ball closes to a loop on the far side, and nothing fills
    it.

    >>> import numpy as np
    >>> from pbow.homology import mesh_geodesic
    >>> angles = np.arange(6) * np.pi / 3
    >>> ring = np.column_stack((np.cos(angles), np.sin(angles), np.arange(6) % 2))
    >>> faces = [[i, (i + 1) % 6, (i + 2) % 6] for i in range(6)]
    >>> X = mesh_geodesic(ring, faces, sources=[0, 3])
    >>> X
    Diagrams(n_samples=2, H1: 2 points (2 essential))
    >>> X = mesh_geodesic(ring, faces, sources=[0, 3], return_locations=True)
    >>> X.locations[:, 0, 0]
    array([4, 5])
    """
    places = check_array(vertices, "vertices", ("n_vertices", "n_coordinates"))
    places = places.astype(np.float64)
    check_coordinates(places, "Vertex")
    polygons = "Cut polygons into triangles first; read_mesh does."
    corners = _check_ids(faces, "faces", ("n_faces", 3), len(places), polygons)
    if len(corners) > MOST_FACES:
        msg = f"Expected at most {MOST_FACES} faces; got {len(corners)}."
        raise ValueError(msg)
    single = "Wrap a single source in a list: [source]."
    starting = _check_ids(sources, "sources", ("n_sources",), len(places), single)
    wanted = check_return_locations(return_locations)
    mesh = _build(places, corners)
    loops = _loops_of_surface(mesh) or _loops_of_complex(mesh, located=wanted)

    def one(source: int) -> list[Any]:
        points, vertices = loops(source)
        return [Located(points, vertices[:, :, np.newaxis]) if wanted else points]

    return make_diagrams(
        one,
        starting.tolist(),
        [1],
        unit="sources",
        n_jobs=n_jobs,
        progress=progress,
    )


class _Mesh(NamedTuple):
    """Every edge and every triangle once; neighbors as in ``compute.geodesic``."""

    edges: Ids
    triangles: Ids
    edges_of_triangles: Ints
    starts: Ids
    neighbors: Ids
    lengths: Floats
    edge_ids: Ids


def _build(vertices: Floats, faces: Ints) -> _Mesh:
    n = len(vertices)
    corners = np.sort(faces, axis=1)
    a, b, c = corners.T
    # One number stands for the two ends of an edge, and one for an edge and the third
    # corner of a triangle: numbers are sorted far faster than rows.
    sides = np.concatenate([(a * n + b)[a < b], (a * n + c)[a < c], (b * n + c)[b < c]])
    keys = _distinct(sides)
    edges = np.column_stack(np.divmod(keys, n))
    a, b, c = corners[(a < b) & (b < c)].T
    first_edge, c = np.divmod(_distinct(np.searchsorted(keys, a * n + b) * n + c), n)
    a, b = edges[first_edge].T
    second_edge, third_edge = np.searchsorted(keys, [a * n + c, b * n + c])

    ids = np.arange(len(edges))
    ends = np.concatenate([edges, edges[:, ::-1]])
    by_vertex = csr_array((np.concatenate([ids, ids]), tuple(ends.T)), shape=(n, n))
    lengths = np.linalg.norm(vertices[edges[:, 0]] - vertices[edges[:, 1]], axis=1)
    return _Mesh(
        edges=edges.astype(np.int32),
        triangles=np.column_stack([a, b, c]).astype(np.int32),
        edges_of_triangles=np.column_stack([first_edge, second_edge, third_edge]),
        starts=by_vertex.indptr.astype(np.int32),
        neighbors=by_vertex.indices.astype(np.int32),
        lengths=lengths[by_vertex.data],
        edge_ids=by_vertex.data.astype(np.int32),
    )


def _distinct(numbers: Ints) -> Ints:
    """Return the different ones of numbers >= 0, in order, faster than numpy.unique."""
    ordered = np.sort(numbers)
    return ordered[np.diff(ordered, prepend=-1) > 0]


def _loops_of_surface(mesh: _Mesh) -> Loops | None:
    """Return the fast algorithm, or None where an edge has more than two triangles."""
    edge_of_side = mesh.edges_of_triangles.ravel()
    n_triangles = np.bincount(edge_of_side, minlength=len(mesh.edges))
    if n_triangles.max(initial=0) > 2:
        return None
    by_edge = np.argsort(edge_of_side, kind="stable") // 3
    ends = np.cumsum(n_triangles)
    outside = len(mesh.triangles)
    sides = np.full((len(mesh.edges), 2), outside, np.int32)
    sides[n_triangles > 0, 0] = by_edge[ends[n_triangles > 0] - 1]
    sides[n_triangles > 1, 1] = by_edge[ends[n_triangles > 1] - 2]
    return lambda source: geodesic_loops(
        source,
        mesh.starts,
        mesh.neighbors,
        mesh.lengths,
        mesh.edge_ids,
        sides,
        mesh.triangles,
    )


def _loops_of_complex(mesh: _Mesh, *, located: bool) -> Loops:
    """Return the algorithm for any mesh: gudhi reduces the boundary matrix."""
    simplex_tree = import_gudhi("SimplexTree", "mesh_geodesic of branching edges")
    n_vertices = len(mesh.starts) - 1

    def loops(source: int) -> tuple[Floats, Ints]:
        distances = np.empty(n_vertices)
        reached = np.empty(n_vertices, np.int32)
        n_reached = shortest_paths(
            source, mesh.starts, mesh.neighbors, mesh.lengths, distances, reached
        )
        tree = simplex_tree()
        for simplices in (reached[:n_reached, None], mesh.edges, mesh.triangles):
            entries = distances[simplices].max(axis=1)
            entered = np.isfinite(entries)
            # A copy: gudhi 3.13 takes the values of some views for inf.
            tree.insert_batch(simplices[entered].T.copy(), entries[entered])
        tree.compute_persistence(homology_coeff_field=2, persistence_dim_max=True)
        points: Floats = tree.persistence_intervals_in_dimension(1).reshape(-1, 2)
        if not located:
            return points, np.empty((0, 2), np.int64)
        (located_loops,) = located_pairs([tree.persistence_pairs()], [[points]], [1])
        ends = located_loops.locations
        vertices = np.full((len(points), 2), -1)
        for end, of_end in enumerate((ends[:, 0, :2], ends[:, 1])):
            # The last to enter; of equal values it is that of the highest index.
            backward = of_end[:, ::-1]
            last = np.argmax(distances[backward], axis=1)
            vertices[:, end] = backward[np.arange(len(points)), last]
        return points, vertices

    return loops


def _check_ids(
    ids: Any, name: str, shape: tuple[str | int, ...], n_vertices: int, advice: str
) -> Ints:
    """Return numbers of vertices; `name` is that of the parameter, with an s."""
    numbers = check_array(ids, name, shape, whole=True, advice=advice)
    check_places(numbers, n_vertices, name.capitalize().removesuffix("s"))
    return numbers.astype(np.int64)
