import gudhi
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from pbow import Diagrams
from pbow.homology import graph_extended
from pbow.io import from_gudhi, to_gudhi

inf = float("inf")

values = st.floats(-1e100, 1e100)
pairs = st.tuples(values, values | st.just(inf)).map(sorted).map(tuple)
intervals = st.lists(st.tuples(st.integers(0, 3), pairs), max_size=8)


@pytest.fixture
def tree(rng):
    cloud = rng.uniform(size=(30, 2))
    complex_ = gudhi.RipsComplex(points=cloud, max_edge_length=0.4)
    return complex_.create_simplex_tree(max_dimension=2)


def test_persistence_and_its_intervals_give_the_same_diagrams(tree):
    persistence = tree.persistence(homology_coeff_field=2)
    X = from_gudhi([persistence, []])
    assert X.parts == ("H0", "H1")
    for name, dim in (("H0", 0), ("H1", 1)):
        expected = [pair for d, pair in persistence if d == dim]
        assert_array_equal(X[0][name], expected)
        assert len(X[1][name]) == 0
    arrays = {dim: tree.persistence_intervals_in_dimension(dim) for dim in (0, 1)}
    by_dict = from_gudhi([arrays, {}])
    assert from_gudhi([[arrays[0], arrays[1]], []]) == by_dict
    for name in ("H0", "H1"):
        assert sorted(map(tuple, X[0][name])) == sorted(map(tuple, by_dict[0][name]))


@given(st.lists(intervals, min_size=1, max_size=3))
def test_the_way_there_and_back_changes_only_the_order_of_dimensions(samples):
    X = from_gudhi(samples, dims=(0, 1, 2, 3))
    back = to_gudhi(X)
    assert back == [sorted(sample, key=lambda point: point[0]) for sample in samples]
    assert from_gudhi(back, dims=(0, 1, 2, 3)) == X


def test_dims_choose_parts_and_their_order():
    sample = [(1, (0.5, 1.0)), (0, (0.0, inf))]
    assert from_gudhi([sample]).parts == ("H0", "H1")
    assert from_gudhi([sample], dims=1).parts == ("H1",)
    X = from_gudhi([sample], dims=(2, 0))
    assert X.parts == ("H2", "H0")
    assert X["H2"].sizes.tolist() == [0]
    assert from_gudhi([], dims=(0,)) == Diagrams.from_list([], name="H0")
    with pytest.raises(ValueError, match="dims to be one or more different ints"):
        from_gudhi([sample], dims=(-1,))
    with pytest.raises(ValueError, match=r"Name them, as in dims=\(0, 1\)"):
        from_gudhi([[], []])


def test_extended_persistence_of_a_graph_comes_and_goes():
    tree = gudhi.SimplexTree()
    heights = [0.0, 1.0, 2.0, 3.0, 1.5, 0.5]
    for vertex, height in enumerate(heights):
        tree.insert([vertex], height)
    for i, j in [(0, 1), (1, 2), (2, 3), (3, 0), (3, 4), (0, 5)]:
        tree.insert([i, j], max(heights[i], heights[j]))
    tree.extend_filtration()
    result = tree.extended_persistence(homology_coeff_field=2)
    assert all(birth >= death for _, (birth, death) in result[1] + result[3])
    assert result[3]
    X = from_gudhi([result, [[], [], [], []]], extended=True)
    assert X.parts == ("Ord0", "Rel1", "Ext0", "Ext1")
    assert_array_equal(X[0]["Ext1"], [sorted(pair) for _, pair in result[3]])
    assert to_gudhi(X) == [result, [[], [], [], []]]


