"""Wasserstein distances of persistence diagrams, by exact matchings of the least cost.

Points of a diagram are flat: point i is (``points[2 * i]``, ``points[2 * i + 1]``), its
birth and death. They are sorted by ``middles``, (birth + death) / 2, then by birth and
by death, and none is on the diagonal. A point may be paired with one of the other
diagram, or left to the diagonal, for the distance raised to the power `order`. The
metric 1, 2 or inf is the norm of the differences of births and of deaths; the diagonal
is then the persistence away, or its part 1 / sqrt(2), or half of it.

The points of one diagram are rows, those of the other are columns. A row and a column
are *candidates* for each other if pairing costs less than leaving both. Then, for every
order >= 1, their middles are not far from each other (:func:`_reach`), so that most
points have few candidates. Every column has a price, at first the cost of leaving it.
Rows bid for the column with the least cost - price, and its price falls until it is no
better than the row's second choice, as in an auction; a row that was outbid bids again.
When enough bids are made, rows that are left look for the shortest augmenting path one
by one, as Hungarians do, by Dijkstra's algorithm along candidates. Prices are dual
variables: that no row would rather have another column, at its final price, or be left,
proves that no matching costs less.

Where many are candidates, long bars compete, and no heap and no list is worth its
while: paths are looked for in a table of all costs. Prices are 0 at first. So rows look
for near columns, and not all of them for the longest; then columns that were left below
their cost look for rows, by the same loop.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pbow.compute.bottleneck import (
    ROUNDING,
    bottleneck,
    bottleneck_tile,
    diagonal_factor,
    distance_of,
    first_from,
    rounding_of,
    to_diagonal,
)
from pbow.compute.heap import sift_down, sift_up, without_outdated
from pbow.compute.jit import helper, inlined, loop

__all__ = [
    "NOBODY",
    "SMALL",
    "longest_of",
    "match",
    "raise_to",
    "root_of",
    "unit_of",
    "wasserstein",
    "wasserstein_tile",
]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Ids = NDArray[np.int32]
Mask = NDArray[np.bool_]
Tile = tuple[Floats, Floats, Ints, Floats, Floats, Ints]
Scratch = tuple[Floats, Ints, Ids]
# Scale, largest cost, limit of distances, and whether costs of leaving are given.
Units = tuple[float, float, float, bool]

NOBODY = -1
# Number of bids, by row, before paths are looked for.
BIDS = 5
# More candidates than this part of all pairs, and all pairs are looked at.
MANY = 0.25
# Columns that are compared at a time.
LANES = 4
# Multiples of it, modulo 1, are as evenly spread as any.
GOLDEN = 0.6180339887498949
# Costs have 53 bits, relative to the largest. Where the total is so much smaller that
# few of them are left for it, everything is computed again in a smaller unit.
SMALL = 1e-6
# Beyond, costs of short distances would be rounded to 0.
HIGHEST_ORDER_ON_A_LINE = 8.0
# What a pair has instead of a distance: a total below SMALL, too many candidates, or
# more of them than there is room for.
TOO_SMALL, TOO_MANY, NO_ROOM = -1.0, -2.0, -3.0


def wasserstein_tile(
    left: Floats,
    left_middles: Floats,
    left_offsets: Ints,
    right: Floats,
    right_middles: Floats,
    right_offsets: Ints,
    order: float,
    metric: float,
    wanted: Mask,
    out: Floats,
) -> None:
    """Set ``out[r, s]`` to the distance of diagrams r and s, where it is wanted.

    Order inf is the bottleneck distance. Offsets are those of the tile alone. Cost of a
    pair: about n_candidates * log(n_points), more where many compete for the same.
    Memory: at most about 16 bytes per pair of points.
    """
    tile = (left, left_middles, left_offsets, right, right_middles, right_offsets)
    if order == math.inf:
        bottleneck_tile(*tile, metric, wanted, out)
        return
    # Several loops, so that what no pair needs is not compiled.
    if order <= HIGHEST_ORDER_ON_A_LINE:
        on_a_line = wanted & _are_on_a_line(tile)
        if on_a_line.any():
            wanted = wanted & ~on_a_line
            _line_tile(*tile, order, metric, on_a_line, _scratch(tile)[0], out)
    if wanted.any():
        units = (0.0, math.inf, math.inf, False)
        _match_tile(tile, order, metric, units, wanted, _scratch(tile), out)
    for r, s in np.argwhere(wanted & (out == TOO_SMALL)):
        out[r, s] = _in_a_smaller_unit(tile, r, s, order, metric)


def wasserstein(
    rows: Floats,
    row_middles: Floats,
    columns: Floats,
    column_middles: Floats,
    order: float,
    metric: float,
) -> float:
    """Return the distance of two diagrams; the same, bit for bit, if they are swapped.

    Order inf is the bottleneck distance.
    """
    out = np.empty((1, 1))
    tile = _tile_of(rows, row_middles, columns, column_middles)
    wasserstein_tile(*tile, order, metric, np.ones((1, 1), np.bool_), out)
    return float(out[0, 0])


def match(
    rows: Floats,
    row_middles: Floats,
    row_costs: Floats,
    columns: Floats,
    column_middles: Floats,
    column_costs: Floats,
    order: float,
    metric: float,
    scale: float,
    limit: float,
    partners: Ids,
    prices: Floats,
) -> None:
    """Set ``partners[i]`` to the column of row i, or NOBODY, at the least total cost.

    Distances are divided by `scale`; no pair has one above `limit`. What rows and
    columns cost that are left is given. At the final ``prices[j] <= column_costs[j]``,
    with equality for columns left, every row has the least cost - price, of a column or
    of being left at the price 0.
    """
    tile = _tile_of(rows, row_middles, columns, column_middles)
    floats, ints, ids = _scratch(tile)
    floats[0, : len(row_costs)], floats[1, : len(column_costs)] = (
        row_costs,
        column_costs,
    )
    out, wanted = np.empty((1, 1)), np.ones((1, 1), np.bool_)
    units = (scale, math.inf, limit, True)
    _match_tile(tile, order, metric, units, wanted, (floats, ints, ids), out)
    partners[:], prices[:] = ids[0, : len(partners)], floats[2, : len(prices)]


def _tile_of(
    rows: Floats, row_middles: Floats, columns: Floats, column_middles: Floats
) -> Tile:
    offsets = (np.array([0, len(middles)]) for middles in (row_middles, column_middles))
    row_offsets, column_offsets = offsets
    return rows, row_middles, row_offsets, columns, column_middles, column_offsets


def _are_on_a_line(tile: Tile) -> Mask:
    """Whether all points of two diagrams, none empty, have one birth, or one death."""
    left, _, left_offsets, right, _, right_offsets = tile
    births, deaths = (
        np.equal.outer(
            _common(left[axis::2], left_offsets), _common(right[axis::2], right_offsets)
        )
        for axis in (0, 1)
    )
    found: Mask = births | deaths
    return found


def _common(values: Floats, offsets: Ints) -> Floats:
    """Return the number that all points of a diagram have, or NaN."""
    common = np.full(len(offsets) - 1, np.nan)
    starts = offsets[:-1][np.diff(offsets) > 0]
    if len(starts):
        some, starts = values[starts[0] : offsets[-1]], starts - starts[0]
        least = np.minimum.reduceat(some, starts)
        is_common = least == np.maximum.reduceat(some, starts)
        common[np.diff(offsets) > 0] = np.where(is_common, least, np.nan)
    return common


def _in_a_smaller_unit(
    tile: Tile, r: int, s: int, order: float, metric: float
) -> float:
    left, left_middles, left_offsets, right, right_middles, right_offsets = tile
    rows, columns = slice(*left_offsets[r : r + 2]), slice(*right_offsets[s : s + 2])
    pair = (
        left[2 * rows.start : 2 * rows.stop],
        left_middles[rows],
        right[2 * columns.start : 2 * columns.stop],
        right_middles[columns],
    )
    # In this unit the total is from 1 to n + m. No best matching leaves a point that
    # costs more, so that nobody need know how much more it costs.
    scale = bottleneck(*pair, metric)
    if scale == 0.0:
        return 0.0
    largest = 2.0 * (len(pair[1]) + len(pair[3]))
    out, wanted = np.empty((1, 1)), np.ones((1, 1), np.bool_)
    units = (scale, largest, math.inf, False)
    alone = _tile_of(*pair)
    _match_tile(alone, order, metric, units, wanted, _scratch(alone), out)
    return float(out[0, 0])


def _match_tile(
    tile: Tile,
    order: float,
    metric: float,
    units: Units,
    wanted: Mask,
    scratch: Scratch,
    out: Floats,
) -> None:
    """Set distances, or TOO_SMALL where a scale was not given and is too large."""
    todo, room = wanted, 0
    while todo.any():
        room = 4 * room or _room_for(tile)
        candidates = np.empty((2, room)), np.empty((2, room), np.int32)
        _distances(*tile, order, metric, *units, todo, *scratch, candidates, None, out)
        todo = wanted & (out == NO_ROOM)
    todo = wanted & (out == TOO_MANY)
    if todo.any():
        n, m = (int(np.diff(offsets).max()) for offsets in (tile[2], tile[5]))
        table = np.empty(n * m)
        _distances(*tile, order, metric, *units, todo, *scratch, None, table, out)


def _scratch(tile: Tile) -> Scratch:
    """Return arrays for the largest of the diagrams."""
    size = 1 + max(
        int(np.diff(offsets).max(initial=0)) for offsets in (tile[2], tile[5])
    )
    return (
        np.empty((6, size)),
        np.empty((3, size), np.int64),
        np.empty((6, size), np.int32),
    )


def _room_for(tile: Tile) -> int:
    """Return room for as many candidates as most pairs have, and for one row more."""
    n, m = (int(np.diff(offsets).max(initial=0)) for offsets in (tile[2], tile[5]))
    return min(int(MANY * n * m), 32 * (n + m)) + max(n, m) + 1


@loop
def _distances(
    left: Floats,
    left_middles: Floats,
    left_offsets: Ints,
    right: Floats,
    right_middles: Floats,
    right_offsets: Ints,
    order: float,
    metric: float,
    scale: float,
    largest: float,
    limit: float,
    is_given: bool,  # noqa: FBT001
    wanted: Mask,
    floats: Floats,
    ints: Ints,
    ids: Ids,
    candidates: tuple[Floats, Ids] | None,
    table: Floats | None,
    out: Floats,
) -> None:
    """Set distances by matchings; without candidates, by tables of all costs.

    Scale 0 is a power of two, as large as the longest bar. The costs of leaving are at
    most ``largest``, or are given. Scratch has a place for each point, or candidate,
    and one more. Costs of leaving rows and columns, and the final prices, are in
    ``floats[:3]``, and partners of rows in ``ids[0]``.
    """
    for r in range(out.shape[0]):
        for s in range(out.shape[1]):
            if not wanted[r, s]:
                continue
            rows = left[2 * left_offsets[r] : 2 * left_offsets[r + 1]]
            row_middles = left_middles[left_offsets[r] : left_offsets[r + 1]]
            columns = right[2 * right_offsets[s] : 2 * right_offsets[s + 1]]
            middles = right_middles[right_offsets[s] : right_offsets[s + 1]]
            comparison = -1 if is_given else _compare(rows, columns)
            if comparison == 0:
                out[r, s] = 0.0
                continue
            if comparison > 0:
                rows, columns = columns, rows
                row_middles, middles = middles, row_middles
            n, m = row_middles.shape[0], middles.shape[0]
            row_costs, column_costs = floats[0][:n], floats[1][:m]
            prices, partners = floats[2][:m], ids[0][:n]
            unit = scale
            if unit == 0.0:
                longest = max(longest_of(rows, metric), longest_of(columns, metric))
                unit = unit_of(longest)
            if not is_given:
                _leaving(rows, order, metric, unit, largest, row_costs)
                _leaving(columns, order, metric, unit, largest, column_costs)
            status = 0.0
            # What is None by its type is not compiled.
            if table is not None:
                _match_many(
                    rows,
                    row_costs,
                    columns,
                    column_costs,
                    order,
                    metric,
                    unit,
                    limit,
                    partners,
                    prices,
                    table,
                )
            if candidates is not None:
                status = _match(
                    rows,
                    row_middles,
                    row_costs,
                    columns,
                    middles,
                    column_costs,
                    order,
                    metric,
                    unit,
                    limit,
                    partners,
                    prices,
                    floats,
                    ints,
                    ids,
                    candidates[0],
                    candidates[1],
                )
            if status == 0.0:
                total = _total(
                    rows,
                    row_costs,
                    columns,
                    column_costs,
                    order,
                    metric,
                    unit,
                    partners,
                    floats[5],
                )
                status = unit * root_of(total, order)
                if total < SMALL and scale == 0.0:
                    status = TOO_SMALL
            out[r, s] = status


@helper
def _match(
    rows: Floats,
    row_middles: Floats,
    row_costs: Floats,
    columns: Floats,
    column_middles: Floats,
    column_costs: Floats,
    order: float,
    metric: float,
    scale: float,
    limit: float,
    partners: Ids,
    prices: Floats,
    floats: Floats,
    ints: Ints,
    ids: Ids,
    candidate_costs: Floats,
    candidate_ids: Ids,
) -> float:
    """Do what :func:`match` does along candidates; return 0, TOO_MANY or NO_ROOM."""
    n, m = row_costs.shape[0], column_costs.shape[0]
    starts, choices, reached_by = ints[0], ints[1], ints[2]
    owners, waiting = ids[1], ids[2]
    costs, found = candidate_costs[0], candidate_ids[0]
    size = _find_candidates(
        rows,
        row_middles,
        row_costs,
        columns,
        column_middles,
        column_costs,
        order,
        metric,
        scale,
        limit,
        starts,
        found,
        costs,
    )
    if size < 0:
        return NO_ROOM
    if size > MANY * n * m:
        return TOO_MANY
    for j in range(m):
        owners[j] = NOBODY
        prices[j] = column_costs[j]
    for i in range(n):
        choices[i] = NOBODY
    n_waiting = _bid(
        starts, found, costs, row_costs, prices, owners, choices, waiting, BIDS * n
    )
    if n_waiting > 0:
        distances = floats[3]
        for j in range(m):
            distances[j] = math.inf
        for k in range(n_waiting):
            _augment(
                waiting[k],
                starts,
                found,
                costs,
                row_costs,
                prices,
                owners,
                choices,
                distances,
                reached_by,
                ids[3],
                ids[4],
                ids[5],
                floats[4],
                candidate_costs[1],
                candidate_ids[1],
            )
    for i in range(n):
        partners[i] = NOBODY
        if choices[i] != NOBODY:
            partners[i] = found[choices[i]]
    return 0.0


@inlined
def _find_candidates(
    rows: Floats,
    row_middles: Floats,
    row_costs: Floats,
    columns: Floats,
    column_middles: Floats,
    column_costs: Floats,
    order: float,
    metric: float,
    scale: float,
    limit: float,
    starts: Ints,
    ids: Ids,
    costs: Floats,
) -> int:
    """Set candidates, those of row i from ``starts[i]`` on, and what they cost.

    Return how many there are. Once they are too many, no more are looked for; -1 means
    that there may be no room for those of the next row, and for one that is none.
    """
    n, m = row_costs.shape[0], column_costs.shape[0]
    size = 0
    slack = rounding_of(row_middles, column_middles)
    factor = diagonal_factor(metric)
    longest = math.inf if metric == math.inf else longest_of(columns, 1.0)
    for i in range(n):
        if size > MANY * n * m:
            break
        starts[i] = size
        if size + m >= ids.shape[0]:
            size = -1
            break
        birth, death = rows[2 * i], rows[2 * i + 1]
        reach = _reach(death - birth, longest, metric) * (1.0 + ROUNDING) + slack
        last = row_middles[i] + reach
        for j in range(first_from(column_middles, row_middles[i] - reach), m):
            if column_middles[j] > last:
                break
            b, d = columns[2 * j], columns[2 * j + 1]
            distance = max(abs(b - birth), abs(d - death))
            # Written in any case and kept or not: nobody could guess which. What holds
            # for any order holds for order 1, and no metric is shorter than inf.
            ids[size], costs[size] = j, distance
            size += distance < factor * ((death - birth) + (d - b))
        n_found, size = size, starts[i]
        if metric != math.inf:
            for e in range(size, n_found):
                costs[e] = distance_of(rows, i, columns, int(ids[e]), metric)
        if limit < math.inf:
            for e in range(size, n_found):
                costs[e] = costs[e] if costs[e] <= limit else math.inf
        for e in range(size, n_found):
            costs[e] /= scale
        raise_to(costs[size:n_found], order)
        for e in range(size, n_found):
            ids[size], costs[size] = ids[e], costs[e]
            size += costs[e] < row_costs[i] + column_costs[ids[e]]
    starts[n] = size
    return size


@inlined
def _reach(persistence: float, longest: float, metric: float) -> float:
    """Return how far middles of candidates are from that of a point, at most.

    With halves h and h' of persistences, a candidate has max(|m - m'|, |h - h'|) < h +
    h' in the metric 1; the square root of their squares in the metric 2; and in the
    metric inf |m - m'| + |h - h'|, so that `longest`, of the other diagram, is no
    matter.
    """
    if metric == math.inf:
        return persistence
    if metric == 1.0:
        return 0.5 * (persistence + longest)
    return math.sqrt(persistence) * math.sqrt(longest)


@inlined
def _bid(
    starts: Ints,
    ids: Ids,
    costs: Floats,
    row_costs: Floats,
    prices: Floats,
    owners: Ids,
    choices: Ints,
    waiting: Ids,
    n_bids: int,
) -> int:
    """Let all rows bid; set ``waiting`` to those that end without, and return how many.

    ``choices[i]`` is the place of a row's column among the candidates. On a tie, a row
    does not bid against itself: the one that it outbids has to wait.
    """
    n_waiting = 0
    for first in range(row_costs.shape[0]):
        i = first
        while i != NOBODY:
            if n_bids == 0:
                waiting[n_waiting] = i
                n_waiting += 1
                break
            n_bids -= 1
            choice, least, second = NOBODY, row_costs[i], math.inf
            for e in range(starts[i], starts[i + 1]):
                offer = costs[e] - prices[ids[e]]
                if offer < second:
                    if offer < least:
                        choice, least, second = e, offer, least
                    else:
                        second = offer
            choices[i] = choice
            if choice == NOBODY:
                break
            j = ids[choice]
            i, owners[j] = owners[j], i
            if second > least:
                prices[j] -= second - least
            elif i != NOBODY:
                waiting[n_waiting] = i
                n_waiting += 1
                break
    return n_waiting


@inlined
def _augment(
    row: int,
    starts: Ints,
    ids: Ids,
    costs: Floats,
    row_costs: Floats,
    prices: Floats,
    owners: Ids,
    choices: Ints,
    distances: Floats,
    reached_by: Ints,
    reached_from: Ids,
    touched: Ids,
    scanned: Ids,
    lengths: Floats,
    keys: Floats,
    items: Ids,
) -> None:
    """Give a waiting row a column, or leave it, with what that changes for others.

    A path goes from the row to a column, from there to the row that has it, and so on.
    It ends at a column that nobody has, or at a row that is left from now on. All
    ``distances`` are inf before and after.
    """
    shortest, last_choice, last_row = row_costs[row], NOBODY, row
    # Not of a literal type, for which loops of the heap would be compiled again.
    size: Any = np.int64(0)
    n_scanned = n_touched = 0
    i, base = row, 0.0
    while True:
        for e in range(starts[i], starts[i + 1]):
            j = ids[e]
            distance = base + (costs[e] - prices[j])
            if distance >= shortest or distance >= distances[j]:
                continue
            if owners[j] == NOBODY:
                shortest, last_choice, last_row = distance, e, i
                continue
            if distances[j] == math.inf:
                touched[n_touched] = j
                n_touched += 1
            distances[j], reached_by[j], reached_from[j] = distance, e, i
            sift_up(keys, items, size, distance, j)
            size += 1
        size = without_outdated(keys, items, size, distances)
        if size == 0 or keys[0] >= shortest:
            break
        distance, j = keys[0], items[0]
        size -= 1
        sift_down(keys, items, size, keys[size], items[size])
        scanned[n_scanned], lengths[n_scanned] = j, distance
        n_scanned += 1
        # Rounding must not let a path come back.
        distances[j] = -math.inf
        i = owners[j]
        base = distance - (costs[choices[i]] - prices[j])
        if base + row_costs[i] < shortest:
            shortest, last_choice, last_row = base + row_costs[i], NOBODY, i
    for t in range(n_scanned):
        prices[scanned[t]] += lengths[t] - shortest
    for t in range(n_touched):
        distances[touched[t]] = math.inf
    e, i = last_choice, last_row
    while True:
        e, choices[i] = choices[i], e
        if choices[i] != NOBODY:
            owners[ids[choices[i]]] = i
        if i == row:
            break
        j = ids[e]
        e, i = reached_by[j], reached_from[j]


@helper
def _match_many(
    rows: Floats,
    row_costs: Floats,
    columns: Floats,
    column_costs: Floats,
    order: float,
    metric: float,
    scale: float,
    limit: float,
    partners: Ids,
    prices: Floats,
    table: Floats,
) -> None:
    """Do what :func:`match` does, where it is not worth while to choose candidates."""
    n, m = row_costs.shape[0], column_costs.shape[0]
    owners, row_prices = np.empty(m, np.int32), np.empty(n)
    for i in range(n):
        partners[i] = NOBODY
    n_left = m
    for j in range(m):
        owners[j] = NOBODY
        prices[j] = 0.0
    # First rows look for columns, then columns that are left for rows.
    for _ in range(2):
        if n_left > 0:
            costs = table[: n * m].reshape(row_costs.shape[0], column_costs.shape[0])
            _fill_costs(rows, columns, order, metric, scale, limit, costs)
            _augment_all(costs, row_costs, prices, owners, partners)
        _reprice(
            rows, row_costs, columns, order, metric, scale, prices, partners, row_prices
        )
        rows, columns = columns, rows
        row_costs, column_costs = column_costs, row_costs
        prices, row_prices = row_prices, prices
        owners, partners = partners, owners
        n_left = 0
        for j in range(partners.shape[0]):
            n_left += partners[j] == NOBODY


@inlined
def _reprice(
    rows: Floats,
    row_costs: Floats,
    columns: Floats,
    order: float,
    metric: float,
    scale: float,
    prices: Floats,
    choices: Ids,
    out: Floats,
) -> None:
    """Set ``out[i]`` to the price of row i that follows from those of columns."""
    for i in range(out.shape[0]):
        if choices[i] != NOBODY:
            out[i] = distance_of(rows, i, columns, int(choices[i]), metric) / scale
    raise_to(out, order)
    for i in range(out.shape[0]):
        if choices[i] == NOBODY:
            out[i] = row_costs[i]
        else:
            out[i] -= prices[choices[i]]


@inlined
def _augment_all(
    costs: Floats, row_costs: Floats, prices: Floats, owners: Ids, choices: Ids
) -> None:
    """Assign a column to every row that has none, or leave it, along shortest paths.

    Paths are those of :func:`_augment`. A column is scanned once; from then on nobody
    offers anything for it, and it is never the nearest again.
    """
    n, m = row_costs.shape[0], prices.shape[0]
    distances = np.empty(-(-m // LANES) * LANES)
    reached_from = np.empty(m, np.int64)
    scanned, lengths = np.empty(m, np.int32), np.empty(m)
    offered = np.empty(m)
    for j in range(m):
        offered[j] = prices[j]
    step = _far_step(n)
    for k in range(n):
        row = k * step % n
        if choices[row] != NOBODY:
            continue
        for j in range(distances.shape[0]):
            distances[j] = math.inf
        shortest, last_column, last_row = row_costs[row], NOBODY, row
        n_scanned = 0
        i, base = row, 0.0
        while True:
            _come_closer(costs[i], offered, base, i, distances, reached_from)
            j = _nearest(distances)
            if distances[j] >= shortest:
                break
            if owners[j] == NOBODY:
                shortest, last_column, last_row = distances[j], j, reached_from[j]
                break
            scanned[n_scanned], lengths[n_scanned] = j, distances[j]
            n_scanned += 1
            i = owners[j]
            base = distances[j] - (costs[i, j] - prices[j])
            offered[j], distances[j] = -math.inf, math.inf
            if base + row_costs[i] < shortest:
                shortest, last_column, last_row = base + row_costs[i], NOBODY, i
        for t in range(n_scanned):
            j = scanned[t]
            prices[j] += lengths[t] - shortest
            offered[j] = prices[j]
        i, j = last_row, last_column
        while True:
            j, choices[i] = choices[i], j
            if choices[i] != NOBODY:
                owners[choices[i]] = i
            if i == row:
                break
            i = reached_from[j]


@inlined
def _far_step(n: int) -> int:
    """Return a step that visits 0 ... n - 1, modulo n, each far from the last ones.

    One neighbor after the other would find all that is near taken by those before it.
    """
    step = max(1, int(GOLDEN * n))
    while True:
        # Euclid's algorithm: math.gcd takes longer to compile.
        a, b = step, n
        while b > 0:
            a, b = b, a % b
        if a == 1:
            return step
        step += 1


@inlined
def _fill_costs(
    rows: Floats,
    columns: Floats,
    order: float,
    metric: float,
    scale: float,
    limit: float,
    costs: Floats,
) -> None:
    """Set the costs of all pairs, rows by columns."""
    for i in range(costs.shape[0]):
        row = costs[i]
        for j in range(row.shape[0]):
            row[j] = distance_of(rows, i, columns, j, metric)
        if limit < math.inf:
            for j in range(row.shape[0]):
                row[j] = row[j] if row[j] <= limit else math.inf
        for j in range(row.shape[0]):
            row[j] /= scale
        raise_to(row, order)


@inlined
def _come_closer(
    costs: Floats,
    offered: Floats,
    base: float,
    row: int,
    distances: Floats,
    reached_from: Ints,
) -> None:
    """Lower distances of columns to those by way of a row, without a branch."""
    for j in range(costs.shape[0]):
        distance = base + (costs[j] - offered[j])
        closer = distance < distances[j]
        reached_from[j] = row if closer else reached_from[j]
        distances[j] = distance if closer else distances[j]


@inlined
def _nearest(distances: Floats) -> int:
    """Return where the least distance is; their number is a multiple of LANES.

    Lanes have minima of their own, for which nobody waits.
    """
    a = b = c = d = math.inf
    for k in range(distances.shape[0] // LANES):
        j = LANES * k
        a = distances[j] if distances[j] < a else a
        b = distances[j + 1] if distances[j + 1] < b else b
        c = distances[j + 2] if distances[j + 2] < c else c
        d = distances[j + 3] if distances[j + 3] < d else d
    least = min(a, b, c, d)
    j = 0 if a == least else 1 if b == least else 2 if c == least else 3
    while distances[j] != least:
        j += LANES
    return j


@loop
def _line_tile(
    left: Floats,
    left_middles: Floats,
    left_offsets: Ints,
    right: Floats,
    right_middles: Floats,
    right_offsets: Ints,
    order: float,
    metric: float,
    wanted: Mask,
    floats: Floats,
    out: Floats,
) -> None:
    """Set distances of diagrams with the same births, or deaths."""
    for r in range(out.shape[0]):
        for s in range(out.shape[1]):
            if not wanted[r, s]:
                continue
            rows = left[2 * left_offsets[r] : 2 * left_offsets[r + 1]]
            columns = right[2 * right_offsets[s] : 2 * right_offsets[s + 1]]
            comparison = _compare(rows, columns)
            if comparison == 0:
                out[r, s] = 0.0
                continue
            if comparison > 0:
                rows, columns = columns, rows
            n, m = rows.shape[0] // 2, columns.shape[0] // 2
            row_costs, column_costs = floats[0][:n], floats[1][:m]
            unit = unit_of(max(longest_of(rows, metric), longest_of(columns, metric)))
            _leaving(rows, order, metric, unit, math.inf, row_costs)
            _leaving(columns, order, metric, unit, math.inf, column_costs)
            total = _along_a_line(
                rows,
                row_costs,
                columns,
                column_costs,
                order,
                metric,
                unit,
                floats[2][:m],
                floats[3],
            )
            out[r, s] = unit * root_of(total, order)


@inlined
def _along_a_line(
    rows: Floats,
    row_costs: Floats,
    columns: Floats,
    column_costs: Floats,
    order: float,
    metric: float,
    scale: float,
    pairs: Floats,
    totals: Floats,
) -> float:
    """Return the least total cost of diagrams with the same births, or deaths.

    Points on a line that are paired may be paired in their order, since powers are
    convex: the best pairs of the first i rows and j columns follow from those of fewer.
    ``pairs`` and ``totals`` are scratch.
    """
    n, m = row_costs.shape[0], column_costs.shape[0]
    totals[0] = 0.0
    for j in range(m):
        totals[j + 1] = totals[j] + column_costs[j]
    for i in range(n):
        for j in range(m):
            pairs[j] = distance_of(rows, i, columns, j, metric) / scale
        raise_to(pairs, order)
        before = totals[0]
        totals[0] += row_costs[i]
        total = totals[0]
        for j in range(m):
            paired = before + pairs[j]
            before = totals[j + 1]
            total = min(paired, before + row_costs[i], total + column_costs[j])
            totals[j + 1] = total
    return float(totals[m])


@inlined
def _total(
    rows: Floats,
    row_costs: Floats,
    columns: Floats,
    column_costs: Floats,
    order: float,
    metric: float,
    scale: float,
    partners: Ids,
    paired: Floats,
) -> float:
    """Return the total cost of a matching; `paired` is scratch."""
    n, m = row_costs.shape[0], column_costs.shape[0]
    for j in range(m):
        paired[j] = NOBODY
    total = 0.0
    for i in range(n):
        if partners[i] == NOBODY:
            total += row_costs[i]
        else:
            paired[partners[i]] = i
    for j in range(m):
        if paired[j] == NOBODY:
            total += column_costs[j]
    n_paired = 0
    for i in range(n):
        if partners[i] != NOBODY:
            length = distance_of(rows, i, columns, int(partners[i]), metric)
            paired[n_paired] = length / scale
            n_paired += 1
    raise_to(paired[:n_paired], order)
    for k in range(n_paired):
        total += paired[k]
    return total


@inlined
def _compare(rows: Floats, columns: Floats) -> int:
    """Return 0 for equal diagrams; else one of -1 and 1, so that smaller go first."""
    if rows.shape[0] != columns.shape[0]:
        return -1 if rows.shape[0] < columns.shape[0] else 1
    for k in range(rows.shape[0]):
        if rows[k] != columns[k]:
            return -1 if rows[k] < columns[k] else 1
    return 0


@helper
def _leaving(
    points: Floats,
    order: float,
    metric: float,
    scale: float,
    largest: float,
    out: Floats,
) -> None:
    """Set ``out[i]`` to the cost of leaving point i, but not above `largest`."""
    for i in range(out.shape[0]):
        out[i] = to_diagonal(points, i, metric) / scale
    raise_to(out, order)
    for i in range(out.shape[0]):
        out[i] = min(out[i], largest)


@helper
def longest_of(points: Floats, metric: float) -> float:
    """Return the largest distance of a point to the diagonal."""
    longest = 0.0
    for i in range(points.shape[0] // 2):
        longest = max(longest, to_diagonal(points, i, metric))
    return longest


@inlined
def unit_of(longest: float) -> float:
    """Return the next power of 2, by which one divides without rounding."""
    return math.ldexp(1.0, math.frexp(longest)[1])


@helper
def raise_to(values: Floats, order: float) -> None:
    """Raise values to a power, in loops of their own: a power is slow, not a square."""
    if order == 2.0:
        for k in range(values.shape[0]):
            values[k] *= values[k]
    elif order != 1.0:
        for k in range(values.shape[0]):
            values[k] = values[k] ** order


@inlined
def root_of(x: float, order: float) -> float:
    """Return the root that undoes :func:`raise_to`."""
    if order == 2.0:
        return math.sqrt(x)
    if order == 1.0:
        return x
    root: float = x ** (1.0 / order)
    return root
