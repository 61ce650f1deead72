"""The sample of the consolidated diagram on which a codebook is learnt.

The consolidated diagram is every training point in birth-persistence coordinates, in
the order of the diagrams. It may come in blocks; what is drawn depends on the seed and
the points alone, not on where the blocks are cut:

* uniform: the points with the smallest keys, the key of point i being draw i of a
  counter-based generator, so that each block can find its own candidates;
* by weight: whole-number weights with exact running sums, and draws uniform in them.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate

import numpy as np
from numpy.typing import NDArray

from pbow.compute.random import fill_bits, stream_of
from pbow.compute.select import (
    N_BINS,
    add_bins,
    keep_bins,
    keep_small_keys,
    pick,
    total_weight,
)
from pbow.diagrams import Diagrams
from pbow.weighting import Ramp

__all__ = ["draw_sample", "persistence_ramp"]

Floats = NDArray[np.float64]

# What a stream of random numbers is for; every purpose has its own.
FOR_SAMPLING = 0


def persistence_ramp(
    blocks: Sequence[Diagrams], quantiles: tuple[float | None, float]
) -> Ramp:
    """Return the ramp between two quantiles of the points' persistence.

    Parameters
    ----------
    blocks : sequence of Diagrams
        One-part collections without essential points, and with at least one point.
    quantiles : (float or None, float)
        Probabilities; the quantiles are Hazen's, which Matlab computes. None: the ramp
        starts at persistence 0.

    Returns
    -------
    ramp : Ramp

    Examples
    --------
    >>> from pbow import Diagrams
    >>> from pbow.sampling import persistence_ramp
    >>> X = Diagrams.from_list([[[0, 1], [0, 2]], [[0, 3], [0, 4]]])
    >>> persistence_ramp([X], (0.25, 0.75))
    Ramp(low=1.5, high=3.5)
    """
    n = sum(len(block.points) for block in blocks)
    places = [min(max(n * q - 0.5, 0.0), n - 1.0) for q in quantiles if q is not None]
    ranks = sorted({rank for h in places for rank in (int(h), min(int(h) + 1, n - 1))})
    ordered = dict(zip(ranks, _order_statistics(blocks, ranks), strict=True))
    limits = [
        _between(ordered[int(h)], ordered[min(int(h) + 1, n - 1)], h - int(h))
        for h in places
    ]
    low, high = limits if len(limits) == 2 else (0.0, *limits)
    return Ramp(low, max(low, high))


def draw_sample(
    blocks: Sequence[Diagrams], size: int | None, *, ramp: Ramp | None, seed: int
) -> Floats:
    """Draw points of the consolidated diagram.

    Parameters
    ----------
    blocks : sequence of Diagrams
        One-part collections without essential points, and with at least one point.
    size : int or None
        Draw this many points, or as many as there are, if that is less or None.
    ramp : Ramp or None
        Draw with replacement and probability proportional to this weight of the
        persistence; None draws uniformly and without replacement.
    seed : int
        Decides the draw, together with the points.

    Returns
    -------
    sample : ndarray of shape (n_drawn, 2)
        Birth and persistence, in the order of the consolidated diagram.

    Examples
    --------
    >>> from pbow import Diagrams
    >>> from pbow.sampling import draw_sample
    >>> X = Diagrams.from_list([[[0, 1], [1, 2]], [[2, 4]]])
    >>> draw_sample([X], None, ramp=None, seed=0)
    array([[0., 1.],
           [1., 1.],
           [2., 2.]])
    >>> whole = draw_sample([X], 2, ramp=None, seed=0)
    >>> bool((whole == draw_sample([X[:1], X[1:]], 2, ramp=None, seed=0)).all())
    True
    """
    n = sum(len(block.points) for block in blocks)
    size = n if size is None else min(size, n)
    stream = stream_of(seed, FOR_SAMPLING)
    if ramp is not None:
        drawn = _draw_by_weight(blocks, size, ramp, stream)
    elif size == n:
        drawn = [block.points for block in blocks]
    else:
        drawn = _draw_uniformly(blocks, size, n, stream)
    sample = np.concatenate(drawn)
    sample[:, 1] -= sample[:, 0]
    return sample


def _draw_uniformly(
    blocks: Sequence[Diagrams], size: int, n: int, stream: np.uint64
) -> list[Floats]:
    # Keys are uniform: a little more than the expected share holds the smallest `size`
    # but for a chance of 1e-9; then the share is doubled.
    share = (size + 6.0 * np.sqrt(size) + 20.0) / n
    while True:
        limit = np.uint64(min(share * 2.0**64, 2.0**64 - 2048.0))
        found = [
            _small_keys(stream, first, len(block.points), limit, share)
            for block, first in zip(blocks, _starts(blocks), strict=True)
        ]
        keys = np.concatenate([keys for keys, _ in found])
        if len(keys) >= size:
            break
        share *= 2.0
    largest = np.partition(keys, size - 1)[size - 1]
    return [
        block.points[rows[keys <= largest]]
        for block, (keys, rows) in zip(blocks, found, strict=True)
    ]


def _small_keys(
    stream: np.uint64, first: int, n: int, limit: np.uint64, share: float
) -> tuple[NDArray[np.uint64], NDArray[np.int64]]:
    room = int(min(n, share * n * 1.5 + 100.0))
    while True:
        keys, rows = np.empty(room, np.uint64), np.empty(room, np.int64)
        found = keep_small_keys(stream, first, n, limit, keys, rows)
        if found <= room:
            return keys[:found], rows[:found]
        room = found


def _draw_by_weight(
    blocks: Sequence[Diagrams], size: int, ramp: Ramp, stream: np.uint64
) -> list[Floats]:
    totals = [total_weight(block.points, ramp.low, ramp.high) for block in blocks]
    reached = np.concatenate(([0], np.cumsum(totals)), dtype=np.int64)
    bits = np.empty(size, np.uint64)
    fill_bits(stream, bits)
    # The remainder favors small numbers by at most (sum of weights) / 2**64.
    draws = np.sort((bits % np.uint64(reached[-1])).astype(np.int64))
    cuts = np.searchsorted(draws, reached)
    drawn = []
    for block, before, start, stop in zip(
        blocks, reached[:-1], cuts[:-1], cuts[1:], strict=True
    ):
        rows = np.empty(stop - start, np.int64)
        pick(block.points, ramp.low, ramp.high, before, draws[start:stop], rows)
        drawn.append(block.points[rows])
    return drawn


def _order_statistics(blocks: Sequence[Diagrams], ranks: Sequence[int]) -> list[float]:
    """Return the persistences of the given ranks: two passes, no sorting of all."""
    counts = np.zeros(N_BINS, np.int64)
    for block in blocks:
        add_bins(block.points, counts)
    below = np.concatenate(([0], np.cumsum(counts)))
    bins = np.searchsorted(below, ranks, side="right") - 1
    wanted = np.zeros(N_BINS, np.bool_)
    wanted[bins] = True
    values = np.empty(int(counts[wanted].sum()))
    n = 0
    for block in blocks:
        n += keep_bins(block.points, wanted, values[n:])
    # A rank among the kept values: less what lies in lower bins that were not kept.
    kept_below = np.concatenate(([0], np.cumsum(np.where(wanted, counts, 0))))
    places = [
        rank - below[b] + kept_below[b] for rank, b in zip(ranks, bins, strict=True)
    ]
    values.partition(places)
    return [float(values[place]) for place in places]


def _between(low: float, high: float, share: float) -> float:
    # Rounding must not lead past the higher one: no point might be left above a ramp.
    return min(low + share * (high - low), high)


def _starts(blocks: Sequence[Diagrams]) -> list[int]:
    sizes = [len(block.points) for block in blocks]
    return list(accumulate(sizes, initial=0))[:-1]
