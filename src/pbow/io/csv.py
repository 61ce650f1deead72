"""Comma-separated values: one row per point, and one for each empty diagram."""

from __future__ import annotations

import csv
import re
from collections.abc import Sequence
from contextlib import suppress
from itertools import compress, islice
from pathlib import Path
from typing import BinaryIO, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pbow._utils.unpacking import damage_as_value_error
from pbow.diagrams import Diagrams
from pbow.errors import DiagramError, format_error

__all__ = ["read_csv", "text_cell", "write_csv"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

COLUMNS = ("sample", "part", "birth", "death")

# So many rows are Python objects at a time: few enough for the processor's cache.
N_ROWS = 1 << 12

# Diagrams that need not be named by a row: a short file must not ask for much memory.
N_UNNAMED = 1_000_000

# Numbers in the column of parts must not become a million of them.
MOST_PARTS = 10_000

# Spreadsheets compute what begins so; an apostrophe in front makes it a text for them.
FORMULA = re.compile(r"'*[=+\-@\t\r]")


class _Block(NamedTuple):
    """Rows of points, and the samples of rows that only name a diagram."""

    samples: Ints
    parts: Ints
    points: Floats
    named: Ints


def read_csv(path: Path) -> Diagrams:
    """Read a CSV file with one row per point.

    The columns sample, part, birth and death may be in any order. Samples are numbered
    from 0, and parts come in the order of their first rows. A row without birth and
    death names a diagram, which may be empty, and one without a sample, too, a part.
    """
    blocks: list[_Block] = []
    names: dict[str, int] = {}
    # utf-8-sig: spreadsheets put a mark in front.
    with (
        path.open(encoding="utf-8-sig", newline="") as file,
        format_error(path),
        damage_as_value_error(),
    ):
        reader = csv.reader(file, strict=True)
        header = next(reader, [])
        if sorted(name for name in header if name in COLUMNS) != sorted(COLUMNS):
            msg = (
                f"its first line must have the columns {', '.join(COLUMNS)}, each "
                f"once; got {_shown(header)}. A file of one diagram has the columns "
                "birth and death, or dimension, birth and death. Of raw data, compute "
                "the diagrams first, as pbow homology does."
            )
            raise ValueError(msg)
        line = reader.line_num + 1
        while rows := list(islice(reader, N_ROWS)):
            blocks.append(_parse(rows, line, header, names))
            line = reader.line_num + 1
        return _assemble(blocks, list(names))


def write_csv(X: Diagrams, file: BinaryIO) -> None:
    """Write a CSV file, part after part."""
    file.write((",".join(COLUMNS) + "\n").encode())
    for name in X.parts:
        part, field = X[name], _quoted(name)
        row = "%d," + field.replace("%", "%%") + ",%r,%r\n"
        owners = np.repeat(np.arange(len(X)), part.sizes)
        for start in range(0, len(owners), N_ROWS):
            here = slice(start, start + N_ROWS)
            births, deaths = part.points[here].T.tolist()
            cells = zip(owners[here].tolist(), births, deaths, strict=True)
            file.write("".join(map(row.__mod__, cells)).encode())
        unnamed = np.flatnonzero(part.sizes == 0).tolist() if len(X) else [""]
        file.write("".join(f"{sample},{field},,\n" for sample in unnamed).encode())


def text_cell(text: str) -> str:
    """Return a text as spreadsheets take it for one, and not for a formula."""
    return f"'{text}" if FORMULA.match(text) else text


def _quoted(name: str) -> str:
    name = text_cell(name)
    if name == name.strip() and not any(sign in name for sign in ',"\r\n'):
        return name
    doubled = name.replace('"', '""')
    return f'"{doubled}"'


def _text_of(field: str) -> str:
    return field[1:] if field[:1] == "'" and FORMULA.match(field) else field


def _parse(
    rows: list[list[str]], line: int, header: list[str], names: dict[str, int]
) -> _Block:
    """Return rows as numbers, and give numbers to the parts that they name.

    Lines are counted from the first of the rows, `line`, for errors; a field that goes
    on over several lines sets the others of its block off by these.
    """
    lines: Sequence[int] = range(line, line + len(rows))
    for number, row in zip(lines, rows, strict=True):
        if len(row) not in (0, len(header)):
            msg = (
                f"line {number} has {len(row)} fields and the first line "
                f"{len(header)}: {_shown(row)}."
            )
            raise ValueError(msg)
    lines = list(compress(lines, rows))
    filled = list(zip(*filter(None, rows), strict=True)) or [()] * len(header)
    columns = [filled[header.index(name)] for name in COLUMNS]
    for name in dict.fromkeys(columns[1]):
        names.setdefault(_text_of(name), len(names))
    named: tuple[list[str], list[int]] = [], []
    if "" in columns[2]:
        samples, _, births, deaths = columns
        is_point = [bool(b or d) for b, d in zip(births, deaths, strict=True)]
        is_named = [bool(s) and not p for s, p in zip(samples, is_point, strict=True)]
        named = list(compress(samples, is_named)), list(compress(lines, is_named))
        columns = [tuple(compress(column, is_point)) for column in columns]
        lines = list(compress(lines, is_point))
    samples, parts, births, deaths = columns
    numbers = {name: names[_text_of(name)] for name in set(parts)}
    points = np.column_stack((_numbers(births, lines), _numbers(deaths, lines)))
    _check_points(points, parts, lines)
    return _Block(
        _sample_numbers(samples, lines),
        np.fromiter(map(numbers.__getitem__, parts), np.int64, len(parts)),
        points,
        _sample_numbers(*named),
    )


def _check_points(points: Floats, parts: Sequence[str], lines: Sequence[int]) -> None:
    """Raise for the first point that no diagram has, while its line is known."""
    # A NaN fails the comparisons.
    valid = (points[:, 1] >= points[:, 0]) & np.isfinite(points[:, 0])
    if valid.all():
        return
    row = int(np.argmin(valid))
    try:
        Diagrams(points[row : row + 1], [0, 1], name=_text_of(parts[row]))
    except DiagramError as error:
        msg = f"line {lines[row]} {error.problem}"
        raise ValueError(msg) from error


def _numbers(words: Sequence[str], lines: Sequence[int]) -> Floats:
    # Python would read 1_000, and digits of all scripts; no program writes these.
    plain = "".join(words)
    if plain.isascii() and "_" not in plain:
        with suppress(ValueError):
            return np.fromiter(map(float, words), np.float64, len(words))
    numbered = zip(lines, words, strict=True)
    line, word = next((line, word) for line, word in numbered if not _is_number(word))
    msg = f"line {line}: {word[:40]!r} is not a number."
    raise ValueError(msg)


def _is_number(word: str) -> bool:
    try:
        float(word)
    except ValueError:
        return False
    return word.isascii() and "_" not in word


def _sample_numbers(words: Sequence[str], lines: Sequence[int]) -> Ints:
    values = _numbers(words, lines)
    # A NaN fails the comparison.
    valid = (values >= 0) & (values < 2.0**53) & (values == np.floor(values))
    if not valid.all():
        row = int(np.argmin(valid))
        msg = (
            f"line {lines[row]}: expected samples to be numbered 0, 1, 2, ...; got "
            f"{words[row][:40]!r}."
        )
        raise ValueError(msg)
    return values.astype(np.int64)


def _assemble(blocks: Sequence[_Block], names: Sequence[str]) -> Diagrams:
    if not names:
        msg = "it has no row below the first line, so that no part is known."
        raise ValueError(msg)
    samples, parts, points, named = map(np.concatenate, zip(*blocks, strict=True))
    found = np.unique(np.concatenate((samples, named)))
    n_samples = len(found)
    gaps = np.flatnonzero(found != np.arange(n_samples))
    if len(gaps):
        msg = (
            f"samples must be numbered from 0 without gaps; there is {found[-1]}, but "
            f"no {gaps[0]}. Write a row '{gaps[0]},{names[0]},,' for an empty diagram."
        )
        raise ValueError(msg)
    n_rows = len(samples) + len(named)
    if len(names) > MOST_PARTS or len(names) * n_samples > n_rows + N_UNNAMED:
        msg = (
            f"its {n_rows} rows are of {len(names)} parts and {n_samples} samples. Is "
            "the column of parts really that? If so, write a row with sample and part "
            f"alone for each empty diagram, and at most {MOST_PARTS} parts."
        )
        raise ValueError(msg)
    # Stable: points of a diagram stay in the order of the rows.
    order = np.lexsort((samples, parts))
    cuts = np.searchsorted(parts[order], np.arange(1, len(names)))
    return Diagrams.from_parts(
        {
            name: Diagrams(
                points[rows],
                np.searchsorted(samples[rows], np.arange(n_samples + 1)),
                name=name,
            )
            for name, rows in zip(names, np.split(order, cuts), strict=True)
        }
    )


def _shown(row: Sequence[str]) -> str:
    return repr(",".join(row)[:60])
