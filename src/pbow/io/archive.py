"""The file that diagrams and models lie in: a zip of plain arrays and a JSON header.

It is written by the standard library and read by the strict reader below, because a
file may come from anywhere: whatever is claimed is compared with the file's size before
memory is taken, and nothing in a file is ever executed. The layout is specified in
docs/file_formats.md. Arrays are ``.npy`` members, so ``numpy.load`` reads them too.
"""

from __future__ import annotations

import json
import math
import os
import re
import struct
import zipfile
import zlib
from collections.abc import Mapping
from importlib.metadata import version
from io import BufferedReader
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple, NoReturn

import numpy as np
from numpy.typing import NDArray

from pbow._utils.files import AnyPath, atomic_write
from pbow.errors import format_error

__all__ = [
    "DIAGRAMS",
    "MAGIC",
    "MODEL",
    "read_archive",
    "read_header",
    "write_archive",
]

Arrays = dict[str, NDArray[Any]]

DIAGRAMS = "pbow-diagrams"
MODEL = "pbow-model"
# A version grows when older readers would misread the file.
VERSIONS = {DIAGRAMS: 1, MODEL: 1}
READERS = {DIAGRAMS: "pbow.io.read_diagrams", MODEL: "pbow.load"}

MAGIC = b"PK\x03\x04"  # the first bytes of any zip
HEADER = "header.json"
ALIGNMENT = 64
DTYPES = ("<f8", "<f4", "<i8", "<i4")
MOST_DIMS = 4
# JSON takes about twenty times its length in memory.
MOST_HEADER_BYTES = 1 << 22
MOST_MEMBERS = 0xFFFF - 1

MEMBER_NAME = re.compile(r"header\.json|[A-Za-z0-9_]+(\.[A-Za-z0-9_]+)*\.npy")
NPY_START = struct.Struct("<6s2BH")
NPY_MAGIC = b"\x93NUMPY"
NPY_TEXT = re.compile(
    rf"\{{'descr': '({'|'.join(DTYPES)})', 'fortran_order': False, 'shape': "
    rf"\((\d{{1,18}},|\d{{1,18}}(?:, \d{{1,18}}){{1,{MOST_DIMS - 1}}}|)\), \}} *\n"
)

# Records of a zip, and the value that means "see the zip64 field".
LOCAL = struct.Struct("<4s5H3L2H")
ENTRY = struct.Struct("<4s6H3L5H2L")
END = struct.Struct("<4s4H2LH")
LOCATOR_SIZE = 20
END64 = struct.Struct("<4sQ2H2L4Q")
FULL32 = 0xFFFFFFFF
ZIP64_FIELD, ZIP64_FIELD_SIZE = 1, 20
PADDING_FIELD, PADDING = 0xD935, struct.Struct("<3H")  # as zipalign writes it


class _Member(NamedTuple):
    start: int
    size: int
    crc: int


def write_archive(
    path: AnyPath,
    kind: str,
    header: Mapping[str, Any],
    arrays: Mapping[str, NDArray[Any]],
) -> None:
    """Write arrays and a header; `path` changes only when all of it is on the disk.

    The same content gives the same bytes.

    Parameters
    ----------
    path : str or path-like
        The file to make or replace.
    kind : str
        DIAGRAMS or MODEL.
    header : mapping
        What JSON can hold. Format, version and pbow's version are added.
    arrays : mapping of str to ndarray
        Numbers of 4 or 8 bytes, by name.

    Raises
    ------
    ValueError
        Where the header is too long, or there are too many arrays.
    OSError
        Where the file cannot be written. What was there before stays as it is.
    """
    origin = {"format": kind, "version": VERSIONS[kind], "pbow": version("pbow")}
    text = json.dumps({**origin, **header}, indent=1, allow_nan=False).encode()
    if len(text) > MOST_HEADER_BYTES or len(arrays) >= MOST_MEMBERS:
        msg = (
            f"Expected at most {MOST_HEADER_BYTES} bytes of header and "
            f"{MOST_MEMBERS - 1} arrays; got {len(text)} and {len(arrays)}. "
            "Keep long metadata in a file of their own."
        )
        raise ValueError(msg)
    for name, array in arrays.items():
        if array.dtype.newbyteorder("<") not in DTYPES or array.ndim > MOST_DIMS:
            msg = (
                f"Expected arrays of {', '.join(DTYPES)} with at most {MOST_DIMS} "
                f"dimensions; {name} is {array.dtype} with {array.ndim}."
            )
            raise ValueError(msg)
    with atomic_write(path) as file, zipfile.ZipFile(file, "w") as archive:
        _write_member(archive, file, HEADER, [text])
        for name, array in arrays.items():
            dtype = array.dtype.newbyteorder("<")
            data = np.ascontiguousarray(array, dtype).reshape(-1).view(np.uint8).data
            start = _npy_start(dtype.str, array.shape)
            _write_member(archive, file, f"{name}.npy", [start, data])


