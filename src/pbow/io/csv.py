"""Comma-separated values: a row for each point, and one for each empty diagram."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Sequence
from itertools import chain, compress, islice
from pathlib import Path
from typing import BinaryIO, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pbow.diagrams import Diagrams
from pbow.errors import format_error

__all__ = ["read_csv", "write_csv"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

COLUMNS = ("sample", "part", "birth", "death")

# So many rows are Python objects at a time: few enough for the processor's cache.
N_ROWS = 1 << 12

# Diagrams that need not be named by a row: a short file must not ask for much memory.
N_UNNAMED = 1_000_000

# Numbers in the column of parts must not become a million of them.
MOST_PARTS = 10_000


class _Block(NamedTuple):
    """Rows of points, and the samples of rows that only name a diagram."""

    samples: Ints
    parts: Ints
    points: Floats
    named: Ints


def read_csv(path: Path) -> Diagrams:
    """Read a CSV file with a row for each point.

    Parameters
    ----------
    path : Path
        A file with columns sample, part, birth and death, in any order. Samples are
        numbered from 0. A row without birth and death names a diagram, which may be
        empty, and one without a sample, too, a part.

    Returns
    -------
    X : Diagrams
        Parts in the order in which they first come.

    Raises
    ------
    FileFormatError
        If the file is not of this kind.
    """
    names: dict[str, int] = {}
    # utf-8-sig: spreadsheets put a mark in front.
    with path.open(encoding="utf-8-sig", newline="") as file, format_error(path):
        try:
            blocks = list(_read_blocks(file, names))
        except csv.Error as error:
            raise ValueError(str(error)) from error
        return _assemble(blocks, list(names))


def write_csv(X: Diagrams, file: BinaryIO) -> None:
    """Write a CSV file, part after part.

    Parameters
    ----------
    X : Diagrams
        Any collection.
    file : binary file
        Where to.
    """
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


def _quoted(name: str) -> str:
    if name == name.strip() and not any(sign in name for sign in ',"\r\n'):
        return name
    doubled = name.replace('"', '""')
    return f'"{doubled}"'


def _read_blocks(file: Iterator[str], names: dict[str, int]) -> Iterator[_Block]:
    header = next(csv.reader(file, strict=True), [])
    if sorted(name for name in header if name in COLUMNS) != sorted(COLUMNS):
        msg = (
            f"its first line must have the columns {', '.join(COLUMNS)}, each once; "
            f"got {_shown(header)}."
        )
        raise ValueError(msg)
    places = [header.index(name) for name in COLUMNS]
    for words, widths in _read_words(file):
        _check_widths(words, widths, len(header))
        yield _parse([words[place :: len(header)] for place in places], names)


def _read_words(file: Iterator[str]) -> Iterator[tuple[list[str], list[int]]]:
    """Yield the fields of some rows, row after row, and how many each row has."""
    while lines := list(islice(file, N_ROWS)):
        if any('"' in line for line in lines):
            # What is quoted may go on in the next lines. A list for each row makes the
            # rest several times slower, by the garbage collection alone.
            reader = csv.reader(chain(lines, file), strict=True)
            while rows := list(islice(reader, N_ROWS)):
                yield list(chain.from_iterable(rows)), [len(row) for row in rows]
            return
        plain = [line.rstrip("\r\n") for line in lines]
        filled = [line for line in plain if line]
        if filled:
            yield ",".join(filled).split(","), [line.count(",") + 1 for line in filled]


def _check_widths(words: Sequence[str], widths: Sequence[int], width: int) -> None:
    if set(widths) <= {0, width}:
        return
    at = next(i for i, n in enumerate(widths) if n not in {0, width})
    start = sum(widths[:at])
    row = words[start : start + widths[at]]
    msg = f"a row has {len(row)} fields and the first line {width}: {_shown(row)}."
    raise ValueError(msg)


def _parse(columns: Sequence[list[str]], names: dict[str, int]) -> _Block:
    """Return rows as numbers, and give numbers to the parts that they name."""
    for name in dict.fromkeys(columns[1]):
        names.setdefault(name, len(names))
    named: list[str] = []
    if "" in columns[2]:
        samples, _, births, deaths = columns
        is_point = [bool(b or d) for b, d in zip(births, deaths, strict=True)]
        named = [s for s, p in zip(samples, is_point, strict=True) if s and not p]
        columns = [list(compress(column, is_point)) for column in columns]
    samples, parts, births, deaths = columns
    return _Block(
        _sample_numbers(samples),
        np.fromiter(map(names.__getitem__, parts), np.int64, len(parts)),
        np.column_stack((_numbers(births), _numbers(deaths))),
        _sample_numbers(named),
    )


def _numbers(words: Sequence[str]) -> Floats:
    # Python would read 1_000, and digits of all scripts; no program writes these.
    plain = "".join(words)
    if plain.isascii() and "_" not in plain:
        try:
            return np.fromiter(map(float, words), np.float64, len(words))
        except ValueError:
            pass
    culprit = next(word for word in words if not _is_number(word))
    msg = f"{culprit[:40]!r} is not a number."
    raise ValueError(msg)


def _is_number(word: str) -> bool:
    try:
        float(word)
    except ValueError:
        return False
    return word.isascii() and "_" not in word


def _sample_numbers(words: Sequence[str]) -> Ints:
    values = _numbers(words)
    # A NaN fails the comparison.
    valid = (values >= 0) & (values < 2.0**53) & (values == np.floor(values))
    if not valid.all():
        msg = (
            f"expected samples to be numbered 0, 1, 2, ...; got "
            f"{words[int(np.argmin(valid))][:40]!r}."
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
