"""Labels and names of samples, from files."""

from __future__ import annotations

import csv
import re
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pbow._utils.files import AnyPath
from pbow.errors import FileFormatError, ParameterError
from pbow.io.npy import read_npy
from pbow.io.npz import Npz, opened

__all__ = ["labels_of", "read_labels", "read_names"]

HEADER = ["file", "label"]
# Without leading zeros, and in the range of 64 bits: nothing is lost in conversion.
INTEGER = re.compile(r"0|-?[1-9][0-9]{0,17}")


def read_labels(
    path: AnyPath, n_samples: int, names: AnyPath | None = None
) -> NDArray[Any]:
    r"""Read the label of each sample.

    Parameters
    ----------
    path : str or path-like
        A text file with one label per line, in the order of the samples; or an array of
        integers or strings in a ``.npy`` file; or the array ``labels`` of a ``.npz``
        file, whose ``label_names``, if it has these, are the names of labels 0, 1, 2,
        …; or a CSV file with the columns ``file`` and ``label``, in any order, which
        needs `names`.
    n_samples : int
        Number of samples.
    names : str or path-like, optional
        A text file with the name of each sample, one per line, by which labels are
        found in a CSV file. Not used for labels that are in the order of the samples.

    Returns
    -------
    labels : ndarray of shape (n_samples,)
        Integers if all labels are, else strings.

    Raises
    ------
    FileFormatError
        If a file cannot be read, or does not fit the samples.
    ParameterError
        If the labels go by name and `names` is missing.

    See Also
    --------
    read_names : Read the file with the names.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from pbow.io import read_labels
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     labels, names = Path(folder, "labels.csv"), Path(folder, "names.txt")
    ...     _ = labels.write_text("file,label\nc10.csv,torus\nc2.csv,circle")
    ...     _ = names.write_text("c2.csv\nc10.csv")
    ...     read_labels(labels, 2, names)
    array(['circle', 'torus'], dtype='<U6')
    """
    labels = _read(Path(path), n_samples, names)
    _check_length(labels, "label", path, n_samples)
    return labels


def read_names(path: AnyPath, n_samples: int | None = None) -> list[str]:
    r"""Read the names of samples.

    Parameters
    ----------
    path : str or path-like
        A text file with one name per line.
    n_samples : int, optional
        Number of samples, if it is to be checked.

    Returns
    -------
    names : list of str
        Without spaces around them.

    Raises
    ------
    FileFormatError
        If it is not a text file, has empty lines, or another number of names.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from pbow.io import read_names
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "names.txt")
    ...     _ = path.write_text("c2.csv\nc10.csv\n")
    ...     read_names(path)
    ['c2.csv', 'c10.csv']
    """
    names = _read_lines(Path(path), "name")
    if n_samples is not None:
        _check_length(names, "name", path, n_samples)
    return names


def labels_of(source: Npz) -> NDArray[Any] | None:
    """Return the labels of an ``.npz`` file by name; None if it has no such array."""
    if "labels" not in source:
        return None
    labels = source.read("labels", "iuU", 1)
    if labels.dtype.kind == "U" or "label_names" not in source:
        return labels
    names = source.read("label_names", "U", 1)
    outside = np.flatnonzero((labels < 0) | (labels >= len(names)))
    if len(outside):
        row = outside[0]
        msg = (
            f"label {row} is {labels[row]}; expected 0 to {len(names) - 1}, as there "
            f"are {len(names)} label_names."
        )
        raise ValueError(msg)
    named: NDArray[Any] = names[labels]
    return named


def _read(path: Path, n_samples: int, names: AnyPath | None) -> NDArray[Any]:
    if path.suffix.lower() == ".npz":
        with opened(path) as source:
            found = labels_of(source)
            if found is None:
                msg = f"it has no array labels; it has {', '.join(source.names):.200}."
                raise ValueError(msg)
            return found
    if path.suffix.lower() == ".npy":
        array = read_npy(path)
        if array.ndim != 1 or array.dtype.kind not in "iuU":
            msg = (
                "expected one integer or string per sample; it is "
                f"{array.dtype} of shape {array.shape}."
            )
            raise FileFormatError(path, msg)
        return array
    labels = _read_lines(path, "label")
    first = _cells(labels[0])
    if (names is not None or first == ["file;label"]) and all(
        line.count(";") == 1 for line in labels
    ):
        msg = "its columns are separated by semicolons; expected commas: file,label."
        raise FileFormatError(path, msg)
    if names is not None and len(first) > 1:
        labels = _find_by_name(path, labels, names, n_samples)
    elif first == HEADER:
        expected = f"a file with the names of the samples, by which {path} has labels"
        raise ParameterError("names", expected, None)
    # As numbers 2 comes before 10.
    is_integer = all(INTEGER.fullmatch(label) for label in labels)
    return np.array(labels, dtype=np.int64 if is_integer else np.str_)


def _find_by_name(
    path: Path, lines: Sequence[str], names: AnyPath, n_samples: int
) -> list[str]:
    wanted = read_names(names, n_samples)
    rows = [_cells(line) for line in lines]
    for number, row in enumerate(rows, start=1):
        if len(row) != 2 or "" in row:
            msg = (
                f"expected two columns, file and label; line {number} is "
                f"{','.join(row)!r}."
            )
            raise FileFormatError(path, msg)
    if rows[0] == HEADER:
        del rows[0]
    _check_unique(names, wanted)
    _check_unique(path, [name for name, _ in rows])
    labels = dict(rows)
    missing = [name for name in wanted if name not in labels]
    if missing:
        more = f" and {len(missing) - 1} more" if missing[1:] else ""
        msg = f"it has no label for {missing[0]}{more} of {names}."
        raise FileFormatError(path, msg)
    return [labels[name] for name in wanted]


def _read_lines(path: Path, noun: str) -> list[str]:
    try:
        text = path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        msg = f"expected one {noun} per line; it is not a text file."
        raise FileFormatError(path, msg) from error
    lines = [line.strip() for line in text.rstrip().split("\n")]
    if "" in lines:
        what = f"line {lines.index('') + 1}" if len(lines) > 1 else "it"
        msg = f"expected one {noun} per line; {what} is empty."
        raise FileFormatError(path, msg)
    return lines


def _check_length(
    values: Sequence[str] | NDArray[Any], noun: str, path: AnyPath, n_samples: int
) -> None:
    if len(values) != n_samples:
        msg = (
            f"expected one {noun} for each of the {n_samples} samples; it has "
            f"{len(values)}."
        )
        raise FileFormatError(path, msg)


def _check_unique(path: AnyPath, names: Sequence[str]) -> None:
    for name, n_times in Counter(names).items():
        if n_times > 1:
            msg = f"expected every name once; it has {name} {n_times} times."
            raise FileFormatError(path, msg)


def _cells(line: str) -> list[str]:
    try:
        cells = next(csv.reader([line], skipinitialspace=True))
    except csv.Error:  # a line that is far too long, for example
        return [line]
    return [cell.strip() for cell in cells]
