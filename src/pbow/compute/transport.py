"""Distances of persistence diagrams with repeated points, by exact optimal transport.

Diagrams of graphs repeat few distinct points many times. Points are flat and sorted as
in :mod:`pbow.compute.matching`, but each is there once, and ``counts[i]`` says how many
there are of point i. Instead of a matching there is a flow: rows supply their counts to
columns, or to the diagonal, and columns take what they lack from the diagonal.

Costs, flows and the like are flat: first those from row i to column j, at
``i * n_columns + j``, then those of leaving each row, then those of leaving each
column. Every row and column has a price. The prices of a row and a column are together
at most what it costs to pair them, each is at most what it costs to leave, and where
something flows they are equal to it. This proves that no other flow costs less.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from pbow.compute.bottleneck import distance_of, to_diagonal
from pbow.compute.jit import loop
from pbow.compute.matching import SMALL, longest_of, raise_to, root_of, unit_of

__all__ = ["set_lengths", "transport", "transport_distance", "transport_tile"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Mask = NDArray[np.bool_]

NOBODY = -1
# What a row is reached by that a path begins at.
ITSELF = -2


@loop
def transport_tile(
    left: Floats,
    left_counts: Ints,
    left_offsets: Ints,
    right: Floats,
    right_counts: Ints,
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
        row_counts = left_counts[left_offsets[r] : left_offsets[r + 1]]
        for s in range(out.shape[1]):
            if wanted[r, s]:
                columns = right[2 * right_offsets[s] : 2 * right_offsets[s + 1]]
                counts = right_counts[right_offsets[s] : right_offsets[s + 1]]
                out[r, s] = transport_distance(
                    rows, row_counts, columns, counts, order, metric
                )


@loop
def transport_distance(
    rows: Floats,
    row_counts: Ints,
    columns: Floats,
    column_counts: Ints,
    order: float,
    metric: float,
) -> float:
    """Return the distance of two diagrams; the same, bit for bit, if they are swapped.

    Cost: that of :func:`transport`; of order inf, that of about log(n_rows * n_columns)
    of them. Memory: 40 bytes per pair of distinct points.
    """
    comparison = _compare(rows, row_counts, columns, column_counts)
    if comparison == 0:
        return 0.0
    if comparison > 0:
        rows, columns = columns, rows
        row_counts, column_counts = column_counts, row_counts
    n, m = row_counts.shape[0], column_counts.shape[0]
    lengths, costs = np.empty(n * m + n + m), np.empty(n * m + n + m)
    flows, prices = np.empty(n * m + n + m, np.int64), np.empty(n + m)
    set_lengths(rows, columns, metric, lengths)
    if order == math.inf:
        scale: float = _bottleneck(
            lengths, row_counts, column_counts, costs, flows, prices
        )
        return scale
    # Leaving costs less than 1 in this unit, and no pair is worth more than 2.
    scale = unit_of(max(longest_of(rows, metric), longest_of(columns, metric)))
    total = _total(
        lengths, row_counts, column_counts, order, scale, 2.0, costs, flows, prices
    )
    # Rounding is per unit that is moved.
    if total < SMALL * max(1, min(row_counts.sum(), column_counts.sum())):
        # As in matching: in this unit the total is from 1 to the number of points.
        scale = _bottleneck(lengths, row_counts, column_counts, costs, flows, prices)
        if scale == 0.0:
            return 0.0
        most = 2.0 * (row_counts.sum() + column_counts.sum())
        total = _total(
            lengths, row_counts, column_counts, order, scale, most, costs, flows, prices
        )
    return scale * root_of(total, order)


@loop
def set_lengths(rows: Floats, columns: Floats, metric: float, out: Floats) -> None:
    """Set ``out`` to distances of pairs, row by row, and to the diagonal of all."""
    n, m = rows.shape[0] // 2, columns.shape[0] // 2
    for i in range(n):
        for j in range(m):
            out[i * m + j] = distance_of(rows, i, columns, j, metric)
        out[n * m + i] = to_diagonal(rows, i, metric)
    for j in range(m):
        out[n * m + n + j] = to_diagonal(columns, j, metric)


@loop
def _total(
    lengths: Floats,
    row_counts: Ints,
    column_counts: Ints,
    order: float,
    scale: float,
    largest: float,
    costs: Floats,
    flows: Ints,
    prices: Floats,
) -> float:
    """Return the least total cost, (length / scale)**order for what is moved.

    No cost is above `largest`, so that all are numbers; best flows need none of these.
    """
    for k in range(lengths.shape[0]):
        costs[k] = lengths[k] / scale
    raise_to(costs, order)
    for k in range(lengths.shape[0]):
        costs[k] = min(costs[k], largest)
    transport(costs, row_counts, column_counts, flows, prices)
    total = 0.0
    for k in range(lengths.shape[0]):
        total += flows[k] * costs[k]
    return total


@loop
def _bottleneck(
    lengths: Floats,
    row_counts: Ints,
    column_counts: Ints,
    costs: Floats,
    flows: Ints,
    prices: Floats,
) -> float:
    """Return the least of the lengths within which everything can be moved.

    The first guess is what points need, each by itself, and often right. Then one of
    the lengths between the bounds is tried, of which about half remain; to sort them
    would take longer to compile.
    """
    n, m = row_counts.shape[0], column_counts.shape[0]
    low = high = 0.0
    for k in range(n + m):
        least = lengths[n * m + k]
        high = max(high, least)
        first, step, size = (k * m, 1, m) if k < n else (k - n, m, n)
        for t in range(size):
            least = min(least, lengths[first + t * step])
        low = max(low, least)
    guess, n_between = low, 1
    while n_between > 0:
        for k in range(lengths.shape[0]):
            costs[k] = 1.0 if lengths[k] > guess else 0.0
        transport(costs, row_counts, column_counts, flows, prices)
        is_enough = True
        for k in range(lengths.shape[0]):
            is_enough &= costs[k] == 0.0 or flows[k] == 0
        if is_enough:
            high = guess
        else:
            low = guess
        if high == low:
            break
        n_between = 0
        for k in range(lengths.shape[0]):
            n_between += low < lengths[k] < high
        place = n_between // 2
        for k in range(lengths.shape[0]):
            if low < lengths[k] < high:
                if place == 0:
                    guess = lengths[k]
                    break
                place -= 1
    return high


@loop
def transport(
    costs: Floats, row_counts: Ints, column_counts: Ints, flows: Ints, prices: Floats
) -> None:
    """Set flows of the least total cost, and the prices that prove it, rows first.

    Rows are routed one by one along shortest paths, each to the diagonal or to columns
    that are free; then columns that are still free, in the same way. Cost: about n_rows
    * n_columns for each path, and about n_rows + n_columns paths.
    """
    n, m = row_counts.shape[0], column_counts.shape[0]
    pairs, row_costs, column_costs = (
        costs[: n * m],
        costs[n * m : n * m + n],
        costs[n * m + n :],
    )
    rows_left, columns_left = flows[n * m : n * m + n], flows[n * m + n :]
    row_prices, column_prices = prices[:n], prices[n:]
    supplies, free = row_counts.copy(), column_counts.copy()
    turned_pairs, turned_flows = np.empty(n * m), np.empty(n * m, np.int64)
    floats, ints = np.empty(3 * (n + m)), np.empty(2 * (n + m), np.int64)
    flows[:] = 0
    for i in range(n):
        for j in range(m):
            turned_pairs[j * n + i] = pairs[i * m + j]
            turned_flows[j * n + i] = 0
    # Between both ends: at 0, columns would come too late to get their part, and at the
    # cost of leaving all rows would want the same.
    for j in range(m):
        column_prices[j] = 0.5 * column_costs[j]
    for i in range(n):
        row_prices[i] = row_costs[i]
        for j in range(m):
            row_prices[i] = min(row_prices[i], pairs[i * m + j] - column_prices[j])
    _route(
        pairs,
        row_costs,
        supplies,
        free,
        rows_left,
        turned_flows,
        row_prices,
        column_prices,
        floats,
        ints,
    )
    for i in range(n):
        for j in range(m):
            flows[i * m + j] = turned_flows[j * n + i]
    _route(
        turned_pairs,
        column_costs,
        free,
        rows_left,
        columns_left,
        flows,
        column_prices,
        row_prices,
        floats,
        ints,
    )


@loop
def _route(
    costs: Floats,
    row_costs: Floats,
    supplies: Ints,
    free: Ints,
    left: Ints,
    flows: Ints,
    row_prices: Floats,
    prices: Floats,
    floats: Floats,
    ints: Ints,
) -> None:
    """Route what each row supplies to columns that are free, or leave it.

    Flows are flat by columns: from row i to column j it is ``flows[j * n_rows + i]``.
    """
    n, m = row_prices.shape[0], prices.shape[0]
    bases, lengths = floats[:n], floats[n : n + m]
    rows, reached_by = ints[:n], ints[n : 2 * n]
    columns, reached_from = ints[2 * n : 2 * n + m], ints[2 * n + m : 2 * (n + m)]
    for row in range(n):
        while supplies[row] > 0:
            shortest, last_row, last_column, n_reached, n_scanned = _search(
                row,
                costs,
                row_costs,
                free,
                flows,
                row_prices,
                prices,
                floats[n + m :],
                bases,
                lengths,
                rows,
                reached_by,
                columns,
                reached_from,
            )
            for t in range(n_reached):
                row_prices[rows[t]] += shortest - bases[t]
            for t in range(n_scanned):
                prices[columns[t]] += lengths[t] - shortest
            amount = supplies[row]
            if last_column != NOBODY:
                amount = min(amount, free[last_column])
            i = last_row
            while i != row:
                amount = min(amount, flows[reached_by[i] * n + i])
                i = reached_from[reached_by[i]]
            supplies[row] -= amount
            if last_column == NOBODY:
                left[last_row] += amount
            else:
                free[last_column] -= amount
                flows[last_column * n + last_row] += amount
            i = last_row
            while i != row:
                j = reached_by[i]
                flows[j * n + i] -= amount
                i = reached_from[j]
                flows[j * n + i] += amount


@loop
def _search(
    row: int,
    costs: Floats,
    row_costs: Floats,
    free: Ints,
    flows: Ints,
    row_prices: Floats,
    prices: Floats,
    floats: Floats,
    bases: Floats,
    lengths: Floats,
    rows: Ints,
    reached_by: Ints,
    columns: Ints,
    reached_from: Ints,
) -> tuple[float, int, int, int, int]:
    """Return the length of the shortest path from a row, its last row and column.

    A path goes from a row to a column, from there to a row that supplies it, and so on,
    by Dijkstra's algorithm. It ends at a free column, or at a row that leaves as much,
    column NOBODY. Also return how many rows it reached, at ``bases``, and how many
    columns it scanned, at ``lengths``. A column is scanned once; from then on nobody
    offers anything for it, and it is never the nearest again.
    """
    n, m = row_prices.shape[0], prices.shape[0]
    distances, offered = floats[:m], floats[m : 2 * m]
    for j in range(m):
        distances[j], offered[j] = math.inf, prices[j]
    for i in range(n):
        reached_by[i] = NOBODY
    rows[0], bases[0], reached_by[row] = row, 0.0, ITSELF
    n_reached, n_expanded, n_scanned = 1, 0, 0
    shortest, last_row = math.inf, row
    while True:
        while n_expanded < n_reached:
            i = rows[n_expanded]
            base, first = bases[n_expanded] - row_prices[i], i * m
            n_expanded += 1
            if base + row_costs[i] < shortest:
                shortest, last_row = base + row_costs[i], i
            for j in range(m):
                distance = base + (costs[first + j] - offered[j])
                closer = distance < distances[j]
                reached_from[j] = i if closer else reached_from[j]
                distances[j] = distance if closer else distances[j]
        least, nearest = shortest, NOBODY
        for j in range(m):
            if distances[j] < least:
                least, nearest = distances[j], j
        if nearest == NOBODY:
            return shortest, last_row, NOBODY, n_reached, n_scanned
        if free[nearest] > 0:
            return least, reached_from[nearest], nearest, n_reached, n_scanned
        columns[n_scanned], lengths[n_scanned] = nearest, least
        n_scanned += 1
        offered[nearest], distances[nearest] = -math.inf, math.inf
        for i in range(n):
            if flows[nearest * n + i] > 0 and reached_by[i] == NOBODY:
                rows[n_reached], bases[n_reached] = i, least
                reached_by[i] = nearest
                n_reached += 1


@loop
def _compare(
    rows: Floats, row_counts: Ints, columns: Floats, column_counts: Ints
) -> int:
    """Return 0 for equal diagrams; else one of -1 and 1, so that one goes first."""
    if rows.shape[0] != columns.shape[0]:
        return -1 if rows.shape[0] < columns.shape[0] else 1
    for k in range(rows.shape[0]):
        if rows[k] != columns[k]:
            return -1 if rows[k] < columns[k] else 1
    for i in range(row_counts.shape[0]):
        if row_counts[i] != column_counts[i]:
            return -1 if row_counts[i] < column_counts[i] else 1
    return 0
