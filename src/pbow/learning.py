"""What vectorizers learn from: counts, extents, ramps and samples of all points.

All of it is found block by block and merged, by at most three passes, and depends on
the points alone, not on where the blocks are cut. Diagrams in memory are one block.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from pbow.blocks import BlockError, DiagramBlocks, Source, locating
from pbow.compute.image import extent
from pbow.diagrams import Diagrams
from pbow.errors import of_part
from pbow.essential import check_points, count_dropped, finite_parts
from pbow.sampling import (
    MOST_VALUES,
    Candidates,
    Draw,
    FineBins,
    FineSearch,
    Histogram,
    QuantileSearch,
    Reservoir,
    in_birth_persistence,
    merged,
    total_weight,
)
from pbow.weighting import Ramp

__all__ = ["Extent", "OnePass", "PartSummary", "Request", "summarize"]

Floats = NDArray[np.float64]
Parts = Mapping[str, Diagrams]
# Runs a function on the finite parts of each block, and gives the results in order,
# each with the points that were seen.
Run = Callable[..., Iterator[Any]]


class Extent(NamedTuple):
    """The ranges of points: births, the longest persistence and the last death."""

    low: float
    high: float
    longest: float
    last: float

    @classmethod
    def of(cls, points: Floats) -> Self:
        """Return that of a block."""
        return cls(*extent(points))

    def __add__(self, other: Self) -> Self:  # type: ignore[override]
        return type(self)(
            min(self.low, other.low),
            max(self.high, other.high),
            max(self.longest, other.longest),
            max(self.last, other.last),
        )


@dataclass(frozen=True, kw_only=True)
class Request:
    """What a vectorizer asks of the points of each part.

    Attributes
    ----------
    essential : str or float
        What to do with essential points.
    has_extent : bool
        Whether to find the extent.
    quantiles : (float or None, float) or None
        Of the persistence, between which there is a ramp.
    has_sample : bool
        Whether to draw a sample.
    size : int or None
        Its size.
    by_weight : bool
        Whether the ramp is the probability of a point to be drawn.
    seed : int
        Decides the draw.
    """

    essential: str | float
    has_extent: bool = False
    quantiles: tuple[float | None, float] | None = None
    has_sample: bool = False
    size: int | None = None
    by_weight: bool = False
    seed: int = 0

    @property
    def takes_one_pass(self) -> bool:
        """Whether blocks need to be read once only, one after another."""
        return self.quantiles is None


@dataclass(frozen=True)
class PartSummary:
    """What there is to learn from, of one part.

    Attributes
    ----------
    births_only : bool
        Whether points are (b, b), the births of essential classes.
    n_points : int
        Number of points, all finite.
    extent, ramp, sample
        What was asked for, or None. The sample is in birth-persistence coordinates.
    """

    births_only: bool
    n_points: int
    extent: Extent | None = None
    ramp: Ramp | None = None
    sample: Floats | None = None


def summarize(
    X: Diagrams | DiagramBlocks, request: Request, *, most_values: int = MOST_VALUES
) -> dict[str, PartSummary]:
    """Return what was asked for, of each part that has points.

    Parameters
    ----------
    X : Diagrams or DiagramBlocks
        Training diagrams.
    request : Request
        What is asked for.
    most_values : int
        How many different persistences near the limits of a ramp are collected before
        they are counted instead, for a third pass to collect those that are nearer.

    Returns
    -------
    summaries : dict of str to PartSummary
        In the order of the parts; with ``essential="separate"``, each part is followed
        by that of its essential points.

    Raises
    ------
    ValueError
        If there is no point at all.
    """
    if isinstance(X, Diagrams):
        if request.takes_one_pass:
            return OnePass(request).add(X).summaries()
        parts = finite_parts(X, request.essential)

        def run_here(function: Any, *_: Any) -> Iterator[Any]:
            yield function(X, parts, dict.fromkeys(parts, 0)), {}

        return _by_passes(run_here, request, most_values)
    if request.takes_one_pass and not X.is_distributed:
        one_pass = OnePass(request)
        for source in X.sources():
            for rows in source.read():
                with locating(source, rows.numbers):
                    one_pass.add(rows.diagrams)
        return one_pass.summaries()

    def run(function: Any, *arguments: Any) -> Iterator[Any]:
        return X.run(partial(_on_block, function, request.essential), *arguments)

    return _by_passes(run, request, most_values)


class OnePass:
    """Summarizes diagrams that come in batches, where one pass suffices.

    Parameters
    ----------
    request : Request
        What is asked for, without quantiles.
    """

    def __init__(self, request: Request) -> None:
        self.request = request
        self._counts: _Counts | None = None
        self._reservoirs: dict[str, Reservoir] = {}

    def add(self, X: Diagrams) -> Self:
        """Take the next batch.

        Parameters
        ----------
        X : Diagrams
            With the same parts as those before.

        Returns
        -------
        self : OnePass
        """
        request = self.request
        parts = finite_parts(X, request.essential)
        counts = _count(request, X, parts, {})
        self._counts = counts if self._counts is None else self._counts + counts
        if request.has_sample:
            for name, part in parts.items():
                new = Reservoir(request.size, request.seed)
                self._reservoirs.setdefault(name, new).add(part.points)
        return self

    def summaries(self) -> dict[str, PartSummary]:
        """Return those of all batches so far.

        Returns
        -------
        summaries : dict of str to PartSummary
        """
        if self._counts is None:
            msg = "There are no diagrams to learn from."
            raise ValueError(msg)
        samples = {name: r.sample() for name, r in self._reservoirs.items()}
        return _summaries(self._counts, {}, samples)


class _PartCounts(NamedTuple):
    n_points: int
    extent: Extent | None
    histogram: Histogram | None

    def __add__(self, other: Self) -> Self:  # type: ignore[override]
        return type(self)(
            self.n_points + other.n_points,
            self.extent and other.extent and self.extent + other.extent,
            self.histogram and other.histogram and self.histogram + other.histogram,
        )


class _Counts(NamedTuple):
    """What the first pass finds."""

    n_samples: int
    # By part of the diagrams, and by finite part.
    n_dropped: dict[str, int]
    parts: dict[str, _PartCounts]

    def __add__(self, other: Self) -> Self:  # type: ignore[override]
        return type(self)(
            self.n_samples + other.n_samples,
            {name: n + other.n_dropped[name] for name, n in self.n_dropped.items()},
            {name: part + other.parts[name] for name, part in self.parts.items()},
        )


class _Found(NamedTuple):
    """What a further pass finds, by part."""

    values: dict[str, Any]  # Values or FineBins
    candidates: dict[str, Candidates]

    def __add__(self, other: Self) -> Self:  # type: ignore[override]
        return type(self)(
            {name: one + other.values[name] for name, one in self.values.items()},
            {name: c + other.candidates[name] for name, c in self.candidates.items()},
        )


class _Seen(NamedTuple):
    """The points of a part in a block, which must be the same in every pass."""

    n_points: int
    checksum: int


def _by_passes(run: Run, request: Request, most_values: int) -> dict[str, PartSummary]:
    """Count; then find limits and uniform samples; then samples that need limits."""
    total: _Counts | None = None
    blocks: list[dict[str, _Seen]] = []
    for found, seen in run(partial(_count, request)):
        blocks.append(seen)
        total = found if total is None else total + found
    assert total is not None  # there is at least one block
    counts = total
    starts = [dict.fromkeys(blocks[0], 0)]
    for seen in blocks[:-1]:
        starts.append({name: n + seen[name].n_points for name, n in starts[-1].items()})

    def collect(
        searches: Mapping[str, QuantileSearch], draws: dict[str, Draw]
    ) -> tuple[dict[str, Any], dict[str, Floats]]:
        values: dict[str, Any] = {}
        samples: dict[str, Floats] = {}
        while searches or draws:
            passed = run(partial(_collect, searches, draws), starts, blocks)
            found = merged(found for found, _ in passed)
            values |= found.values
            searches = {}
            # Too few candidates, once in 1e9 draws, are looked for again.
            samples |= {
                name: in_birth_persistence(c.smallest(draws[name].size).points)
                for name, c in found.candidates.items()
                if len(c.keys) >= draws[name].size
            }
            draws = {n: d.widened() for n, d in draws.items() if n not in samples}
        return values, samples

    there = {name: part for name, part in counts.parts.items() if part.n_points}
    draws = {
        name: Draw.uniform(part.n_points, request.size, request.seed)
        for name, part in there.items()
        if request.has_sample
    }
    # Births of essential classes have no persistence to be weighted by.
    searches = {
        name: QuantileSearch.of(part.histogram, request.quantiles, most_values)
        for name, part in there.items()
        if part.histogram is not None and request.quantiles is not None
    }
    weighted = set(searches) if request.by_weight else set()
    values, samples = collect(
        searches, {name: d for name, d in draws.items() if name not in weighted}
    )
    finer: dict[str, FineSearch] = {}
    ramps: dict[str, Ramp] = {}
    by_weight: dict[str, Draw] = {}
    for name, search in searches.items():
        histogram, kept = there[name].histogram, values[name]
        assert histogram is not None
        if isinstance(kept, FineBins):
            finer[name] = FineSearch.within(search, histogram, kept)
            ramps[name] = finer[name].rounded_ramp(kept)
        else:
            ramps[name] = search.ramp(kept)
        if name in weighted and name in draws:
            weight = total_weight(ramps[name], histogram, kept)
            by_weight[name] = draws[name].by_weight(ramps[name], weight)
    values, drawn = collect(finer, by_weight)
    ramps |= {name: search.ramp(values[name]) for name, search in finer.items()}
    samples |= drawn
    return _summaries(counts, ramps, samples)


def _summaries(
    counts: _Counts, ramps: Mapping[str, Ramp], samples: Mapping[str, Floats]
) -> dict[str, PartSummary]:
    n_points = {name: part.n_points for name, part in counts.parts.items()}
    check_points(n_points, counts.n_dropped, counts.n_samples)
    return {
        name: PartSummary(
            births_only=name not in counts.n_dropped,
            n_points=part.n_points,
            extent=part.extent,
            ramp=ramps.get(name),
            sample=samples.get(name),
        )
        for name, part in counts.parts.items()
        if part.n_points
    }


def _count(
    request: Request, X: Diagrams, parts: Parts, _: Mapping[str, int]
) -> _Counts:
    return _Counts(
        len(X),
        count_dropped(X, request.essential),
        {
            name: _PartCounts(
                len(part.points),
                Extent.of(part.points) if request.has_extent else None,
                Histogram.of(part.points)
                if request.quantiles is not None and name in X.parts
                else None,
            )
            for name, part in parts.items()
        },
    )


def _collect(
    searches: Mapping[str, QuantileSearch],
    draws: Mapping[str, Draw],
    X: Diagrams,
    parts: Parts,
    firsts: Mapping[str, int],
) -> _Found:
    return _Found(
        {
            name: search.keep_or_count(parts[name].points)
            for name, search in searches.items()
        },
        {
            name: draw.candidates(parts[name].points, firsts[name])
            for name, draw in draws.items()
        },
    )


def _on_block(
    function: Callable[..., Any],
    essential: str | float,
    source: Source,
    firsts: Mapping[str, int] | None = None,
    expected: Mapping[str, _Seen] | None = None,
) -> tuple[Any, dict[str, _Seen]]:
    """Read a block, and merge what a function finds in its pieces.

    `firsts` counts the points before the block, and `expected` are those in it, as the
    first pass has found.
    """
    results = []
    reached: dict[str, int] = dict(firsts or {})
    seen: dict[str, _Seen] = {}
    for rows in source.read():
        with locating(source, rows.numbers):
            parts = finite_parts(rows.diagrams, essential)
            results.append(function(rows.diagrams, parts, reached))
        for name, part in parts.items():
            reached[name] = reached.get(name, 0) + len(part.points)
            n_points, checksum = seen.get(name, _Seen(0, 0))
            seen[name] = _Seen(
                n_points + len(part.points), checksum + _checksum(part.points)
            )
    for name, then in (expected or {}).items():
        if (now := seen[name]) != then:
            msg = (
                f"it had {then.n_points} points{of_part(name)} in the first pass, and "
                f"has {now.n_points}{' others' * (now.n_points == then.n_points)} now. "
                "Fit again when the data no longer change."
            )
            raise BlockError(source.name, None, msg)
    return merged(results), seen


def _checksum(points: Floats) -> int:
    """Add up the bits of all coordinates: next to no time, beside that of reading."""
    return int(points.view(np.uint64).sum())
