"""Feature vectors to files: ``.npy``, CSV and Parquet."""

from __future__ import annotations

import csv
from collections.abc import Callable, Sequence
from functools import partial
from io import TextIOWrapper
from pathlib import Path
from typing import Any, BinaryIO, Self

import numpy as np
from numpy.typing import NDArray

from pbow._utils.files import AnyPath, atomic_write
from pbow._utils.optional import import_optional
from pbow.errors import ParameterError
from pbow.io.csv import text_cell
from pbow.io.npy import save_array

__all__ = ["VECTOR_FORMATS", "write_vectors"]

Names = Sequence[str]
Writer = Callable[[BinaryIO, NDArray[Any], Names, Names | None], None]

# Rows that are Python objects at a time.
N_ROWS = 1 << 10


def write_vectors(
    H: NDArray[Any], path: AnyPath, columns: Names, names: Names | None = None
) -> None:
    """Write feature vectors to a file, by an atomic write.

    Parameters
    ----------
    H : ndarray of shape (n_samples, n_features)
        One row per sample.
    path : str or path-like
        A ``.npy``, ``.csv`` or ``.parquet`` file.
    columns : sequence of str
        Names of the features; not written to ``.npy``, which holds numbers only.
    names : sequence of str, optional
        Names of the samples, for a first column ``sample``; not for ``.npy``.

    Raises
    ------
    ParameterError
        If the extension is another one, or there are names for ``.npy``.
    ImportError
        For Parquet without pyarrow, which is in the extra ``arrow``.
    OSError
        If the file cannot be written.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> import pbow
    >>> from pbow.io import write_vectors
    >>> bow = pbow.PersistenceBoW(n_words=2, random_state=0)
    >>> H = bow.fit_transform([[[0.0, 1.0], [0.0, 3.0]], [[0.0, 1.0]]])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "vectors.csv")
    ...     write_vectors(H, path, bow.get_feature_names_out(), ["a", "b"])
    ...     print(path.read_text())
    sample,word0,word1
    a,1.0,1.0
    b,1.0,0.0
    <BLANKLINE>
    """
    extension = Path(path).suffix.lower()
    if extension not in VECTOR_FORMATS:
        expected = f"a {', '.join(VECTOR_FORMATS)} file"
        raise ParameterError("path", expected, str(path))
    if names is not None and extension == ".npy":
        raise ParameterError("names", "None for a .npy file", names)
    with atomic_write(path) as file:
        VECTOR_FORMATS[extension](file, H, columns, names)


def _write_npy(
    file: BinaryIO, H: NDArray[Any], columns: Names, names: Names | None
) -> None:
    save_array(file, H)


def _write_csv(
    file: BinaryIO, H: NDArray[Any], columns: Names, names: Names | None
) -> None:
    text = TextIOWrapper(file, "utf-8", newline="")
    writer = csv.writer(text, lineterminator="\n")
    head = [text_cell(name) for name in columns]
    writer.writerow(head if names is None else ["sample", *head])
    for first in range(0, len(H), N_ROWS):
        rows = H[first : first + N_ROWS].tolist()
        if names is not None:
            named = zip(names[first : first + N_ROWS], rows, strict=True)
            rows = [[text_cell(name), *row] for name, row in named]
        writer.writerows(rows)
    text.detach()  # the file is the caller's


def _write_parquet(
    file: BinaryIO, H: NDArray[Any], columns: Names, names: Names | None
) -> None:
    with ParquetVectors(file, columns) as vectors:
        vectors.write(H, names)


class ParquetVectors:
    """Writes feature vectors to a Parquet file, some rows at a time.

    Parameters
    ----------
    file : binary file
        Open for writing.
    columns : sequence of str
        Names of the features.
    """

    def __init__(self, file: BinaryIO, columns: Names) -> None:
        load = partial(import_optional, extra="arrow", purpose="Writing Parquet files")
        self._pyarrow, self._parquet = load("pyarrow"), load("pyarrow.parquet")
        self._file = file
        self._columns = columns
        self._writer: Any = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        if self._writer is not None:
            self._writer.close()

    def write(self, H: NDArray[Any], names: Any = None) -> None:
        """Write some rows, with the names of their samples if all have any.

        Parameters
        ----------
        H : ndarray of shape (n_samples, n_features)
            The rows.
        names : sequence of str or pyarrow.Array, optional
            For a first column ``sample``.
        """
        to_array = self._pyarrow.array
        arrays = {}
        if names is not None:
            is_arrow = isinstance(names, self._pyarrow.Array)
            arrays["sample"] = names if is_arrow else to_array(names, "string")
        # Contiguous, so that a column is copied once.
        by_column = np.ascontiguousarray(H.T)
        arrays |= dict(zip(self._columns, map(to_array, by_column), strict=True))
        batch = self._pyarrow.RecordBatch.from_pydict(arrays)
        if self._writer is None:
            self._writer = self._parquet.ParquetWriter(self._file, batch.schema)
        self._writer.write_batch(batch)


VECTOR_FORMATS: dict[str, Writer] = {
    ".npy": _write_npy,
    ".csv": _write_csv,
    ".parquet": _write_parquet,
}
