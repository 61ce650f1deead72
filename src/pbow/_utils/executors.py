"""Tasks on any ``concurrent.futures.Executor``: a few at a time, results in order."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import (
    FIRST_COMPLETED,
    BrokenExecutor,
    Executor,
    Future,
    wait,
)
from contextlib import contextmanager
from typing import Any, TypeVar
from uuid import uuid4

__all__ = ["noting", "run_as_completed", "run_in_order"]

Result = TypeVar("Result")

# Tasks that wait at an executor: enough for a thousand cores, and little to remember.
IN_FLIGHT = 4096
LARGE = 8
# Seconds to wait for tasks that run when a call ends by an error.
PATIENCE = 60.0


def run_in_order(
    executor: Executor,
    task: Callable[..., Result],
    arguments: Iterable[tuple[Any, ...]],
    *,
    name_of: Callable[[tuple[Any, ...]], str] = lambda given: str(given[0].name),
    in_flight: int = IN_FLIGHT,
) -> Iterator[Result]:
    """Give ``task(*given)`` for all given arguments, in their order.

    Where the first argument is a whole block of data (``is_large``), few are sent at a
    time. The first error cancels what has not begun. Where a process was killed, it
    names what was not finished; a pool of processes is of no use after that.
    """
    waiting: deque[tuple[tuple[Any, ...], Future[Result]]] = deque()
    try:
        for given in arguments:
            try:
                future = _submit(executor, task, given)
            except BrokenExecutor:
                while waiting:  # one of these was not finished, and its error says so
                    yield _result(waiting, name_of)
                raise
            waiting.append((given, future))
            is_large = getattr(given[0], "is_large", False)
            if len(waiting) >= (min(in_flight, LARGE) if is_large else in_flight):
                yield _result(waiting, name_of)
        while waiting:
            yield _result(waiting, name_of)
    finally:
        _end(future for _, future in waiting)


def run_as_completed(
    executor: Executor,
    task: Callable[..., Result],
    arguments: Iterable[tuple[Any, ...]],
) -> Iterator[tuple[tuple[Any, ...], Result]]:
    """Give arguments and ``task(*given)`` for all of them, as they are completed.

    Otherwise as :func:`run_in_order`. After an error, what others have completed until
    then is given first.
    """
    waiting: dict[Future[Result], tuple[Any, ...]] = {}
    left = iter(arguments)
    try:
        while True:
            for given in left:
                try:
                    waiting[_submit(executor, task, given)] = given
                except BrokenExecutor:
                    if not waiting:
                        raise
                    break  # one of those was not finished, and its error says so
                is_large = getattr(given[0], "is_large", False)
                if len(waiting) >= (LARGE if is_large else IN_FLIGHT):
                    break
            if not waiting:
                return
            done, _ = wait(waiting, return_when=FIRST_COMPLETED)
            # In their order: of a pool that breaks, the first is most likely why.
            in_order = [future for future in waiting if future in done]
            for future in sorted(in_order, key=_has_failed):
                given = waiting.pop(future)
                with noting(given[0].name):
                    yield given, future.result()
    finally:
        _end(waiting)


def _has_failed(future: Future[Any]) -> bool:
    return future.cancelled() or future.exception() is not None


def _end(futures: Iterable[Future[Any]]) -> None:
    """Cancel what has not begun, and let the rest come to an end.

    A task that goes on might write after the call that has begun it is over.
    """
    wait([future for future in [*futures] if not future.cancel()], PATIENCE)


@contextmanager
def noting(name: str) -> Iterator[None]:
    """Let errors say what was worked on; a process that was killed says nothing."""
    try:
        yield
    except BrokenExecutor as error:
        msg = (
            f"A process died, or was killed, before it had finished {name}. Its pool "
            "cannot go on: make a new executor, and call again. In a script, pools are "
            "made under `if __name__ == '__main__':`."
        )
        raise type(error)(msg) from error
    except Exception as error:
        if name not in str(error):
            error.add_note(f"This was while {name} was processed.")
        raise


def _run(_: str, task: Callable[..., Result], given: tuple[Any, ...]) -> Result:
    return task(*given)


def _submit(
    executor: Executor, task: Callable[..., Result], given: tuple[Any, ...]
) -> Future[Result]:
    try:
        # With a name of its own: Dask gives two equal calls one result, also an error
        # whose cause is gone.
        return executor.submit(_run, uuid4().hex, task, given)
    except BrokenExecutor as error:
        msg = f"{type(executor).__name__} is broken ({error}). Make a new one."
        raise type(error)(msg) from error
    except RuntimeError as error:
        if "shutdown" not in str(error):
            raise
        msg = f"{type(executor).__name__} is shut down. Pass an executor that runs."
        raise RuntimeError(msg) from error


def _result(
    waiting: deque[tuple[tuple[Any, ...], Future[Result]]],
    name_of: Callable[[tuple[Any, ...]], str],
) -> Result:
    given, future = waiting[0]
    with noting(name_of(given)):
        result = future.result()
    waiting.popleft()
    return result
