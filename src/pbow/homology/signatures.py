"""Ready-made values for the vertices of graphs."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import eigh
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from pbow.homology.graph_collection import Graphs
from pbow.validation import is_finite_number

__all__ = ["heat_kernel_signature"]

Floats = NDArray[np.float64]

# Vertices that a symmetry exchanges have the same signature. Digits beyond are those of
# rounding errors, which would tell them apart and give points next to the diagonal.
DECIMALS = 12


def heat_kernel_signature(graph: Any, t: float) -> Floats:
    r"""Return how much heat stays at each vertex of a graph after time t.

    With eigenvalues :math:`\lambda_k` and orthonormal eigenvectors :math:`\varphi_k` of
    the normalised Laplacian :math:`L = I - D^{-1/2} A D^{-1/2}`,

    .. math:: \mathrm{hks}_t(v) = \sum_k e^{-t \lambda_k} \varphi_k(v)^2
              = \left(e^{-t L}\right)_{vv}.

    Small t look at the neighbours of a vertex, large ones at the whole graph. Values
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

    See Also
    --------
    graph_extended : Diagrams of these values.

    Notes
    -----
    All eigenvectors of each component are computed: memory grows with the square of the
    number of its vertices and time with the cube, about a second for 2,000.

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
        msg = f"Expected t to be a number >= 0; got {t!r}."
        raise ValueError(msg)
    edges, n_vertices = Graphs.from_list([graph])[0]
    a, b = edges.T
    adjacency = coo_array(
        (np.ones(2 * len(edges)), (np.r_[a, b], np.r_[b, a])), (n_vertices, n_vertices)
    ).tocsr()
    degrees = adjacency.sum(axis=0)
    signature = np.ones(n_vertices)
    n_components, component = connected_components(adjacency, directed=False)
    by_component = np.argsort(component, kind="stable")
    ends = np.cumsum(np.bincount(component, minlength=n_components))
    for members in np.split(by_component, ends[:-1]):
        if len(members) < 2:  # nowhere to go for the heat
            continue
        scale = np.sqrt(degrees[members])
        between = adjacency[members][:, members].toarray()
        laplacian = np.eye(len(members)) - between / np.outer(scale, scale)
        frequencies, waves = eigh(laplacian, overwrite_a=True, check_finite=False)
        # Rounding may leave an eigenvalue a little below 0.
        decay = np.exp(-t * np.maximum(frequencies, 0.0))
        signature[members] = waves**2 @ decay
    return signature.round(DECIMALS)