def read_archive(
    path: AnyPath, kind: str, *, mmap: bool = False
) -> tuple[dict[str, Any], Arrays]:
    """Read the header and all arrays of an archive that :func:`write_archive` wrote.

    Parameters
    ----------
    path : str or path-like
        The file.
    kind : str
        What is expected: DIAGRAMS or MODEL.
    mmap : bool, default=False
        Map arrays read-only instead of loading them. Their checksums are not verified
        then, as this would read them.

    Returns
    -------
    header : dict
    arrays : dict of str to ndarray

    Raises
    ------
    FileFormatError
        Where the file is damaged, of another kind, or made by a newer pbow.
    OSError
        Where it cannot be read.
    """
    with Path(path).open("rb") as file, format_error(path):
        members = _read_directory(file)
        header = _read_header(file, members, kind)
        arrays = {
            name.removesuffix(".npy"): _read_array(file, name, member, mmap=mmap)
            for name, member in members.items()
            if name != HEADER
        }
    return header, arrays


def read_header(path: AnyPath, kind: str) -> dict[str, Any]:
    """Read the header alone; parameters and errors as in :func:`read_archive`."""
    with Path(path).open("rb") as file, format_error(path):
        return _read_header(file, _read_directory(file), kind)


def _write_member(
    archive: zipfile.ZipFile, file: BinaryIO, name: str, blocks: list[Any]
) -> None:
    info = zipfile.ZipInfo(name)  # of 1980, so that the same content is the same bytes
    info.create_system = 3
    info.external_attr = 0o644 << 16
    # In front of the data stand the entry, the name, the zip64 field and the padding.
    before = file.tell() + LOCAL.size + len(name) + ZIP64_FIELD_SIZE + PADDING.size
    n_padding = -before % ALIGNMENT
    info.extra = PADDING.pack(PADDING_FIELD, 2 + n_padding, ALIGNMENT)
    info.extra += bytes(n_padding)
    with archive.open(info, "w", force_zip64=True) as member:
        for block in blocks:
            member.write(block)
    info.extra = b""  # the directory needs no padding


def _npy_start(dtype: str, shape: tuple[int, ...]) -> bytes:
    # Written here, because numpy's own text differs from version to version.
    text = f"{{'descr': '{dtype}', 'fortran_order': False, 'shape': {shape}, }}"
    room = -(NPY_START.size + len(text) + 1) % ALIGNMENT
    text += " " * room + "\n"
    return NPY_START.pack(NPY_MAGIC, 1, 0, len(text)) + text.encode()


