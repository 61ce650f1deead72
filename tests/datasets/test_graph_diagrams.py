import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

from pbow import Diagrams
from pbow.datasets import normalize_graph_diagrams
from pbow.homology import graph_sublevel


def normalized(diagram, min_persistence=0.01):
    """The sentence of the docstring, for one diagram."""
    points = np.array(diagram, dtype=float).reshape(-1, 2)
    if len(points) == 0:
        return points
    lowest = points[:, 0].min()
    finite = points[np.isfinite(points[:, 1]), 1]
    scale = finite.max() - lowest if len(finite) else 1.0
    scale = scale if scale > 0 else 1.0
    kept = points[points[:, 1] - points[:, 0] > min_persistence * scale]
    return (kept - lowest) / scale


degrees = st.integers(0, 2000)
point = st.tuples(degrees, degrees | st.just(np.inf)).map(sorted)
diagrams = st.lists(st.lists(point, max_size=8), max_size=6)


@given(diagrams)
def test_each_diagram_is_moved_and_scaled_by_itself(samples):
    X = normalize_graph_diagrams(Diagrams.from_list(samples, name="H0"))
    assert X.parts == ("H0",)
    assert len(X) == len(samples)
    for diagram, sample in zip(X, samples, strict=True):
        assert_array_equal(diagram, normalized(sample))


def test_parts_of_a_sample_share_its_scale():
    X = Diagrams.from_parts({"H0": [[[1, 11]], []], "H1": [[[6, np.inf]], [[4, 8]]]})
    Y = normalize_graph_diagrams(X)
    assert_array_equal(Y["H0"][0], [[0, 1]])
    assert_array_equal(Y["H1"][0], [[0.5, np.inf]])
    assert_array_equal(Y["H1"][1], [[0, 1]])


def test_the_threshold_is_not_reached_but_exceeded():
    X = normalize_graph_diagrams([[[0, 1], [0, 4]]], min_persistence=0.25)
    assert_array_equal(X[0], [[0, 1]])


@pytest.mark.parametrize("hundredth", [1, 3, 7, 29])
def test_rounding_does_not_decide_at_the_threshold(hundredth):
    births = np.arange(99 * hundredth)
    shortest = np.column_stack((births, births + hundredth))
    X = normalize_graph_diagrams([[*shortest, [0, 100 * hundredth]]])
    assert_array_equal(X[0], [[0, 1]])
    X = normalize_graph_diagrams([[*np.add(shortest, [0, 1]), [0, 100 * hundredth]]])
    assert len(X[0]) == len(births) + 1


def test_essential_points_stay_whatever_the_threshold():
    X = normalize_graph_diagrams([[[0, np.inf], [0, 1e100]]], min_persistence=1e300)
    assert_array_equal(X[0], [[0, np.inf]])


@pytest.mark.parametrize(
    "diagram", [[[0, 1e-90], [1e50, np.inf]], [[-1e100, np.inf], [1e100, np.inf]]]
)
def test_a_scale_that_is_too_small_for_essential_points_is_an_error(diagram):
    with pytest.raises(ValueError, match="Sample 1 has an essential point that would"):
        normalize_graph_diagrams([[], diagram])


def test_the_size_of_a_graph_does_not_matter_but_for_its_scale():
    def star(n):
        return [[0, k] for k in range(1, n)], n

    X = normalize_graph_diagrams(graph_sublevel([star(5), star(100)]))
    assert_array_equal(X[0][-1], [0, np.inf])
    assert X[0][:, 1].tolist() == [1.0] * 3 + [np.inf]
    assert X[1][:, 1].tolist() == [1.0] * 98 + [np.inf]


@pytest.mark.parametrize("largest", [1e100, 5e-324, 1e-300])
def test_extreme_values_give_no_nan(largest):
    X = normalize_graph_diagrams([[[-largest, largest], [0.0, largest]]])
    assert np.isfinite(X.points).all()


@pytest.mark.parametrize("value", [-0.1, np.nan, "x", None])
def test_a_bad_threshold_is_refused(value):
    with pytest.raises(ValueError, match="min_persistence to be a number >= 0; got"):
        normalize_graph_diagrams([[]], min_persistence=value)
