"""Tiles hold every point once, and their boxes hold their points."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from pbow.compute.jit import interpreted
from pbow.compute.tiles import TILE, find_near, tile


@pytest.fixture(
    params=["normal", "line", "one point", "few values", "far away", "outlier"]
)
def points(request, rng):
    n = int(rng.integers(1, 40 * TILE))
    points = rng.normal(size=(n, 2))
    if request.param == "line":
        points[:, 1] = 0.0
    elif request.param == "one point":
        points[:] = 0.1
    elif request.param == "few values":
        points = rng.integers(0, 4, size=(n, 2)).astype(float)
    elif request.param == "far away":
        points += 1e12
    elif request.param == "outlier":
        points[0] = -1e150
    return points


def test_every_point_is_in_one_box(points):
    order, tiles = tile(points)
    assert_array_equal(np.sort(order), np.arange(len(points)))
    n_tiles = -(-len(points) // TILE)
    assert tiles.boxes.shape == (n_tiles, 4)
    columns = np.column_stack((tiles.x, tiles.y))
    assert_array_equal(columns[: len(points)], points[order])
    assert (columns[len(points) :] == points[order[-1]]).all()
    apart = np.abs(columns.reshape(n_tiles, TILE, 2) - tiles.boxes[:, np.newaxis, :2])
    # The middle may be rounded, and what is as far from it on the other side.
    room = 4 * np.finfo(float).eps * (np.abs(columns).max() + 1.0)
    assert (apart <= tiles.boxes[:, np.newaxis, 2:] + room).all()


def test_boxes_are_small(rng):
    points = rng.uniform(size=(400 * TILE, 2))
    _, tiles = tile(points)
    assert tiles.boxes[:, 2:].mean() < 1.2 * 0.5 / np.sqrt(400)
    # None holds points from both ends of a line.
    _, tiles = tile(np.column_stack((np.arange(10.0 * TILE), np.zeros(10 * TILE))))
    assert tiles.boxes[:, 2].max() < TILE


def test_parts_of_tiles_are_the_same_tiles(rng):
    _, tiles = tile(rng.normal(size=(5 * TILE - 3, 2)))
    parts = [tiles.between(0, 2), tiles.between(2, 5)]
    for whole, *pieces in zip(tiles, *parts, strict=True):
        assert_array_equal(np.concatenate(pieces), whole)


@pytest.mark.parametrize("bits", [0.01, 1.0, 56.0])
@pytest.mark.parametrize("n", [4, 8, 20])
def test_of_components_only_those_that_matter_are_near_a_point(rng, n, bits):
    # Of a box without size, logarithms of densities are known, not only bounded.
    for _ in range(30):
        components = rng.normal(size=(6, n))
        point = rng.normal(size=2)
        boxes = np.array([[*point, 0.0, 0.0]])
        bounds, near = np.empty((2, n)), np.zeros(n + 1, np.uint64)
        n_near = interpreted(find_near)(boxes, 0, components, bits, bounds, near)
        x, y = point[:, np.newaxis] - components[:2]
        l11, l21, l22 = components[2:5]
        logs = components[5] - ((l11 * x) ** 2 + (l21 * x + l22 * y) ** 2)
        assert_array_equal(near[:n_near], np.flatnonzero(logs >= logs.max() - bits))


@pytest.mark.parametrize("bits", [0.0, 1.0])
def test_all_components_that_matter_anywhere_in_a_box_are_near(rng, bits):
    for _ in range(50):
        components = rng.normal(size=(6, 8))
        middle, half = rng.normal(size=2), rng.exponential(size=2)
        bounds, near = np.empty((2, 8)), np.zeros(9, np.uint64)
        boxes = np.array([[*middle, *half]])
        n_near = interpreted(find_near)(boxes, 0, components, bits, bounds, near)
        points = middle + half * rng.uniform(-1, 1, size=(200, 2))
        x, y = points.T[:, :, np.newaxis] - components[:2, np.newaxis]
        l11, l21, l22 = components[2:5]
        logs = components[5] - ((l11 * x) ** 2 + (l21 * x + l22 * y) ** 2)
        matters = (logs >= logs.max(axis=1, keepdims=True) - bits).any(axis=0)
        assert set(np.flatnonzero(matters)) <= set(near[:n_near].tolist())
