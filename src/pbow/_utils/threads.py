"""Run compiled loops over blocks of diagrams, or of pairs of them, in threads.

Loops are serial and release the GIL. A block is a range of whole diagrams and every
diagram is walked by one thread in a fixed order, so the result never depends on how
many threads there are or where the cuts lie.
"""

from __future__ import annotations

import math
import time
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Executor, wait
from contextvars import copy_context
from itertools import pairwise
from threading import Thread
from typing import Any, TypeVar

import numpy as np
from joblib import cpu_count
from joblib.parallel import SequentialBackend, get_active_backend
from numpy.typing import NDArray

from pbow._utils.checks import is_integer

__all__ = [
    "count_threads",
    "fill_rows",
    "for_each",
    "for_each_block",
    "map_tasks",
    "steps_per_call",
]

Task = TypeVar("Task")
Result = TypeVar("Result")

# Below this many nanoseconds of work for each, threads cost more than they save.
WORTH_A_THREAD = 500_000.0
# Ctrl-C waits for the compiled call that is running. Costs are estimated: a block may
# take several times as long, and the block of one huge diagram as long as that takes.
NANOSECONDS_PER_BLOCK = 2e8
# Seconds.
HEARD_WITHIN = 0.2
PATIENCE = 1.0


def count_threads(n_jobs: int | None) -> int:
    """Return how many threads `n_jobs` stands for, as joblib does for threads.

    joblib's own ``effective_n_jobs`` asks whether more processes can be started, and
    warns where they cannot; threads can be started in any process. None is 1 outside a
    joblib context, -1 is one thread per processor, -2 one less. Inside two levels of
    parallel loops of joblib it is always 1.
    """
    if n_jobs is not None and (n_jobs == 0 or not is_integer(n_jobs, -(2**31))):
        msg = f"Expected n_jobs to be an int other than 0, or None; got {n_jobs!r}."
        raise ValueError(msg)
    backend, n_jobs_of_context = get_active_backend()
    if n_jobs is None and backend.default_n_jobs == 1:
        n_jobs = n_jobs_of_context
    # Without a number in a backend such as Dask's: its default counts the processors of
    # a cluster, and these threads run in one of its workers.
    if n_jobs is None or isinstance(backend, SequentialBackend):
        return 1
    return int(n_jobs) if n_jobs > 0 else max(1, cpu_count() + 1 + n_jobs)


def for_each_block(
    run: Callable[[int, int], None],
    offsets: NDArray[np.int64],
    *,
    nanoseconds_per_point: float,
    n_jobs: int | None,
) -> None:
    """Call ``run(first, last)`` on ranges of diagrams that cover the collection.

    It works on diagrams ``first`` to ``last - 1`` and releases the GIL. Offsets say
    where each diagram starts; by the rough cost, small inputs stay on this thread.
    """
    n_diagrams = len(offsets) - 1
    # A diagram costs a little even when it is empty.
    work = nanoseconds_per_point * float(offsets[-1] - offsets[0]) + 10.0 * n_diagrams
    n_threads = min(count_threads(n_jobs), n_diagrams, int(work / WORTH_A_THREAD))
    n_blocks = 1 + int(work / NANOSECONDS_PER_BLOCK)
    if n_threads > 1:
        # More blocks than threads, so that one slow thread does not hold up the rest.
        n_blocks = max(n_blocks, 4 * n_threads)
    if n_blocks == 1:
        run(0, n_diagrams)
        return
    blocks = pairwise(_balanced_cuts(offsets, n_blocks))
    for_each(lambda block: run(*block), blocks, n_threads, work)


def fill_rows(
    loop: Callable[..., None],
    points: NDArray[np.float64],
    offsets: NDArray[np.int64],
    *options: Any,
    out: NDArray[Any],
    nanoseconds_per_point: float,
    n_jobs: int | None,
) -> None:
    """Set the rows of `out` by ``loop(points, offsets, *options, rows)``, in blocks."""
    for_each_block(
        lambda first, last: loop(
            points, offsets[first : last + 1], *options, out[first:last]
        ),
        offsets,
        nanoseconds_per_point=nanoseconds_per_point,
        n_jobs=n_jobs,
    )


