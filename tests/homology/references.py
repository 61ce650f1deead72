"""What several tests of diagrams compare with."""

import numpy as np
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from numpy.testing import assert_array_equal

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


def assert_same_points(located, plain):
    """Locations are there, and the diagrams are the same to the last bit."""
    assert located.parts == plain.parts
    assert len(located) == len(plain)
    for name in plain.parts:
        assert located[name].locations.shape[:2] == located[name].points.shape
        for one, other in zip(located[name], plain[name], strict=True):
            assert_array_equal(in_order(one), in_order(other))


def assert_values_at_locations(part, values):
    """Births and deaths are the values at their places; without a place, inf."""
    for i, of_sample in enumerate(values):
        places = part.locations_of(i)[:, :, 0]
        flat = np.asarray(of_sample, float).ravel()
        expected = np.where(places >= 0, flat[places], np.inf)
        assert_array_equal(part[i], expected)


def ranked(values):
    """Distinct values in the same order; of equal ones the first is lower."""
    values = np.asarray(values, float)
    ranks = np.empty(values.size)
    ranks[np.argsort(values, axis=None, kind="stable")] = np.arange(values.size)
    return ranks.reshape(values.shape)


def pairs_of_tree(tree, dim, ranks):
    """The last vertices of both simplices of each pair, -1 for none, in order."""
    tree.compute_persistence(homology_coeff_field=2, persistence_dim_max=True)
    return sorted(
        tuple(max(s, key=lambda v: ranks[v], default=-1) for s in pair)
        for pair in tree.persistence_pairs()
        if len(pair[0]) == dim + 1
    )
