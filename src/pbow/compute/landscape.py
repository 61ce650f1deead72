"""Persistence landscapes: level k at time t is the k-th largest tent of a diagram.

The tent of a point (b, d) is max(0, min(t - b, d - t)).

**On a grid**, the largest tents are kept at each time.

**Exactly**, a level is a chain of straight lines of slope 1, -1 and 0. They are stored
one after another in a flat array ``lines``, four numbers each: the time when a line
ends, its slope, its height at time 0, and in the bits of the last one a whole number
that grows with the time of its end. A level begins with a line that ends at
``-inf`` and ends with one that ends at ``inf``; both lie on zero and are there for the
loops that walk along a level. ``levels[PLACE]`` has the place of the second line of
each level of a diagram, and last the place where the next one would have it. Equal
levels, which repeated points lead to, are stored once, and ``levels[TIMES]`` has how
many they are. The first two lines of the array are a level without a tent.

Levels are peeled off one by one: the first is the outline of all tents, and where it
changes from one tent to the next, what is left of both is again a tent. (b, d) and
(b', d') with b < b' < d < d' leave (b', d), so that every number in a level is a birth
or a death as it was given. A diagram of n points at most m of which live at the same
time has m levels. Its lines are three for each point, two for each level, and two for
each pair that overlaps without one inside the other; peeling takes a few steps for each
line, and at most n * m.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from pbow.compute.exponential import bits_of_64
from pbow.compute.jit import contracted_helper, helper, loop

__all__ = ["compare_levels", "sample_levels"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

END, SLOPE, HEIGHT, ORDER, LINE = 0, 1, 2, 3, 4
PLACE, TIMES = 0, 1
NO_LEVEL = LINE
EVER = 2**62  # more levels than any diagram has
INFINITY = np.inf
ALL_BUT_SIGN = np.int64(2**63 - 1)
# The death of a point of which nothing is left.
NOTHING = -np.inf
# Points that can be passed over at once when a level is peeled off.
BLOCK = 16
# Numbers in the lines of diagrams that are compared with one other at a time: 32 MiB.
MOST_NUMBERS = 1 << 22


@loop
def sample_levels(
    points: Floats, offsets: Ints, grid: Floats, rate: float, n_levels: int, out: Floats
) -> None:
    """Set ``out[d, k * len(grid) + t]`` to level k (from 0) of diagram d at time t.

    Deaths may be infinite. ``grid`` ascends; ``rate`` is about how many of its times
    there are in one unit, and is used to find them, not to compute. Cost: n_levels for
    each point and each time of the grid in its life.
    """
    size = grid.shape[0]
    coordinates, values = points.reshape(points.size), out.reshape(out.size)
    tent = np.empty(size)
    for d in range(out.shape[0]):
        for p in range(offsets[d], offsets[d + 1]):
            birth, death = coordinates[2 * p], coordinates[2 * p + 1]
            first = _first_after(grid, rate, birth)
            last = _first_after(grid, rate, death)
            for t in range(first, last):
                up, down = grid[t] - birth, death - grid[t]
                tent[t] = up if up < down else down
            # The tent goes in at its place, and what it displaces goes on below; in
            # loops over time, which are vectorized.
            for k in range(min(n_levels, p - offsets[d] + 1)):
                level = (d * n_levels + k) * size
                for t in range(first, last):
                    held, new = values[level + t], tent[t]
                    values[level + t] = new if new > held else held
                    tent[t] = held if new > held else new


@helper
def _first_after(grid: Floats, rate: float, time: float) -> int:
    """Return the first place on the grid that is later than ``time``."""
    size: int = grid.shape[0]
    if time >= grid[size - 1]:
        return size
    if time < grid[0]:
        return 0
    place: int = min(int((time - grid[0]) * rate), size - 1)
    while grid[place] > time:
        place -= 1
    while grid[place] <= time:
        place += 1
    return place


@loop
def compare_levels(
    left_points: Floats,
    left_offsets: Ints,
    right_points: Floats,
    right_offsets: Ints,
    product: bool,  # noqa: FBT001 - numba passes by position
    symmetric: bool,  # noqa: FBT001
    out: Floats,
) -> None:
    """Set ``out[i, j]`` to the L2 distance, or inner product, of two diagrams' levels.

    Points of a diagram are sorted by birth, and equal births by falling death; all die
    after their birth. ``symmetric`` says that both sides are the same, and computes one
    half. Cost: a step for each line of either diagram, once for equal levels, and
    peeling each diagram of the right side for every MOST_NUMBERS of the left.
    """
    n_rows, n_columns = out.shape
    lines, column_lines = _no_lines(), _no_lines()
    # Not of a literal type, for which helpers would be compiled again.
    first_line: int = column_lines.shape[0]
    most = left_offsets[n_rows] - left_offsets[0] + n_rows
    levels, starts = np.empty((2, most), np.int64), np.zeros(n_rows + 1, np.int64)
    widest = 0
    for j in range(n_columns):
        widest = max(widest, right_offsets[j + 1] - right_offsets[j])
    column_levels = np.empty((2, widest + 1), np.int64)
    stop = 0
    while stop < n_rows:
        start, used = stop, first_line
        while stop < n_rows and used <= MOST_NUMBERS:
            lines, used, n_levels = _peel(
                left_points,
                left_offsets[stop],
                left_offsets[stop + 1],
                lines,
                used,
                levels[:, starts[stop] :],
            )
            starts[stop + 1] = starts[stop] + n_levels + 1
            stop += 1
        for j in range(start if symmetric else 0, n_columns):
            column_lines, _, n_levels = _peel(
                right_points,
                right_offsets[j],
                right_offsets[j + 1],
                column_lines,
                first_line,
                # A slice, of the same type as the one above: compiled once.
                column_levels[:, 0:],
            )
            for i in range(start, min(stop, j + 1) if symmetric else stop):
                value = _compare(
                    lines,
                    levels[:, starts[i] : starts[i + 1]],
                    column_lines,
                    column_levels[:, : n_levels + 1],
                    product,
                )
                out[i, j] = value
                if symmetric:
                    out[j, i] = value


@loop
def _no_lines() -> Floats:
    """Return lines of nothing but the level without a tent."""
    lines = np.empty(2 * LINE)
    order = lines.view(np.int64)
    used = _put(lines, order, lines.shape[0] - 2 * LINE, -INFINITY, 0.0, 0.0)
    _put(lines, order, used, INFINITY, 0.0, 0.0)
    return lines


@loop
def _peel(
    points: Floats, first: int, last: int, lines: Floats, used: int, levels: Ints
) -> tuple[Floats, int, int]:
    """Append the levels of points ``first:last`` to the ``used`` numbers of ``lines``.

    Return the lines, in a larger array if there was no room; the numbers used; and the
    number of different levels.
    """
    # A point keeps its birth, but may be left with an earlier death, or none.
    n_points = last - first
    births, deaths = points[first:last, 0], np.empty(n_points)
    for p in range(n_points):
        deaths[p] = points[first + p, 1]
    bounds = np.empty((n_points + BLOCK - 1) // BLOCK)
    for block in range(bounds.shape[0]):
        bounds[block] = INFINITY
    n_levels = 0
    for top in range(n_points):
        if deaths[top] == NOTHING:
            continue
        lines = _with_room(lines, used, (3 * (n_points - top) + 2) * LINE)
        order = lines.view(np.int64)
        used = _put(lines, order, used, -INFINITY, 0.0, 0.0)
        levels[PLACE, n_levels], levels[TIMES, n_levels] = used, 1
        n_levels += 1
        birth, death = births[top], deaths[top]
        deaths[top] = NOTHING
        used = _put(lines, order, used, birth, 0.0, 0.0)
        p = _first_longer(deaths, bounds, top + 1, death)
        while p < n_points:
            if births[p] > birth:
                used = _put(lines, order, used, 0.5 * (birth + death), 1.0, -birth)
                turn = 0.5 * (births[p] + death)
                used = _put(lines, order, used, min(turn, death), -1.0, death)
                if births[p] > death:
                    used = _put(lines, order, used, births[p], 0.0, 0.0)
            birth, below = births[p], death
            death, deaths[p] = deaths[p], below if below > birth else NOTHING
            p = _first_longer(deaths, bounds, p + 1, death)
        used = _put(lines, order, used, 0.5 * (birth + death), 1.0, -birth)
        used = _put(lines, order, used, death, -1.0, death)
        used = _put(lines, order, used, INFINITY, 0.0, 0.0)
        if n_levels > 1 and _is_last_again(lines, levels[PLACE, :n_levels], used):
            n_levels -= 1
            used = levels[PLACE, n_levels] - LINE
            levels[TIMES, n_levels - 1] += 1
    levels[PLACE, n_levels] = used + LINE
    return lines, used, n_levels


@helper
def _is_last_again(lines: Floats, places: Ints, used: int) -> bool:
    """Return whether the last level, which ends at ``used``, equals the one before."""
    start, before = places[-1], places[-2]
    if used - start != start - LINE - before:
        return False
    for k in range(used - start):
        # Numbers in the bits of ends need no look, and may be none as numbers.
        if k % LINE != ORDER and lines[start + k] != lines[before + k]:
            return False
    return True


@helper
def _first_longer(deaths: Floats, bounds: Floats, start: int, death: float) -> int:
    """Return the first place from ``start`` on with a later death, or the end.

    No death in a block of places is later than its bound; where none is later than
    ``death``, it is passed over. Deaths only ever get earlier, so bounds stay true.
    """
    n_points: int = deaths.shape[0]
    p = start
    while p < n_points:
        block = p // BLOCK
        stop = min((block + 1) * BLOCK, n_points)
        if bounds[block] > death:
            latest = NOTHING if p == block * BLOCK else bounds[block]
            while p < stop and deaths[p] <= death:
                latest = max(latest, deaths[p])
                p += 1
            if p < stop:
                return p
            bounds[block] = latest
        p = stop
    return n_points


@helper
def _with_room(lines: Floats, used: int, needed: int) -> Floats:
    if used + needed <= lines.shape[0]:
        return lines
    larger = np.empty(2 * (used + needed))
    # Not by slices: that they fit would be checked, which takes seconds to compile.
    for k in range(used):
        larger[k] = lines[k]
    return larger


@helper
def _put(
    lines: Floats, order: Ints, used: int, end: float, slope: float, height: float
) -> int:
    lines[used + END], lines[used + SLOPE], lines[used + HEIGHT] = end, slope, height
    # Bits of numbers grow with them, but those of negative ones with their size.
    bits = bits_of_64(end)
    order[used + ORDER] = bits if bits >= 0 else bits ^ ALL_BUT_SIGN
    return used + LINE


@helper
def _compare(
    a: Floats,
    a_levels: Ints,
    b: Floats,
    b_levels: Ints,
    product: bool,  # noqa: FBT001
) -> float:
    """Return the distance, or the inner product, of two peeled diagrams."""
    a_places, a_times = a_levels[PLACE], a_levels[TIMES]
    b_places, b_times = b_levels[PLACE], b_levels[TIMES]
    n_a, n_b = a_places.shape[0] - 1, b_places.shape[0] - 1
    total = 0.0
    # Levels k of a and m of b, and how many are left that equal them.
    k, m = 0, 0
    a_left, b_left = a_times[0] if n_a else EVER, b_times[0] if n_b else EVER
    while (k < n_a and m < n_b) or (not product and (k < n_a or m < n_b)):
        i, i_end, j, j_end = NO_LEVEL, NO_LEVEL, NO_LEVEL, NO_LEVEL
        if k < n_a:
            i, i_end = a_places[k], a_places[k + 1] - 2 * LINE
        if m < n_b:
            j, j_end = b_places[m], b_places[m + 1] - 2 * LINE
        times = min(a_left, b_left)
        total += times * _integral(a, i, i_end, b, j, j_end, product)
        a_left, b_left = a_left - times, b_left - times
        if a_left == 0:
            k += 1
            a_left = a_times[k] if k < n_a else EVER
        if b_left == 0:
            m += 1
            b_left = b_times[m] if m < n_b else EVER
    return total / 6.0 if product else math.sqrt(total / 3.0)


@contracted_helper
def _integral(
    a: Floats,
    i: int,
    i_end: int,
    b: Floats,
    j: int,
    j_end: int,
    product: bool,  # noqa: FBT001
) -> float:
    """Return 3 times the integral of (a - b)**2, or 6 times that of a * b.

    The levels are merged from both ends towards the middle: two chains of steps, of
    which each waits for the last one, take no longer than one. Of lines that end at the
    same time, a's goes first; the step between them has no length. What comes first is
    asked of whole numbers, because the next step waits for the answer. Indices are
    unsigned: one that may be negative is compared twice.
    """
    a_order, b_order = a.view(np.int64), b.view(np.int64)
    n_steps = (i_end - i + j_end - j) // LINE
    early = min(a[i + END], b[j + END])
    late = max(a[i_end - LINE + END], b[j_end - LINE + END])
    total, from_end = 0.0, 0.0
    for _ in range(n_steps // 2):
        a_first = a_order[np.uint64(i + ORDER)] <= b_order[np.uint64(j + ORDER)]
        time = min(a[np.uint64(i + END)], b[np.uint64(j + END)])
        total += _step(a, i, b, j, early, time, product)
        early = time
        i += LINE * a_first
        j += LINE * (not a_first)
        x, y = i_end - LINE, j_end - LINE
        a_last = a_order[np.uint64(x + ORDER)] > b_order[np.uint64(y + ORDER)]
        time = max(a[np.uint64(x + END)], b[np.uint64(y + END)])
        from_end += _step(a, i_end, b, j_end, time, late, product)
        late = time
        i_end -= LINE * a_last
        j_end -= LINE * (not a_last)
    if n_steps % 2:
        time = min(a[i + END], b[j + END])
        total += _step(a, i, b, j, early, time, product)
        early = time
    return total + _step(a, i_end, b, j_end, early, late, product) + from_end


@contracted_helper
def _step(
    a: Floats,
    i: int,
    b: Floats,
    j: int,
    start: float,
    stop: float,
    product: bool,  # noqa: FBT001
) -> float:
    """Return the integral, as above, along line i of a and line j of b."""
    a_slope, a_height = a[np.uint64(i + SLOPE)], a[np.uint64(i + HEIGHT)]
    b_slope, b_height = b[np.uint64(j + SLOPE)], b[np.uint64(j + HEIGHT)]
    if product:
        a_start, a_stop = a_slope * start + a_height, a_slope * stop + a_height
        b_start, b_stop = b_slope * start + b_height, b_slope * stop + b_height
        # Arranged so that a and b can be exchanged without a change of bits.
        sums = (a_start + a_stop) * (b_start + b_stop)
        six: float = (stop - start) * (a_start * b_start + a_stop * b_stop + sums)
        return six
    slope, height = a_slope - b_slope, a_height - b_height
    # Heights at time 0 may be large where those of tents are small: what rounding took
    # from their difference comes back. No branch, as none could be predicted.
    part = height - a_height
    lost = (a_height - (height - part)) - (b_height + part)
    u, w = slope * start + height + lost, slope * stop + height + lost
    three: float = (stop - start) * (u * u + u * w + w * w)
    return three
