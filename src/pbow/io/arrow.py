"""Parquet and Arrow: one row per sample, and a column of lists for each part.

A diagram is a list of structs of birth and death, which all engines know. The schema
says under the key ``pbow`` which version of this layout it is. Files of other programs
have no such key, and are read if they have such columns.

pyarrow reads the files, and its errors are translated. Sizes are checked before they
are believed: those in Parquet's metadata against the size of the file, those of each
Arrow batch as it is read. Tables are validated in full before their values are used,
as offsets beyond a buffer would crash the process. A file that crashes pyarrow itself
cannot be caught here: these formats are as safe as pyarrow.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from pbow._utils.optional import import_optional
from pbow._utils.unpacking import check_unpacked, damage_as_value_error
from pbow.diagrams import Diagrams
from pbow.errors import format_error
from pbow.io.container import DIAGRAMS

__all__ = ["read_arrow", "read_parquet", "write_arrow", "write_parquet"]

VERSION = 1
KEY = b"pbow"
COORDINATES = ("birth", "death")
ARROW_START = b"ARROW1\0\0"

# Points of a batch: a batch is made in memory, and its lists count up to 2**31.
N_POINTS = 1 << 20

_import = partial(
    import_optional, extra="arrow", purpose="Reading or writing Parquet and Arrow files"
)


def read_parquet(path: Path) -> Diagrams:
    """Read a Parquet file: one sample per row, one part per column.

    Columns that are not of the type ``list<struct<birth, death>>`` are ignored.
    """
    parquet = _import("pyarrow.parquet")
    with _opened(path) as file:
        source = parquet.ParquetFile(file, page_checksum_verification=True)
        # Decodes all pages in small batches: where a column's metadata are damaged, it
        # raises an error, and asking for them would end the process.
        source.scan_contents()
        groups = range(source.num_row_groups)
        metadata = [source.metadata.row_group(i) for i in groups]
        # A repeated value takes next to no bytes, before and after compression.
        n_values = sum(
            group.column(i).num_values
            for group in metadata
            for i in range(group.num_columns)
        )
        check_unpacked(8 * n_values, file.size())
        names = _parts_of(source.schema_arrow)
        read = partial(source.read_row_group, columns=names, use_threads=False)
        return _from_tables(names, map(read, groups), file.size())


def read_arrow(path: Path) -> Diagrams:
    """Read an Arrow IPC file (Feather's version 2, too); columns as in Parquet."""
    ipc = _import("pyarrow.ipc")
    with _opened(path) as file:
        file.seek(len(ARROW_START))
        first = ipc.read_message(file)
        if first.type != "schema":
            msg = f"it is damaged: it begins with a message of type {first.type}."
            raise ValueError(msg)
        with ipc.open_file(file) as source:
            names = _parts_of(source.schema)
            batches = map(source.get_batch, range(source.num_record_batches))
            return _from_tables(names, batches, file.size())


def write_parquet(X: Diagrams, file: BinaryIO) -> None:
    """Write a Parquet file."""
    writer = _import("pyarrow.parquet").ParquetWriter
    _write(X, file, partial(writer, write_page_checksum=True))


def write_arrow(X: Diagrams, file: BinaryIO) -> None:
    """Write an Arrow IPC file, not compressed."""
    _write(X, file, _import("pyarrow.ipc").new_file)


def _write(X: Diagrams, file: BinaryIO, new_writer: Callable[..., Any]) -> None:
    schema = _schema_of(X)
    with new_writer(file, schema) as writer:
        for batch in _batches(X, schema):
            writer.write_batch(batch)


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


@contextmanager
def _opened(path: Path) -> Iterator[Any]:
    path.open("rb").close()  # one that cannot be read is an error of the system
    with (
        format_error(path),
        damage_as_value_error(),
        # Mapped: a size that a damaged file claims is not allocated to read into.
        _import("pyarrow").memory_map(os.fspath(path)) as file,
    ):
        yield file


def _parts_of(schema: Any) -> list[str]:
    """Return the names of the columns that are diagrams."""
    _check_version(schema.metadata or {})
    names = [field.name for field in schema if _is_diagram(field.type)]
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
    return names


def _from_tables(names: list[str], tables: Iterable[Any], n_bytes: int) -> Diagrams:
    sizes: dict[str, list[NDArray[Any]]] = {name: [] for name in names}
    points: dict[str, list[NDArray[Any]]] = {name: [] for name in names}
    unpacked = 0
    for table in tables:
        table.validate(full=True)  # before anything else: nbytes looks at offsets, too
        unpacked += table.nbytes
        check_unpacked(unpacked, n_bytes)
        # By type as well: a column that is no part may have the name of one.
        for field, column in zip(table.schema, table.columns, strict=True):
            if _is_diagram(field.type):
                for lists in getattr(column, "chunks", [column]):
                    sizes[field.name].append(np.diff(lists.offsets.to_numpy()))
                    points[field.name].append(_points_of(lists, field.name))
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


def _points_of(lists: Any, name: str) -> NDArray[Any]:
    structs = lists.flatten()
    columns = [
        structs.flatten()[structs.type.get_field_index(c)].cast("float64")
        for c in COORDINATES
    ]
    if lists.null_count or any(column.null_count for column in columns):
        msg = (
            f"column {name} has a null. Write an empty list for a diagram without "
            "points, and inf for the death of an essential point."
        )
        raise ValueError(msg)
    return np.column_stack([column.to_numpy() for column in columns])


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
