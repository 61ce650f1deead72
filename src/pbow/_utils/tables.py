"""Tables of numbers in text, read by numpy; errors name the line and what is on it."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from io import BytesIO
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

__all__ = ["line_of_row", "read_table"]


def read_table(
    data: bytes, n_columns: Collection[int], dtype: type[np.number[Any]] = np.float64
) -> NDArray[Any]:
    """Return the numbers of a text: one row per line, separated by blanks.

    Lines may end as on any system. Empty lines are ignored, and what follows a ``#``.

    Parameters
    ----------
    data : bytes
        The content of a file. Comments may be in any encoding.
    n_columns : collection of int
        How many numbers a line may have; all lines have the same.
    dtype : {np.float64, np.int64}
        Type of the numbers.

    Returns
    -------
    table : ndarray of shape (n_lines, n_columns)
        Without any number in the text, the smallest of `n_columns` is taken.

    Raises
    ------
    ValueError
        With the first line that is otherwise.

    Examples
    --------
    >>> from pbow._utils.tables import read_table
    >>> read_table(b"0 0.5 # a comment", (2, 3))
    array([[0. , 0.5]])
    """
    lines = _plain_lines(data)
    # Without numbers numpy would warn.
    if next(_rows(lines), None) is None:
        return np.empty((0, min(n_columns)), dtype)
    try:
        table = np.loadtxt(BytesIO(lines), dtype, ndmin=2, encoding="latin-1")
    except ValueError as error:
        _refuse_line(lines, n_columns, dtype, error)
    if table.shape[1] not in n_columns:
        _refuse_line(lines, n_columns, dtype)
    return table


def line_of_row(data: bytes, row: int) -> tuple[int, str]:
    """Return the number of the line that has a row of the table, and its text."""
    for place, (number, line, _) in enumerate(_rows(_plain_lines(data))):
        if place == row:
            return number, line[:40].decode("utf-8", "replace")
    raise IndexError(row)


def _plain_lines(data: bytes) -> bytes:
    """Return a text without a byte-order mark, whose lines end as on Linux."""
    lines = data.removeprefix(b"\xef\xbb\xbf").replace(b"\r\n", b"\n")
    return lines.replace(b"\r", b"\n")


def _rows(lines: bytes) -> Iterator[tuple[int, bytes, list[str]]]:
    """Yield the number, the text and the words of each line that has any."""
    for number, line in enumerate(BytesIO(lines), 1):
        # As numpy splits, which takes more for a blank than is one in ASCII.
        if words := line.partition(b"#")[0].decode("latin-1").split():
            yield number, line.strip(), words


def _refuse_line(
    lines: bytes,
    n_columns: Collection[int],
    dtype: type[np.number[Any]],
    error: Exception | None = None,
) -> NoReturn:
    """Raise an error that shows the first line that numpy does not read."""
    widths = set(n_columns)
    whole = "whole " if np.issubdtype(dtype, np.integer) else ""
    for number, line, words in _rows(lines):
        if len(words) not in widths or not _are_numbers(words, dtype):
            listed = ", ".join(map(str, sorted(widths)))
            listed = " or ".join(listed.rsplit(", ", 1))
            noun = "number" if widths == {1} else "numbers"
            shown = line[:40].decode("utf-8", "replace")
            msg = f"line {number} is {shown!r}; expected {listed} {whole}{noun}."
            raise ValueError(msg) from error
        widths = {len(words)}  # of the first line, and so of all
    raise ValueError(str(error)) from error


def _are_numbers(words: list[str], dtype: type[np.number[Any]]) -> bool:
    # One by one in Python: numpy takes far too long for single lines.
    convert = int if np.issubdtype(dtype, np.integer) else float
    try:
        values = [convert(word) for word in words if "_" not in word]
    except ValueError:
        return False
    fit = convert is float or all(-(2**63) <= value < 2**63 for value in values)
    return fit and len(values) == len(words)
