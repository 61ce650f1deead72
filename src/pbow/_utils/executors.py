"""Tasks on any ``concurrent.futures.Executor``: a few at a time, results in order."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import BrokenExecutor, Executor, Future
from typing import Any, TypeVar

__all__ = ["run_in_order"]

Result = TypeVar("Result")

# Tasks that wait at an executor: enough for a thousand cores, and little to remember.
IN_FLIGHT = 4096
LARGE = 8


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
        for _, future in waiting:
            future.cancel()


def _submit(
    executor: Executor, task: Callable[..., Result], given: tuple[Any, ...]
) -> Future[Result]:
    try:
        return executor.submit(task, *given)
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
    try:
        result = future.result()
    except BrokenExecutor as error:
        msg = (
            f"A process died, or was killed, before it had finished {name_of(given)}. "
            "Its pool cannot go on: make a new executor, and call again."
        )
        raise type(error)(msg) from error
    waiting.popleft()
    return result
