"""Ready-made values for the vertices of graphs."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components

from pbow._utils.checks import is_finite_number
from pbow.errors import ParameterError
from pbow.homology._common import Floats, Ints
from pbow.homology._memory import check_memory
from pbow.homology.graph_collection import Graphs

__all__ = ["heat_kernel_signature"]

# Vertices that a symmetry exchanges have the same signature. Digits beyond are those of
# rounding errors, which would tell them apart and give points next to the diagonal.
DECIMALS = 12

# The Laplacian, its eigenvectors, their squares, and room to work in.
BYTES_PER_ENTRY = 48.0


def heat_kernel_signature(graph: Any, t: float) -> Floats:
    r"""Return how much heat stays at each vertex of a graph after time t.

    With eigenvalues :math:`\lambda_k` and orthonormal eigenvectors :math:`\varphi_k` of
    the normalized Laplacian :math:`L = I - D^{-1/2} A D^{-1/2}`,

    .. math:: \mathrm{hks}_t(v) = \sum_k e^{-t \lambda_k} \varphi_k(v)^2
              = \left(e^{-t L}\right)_{vv}.

    Small t look at the neighbors of a vertex, large ones at the whole graph. Values
    lie in (0, 1]; a vertex without edges has 1.

    Parameters
    ----------
    graph : networkx graph, scipy sparse matrix or pair
        One graph in any form that :func:`graph_sublevel` takes; weights are ignored.
    t : float
        Time, at least 0.

    Returns
    -------
    values : ndarray of shape (n_vertices,)
        In the order of the vertices, rounded to 12 decimals.

    Raises
    ------
    ValueError
        If the graph or the time is not what it should be.
    MemoryError
        Before the work starts, if there is not enough for it.

    See Also
    --------
    graph_extended : Diagrams of these values.

    Notes
    -----
    All eigenvectors of each component are computed: memory grows with the square of the
    number of its vertices and time with the cube, some two seconds for 2,000. Vertices
    with the same neighbors, as leaves of one vertex, count as one.

    References
    ----------
    Hu, Rustamov, Guibas. Stable and Informative Spectral Signatures for Graph Matching.
    CVPR 2014.

    Examples
    --------
    The end of a path keeps more heat than its middle.

    >>> from functools import partial
    >>> from pbow.homology import graph_extended, heat_kernel_signature
    >>> path = ([[0, 1], [1, 2]], 3)
    >>> heat_kernel_signature(path, t=1.0).round(3)
    array([0.468, 0.568, 0.468])
    >>> graph_extended([path], values=partial(heat_kernel_signature, t=10.0)).parts
    ('Ord0', 'Rel1', 'Ext0', 'Ext1')
    """
    if not is_finite_number(t) or t < 0:
        raise ParameterError("t", "a number >= 0", t)
    adjacency = _adjacency(graph)
    degrees = np.diff(adjacency.indptr)
    kind = _kinds(adjacency)
    _, first, n_twins = np.unique(kind, return_index=True, return_counts=True)
    between = adjacency[first][:, first]
    scale = np.sqrt(n_twins / np.maximum(degrees[first], 1))
    heat = np.empty(len(first))
    for members in _components(between):
        heat[members] = _heat(between[members][:, members], scale[members], t)
    # Of k twins, k - 1 waves are zero elsewhere and have frequency 1.
    signature = (heat / n_twins + (1.0 - 1.0 / n_twins) * np.exp(-t))[kind]
    signature[degrees == 0] = 1.0  # there the Laplacian is 0
    rounded: Floats = signature.round(DECIMALS)
    return rounded


def _adjacency(graph: Any) -> csr_array:
    edges, n_vertices = Graphs.from_list([graph])[0]
    ends = np.concatenate((edges, edges[:, ::-1]))
    ones = np.ones(len(ends))
    matrix = csr_array((ones, tuple(ends.T)), shape=(n_vertices, n_vertices))
    matrix.sort_indices()
    return matrix


def _kinds(adjacency: csr_array) -> Ints:
    """Return a number for each vertex; twins, with the same neighbors, have the same.

    In graphs of discussions most vertices are leaves of a few others.
    """
    numbers: dict[bytes, int] = {}
    return np.array(
        [
            numbers.setdefault(adjacency.indices[i:j].tobytes(), len(numbers))
            for i, j in pairwise(adjacency.indptr)
        ],
        np.int64,
    )


def _components(adjacency: csr_array) -> list[Ints]:
    n_components, component = connected_components(adjacency, directed=False)
    sizes = np.bincount(component, minlength=n_components)
    check_memory(
        [BYTES_PER_ENTRY * float(size) ** 2 for size in sizes],
        noun="component",
        n_jobs=1,
        advice="Choose other values for graphs of this size.",
    )
    return np.split(np.argsort(component, kind="stable"), np.cumsum(sizes)[:-1])


def _heat(between: csr_array, scale: Floats, t: float) -> Floats:
    laplacian = np.eye(len(scale)) - between.toarray() * np.outer(scale, scale)
    frequencies, waves = np.linalg.eigh(laplacian)
    # Rounding may leave a frequency a little below 0.
    heat: Floats = waves**2 @ np.exp(-t * np.maximum(frequencies, 0.0))
    return heat
