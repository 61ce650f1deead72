"""Progress bars, drawn by tqdm on stderr."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from pbow.errors import ParameterError

__all__ = ["progress_bar"]


@contextmanager
def progress_bar(
    *,
    show: bool | Callable[[int, int], object],
    total: int,
    unit: str,
    done: int = 0,
) -> Iterator[Callable[[int], None]]:
    """Give a function to call with what has been done since; threads may share it.

    `done` is what was done before, which does not count for the rate, and `unit` what
    is counted: ``"pairs"``. A callable as `show`, which is no part of the public
    interface, is called with what is done and what there is, and may raise: comparisons
    limit the time of their distances that way.
    """
    if not isinstance(show, bool) and not callable(show):
        raise ParameterError("progress", "True or False", show)
    if show is False or (show is True and sys.stderr is None):
        yield lambda _: None
        return
    lock = threading.Lock()
    if callable(show):

        def call(n: int) -> None:
            nonlocal done
            with lock:
                done += n
                show(done, total)

        yield call
        return
    # Imported here: most calls draw nothing.
    from tqdm import tqdm  # noqa: PLC0415

    with tqdm(total=total, initial=done, unit=f" {unit}", leave=False) as bar:

        def update(n: int) -> None:
            with lock:
                bar.update(n)

        yield update
