"""Whole numbers in lines of text, millions of them."""

from __future__ import annotations

import re

import numpy as np
from numpy.typing import NDArray

from pbow.datasets.importing.release import refuse

__all__ = ["read_integers", "read_whole_numbers"]

Ints = NDArray[np.int64]

DIGITS = b"0123456789"
BLANKS = b" \t\r"
TWO_WITHOUT_COMMA = re.compile(rb"[0-9][ \t]+[0-9]")
# Beyond, they would not fit; and no release counts so far.
MOST_DIGITS = 18


def read_whole_numbers(data: bytes, where: str, n_columns: int) -> Ints:
    """Return one row a line: numbers from 0 on, one, or two with a comma between.

    Empty lines are passed over, and lines may end as in any system.

    Parameters
    ----------
    data : bytes
        The content of a file.
    where : str
        Its name, for messages.
    n_columns : {1, 2}
        Numbers on a line.

    Returns
    -------
    numbers : ndarray of int64 of shape (n_lines, n_columns)

    Raises
    ------
    FileFormatError
        With the first line that is otherwise.
    """
    data = data.removeprefix(b"\xef\xbb\xbf")
    if _is_regular(data, n_columns):
        spaced = data.replace(b",", b" ")
        numbers = np.fromstring(spaced, np.int64, sep=" ")
        commas = data.count(b",")
        if n_columns == 1 or len(numbers) == 2 * commas:
            return numbers.reshape(-1, n_columns)
    return _read_line_by_line(data, where, n_columns)


def read_integers(data: bytes, where: str) -> list[int]:
    """Return the integers of a file with one on each line; they may be negative."""
    integers = []
    for number, line in enumerate(data.removeprefix(b"\xef\xbb\xbf").splitlines(), 1):
        word = line.strip()
        if not word:
            continue
        if not re.fullmatch(rb"[-+]?[0-9]{1,18}", word):
            refuse(where, f"line {number} is {_shown(word)}; expected a whole number.")
        integers.append(int(word))
    return integers


def _is_regular(data: bytes, n_columns: int) -> bool:
    """Whether numpy reads the lines right, up to the count of numbers; it is fast."""
    packed = data.translate(None, BLANKS)
    between = packed.translate(None, DIGITS)
    if between.strip(b",\n") or TWO_WITHOUT_COMMA.search(data):
        return False
    if re.search(rb"[0-9]{%d}" % (MOST_DIGITS + 1), packed):
        return False
    if b"\r" in data and data.count(b"\r") != data.count(b"\r\n"):
        return False
    if n_columns == 1:
        return b"," not in between
    lost = (b",\n", b"\n,")  # a number is missing before or after the comma
    return (
        b",," not in between
        and not packed.startswith(b",")
        and not packed.endswith(b",")
        and not any(piece in packed for piece in lost)
    )


def _read_line_by_line(data: bytes, where: str, n_columns: int) -> Ints:
    rows = []
    for number, line in enumerate(data.splitlines(), 1):
        fields = [field.strip() for field in line.split(b",")]
        if fields == [b""]:
            continue
        if len(fields) != n_columns or not all(
            field.isdigit() and len(field) <= MOST_DIGITS for field in fields
        ):
            expected = (
                "one whole number",
                "two whole numbers with a comma between",
            )[n_columns - 1]
            refuse(where, f"line {number} is {_shown(line)}; expected {expected}.")
        rows.append([int(field) for field in fields])
    return np.array(rows, np.int64).reshape(-1, n_columns)


def _shown(line: bytes) -> str:
    return repr(line[:40].decode("utf-8", "replace"))
