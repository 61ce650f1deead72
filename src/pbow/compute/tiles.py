"""Points of the plane in small boxes, so that what is far from a box is left out."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

__all__ = ["TILE", "Tiles", "tile"]

Floats = NDArray[np.float64]

TILE = 32  # points of a box; a multiple of what fits into vectors of the processor
LEVELS = 2**16 - 1  # numpy sorts numbers of 16 bits in the time of a few passes


class Tiles(NamedTuple):
    """Coordinates, TILE for each box, the last point as often as fills the last one.

    A row of ``boxes`` is the middle in x and in y, then half the width and the height.
    """

    x: Floats
    y: Floats
    boxes: Floats

    def between(self, first: int, last: int) -> Tiles:
        """Return those of boxes ``first:last``."""
        points = slice(TILE * first, TILE * last)
        return Tiles(self.x[points], self.y[points], self.boxes[first:last])


def tile(points: Floats) -> tuple[NDArray[np.intp], Tiles]:
    """Return an order of ``points`` (n, 2) in which neighbors are close, and its tiles.

    It goes through strips of equal numbers of points side by side, and in a strip from
    one end to the other, so that boxes are about as wide as they are high. Points that
    16 bits do not tell apart keep their order.
    """
    n = len(points)
    n_tiles = -(-n // TILE)
    in_strip = TILE * math.ceil(n_tiles / math.ceil(math.sqrt(n_tiles)))
    levels_x, levels_y = map(_levels, points.T)
    strip = np.empty(n, np.intp)
    strip[np.argsort(levels_x, kind="stable")] = np.arange(n) // in_strip
    along = np.argsort(levels_y, kind="stable")
    order = along[np.argsort(strip[along].astype(np.uint16), kind="stable")]
    filled = np.append(order, np.repeat(order[-1:], n_tiles * TILE - n))
    x, y = np.ascontiguousarray(points[filled].T)
    lower, upper = (
        np.column_stack([extreme(c.reshape(-1, TILE), axis=1) for c in (x, y)])
        for extreme in (np.min, np.max)
    )
    middle = 0.5 * lower + 0.5 * upper
    boxes = np.hstack((middle, np.maximum(middle - lower, upper - middle)))
    return order, Tiles(x, y, boxes)


def _levels(values: Floats) -> NDArray[np.uint16]:
    """Return where values are between the least and the largest one."""
    least, size = values.min(), np.ptp(values)
    unit = size if size > 0.0 else 1.0
    shares: Floats = (values - least) / unit
    return (LEVELS * shares).astype(np.uint16)
