"""Whitened coordinates, and boxes that leave no point of the plane out."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from tests.stability.definitions import births_only, make_codebook, make_tied

from pbow.stability.certificate import DIRECTIONS
from pbow.stability.plane import Plane, cover
from pbow.weighting import Ramp


def plane_of(words, ramp, metric="birth-death", power=1):
    return Plane.of(words, ramp, DIRECTIONS[metric], power)


def test_logits_are_those_of_the_mixture_up_to_what_all_words_share():
    words = make_tied(1, correlation=0.6)
    plane = plane_of(words, Ramp(0.1, 0.5))
    precision = np.linalg.inv(words.covariances[0])
    sigma = np.sqrt(words.covariances[0, 1, 1])
    for x in np.random.default_rng(0).normal(0, 2, (20, 2)):
        offset = x - words.means
        expected = np.log(words.weights)
        expected -= 0.5 * np.einsum("ki,ij,kj->k", offset, precision, offset)
        p = (x[1] - words.means[:, 1].mean()) / sigma
        assert (p > plane.top) == (x[1] > 0.5)
        # Differences along births: the first axis.
        slopes = plane.heights[0]
        moved = x + np.array([1e-6, 0.0]) - words.means
        later = -0.5 * np.einsum("ki,ij,kj->k", moved, precision, moved)
        change = (later + np.log(words.weights) - expected) / 1e-6
        assert_allclose(np.diff(change), np.diff(slopes), rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("limits", [(0.0, 0.3), (2.0, 9.0), (0.0, 1e-3)])
def test_every_point_from_the_foot_of_the_ramp_lies_in_a_box(limits):
    plane = plane_of(make_tied(2, correlation=-0.5), Ramp(*limits))
    boxes = cover(plane, np.zeros(1, np.intp))["corners"]
    rng = np.random.default_rng(0)
    x = rng.normal(0, 10.0 ** rng.uniform(-1, 6, (5000, 1)), (5000, 2))
    x[:, 1] = plane.foot + np.abs(x[:, 1])
    x[:500, 1] = plane.foot + (plane.top - plane.foot) * rng.random(500)
    inside = np.zeros(len(x), bool)
    for corners in boxes:
        # Sides are straight: x is on the inner side of the lines through them.
        ring = corners[[0, 0, 1, 1], [0, 1, 1, 0], :3]
        homogeneous = np.c_[x, np.ones(len(x))]
        sides = [
            np.cross(a, b) for a, b in zip(ring, np.roll(ring, -1, 0), strict=True)
        ]
        values = np.array([homogeneous @ side for side in sides if side.any()])
        # Without an inside, it would have both sides of a line.
        if len(values) < 3:
            continue
        slack = 1e-9 * np.abs(values).max()
        inside |= (values >= -slack).all(axis=0) | (values <= slack).all(axis=0)
    assert inside.all()


def test_the_ramp_of_a_box_is_that_of_its_points():
    words, ramp = make_tied(0), Ramp(0.1, 0.5)
    plane = plane_of(words, ramp)
    boxes = cover(plane, np.zeros(1, np.intp))
    sigma = np.sqrt(words.covariances[0, 1, 1])
    corners = boxes["corners"].reshape(-1, 4)
    finite = corners[corners[:, 2] > 0.0]
    p = finite[:, 1] / finite[:, 2] * sigma + words.means[:, 1].mean()
    assert_allclose(finite[:, 3], ramp(p), atol=1e-9)


def test_equal_coordinates_stay_equal_and_others_stay_apart():
    tiny = np.nextafter(0.1, 1.0)
    means = [[0.1, 1.0], [tiny, 1.0], [0.1, 2.0], [5.0, 3.0]]
    words = make_codebook(means, [[3.0, 7.0]] * 4, 0.0)
    first, second = plane_of(words, Ramp(0.0, 1.0)).logits[:2]
    assert first[0] == first[2] != first[1]
    assert second[0] == second[1]


def test_births_alone_are_a_line():
    words = births_only([0.5, 0.5], [0.2, 0.2])
    plane = plane_of(words, None)
    assert not plane.has_ramp
    assert (plane.logits[1] == 0.0).all()
    assert len(cover(plane, np.arange(2))["owner"]) == 6


def test_numbers_that_leave_no_room_are_not_tame():
    assert plane_of(make_tied(0), Ramp(0.0, 1.0)).is_tame
    assert not plane_of(make_tied(0, width=1e-9), Ramp(0.0, 1.0)).is_tame
    assert not plane_of(make_tied(0), Ramp(0.0, 1e12)).is_tame