def _read_directory(file: BufferedReader) -> dict[str, _Member]:
    """Find every member, and make sure that all of them lie within the file."""
    n_bytes = file.seek(0, os.SEEK_END)
    if n_bytes == 0:
        _refuse("it is empty")
    if _read_at(file, 0, min(4, n_bytes)) != MAGIC:
        _refuse("it is not a file of pbow, which starts with the letters PK")
    count, first, stop = _read_end(file, n_bytes)
    directory = _read_at(file, first, stop - first)
    members: dict[str, _Member] = {}
    at = 0
    for _ in range(count):
        name, member, at = _read_entry(file, directory, at, first)
        if name in members:
            _refuse(f"it has two members {name}")
        members[name] = member
    if at != len(directory):
        _refuse("its directory is damaged")
    # Members that share bytes could claim many times the size of the file.
    if sum(member.size for member in members.values()) > n_bytes:
        _refuse("its members claim more bytes than it has")
    return members


def _read_end(file: BufferedReader, n_bytes: int) -> tuple[int, int, int]:
    """Return the number of members, and where the directory starts and stops."""
    cut_short = "its end is missing. It was cut short, or changed by another program"
    stop = n_bytes - END.size
    if stop < 0:
        _refuse(cut_short)
    marker, *_, count, length, first, comment = END.unpack(
        _read_at(file, stop, END.size)
    )
    if marker != b"PK\x05\x06" or comment:
        _refuse(cut_short)
    wide = stop - LOCATOR_SIZE - END64.size
    if wide >= 0 and _read_at(file, stop - LOCATOR_SIZE, 4) == b"PK\x06\x07":
        stop = wide
        marker, *_, count, length, first = END64.unpack(
            _read_at(file, stop, END64.size)
        )
        if marker != b"PK\x06\x06":
            _refuse(cut_short)
    if first + length != stop or count > MOST_MEMBERS:
        _refuse("its directory is not where it should be, or too long")
    return count, first, stop


def _read_entry(
    file: BufferedReader, directory: bytes, at: int, end_of_data: int
) -> tuple[str, _Member, int]:
    """Read an entry of the directory; return it and where the next one starts."""
    if at + ENTRY.size > len(directory):
        _refuse("its directory is damaged")
    (
        marker,
        *_,
        flags,
        method,
        _time,
        _date,
        crc,
        packed_size,
        size,
        n_name,
        n_extra,
        n_comment,
        _disk,
        _attributes,
        _mode,
        where,
    ) = ENTRY.unpack_from(directory, at)
    at += ENTRY.size
    raw_name = directory[at : at + n_name]
    name = raw_name.decode("ascii", "backslashreplace")
    if marker != b"PK\x01\x02" or not MEMBER_NAME.fullmatch(name):
        _refuse(f"it has a member {name!r}, which is none of pbow's")
    extra = directory[at + n_name : at + n_name + n_extra]
    size, packed_size, where = _widen(extra, [size, packed_size, where])
    if method != zipfile.ZIP_STORED or packed_size != size or flags & 1:
        _refuse(f"member {name} is compressed or encrypted; it must be stored")
    # The place of the data follows from the copy of the entry in front of them.
    local = b"".ljust(LOCAL.size)
    if where + LOCAL.size <= end_of_data:
        local = _read_at(file, where, LOCAL.size)
    marker, *_, n_local_name, n_local_extra = LOCAL.unpack(local)
    start = where + LOCAL.size + n_local_name + n_local_extra
    if marker != MAGIC or n_local_name != n_name or start + size > end_of_data:
        _refuse(f"member {name} does not lie within it")
    if _read_at(file, where + LOCAL.size, n_name) != raw_name:
        _refuse(f"member {name} has another name in front of its data")
    return name, _Member(start, size, crc), at + n_name + n_extra + n_comment


def _widen(extra: bytes, values: list[int]) -> list[int]:
    """Replace values that did not fit into 32 bits by those of the zip64 field."""
    at, wide = 0, b""
    while at + 4 <= len(extra):
        field, length = struct.unpack_from("<2H", extra, at)
        if field == ZIP64_FIELD:
            wide = extra[at + 4 : at + 4 + length]
        at += 4 + length
    n_full = values.count(FULL32)
    if len(wide) < 8 * n_full:
        _refuse("its directory is damaged")
    fields = iter(struct.unpack_from(f"<{n_full}Q", wide))
    return [next(fields) if value == FULL32 else value for value in values]


