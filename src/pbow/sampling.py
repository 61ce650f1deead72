"""The sample of the consolidated diagram on which a codebook is learnt.

The consolidated diagram is every training point in birth-persistence coordinates, in
the order of the diagrams. It may come in blocks; what is drawn depends on the seed and
the points alone, not on where the blocks are cut, as each block finds its own
candidates and the candidates of all blocks are merged:

* uniform: the points with the smallest keys, the key of point i being draw i of a
  counter-based generator;
* by weight: every point in as many copies as a Poisson variable says, whose mean is
  proportional to the weight, and of all copies those with the smallest keys. Given how
  many copies there are, they are independent draws by weight, with replacement.

Quantiles are exact, and take two passes: the first counts persistences by their upper
bits, the second collects those near the quantiles. If too many of these are different,
the second counts them by further bits, and a third collects those that are nearer. As
the draw by weight is made in that third pass, its ramp is between limits that are
rounded to the bits that are known by then, seven digits at least.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from itertools import accumulate
from math import sqrt
from typing import Any, ClassVar, NamedTuple, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from pbow.compute.random import stream_of
from pbow.compute.select import (
    N_BINS,
    OFFSET_BITS,
    SHIFT,
    add_bins,
    keep_bins,
    keep_small_keys,
    thin,
)
from pbow.diagrams import Diagrams
from pbow.weighting import Ramp

__all__ = ["draw_sample", "persistence_ramp"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
T = TypeVar("T")

# What a stream of random numbers is for; every purpose has its own.
FOR_SAMPLING = 0
LARGEST_KEY = 2.0**64 - 2048.0

# Different persistences near the quantiles that are collected at most.
MOST_VALUES = 1 << 20
# By how many further bits they are counted, if there are more.
DEPTH = 20
FINE_SHIFT = SHIFT - DEPTH


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
    points = [block.points for block in blocks]
    search = QuantileSearch.of(merged(map(Histogram.of, points)), quantiles)
    return search.ramp(merged(map(search.keep, points)))


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

    Raises
    ------
    ValueError
        If the ramp is 0 at every point.

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
    points = [block.points for block in blocks]
    draw = Draw.uniform(sum(map(len, points)), size, seed)
    if ramp is not None:
        bins = merged(map(Histogram.of, points))
        kept = merged(map(ValuesIn.bins_of(ramp, bins).keep, points))
        draw = draw.by_weight(ramp, total_weight(ramp, bins, kept))
    starts = list(accumulate(map(len, points), initial=0))[:-1]
    return draw.sample(
        lambda draw: merged(
            draw.candidates(some, first)
            for some, first in zip(points, starts, strict=True)
        )
    )


def merged(summaries: Iterable[T]) -> T:
    """Add up the summaries of blocks, in their order.

    Like with like, as in a tree: what has grown is added to seldom.
    """
    reached: list[tuple[int, Any]] = []
    for summary in summaries:
        size, total = 1, summary
        while reached and reached[-1][0] == size:
            total = reached.pop()[1] + total
            size *= 2
        reached.append((size, total))
    totals = [total for _, total in reversed(reached)]
    result: T = reduce(lambda right, left: left + right, totals)
    return result


class Histogram(NamedTuple):
    """Persistences by their upper bits: counts, and sums of the next lower bits.

    Only bins that are not empty are listed: a small thing to send.
    """

    places: Ints
    bins: Ints

    @classmethod
    def of(cls, points: Floats) -> Self:
        """Count the points of a block."""
        bins = np.zeros((N_BINS, 2), np.int64)
        add_bins(points, bins)
        places = np.flatnonzero(bins[:, 0])
        return cls(places, bins[places])

    def __add__(self, other: Self) -> Self:  # type: ignore[override]
        places, at = np.unique(
            np.concatenate((self.places, other.places)), return_inverse=True
        )
        bins = np.zeros((len(places), 2), np.int64)
        np.add.at(bins, at, np.concatenate((self.bins, other.bins)))
        return type(self)(places, bins)


class Values(NamedTuple):
    """Different numbers in increasing order, and how often each is there.

    Where there are more than `most`, sums of them are :class:`FineBins`. Whether they
    are depends on all the numbers, not on where these are cut.
    """

    values: Floats
    counts: Ints
    most: int = sys.maxsize

    def __add__(self, other: Any) -> Any:
        if isinstance(other, FineBins):
            return self.fine_bins() + other
        values, at = np.unique(
            np.concatenate((self.values, other.values)), return_inverse=True
        )
        counts = np.zeros(len(values), np.int64)
        np.add.at(counts, at, np.concatenate((self.counts, other.counts)))
        return Values(values, counts, self.most).limited()

    def limited(self) -> Values | FineBins:
        """Return them as they are, if they are few."""
        return self if len(self.values) <= self.most else self.fine_bins()

    def fine_bins(self) -> FineBins:
        """Count them by more bits than a histogram does."""
        places, starts = np.unique(_bins(self.values, FINE_SHIFT), return_index=True)
        if not len(places):
            return FineBins(places, np.empty((0, 2), np.int64))
        bits = _bins(self.values, FINE_SHIFT - OFFSET_BITS)
        lower = self.counts * (bits & ((1 << OFFSET_BITS) - 1))
        bins = [np.add.reduceat(sums, starts) for sums in (self.counts, lower)]
        return FineBins(places, np.column_stack(bins))


class FineBins(Histogram):
    """Persistences in some bins of a histogram, by more of their bits."""

    def __add__(self, other: Any) -> Any:
        fine = other.fine_bins() if isinstance(other, Values) else other
        return super().__add__(fine)

    def elsewhere(self, histogram: Histogram) -> Histogram:
        """Return the bins of the histogram that these do not refine."""
        left = ~np.isin(histogram.places, self.places >> DEPTH)
        return Histogram(histogram.places[left], histogram.bins[left])


@dataclass(frozen=True)
class ValuesIn:
    """Collects the persistences in some bins, of which there are so many."""

    places: Ints
    n_values: int

    @classmethod
    def bins_of(cls, ramp: Ramp, histogram: Histogram) -> ValuesIn:
        """Take the bins in which a ramp is bent."""
        there = np.isin(histogram.places, _bent_bins(ramp))
        return cls(histogram.places[there], int(histogram.bins[there, 0].sum()))

    def keep(self, points: Floats) -> Values:
        """Collect those of a block."""
        wanted = np.zeros(N_BINS, np.bool_)
        wanted[self.places] = True
        # Room for all, unless the points have changed, which is found out later.
        out = np.empty(min(self.n_values, len(points)))
        n = keep_bins(points, wanted, out)
        return Values(*np.unique(out[:n], return_counts=True))


@dataclass(frozen=True)
class QuantileSearch(ValuesIn):
    """Where Hazen's quantiles of the persistence lie, known from a histogram."""

    shift: ClassVar[int] = SHIFT

    quantiles: tuple[float | None, float]
    n_points: int
    # Of the points in lower bins, those that are not collected.
    left_out: Ints
    most: int

    @classmethod
    def of(
        cls,
        histogram: Histogram,
        quantiles: tuple[float | None, float],
        most: int = MOST_VALUES,
    ) -> Self:
        """Find the bins."""
        counts = histogram.bins[:, 0]
        below = np.concatenate(([0], np.cumsum(counts)))
        n = int(below[-1])
        ranks = [r for q in quantiles if q is not None for r, _ in _ranks(n, q)]
        at = np.unique(np.searchsorted(below, ranks, side="right") - 1)
        collected = np.zeros(len(counts), np.bool_)
        collected[at] = True
        left_out = np.cumsum(np.where(collected, 0, counts))[at]
        n_values = int(counts[at].sum())
        return cls(histogram.places[at], n_values, quantiles, n, left_out, most)

    def keep_or_count(self, points: Floats) -> Values | FineBins:
        """Collect those of a block, or count them by further bits if they are many."""
        return self.keep(points)._replace(most=self.most).limited()

    def ramp(self, kept: Values) -> Ramp:
        """Return the ramp between the quantiles, given what was collected."""
        reached = np.cumsum(kept.counts)
        # Ranks among all points: those left out in lower bins come before.
        bins = np.searchsorted(self.places, _bins(kept.values, self.shift))
        reached = reached + self.left_out[bins]
        low, high = (
            0.0 if q is None else self._quantile(kept.values, reached, q)
            for q in self.quantiles
        )
        return Ramp(low, max(low, high))

    def _quantile(self, values: Floats, reached: Ints, q: float) -> float:
        (i, share), (j, _) = _ranks(self.n_points, q)
        low, high = values[np.searchsorted(reached, [i, j], side="right")]
        # Rounding must not lead past the higher one: no point might be left above.
        return float(min(low + share * (high - low), high))


