"""How much memory there is, and a refusal in time where it will not do.

Numbers of bytes are floats: an estimate may be beyond every integer type.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from heapq import nlargest
from math import inf
from pathlib import Path

from pbow.homology._common import count_threads

__all__ = ["available_memory", "check_memory"]

PROC = Path("/proc")
CGROUPS = Path("/sys/fs/cgroup")


def check_memory(
    needed: Sequence[float],
    *,
    noun: str,
    first: int = 0,
    n_jobs: int | None,
    advice: str,
) -> None:
    """Raise MemoryError where the items cannot be worked on in the memory there is.

    Parameters
    ----------
    needed : sequence of float
        Estimated bytes for each item. As many items as there are threads are worked on
        at a time; in the worst case, those that need most.
    noun : str
        What an item is, for the message: "cloud".
    first : int, default=0
        Number of the first item, for the message.
    n_jobs : int or None
        Number of threads, as in joblib.
    advice : str
        What to do: whole sentences, in the message after the numbers.
    """
    n_threads = count_threads(n_jobs, needed)
    together = sum(nlargest(n_threads, needed))
    available = available_memory()
    if together <= available:
        return
    largest = max(range(len(needed)), key=needed.__getitem__)
    threads = (
        f", and {_bytes(together)} in {n_threads} threads" if n_threads > 1 else ""
    )
    msg = (
        f"{noun.capitalize()} {first + largest} needs about "
        f"{_bytes(needed[largest])} of memory{threads}; {_bytes(available)} are "
        f"available. {advice}"
    )
    raise MemoryError(msg)


def available_memory() -> float:
    """Return the bytes that this process can still take, inf where nobody knows.

    That is what is free on the machine without swapping, or what is left under the
    limit of the container (a Linux control group of version 1 or 2), if less.
    """
    return min((_of_machine(), *_of_control_groups()), default=inf)


def _of_machine() -> float:
    for line in _lines(PROC / "meminfo"):
        if line.startswith("MemAvailable:"):
            return 1024.0 * int(line.split()[1])
    try:  # not Linux: all there is, since what is free of it is not told
        return float(os.sysconf("SC_PHYS_PAGES")) * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, OSError, ValueError):
        return inf


def _of_control_groups() -> Iterator[float]:
    """Yield what is left in the group of this process, and in those around it."""
    for line in _lines(PROC / "self" / "cgroup"):
        _, controllers, path = line.split(":", 2)
        if controllers == "":
            root, names = CGROUPS, ("memory.max", "memory.current", "inactive_file")
        elif "memory" in controllers.split(","):
            root = CGROUPS / "memory"
            names = (
                "memory.limit_in_bytes",
                "memory.usage_in_bytes",
                "total_inactive_file",
            )
        else:
            continue
        # Inside a container the path may be that of the host, which is not to be seen;
        # the root is then the group of the container.
        group = root / path.lstrip("/")
        for folder in (group, *group.parents):
            yield _left_in(folder, *names)
            if folder == root:
                break


def _left_in(folder: Path, limit: str, usage: str, reclaimable: str) -> float:
    try:
        maximum = float((folder / limit).read_text())
        used = float((folder / usage).read_text())
    except (OSError, ValueError):  # no such group here, or its limit is "max"
        return inf
    for line in _lines(folder / "memory.stat"):
        name, _, value = line.partition(" ")
        if name == reclaimable:  # copies of files, which give way
            used -= float(value)
    return max(0.0, maximum - used)


def _lines(path: Path) -> list[str]:
    try:
        return path.read_text().splitlines()
    except OSError:
        return []


def _bytes(n: float) -> str:
    """Say a number of bytes as people do: 3.2 GB."""
    for unit in ("bytes", "kB", "MB", "GB", "TB", "PB"):
        if n < 1000:
            return f"{n:.3g} {unit}"
        n /= 1000
    return f"{n:.3g} EB"
