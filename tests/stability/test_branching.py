"""Branch and bound against suprema that are known."""

import numpy as np
import pytest

from pbow.stability.branching import MOST_BOXES, TOLERANCE, bound_suprema

# Functions 1 / (1 + a |x - c|) of the plane, one per owner, over the unit square.
CENTERS = np.array([[0.3, 0.7], [0.0, 1.0], [0.5, 0.5]])
HEIGHTS = np.array([1.0, 5.0, 0.1])


def squares(n_owners):
    corner = np.array([0.0, 1.0])
    corners = np.stack(np.meshgrid(corner, corner, indexing="ij"), axis=2)
    return {
        "corners": np.tile(corners, (n_owners, 1, 1, 1)),
        "owner": np.arange(n_owners),
    }


def evaluate(boxes):
    corners = boxes["corners"].reshape(-1, 4, 2)
    center, height = CENTERS[boxes["owner"]], HEIGHTS[boxes["owner"]]
    low, high = corners.min(axis=1), corners.max(axis=1)
    nearest = np.linalg.norm(np.clip(center, low, high) - center, axis=1)
    middle = np.linalg.norm(corners.mean(axis=1) - center, axis=1)
    sides = high - low
    along_t = sides[:, 1] > sides[:, 0]
    return height / (1 + 9 * nearest), height / (1 + 9 * middle), along_t


def test_bounds_are_above_the_suprema_within_the_tolerance():
    bounds = bound_suprema(evaluate, squares(3), 3)
    assert (bounds >= HEIGHTS).all()
    assert (bounds <= HEIGHTS * (1 + TOLERANCE)).all()


def test_together_only_the_largest_is_within_the_tolerance():
    calls = []

    def count(boxes):
        calls.append(len(boxes["owner"]))
        return evaluate(boxes)

    bounds = bound_suprema(count, squares(3), 3, together=True)
    assert (bounds >= HEIGHTS).all()
    assert bounds.max() <= HEIGHTS.max() * (1 + TOLERANCE)
    together = sum(calls)
    calls.clear()
    bound_suprema(count, squares(3), 3)
    assert together < sum(calls)


@pytest.mark.parametrize("value", [0.0, 1e-3])
def test_bounds_that_do_not_converge_are_counted_in_the_end(value):
    calls = []

    def stubborn(boxes):
        n = len(boxes["owner"])
        calls.append(n)
        return np.full(n, 7.0), np.full(n, value), np.zeros(n, bool)

    assert bound_suprema(stubborn, squares(2), 2).tolist() == [7.0, 7.0]
    assert max(calls) <= 2 * MOST_BOXES


def test_what_is_unknown_is_infinite():
    def unknown(boxes):
        n = len(boxes["owner"])
        return np.full(n, np.nan), np.full(n, np.nan), np.zeros(n, bool)

    assert bound_suprema(unknown, squares(1), 1) == np.inf


def test_bounds_that_converge_late_are_waited_for():
    above = iter([1.9, 1.5, 1.25, 1.1, 1.05, 1.02])

    def slow(boxes):
        n = len(boxes["owner"])
        return np.full(n, next(above)), np.ones(n), np.zeros(n, bool)

    assert bound_suprema(slow, squares(1), 1) == 1.02


def test_what_is_open_after_the_last_round_is_counted():
    def at_one_point(boxes):
        corners = boxes["corners"].reshape(-1, 4, 2)
        low, high = corners.min(axis=1), corners.max(axis=1)
        is_there = ((low <= 0.3) & (high > 0.3)).all(axis=1)
        sides = high - low
        return np.where(is_there, 7.0, 0.0), 0.0 * low[:, 0], sides[:, 1] > sides[:, 0]

    assert bound_suprema(at_one_point, squares(1), 1).tolist() == [7.0]
