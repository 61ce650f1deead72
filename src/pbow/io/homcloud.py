"""Diagrams of HomCloud: ``.pdgm`` files.

After 24 bytes of a signature and the length of what follows, a msgpack map lists the
chunks of the file: their types, degrees, positions and lengths. A chunk ``pd`` has the
births, deaths and essential births of one degree; all others are left alone.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pbow._utils.checks import LARGEST_DIMENSION
from pbow._utils.optional import import_optional
from pbow._utils.unpacking import damage_as_value_error
from pbow.errors import format_error

__all__ = ["SIGNATURE", "read_homcloud"]

Floats = NDArray[np.float64]

SIGNATURE = b"HomCloud .pdgm format".ljust(24, b"\0")
VERSION = 1


def read_homcloud(path: Path) -> dict[int | None, Floats]:
    """Return the diagrams of a file by dimension.

    Those of superlevel sets, which have births above deaths, are negated, as
    :func:`pbow.homology.cubical` has them.
    """
    msgpack = import_optional(
        "msgpack", extra="homcloud", purpose="Reading files of HomCloud"
    )
    data = path.read_bytes()
    with format_error(path), damage_as_value_error():
        if not data.startswith(SIGNATURE):
            msg = "it does not begin as files of HomCloud do."
            raise ValueError(msg)
        start = len(SIGNATURE) + 8
        stop = start + int.from_bytes(data[len(SIGNATURE) : start], "little")
        head = msgpack.unpackb(data[start:stop])
        if head["format_version"] != VERSION:
            msg = f"its version is {head['format_version']!r:.60}; expected {VERSION}."
            raise ValueError(msg)
        found = [
            msgpack.unpackb(data[stop + one["start"] :][: one["length"]])
            for one in head["chunks"]
            if one["chunktype"] == "pd"
        ]
        columns = {_degree(chunk): _columns(chunk) for chunk in found}
        if len(columns) < len(found):
            msg = "it has several diagrams of one degree."
            raise ValueError(msg)
        # They may be stored as they are in the image, with births above deaths.
        rises = any((deaths > births).any() for births, deaths, _ in columns.values())
        sign = -1.0 if head["sign_flipped"] and not rises else 1.0
        return {dim: _points(sign, *one) for dim, one in columns.items()}


def _degree(chunk: Any) -> int:
    degree = chunk["degree"]
    if not isinstance(degree, int) or not 0 <= degree <= LARGEST_DIMENSION:
        msg = (
            f"it has a diagram of degree {degree!r:.60}; expected a whole number from "
            f"0 to {LARGEST_DIMENSION}."
        )
        raise ValueError(msg)
    return degree


def _columns(chunk: Any) -> list[Floats]:
    names = ("births", "deaths", "essential_births")
    return [np.array(chunk[name], np.float64).reshape(-1) for name in names]


def _points(sign: float, births: Floats, deaths: Floats, essential: Floats) -> Floats:
    infinite = np.full(len(essential), np.inf)
    return np.concatenate(
        (
            sign * np.column_stack((births, deaths)),
            np.column_stack((sign * essential, infinite)),
        )
    )
