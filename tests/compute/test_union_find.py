import numpy as np
import pytest
from numba import njit
from numpy.testing import assert_array_equal

from pbow.compute import union_find
from pbow.compute.union_find import count_neighbors, find, merge_components
from pbow.homology import Graphs, graph_sublevel


def sublevel_by_definition(edges, values):
    """Components and loops at each value, from those of the subgraph up to it."""
    n = len(values)
    finite, essential = [], []
    by_value = sorted(range(n), key=lambda v: (values[v], v))
    component = {}
    loops = []
    for v in by_value:
        component[v] = {v}
        for a, b in edges:
            if v not in {a, b} or (other := a + b - v) not in component:
                continue
            if component[other] is component[v]:
                loops.append([values[v], np.inf])
                continue
            births = sorted(
                min(values[u] for u in component[end]) for end in (v, other)
            )
            if births[1] < values[v]:
                finite.append([births[1], values[v]])
            joined = component[v] | component[other]
            component.update(dict.fromkeys(joined, joined))
    for joined in {id(c): c for c in component.values()}.values():
        essential.append([min(values[u] for u in joined), np.inf])
    return sorted(finite) + sorted(essential), sorted(loops)


@pytest.mark.parametrize("n_values", [1, 3, 1000])
@pytest.mark.parametrize("whole", [True, False])
def test_components_and_loops_match_the_definition(rng, n_values, whole):
    graphs = Graphs.from_list(
        [(rng.integers(0, n, size=(n + 3, 2)), n) for n in (1, 2, 5, 17, 30)]
    )
    values = [rng.integers(0, n_values, n) + 0.5 * (not whole) for _, n in graphs]
    X = graph_sublevel(graphs, values, dims=(0, 1))
    for i, (edges, _) in enumerate(graphs):
        components, loops = sublevel_by_definition(edges.tolist(), values[i].tolist())
        finite = X["H0"].finite()[i].tolist()
        assert sorted(finite) + X["H0"].essential()[i].tolist() == components
        assert sorted(X["H1"][i].tolist()) == loops


def test_points_come_by_death_and_then_by_birth(rng):
    edges = rng.integers(0, 40, size=(25, 2))
    X = graph_sublevel([(edges, 40)], [rng.permutation(40)])
    assert (np.diff(X.finite().points[:, 1]) >= 0).all()
    assert (np.diff(X.essential().points[:, 0]) >= 0).all()


def test_roots_are_found_at_the_end_of_every_path():
    parent = np.array([0, 0, 1, 2, 3, 5], np.int32)
    assert [find(parent, x) for x in (4, 3, 0, 5)] == [0, 0, 0, 5]
    assert find(parent, 4) == 0


@njit
def order_of(values):
    return union_find._order(values)


@pytest.mark.parametrize("n", [0, 1, 15, 16, 17, 33, 1000])
@pytest.mark.parametrize("digits", [0, 1, 9])
def test_vertices_are_sorted_by_value_and_equal_ones_by_index(rng, n, digits):
    for values in (rng.normal(size=n).round(digits), rng.integers(0, max(n, 1), n)):
        expected = np.argsort(values, kind="stable")
        assert_array_equal(order_of(values.astype(float)), expected)


def test_of_two_components_that_meet_the_one_with_the_later_first_vertex_dies():
    edges = np.array([[3, 1], [2, 4], [4, 3]])
    assert merge_components(edges, 6).tolist() == [3, 4, 2, 0, 1, 5]


def test_each_end_of_an_edge_is_a_neighbor_of_the_other_in_its_own_graph():
    edges = np.array([[0, 1], [0, 2], [1, 0], [0, 3], [2, 3]], np.int32)
    degrees = np.zeros(9)
    count_neighbors(edges, np.array([0, 3, 5, 9]), np.array([0, 2, 3, 5]), degrees)
    assert degrees.tolist() == [2, 1, 1, 1, 1, 1, 0, 1, 2]


def test_a_way_to_a_root_is_half_as_long_when_it_was_gone():
    n = 64
    parent = np.maximum(np.arange(n) - 1, 0).astype(np.int32)
    assert find(parent, n - 1) == 0
    x, n_steps = n - 1, 0
    while parent[x] != x:
        x, n_steps = parent[x], n_steps + 1
    assert n_steps == n // 2
