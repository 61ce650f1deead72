import numpy as np
from hypothesis import example, given
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

from pbow import Diagrams
from pbow.compute.distinct import distinct_points

point = st.tuples(st.integers(-2, 2), st.integers(-2, 2)).map(sorted)
diagram = st.lists(point, max_size=12)


@given(st.lists(diagram, min_size=1, max_size=4))
@example([[], [[0, 1]] * 3, [[0, 1], [1, 1], [0, 1]], [[2, 2]], []])
def test_each_point_off_the_diagonal_is_counted_once(diagrams):
    X = Diagrams.from_list(np.reshape(d, (-1, 2)) for d in diagrams)
    points, counts, offsets = distinct_points(X.points, X.offsets)
    assert offsets[0] == 0
    for i, d in enumerate(diagrams):
        off = [(b, d) for b, d in d if b < d]
        rows = slice(offsets[i], offsets[i + 1])
        assert_array_equal(points[rows], np.reshape(sorted(set(off)), (-1, 2)))
        assert_array_equal(counts[rows], [off.count(p) for p in sorted(set(off))])


def test_points_of_different_diagrams_are_different():
    X = Diagrams.from_list([[[0.0, 1.0]], [[0.0, 1.0]]])
    points, counts, offsets = distinct_points(X.points, X.offsets)
    assert_array_equal(points, X.points)
    assert_array_equal(counts, [1, 1])
    assert_array_equal(offsets, [0, 1, 2])
