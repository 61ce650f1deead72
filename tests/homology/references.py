"""What several tests of diagrams compare with."""

import numpy as np
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

SQUARE = [[0, 0], [1, 0], [1, 1], [0, 1]]
OCTAHEDRON = np.concatenate((np.eye(3), -np.eye(3)))

# Whole numbers: many points coincide, and many distances are equal.
coarse_clouds = hnp.arrays(
    np.float64,
    st.tuples(st.integers(1, 12), st.integers(1, 3)),
    elements=st.integers(0, 4).map(float),
)


def in_order(diagram):
    return diagram[np.lexsort(diagram.T)]


def diagrams_of_tree(tree, dims):
    """The textbook reduction of all simplices of a tree of gudhi."""
    tree.compute_persistence(homology_coeff_field=2, persistence_dim_max=True)
    found = (tree.persistence_intervals_in_dimension(dim) for dim in dims)
    return [in_order(diagram.reshape(-1, 2)) for diagram in found]
