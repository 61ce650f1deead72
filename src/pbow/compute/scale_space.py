"""The persistence scale-space kernel: how much heat of two diagrams overlaps.

Each point p is a Gaussian of standard deviation s, less the one of its mirror image in
the diagonal. The loops return the integral of the product of two diagrams' sums, times
4 pi s^2: over pairs of a point of each,

    sum of  exp(-|p - q|^2 / (4 s^2)) - exp(-|p - mirror of q|^2 / (4 s^2)).

**By pairs of points.** As |p - mirror of q|^2 = |p - q|^2 + 2 persistence(p)
persistence(q), the difference is a power times one less another power, in which
nothing cancels however near the points are to the diagonal. ``columns`` has births,
deaths, persistences and counts of the distinct points, in the order of births; each
diagram starts at ``starts[i]``, a multiple of LANES, and is filled up with points on
the diagonal, which add 0.

**By nodes of a lattice.** Products of Gaussians are so smooth that the sum of their
values at the nodes of a square lattice of spacing s / 2 is their integral, to 1e-16:
the error is exp(-(pi s / spacing)^2). The lattice lies along the diagonal, with a node
at the origin, for all diagrams. ``unit`` is what birth + death grows by from a node to
the next: s / sqrt(2), cut to so few digits that every node is a number without
rounding, and the place of a point beside it is good however far both are from 0.
``nodes`` has the values of each diagram where they are not negligible: ``heights[i]``
rows across the diagonal, of which ``rows[i]`` is the first, and ``widths[i]`` nodes
away from it. A diagram has none where they would be too many. Diagrams of about the
same place share a frame, which has their values side by side at each node, and are
compared with another one at the same time. A pair costs the nodes of that one in the
frame, however many points there are.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pbow.compute.distinct import Distinct
from pbow.compute.exponential import half_to_64
from pbow.compute.jit import contracted, loop
from pbow.compute.sums import sum_of

__all__ = [
    "FEW_NODES",
    "NODES_A_POINT",
    "REACH",
    "Frame",
    "Heat",
    "empty_heat",
    "frames_of",
    "heat_between",
    "heat_of_each",
    "spread",
]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

LOG_2 = math.log(2.0)

# Numbers in a vector of the processor; loops over whole vectors have no remainder.
LANES = 8
# Points at a time in the innermost loop: the processor has something to do while it
# waits for one of them.
GROUP = 4

# Nodes on either side of a point at which its Gaussian is not negligible: from 8.5
# standard deviations on, it is below 3e-16 of its peak.
REACH = 17
# Diagrams that would need more nodes than these for each of their points have none: it
# would take much memory, and for few points pairs are as fast.
NODES_A_POINT = 128
# So many are never too many.
FEW_NODES = 1024
# A frame has at most so many times the nodes of the largest diagram in it.
NODES_OF_A_FRAME = 3
# Digits of the unit, in bits: with those of a node's number there are 53 at most.
UNIT_DIGITS = 20
FARTHEST_NODE = 2.0**32
# From there on, rounded persistences would show in the result.
FARTHEST_AWAY = 2.0**10

# Below this, 1 - 0.5**d would lose digits.
SMALL = 1.0 / 32.0
# From here on, 0.5**d is 0.
LAST = 1024.0
U1, U2, U3, U4, U5, U6, U7 = (np.uint64(i) for i in range(1, 8))


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


class Frame(NamedTuple):
    """Values of diagrams ``first`` to ``last - 1`` side by side at common nodes.

    ``values`` are those of ``height`` rows, of which ``row`` is the first, by ``width``
    nodes by ``n_lanes`` diagrams. Lanes without a diagram, or one without nodes, are 0.
    """

    first: int
    last: int
    row: int
    height: int
    width: int
    n_lanes: int
    values: Floats


def empty_heat(diagrams: Distinct, bandwidth: float) -> Heat:
    """Return the room for the heat of diagrams at standard deviation ``bandwidth``."""
    offsets = diagrams.offsets
    starts = np.concatenate(([0], np.cumsum(_filled(np.diff(offsets)))))
    rows, heights, widths = np.zeros((3, len(offsets) - 1), np.int64)
    fraction, exponent = math.frexp(bandwidth / math.sqrt(2.0))
    unit = math.ldexp(math.floor(fraction * 2**UNIT_DIGITS), exponent - UNIT_DIGITS)
    _measure(*diagrams, unit, rows, heights, widths)
    node_starts = np.concatenate(([0], np.cumsum(heights * widths)))
    columns, nodes = np.empty((4, starts[-1])), np.zeros(node_starts[-1])
    places = (nodes, node_starts, rows, heights, widths)
    return Heat(columns, starts, *places, bandwidth, unit)


@loop
def spread(
    points: Floats,
    counts: Ints,
    offsets: Ints,
    heat: Heat,
    room: Floats,
    first: int,
    last: int,
) -> None:
    """Set the heat of diagrams ``first`` to ``last - 1``; ``room`` is 2 REACH + 1.

    Cost: some 35 x 35 nodes per distinct point.
    """
    for i in range(first, last):
        _fill_columns(points, counts, offsets[i], offsets[i + 1], heat, i)
        if heat.widths[i]:
            _fill_nodes(points, counts, offsets[i], offsets[i + 1], heat, i, room)


def frames_of(heat: Heat, first: int, last: int) -> list[Frame]:
    """Return frames of diagrams ``first`` to ``last - 1``, where they have nodes.

    A frame ends where the next diagram would make it too large.
    """
    runs: list[list[int]] = []
    low = high = width = largest = 0
    for i in range(first, last):
        row, height, w = (int(a[i]) for a in (heat.rows, heat.heights, heat.widths))
        if not w:
            continue
        ends = min(low, row), max(high, row + height), max(width, w)
        most = NODES_OF_A_FRAME * max(largest, height * w)
        if not runs or (ends[1] - ends[0]) * ends[2] > most:
            runs.append([])
            ends, largest = (row, row + height, w), 0
        low, high, width = ends
        largest = max(largest, height * w)
        runs[-1].append(i)
    return [_frame(heat, run) for run in runs]


def _frame(heat: Heat, run: list[int]) -> Frame:
    rows, heights, widths = heat.rows[run], heat.heights[run], heat.widths[run]
    row, width = int(rows.min()), int(widths.max())
    shape = (int((rows + heights).max()) - row, width)
    n_lanes = int(_filled(run[-1] + 1 - run[0]))
    values = np.zeros((*shape, n_lanes))
    for i, r, h, w in zip(run, rows - row, heights, widths, strict=True):
        nodes = heat.nodes[heat.node_starts[i] : heat.node_starts[i + 1]]
        values[r : r + h, :w, i - run[0]] = nodes.reshape(h, w)
    return Frame(run[0], run[-1] + 1, row, *shape, n_lanes, values.ravel())


def _filled(size: Any) -> Any:
    """Return the least multiple of LANES that is not less."""
    return -(-size // LANES) * LANES


def heat_between(
    left: Heat, rows: slice, right: Heat, columns: slice, frames: list[Frame]
) -> Floats:
    """Return the sums for diagrams of the left and of the right, which has frames.

    Exchanging the diagrams changes no bit. Cost: two powers of 2 per pair of distinct
    points, or one product per common node.
    """
    out = np.zeros((rows.stop - rows.start, columns.stop - columns.start))
    for frame in frames:
        found = np.zeros((len(out), frame.n_lanes))
        _by_nodes(left, rows.start, *frame[2:], 0, found)
        where = slice(frame.first - columns.start, frame.last - columns.start)
        out[:, where] = found[:, : frame.last - frame.first]
    out *= _area(left)
    if not (left.widths[rows].all() and right.widths[columns].all()):
        room = np.empty(max(_largest(left, rows), _largest(right, columns)))
        _fill_by_points(left, rows.start, right, columns.start, room, out)
    return out


def heat_of_each(heat: Heat, where: slice, frames: list[Frame]) -> Floats:
    """Return the sums for diagrams and themselves."""
    out = np.zeros(where.stop - where.start)
    for frame in frames:
        for first in range(frame.first, frame.last, LANES):
            n = min(LANES, frame.last - first)
            found = np.zeros((n, LANES))
            _by_nodes(heat, first, *frame[2:], first - frame.first, found)
            at = first - where.start
            out[at : at + n] = np.diagonal(found)
    out *= _area(heat)
    room = np.empty(_largest(heat, where))
    for i in where.start + np.flatnonzero(heat.widths[where] == 0):
        one = np.empty((1, 1))
        _fill_by_points(heat, i, heat, i, room, one)
        out[i - where.start] = one[0, 0]
    return out


def _area(heat: Heat) -> float:
    """Return the factor of sums over nodes.

    They are unit^2 / 2 each, of Gaussians without 1 / (2 pi s^2), times 4 pi s^2.
    """
    ratio = heat.unit / heat.bandwidth
    return ratio * ratio / (2.0 * math.pi)


def _largest(heat: Heat, where: slice) -> int:
    """Return the most columns of any of some diagrams."""
    starts = heat.starts[where.start : where.stop + 1]
    return int(np.diff(starts).max(initial=0))


@contracted
def _by_nodes(
    heat: Heat,
    first: int,
    row: int,
    height: int,
    width: int,
    n_lanes: int,
    values: Floats,
    lane: int,
    out: Floats,
) -> None:
    """Add to ``out[i, j]`` the products of diagram first + i and lane lane + j.

    Eight nodes at a time: sums are read and written once for all of them.
    """
    nodes, n = heat.nodes, np.uint64(n_lanes)
    for i in range(out.shape[0]):
        top, own = heat.rows[first + i], heat.widths[first + i]
        sums = out[i]
        for r in range(max(top, row), min(top + heat.heights[first + i], row + height)):
            f = heat.node_starts[first + i] + (r - top) * own
            start = (r - row) * width
            for k in range(0, min(own, width), LANES):
                # Indices are unsigned: one that may be negative is compared twice.
                u, g = np.uint64(f + k), np.uint64((start + k) * n_lanes + lane)
                f0, f1, f2, f3 = nodes[u], nodes[u + U1], nodes[u + U2], nodes[u + U3]
                f4, f5 = nodes[u + U4], nodes[u + U5]
                f6, f7 = nodes[u + U6], nodes[u + U7]
                for j in range(np.uint64(sums.shape[0])):
                    at = g + j
                    low = (f0 * values[at] + f1 * values[at + n]) + (
                        f2 * values[at + U2 * n] + f3 * values[at + U3 * n]
                    )
                    high = (f4 * values[at + U4 * n] + f5 * values[at + U5 * n]) + (
                        f6 * values[at + U6 * n] + f7 * values[at + U7 * n]
                    )
                    sums[j] += low + high


@loop
def _fill_by_points(
    left: Heat, row: int, right: Heat, column: int, room: Floats, out: Floats
) -> None:
    """Set ``out[i, j]`` where diagram row + i or column + j has no nodes."""
    for i in range(row, row + out.shape[0]):
        for j in range(column, column + out.shape[1]):
            if not (left.widths[i] and right.widths[j]):
                if _goes_first(left, i, right, j):
                    value = _by_points(left, i, right, j, room)
                else:
                    value = _by_points(right, j, left, i, room)
                out[i - row, j - column] = value


@loop
def _goes_first(left: Heat, i: int, right: Heat, j: int) -> bool:
    """Return whether i has fewer points than j, or the first smaller number.

    Pairs of points are summed in one order, whichever diagram is on the left.
    """
    first, n = left.starts[i], left.starts[i + 1] - left.starts[i]
    start, m = right.starts[j], right.starts[j + 1] - right.starts[j]
    if n != m:
        return bool(n < m)
    for t in range(n):
        for c in (0, 1, 3):
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
    counts = left.columns[3, first:last]
    rate = 1.0 / (4.0 * LOG_2 * left.bandwidth * left.bandwidth)
    # Points whose births are further apart add nothing.
    reach = math.sqrt(LAST / rate)
    low, high = 0, 0
    sums = room[: stop - start]
    for k in range(sums.shape[0]):
        sums[k] = 0.0
    for t in range(0, b.shape[0], GROUP):
        b0, b1, b2, b3 = b[t], b[t + 1], b[t + 2], b[t + 3]
        d0, d1, d2, d3 = d[t], d[t + 1], d[t + 2], d[t + 3]
        p0, p1, p2, p3 = p[t], p[t + 1], p[t + 2], p[t + 3]
        n0, n1, n2, n3 = counts[t], counts[t + 1], counts[t + 2], counts[t + 3]
        while low < births.shape[0] and births[low + LANES - 1] < b0 - reach:
            low += LANES
        while high < births.shape[0] and births[high] <= b3 + reach:
            high += LANES
        # Indices are unsigned: one that may be negative is compared twice.
        for k in range(np.uint64(low), np.uint64(high)):
            birth, death, persistence = births[k], deaths[k], 2.0 * persistences[k]
            e0 = _pair(b0 - birth, d0 - death, p0 * persistence, rate)
            e1 = _pair(b1 - birth, d1 - death, p1 * persistence, rate)
            e2 = _pair(b2 - birth, d2 - death, p2 * persistence, rate)
            e3 = _pair(b3 - birth, d3 - death, p3 * persistence, rate)
            sums[k] += (n0 * e0 + n1 * e1) + (n2 * e2 + n3 * e3)
    counts = right.columns[3, start:stop]
    for k in range(sums.shape[0]):
        sums[k] *= counts[k]
    return sum_of(sums)


@contracted
def _pair(births: float, deaths: float, mirrored: float, rate: float) -> float:
    apart = births * births + deaths * deaths
    heat: float = half_to_64(rate * apart) * _one_less_half_to(rate * mirrored)
    return heat


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


@loop
def _beside(birth: float, death: float, unit: float) -> tuple[int, float]:
    """Return the row of nodes next to a point, and where it is from there, in rows."""
    row = np.rint((birth + death) / unit)
    middle = 0.5 * unit * row
    return int(row), ((birth - middle) + (death - middle)) / unit


@loop
def _measure(
    points: Floats,
    counts: Ints,
    offsets: Ints,
    unit: float,
    rows: Ints,
    heights: Ints,
    widths: Ints,
) -> None:
    """Set the place and size of every diagram's nodes, where they are not too many."""
    for i in range(rows.shape[0]):
        n_points = 0
        low, high, away = np.inf, -np.inf, 0.0
        for t in range(offsets[i], offsets[i + 1]):
            n_points += counts[t]
            along = (points[t, 0] + points[t, 1]) / unit
            low, high = min(low, along), max(high, along)
            away = max(away, (points[t, 1] - points[t, 0]) / unit)
        if n_points and max(-low, high) < FARTHEST_NODE and away < FARTHEST_AWAY:
            first, last = _ends(points, offsets[i], offsets[i + 1], unit)
            height = last - first + 1
            width = -(-math.floor(away + REACH) // LANES) * LANES
            if height * width <= max(NODES_A_POINT * n_points, FEW_NODES):
                rows[i], heights[i], widths[i] = first, height, width


@loop
def _ends(points: Floats, first: int, last: int, unit: float) -> tuple[int, int]:
    """Return the first and the last row of nodes that any of the points reaches."""
    row, beside = _beside(points[first, 0], points[first, 1], unit)
    low, high = row, row
    for t in range(first, last):
        row, beside = _beside(points[t, 0], points[t, 1], unit)
        low = min(low, row + math.ceil(beside - REACH))
        high = max(high, row + math.floor(beside + REACH))
    return low, high


@loop
def _fill_columns(
    points: Floats, counts: Ints, first: int, last: int, heat: Heat, i: int
) -> None:
    """Set the births, deaths, persistences and counts of diagram i."""
    columns = heat.columns
    birth = 0.0
    at = heat.starts[i]
    for t in range(first, last):
        birth, death = points[t, 0], points[t, 1]
        columns[0, at], columns[1, at], columns[2, at] = birth, death, death - birth
        columns[3, at] = counts[t]
        at += 1
    while at < heat.starts[i + 1]:
        columns[0, at], columns[1, at], columns[2, at] = birth, birth, 0.0
        columns[3, at] = 0.0
        at += 1


@contracted
def _fill_nodes(
    points: Floats,
    counts: Ints,
    first: int,
    last: int,
    heat: Heat,
    i: int,
    room: Floats,
) -> None:
    """Add the Gaussian of each point of diagram i, less that of its mirror image."""
    nodes, width, unit = heat.nodes, heat.widths[i], heat.unit
    ratio = unit / heat.bandwidth
    # Of the Gaussian's power, by the square of a distance in nodes.
    rate = ratio * ratio / (4.0 * LOG_2)
    for t in range(first, last):
        row, beside = _beside(points[t, 0], points[t, 1], unit)
        away = (points[t, 1] - points[t, 0]) / unit
        # On the diagonal itself, at node 0 of a row, everything is 0.
        start = max(1, math.ceil(away - REACH))
        n_nodes = math.floor(away + REACH) + 1 - start
        for k in range(n_nodes):
            x = start + k
            mirrored = _one_less_half_to(4.0 * rate * x * away)
            room[k] = counts[t] * half_to_64(rate * (x - away) ** 2) * mirrored
        y = math.ceil(beside - REACH)
        row += y - heat.rows[i]
        at = np.uint64(heat.node_starts[i] + row * width + start - 1)
        while y <= beside + REACH:
            across = half_to_64(rate * (y - beside) ** 2)
            for k in range(np.uint64(n_nodes)):
                nodes[at + k] += across * room[k]
            at += np.uint64(width)
            y += 1
