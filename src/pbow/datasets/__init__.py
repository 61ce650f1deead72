"""Data to try things on."""

from pbow.datasets.shapes import SHAPE_NAMES, make_shapes

__all__ = ["SHAPE_NAMES", "make_shapes"]