def map_tasks(
    function: Callable[[Task], Result],
    tasks: Sequence[Task],
    nanoseconds: Sequence[float],
    n_jobs: int | None,
    pool: Executor | None = None,
) -> list[Result]:
    """Return ``function(task)`` of a few tasks of rough costs, in their order.

    A `pool` of threads saves starting them where this is called again and again.
    """
    work = sum(nanoseconds)
    n_threads = min(count_threads(n_jobs), len(tasks), int(work / WORTH_A_THREAD))
    if n_threads <= 1:
        return [function(task) for task in tasks]
    results: dict[int, Result] = {}

    def run(i: int) -> None:
        results[i] = function(tasks[i])

    # The longest first, so that none is begun when the other threads end.
    order = sorted(range(len(tasks)), key=lambda i: -nanoseconds[i])
    for_each(run, order, n_threads, work, pool)
    return [results[i] for i in range(len(tasks))]


def steps_per_call(nanoseconds_per_step: float) -> int:
    """Return how many steps of a compiled loop one call should take.

    Ctrl-C waits for the call that is running; between calls it is heard.
    """
    return max(1, int(NANOSECONDS_PER_BLOCK / nanoseconds_per_step))


def for_each(
    run: Callable[[Task], None],
    tasks: Iterable[Task],
    n_threads: int,
    nanoseconds: float = math.inf,
    pool: Executor | None = None,
) -> None:
    """Call ``run(task)`` on every task, in this thread and ``n_threads - 1`` others.

    The first error ends it: no task is begun after it. Where the work takes longer than
    someone who presses Ctrl-C should wait, all threads are others, and this one listens
    for it; a call that is still running a second later is left to end by itself. An
    executor of the standard library would wait for it, and so would the interpreter: a
    `pool` is for shorter work.
    """
    waiting, errors = deque(tasks), list[BaseException]()

    def take_tasks() -> None:
        try:
            while waiting:
                try:
                    task = waiting.popleft()
                except IndexError:  # another thread was faster
                    return
                run(task)
        except BaseException as error:
            waiting.clear()  # the other threads stop, too
            errors.append(error)

    listens = n_threads > 0 and nanoseconds > NANOSECONDS_PER_BLOCK
    if pool is not None and not listens:
        helpers = [
            pool.submit(copy_context().run, take_tasks) for _ in range(n_threads - 1)
        ]
        take_tasks()
        wait(helpers)
        if errors:
            raise errors[0]
        return
    # Each in a context like this one: numpy keeps there what it warns of. And as
    # daemons, so that the interpreter can end before they do.
    others = [
        Thread(target=copy_context().run, args=(take_tasks,), daemon=True)
        for _ in range(n_threads if listens else n_threads - 1)
    ]
    try:
        for thread in others:
            thread.start()
        if not listens:
            take_tasks()
        for thread in others:
            while thread.is_alive():
                thread.join(HEARD_WITHIN)  # without a limit, Windows would not listen
    except BaseException:
        waiting.clear()
        end = time.monotonic() + PATIENCE
        for thread in others:
            if thread.is_alive():  # all but those that the system refused to start
                thread.join(max(0.0, end - time.monotonic()))
        raise
    if errors:
        raise errors[0]


def _balanced_cuts(offsets: NDArray[np.int64], n_blocks: int) -> list[int]:
    """Cut the diagrams into ranges of about the same number of points."""
    n_diagrams = len(offsets) - 1
    # Each diagram counts as one more point, so that empty ones are shared out too.
    reached = offsets - offsets[0] + np.arange(n_diagrams + 1)
    targets = np.linspace(0, reached[-1], n_blocks + 1)[1:-1]
    inner = np.searchsorted(reached, targets)
    return sorted({0, n_diagrams, *inner.tolist()})
