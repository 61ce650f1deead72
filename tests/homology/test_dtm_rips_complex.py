"""Rips diagrams weighted by the distance to measure."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from tests.homology.references import SQUARE, diagrams_of_tree, in_order

from pbow.homology import dtm_rips, rips

pytest.importorskip("gudhi")


@pytest.mark.parametrize("max_edge", [None, 0.8, 0.3])
@pytest.mark.parametrize(("k", "q"), [(1, 2), (3, 2), (5, 1), (15, 3.5)])
def test_weighted_diagrams_match_the_definition(rng, k, q, max_edge):
    module = pytest.importorskip("gudhi.dtm_rips_complex")
    cloud = rng.uniform(size=(15, 2))
    limit = max_edge or np.inf
    complex_ = module.DTMRipsComplex(points=cloud, k=k, q=q, max_filtration=limit)
    tree = complex_.create_simplex_tree(max_dimension=3)
    X = dtm_rips([cloud], (0, 1, 2), k=k, q=q, max_edge=max_edge)
    for dim, expected in enumerate(diagrams_of_tree(tree, (0, 1, 2))):
        lasting = expected[expected[:, 1] - expected[:, 0] > 1e-9]
        found = X[f"H{dim}"][0]
        found = found[found[:, 1] - found[:, 0] > 1e-9]
        assert_allclose(in_order(found), lasting, rtol=1e-9)


def test_with_one_neighbor_nothing_is_weighted(rng):
    clouds = rng.uniform(size=(3, 25, 3))
    X, plain = dtm_rips(clouds, (1, 0), k=1), rips(clouds, (1, 0))
    assert X["H1"] == plain["H1"]
    for mine, theirs in zip(X["H0"], plain["H0"], strict=True):
        assert_array_equal(in_order(mine), in_order(theirs))


def test_points_that_no_edge_joins_are_components():
    X = dtm_rips([[[0.0], [1.0], [9.0]]], 0, k=2, q=1, max_edge=2.0)
    assert X[0].tolist() == [[1.0, 2.0], [1.0, np.inf]]
    X = dtm_rips([[[0.0], [9.0]]], 0, k=1, max_edge=2.0)
    assert X[0].tolist() == [[0.0, np.inf], [0.0, np.inf]]


def test_powers_of_large_distances_do_not_overflow(rng):
    cloud = rng.uniform(size=(10, 2))
    X = dtm_rips([1e90 * cloud, cloud], k=4, q=30)
    assert_allclose(X[0]["H0"], 1e90 * X[1]["H0"], rtol=1e-9)


@pytest.mark.parametrize("k", [5, 10**5000], ids=["few", "huge"])
def test_a_cloud_has_at_least_k_points(k):
    with pytest.raises(ValueError, match="Cloud 0: it has 4 points, fewer than k"):
        dtm_rips([SQUARE], k=k)
