"""Child processes that do the same work together, and end together."""

from __future__ import annotations

import multiprocessing
import os
import pickle
import signal
import threading
import traceback
from collections.abc import Callable, Generator
from multiprocessing import resource_tracker
from multiprocessing.connection import Connection, wait
from multiprocessing.context import SpawnProcess
from typing import Any

__all__ = ["run_children"]


def run_children(
    work: Callable[..., object], arguments: tuple[Any, ...], n: int, seconds: float
) -> Generator[None]:
    """Call a function in `n` new processes; yield now and then while they work.

    An error of one of them is raised here, and then, as after any error here, the
    others are killed: they must not mind. Where this process is killed, they end, too.

    Parameters
    ----------
    work : callable
        What each of them calls; of a module, so that they can import it.
    arguments : tuple
        What it is called with.
    n : int
        How many.
    seconds : float
        Between two yields, at most.

    Raises
    ------
    ChildProcessError
        Where one of them ends without a word, as when memory is short.
    """
    children: dict[Any, SpawnProcess] = {}
    try:
        for _ in range(n):
            reader, child = _start(work, arguments)
            children[reader] = child
        working = dict(children)
        while working:
            for ready in wait(list(working), seconds):
                _end(ready, working.pop(ready))
            yield
    finally:
        for reader, child in children.items():
            child.kill()
            child.join()
            reader.close()


def _start(
    work: Callable[..., object], arguments: tuple[Any, ...]
) -> tuple[Connection, SpawnProcess]:
    # A fork would copy the locks of threads; a fresh process has none.
    context = multiprocessing.get_context("spawn")
    reader, writer = context.Pipe(duplex=False)
    child = context.Process(target=_child, args=(writer, work, arguments), daemon=True)
    # Ctrl-C on a terminal goes to all processes. A child inherits that it is blocked,
    # and says nothing; it is this process that ends it. What keeps track of resources
    # is started before, because it lifts the block when it starts.
    resource_tracker.ensure_running()
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        child.start()
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
    writer.close()
    return reader, child


def _end(reader: Any, child: SpawnProcess) -> None:
    """Raise what a child says, if that is not what it ends with."""
    try:
        error: Exception | None = reader.recv()
    except EOFError:
        error = None
    child.join()
    if error is not None:
        raise error
    if child.exitcode:
        msg = (
            f"A process ended with code {child.exitcode} before its work was done. Was "
            "memory short? What is finished is kept: start again."
        )
        raise ChildProcessError(msg)


def _child(
    writer: Connection, work: Callable[..., object], arguments: tuple[Any, ...]
) -> None:
    threading.Thread(target=_end_with_parent, daemon=True).start()
    try:
        work(*arguments)
    except Exception as error:
        error.add_note("".join(traceback.format_exception(error)))
        writer.send(_portable(error))


def _portable(error: Exception) -> Exception:
    """Return an error that can be sent; of one that cannot, its words."""
    try:
        pickle.loads(pickle.dumps(error))
    except Exception:
        return RuntimeError(f"{type(error).__name__}: {error}")
    return error


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)
