"""Tiles hold every point once, and their boxes hold their points."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from pbow.compute.tiles import TILE, tile


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
    assert (apart <= tiles.boxes[:, np.newaxis, 2:]).all()


def test_boxes_are_small(rng):
    points = rng.uniform(size=(400 * TILE, 2))
    _, tiles = tile(points)
    assert tiles.boxes[:, 2:].mean() < 1.2 * 0.5 / np.sqrt(400)


def test_parts_of_tiles_are_the_same_tiles(rng):
    _, tiles = tile(rng.normal(size=(5 * TILE - 3, 2)))
    parts = [tiles.between(0, 2), tiles.between(2, 5)]
    for whole, *pieces in zip(tiles, *parts, strict=True):
        assert_array_equal(np.concatenate(pieces), whole)
