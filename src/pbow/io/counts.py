"""How many values a Parquet or an Arrow file claims to hold, before they are unfolded.

Both formats can write a repeated value almost for free, so that a kilobyte may unfold
into all of the memory. What they claim stands in their own descriptions: Thrift's
compact protocol in Parquet, a flat buffer in Arrow. pyarrow does not tell of damaged
files without a crash, or not at all; so the few bytes are read here.
"""

from __future__ import annotations

import struct
from typing import Any

__all__ = ["count_arrow_values", "count_parquet_values"]

# Fields by number: FileMetaData.row_groups, RowGroup.columns, ColumnChunk.meta_data and
# ColumnMetaData.num_values.
ROW_GROUPS, COLUMNS, META_DATA, NUM_VALUES = 4, 1, 3, 5
DEEPEST = 16

TRUE, FALSE, BYTE, SHORT, INT, LONG, DOUBLE, BINARY, LIST, SET, MAP, STRUCT = range(
    1, 13
)
ENDED = "its description ends too soon."


def count_parquet_values(data: bytes) -> int:
    """Return the sum of the numbers of values of all columns, from a footer."""
    groups = _Compact(data).read_struct(0).get(ROW_GROUPS, [])
    total = 0
    for group in groups if isinstance(groups, list) else []:
        columns = group.get(COLUMNS, []) if isinstance(group, dict) else []
        for column in columns if isinstance(columns, list) else []:
            about = column.get(META_DATA) if isinstance(column, dict) else None
            n = about.get(NUM_VALUES) if isinstance(about, dict) else None
            total += max(n, 0) if isinstance(n, int) else 0
    return total


class _Compact:
    """A reader of Thrift's compact protocol: structs are dicts by number of field."""

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.at = 0

    def read_struct(self, depth: int) -> dict[int, Any]:
        if depth > DEEPEST:
            msg = "its description is nested too deeply."
            raise ValueError(msg)
        fields: dict[int, Any] = {}
        number = 0
        while (head := self._byte()) != 0:
            number = number + (head >> 4) if head >> 4 else self._integer()
            fields[number] = self._value(head & 15, depth)
        return fields

    def _value(self, kind: int, depth: int) -> Any:
        if kind in {TRUE, FALSE}:
            return None
        if kind in {SHORT, INT, LONG}:
            return self._integer()
        if kind == STRUCT:
            return self.read_struct(depth + 1)
        if kind in {LIST, SET}:
            head = self._byte()
            size = head >> 4 if head >> 4 < 15 else self._number()
            # In lists, also the bools take a byte each.
            item = BYTE if head & 15 in {TRUE, FALSE} else head & 15
            return [self._value(item, depth + 1) for _ in range(self._some(size))]
        if kind == MAP:
            size = self._number()
            kinds = self._byte() if size else 0
            for _ in range(self._some(size)):
                self._value(kinds >> 4, depth + 1)
                self._value(kinds & 15, depth + 1)
            return None
        self._skip({BYTE: 1, DOUBLE: 8}.get(kind) or self._size_of_binary(kind))
        return None

    def _size_of_binary(self, kind: int) -> int:
        if kind != BINARY:
            msg = f"its description has a field of unknown type {kind}."
            raise ValueError(msg)
        return self._number()

    def _some(self, size: int) -> int:
        """Return a number of items, each of which takes a byte at least."""
        if size > len(self.data) - self.at:
            raise ValueError(ENDED)
        return size

    def _skip(self, size: int) -> None:
        self.at += self._some(size)

    def _byte(self) -> int:
        self._some(1)
        self.at += 1
        return self.data[self.at - 1]

    def _number(self) -> int:
        number = shift = 0
        while (byte := self._byte()) >= 128 and shift < 70:
            number |= (byte & 127) << shift
            shift += 7
        return number | byte << shift

    def _integer(self) -> int:
        number = self._number()
        return (number >> 1) ^ -(number & 1)


def count_arrow_values(message: bytes) -> int:
    """Return the sum of the lengths of all arrays of a record batch, from its message.

    Message.header is field 2 of its table, RecordBatch.nodes field 1: pairs of 64-bit
    numbers, the length of an array and its number of nulls.
    """
    try:
        header = _field(message, _u32(message, 0), 2)
        nodes = _field(message, header, 1) if header else 0
        if not nodes:
            return 0
        n_nodes = _u32(message, nodes)
        pairs = struct.unpack_from(f"<{2 * n_nodes}q", message, nodes + 4)
    except struct.error as error:
        raise ValueError(ENDED) from error
    return sum(max(length, 0) for length in pairs[::2])


def _field(data: bytes, table: int, number: int) -> int:
    """Return where the table or vector of a field begins; 0 without one."""
    (back,) = struct.unpack_from("<i", data, table)
    entries = table - back
    (size,) = struct.unpack_from("<H", data, entries)
    if 4 + 2 * number >= size:
        return 0
    (offset,) = struct.unpack_from("<H", data, entries + 4 + 2 * number)
    return table + offset + _u32(data, table + offset) if offset else 0


def _u32(data: bytes, at: int) -> int:
    (number,) = struct.unpack_from("<I", data, at)
    return int(number)
