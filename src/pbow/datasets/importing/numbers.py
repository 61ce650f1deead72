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
# No release counts so far, and 64 bits just do.
MOST_DIGITS = 18
BEYOND = 10**MOST_DIGITS


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
    n_lines = _count_lines(data, n_columns)
    if n_lines is not None:
        numbers = np.fromstring(data.replace(b",", b" "), np.int64, sep=" ")
        # What does not fit becomes the largest number.
        if len(numbers) == n_columns * n_lines and numbers.max(initial=0) < BEYOND:
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


def _count_lines(data: bytes, n_columns: int) -> int | None:
    """Return how many lines are not empty, or None where some cannot be right.

    Each line then has one comma less than columns at most, and a number on both sides
    of it. So there are right numbers on every line, if there are as many as there must
    be in total: too few on one line cannot make up for too many on another.
    """
    packed = data.translate(None, BLANKS)
    between = packed.translate(None, DIGITS)
    if between.strip(b",\n"):
        return None
    if n_columns == 2:
        wrong = (b",," in between, b",\n" in packed, b"\n," in packed)
        if any(wrong) or packed.startswith(b",") or packed.endswith(b","):
            return None
        return between.count(b",")
    if b"," in between:
        return None
    are_ends = np.frombuffer(b"\n" + packed, np.uint8) == ord("\n")
    return int(np.count_nonzero(are_ends[:-1] & ~are_ends[1:]))


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
