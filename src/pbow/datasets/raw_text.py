"""Point clouds and graphs from text files: tables of points, lists of edges."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pbow._utils.tables import read_table
from pbow._utils.text import did_you_mean
from pbow.errors import FileFormatError, format_error

__all__ = ["Columns", "advice", "positions", "read_edges", "read_points"]

Columns = Sequence[int | str]

# Columns of such names have no coordinates.
NO_COORDINATE = {"id", "index", "sample", "cloud", "label", "class", "target"}
# Names of the two ends of an edge, and of columns that have none; of a name with "id"
# at its end, what is before it, as in source_id.
ENDS = (("source", "target"), ("from", "to"), ("src", "dst"), ("u", "v"))
NO_END = {"", "index", "edge", "label", "class", "weight"}
OF_SEVERAL_GRAPHS = {"graph", "sample"}

# One of 64 bits, as pandas writes it with or without missing values.
INTEGER = re.compile(r"([0-9]{1,18})(?:\.0*)?")


class _Text(NamedTuple):
    """Lines without comments and the names of columns; those have empty lines here."""

    lines: list[str]
    header: list[str] | None


def read_points(file: Path, columns: Columns | None) -> NDArray[Any]:
    """Return the numbers of a text, one point per line; of some columns, or of all."""
    lines, header = _read(file)
    if columns is None and header is not None and header[0] == "":
        msg = (
            "its first column has no name, and looks like the row numbers that pandas "
            f"saves. Choose the others, by {advice(header[1:])}; or save it without "
            "them, by index=False."
        )
        raise FileFormatError(file, msg)
    others = [name for name in header or () if name.lower() in NO_COORDINATE]
    if columns is None and header is not None and others:
        rest = [name for name in header if name not in others]
        msg = (
            f"its column {others[0]!r} does not look like a coordinate. Choose those "
            f"that are, by {advice(rest)}; a file is one cloud, so save clouds of a "
            "table one by one."
        )
        raise FileFormatError(file, msg)
    numbers = [number for number, line in enumerate(lines, start=1) if line]
    if not numbers:
        msg = "it has no numbers; expected the coordinates of one point per line."
        raise FileFormatError(file, msg)
    with format_error(file):
        if columns is not None:
            lines = _selected(lines, header, columns)
        plain = [line.replace(",", " ") for line in lines]
        n_columns = len(plain[numbers[0] - 1].split())
        table = read_table("\n".join(plain).encode(), {n_columns})
        missing = np.isnan(table).any(axis=1)
        if missing.any():
            number = numbers[int(missing.argmax())]
            msg = f"line {number} has nan; expected numbers alone."
            raise ValueError(msg)
    return table


def read_edges(file: Path, columns: Columns | None = None) -> tuple[NDArray[Any], int]:
    """Return edges between vertices that are counted from 0, and how many these are."""
    lines, header = _read(file)
    if columns is None and header is not None:
        columns = _find_ends(file, header)
    if columns is not None:
        with format_error(file):
            lines = _selected(lines, header, columns)
    ends = []
    for number, line in enumerate(lines, start=1):
        words = line.replace(",", " ").split()[:2]
        found = [INTEGER.fullmatch(word) for word in words]
        if not all(found):
            msg = (
                f"expected two integers on line {number}, got {line[:40]!r}. Number "
                "the vertices; or read the file with networkx, and pass its graphs to "
                "pbow.homology."
            )
            raise FileFormatError(file, msg)
        if found:
            # A vertex alone is an edge to itself, which graphs leave out.
            ends.append([int(end[1]) for end in (found[0], found[-1]) if end])
    if not ends:
        msg = "it has no edges; expected the two ends of one edge per line."
        raise FileFormatError(file, msg)
    vertices, edges = np.unique(np.array(ends), return_inverse=True)
    return edges.reshape(-1, 2), len(vertices)


def _find_ends(file: Path, header: list[str]) -> Columns | None:
    """Return the columns of the ends of edges by their names; None for the first two.

    Raises where the names say that those are none, or that a file has several graphs.
    """
    names = [name.lower().removesuffix("id").rstrip("_ ") for name in header]
    pair = next((pair for pair in ENDS if {*pair} <= {*names}), ())
    ends = [names.index(end) for end in pair]
    several = OF_SEVERAL_GRAPHS.intersection(names)
    if not several and (ends or NO_END.isdisjoint(names[:2])):
        # Of the first two, a vertex alone may be on a line.
        return None if ends in ([], [0, 1]) else ends
    chosen = [header[k] for k in ends] or ["source", "target"]
    strange = several or NO_END
    name = next(name for name, key in zip(header, names, strict=True) if key in strange)
    problem = f"its column {name!r} is not the end of an edge"
    if name == "":
        problem = "a column has no name, and looks like the row numbers of pandas"
    msg = f"{problem}. Choose the two that are, as in {advice(chosen)}"
    if several:
        msg += "; a file is one graph, so save graphs of a table one by one"
    raise FileFormatError(file, f"{msg}.")


def advice(columns: Columns) -> str:
    """Return how to choose columns, in the shell and in Python."""
    listed = ",".join(map(str, columns))
    return f"--columns {listed} (in Python columns={list(columns)})"


def positions(columns: Columns, header: list[str] | None, n_columns: int) -> list[int]:
    """Return the places of columns that are given by number or by name."""
    places = []
    for column in columns:
        place = header.index(column) if header and column in header else column
        if isinstance(place, str):
            known = ", ".join(header) if header else "no names of columns"
            hint = did_you_mean(place, header or [])
            msg = f"it has no column {place!r}{hint}; it has {known}."
            raise ValueError(msg)
        if not 0 <= place < n_columns:
            msg = (
                f"it has no column {place}; it has {n_columns}, which are counted from "
                "0."
            )
            raise ValueError(msg)
        places.append(place)
    return places


def _selected(
    lines: list[str], header: list[str] | None, columns: Columns
) -> list[str]:
    """Return the words of some columns of each line."""
    chosen = []
    places = None
    for number, line in enumerate(lines, start=1):
        words = _cells(line) if line else []
        if words and places is None:
            places = positions(columns, header, len(words))
        if words and places and max(places) >= len(words):
            msg = f"line {number} has {len(words)} columns, and not {max(places) + 1}."
            raise ValueError(msg)
        chosen.append(" ".join(words[k] for k in places or () if words))
    return chosen


def _read(file: Path) -> _Text:
    """Return the lines of a text without comments.

    A first line that does not begin with a number has the names of columns.
    """
    try:
        text = file.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        msg = "it is not a text file."
        raise FileFormatError(file, msg) from error
    lines = [line.partition("#")[0].strip() for line in text.splitlines()]
    head = next((line for line in lines if line), "")
    if ";" in head:
        msg = (
            "it seems to be separated by semicolons; expected commas or spaces, and "
            "points in numbers, as in 0.5,0.2."
        )
        raise FileFormatError(file, msg)
    if not head or any(map(_is_number, _cells(head))):
        return _Text(lines, None)
    lines[lines.index(head)] = ""
    return _Text(lines, [name.strip('"') for name in _cells(head)])


def _cells(line: str) -> list[str]:
    return [cell.strip() for cell in line.split(",")] if "," in line else line.split()


def _is_number(word: str) -> bool:
    try:
        float(word)
    except ValueError:
        return False
    return True
