"""How much memory this process can still take."""

from __future__ import annotations

import os
from collections.abc import Iterator
from math import inf
from pathlib import Path

__all__ = ["available_memory"]


def available_memory(root: Path = Path("/")) -> float:
    """Return the bytes that this process can still take, inf if that is not known.

    That is what is free on the machine without swapping, or what is left under the
    limit of the container (a Linux control group of version 1 or 2), if less. `root` is
    the folder of ``proc`` and ``sys``.
    """
    return min(_of_machine(root), *_of_control_groups(root))


def _of_machine(root: Path) -> float:
    for line in _lines(root / "proc" / "meminfo"):
        if line.startswith("MemAvailable:"):
            return 1024.0 * int(line.split()[1])
    try:  # not Linux: all there is, since what is free of it is not known
        return float(os.sysconf("SC_PHYS_PAGES")) * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, OSError, ValueError):
        return inf


def _of_control_groups(root: Path) -> Iterator[float]:
    """Yield what is left in the group of this process, and in those around it."""
    groups = root / "sys" / "fs" / "cgroup"
    yield inf
    for line in _lines(root / "proc" / "self" / "cgroup"):
        _, controllers, path = line.split(":", 2)
        if controllers == "":
            top, names = groups, ("memory.max", "memory.current", "inactive_file")
        elif "memory" in controllers.split(","):
            top = groups / "memory"
            names = (
                "memory.limit_in_bytes",
                "memory.usage_in_bytes",
                "total_inactive_file",
            )
        else:
            continue
        # Inside a container the path may be that of the host, which is not to be seen;
        # the root is then the group of the container.
        group = top / path.lstrip("/")
        for folder in (group, *group.parents):
            yield _left_in(folder, *names)
            if folder == top:
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
