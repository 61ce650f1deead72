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
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from pbow._utils.optional import import_optional
from pbow._utils.unpacking import check_unpacked, damage_as_value_error
from pbow.diagrams import Diagrams
from pbow.errors import DiagramError, format_error
from pbow.io.container import DIAGRAMS

__all__ = ["from_arrow", "read_arrow", "read_parquet", "write_arrow", "write_parquet"]

VERSION = 1
KEY = b"pbow"
COORDINATES = ("birth", "death")
ARROW_START = b"ARROW1\0\0"

# A column of this name, if it is text, has the names of the samples.
NAMES = "sample"
# Points of a batch: a batch is made in memory, and its lists count up to 2**31.
N_POINTS = 1 << 20

import_arrow = partial(
    import_optional, extra="arrow", purpose="Reading or writing Parquet and Arrow files"
)


def from_arrow(table: Any) -> Diagrams:
    """Convert an Arrow table or record batch: one sample per row, one part per column.

    Engines such as Spark and Ray hand out data in this form.

    Parameters
    ----------
    table : pyarrow.Table or pyarrow.RecordBatch
        Columns of type ``list<struct<birth, death>>``; others are ignored.

    Returns
    -------
    X : Diagrams

    Raises
    ------
    ValueError
        If it has no such column, or a point is none.

    See Also
    --------
    pbow.io.scan_diagrams : Blocks of files.

    Examples
    --------
    >>> import pyarrow as pa
    >>> from pbow.io import from_arrow
    >>> point = pa.struct({"birth": pa.float64(), "death": pa.float64()})
    >>> diagrams = [[{"birth": 0.0, "death": 1.0}], []]
    >>> from_arrow(pa.table({"H1": pa.array(diagrams, pa.list_(point))}))
    Diagrams(n_samples=2, H1: 1 point)
    """
    with damage_as_value_error():
        table.validate(full=True)
        return from_tables(parts_of(table.schema), [table], table.nbytes)


def read_parquet(path: Path) -> Diagrams:
    """Read a Parquet file: one sample per row, one part per column.

    Columns that are not of the type ``list<struct<birth, death>>`` are ignored.
    """
    parquet = import_arrow("pyarrow.parquet")
    with mapped_file(path) as file:
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
        names = parts_of(source.schema_arrow)
        read = partial(source.read_row_group, columns=names, use_threads=False)
        return from_tables(names, map(read, groups), file.size())


def read_arrow(path: Path) -> Diagrams:
    """Read an Arrow IPC file (Feather's version 2, too); columns as in Parquet."""
    ipc = import_arrow("pyarrow.ipc")
    with mapped_file(path) as file:
        file.seek(len(ARROW_START))
        first = ipc.read_message(file)
        if first.type != "schema":
            msg = f"it is damaged: it begins with a message of type {first.type}."
            raise ValueError(msg)
        with ipc.open_file(file) as source:
            names = parts_of(source.schema)
            batches = map(source.get_batch, range(source.num_record_batches))
            return from_tables(names, batches, file.size())


def write_parquet(
    X: Diagrams, file: BinaryIO, names: Sequence[str] | None = None
) -> None:
    """Write a Parquet file; names of the samples go to a column ``sample``."""
    writer = import_arrow("pyarrow.parquet").ParquetWriter
    _write(X, file, partial(writer, write_page_checksum=True), names)


def write_arrow(X: Diagrams, file: BinaryIO) -> None:
    """Write an Arrow IPC file, not compressed."""
    _write(X, file, import_arrow("pyarrow.ipc").new_file)


def _write(
    X: Diagrams,
    file: BinaryIO,
    new_writer: Callable[..., Any],
    names: Sequence[str] | None = None,
) -> None:
    pa = import_arrow("pyarrow")
    schema = _schema_of(X)
    full = schema if names is None else schema.append(pa.field(NAMES, pa.string()))
    first = 0
    with new_writer(file, full) as writer:
        for batch in _batches(X, schema):
            columns = batch.columns
            if names is not None:
                some = names[first : first + batch.num_rows]
                columns = [*columns, pa.array(some, pa.string())]
            writer.write_batch(pa.record_batch(columns, schema=full))
            first += batch.num_rows


