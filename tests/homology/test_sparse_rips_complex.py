"""Sparse Rips diagrams: their guarantee, and their definition."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy.spatial.distance import cdist
from tests.homology.references import (
    SQUARE,
    coarse_clouds,
    diagrams_of_tree,
    in_order,
)

from pbow.compute.sparse_rips import order_farthest_first
from pbow.datasets import make_shapes
from pbow.homology import _memory, rips, sparse_rips

gudhi = pytest.importorskip("gudhi")


def logarithmic_distance(exact, sparse, factor):
    """Bottleneck distance of logarithms, the exact ones moved by half the factor."""
    moved = np.log(exact) + np.log(factor) / 2
    return gudhi.bottleneck_distance(moved, np.log(sparse))


@pytest.mark.parametrize("epsilon", [0.1, 0.5, 0.9])
def test_sparse_diagrams_keep_their_guarantee(epsilon):
    clouds, _ = make_shapes(n_per_class=2, n_points=80, random_state=0)
    factor = 1 / (1 - epsilon)
    exact, sparse = rips(clouds, (0, 1)), sparse_rips(clouds, (0, 1), epsilon=epsilon)
    for mine, theirs in zip(sparse["H0"], exact["H0"], strict=True):
        found, true = np.sort(mine[:, 1]), np.sort(theirs[:, 1])
        assert (found >= true).all()
        assert (found <= factor * true).all()
    for mine, theirs in zip(sparse["H1"], exact["H1"], strict=True):
        distance = logarithmic_distance(theirs, mine, factor)
        assert distance <= np.log(factor) / 2 + 1e-9


def test_a_small_epsilon_gives_the_exact_diagrams(rng):
    clouds = rng.uniform(size=(4, 40, 3))
    X, exact = sparse_rips(clouds, (0, 1), epsilon=0.01), rips(clouds, (0, 1))
    for dim in ("H0", "H1"):
        for mine, theirs in zip(X[dim], exact[dim], strict=True):
            assert_allclose(in_order(mine), in_order(theirs), rtol=1e-12)


def sparse_by_definition(cloud, epsilon, dims):
    """Cavanna, Jahanseir, Sheehy: cliques whose vertices are all there still."""
    order, radii = order_farthest_first(np.ascontiguousarray(cloud.T), 1000)
    distances = cdist(cloud[order], cloud[order])
    tree = gudhi.SimplexTree()
    for j, younger in enumerate(radii):
        tree.insert([j], 0.0)
        for i, older in enumerate(radii[:j]):
            d = distances[i, j]
            meet = max(d / 2, d - younger / epsilon)
            if meet <= older / epsilon and meet <= younger / epsilon / (1 - epsilon):
                tree.insert([i, j], 2 * meet)

    def is_gone(simplex):
        enters = tree.filtration(simplex) / 2
        return any(enters > radii[v] / epsilon / (1 - epsilon) for v in simplex)

    tree.expansion_with_blocker(max(dims) + 1, is_gone)
    return diagrams_of_tree(tree, dims)


def assert_same_as_definition(clouds, epsilon, dims):
    X = sparse_rips(clouds, dims, epsilon=epsilon)
    for i, cloud in enumerate(clouds):
        for dim, expected in enumerate(sparse_by_definition(cloud, epsilon, dims)):
            assert_allclose(in_order(X[f"H{dim}"][i]), expected, rtol=1e-9)


@pytest.mark.parametrize("epsilon", [0.3, 0.5, 0.8])
def test_sparse_diagrams_match_the_definition(epsilon):
    clouds, _ = make_shapes(n_per_class=1, n_points=40, random_state=1)
    assert_same_as_definition(clouds, epsilon, (0, 1, 2))


@given(coarse_clouds, st.sampled_from([0.25, 0.5, 0.75]))
def test_sparse_diagrams_of_small_clouds_match_the_definition(cloud, epsilon):
    assert_same_as_definition([cloud], epsilon, (0, 1))


def test_far_fewer_edges_are_enough_for_sparse_diagrams(monkeypatch, rng):
    cloud = rng.uniform(size=(2000, 2))
    monkeypatch.setattr(_memory, "available_memory", lambda: 5e7)
    with pytest.raises(MemoryError):
        rips([cloud])
    X = sparse_rips([cloud], epsilon=0.8)
    assert X["H0"].sizes.tolist() == [2000]


def test_what_outlives_the_largest_value_is_essential():
    X = sparse_rips([SQUARE, [[0, 0], [5, 0]]], epsilon=0.1, max_edge=1.2)
    assert X[0]["H1"].tolist() == [[1.0, np.inf]]
    assert X[1]["H0"].tolist() == [[0.0, np.inf], [0.0, np.inf]]
