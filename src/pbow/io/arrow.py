"""Parquet and Arrow: a row for each sample, and a column of lists for each part.

A diagram is a list of structs of birth and death, which all engines know. The schema
says under the key ``pbow`` which version of this layout it is. Files of other programs
have no such key, and are read if they have such columns.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from pbow.diagrams import Diagrams
from pbow.errors import format_error
from pbow.io.container import DIAGRAMS
from pbow.io.counts import count_arrow_values, count_parquet_values

__all__ = ["read_arrow", "read_parquet", "write_arrow", "write_parquet"]

VERSION = 1
KEY = b"pbow"
COORDINATES = ("birth", "death")
ARROW_START = b"ARROW1\0\0"

# Points of a batch: a batch is made in memory, and its lists count up to 2**31.
N_POINTS = 1 << 20

# Compressed zeros take next to no room; who claims more values than either is refused.
MOST_VALUES = 4_000_000
MOST_VALUES_A_BYTE = 100


def read_parquet(path: Path) -> Diagrams:
    """Read diagrams from a Parquet file.

    Parameters
    ----------
    path : Path
        A file with columns of type ``list<struct<birth, death>>``; others are left out.

    Returns
    -------
    X : Diagrams
        One sample a row, one part a column.

    Raises
    ------
    FileFormatError
        If the file is damaged, has no such column, or was made by a newer pbow.
    ImportError
        Without pyarrow, which is in the extra ``arrow``.
    """
    parquet = _import("pyarrow.parquet")
    with path.open("rb") as file, format_error(path), _arrow_errors():
        n_bytes = path.stat().st_size
        _check_values(count_parquet_values(_footer(file, n_bytes)), n_bytes)
        source = parquet.ParquetFile(file, page_checksum_verification=True)
        groups = range(source.num_row_groups)
        return _from_tables(
            source.schema_arrow,
            (source.read_row_group(i, use_threads=False) for i in groups),
        )


def read_arrow(path: Path) -> Diagrams:
    """Read diagrams from an Arrow IPC file, which is also Feather's version 2.

    Parameters
    ----------
    path : Path
        A file with columns of type ``list<struct<birth, death>>``; others are left out.

    Returns
    -------
    X : Diagrams
        One sample a row, one part a column.

    Raises
    ------
    FileFormatError
        If the file is damaged, has no such column, or was made by a newer pbow.
    ImportError
        Without pyarrow, which is in the extra ``arrow``.
    """
    ipc = _import("pyarrow.ipc")
    with path.open("rb") as file, format_error(path), _arrow_errors():
        ipc.open_file(file)  # its end is there, too
        file.seek(len(ARROW_START))
        messages = ipc.MessageReader.open_stream(file)
        schema = ipc.read_schema(messages.read_next_message())
        batches = _checked_batches(messages, schema, path.stat().st_size)
        return _from_tables(schema, batches)


def write_parquet(X: Diagrams, file: BinaryIO) -> None:
    """Write a Parquet file.

    Parameters
    ----------
    X : Diagrams
        Any collection.
    file : binary file
        Where to.
    """
    schema = _schema_of(X)
    with _import("pyarrow.parquet").ParquetWriter(
        file, schema, write_page_checksum=True
    ) as writer:
        for batch in _batches(X, schema):
            writer.write_batch(batch)


def write_arrow(X: Diagrams, file: BinaryIO) -> None:
    """Write an Arrow IPC file, not compressed.

    Parameters
    ----------
    X : Diagrams
        Any collection.
    file : binary file
        Where to.
    """
    schema = _schema_of(X)
    with _import("pyarrow.ipc").new_file(file, schema) as writer:
        for batch in _batches(X, schema):
            writer.write_batch(batch)


def _import(name: str) -> Any:
    try:
        return import_module(name)
    except ImportError as error:
        msg = (
            "Parquet and Arrow files need pyarrow, which is in the extra arrow of "
            "pbow: pip install pyarrow."
        )
        raise ImportError(msg) from error


@contextmanager
def _arrow_errors() -> Iterator[None]:
    """Turn what pyarrow says of a bad file, OSError often, into a ValueError."""
    try:
        yield
    except (_import("pyarrow").ArrowException, OSError, MemoryError) as error:
        raise ValueError(str(error)) from error


def _schema_of(X: Diagrams) -> Any:
    pa = _import("pyarrow")
    point = pa.struct([pa.field(c, pa.float64(), nullable=False) for c in COORDINATES])
    diagram = pa.list_(pa.field("element", point, nullable=False))
    about = json.dumps({"format": DIAGRAMS, "version": VERSION})
    return pa.schema(
        [pa.field(name, diagram, nullable=False) for name in X.parts],
        metadata={KEY: about.encode()},
    )


def _batches(X: Diagrams, schema: Any) -> Iterator[Any]:
    pa = _import("pyarrow")
    n_before = np.sum([X[name].offsets for name in X.parts], axis=0)
    start = 0
    while start < len(X):
        limit = n_before[start] + N_POINTS
        stop = max(start + 1, int(np.searchsorted(n_before, limit, "right")) - 1)
        rows = X[start:stop]
        columns = []
        for name, field in zip(X.parts, schema, strict=True):
            part = rows[name]
            births_deaths = [pa.array(column.copy()) for column in part.points.T]
            points = pa.StructArray.from_arrays(
                births_deaths, fields=list(field.type.value_type)
            )
            offsets = pa.array(part.offsets.astype(np.int32))
            columns.append(pa.ListArray.from_arrays(offsets, points, type=field.type))
        yield pa.record_batch(columns, schema=schema)
        start = stop


def _footer(file: BinaryIO, n_bytes: int) -> bytes:
    """Return the description at the end of a Parquet file."""
    if n_bytes < 12:
        msg = "it is too short for a Parquet file."
        raise ValueError(msg)
    file.seek(n_bytes - 8)
    size, end = struct.unpack("<I4s", file.read(8))
    if end != b"PAR1" or size > n_bytes - 12:
        msg = "it does not end like a Parquet file."
        raise ValueError(msg)
    file.seek(n_bytes - 8 - size)
    footer = file.read(size)
    file.seek(0)
    return footer


def _checked_batches(messages: Any, schema: Any, n_bytes: int) -> Iterator[Any]:
    ipc = _import("pyarrow.ipc")
    n_values = 0
    for message in messages:
        if message.type != "record batch":
            msg = f"it has a {message.type}; expected batches of plain columns."
            raise ValueError(msg)
        n_values += count_arrow_values(message.metadata.to_pybytes())
        _check_values(n_values, n_bytes)
        yield ipc.read_record_batch(message, schema)


def _check_values(n_values: int, n_bytes: int) -> None:
    """Refuse what claims to unfold into far more than a file of this size can be."""
    if n_values > max(MOST_VALUES, MOST_VALUES_A_BYTE * n_bytes):
        msg = f"it claims to have {n_values} values in {n_bytes} bytes."
        raise ValueError(msg)


def _from_tables(schema: Any, tables: Iterable[Any]) -> Diagrams:
    _check_version(schema.metadata or {})
    places = [i for i, field in enumerate(schema) if _is_diagram(field.type)]
    names = [schema.field(i).name for i in places]
    if not names:
        shown = ", ".join(f"{field.name}: {field.type}" for field in schema)[:200]
        msg = (
            "expected a column of type list<struct<birth, death>> for each part; got "
            f"{shown or 'no column'}."
        )
        raise ValueError(msg)
    if len(set(names)) < len(names):
        msg = f"it has several columns of one name among {', '.join(names)[:200]}."
        raise ValueError(msg)
    sizes: dict[str, list[NDArray[Any]]] = {name: [] for name in names}
    points: dict[str, list[NDArray[Any]]] = {name: [] for name in names}
    for table in tables:
        # Offsets that point beyond their buffer would crash the process.
        table.validate(full=True)
        for i, name in zip(places, names, strict=True):
            column = table.column(i)
            for chunk in getattr(column, "chunks", [column]):
                _add_diagrams(chunk, name, sizes[name], points[name])
    return Diagrams.from_parts(
        {
            name: Diagrams(
                np.concatenate([np.empty((0, 2)), *points[name]]),
                np.cumsum(np.concatenate([np.zeros(1, np.int64), *sizes[name]])),
                name=name,
            )
            for name in names
        }
    )


def _is_diagram(kind: Any) -> bool:
    types = _import("pyarrow.types")
    return (
        (types.is_list(kind) or types.is_large_list(kind))
        and types.is_struct(kind.value_type)
        and all(kind.value_type.get_field_index(c) >= 0 for c in COORDINATES)
    )


def _add_diagrams(
    lists: Any, name: str, sizes: list[NDArray[Any]], points: list[NDArray[Any]]
) -> None:
    structs = lists.flatten()
    columns = [
        structs.flatten()[structs.type.get_field_index(c)].cast("float64")
        for c in COORDINATES
    ]
    if lists.null_count or any(column.null_count for column in columns):
        msg = (
            f"column {name} has a null. Write an empty list for a diagram without "
            "points, and inf for the death of what never dies."
        )
        raise ValueError(msg)
    sizes.append(np.diff(lists.offsets.to_numpy()).astype(np.int64))
    points.append(np.column_stack([column.to_numpy() for column in columns]))


def _check_version(metadata: dict[bytes, bytes]) -> None:
    if KEY not in metadata:
        return
    about = json.loads(metadata[KEY])
    version = about.get("version") if isinstance(about, dict) else None
    if type(version) is not int or about.get("format") != DIAGRAMS:
        msg = f"its schema says that it is {metadata[KEY][:60]!r}, not {DIAGRAMS}."
        raise ValueError(msg)
    if version > VERSION:
        msg = f"it has version {version}, made by a newer pbow. Update pbow."
        raise ValueError(msg)
