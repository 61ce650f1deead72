"""Items that need more memory than there is are refused before the work starts.

Numbers of bytes are floats: an estimate may be beyond every integer type.
"""

from __future__ import annotations

from collections.abc import Sequence
from heapq import nlargest

from pbow._utils.memory import available_memory
from pbow._utils.text import file_size
from pbow.errors import ItemMemoryError
from pbow.homology._common import count_threads

__all__ = ["check_memory"]


def check_memory(
    needed: Sequence[float],
    *,
    noun: str,
    first: int = 0,
    n_jobs: int | None,
    advice: str,
) -> None:
    """Raise ItemMemoryError unless the items can be worked on in the memory there is.

    `needed` is the estimated bytes of each item, of which `first` is the place of the
    first one. As many as there are threads are worked on at a time; in the worst case,
    those that need most. `advice` says what to do, in whole sentences.
    """
    n_threads = count_threads(n_jobs, needed)
    together = sum(nlargest(n_threads, needed))
    available = available_memory()
    if together <= available:
        return
    largest = max(range(len(needed)), key=needed.__getitem__)
    threads = (
        f", and {file_size(together)} in {n_threads} threads" if n_threads > 1 else ""
    )
    msg = (
        f"it needs about {file_size(needed[largest])} of memory{threads}; "
        f"{file_size(available)} are available. {advice}"
    )
    raise ItemMemoryError(noun, first + largest, msg)
