"""Processes that try inputs, and their supervision: any of them may die."""

from __future__ import annotations

import faulthandler
import mmap
import multiprocessing
import os
import resource
import signal
import sys
import time
import traceback
import warnings
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from multiprocessing.connection import Connection, wait
from pathlib import Path
from random import Random
from typing import Any

import pyarrow

from fuzzing.trial import Target, Trial

__all__ = [
    "Failure",
    "Outcomes",
    "Tally",
    "attempt",
    "limit_memory",
    "make_trial",
    "run",
]

MOST_SECONDS = 5.0
MOST_MEMORY = 1 << 30
# Seconds at one input after which a process is ended from outside.
MOST_LOOKS = 60
# Inputs that a process gets at a time.
CHUNK = 250
NOT_BEGUN, RUNNING, READ, REFUSED, FAILED = range(5)
OWN = str(Path(__file__).parent)


class TooLongError(BaseException):
    """An input has taken too long; no code takes this for an error of its own."""


@dataclass(frozen=True)
class Failure:
    """An input that is not treated as it should be."""

    target: str
    case: int
    outcome: str
    content: bytes
    is_library: bool = False


@dataclass
class Tally:
    """What has become of the inputs of a target."""

    counts: Counter[str] = field(default_factory=Counter)
    slowest: float = 0.0


@dataclass
class Outcomes:
    """What has become of all inputs."""

    tallies: dict[str, Tally] = field(default_factory=dict)
    failures: list[Failure] = field(default_factory=list)
    seconds: float = 0.0
    peak_memory: int = 0

    @property
    def n_inputs(self) -> int:
        """Number of inputs that were tried."""
        return sum(tally.counts.total() for tally in self.tallies.values())


def make_trial(target: Target, seed: int, case: int, folder: Path) -> Trial:
    """Return an input: the same for the same seed and number."""
    return target.make(Random(f"{seed} {target.name} {case}"), folder)


def attempt(trial: Trial, seconds: float = MOST_SECONDS) -> tuple[int, str]:
    """Return READ, REFUSED, or FAILED and what went wrong."""
    said: list[str] = []

    def listen(message: Any, kind: type, file: str, line: int, *_: Any) -> None:
        # pbow's own warnings speak of the line that called it, which is here.
        if not file.startswith(OWN):
            said.append(f"{kind.__name__} in {file}:{line}: {message}")

    usual, warnings.showwarning = warnings.showwarning, listen
    handler = signal.signal(signal.SIGPROF, _stop)
    memory = peak_memory()
    outcome, text = READ, ""
    try:
        _set_timer(seconds)
        trial.run()
        _set_timer(0.0)
    except TooLongError:
        outcome, text = FAILED, f"took more than {seconds:g} seconds"
    except Exception as error:
        _set_timer(0.0)
        outcome = REFUSED if trial.accepts(error) else FAILED
        text = "".join(traceback.format_exception(error)) if outcome == FAILED else ""
        if _is_of_memory(error):
            outcome, text = (
                FAILED,
                f"asked for more than {MOST_MEMORY:,} bytes: {error}",
            )
    finally:
        _set_timer(0.0)
        signal.signal(signal.SIGPROF, handler)
        warnings.showwarning = usual
    if said:
        outcome, text = FAILED, said[0]
    if peak_memory() - memory > MOST_MEMORY:
        outcome, text = FAILED, f"took {peak_memory() - memory:,} bytes"
    return outcome, text


def _set_timer(seconds: float) -> None:
    # Of processor time, which neither a busy machine nor a pause adds to.
    signal.setitimer(signal.ITIMER_PROF, seconds)


def _stop(*_: Any) -> None:
    raise TooLongError


def _is_of_memory(error: BaseException | None) -> bool:
    """Whether an error stems from too much memory, which the limit has refused."""
    while error is not None:
        if isinstance(error, MemoryError):
            return True
        error = error.__cause__ or error.__context__
    return False


def peak_memory() -> int:
    """Return the largest memory that the process has had, in bytes."""
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else 1024 * peak


def limit_memory() -> None:
    """Let the process take MOST_MEMORY more than it has, on Linux."""
    status = Path("/proc/self/status")
    if status.exists():
        (line,) = [s for s in status.read_text().splitlines() if s.startswith("VmData")]
        taken = 1024 * int(line.split()[1])
        hard = resource.getrlimit(resource.RLIMIT_DATA)[1]
        resource.setrlimit(resource.RLIMIT_DATA, (taken + MOST_MEMORY, hard))


def _work(
    targets: Sequence[Target],
    seed: int,
    folder: Path,
    marks: mmap.mmap,
    pipe: Connection,
) -> None:
    """Try the inputs that come through a pipe; mark each in shared memory."""
    own = folder / str(os.getpid())
    own.mkdir()
    faulthandler.enable()
    os.setsid()  # Ctrl-C is for the parent
    warnings.simplefilter("always")
    # While inputs are made.
    warnings.showwarning = lambda *_, **__: None
    # Arrow's own allocator would reserve more than the limit on memory at once.
    pyarrow.set_memory_pool(pyarrow.system_memory_pool())
    limit_memory()
    while True:
        try:
            chunk = pipe.recv()
        except EOFError:  # the parent has been killed
            return
        if chunk is None:
            return
        index, start, stop = chunk
        slowest = 0.0
        for case in range(start, stop):
            trial = make_trial(targets[index], seed, case, own)
            marks[case - start] = RUNNING
            begin = time.process_time()
            outcome, text = attempt(trial)
            slowest = max(slowest, time.process_time() - begin)
            if outcome == FAILED:
                pipe.send(("failure", case, text))
            marks[case - start] = outcome
        pipe.send(("done", slowest, peak_memory()))