@dataclass(frozen=True)
class FineSearch(QuantileSearch):
    """The same, known from finer bins, where there were too many to be collected."""

    shift: ClassVar[int] = FINE_SHIFT

    @classmethod
    def within(
        cls, search: QuantileSearch, histogram: Histogram, fine: FineBins
    ) -> Self:
        """Find the fine bins, given those that a search has found in its bins."""
        left = fine.elsewhere(histogram)
        places = np.concatenate((left.places << DEPTH, fine.places))
        order = np.argsort(places)
        both = Histogram(places[order], np.concatenate((left.bins, fine.bins))[order])
        return cls.of(both, search.quantiles, sys.maxsize)

    def rounded_ramp(self, fine: FineBins) -> Ramp:
        """Return the ramp between the quantiles, rounded down to where bins begin."""
        there = np.isin(fine.places, self.places)
        edges = _edges(fine.places[there], self.shift)
        ramp = self.ramp(Values(edges, fine.bins[there, 0]))
        # Between two bins there are no points, but there may be a quantile.
        limits = _bins(np.array([ramp.low, ramp.high]), self.shift)
        return Ramp(*_edges(limits, self.shift).tolist())

    def keep(self, points: Floats) -> Values:
        """Collect those of a block."""
        coarse = ValuesIn(np.unique(self.places >> DEPTH), len(points))
        values, counts, _ = coarse.keep(points)
        there = np.isin(_bins(values, self.shift), self.places)
        return Values(values[there], counts[there])


