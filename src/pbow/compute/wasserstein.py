"""Wasserstein distances of many pairs of diagrams, each by the faster exact way.

Diagrams are prepared once: points off the diagonal sorted as
:mod:`pbow.compute.matching` needs them, distinct ones counted for
:mod:`pbow.compute.transport`, and births of essential points sorted, which are matched
in this order.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pbow.compute.matching import wasserstein_tile
from pbow.compute.transport import transport_tile

__all__ = [
    "Prepared",
    "births_between",
    "distances_between",
    "norm_of",
    "prepare",
    "transports",
]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Mask = NDArray[np.bool_]

# Pairs of distinct points, at 40 bytes each, up to which transport is taken.
LARGEST_TABLE = 2_500_000


class Prepared(NamedTuple):
    """Diagrams that are ready to be compared.

    Those of a smaller collection have the same arrays and fewer offsets. ``places`` are
    those of sorted points, ``birth_places`` those of births, in what came in.
    """

    points: Floats
    middles: Floats
    places: Ints
    offsets: Ints
    distinct: Floats
    counts: Ints
    distinct_offsets: Ints
    births: Floats
    birth_places: Ints
    birth_offsets: Ints

    def some(self, rows: slice) -> Prepared:
        """Return some of these diagrams."""
        some = slice(rows.start, rows.stop + 1)
        return self._replace(
            offsets=self.offsets[some],
            distinct_offsets=self.distinct_offsets[some],
            birth_offsets=self.birth_offsets[some],
        )


def prepare(points: Floats, offsets: Ints) -> Prepared:
    """Return diagrams as pairs need them; births and deaths are rows of `points`."""
    births, deaths = points.T
    diagrams = np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))
    # Not what is so near to the diagonal that half its persistence is 0.
    places = np.flatnonzero((0.5 * (deaths - births) > 0.0) & np.isfinite(deaths))
    # Not 0.5 * (births + deaths), which may overflow.
    middles = 0.5 * births[places] + 0.5 * deaths[places]
    # By death as well: middles of neighbors may be rounded to the same.
    order = np.lexsort((deaths[places], births[places], middles, diagrams[places]))
    places, middles = places[order], middles[order]
    points = points[places]
    starts = _offsets_of(diagrams[places], offsets)
    is_first = np.ones(len(points), np.bool_)
    is_first[1:] = (points[1:] != points[:-1]).any(axis=1)
    is_first[starts[:-1][np.diff(starts) > 0]] = True
    first = np.flatnonzero(is_first)
    essential = np.flatnonzero(np.isposinf(deaths))
    essential = essential[np.lexsort((births[essential], diagrams[essential]))]
    return Prepared(
        points.ravel(),
        middles,
        places,
        starts,
        points[first].ravel(),
        np.diff(first, append=len(points)),
        np.searchsorted(first, starts),
        births[essential],
        essential,
        _offsets_of(diagrams[essential], offsets),
    )


def _offsets_of(diagrams: Ints, offsets: Ints) -> Ints:
    return np.searchsorted(diagrams, np.arange(len(offsets)))


def transports(left: Prepared, right: Prepared, order: float) -> Mask:
    """Whether transport is faster than matching, for each pair of diagrams.

    Measured on random diagrams of several kinds with repeated points: matching is
    faster up to three of each; of order inf up to eight, if many are distinct. Tables
    of transport have a limit.
    """
    n_points, n_distinct = (
        np.add.outer(np.diff(one), np.diff(other))
        for one, other in (
            (left.offsets, right.offsets),
            (left.distinct_offsets, right.distinct_offsets),
        )
    )
    times = np.clip(0.2 * n_distinct, 3.0, 8.0) if math.isinf(order) else 3.0
    sizes = (np.diff(one.distinct_offsets) for one in (left, right))
    mask: Mask = n_points > times * n_distinct
    mask &= np.multiply.outer(*sizes) <= LARGEST_TABLE
    return mask


def distances_between(
    left: Prepared, right: Prepared, order: float, metric: float, *, mirrored: bool
) -> Floats:
    """Return the distance of each diagram on the left to each on the right.

    Where it is `mirrored`, left and right are the same, and one half is computed.
    """
    repeated = transports(left, right, order)
    out = np.zeros(repeated.shape)
    wanted = np.tril(np.ones(out.shape, np.bool_), -1 if mirrored else out.size)
    by_transport, by_matching = wanted & repeated, wanted & ~repeated
    # Two loops, so that what is not needed is not compiled.
    if by_transport.any():
        transport_tile(
            left.distinct,
            left.counts,
            left.distinct_offsets,
            right.distinct,
            right.counts,
            right.distinct_offsets,
            order,
            metric,
            by_transport,
            out,
        )
    if by_matching.any():
        wasserstein_tile(
            left.points,
            left.middles,
            left.offsets,
            right.points,
            right.middles,
            right.offsets,
            order,
            metric,
            by_matching,
            out,
        )
    if mirrored:
        out += out.T
    if left.births.size or right.births.size:
        out = norm_of(np.stack((out, births_between(left, right, order))), order)
    return out


def births_between(left: Prepared, right: Prepared, order: float) -> Floats:
    """Return distances of essential points: inf where their numbers differ.

    On a line points are best matched in their order, for any order of the distance.
    """
    left_sizes, right_sizes = np.diff(left.birth_offsets), np.diff(right.birth_offsets)
    out = np.full((len(left_sizes), len(right_sizes)), math.inf)
    for size in np.intersect1d(left_sizes, right_sizes):
        rows, columns = (np.flatnonzero(n == size) for n in (left_sizes, right_sizes))
        each = np.arange(size)[:, np.newaxis]
        others = right.births[right.birth_offsets[columns] + each]
        for row in rows:
            births = left.births[left.birth_offsets[row] + each]
            out[row, columns] = norm_of(np.abs(others - births), order)
    return out


def norm_of(values: Floats, order: float) -> Floats:
    """Return the norm along the first axis, without overflow on the way."""
    largest: Floats = values.max(axis=0, initial=0.0)
    if math.isinf(order):
        return largest
    # Where the largest is 0 or inf, it is the norm, whatever the shares.
    is_number = (largest > 0.0) & np.isfinite(largest)
    shares = np.divide(values, largest, out=np.ones_like(values), where=is_number)
    norm: Floats = largest * (shares**order).sum(axis=0) ** (1.0 / order)
    return norm
