"""Lines of numbers: the persistence diagrams of gudhi (``.pers``), Hera and Perseus."""

from __future__ import annotations

from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from pbow._utils.tables import read_table
from pbow.diagrams import Diagrams
from pbow.errors import format_error
from pbow.io.dimensions import by_dimension, dimensions_of

__all__ = [
    "read_hera",
    "read_pers",
    "read_perseus",
    "write_hera",
    "write_pers",
    "write_perseus",
]

Floats = NDArray[np.float64]


def read_pers(path: Path) -> dict[int | None, Floats]:
    """Return the diagrams of a text file of gudhi by dimension.

    Lines are ``[[field] dimension] birth death``, all with as many numbers; what
    follows a ``#`` is a comment. The key is None where there is no column of
    dimensions.
    """
    with format_error(path):
        table = read_table(path.read_bytes(), (2, 3, 4))
        if len(table) == 0:
            return {}
        if table.shape[1] == 2:
            return {None: table}
        if table.shape[1] == 4 and (table[:, 0] != table[0, 0]).any():
            fields = ", ".join(f"{field:g}" for field in np.unique(table[:, 0])[:4])
            msg = (
                f"it has diagrams over several fields of coefficients ({fields}). "
                "Write a file for each."
            )
            raise ValueError(msg)
        return by_dimension(table[:, -3], table[:, -2:])


def write_pers(X: Diagrams, file: BinaryIO) -> None:
    """Write the diagrams of one sample as lines ``dimension birth death``."""
    for name, dim in dimensions_of(X, "gudhi's .pers file").items():
        _write_lines(file, f"{dim} %r %r\n", X[name].points)


def read_hera(path: Path) -> dict[int | None, Floats]:
    """Return the one diagram of a text file of Hera, which does not say its dimension.

    Lines are ``birth death``; what follows a ``#`` is a comment.
    """
    with format_error(path):
        table = read_table(path.read_bytes(), (2,))
        return {None: table} if len(table) else {}


def write_hera(X: Diagrams, file: BinaryIO) -> None:
    """Write the only diagram of one sample as lines ``birth death``."""
    if len(X.parts) > 1:
        msg = (
            f"A file of Hera holds one diagram, and there are {', '.join(X.parts)}. "
            "Select one of them."
        )
        raise ValueError(msg)
    _write_lines(file, "%r %r\n", X.points)


def read_perseus(path: Path) -> Floats:
    """Return the diagram of a file of Perseus, where a death of -1 is infinite."""
    with format_error(path):
        points = read_table(path.read_bytes(), (2,))
        if (points[:, 0] < 0).any():
            msg = (
                f"it has a birth below 0, {points[:, 0].min():g}. Perseus counts from "
                "0; else a death of -1 could be a value, or infinity."
            )
            raise ValueError(msg)
        points[points[:, 1] == -1, 1] = np.inf
        return points


def write_perseus(points: Floats, file: BinaryIO) -> None:
    """Write one diagram as lines ``birth death``, where -1 is an infinite death."""
    if (points[:, 0] < 0).any():
        msg = (
            f"Perseus has no births below 0, as -1 stands for infinity; there is one "
            f"of {points[:, 0].min():g}. Add a constant to all values first."
        )
        raise ValueError(msg)
    rows = np.where(np.isposinf(points), -1.0, points)
    # Perseus itself counts steps, and writes no decimal point.
    are_steps = bool(((rows == np.floor(rows)) & (rows < 2.0**53)).all())
    _write_lines(file, "%r %r\n", rows.astype(np.int64) if are_steps else rows)


def _write_lines(file: BinaryIO, template: str, rows: NDArray[Any]) -> None:
    # %r has as many digits as it takes to read the same number again.
    columns = zip(*rows.T.tolist(), strict=True)
    file.write("".join(map(template.__mod__, columns)).encode("ascii"))