def total_weight(ramp: Ramp, histogram: Histogram, kept: Values | FineBins) -> float:
    """Add up the weights of all points, to some millionths.

    `kept` has at least the persistences in the bins in which the ramp is bent, or finer
    bins; in each of the others it is linear, and the sum follows from that of the
    persistences.
    """
    if isinstance(kept, FineBins):
        left = kept.elsewhere(histogram)
        return _sum_of_bins(ramp, left) + _sum_of_bins(ramp, kept, FINE_SHIFT)
    bent = _bent_bins(ramp)
    elsewhere = ~np.isin(histogram.places, bent)
    left = Histogram(histogram.places[elsewhere], histogram.bins[elsewhere])
    exact = np.isin(_bins(kept.values), bent)
    own = kept.counts[exact] @ _linear(ramp, kept.values[exact])
    return _sum_of_bins(ramp, left) + float(own)


def _sum_of_bins(ramp: Ramp, histogram: Histogram, shift: int = SHIFT) -> float:
    """Add up the weights of points in bins in which a ramp is linear."""
    n, lower = histogram.bins.T
    start, stop = (_edges(histogram.places + k, shift) for k in (0, 1))
    means = start + (stop - start) * (lower / (n * 2.0**OFFSET_BITS))
    return float(n @ _linear(ramp, means))


def _bent_bins(ramp: Ramp) -> Ints:
    # At 0 it starts with its bin, and is linear there.
    return _bins(np.array([limit for limit in (ramp.low, ramp.high) if limit > 0.0]))


def _linear(ramp: Ramp, persistence: Floats) -> Floats:
    return Ramp(ramp.low, ramp.high)(persistence)


class Candidates(NamedTuple):
    """Points that may be in a sample, in their order, and the key of each."""

    keys: NDArray[np.uint64]
    points: Floats

    def __add__(self, other: Self) -> Self:  # type: ignore[override]
        return type(self)(
            np.concatenate((self.keys, other.keys)),
            np.concatenate((self.points, other.points)),
        )

    def smallest(self, size: int) -> Candidates:
        """Keep those with the smallest keys."""
        if len(self.keys) <= size:
            return self
        largest = np.partition(self.keys, size - 1)[size - 1]
        chosen = self.keys <= largest
        return Candidates(self.keys[chosen], self.points[chosen])


