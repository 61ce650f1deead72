"""Alpha diagrams: those of growing balls."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from numpy.testing import assert_allclose, assert_array_equal
from scipy.spatial.distance import cdist
from tests.homology.references import (
    OCTAHEDRON,
    assert_same_points,
    coarse_clouds,
    diagrams_of_tree,
    in_order,
)

from pbow.homology import alpha, rips

gudhi = pytest.importorskip("gudhi")


def cech_by_definition(cloud):
    """Every triangle with the radius of the smallest disc around it."""
    tree = gudhi.SimplexTree()
    lengths = cdist(cloud, cloud)
    for i in range(len(cloud)):
        tree.insert([i], 0.0)
    for i, j in combinations(range(len(cloud)), 2):
        tree.insert([i, j], lengths[i, j] / 2)
    for i, j, k in combinations(range(len(cloud)), 3):
        a, b, c = sorted((lengths[i, j], lengths[j, k], lengths[i, k]))
        doubled_area = abs(np.linalg.det([cloud[j] - cloud[i], cloud[k] - cloud[i]]))
        obtuse = a**2 + b**2 <= c**2
        tree.insert([i, j, k], c / 2 if obtuse else a * b * c / (2 * doubled_area))
    return diagrams_of_tree(tree, (0, 1))


@pytest.mark.parametrize("precision", ["fast", "safe", "exact"])
def test_alpha_diagrams_are_those_of_growing_discs(rng, precision):
    for cloud in rng.uniform(size=(3, 20, 2)):
        X = alpha([cloud], precision=precision)
        for dim, expected in enumerate(cech_by_definition(cloud)):
            lasting = expected[expected[:, 1] - expected[:, 0] > 1e-9]
            assert_allclose(in_order(X[f"H{dim}"][0]), lasting, rtol=1e-9)


@pytest.mark.parametrize("n_coordinates", [1, 2, 3, 4, 5])
def test_components_of_balls_merge_at_half_the_edge(rng, n_coordinates):
    clouds = rng.uniform(size=(2, 30, n_coordinates))
    for mine, edges in zip(alpha(clouds, 0), rips(clouds, 0), strict=True):
        assert_allclose(in_order(mine), in_order(edges) / 2, rtol=1e-9)


def test_balls_around_an_octahedron_enclose_a_void():
    X = alpha([OCTAHEDRON], dims=(0, 1, 2, 3))[0]
    half = np.sqrt(2) / 2
    assert_allclose(X["H2"], [[np.sqrt(2 / 3), 1.0]])
    assert_allclose(X["H0"][:-1], 5 * [[0.0, half]])
    assert len(X["H3"]) == 0


def test_alpha_takes_many_points(rng):
    angles = rng.uniform(0, 2 * np.pi, size=5000)
    circle = np.column_stack((np.cos(angles), np.sin(angles)))
    longest = alpha([circle], dims=1)[0].max(axis=0)
    assert_allclose(longest[1], 1.0, atol=1e-3)


def test_the_same_points_on_a_grid_give_the_same_diagrams():
    grid = np.stack(np.meshgrid(*3 * [np.arange(4.0)]), axis=-1).reshape(-1, 3)
    X = alpha(10 * [grid], dims=(0, 1, 2), n_jobs=2)
    assert all(X[i : i + 1] == X[:1] for i in range(10))


@pytest.mark.parametrize("n_coordinates", [20, 1000])
def test_alpha_of_many_coordinates_is_refused(rng, n_coordinates):
    with pytest.raises(
        MemoryError, match=r"Cloud 0: it needs about .* coordinates, spa"
    ):
        alpha([rng.uniform(size=(200, n_coordinates))])


def test_alpha_of_few_points_may_have_many_coordinates(rng):
    cloud = rng.uniform(size=(4, 30))
    assert_allclose(in_order(alpha([cloud], 0)[0]), in_order(rips([cloud], 0)[0]) / 2)


@pytest.mark.parametrize("n_coordinates", [2, 3])
def test_locations_are_the_simplices_of_the_textbook_reduction(n_coordinates, rng):
    cloud = rng.normal(size=(15, n_coordinates))
    dims = range(n_coordinates)
    X = alpha([cloud, []], dims, return_locations=True)
    assert_same_points(X, alpha([cloud, []], dims))
    tree = gudhi.AlphaComplex(points=cloud).create_simplex_tree()
    pairs = _reduced(tree)
    for dim in dims:
        part = X[f"H{dim}"]
        assert part.locations.shape[2] == dim + 2
        found = [
            tuple(tuple(v for v in simplex if v >= 0) for simplex in pair)
            for pair in part.locations_of(0).tolist()
        ]
        assert sorted(found) == sorted(p for p in pairs if len(p[0]) == dim + 1)
        assert part.locations_of(1).shape == (0, 2, dim + 2)
        for (birth, death), point in zip(found, part[0], strict=True):
            assert np.sqrt(tree.filtration(birth)) == point[0]
            assert (np.sqrt(tree.filtration(death)) if death else np.inf) == point[1]


@given(coarse_clouds)
def test_of_equal_simplices_each_is_the_location_of_one_point(cloud):
    """Points that coincide, on lines and on grids."""
    dims = range(cloud.shape[1])
    X = alpha([cloud, []], dims, return_locations=True)
    assert_same_points(X, alpha([cloud, []], dims))
    tree = gudhi.AlphaComplex(points=cloud).create_simplex_tree()
    # gudhi has any of the points that coincide, and locations the first.
    equal = (cloud[:, np.newaxis] == cloud).all(axis=2).argmax(axis=1)
    squares = {
        tuple(sorted(equal[simplex].tolist())): value
        for simplex, value in tree.get_filtration()
    }
    for dim in dims:
        simplices = [
            [[v for v in simplex if v >= 0] for simplex in pair]
            for pair in X[f"H{dim}"].locations_of(0).tolist()
        ]
        for (birth, death), (born, dead) in zip(
            simplices, X[f"H{dim}"][0], strict=True
        ):
            assert len(birth) == dim + 1
            assert np.sqrt(squares[tuple(birth)]) == born
            assert (np.sqrt(squares[tuple(death)]) if death else np.inf) == dead
        for side in zip(*simplices, strict=True):
            found = [tuple(simplex) for simplex in side if simplex]
            assert len(set(found)) == len(found)


def _reduced(tree):
    """Pairs of simplices of different value, by reducing columns over Z/2."""
    values = {tuple(s): value for s, value in tree.get_simplices()}
    order = sorted(values, key=lambda s: (values[s], len(s), s))
    place = {simplex: k for k, simplex in enumerate(order)}
    reduced, paired = {}, set()
    pairs = []
    for simplex in order:
        faces = combinations(simplex, len(simplex) - 1) if len(simplex) > 1 else ()
        column = {place[face] for face in faces}
        while column and max(column) in reduced:
            column ^= reduced[max(column)]
        if column:
            reduced[max(column)] = column
            birth = order[max(column)]
            paired |= {birth, simplex}
            if values[birth] < values[simplex]:
                pairs.append((birth, simplex))
    return pairs + [(s, ()) for s in order if s not in paired]


@pytest.mark.parametrize("scale", [1.0, 1 / 3])
def test_of_equal_points_the_first_is_the_location_as_of_rips(scale, rng):
    repeated = np.array([[1, 1], [0, 0], [0, 0]]) * scale
    X = alpha([repeated], dims=0, return_locations=True)
    assert X.locations_of(0).tolist() == [[[1, -1], [0, 1]], [[0, -1], [-1, -1]]]
    clouds = [rng.normal(size=(6, 2))[rng.integers(0, 6, 12)] for _ in range(20)]
    X, Y = (f([*clouds, []], 0, return_locations=True) for f in (alpha, rips))
    assert_array_equal(X.locations, Y.locations)
    X = alpha(clouds, 1, return_locations=True)
    for i, cloud in enumerate(clouds):
        _, first = np.unique(cloud, axis=0, return_index=True)
        assert np.isin(X.locations_of(i), [*first, -1]).all()


def test_locations_need_more_memory(monkeypatch, rng):
    cloud = rng.normal(size=(100, 2))
    monkeypatch.setattr("pbow.homology._memory.available_memory", lambda: 2e5)
    alpha([cloud])
    with pytest.raises(MemoryError, match=r"Cloud 0: it needs about 258 kB"):
        alpha([cloud], return_locations=True)


def test_return_locations_is_true_or_false():
    with pytest.raises(ValueError, match=r"return_locations.*True or False"):
        alpha([[[0, 0]]], return_locations=0)
