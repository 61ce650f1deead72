"""Words of messages: plurals, sizes, names that were meant, natural order."""

from __future__ import annotations

import re
from collections.abc import Iterable
from difflib import get_close_matches

__all__ = ["did_you_mean", "file_size", "natural_key", "plural"]


def plural(n: int, noun: str) -> str:
    """Return a count with its noun: ``1 diagram``, ``2,000 diagrams``."""
    if n == 1:
        return f"1 {noun}"
    ending = "es" if noun.endswith(("s", "x", "ch", "sh")) else "s"
    return f"{n:,} {noun}{ending}"


def file_size(n_bytes: float) -> str:
    """Return a number of bytes as people write it: ``3.2 GB``."""
    for unit in ("bytes", "kB", "MB", "GB", "TB", "PB"):
        if n_bytes < 1000:
            return f"{n_bytes:.3g} {unit}"
        n_bytes /= 1000
    return f"{n_bytes:.3g} EB"


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """Return ``" (did you mean 'x'?)"`` for the known name nearest to it, or ``""``."""
    nearest = get_close_matches(name, list(known), n=1)
    return f" (did you mean {nearest[0]!r}?)" if nearest else ""


def natural_key(name: str) -> list[tuple[int, str]]:
    """Return a key that sorts 2 before 10, and equal numbers by how they are written.

    Digits are compared as text of a known length: a name of a million digits is no
    number to compute with.
    """
    key: list[tuple[int, str]] = []
    for position, piece in enumerate(re.split(r"([0-9]+)", name)):
        digits = piece.lstrip("0")
        key.append((len(digits) + 1, digits) if position % 2 else (0, piece))
    return [*key, (0, name)]