@dataclass(frozen=True)
class Draw:
    """How a block finds its candidates: a small thing to send to it.

    Attributes
    ----------
    size : int
        How many points are drawn.
    seed : int
        Of the keys.
    share : float
        Points, or units of weight, are candidates with this probability; a little more
        than needed, so that all blocks together have too few once in 1e9 draws.
    ramp : Ramp or None
        The weight.
    """

    size: int
    seed: int
    share: float
    ramp: Ramp | None = None

    @classmethod
    def uniform(cls, n_points: int, size: int | None, seed: int) -> Draw:
        """Draw without replacement from so many points."""
        if size is None or size >= n_points:
            return cls(n_points, seed, 1.0)
        return cls(size, seed, _more_than(size) / n_points)

    def by_weight(self, ramp: Ramp, total: float) -> Draw:
        """Draw with replacement, of points with this sum of weights."""
        if not total > 0.0:
            msg = f"No point has a weight above 0 by {ramp}. Lower its limits."
            raise ValueError(msg)
        return Draw(self.size, self.seed, _more_than(self.size) / total, ramp)

    def widened(self) -> Draw:
        """Return the draw with twice as many candidates."""
        return replace(self, share=2.0 * self.share)

    def candidates(self, points: Floats, first: int) -> Candidates:
        """Find the candidates of a block, before which there are `first` points."""
        stream = stream_of(self.seed, FOR_SAMPLING)
        n = len(points)

        def list_them(keys: NDArray[np.uint64], rows: Ints) -> int:
            if self.ramp is None:
                limit = np.uint64(min(self.share * 2.0**64, LARGEST_KEY))
                if self.share >= 1.0:  # all of them, also where rounding ends before
                    limit = ~np.uint64(0)
                found = keep_small_keys(stream, first, n, limit, keys, rows)
            else:
                limits = self.ramp.low, self.ramp.high
                found = thin(points, first, *limits, self.share, stream, keys, rows)
            return int(found)

        if self.ramp is None and self.share >= 1.0:
            room = n
        else:
            # Of all blocks together about that many, and of this one not more.
            expected = min(self.share * n, _more_than(self.size))
            room = int(_more_than(expected))
        while True:
            keys, rows = np.empty(room, np.uint64), np.empty(room, np.int64)
            found = list_them(keys, rows)
            if found <= room:
                return Candidates(keys[:found], points[rows[:found]])
            room = found

    def sample(self, candidates: Callable[[Draw], Candidates]) -> Floats:
        """Return the sample, given a function that has all blocks find candidates."""
        draw = self
        while len((found := candidates(draw)).keys) < self.size:
            draw = draw.widened()
        return in_birth_persistence(found.smallest(self.size).points)


class Reservoir:
    """A uniform sample of points that come in blocks, by one pass over them.

    After each block it is the sample of all points so far.
    """

    def __init__(self, size: int | None, seed: int) -> None:
        self.size = size
        self.seed = seed
        self.n_points = 0
        self._found = Candidates(np.empty(0, np.uint64), np.empty((0, 2)))

    def add(self, points: Floats) -> None:
        """Take the next block."""
        # Of a block by itself at most as many as are drawn in all.
        draw = Draw.uniform(len(points), self.size, self.seed)
        while len((new := draw.candidates(points, self.n_points)).keys) < draw.size:
            draw = draw.widened()
        self.n_points += len(points)
        found = self._found + new if self._found.keys.size else new
        self._found = found if self.size is None else found.smallest(self.size)

    def sample(self) -> Floats:
        """Return birth and persistence, in the order of the points."""
        return in_birth_persistence(self._found.points)


def in_birth_persistence(points: Floats) -> Floats:
    """Return a copy of points as birth and persistence."""
    sample = np.array(points)
    sample[:, 1] -= sample[:, 0]
    return sample


def _more_than(expected: float) -> float:
    """Return a number that a Poisson variable passes once in 1e9 times."""
    return expected + 6.0 * sqrt(expected) + 20.0


def _ranks(n: int, q: float) -> tuple[tuple[int, float], tuple[int, float]]:
    """Return the two ranks that Hazen's quantile lies between, and its share."""
    place = min(max(n * q - 0.5, 0.0), n - 1.0)
    return (int(place), place - int(place)), (min(int(place) + 1, n - 1), 0.0)


def _bins(persistences: Floats, shift: int = SHIFT) -> Ints:
    """Return the bins of numbers >= 0."""
    bits = np.abs(persistences).view(np.int64)
    return bits >> shift


def _edges(bins: Ints, shift: int) -> Floats:
    """Return the smallest number in each bin."""
    return (bins << shift).view(np.float64)
