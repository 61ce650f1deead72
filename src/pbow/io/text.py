"""Lines of numbers: the persistence diagrams of gudhi (``.pers``), Hera and Perseus."""

from __future__ import annotations

from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from pbow._utils.tables import line_of_row, read_table
from pbow.diagrams import Diagrams
from pbow.errors import format_error
from pbow.io.dimensions import by_dimension, dimensions_of

__all__ = [
    "may_be_edges",
    "read_hera",
    "read_pers",
    "read_perseus",
    "text_format",
    "write_hera",
    "write_pers",
    "write_perseus",
]

Floats = NDArray[np.float64]

BIRTH_DEATH = ["birth", "death"]
DIMENSION = ("dim", "dimension", "degree")


def may_be_edges(start: bytes) -> bool:
    """Whether all lines are two whole numbers without a point: a list of edges is so.

    The last line may be cut off, and does not count if there are others.
    """
    rows = list(filter(None, map(_cells, start.splitlines())))
    return all(word.isdecimal() for row in rows[:-1] or rows for word in row)


def text_format(start: bytes) -> str | None:
    """Return the format of a text that begins so, if it can be only one diagram.

    Two numbers on the first line are birth and death, as in a file of Hera. So is what
    columns of these names have; with a column of dimensions before them it is as in a
    file of gudhi.
    """
    cells = _first_cells(start)
    if cells == BIRTH_DEATH or (len(cells) == 2 and all(map(_is_number, cells))):
        return "hera"
    if cells[:1] and cells[0] in DIMENSION and cells[1:] == BIRTH_DEATH:
        return "pers"
    return None


def read_pers(path: Path) -> dict[int | None, Floats]:
    """Return the diagrams of a text file of gudhi by dimension.

    Lines are ``[[field] dimension] birth death``, all with as many numbers; what
    follows a ``#`` is a comment. The key is None where there is no column of
    dimensions.
    """
    with format_error(path):
        table = _read_numbers(path, (2, 3, 4))
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

    Lines are ``birth death``, or ``birth,death``; what follows a ``#`` is a comment. A
    first line may have the names of the columns.
    """
    with format_error(path):
        table = _read_numbers(path, (2,))
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
        points = _read_numbers(path, (2,))
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


def _read_numbers(path: Path, n_columns: tuple[int, ...]) -> Floats:
    """Return the numbers of a text, which may have commas and names of columns."""
    data = path.read_bytes()
    cells = _first_cells(data)
    if cells[-2:] == BIRTH_DEATH:
        lines = data.splitlines()
        head = next(number for number, line in enumerate(lines) if _cells(line))
        lines[head] = b""  # and not left out, so that lines keep their numbers
        data = b"\n".join(lines)
    data = data.replace(b",", b" ")
    table: Floats = read_table(data, n_columns)
    missing = np.isnan(table[:, -2:]).any(axis=1)
    if missing.any():
        number, line = line_of_row(data, int(missing.argmax()))
        msg = f"line {number} is {line!r}; expected numbers, and no NaN. Remove it."
        raise ValueError(msg)
    return table


def _first_cells(data: bytes) -> list[str]:
    """Return the words of the first line that has any."""
    lines = data.removeprefix(b"\xef\xbb\xbf").splitlines()
    return next(filter(None, map(_cells, lines)), [])


def _cells(line: bytes) -> list[str]:
    text = line.partition(b"#")[0].decode("latin-1").lower()
    return text.replace(",", " ").replace('"', "").split()


def _is_number(word: str) -> bool:
    try:
        float(word)
    except ValueError:
        return False
    return "_" not in word


def _write_lines(file: BinaryIO, template: str, rows: NDArray[Any]) -> None:
    # %r has as many digits as it takes to read the same number again.
    columns = zip(*rows.T.tolist(), strict=True)
    file.write("".join(map(template.__mod__, columns)).encode("ascii"))
