"""Say on stderr, or to a function, how much of a long work is done."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TextIO

__all__ = ["Progress", "check_progress", "reporting"]

Progress = bool | Callable[[int, int], object]

SECONDS_BETWEEN_DRAWINGS = 0.1
SECONDS_BETWEEN_LINES = 30.0  # in a file, where nothing can be drawn over
SECONDS_TO_FIRST = 3.0  # so that it is seen that there will be lines


def check_progress(progress: object) -> None:
    """Raise unless `progress` is True, False or can be called."""
    if not (isinstance(progress, bool) or callable(progress)):
        msg = (
            "Expected progress to be True, False or a function of two numbers, what "
            f"is done and what there is; got {progress!r}."
        )
        raise ValueError(msg)


@contextmanager
def reporting(
    progress: Progress, total: int, *, done: int = 0, noun: str = "pairs"
) -> Iterator[Callable[[int], None]]:
    """Give a function to call with what has been done since; threads may share it.

    Parameters
    ----------
    progress : bool or callable
        True draws one line on stderr, with the share that is done, the rate and the
        time left, and takes it away at the end; where stderr is no terminal, it prints
        a line after three seconds and then every half minute. A callable is called with
        what is done and what there is, by one thread at a time. False does nothing.
    total : int
        What there is to do.
    done : int, default=0
        What was done before; it does not count for the rate.
    noun : str, default="pairs"
        What is counted.
    """
    check_progress(progress)
    if progress is True and sys.stderr is not None:
        line = _Line(sys.stderr, total, done, noun)
        try:
            yield _in_turn(line.show, total, done)
        finally:
            line.clear()
    elif callable(progress):
        yield _in_turn(progress, total, done)
    else:
        yield lambda _: None


def _in_turn(
    show: Callable[[int, int], object], total: int, done: int
) -> Callable[[int], None]:
    lock = threading.Lock()

    def advance(n: int) -> None:
        nonlocal done
        with lock:
            done += n
            show(done, total)

    return advance


class _Line:
    """One line on a terminal that is drawn over, or now and then one in a file."""

    def __init__(self, stream: TextIO, total: int, done: int, noun: str) -> None:
        self._stream = stream
        self._noun = noun
        self._done_before = done
        self._start = time.monotonic()
        self._is_terminal = stream.isatty()
        self._pause = (
            SECONDS_BETWEEN_DRAWINGS if self._is_terminal else SECONDS_BETWEEN_LINES
        )
        self._next = self._start + min(self._pause, SECONDS_TO_FIRST)
        self._width = 0

    def show(self, done: int, total: int) -> None:
        now = time.monotonic()
        if now < self._next:
            return
        self._next = now + self._pause
        text = self._text(done, total, now - self._start)
        if self._is_terminal:
            self._stream.write(f"\r{text:<{self._width}}")
            self._width = len(text)
        else:
            self._stream.write(f"{text}\n")
        self._stream.flush()

    def clear(self) -> None:
        if self._width:
            self._stream.write(f"\r{'':{self._width}}\r")
            self._stream.flush()

    def _text(self, done: int, total: int, seconds: float) -> str:
        share = f"{100.0 * done / max(total, 1):.1f} % of {total:,} {self._noun}"
        rate = (done - self._done_before) / max(seconds, 1e-9)
        if rate <= 0.0:
            return share
        return f"{share}, {rate:,.0f} a second, {_clock((total - done) / rate)} left"


def _clock(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"