def _read_header(
    file: BufferedReader, members: dict[str, _Member], kind: str
) -> dict[str, Any]:
    if HEADER not in members:
        _refuse(f"it is a zip, but not one of pbow: it has no member {HEADER}")
    member = members[HEADER]
    if member.size > MOST_HEADER_BYTES:
        _refuse(f"its header of {member.size} bytes is too long")
    text = _read_at(file, member.start, member.size)
    if zlib.crc32(text) != member.crc:
        _refuse_checksum(HEADER)
    header = json.loads(text.decode("utf-8"), parse_constant=_refuse_constant)
    if not isinstance(header, dict):
        _refuse("its header is not an object")
    found = header.get("format")
    if not isinstance(found, str) or found not in VERSIONS:
        _refuse(f"its format is {found!r:.60}; expected {kind!r}")
    if found != kind:
        _refuse(f"it is {found!r} and not {kind!r}. Use {READERS[found]}")
    number, known = header.get("version"), VERSIONS[kind]
    if type(number) is not int or number < 1:
        _refuse(f"its version is {number!r:.60}; expected an int from 1 to {known}")
    if number > known:
        maker = header.get("pbow")
        _refuse(
            f"it has version {number!r:.60} of the format, and pbow {version('pbow')} "
            f"reads up to {known}. It was made by a newer pbow ({maker!r:.60}); "
            "update pbow"
        )
    return header


def _read_array(
    file: BufferedReader, name: str, member: _Member, *, mmap: bool
) -> NDArray[Any]:
    """Read a member in the format npy 1.0."""
    not_npy = f"member {name} is not an array of {', '.join(DTYPES)} in rows"
    if member.size < NPY_START.size:
        _refuse(not_npy)
    start = _read_at(file, member.start, NPY_START.size)
    magic, major, minor, length = NPY_START.unpack(start)
    n_start = NPY_START.size + length
    if (magic, major, minor) != (NPY_MAGIC, 1, 0) or n_start > member.size:
        _refuse(not_npy)
    start += _read_at(file, member.start + NPY_START.size, length)
    match = NPY_TEXT.fullmatch(start[NPY_START.size :].decode("latin-1"))
    if match is None:
        _refuse(not_npy)
    dtype = np.dtype(match[1])
    shape = tuple(int(n) for n in re.findall(r"\d+", match[2]))
    n_data = math.prod(shape) * dtype.itemsize
    if n_start + n_data != member.size:
        _refuse(
            f"member {name} should have {n_data} bytes for its shape {shape}, and has "
            f"{member.size - n_start}"
        )
    if mmap and n_data:
        where = member.start + n_start
        if where % dtype.itemsize:
            _refuse(
                f"member {name} is not aligned, as another program has packed the "
                "file. Read it without mmap"
            )
        return np.memmap(file, dtype, mode="r", offset=where, shape=shape)
    array = np.empty(shape, dtype)
    data = array.reshape(-1).view(np.uint8).data
    # A buffered file fills it all, however many calls of the system that takes.
    if file.readinto(data) != n_data:
        _refuse("it became shorter while it was read")
    if zlib.crc32(data, zlib.crc32(start)) != member.crc:
        _refuse_checksum(name)
    return array


def _read_at(file: BufferedReader, start: int, n_bytes: int) -> bytes:
    file.seek(start)
    data = file.read(n_bytes)
    if len(data) != n_bytes:
        _refuse("it became shorter while it was read")
    return data


def _refuse(what: str) -> NoReturn:
    msg = f"{what}."
    raise ValueError(msg)


def _refuse_checksum(name: str) -> NoReturn:
    _refuse(f"the checksum of member {name} is wrong: the file is damaged")


def _refuse_constant(constant: str) -> NoReturn:
    _refuse(f"its header has a number {constant}")
