"""How far the farthest vertex of a mesh is from others, along its edges."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from pbow._utils.threads import count_threads, for_each
from pbow.compute.geodesic import shortest_paths

__all__ = ["largest_distances"]

Floats = NDArray[np.float64]


def largest_distances(
    vertices: NDArray[np.floating],
    faces: NDArray[np.integer],
    sources: NDArray[np.integer],
    *,
    n_jobs: int | None = None,
) -> Floats:
    """Return the largest distance of any vertex from each source.

    Distances are those of :func:`pbow.homology.mesh_geodesic`, bit for bit: lengths of
    shortest paths along edges. Vertices that cannot be reached do not count. The mesh
    must be one that `mesh_geodesic` accepts.

    Examples
    --------
    >>> import numpy as np
    >>> from pbow.datasets.farthest import largest_distances
    >>> strip = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0], [2.0, 0.0]])
    >>> faces = np.array([[0, 1, 2], [1, 2, 3], [2, 3, 4]])
    >>> largest_distances(strip, faces, np.array([0, 2]))
    array([2.        , 1.41421356])
    """
    places = np.asarray(vertices, np.float64)
    n = len(places)
    a, b, c = np.sort(np.asarray(faces, np.int64), axis=1).T
    keys = np.unique(np.concatenate([a * n + b, a * n + c, b * n + c]))
    edges = np.column_stack(np.divmod(keys, max(n, 1)))
    edges = edges[edges[:, 0] < edges[:, 1]]
    ids = np.arange(len(edges))
    ends = np.concatenate([edges, edges[:, ::-1]])
    # Ids and not lengths are sorted by vertex: an edge of length 0 is an edge.
    by_vertex = csr_array((np.concatenate([ids, ids]), tuple(ends.T)), shape=(n, n))
    lengths = np.linalg.norm(places[edges[:, 0]] - places[edges[:, 1]], axis=1)
    starts = by_vertex.indptr.astype(np.int32)
    neighbors = by_vertex.indices.astype(np.int32)
    lengths_by_vertex = lengths[by_vertex.data]
    largest = np.empty(len(sources))

    def walk(row: int) -> None:
        distances, order = np.empty(n), np.empty(n, np.int32)
        n_reached = shortest_paths(
            int(sources[row]), starts, neighbors, lengths_by_vertex, distances, order
        )
        largest[row] = distances[order[n_reached - 1]]

    for_each(walk, range(len(sources)), min(count_threads(n_jobs), len(sources)))
    return largest
