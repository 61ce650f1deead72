"""How much memory this process can still take."""

from __future__ import annotations

import os
from collections.abc import Iterator
from math import inf
from pathlib import Path

__all__ = ["available_memory"]

PROC = Path("/proc")
CGROUPS = Path("/sys/fs/cgroup")


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