class Worker:
    """A process, and the chunk that it is at; a new one after each death."""

    def __init__(self, targets: Sequence[Target], seed: int, folder: Path) -> None:
        self._arguments = (targets, seed, folder)
        self.marks = mmap.mmap(-1, CHUNK)
        self.chunk: tuple[int, int, int] | None = None
        self.start()

    def start(self) -> None:
        """Start the process."""
        context = multiprocessing.get_context("fork")
        self.pipe, end = context.Pipe()
        self.process = context.Process(
            target=_work, args=(*self._arguments, self.marks, end), daemon=True
        )
        self.process.start()
        end.close()
        self.seen: tuple[Any, int] = (None, 0)

    def give(self, chunk: tuple[int, int, int]) -> None:
        """Let the process try some inputs."""
        self.marks[:] = bytes(CHUNK)
        self.pipe.send(chunk)

    def stop_if_stuck(self) -> None:
        """End a process that is at one input for too many looks, of a second each.

        Compiled code does not hear of the signal, and a lock takes no processor time.
        """
        at = (self.chunk, bytes(self.marks))
        self.seen = (at, self.seen[1] + 1 if at == self.seen[0] else 0)
        if self.seen[1] > MOST_LOOKS:
            os.kill(self.process.pid or 0, signal.SIGABRT)  # with a traceback


def run(
    targets: Sequence[Target],
    seed: int,
    folder: Path,
    *,
    count: int | None = None,
    seconds: float | None = None,
    jobs: int = 1,
    tell: Callable[[Outcomes], None] = lambda outcomes: None,
) -> Outcomes:
    """Try `count` inputs, or inputs for so many seconds, in `jobs` processes."""
    begin = time.monotonic()
    outcomes = Outcomes({target.name: Tally() for target in targets})
    chunks = _chunks(targets, count)
    workers = [Worker(targets, seed, folder) for _ in range(jobs)]

    def next_chunk() -> tuple[int, int, int] | None:
        is_over = seconds is not None and time.monotonic() - begin > seconds
        return None if is_over else next(chunks, None)

    def fail(worker: Worker, case: int, text: str, *, died: bool) -> None:
        target = targets[worker.chunk[0]]  # type: ignore[index]
        content = make_trial(target, seed, case, folder).content
        content = content if isinstance(content, bytes) else content().encode()
        of_library = bool(target.library) and (
            died or text.startswith(("took", "asked"))
        )
        outcomes.failures.append(Failure(target.name, case, text, content, of_library))

    def count_marks(worker: Worker) -> None:
        index, start, stop = worker.chunk  # type: ignore[misc]
        marks = Counter(worker.marks[: stop - start])
        counts = outcomes.tallies[targets[index].name].counts
        for name, mark in (("read", READ), ("refused", REFUSED), ("failed", FAILED)):
            counts[name] += marks[mark]

    def go_on(worker: Worker) -> None:
        worker.chunk = next_chunk()
        if worker.chunk:
            worker.give(worker.chunk)

    for worker in workers:
        go_on(worker)
    looked = begin
    while busy := [worker for worker in workers if worker.chunk]:
        ends = [end for w in busy for end in (w.pipe, w.process.sentinel)]
        wait(ends, timeout=1.0)
        # A pause of this process is one look, however long it is.
        is_look = time.monotonic() - looked > 1.0
        looked = time.monotonic() if is_look else looked
        for worker in busy:
            index, start, stop = worker.chunk  # type: ignore[misc]
            # Before its messages are read: all that it has sent is there then.
            is_alive = worker.process.is_alive()
            for kind, *values in _messages(worker.pipe):
                if kind == "failure":
                    fail(worker, *values, died=False)
                    continue
                count_marks(worker)
                tally = outcomes.tallies[targets[index].name]
                tally.slowest = max(tally.slowest, values[0])
                outcomes.peak_memory = max(outcomes.peak_memory, values[1])
                tell(outcomes)
                go_on(worker)
            if is_look:
                worker.stop_if_stuck()
            if not is_alive and worker.chunk == (index, start, stop):
                at = bytes(worker.marks).find(RUNNING)
                if at < 0:
                    msg = (
                        f"A process ended between two inputs of {targets[index].name}."
                    )
                    raise RuntimeError(msg)
                worker.marks[at] = FAILED
                fail(worker, start + at, _death(worker.process.exitcode), died=True)
                count_marks(worker)
                worker.start()
                if start + at + 1 < stop:
                    worker.chunk = (index, start + at + 1, stop)
                    worker.give(worker.chunk)
                else:
                    go_on(worker)
    for worker in workers:
        worker.pipe.send(None)
        worker.process.join()
    outcomes.seconds = time.monotonic() - begin
    return outcomes


def _messages(pipe: Connection) -> Iterator[Any]:
    while pipe.poll():
        try:
            yield pipe.recv()
        except EOFError:
            return


def _death(code: int | None) -> str:
    name = signal.Signals(-code).name if code is not None and code < 0 else str(code)
    return f"the process died: {name}"


def _chunks(
    targets: Sequence[Target], count: int | None
) -> Iterator[tuple[int, int, int]]:
    """Yield inputs of all targets by their shares, in the same order in every run."""
    done = [0] * len(targets)
    most = sys.maxsize if count is None else count
    while sum(done) < most:
        index = min(range(len(targets)), key=lambda i: done[i] / targets[i].share)
        size = min(CHUNK, most - sum(done))
        if count is not None:  # so that a short run comes to all targets
            size = min(size, max(1, count // (8 * len(targets))))
        yield index, done[index], done[index] + size
        done[index] += size