def _schema_of(X: Diagrams) -> Any:
    pa = import_arrow("pyarrow")
    point = pa.struct([pa.field(c, pa.float64(), nullable=False) for c in COORDINATES])
    diagram = pa.list_(pa.field("element", point, nullable=False))
    about = json.dumps({"format": DIAGRAMS, "version": VERSION})
    return pa.schema(
        [pa.field(name, diagram, nullable=False) for name in X.parts],
        metadata={KEY: about.encode()},
    )


def _batches(X: Diagrams, schema: Any) -> Iterator[Any]:
    pa = import_arrow("pyarrow")
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
def mapped_file(path: Path) -> Iterator[Any]:
    path.open("rb").close()  # one that cannot be read is an error of the system
    with (
        format_error(path),
        damage_as_value_error(),
        # Mapped: a size that a damaged file claims is not allocated to read into.
        import_arrow("pyarrow").memory_map(os.fspath(path)) as file,
    ):
        yield file


def parts_of(schema: Any) -> list[str]:
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


def from_tables(names: list[str], tables: Iterable[Any], n_bytes: int) -> Diagrams:
    sizes: dict[str, list[NDArray[Any]]] = {name: [] for name in names}
    columns: dict[str, list[list[NDArray[Any]]]] = {name: [] for name in names}
    unpacked = n_rows = 0
    for table in tables:
        table.validate(full=True)  # before anything else: nbytes looks at offsets, too
        unpacked += table.nbytes
        check_unpacked(unpacked, n_bytes)
        # By type as well: a column that is no part may have the name of one.
        for field, column in zip(table.schema, table.columns, strict=True):
            if _is_diagram(field.type):
                first = n_rows
                for lists in getattr(column, "chunks", [column]):
                    sizes[field.name].append(np.diff(lists.offsets.to_numpy()))
                    columns[field.name].append(_columns_of(lists, field.name, first))
                    first += len(lists)
        n_rows += table.num_rows
    return Diagrams.from_parts(
        {
            name: Diagrams(
                _joined(columns[name]),
                np.cumsum(np.concatenate([np.zeros(1, np.int64), *sizes[name]])),
                name=name,
            )
            for name in names
        }
    )


def _is_diagram(kind: Any) -> bool:
    types = import_arrow("pyarrow.types")
    return (
        (types.is_list(kind) or types.is_large_list(kind))
        and types.is_struct(kind.value_type)
        and all(kind.value_type.get_field_index(c) >= 0 for c in COORDINATES)
    )


def _joined(columns: list[list[NDArray[Any]]]) -> NDArray[Any]:
    """Return all points; births and deaths are copied once, to where they stay."""
    points = np.empty((sum(len(births) for births, _ in columns), 2))
    first = 0
    for births, deaths in columns:
        some = points[first : first + len(births)]
        some[:, 0], some[:, 1] = births, deaths
        first += len(births)
    return points


def _columns_of(lists: Any, name: str, first: int) -> list[NDArray[Any]]:
    """Return births and deaths of some rows; `first` is the number of the first one."""
    structs = lists.flatten()
    columns = [
        structs.flatten()[structs.type.get_field_index(c)].cast("float64")
        for c in COORDINATES
    ]
    if lists.null_count or any(column.null_count for column in columns):
        msg = (
            "has a null. Write an empty list for a diagram without points, and inf for "
            "the death of an essential point."
        )
        raise DiagramError(first + _row_with_null(lists, columns), name, msg)
    return [column.to_numpy() for column in columns]


def _row_with_null(lists: Any, columns: list[Any]) -> int:
    if lists.null_count:
        return int(np.argmax(lists.is_null().to_numpy(zero_copy_only=False)))
    null = sum(c.is_null().to_numpy(zero_copy_only=False) for c in columns)
    ends = np.cumsum(np.diff(lists.offsets.to_numpy()))
    return int(np.searchsorted(ends, np.argmax(null), side="right"))


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
