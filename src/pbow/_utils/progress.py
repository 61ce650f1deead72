"""Progress bars, drawn by tqdm on stderr."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

__all__ = ["progress_bar"]


@contextmanager
def progress_bar(
    *, show: bool, total: int, unit: str, done: int = 0
) -> Iterator[Callable[[int], object]]:
    """Give a function to call with what has been done since; threads may share it.

    Parameters
    ----------
    show : bool
        Whether to draw a bar on stderr.
    total : int
        How much there is to do.
    unit : str
        What is counted: ``"pairs"``.
    done : int, default=0
        What was done before, which does not count for the rate.

    Yields
    ------
    advance : callable
    """
    if not show:
        yield lambda _: None
        return
    # Imported here: most calls draw nothing.
    from tqdm import tqdm  # noqa: PLC0415

    with tqdm(total=total, initial=done, unit=f" {unit}", leave=False) as bar:
        yield bar.update
