import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pbow import Diagrams
from pbow.io.dimensions import by_dimension, dimensions_of, from_dimensions


@given(st.lists(st.integers(0, 3)))
def test_points_of_a_dimension_keep_their_order(dims):
    points = np.arange(2.0 * len(dims)).reshape(-1, 2)
    found = by_dimension(np.array(dims, np.int64), points)
    assert list(found) == sorted(set(dims))
    for dim, diagram in found.items():
        assert diagram.tolist() == points[np.equal(dims, dim)].tolist()


@pytest.mark.parametrize("dim", [-1, 1000, 0.5, np.nan, np.inf])
def test_dimensions_are_small_whole_numbers(dim):
    with pytest.raises(ValueError, match=f"Point 1 has dimension {dim}"):
        by_dimension(np.array([0, dim]), np.zeros((2, 2)))


def test_samples_lack_what_others_have():
    X = from_dimensions([{1: [[0, 1]]}, {0: [[0, 2]]}], None)
    assert Diagrams.from_parts({"H0": [[], [[0, 2]]], "H1": [[[0, 1]], []]}) == X


def test_parts_are_known_by_their_dimension_whatever_the_case():
    X = Diagrams.from_parts({"H10": [[]], "h2": [[]]})
    assert dimensions_of(X, "it") == {"H10": 10, "h2": 2}
    for name in ("H", "H01", "H1_inf", "Ord0", "H1000", "1"):
        with pytest.raises(ValueError, match=f"it knows parts .* '{name}' is none of"):
            dimensions_of(Diagrams.from_list([[]], name=name), "it")
