"""Landscape distances with the rounding of the toolbox that the authors' program calls.

The toolbox (Bubenik, Dłotko 2017) integrates the square of a line a x + b, a part of
the difference of two landscapes, as ((a x' + b)³ - (a x + b)³) / 3a. Where two
landscapes run parallel, a is zero but for rounding, and so few digits are right that
the distances of many diagrams are no longer those of points in any space.
"""

from typing import Any

import numpy as np
from numba import njit

from pbow.diagrams import Diagrams, check_diagrams
from pbow.kernels import LandscapeKernel

__all__ = ["ToolboxLandscapes"]

Corner = tuple[float, float]


class ToolboxLandscapes(LandscapeKernel):
    """L2 distances of landscapes, computed as in the toolbox."""

    def transform(self, X: Any, **_: Any) -> np.ndarray:
        """Return the distances of diagrams of one part to those of fit."""
        both = (check_diagrams(X, parts=self.parts_), self.X_fit_)
        return _distances(*_corners(both[0]), *_corners(both[1]))


def _corners(X: Diagrams) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return corners of all levels, where levels begin, and where diagrams begin."""
    corners: list[Corner] = []
    levels, diagrams = [0], [0]
    for points in np.split(X.points, X.offsets[1:-1]):
        for level in peel_levels(points):
            corners += level
            levels.append(len(corners))
        diagrams.append(len(levels) - 1)
    return np.array(corners).reshape(-1, 2), np.array(levels), np.array(diagrams)


def peel_levels(points: np.ndarray) -> list[list[Corner]]:
    """Return the corners (time, height) of each level of a diagram's landscape."""
    left = sorted((float(b), -float(d)) for b, d in points if b < d)
    levels = []
    while left:
        birth, death = left.pop(0)
        level, place = [(birth, 0.0), _peak(birth, -death)], 0
        # The next tent that ends later; what both leave is a tent of a lower level.
        while later := [k for k in range(place, len(left)) if left[k][1] < death]:
            place = later[0]
            b, d = left.pop(place)
            if b >= -death:
                level += [(-death, 0.0), (b, 0.0)]
            else:
                level.append(_peak(b, -death))
                rest = (b, death)
                while place < len(left) and left[place] < rest:
                    place += 1
                left.insert(place, rest)
                place += 1
            level.append(_peak(b, -d))
            birth, death = b, d
        level.append((-death, 0.0))
        levels.append(list(dict.fromkeys(level)))
    return levels


def _peak(birth: float, death: float) -> Corner:
    return (birth + death) / 2.0, (death - birth) / 2.0


@njit(nogil=True, cache=True)
def _distances(
    a: np.ndarray,
    a_levels: np.ndarray,
    a_diagrams: np.ndarray,
    b: np.ndarray,
    b_levels: np.ndarray,
    b_diagrams: np.ndarray,
) -> np.ndarray:
    out = np.zeros((a_diagrams.size - 1, b_diagrams.size - 1))
    for i in range(out.shape[0]):
        for j in range(out.shape[1]):
            k, m = a_diagrams[i], b_diagrams[j]
            while k < a_diagrams[i + 1] or m < b_diagrams[j + 1]:
                one, other = a[:0], b[:0]
                if k < a_diagrams[i + 1]:
                    one = a[a_levels[k] : a_levels[k + 1]]
                if m < b_diagrams[j + 1]:
                    other = b[b_levels[m] : b_levels[m + 1]]
                out[i, j] += _squared_difference(one, other)
                k, m = k + 1, m + 1
    return np.sqrt(np.maximum(out, 0.0))


@njit(nogil=True, cache=True)
def _squared_difference(one: np.ndarray, other: np.ndarray) -> float:
    """Return the integral of the squared difference of two levels."""
    total, i, j = 0.0, 0, 0
    last, height = -np.inf, 0.0
    while i < len(one) or j < len(other):
        if j == len(other) or (i < len(one) and one[i, 0] <= other[j, 0]):
            x = one[i, 0]
        else:
            x = other[j, 0]
        new = _value(one, i, x) - _value(other, j, x)
        if height * new < 0.0:
            slope = (new - height) / (x - last)
            zero = (slope * last - height) / slope
            total += _square(last, abs(height), zero, 0.0)
            total += _square(zero, 0.0, x, abs(new))
        elif last > -np.inf:
            total += _square(last, abs(height), x, abs(new))
        last, height = x, new
        i += i < len(one) and one[i, 0] == x
        j += j < len(other) and other[j, 0] == x
    return total


@njit(nogil=True, cache=True)
def _value(level: np.ndarray, i: int, x: float) -> float:
    """Return the height at x, which is not beyond corner i."""
    if i == len(level) or x < level[0, 0]:
        return 0.0
    if x == level[i, 0]:
        return level[i, 1]
    slope = (level[i, 1] - level[i - 1, 1]) / (level[i, 0] - level[i - 1, 0])
    return slope * x + (level[i - 1, 1] - slope * level[i - 1, 0])


@njit(nogil=True, cache=True)
def _square(x: float, y: float, later: float, height: float) -> float:
    """Return the integral of the square of the line from (x, y) to (later, height)."""
    if x == later:
        return 0.0
    slope = (y - height) / (x - later)
    at_zero = height - slope * later
    if slope == 0.0:
        return (later - x) * height**2
    cubes = (slope * later + at_zero) ** 3 - (slope * x + at_zero) ** 3
    return 1.0 / (3.0 * slope) * cubes
