"""k-means in the plane: k-means++ seeding and Lloyd's iterations.

``points`` is (n, 2), already in the coordinates in which distances are taken.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from pbow.compute.allowance import Allowance
from pbow.compute.assign import BLOCK, INFINITY, scan_block
from pbow.compute.jit import inlined, interpreted, is_compiled, loop
from pbow.compute.random import draw_unit, fill_units
from pbow.compute.sums import sum_between, sum_of
from pbow.compute.tiles import ROUNDED, TILE, Tiles

__all__ = ["choose_seeding", "lloyd", "seed_plusplus"]

Floats = NDArray[np.float64]
Seeding = Callable[..., int]

# A quarter, and less by far more than rounding errors.
QUARTER = 0.25 * (1.0 - 1e-9)
# Squares below this have lost digits.
SMALLEST_SQUARE = 1e-290
# With fewer, distances between the words take longer than what they save.
POINTS_PER_WORD = 8
FURTHER = 1.0 + ROUNDED
# Unsigned: an index that may be negative is compared twice.
ZERO, TILE_U, BLOCK_U = np.uint64(0), np.uint64(TILE), np.uint64(BLOCK)
# Distances that numpy computes while a word is chosen, in all: a tenth of a second.
IN_NUMPY = Allowance(2e7)


def seed_plusplus(
    points: Floats,
    tiles: Tiles,
    stream: np.uint64,
    n_trials: int,
    words: Floats,
    words_per_call: int,
    add_words: Seeding | None = None,
) -> int:
    """Choose ``words`` among ``points`` by squared distances, greedily.

    The first is drawn at random. For each other, ``n_trials`` candidates are drawn,
    with probabilities proportional to the squared distance to the nearest word chosen
    before; the one that leaves the least sum of such distances is taken. Returns how
    many could be chosen: fewer than ``len(words)`` means that there are no more
    distinct points. Cost: n * n_words, and as many for each candidate as points are
    nearer to it than to a word; compiled calls end after ``words_per_call``.
    ``add_words`` is what :func:`choose_seeding` returns.
    """
    n, n_words, n_tiles = len(points), len(words), len(tiles.boxes)
    # Coordinates apart: the compiler does not vectorize over pairs.
    x, y = np.ascontiguousarray(points.T)
    squared, nearer = np.full(n, np.inf), np.empty(BLOCK)
    block_sums = np.empty(-(-n // BLOCK))
    # The last point of the tiles, once more, cannot be nearer to a word.
    in_tiles, most = np.zeros(n_tiles * TILE), np.full(n_tiles, np.inf)
    in_tiles[:n] = np.inf
    chosen = np.full(n_words + 1, -1)
    add_words = add_words or choose_seeding(n * n_words * (1 + n_trials))
    n_found = 0
    for first in range(0, n_words, words_per_call):
        last = min(first + words_per_call, n_words)
        n_found = add_words(
            *(x, y, tiles, stream, n_trials, first, last),
            *(squared, nearer, block_sums, in_tiles, most, chosen),
        )
        if n_found < n_words and chosen[n_found] < 0:
            break
    words[:n_found] = points[chosen[:n_found]]
    return n_found


def choose_seeding(work: int, allowance: Allowance = IN_NUMPY) -> Seeding:
    """Return the loop, or numpy as long as that is done before the loop is compiled."""
    seed: Seeding = _seed
    return (
        seed
        if is_compiled(_add_words) or not allowance.covers(work)
        else _seed_in_numpy
    )


def _seed(
    x: Floats,
    y: Floats,
    tiles: Tiles,
    stream: np.uint64,
    n_trials: int,
    first: int,
    last: int,
    squared: Floats,
    nearer: Floats,
    block_sums: Floats,
    in_tiles: Floats,
    most: Floats,
    chosen: NDArray[np.int64],
) -> int:
    """Add words ``first:last`` by the compiled loop, see :func:`_add_words`."""
    candidates, gains = np.empty(n_trials, np.int64), np.empty(n_trials)
    lowest, near = np.empty(len(most)), np.zeros(len(most), np.uint64)
    n_found: int = _add_words(
        *(x, y, stream, first, last, squared, nearer, block_sums),
        *(*tiles, in_tiles, most, lowest, near, candidates, gains, chosen),
    )
    return n_found


@loop
def _add_words(
    x: Floats,
    y: Floats,
    stream: np.uint64,
    first: int,
    last: int,
    squared: Floats,
    nearer: Floats,
    block_sums: Floats,
    tiled_x: Floats,
    tiled_y: Floats,
    boxes: Floats,
    in_tiles: Floats,
    most: Floats,
    lowest: Floats,
    near: NDArray[np.uint64],
    candidates: NDArray[np.int64],
    gains: Floats,
    chosen: NDArray[np.int64],
) -> int:
    """Add words ``first:last`` and choose the one after each; return how many.

    Ends early, with nothing chosen, where all points are words.
    ``squared`` are distances to the words so far, and ``block_sums`` parts of their
    sum; ``in_tiles`` are the same distances in the order of the tiles, and at most
    ``most`` in each of them. Other arguments are scratch.
    """
    n, n_trials = x.shape[0], candidates.shape[0]
    if first == 0:
        chosen[0] = min(int(draw_unit(stream, np.uint64(0)) * n), n - 1)
    for k in range(first, last):
        smallest = INFINITY
        # The word itself comes first, then candidates that tiles do not decide between:
        # the loop over points is there once, and compiled once.
        for trial in range(-1, n_trials):
            word = chosen[k] if trial < 0 else candidates[trial]
            to_x, to_y = x[word], y[word]
            left = 0.0
            for block in range(block_sums.shape[0]):
                low, size = np.uint64(block) * BLOCK_U, min(BLOCK, n - block * BLOCK)
                for i in range(size):
                    point = low + np.uint64(i)
                    dx, dy = x[point] - to_x, y[point] - to_y
                    d, before = dx * dx + dy * dy, squared[point]
                    nearer[i] = d if d < before else before
                part = sum_between(nearer, ZERO, np.uint64(size))
                left += part
                if trial < 0:
                    block_sums[block] = part
                    for i in range(size):
                        squared[low + np.uint64(i)] = nearer[i]
            if trial >= 0:
                if left < smallest:
                    smallest, chosen[k + 1] = left, word
                continue
            # The last entry of all is not a word.
            if k + 2 == chosen.shape[0]:
                break
            if not left > 0.0:
                return k + 1
            _draw_candidates(stream, k, left, squared, block_sums, candidates)
            _find_gains(
                x,
                y,
                word,
                tiled_x,
                tiled_y,
                boxes,
                in_tiles,
                most,
                lowest,
                near,
                nearer,
                candidates,
                gains,
            )
            chosen[k + 1] = word
            best = _clear_best(x, y, candidates, gains, ROUNDED * left)
            if best >= 0:
                chosen[k + 1] = candidates[best]
                break
    return last


@inlined
def _draw_candidates(
    stream: np.uint64,
    k: int,
    total: float,
    squared: Floats,
    block_sums: Floats,
    candidates: NDArray[np.int64],
) -> None:
    """Draw points with probabilities proportional to ``squared``."""
    for i in range(candidates.shape[0]):
        share = draw_unit(stream, np.uint64(1 + k * candidates.shape[0] + i))
        candidates[i] = _walk_to(share * total, squared, block_sums)


@inlined
def _find_gains(
    x: Floats,
    y: Floats,
    word: int,
    tiled_x: Floats,
    tiled_y: Floats,
    boxes: Floats,
    in_tiles: Floats,
    most: Floats,
    lowest: Floats,
    near: NDArray[np.uint64],
    scratch: Floats,
    candidates: NDArray[np.int64],
    gains: Floats,
) -> None:
    """Add a word to the tiles; find by how much candidates would lessen the sum then.

    Only in tiles with points that may be nearer to them than to the words so far.
    """
    for trial in range(-1, candidates.shape[0]):
        at = word if trial < 0 else candidates[trial]
        to_x, to_y = x[at], y[at]
        for i in range(most.shape[0]):
            dx, dy = abs(to_x - boxes[i, 0]), abs(to_y - boxes[i, 1])
            far_x, far_y = dx + boxes[i, 2], dy + boxes[i, 3]
            near_x, near_y = dx - boxes[i, 2], dy - boxes[i, 3]
            near_x = near_x if near_x > 0.0 else 0.0
            near_y = near_y if near_y > 0.0 else 0.0
            lowest[i] = near_x * near_x + near_y * near_y
            if trial < 0:
                far = (far_x * far_x + far_y * far_y) * FURTHER
                lowest[i] = lowest[i] if lowest[i] < most[i] else INFINITY
                most[i] = far if far < most[i] else most[i]
        n_near = 0
        for i in range(most.shape[0]):
            near[n_near] = np.uint64(i)
            n_near += not lowest[i] > most[i] * FURTHER
        for t in range(TILE):
            scratch[t] = 0.0
        for j in range(n_near):
            low = near[j] * TILE_U
            for i in range(TILE):
                t = low + np.uint64(i)
                dx, dy = tiled_x[t] - to_x, tiled_y[t] - to_y
                d = dx * dx + dy * dy
                before = in_tiles[t]
                after = d if d < before else before
                if trial < 0:
                    in_tiles[t] = after
                else:
                    scratch[i] += before - after
        if trial >= 0:
            gains[trial] = sum_between(scratch, ZERO, TILE_U)


@inlined
def _clear_best(
    x: Floats,
    y: Floats,
    candidates: NDArray[np.int64],
    gains: Floats,
    rounded: float,
) -> int:
    """Return the candidate that gains most, or -1 where rounding might decide."""
    best = 0
    for i in range(1, gains.shape[0]):
        if gains[i] > gains[best]:
            best = i
    for i in range(gains.shape[0]):
        a, b = candidates[i], candidates[best]
        if not gains[best] - gains[i] > rounded and (x[a] != x[b] or y[a] != y[b]):
            return -1
    return best


def _seed_in_numpy(
    x: Floats,
    y: Floats,
    _tiles: Tiles,
    stream: np.uint64,
    n_trials: int,
    first: int,
    last: int,
    squared: Floats,
    _nearer: Floats,
    block_sums: Floats,
    _in_tiles: Floats,
    _most: Floats,
    chosen: NDArray[np.int64],
) -> int:
    """Do what :func:`_seed` does, bit for bit, without compiling."""
    n = len(x)
    draws = np.empty(n_trials)
    walk_to = interpreted(_walk_to)

    def squared_with(word: int) -> Floats:
        dx, dy = x - x[word], y - y[word]
        nearer: Floats = np.minimum(dx * dx + dy * dy, squared)
        return nearer

    if first == 0:
        fill_units(stream, draws)
        chosen[0] = min(int(draws[0] * n), n - 1)
    for k in range(first, last):
        squared[:] = squared_with(chosen[k])
        block_sums[:] = _sums_of_blocks(squared)
        total = _in_order(block_sums)
        if k + 2 == len(chosen):
            break
        if not total > 0.0:
            return k + 1
        fill_units(stream, draws, 1 + k * n_trials)
        words = [walk_to(share * total, squared, block_sums) for share in draws]
        left = [_in_order(_sums_of_blocks(squared_with(word))) for word in words]
        best = int(np.argmin(left))
        chosen[k + 1] = words[best] if left[best] < INFINITY else chosen[k]
    return last


def _sums_of_blocks(values: Floats) -> Floats:
    """Return the sum of every BLOCK values, in the order of ``sum_of``."""
    n_blocks, n_eights = -(-len(values) // BLOCK), len(values) // 8
    eights = np.zeros((n_blocks, BLOCK // 8, 8))
    eights.reshape(-1)[: 8 * n_eights] = values[: 8 * n_eights]
    sums = np.add.accumulate(eights, axis=1)[:, -1]
    for rest in values[8 * n_eights :]:
        sums[-1, 0] += rest
    pairs = sums[:, :4] + sums[:, 4:]
    found: Floats = (pairs[:, 0] + pairs[:, 1]) + (pairs[:, 2] + pairs[:, 3])
    return found


def _in_order(values: Floats) -> float:
    """Return their sum, added one after another, as np.sum does not."""
    return float(np.add.accumulate(values)[-1])


@inlined
def _walk_to(rest: float, squared: Floats, block_sums: Floats) -> int:
    """Walk the block sums, then the points of one block, to a share of their sum."""
    block = 0
    while block < block_sums.shape[0] - 1 and rest >= block_sums[block]:
        rest -= block_sums[block]
        block += 1
    chosen = -1
    for i in range(block * BLOCK, min(squared.shape[0], (block + 1) * BLOCK)):
        if squared[i] > 0.0:
            chosen = i
            if rest < squared[i]:
                break
            rest -= squared[i]
    if chosen < 0:
        # Rounding has led to a block without weight: the furthest point instead.
        chosen = 0
        for i in range(squared.shape[0]):
            if squared[i] > squared[chosen]:
                chosen = i
    return chosen


def lloyd(
    points: Floats,
    words: Floats,
    max_iter: int,
    tolerance: float,
    labels: NDArray[np.int32],
    points_per_call: int,
) -> tuple[float, int]:
    """Move ``words`` to the means of their points until nothing changes.

    Stops when no label changes, when the sum of squared distances falls by less than
    ``tolerance`` of itself, or after ``max_iter`` rounds. A word without points
    restarts at the point furthest from its word. Returns that sum for the final words,
    and the number of rounds. Cost of a round: n * n_words distances; compiled calls end
    after ``points_per_call``, rounded up to whole blocks.
    """
    squared, sums = np.empty(len(points)), np.zeros((len(words), 3))
    reach = np.zeros(len(words))
    floats, marks = np.empty((4, BLOCK)), np.empty((2, BLOCK), np.uint64)
    step = -(-points_per_call // BLOCK) * BLOCK

    previous, inertia, rounds = np.inf, np.inf, -1
    while rounds < max_iter:
        rounds += 1
        inertia, n_changed = 0.0, 0
        for start in range(0, len(points), step):
            # Words move once in a round, and not in the first one.
            moves = rounds > 0 and start == 0
            inertia, changed = _move_and_assign(
                *(points, start, min(start + step, len(points)), words, moves),
                *(reach, floats, marks, labels, squared, sums, inertia),
            )
            n_changed += changed
        if rounds == 0:
            continue
        if n_changed == 0 or previous - inertia <= tolerance * inertia:
            break
        previous = inertia
    return inertia, rounds


@loop
def _move_and_assign(
    points: Floats,
    start: int,
    stop: int,
    words: Floats,
    moves: bool,  # noqa: FBT001
    reach: Floats,
    floats: Floats,
    marks: NDArray[np.uint64],
    labels: NDArray[np.int32],
    squared: Floats,
    sums: Floats,
    inertia: float,
) -> tuple[float, int]:
    """Label points ``start:stop``; add their squared distances, count the changes.

    A point nearer to the word of its label than ``reach`` (squared) keeps it; others
    are compared with all words. Add to ``sums[k]`` the differences of its points from
    word k, and their number. ``floats`` and ``marks`` are scratch for BLOCK points. If
    ``moves``, words are moved first, see :func:`_move`. Not in a function of its own:
    that would take longer to compile, and as long to call as a move takes.
    """
    if moves:
        _move(points, squared, sums, words, reach)
    x, y = floats[0], floats[1]
    smallest, nearest = floats[2], floats[3]
    is_open, which = marks[0], marks[1]
    n_changed = 0
    for low in range(start, stop, BLOCK):
        size = min(BLOCK, stop - low)
        some, known, distances = points[low:], labels[low:], squared[low:]
        # Unsigned: an index that may be negative is compared twice.
        for t in range(size):
            k = np.uint64(known[t])
            dx, dy = some[t, 0] - words[k, 0], some[t, 1] - words[k, 1]
            distances[t] = dx * dx + dy * dy
            is_open[t] = distances[t] >= reach[k]
        # No branches: a processor would guess wrong at every third point.
        end = np.uint64(0)
        for t in range(size):
            x[end], y[end], which[end] = some[t, 0], some[t, 1], np.uint64(t)
            end += is_open[t]
        n_open = int(end)
        scan_block(words, n_open, floats)
        for t in range(n_open):
            at, label = which[t], np.int32(nearest[t])
            n_changed += known[at] != label
            known[at] = label
            distances[at] = smallest[t]
        for t in range(size):
            k = np.uint64(known[t])
            # Relative to the word: sums stay small, and their rounding too.
            sums[k, 0] += some[t, 0] - words[k, 0]
            sums[k, 1] += some[t, 1] - words[k, 1]
            sums[k, 2] += 1.0
        inertia += sum_of(distances[:size])
    return inertia, n_changed


@inlined
def _move(
    points: Floats, squared: Floats, sums: Floats, words: Floats, reach: Floats
) -> None:
    """Move each word to the mean of its points; restart those that have none.

    Sets ``sums`` to 0, and ``reach`` to the square of half the distance to the nearest
    other word: a point nearer than that has no other nearest word. Where finding these
    distances is not worth its time, it stays 0.
    """
    n, n_words = points.shape[0], words.shape[0]
    for k in range(n_words):
        if sums[k, 2] > 0.0:
            words[k, 0] += sums[k, 0] / sums[k, 2]
            words[k, 1] += sums[k, 1] / sums[k, 2]
    for k in range(n_words):
        if sums[k, 2] == 0.0:
            furthest = 0
            for i in range(n):
                if squared[i] > squared[furthest]:
                    furthest = i
            words[k, 0], words[k, 1] = points[furthest, 0], points[furthest, 1]
            squared[furthest] = 0.0  # so that two empty words do not meet
        sums[k, 0], sums[k, 1], sums[k, 2] = 0.0, 0.0, 0.0
    n_near = n_words if n_words * POINTS_PER_WORD <= n else 0
    for k in range(n_near):
        reach[k] = INFINITY
    # Each pair twice: so the loop inside is vectorized.
    for j in range(n_near):
        to_x, to_y, but_itself = words[j, 0], words[j, 1], reach[j]
        for k in range(n_near):
            dx, dy = words[k, 0] - to_x, words[k, 1] - to_y
            d = dx * dx + dy * dy
            reach[k] = d if d < reach[k] else reach[k]
        reach[j] = but_itself
    for k in range(n_near):
        d = QUARTER * reach[k]
        # What has lost its digits reaches nothing.
        reach[k] = d if d > SMALLEST_SQUARE else 0.0
