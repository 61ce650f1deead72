"""Prepared diagrams, the way that each pair goes, and distances of births."""

import math

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from tests.compute.oracles import cloud, off_the_diagonal, repeated, whole_numbers

from pbow.compute.matching import wasserstein
from pbow.compute.wasserstein import distances_between, norm_of, prepare, transports

ORDERS = [1.0, 2.0, math.inf]


def prepare_all(X):
    points = np.concatenate([np.reshape(x, (-1, 2)) for x in X])
    return prepare(points, np.cumsum([0] + [len(x) for x in X]))


def test_points_are_sorted_and_distinct_ones_counted(rng):
    X = [whole_numbers(rng, n) for n in (9, 0, 40, 1)]
    prepared = prepare_all(X)
    for i, x in enumerate(X):
        points, middles = off_the_diagonal(x)
        start, stop = prepared.offsets[i : i + 2]
        assert_array_equal(prepared.points[2 * start : 2 * stop], points)
        assert_array_equal(prepared.middles[start:stop], middles)
        first, last = prepared.distinct_offsets[i : i + 2]
        distinct = prepared.distinct.reshape(-1, 2)[first:last]
        again = np.repeat(distinct, prepared.counts[first:last], axis=0)
        assert_array_equal(again.ravel(), points)
        assert len(np.unique(distinct, axis=0)) == len(distinct)
    assert_array_equal(
        np.concatenate(X)[prepared.places], prepared.points.reshape(-1, 2)
    )


def test_equal_points_of_neighboring_diagrams_are_counted_apart():
    prepared = prepare_all([[[0.0, 1.0]] * 2, [[0.0, 1.0]] * 3])
    assert_array_equal(prepared.counts, [2, 3])
    assert_array_equal(prepared.distinct_offsets, [0, 1, 2])


def test_births_of_essential_points_are_sorted():
    X = [[[3.0, np.inf], [0.0, 1.0], [1.0, np.inf]], [[0.0, 2.0]], [[2.0, np.inf]]]
    prepared = prepare_all(X)
    assert_array_equal(prepared.births, [1.0, 3.0, 2.0])
    assert_array_equal(prepared.birth_places, [2, 0, 4])
    assert_array_equal(prepared.birth_offsets, [0, 2, 2, 3])
    assert_array_equal(prepared.offsets, [0, 1, 2, 2])


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("metric", [1.0, 2.0, math.inf])
def test_every_pair_has_its_distance_whichever_way_it_goes(order, metric, rng):
    X = [cloud(rng, 12), repeated(cloud)(rng, 90), [], repeated(cloud)(rng, 70)]
    X += [whole_numbers(rng, 200), np.tile([[0.0, 1.0]], (50, 1))]
    prepared = prepare_all(X)
    ways = transports(prepared, prepared, order)
    assert ways.any()
    assert not ways.all()
    expected = [
        [
            wasserstein(*off_the_diagonal(A), *off_the_diagonal(B), order, metric)
            for B in X
        ]
        for A in X
    ]
    arguments = (prepared, prepared, order, metric)
    found = distances_between(*arguments, mirrored=False)
    assert_allclose(found, expected, rtol=1e-11)
    assert_array_equal(found, found.T)
    assert_array_equal(distances_between(*arguments, mirrored=True), found)


def test_some_diagrams_have_the_distances_that_they_have_among_all(rng):
    prepared = prepare_all([repeated(cloud)(rng, n) for n in (8, 60, 90, 5, 0)])
    whole = distances_between(prepared, prepared, 2.0, math.inf, mirrored=True)
    one, other = prepared.some(slice(1, 3)), prepared.some(slice(2, 5))
    some = distances_between(one, other, 2.0, math.inf, mirrored=False)
    assert_array_equal(some, whole[1:3, 2:5])


def test_transport_is_for_few_distinct_points(rng):
    few, many = np.tile(cloud(rng, 20), (17, 1)), cloud(rng, 300)
    prepared = prepare_all([few, many, cloud(rng, 13), []])
    assert transports(prepared, prepared, 2.0)[0, 0]
    assert not transports(prepared, prepared, 2.0)[1:, 1:].any()
    # Three of each are not yet many.
    threes, fours = (prepare_all([np.tile(cloud(rng, 20), (n, 1))]) for n in (3, 4))
    assert not transports(threes, threes, 2.0)
    assert transports(threes, fours, 2.0)
    # To look for a bottleneck takes several flows.
    half = prepare_all([np.tile(cloud(rng, 20), (5, 1))])
    assert transports(half, half, 2.0)
    assert not transports(half, half, math.inf)


@pytest.mark.parametrize("order", ORDERS)
def test_essential_points_are_matched_by_sorted_births(order, rng):
    births = [rng.normal(size=n) for n in (3, 3, 2, 0, 0)]
    X = [np.column_stack((b, np.full(len(b), np.inf))) for b in births]
    prepared = prepare_all(X)
    found = distances_between(prepared, prepared, order, math.inf, mirrored=True)
    steps = np.sort(births[0]) - np.sort(births[1])
    assert_allclose(found[0, 1], np.linalg.norm(steps, order), rtol=1e-14)
    assert found[3, 4] == 0.0
    assert_array_equal(np.diag(found), 0.0)
    assert np.isinf(found[:2, 2:]).all()
    assert np.isinf(found[2, [0, 1, 3, 4]]).all()


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("scale", [1e-300, 1.0, 1e300])
def test_norms_neither_overflow_nor_vanish(order, scale):
    values = np.array([[3.0, 0.0, 1.0], [4.0, 0.0, np.inf]]) * scale
    expected = [np.linalg.norm([3.0, 4.0], order) * scale, 0.0, np.inf]
    assert_allclose(norm_of(values, order), expected, rtol=1e-15)


@pytest.mark.parametrize("order", ORDERS)
def test_the_norm_of_nothing_is_0(order):
    assert_array_equal(norm_of(np.empty((0, 3)), order), np.zeros(3))
