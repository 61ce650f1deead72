"""The persistence scale-space kernel: how much heat of two diagrams overlaps.

Each point p is a Gaussian of standard deviation s, less the one of its mirror image in
the diagonal. The loops return the integral of the product of two diagrams' sums, times
4 pi s^2: over pairs of a point of each,

    sum of  exp(-|p - q|^2 / (4 s^2)) - exp(-|p - mirror of q|^2 / (4 s^2)).

**By pairs of points.** As |p - mirror of q|^2 = |p - q|^2 + 2 persistence(p)
persistence(q), the difference is a power times one less another power, in which
nothing cancels however near the points are to the diagonal. ``columns`` has births,
deaths and persistences; each diagram starts at ``starts[i]``, a multiple of LANES, and
is filled up with points on the diagonal, which add 0.

**By nodes of a lattice.** Products of Gaussians are so smooth that the sum of their
values at the nodes of a square lattice of spacing s / 2 is their integral, to 1e-16:
the error is exp(-(pi s / spacing)^2). The lattice lies along the diagonal, with a node
at the origin, for all diagrams. ``unit`` is what birth + death grows by from a node to
the next: s / sqrt(2), cut to so few digits that every node is a number without
rounding, and the place of a point beside it is good however far both are from 0.
``nodes`` has the values of each diagram where they are not negligible: ``heights[i]``
rows across the diagonal, of which ``rows[i]`` is the first, and ``widths[i]`` nodes
away from it. A pair costs the nodes that both have, however many points there are. A
diagram has none where they would be too many.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from pbow.compute.exponential import contracted, half_to_64
from pbow.compute.sums import sum_of

__all__ = [
    "NODES_A_POINT",
    "Heat",
    "empty_heat",
    "heat_between",
    "heat_of_each",
    "heat_within",
    "spread",
]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

LOG_2 = math.log(2.0)

# Numbers in a vector of the processor; loops over whole vectors have no remainder.
LANES = 8
# Points, or rows of nodes, at a time in the innermost loop: the processor has something
# to do while it waits for one of them.
GROUP = 4

# Nodes on either side of a point at which its Gaussian is not negligible: from 8.5
# standard deviations on, it is below 3e-16 of its peak.
REACH = 17
# Diagrams that would need more nodes than these for each of their points have none: it
# would take much memory, and for few points pairs are as fast.
NODES_A_POINT = 128
# Digits of the unit, in bits: with those of a node's number there are 53 at most.
UNIT_DIGITS = 20
FARTHEST_NODE = 2.0**32
# From there on, rounded persistences would show in the result.
FARTHEST_AWAY = 2.0**10

# Below this, 1 - 0.5**d would lose digits.
SMALL = 1.0 / 32.0


class Heat(NamedTuple):
    """Diagrams ready to be compared."""

    columns: Floats
    starts: Ints
    nodes: Floats
    node_starts: Ints
    rows: Ints
    heights: Ints
    widths: Ints
    bandwidth: float
    unit: float


def empty_heat(points: Floats, offsets: Ints, bandwidth: float) -> Heat:
    """Return the room for the heat of diagrams at standard deviation ``bandwidth``."""
    padded = -(-np.diff(offsets) // LANES) * LANES
    starts = np.concatenate(([0], np.cumsum(padded)))
    rows, heights, widths = np.zeros((3, len(padded)), np.int64)
    fraction, exponent = math.frexp(bandwidth / math.sqrt(2.0))
    unit = math.ldexp(math.floor(fraction * 2**UNIT_DIGITS), exponent - UNIT_DIGITS)
    _measure(points, offsets, unit, rows, heights, widths)
    node_starts = np.concatenate(([0], np.cumsum(heights * widths)))
    columns, nodes = np.empty((3, starts[-1])), np.zeros(node_starts[-1])
    places = (nodes, node_starts, rows, heights, widths)
    return Heat(columns, starts, *places, bandwidth, unit)


@njit(nogil=True, cache=True)
def spread(points: Floats, offsets: Ints, heat: Heat, first: int, last: int) -> None:
    """Set the heat of diagrams ``first`` to ``last - 1``.

    Cost: some 35 x 35 nodes per point.
    """
    for i in range(first, last):
        _fill_columns(points, offsets[i], offsets[i + 1], heat, i)
        if heat.widths[i]:
            _fill_nodes(points, offsets[i], offsets[i + 1], heat, i)


@njit(nogil=True, cache=True)
def heat_between(left: Heat, right: Heat, row: int, column: int, out: Floats) -> None:
    """Set ``out[i, j]`` to the sum for diagrams row + i and column + j.

    Exchanging the diagrams changes no bit. Cost: two powers of 2 per pair of points, or
    one product per common node.
    """
    room = _room(left, right)
    for i in range(out.shape[0]):
        for j in range(out.shape[1]):
            out[i, j] = _heat(left, row + i, right, column + j, room)


@njit(nogil=True, cache=True)
def heat_within(heat: Heat, row: int, out: Floats) -> None:
    """Like :func:`heat_between` of diagrams and themselves; exactly symmetric."""
    room = _room(heat, heat)
    for i in range(out.shape[0]):
        for j in range(i + 1):
            both = _heat(heat, row + i, heat, row + j, room)
            out[i, j], out[j, i] = both, both


@njit(nogil=True, cache=True)
def heat_of_each(heat: Heat, row: int, out: Floats) -> None:
    """Set ``out[i]`` to the sum for diagram row + i and itself."""
    room = _room(heat, heat)
    for i in range(out.shape[0]):
        out[i] = _heat(heat, row + i, heat, row + i, room)


@njit(nogil=True, cache=True)
def _room(left: Heat, right: Heat) -> Floats:
    """Return as many numbers as any diagram has columns, or nodes in a row."""
    largest = 0
    for heat in (left, right):
        for i in range(heat.widths.shape[0]):
            n_columns = heat.starts[i + 1] - heat.starts[i]
            largest = max(largest, n_columns, heat.widths[i])
    return np.empty(largest)


@njit(nogil=True, cache=True)
def _heat(left: Heat, i: int, right: Heat, j: int, room: Floats) -> float:
    if left.widths[i] and right.widths[j]:
        return _by_nodes(left, i, right, j, room)
    if _goes_first(left, i, right, j):
        return _by_points(left, i, right, j, room)
    return _by_points(right, j, left, i, room)


@njit(nogil=True, cache=True)
def _goes_first(left: Heat, i: int, right: Heat, j: int) -> bool:
    """Return whether i has fewer points than j, or the first smaller coordinate.

    Pairs of points are summed in one order, whichever diagram is on the left.
    """
    first, n = left.starts[i], left.starts[i + 1] - left.starts[i]
    start, m = right.starts[j], right.starts[j + 1] - right.starts[j]
    if n != m:
        return bool(n < m)
    for t in range(n):
        for c in range(2):
            x, y = left.columns[c, first + t], right.columns[c, start + t]
            if x != y:
                return bool(x < y)
    return True


@contracted
def _by_points(left: Heat, i: int, right: Heat, j: int, room: Floats) -> float:
    first, last = left.starts[i], left.starts[i + 1]
    start, stop = right.starts[j], right.starts[j + 1]
    b, d = left.columns[0, first:last], left.columns[1, first:last]
    p = left.columns[2, first:last]
    births, deaths = right.columns[0, start:stop], right.columns[1, start:stop]
    persistences = right.columns[2, start:stop]
    rate = 1.0 / (4.0 * LOG_2 * left.bandwidth * left.bandwidth)
    sums = room[: stop - start]
    for k in range(sums.shape[0]):
        sums[k] = 0.0
    for t in range(0, b.shape[0], GROUP):
        b0, b1, b2, b3 = b[t], b[t + 1], b[t + 2], b[t + 3]
        d0, d1, d2, d3 = d[t], d[t + 1], d[t + 2], d[t + 3]
        p0, p1, p2, p3 = p[t], p[t + 1], p[t + 2], p[t + 3]
        for k in range(sums.shape[0]):
            birth, death, persistence = births[k], deaths[k], 2.0 * persistences[k]
            e0 = _pair(b0 - birth, d0 - death, p0 * persistence, rate)
            e1 = _pair(b1 - birth, d1 - death, p1 * persistence, rate)
            e2 = _pair(b2 - birth, d2 - death, p2 * persistence, rate)
            e3 = _pair(b3 - birth, d3 - death, p3 * persistence, rate)
            sums[k] += (e0 + e1) + (e2 + e3)
    return sum_of(sums)


@contracted
def _pair(births: float, deaths: float, mirrored: float, rate: float) -> float:
    apart = births * births + deaths * deaths
    return half_to_64(rate * apart) * _one_less_half_to(rate * mirrored)


@contracted
def _one_less_half_to(d: float) -> float:
    """Return 1 - 0.5**d of d >= 0 to about 5e-15, relative."""
    x = LOG_2 * d
    # The first seven terms of its series, which are enough for small x.
    series = 1.0 - x * (1.0 / 6.0) * (1.0 - x * (1.0 / 7.0))
    series = 1.0 - x * (1.0 / 4.0) * (1.0 - x * (1.0 / 5.0) * series)
    series = x * (1.0 - x * 0.5 * (1.0 - x * (1.0 / 3.0) * series))
    # Computed in any case: a choice of numbers is vectorized, one of ways is not.
    power = half_to_64(d)
    return series if d < SMALL else 1.0 - power


@contracted
def _by_nodes(left: Heat, i: int, right: Heat, j: int, room: Floats) -> float:
    first = max(left.rows[i], right.rows[j])
    last = min(left.rows[i] + left.heights[i], right.rows[j] + right.heights[j])
    f_width, g_width = np.uint64(left.widths[i]), np.uint64(right.widths[j])
    f, g = left.nodes, right.nodes
    f0 = np.uint64(left.node_starts[i] + (first - left.rows[i]) * left.widths[i])
    g0 = np.uint64(right.node_starts[j] + (first - right.rows[j]) * right.widths[j])
    sums = room[: min(left.widths[i], right.widths[j])]
    for k in range(sums.shape[0]):
        sums[k] = 0.0
    # Indices are unsigned: one that may be negative is looked at twice.
    columns = np.uint64(sums.shape[0])
    for _ in range((last - first) // GROUP):
        f1, g1 = f0 + f_width, g0 + g_width
        f2, g2 = f1 + f_width, g1 + g_width
        f3, g3 = f2 + f_width, g2 + g_width
        for k in range(columns):
            even = f[f0 + k] * g[g0 + k] + f[f2 + k] * g[g2 + k]
            odd = f[f1 + k] * g[g1 + k] + f[f3 + k] * g[g3 + k]
            sums[k] += even + odd
        f0, g0 = f3 + f_width, g3 + g_width
    for _ in range(max(last - first, 0) % GROUP):
        for k in range(columns):
            sums[k] += f[f0 + k] * g[g0 + k]
        f0, g0 = f0 + f_width, g0 + g_width
    # Of nodes of unit^2 / 2 each, times 4 pi s^2, of Gaussians without 1 / (2 pi s^2).
    ratio = left.unit / left.bandwidth
    return sum_of(sums) * (ratio * ratio / (2.0 * math.pi))


@njit(nogil=True, cache=True)
def _beside(birth: float, death: float, unit: float) -> tuple[int, float]:
    """Return the row of nodes next to a point, and where it is from there, in rows."""
    row = np.rint((birth + death) / unit)
    middle = 0.5 * unit * row
    return int(row), ((birth - middle) + (death - middle)) / unit


@njit(nogil=True, cache=True)
def _measure(
    points: Floats, offsets: Ints, unit: float, rows: Ints, heights: Ints, widths: Ints
) -> None:
    """Set the place and size of every diagram's nodes, where they are not too many."""
    for i in range(rows.shape[0]):
        n_points = offsets[i + 1] - offsets[i]
        low, high, away = np.inf, -np.inf, 0.0
        for t in range(offsets[i], offsets[i + 1]):
            along = (points[t, 0] + points[t, 1]) / unit
            low, high = min(low, along), max(high, along)
            away = max(away, (points[t, 1] - points[t, 0]) / unit)
        if n_points and max(-low, high) < FARTHEST_NODE and away < FARTHEST_AWAY:
            first, last = _ends(points, offsets[i], offsets[i + 1], unit)
            height = last - first + 1
            width = -(-math.floor(away + REACH) // LANES) * LANES
            if height * width <= NODES_A_POINT * n_points:
                rows[i], heights[i], widths[i] = first, height, width


@njit(nogil=True, cache=True)
def _ends(points: Floats, first: int, last: int, unit: float) -> tuple[int, int]:
    """Return the first and the last row of nodes that any of the points reaches."""
    row, beside = _beside(points[first, 0], points[first, 1], unit)
    low, high = row, row
    for t in range(first, last):
        row, beside = _beside(points[t, 0], points[t, 1], unit)
        low = min(low, row + math.ceil(beside - REACH))
        high = max(high, row + math.floor(beside + REACH))
    return low, high


@njit(nogil=True, cache=True)
def _fill_columns(points: Floats, first: int, last: int, heat: Heat, i: int) -> None:
    """Set the births, deaths and persistences of diagram i."""
    columns = heat.columns
    birth = 0.0
    at = heat.starts[i]
    for t in range(first, last):
        birth, death = points[t, 0], points[t, 1]
        columns[0, at], columns[1, at], columns[2, at] = birth, death, death - birth
        at += 1
    while at < heat.starts[i + 1]:
        columns[0, at], columns[1, at], columns[2, at] = birth, birth, 0.0
        at += 1


@contracted
def _fill_nodes(points: Floats, first: int, last: int, heat: Heat, i: int) -> None:
    """Add the Gaussian of each point of diagram i, less that of its mirror image."""
    nodes, width, unit = heat.nodes, heat.widths[i], heat.unit
    ratio = unit / heat.bandwidth
    # Of the Gaussian's power, by the square of a distance in nodes.
    rate = ratio * ratio / (4.0 * LOG_2)
    away_from_diagonal = np.empty(2 * REACH + 1)
    for t in range(first, last):
        row, beside = _beside(points[t, 0], points[t, 1], unit)
        away = (points[t, 1] - points[t, 0]) / unit
        # On the diagonal itself, at node 0 of a row, everything is 0.
        start = max(1, math.ceil(away - REACH))
        n_nodes = math.floor(away + REACH) + 1 - start
        for k in range(n_nodes):
            x = start + k
            mirrored = _one_less_half_to(4.0 * rate * x * away)
            away_from_diagonal[k] = half_to_64(rate * (x - away) ** 2) * mirrored
        y = math.ceil(beside - REACH)
        row += y - heat.rows[i]
        at = np.uint64(heat.node_starts[i] + row * width + start - 1)
        while y <= beside + REACH:
            across = half_to_64(rate * (y - beside) ** 2)
            for k in range(np.uint64(n_nodes)):
                nodes[at + k] += across * away_from_diagonal[k]
            at += np.uint64(width)
            y += 1