def test_extended_persistence_of_pbow_becomes_that_of_gudhi(rng):
    edges = np.array(
        [(i, j) for j in range(12) for i in range(j) if rng.random() < 0.2]
    )
    heights = rng.uniform(size=12)
    tree = gudhi.SimplexTree()
    for vertex, height in enumerate(heights):
        tree.insert([vertex], height)
    for edge in edges:
        tree.insert(edge, heights[edge].max())
    tree.extend_filtration()
    # gudhi scales values there and back, so that equal ones may come out different.
    expected = tree.extended_persistence(homology_coeff_field=2, min_persistence=1e-9)
    (found,) = to_gudhi(graph_extended([(edges, 12)], values=[heights]))
    assert [len(part) for part in found] == [len(part) for part in expected]
    assert min(len(part) for part in found) > 0
    for mine, theirs in zip(found, expected, strict=True):
        assert [dim for dim, _ in mine] == [dim for dim, _ in theirs]
        pairs_of = [sorted(pair for _, pair in part) for part in (mine, theirs)]
        assert_allclose(*pairs_of, atol=1e-9)


def test_the_orientation_goes_by_the_name_whatever_its_case():
    X = Diagrams.from_parts({"REL1": [[[0, 1]]], "ext0": [[[0, 2]]]})
    assert to_gudhi(X) == [[[], [(1, (1.0, 0.0))], [(0, (0.0, 2.0))], []]]
    assert to_gudhi(Diagrams.from_list([[[0, 1]]], name="h2")) == [[(2, (0.0, 1.0))]]


def test_extended_and_other_parts_do_not_mix():
    X = Diagrams.from_parts({"Ext0": [[[0, 1]]], "H1": [[[0, 2]]]})
    with pytest.raises(ValueError, match=r"extended persistence apart .* 'H1'"):
        to_gudhi(X)
    with pytest.raises(ValueError, match="'loops' is none of H0"):
        to_gudhi(Diagrams.from_list([[[0, 1]]], name="loops"))


@pytest.mark.parametrize(
    ("results", "message"),
    [
        ([(1, (0.0, 1.0)), (0, (0.0, 2.0))], r"Result 0 is \(1, .* Wrap one result"),
        ({1: [[0.0, 1.0]]}, r"got dict\. Wrap one result in a list"),
        ("persistence", "got str"),
        (None, "got NoneType"),
        ([np.array([[0.0, 1.0]])], r"Result 0 is ndarray.* Diagrams\.from_list"),
        ([[[0.0, 1.0], [0.0, 2.0]]], "expected a list with an array for each dim"),
        ([[(0, (0.0, 1.0)), (1, 2.0)]], r"not a list of \(dimension, \(birth, death"),
        ([[(0, (0.0, 1.0)), 7]], r"not a list of \(dimension, \(birth, death"),
        ([[(0, (0.0, 1.0)), (None, (0.0, 1.0))]], "Point 1 has dimension nan"),
        ([[(-1, (0.0, 1.0)), (0, (0.0, 1.0))]], "Result 0: Point 0 has dimension -1"),
        ([{"H1": [[0.0, 1.0]]}], "Result 0 has dimension 'H1'"),
        ([[(1, (0.7, 0.2))]], "dies before it is born .* negate both"),
        ([[(1, (0.7, float("nan")))]], "NaN"),
        ([3], "Result 0 is int"),
    ],
)
def test_what_is_not_a_list_of_results_is_refused(results, message):
    with pytest.raises(ValueError, match=message):
        from_gudhi(results)


@pytest.mark.parametrize(
    ("results", "message"),
    [
        ([[], [], [], []], "not the four lists of extended_persistence"),
        ([[[(1, (0.0, 1.0))], [], [], []]], "dimension 1 in the list of Ord0"),
        ([[[], [], [], [(1, (0.0, 1.0))]]], "Diagram 0 of part Ext1 .* dies before"),
        ([[[], [], [], [1]]], "not a list of"),
    ],
)
def test_what_is_not_extended_persistence_of_graphs_is_refused(results, message):
    with pytest.raises(ValueError, match=message):
        from_gudhi(results, extended=True)


def test_extended_persistence_has_its_dimensions_in_its_names():
    with pytest.raises(ValueError, match=r"no dims .*; got 1\. Select parts"):
        from_gudhi([[[], [], [], []]], extended=True, dims=1)
