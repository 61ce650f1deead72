"""Arrays of numbers in Matlab files, of version 7.3, which is HDF5, and of 5 to 7.

The latter are read here, as scipy's reader crashes on some that are damaged. They are a
sequence of elements, each with its type and its size in front, some of them packed; an
array is an element of elements: flags, dimensions, name and numbers, by columns.
"""

from __future__ import annotations

import math
import struct
import zlib
from collections.abc import Collection, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pbow.datasets.importing.hdf5 import open_hdf5, read_array
from pbow.errors import FileFormatError

__all__ = ["read_matlab"]

HDF5_START = b"\x89HDF\r\n\x1a\n"
HDF5_AT = 512

HEADER_SIZE = 128
ORDERS = {b"\x00\x01IM": "<", b"\x01\x00MI": ">"}  # version and order of bytes
MATRIX, PACKED = 14, 15
STORED = {
    1: "i1",
    2: "u1",
    3: "i2",
    4: "u2",
    5: "i4",
    6: "u4",
    7: "f4",
    9: "f8",
    12: "i8",
    13: "u8",
}
CLASSES = dict(
    enumerate(("f8", "f4", "i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8"), 6)
)
IS_COMPLEX = 0x800
MOST_DIMS = 4
# For all of an element that stands in front of the numbers.
HEAD_SIZE = 1 << 12


def read_matlab(
    data: bytes, where: str, wanted: Collection[str], most_values: int
) -> dict[str, NDArray[Any]]:
    """Return those of the wanted arrays that are there.

    Parameters
    ----------
    data : bytes
        The content of a file.
    where : str
        Its name, for messages.
    wanted : collection of str
        Names of arrays of numbers.
    most_values : int
        What an array may have at most.

    Raises
    ------
    FileFormatError
        If it is no Matlab file, or an array is not of numbers, or too large.
    """
    if data[HDF5_AT : HDF5_AT + 8] == HDF5_START or data.startswith(HDF5_START):
        with open_hdf5(data, where) as file:
            # Matlab's arrays lie by columns.
            return {
                name: read_array(file, name, most_values).T
                for name in wanted
                if name in file
            }
    try:
        return dict(_arrays(data, wanted, most_values))
    except (ValueError, zlib.error) as error:
        msg = f"Cannot read {where}: {error}"
        raise FileFormatError(msg) from error


def _arrays(
    data: bytes, wanted: Collection[str], most_values: int
) -> Iterator[tuple[str, NDArray[Any]]]:
    order = ORDERS.get(data[HEADER_SIZE - 4 : HEADER_SIZE])
    if order is None:
        msg = "it is no Matlab file of version 5 to 7.3."
        raise ValueError(msg)
    for kind, content in _elements(data[HEADER_SIZE:], order):
        if kind == PACKED:
            # As much as a wanted array has; of others the head is enough.
            most_bytes = HEAD_SIZE + 8 * most_values
            unpacked = zlib.decompressobj().decompress(content, most_bytes)
            is_matrix = unpacked[:4] == struct.pack(f"{order}L", MATRIX)
            matrix = unpacked[8:]
        else:
            is_matrix, matrix = kind == MATRIX, content
        if is_matrix:
            parts = _elements(matrix, order)
            flags, dims, name = (next(parts, (0, b""))[1] for _ in range(3))
            text = name.decode("latin-1")
            if text in wanted:
                shape = _shape(text, flags, dims, order, most_values)
                yield text, _numbers(text, flags, shape, next(parts, (0, b"")), order)


def _elements(data: bytes, order: str) -> Iterator[tuple[int, bytes]]:
    """Yield the type and the content of each element."""
    at = 0
    while at < len(data):
        kind, size = struct.unpack_from(f"{order}2L", data[at : at + 8].ljust(8))
        start = at + 8
        if kind >> 16:  # in short: type and size in four bytes, content in as many
            kind, size, start = kind & 0xFFFF, kind >> 16, at + 4
        end = start + size
        if end > len(data) or (start == at + 4 and size > 4):
            msg = f"it is cut off: an element of {size} bytes does not lie within it."
            raise ValueError(msg)
        yield kind, data[start:end]
        at = end if kind == PACKED else end + -end % 8


def _shape(
    name: str, flags: bytes, dims: bytes, order: str, most_values: int
) -> tuple[int, ...]:
    if len(flags) != 8 or len(dims) % 4 or not 8 <= len(dims) <= 4 * MOST_DIMS:
        msg = f"its {name} has no dimensions, or too many."
        raise ValueError(msg)
    shape = struct.unpack(f"{order}{len(dims) // 4}l", dims)
    if min(shape) < 0 or math.prod(shape) > most_values:
        msg = f"its {name} claims the shape {shape}."
        raise ValueError(msg)
    return shape


def _numbers(
    name: str,
    flags: bytes,
    shape: tuple[int, ...],
    element: tuple[int, bytes],
    order: str,
) -> NDArray[Any]:
    (flag,) = struct.unpack(f"{order}L", flags[:4])
    kind, content = element
    if flag & 0xFF not in CLASSES or flag & IS_COMPLEX or kind not in STORED:
        msg = f"its {name} is not an array of real numbers."
        raise ValueError(msg)
    stored = np.dtype(order + STORED[kind])
    if len(content) != math.prod(shape) * stored.itemsize:
        msg = (
            f"its {name} has {len(content)} bytes, which do not fit its shape {shape}."
        )
        raise ValueError(msg)
    # Matlab stores numbers in fewer bytes where these do, so none is out of range.
    with np.errstate(over="ignore", invalid="ignore"):
        values = np.frombuffer(content, stored).astype(CLASSES[flag & 0xFF])
    return values.reshape(shape, order="F")
