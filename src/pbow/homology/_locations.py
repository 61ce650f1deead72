"""Where points of diagrams are born and die: values that tell where they are from.

An engine returns values only. If no two values are equal, each tells its place. So the
values are replaced by *keys*: distinct floats in the same order, of equal values the
one of the lower index first. Births and deaths are then keys, and turn back into
places; and places into values. Points of one value, which only the keys tell apart, are
left out, so that the diagrams are those of the values themselves.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from pbow.errors import ParameterError
from pbow.homology._common import Floats, Ints

__all__ = [
    "Keys",
    "Located",
    "check_return_locations",
    "distinct_keys",
    "located_pairs",
    "ranks",
]


class Located(NamedTuple):
    """A diagram, and beside each point where it is born and dies: (n_points, 2, k)."""

    points: Floats
    locations: Ints


class Keys(NamedTuple):
    """Distinct keys in the order of `values`; inf stays inf. All arrays are flat."""

    values: Floats
    keys: Floats
    places_of: Callable[[Floats], Ints]

    def locate(self, diagram: Floats) -> Located:
        """Turn a diagram of keys into one of values, with one place for each end."""
        diagram = diagram[np.isfinite(diagram[:, 0])]
        finite = np.isfinite(diagram)
        places = np.full(diagram.shape, -1)
        places[finite] = self.places_of(diagram[finite])
        points = np.where(finite, self.values[places], np.inf)
        kept = points[:, 0] < points[:, 1]
        return Located(points[kept], places[kept, :, np.newaxis])


def distinct_keys(values: Floats) -> Keys:
    """Return the keys of an array of values, which is C-contiguous."""
    flat = values.ravel()
    bits = flat.view(np.int64)
    mask = (1 << max(len(flat) - 1, 1).bit_length()) - 1
    if (bits & mask).any():
        keys, order = ranks(flat)
        return Keys(flat, keys, lambda found: order[found.astype(np.int64)])
    # Whole numbers and single precision leave the last bits free, and the index goes
    # there: no sort, which would take longer than the diagram. Floats below zero grow
    # as their bits fall, so there the index is turned round.
    packed = np.right_shift(bits, 63)
    packed &= mask
    packed ^= np.arange(len(flat))
    packed |= bits
    keys = packed.view(np.float64)
    keys[np.isinf(flat)] = np.inf  # these bits would be NaN
    return Keys(flat, keys, lambda found: _unpacked(found.view(np.int64), mask))


def _unpacked(packed: Ints, mask: int) -> Ints:
    places: Ints = (packed ^ (packed >> 63)) & mask
    return places


def ranks(values: Floats) -> tuple[Floats, Ints]:
    """Return the place of each value in their order, and the index at each place."""
    order = np.argsort(values, kind="stable")
    keys = np.empty(len(values))
    keys[order] = np.arange(len(values))
    keys[np.isinf(values)] = np.inf
    return keys, order


def check_return_locations(value: Any) -> bool:
    """Return whether locations are wanted."""
    if not isinstance(value, (bool, np.bool_)):
        raise ParameterError("return_locations", "True or False", value)
    return bool(value)


def located_pairs(
    pairs: Sequence[tuple[Sequence[int], Sequence[int]]],
    dim: int,
    value_of: Callable[[Sequence[int]], float],
) -> Located:
    """Return the diagram of one dimension, given pairs of simplices by a program.

    Locations are all vertices of the simplices, dim + 2 of them for a death.
    """
    own = [pair for pair in pairs if len(pair[0]) == dim + 1]
    finite = np.array([len(death) > 0 for _, death in own], bool)
    points = np.full((len(own), 2), np.inf)
    points[:, 0] = [value_of(birth) for birth, _ in own]
    points[finite, 1] = [value_of(death) for _, death in own if len(death)]
    locations = np.full((len(own), 2, dim + 2), -1)
    births = np.array([birth for birth, _ in own], np.int64).reshape(-1, dim + 1)
    deaths = np.array([death for _, death in own if len(death)], np.int64)
    locations[:, 0, :-1] = np.sort(births)
    locations[finite, 1] = np.sort(deaths.reshape(-1, dim + 2))
    return Located(points, locations)
