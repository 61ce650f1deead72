"""Contenders of one task take turns in one process; the fastest turn of each counts.

Other programs on the machine only ever make a turn slower, and turns that alternate
meet the same neighbors: minima of alternating turns compare what the code costs.
"""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numba import njit
from threadpoolctl import ThreadpoolController, threadpool_limits

from benchmarks.settings import Settings
from benchmarks.workloads import one_read
from pbow import Diagrams

__all__ = [
    "PLAIN_READ",
    "Contender",
    "Timing",
    "Verdict",
    "on_one_thread",
    "plain_read",
    "race",
]

PLAIN_READ = "plain read of the points, one core"
LEAST_ROUNDS = 4
MOST_ROUNDS = 200
# A contender this many times slower than the first may have a single round.
SLOW = 50.0


class Verdict(NamedTuple):
    """Whether a contender's result is that of pbow, and how near it is."""

    same: bool
    text: str


@dataclass(frozen=True)
class Contender:
    """One way to do a task.

    Attributes
    ----------
    name : str
        How the tables call it.
    run : callable or None
        Does the whole task, or the `share` of it; None if not available.
    check : callable, optional
        Compares what `run` returned with pbow's result.
    share : float
        Part of the data that `run` works on. Times are divided by it.
    note : str
        What a reader must know; why there is no `run`.
    """

    name: str
    run: Callable[[], Any] | None
    check: Callable[[Any], Verdict] | None = None
    share: float = 1.0
    note: str = ""


@dataclass(frozen=True)
class Timing:
    """What a contender took for the whole task; None if not available."""

    name: str
    seconds: float | None
    rounds: int
    verdict: Verdict | None
    note: str


def race(
    contenders: Sequence[Contender], settings: Settings, *, resident: int = 0
) -> list[Timing]:
    """Time contenders in turns, after a first turn that compiles and is checked.

    So many bytes are written to, and freed, before each turn. Virtual machines give
    memory back that nobody uses, and take seconds to get a gigabyte again; a turn that
    happens to need it should not pay for that.
    """
    runners = [c for c in contenders if c.run is not None]
    # BLAS gains nothing on matrices two columns wide; chunked peers have their own
    # threads, which would fight those of BLAS over the cores.
    with threadpool_limits({"openmp": settings.threads, "blas": 1}):
        verdicts = {c.name: _warm_up(c) for c in runners}
        turns = {c.name: [_seconds(c, resident)] for c in runners}
        fastest_first = turns[runners[0].name][0]
        slow = {
            c.name
            for c in runners
            if turns[c.name][0] > max(SLOW * fastest_first, settings.seconds / 10)
        }
        a_round = sum(turns[c.name][0] for c in runners if c.name not in slow)
        n_rounds = int(min(max(settings.seconds / a_round, LEAST_ROUNDS), MOST_ROUNDS))
        for _ in range(n_rounds - 1):
            for c in runners:
                if c.name not in slow:
                    turns[c.name].append(_seconds(c, resident))
    return [
        Timing(
            c.name,
            min(turns[c.name]) / c.share if c.run else None,
            len(turns.get(c.name, ())),
            verdicts.get(c.name),
            c.note,
        )
        for c in contenders
    ]


def on_one_thread(contender: Contender) -> Contender:
    """Return the same without OpenMP's threads.

    They wait for each other at every step: on small inputs, or a busy machine, a
    program that uses them can be many times slower than on one thread.
    """
    if contender.run is None:
        return contender
    controller = ThreadpoolController()  # looks for libraries once, not at every turn

    def run() -> Any:
        with controller.limit(limits=1, user_api="openmp"):
            return contender.run()

    return replace(contender, name=f"{contender.name}, one thread", run=run)


def plain_read(X: Diagrams) -> Contender:
    """Return the yardstick: no program that reads every point can be faster."""
    numbers = one_read(X)
    return Contender(PLAIN_READ, lambda: _add_up(numbers))


# Whole numbers, because their sum may be taken in any order, hence in vectors.
@njit(nogil=True)
def _add_up(numbers):
    total = 0
    for i in range(numbers.shape[0]):
        total += numbers[i]
    return total


def _warm_up(contender: Contender) -> Verdict | None:
    result = contender.run()
    return contender.check(result) if contender.check else None


def _seconds(contender: Contender, resident: int) -> float:
    np.ones(resident // 8)
    start = time.perf_counter()
    result = contender.run()
    seconds = time.perf_counter() - start
    del result  # what it takes to free a large result is not timed
    return seconds
