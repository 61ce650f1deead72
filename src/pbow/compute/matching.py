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

import numpy as np
from numba import njit
from numpy.typing import NDArray

from pbow.compute.bottleneck import (
    ROUNDING,
    are_on_a_line,
    bottleneck,
    diagonal_factor,
    distance_of,
    enlarged,
    first_from,
    rounding_of,
    to_diagonal,
)
from pbow.compute.heap import sift_down, sift_up, without_outdated

__all__ = [
    "NOBODY",
    "SMALL",
    "compare",
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


@njit(nogil=True, cache=True)
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

    Order inf is the bottleneck distance. Offsets are those of the tile alone.
    """
    for r in range(out.shape[0]):
        rows = left[2 * left_offsets[r] : 2 * left_offsets[r + 1]]
        row_middles = left_middles[left_offsets[r] : left_offsets[r + 1]]
        for s in range(out.shape[1]):
            if wanted[r, s]:
                columns = right[2 * right_offsets[s] : 2 * right_offsets[s + 1]]
                middles = right_middles[right_offsets[s] : right_offsets[s + 1]]
                out[r, s] = wasserstein(
                    rows, row_middles, columns, middles, order, metric
                )


@njit(nogil=True, cache=True)
def wasserstein(
    rows: Floats,
    row_middles: Floats,
    columns: Floats,
    column_middles: Floats,
    order: float,
    metric: float,
) -> float:
    """Return the distance of two diagrams; the same, bit for bit, if they are swapped.

    Order inf is the bottleneck distance. Cost: about n_candidates * log(n_points), more
    where many compete for the same. Memory: at most about 16 bytes per pair of points.
    """
    if order == math.inf:
        return bottleneck(rows, row_middles, columns, column_middles, metric)
    comparison = compare(rows, columns)
    if comparison == 0:
        return 0.0
    if comparison > 0:
        rows, columns = columns, rows
        row_middles, column_middles = column_middles, row_middles
    n, m = row_middles.shape[0], column_middles.shape[0]
    row_costs, column_costs, prices = np.empty(n), np.empty(m), np.empty(m)
    partners = np.empty(n, np.int32)
    scale = unit_of(max(longest_of(rows, metric), longest_of(columns, metric)))
    largest = math.inf
    on_a_line = order <= HIGHEST_ORDER_ON_A_LINE and are_on_a_line(rows, columns)
    total = 0.0
    while total < SMALL:
        _leaving(rows, order, metric, scale, largest, row_costs)
        _leaving(columns, order, metric, scale, largest, column_costs)
        if on_a_line:
            total = _along_a_line(
                rows, row_costs, columns, column_costs, order, metric, scale
            )
            break
        match(
            rows,
            row_middles,
            row_costs,
            columns,
            column_middles,
            column_costs,
            order,
            metric,
            scale,
            math.inf,
            partners,
            prices,
        )
        total = _total(
            rows,
            row_costs,
            columns,
            column_costs,
            order,
            metric,
            scale,
            partners,
            prices,
        )
        if total < SMALL:
            # In this unit the total is from 1 to n + m. No best matching leaves a point
            # that costs more, so that nobody need know how much more it costs.
            scale = bottleneck(rows, row_middles, columns, column_middles, metric)
            if scale == 0.0:
                return 0.0
            largest = 2.0 * (n + m)
    return scale * root_of(total, order)


@njit(nogil=True, cache=True)
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
    n, m = row_costs.shape[0], column_costs.shape[0]
    # Few arrays, cut in pieces: small diagrams would wait for their allocation.
    longs, shorts = np.empty(2 * n + 1, np.int64), np.empty(n + m, np.int32)
    starts, choices = longs[: n + 1], longs[n + 1 :]
    owners, waiting = shorts[:m], shorts[m:]
    ids, costs = _find_candidates(
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
    )
    if starts[n] > MANY * n * m:
        _match_many(
            rows,
            row_costs,
            columns,
            column_costs,
            order,
            metric,
            scale,
            limit,
            partners,
            prices,
        )
        return
    for j in range(m):
        owners[j], prices[j] = NOBODY, column_costs[j]
    for i in range(n):
        choices[i] = NOBODY
    n_waiting = _bid(
        starts, ids, costs, row_costs, prices, owners, choices, waiting, BIDS * n
    )
    if n_waiting > 0:
        _augment_waiting(
            waiting[:n_waiting],
            starts,
            ids,
            costs,
            row_costs,
            prices,
            owners,
            choices,
        )
    for i in range(n):
        partners[i] = NOBODY if choices[i] == NOBODY else ids[choices[i]]


@njit(nogil=True, cache=True)
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
) -> tuple[Ids, Floats]:
    """Return candidates, those of row i from ``starts[i]`` on, and what they cost.

    Once they are too many, no more are looked for; ``starts[n]`` tells.
    """
    n, m = row_costs.shape[0], column_costs.shape[0]
    ids, costs = np.empty(8 * (n + m), np.int32), np.empty(8 * (n + m))
    size = 0
    slack = rounding_of(row_middles, column_middles)
    factor = diagonal_factor(metric)
    longest = math.inf if metric == math.inf else longest_of(columns, 1.0)
    for i in range(n):
        if size > MANY * n * m:
            break
        starts[i] = size
        if size + m > ids.shape[0]:
            ids, costs = enlarged(ids, costs, size, m)
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
                costs[e] = distance_of(rows, i, columns, ids[e], metric)
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
    return ids, costs


@njit(nogil=True, cache=True)
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


@njit(nogil=True, cache=True)
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


@njit(nogil=True, cache=True)
def _augment_waiting(
    waiting: Ids,
    starts: Ints,
    ids: Ids,
    costs: Floats,
    row_costs: Floats,
    prices: Floats,
    owners: Ids,
    choices: Ints,
) -> None:
    """Give each waiting row a column, or leave it, one after the other."""
    m = prices.shape[0]
    distances, lengths = np.empty(m), np.empty(m)
    for j in range(m):
        distances[j] = math.inf
    reached_by = np.empty(m, np.int64)
    shorts = np.empty(3 * m, np.int32)
    keys, items = np.empty(starts[-1] + 1), np.empty(starts[-1] + 1, np.int32)
    for row in waiting:
        _augment(
            row,
            starts,
            ids,
            costs,
            row_costs,
            prices,
            owners,
            choices,
            distances,
            reached_by,
            shorts[:m],
            shorts[m : 2 * m],
            shorts[2 * m :],
            lengths,
            keys,
            items,
        )


@njit(nogil=True, cache=True)
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
    size = n_scanned = n_touched = 0
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


@njit(nogil=True, cache=True)
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
) -> None:
    """Do what :func:`match` does, where it is not worth while to choose candidates."""
    n, m = row_costs.shape[0], column_costs.shape[0]
    owners, row_prices = np.empty(m, np.int32), row_costs.copy()
    for i in range(n):
        partners[i] = NOBODY
    for j in range(m):
        owners[j], prices[j] = NOBODY, 0.0
    costs = _all_costs(rows, columns, order, metric, scale, limit)
    _augment_all(costs, row_costs, prices, owners, partners)
    _reprice(
        rows, row_costs, columns, order, metric, scale, prices, partners, row_prices
    )
    if (owners == NOBODY).any():
        costs = _all_costs(columns, rows, order, metric, scale, limit)
        _augment_all(costs, column_costs, row_prices, partners, owners)
    _reprice(
        columns, column_costs, rows, order, metric, scale, row_prices, owners, prices
    )


@njit(nogil=True, cache=True)
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
            out[i] = distance_of(rows, i, columns, choices[i], metric) / scale
    raise_to(out, order)
    for i in range(out.shape[0]):
        if choices[i] == NOBODY:
            out[i] = row_costs[i]
        else:
            out[i] -= prices[choices[i]]


@njit(nogil=True, cache=True)
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
    offered = prices.copy()
    step = _far_step(n)
    for k in range(n):
        row = k * step % n
        if choices[row] != NOBODY:
            continue
        distances[:] = math.inf
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


@njit(nogil=True, cache=True)
def _far_step(n: int) -> int:
    """Return a step that visits 0 ... n - 1, modulo n, each far from the last ones.

    One neighbor after the other would find all that is near taken by those before it.
    """
    step = max(1, int(GOLDEN * n))
    while math.gcd(step, n) != 1:
        step += 1
    return step


@njit(nogil=True, cache=True)
def _all_costs(
    rows: Floats,
    columns: Floats,
    order: float,
    metric: float,
    scale: float,
    limit: float,
) -> NDArray[np.float64]:
    """Return the costs of all pairs, rows by columns."""
    n, m = rows.shape[0] // 2, columns.shape[0] // 2
    costs = np.empty((n, m))
    for i in range(n):
        for j in range(m):
            costs[i, j] = distance_of(rows, i, columns, j, metric)
        if limit < math.inf:
            for j in range(m):
                costs[i, j] = costs[i, j] if costs[i, j] <= limit else math.inf
        for j in range(m):
            costs[i, j] /= scale
        raise_to(costs[i], order)
    return costs


@njit(nogil=True, cache=True)
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


@njit(nogil=True, cache=True)
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


@njit(nogil=True, cache=True)
def _along_a_line(
    rows: Floats,
    row_costs: Floats,
    columns: Floats,
    column_costs: Floats,
    order: float,
    metric: float,
    scale: float,
) -> float:
    """Return the least total cost of diagrams with the same births, or deaths.

    Points on a line that are paired may be paired in their order, since powers are
    convex: the best pairs of the first i rows and j columns follow from those of fewer.
    """
    n, m = row_costs.shape[0], column_costs.shape[0]
    pairs = np.empty(m)
    totals = np.zeros(m + 1)
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


@njit(nogil=True, cache=True)
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
    """Return the total cost of a matching; `paired` is scratch, as long as columns."""
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
            length = distance_of(rows, i, columns, partners[i], metric)
            paired[n_paired] = length / scale
            n_paired += 1
    raise_to(paired[:n_paired], order)
    for k in range(n_paired):
        total += paired[k]
    return total


@njit(nogil=True, cache=True)
def compare(rows: Floats, columns: Floats) -> int:
    """Return 0 for equal diagrams; else one of -1 and 1, so that smaller go first."""
    if rows.shape[0] != columns.shape[0]:
        return -1 if rows.shape[0] < columns.shape[0] else 1
    for k in range(rows.shape[0]):
        if rows[k] != columns[k]:
            return -1 if rows[k] < columns[k] else 1
    return 0


@njit(nogil=True, cache=True)
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


@njit(nogil=True, cache=True)
def longest_of(points: Floats, metric: float) -> float:
    """Return the largest distance of a point to the diagonal."""
    longest = 0.0
    for i in range(points.shape[0] // 2):
        longest = max(longest, to_diagonal(points, i, metric))
    return longest


@njit(nogil=True, cache=True)
def unit_of(longest: float) -> float:
    """Return the next power of 2, by which one divides without rounding."""
    return math.ldexp(1.0, math.frexp(longest)[1])


@njit(nogil=True, cache=True)
def raise_to(values: Floats, order: float) -> None:
    """Raise values to a power, in loops of their own: a power is slow, not a square."""
    if order == 2.0:
        for k in range(values.shape[0]):
            values[k] *= values[k]
    elif order != 1.0:
        for k in range(values.shape[0]):
            values[k] = values[k] ** order


@njit(nogil=True, cache=True)
def root_of(x: float, order: float) -> float:
    """Return the root that undoes :func:`raise_to`."""
    if order == 2.0:
        return math.sqrt(x)
    if order == 1.0:
        return x
    root: float = x ** (1.0 / order)
    return root
