"""The file that diagrams and models lie in: safetensors with a JSON header of pbow's.

The metadata of the file hold one key, ``pbow``, with the header as JSON text: format,
version, the version of pbow that wrote it, a checksum, and what the caller adds.
Nothing in a file is ever executed. The layout is specified in docs/file_formats.md.

The safetensors library parses and validates the file. It accepts only arrays that fill
the file without gaps or overlaps, so what they take in memory is bounded by the size
of the file; limits on the header are checked here, before it is parsed. Two things are
done here because the library does not do them well enough. Its numpy front end copies
arrays out of the file and does not tell their positions: mapped arrays are made by
``numpy.memmap`` from the dtypes, shapes and order that it has parsed. And its
``save_file`` makes a new file that nobody else may read beside the one it is given: so
the description, a line of JSON, is written here, and the arrays after it.
"""

from __future__ import annotations

import json
import math
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from importlib.metadata import version
from pathlib import Path
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray
from safetensors import SafetensorError, safe_open

from pbow._utils.files import AnyPath, atomic_write
from pbow.errors import format_error

__all__ = [
    "DIAGRAMS",
    "MODEL",
    "SIGNATURE",
    "Arrays",
    "pack",
    "read_container",
    "read_header",
    "write_container",
]

Arrays = dict[str, NDArray[Any]]

DIAGRAMS = "pbow-diagrams"
MODEL = "pbow-model"
# A version grows when older readers would misread the file.
VERSIONS = {DIAGRAMS: 1, MODEL: 1}
CONTENT = {DIAGRAMS: "diagrams", MODEL: "a model"}

KEY = "pbow"
LENGTH_BYTES = 8  # a file begins with the length of its description
SIGNATURE = f'{{"__metadata__":{{"{KEY}":'.encode()  # and goes on like this
ALIGNMENT = 64
DTYPES = {"F64": "<f8", "F32": "<f4", "I64": "<i8", "I32": "<i4"}
MAX_DIMS = 4
MAX_ARRAYS = 1 << 16
# JSON takes about twenty times its length in memory.
MAX_HEADER_BYTES = 1 << 22
# The header is a string there, with its quotes escaped, beside the arrays' entries.
MAX_DESCRIPTION_BYTES = 1 << 24


def write_container(
    path: AnyPath,
    kind: str,
    header: Mapping[str, Any],
    arrays: Mapping[str, NDArray[Any]],
) -> None:
    """Write arrays and a header by an atomic write.

    The same content gives the same bytes. `kind` is DIAGRAMS or MODEL. The header is
    what JSON can hold; format, version, pbow's version and a checksum are added. Arrays
    are floats or ints of 4 or 8 bytes.
    """
    content = pack(kind, header, arrays)
    with atomic_write(path) as file:
        file.writelines(content)


def pack(
    kind: str, header: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]
) -> list[bytes | memoryview]:
    """Return what :func:`write_container` writes, in pieces; arrays are not copied."""
    # Those of 8 bytes come first, so that every array is aligned.
    plain = {
        name: _as_plain(array, name)
        for name, array in sorted(arrays.items(), key=lambda item: -item[1].itemsize)
    }
    origin = {"format": kind, "version": VERSIONS[kind], "pbow": version("pbow")}
    content = {**origin, **header}
    text = json.dumps({**content, "crc32": _checksum(content, plain)}, allow_nan=False)
    if len(text) > MAX_HEADER_BYTES or len(arrays) > MAX_ARRAYS:
        msg = (
            f"Expected at most {MAX_HEADER_BYTES} bytes of header and {MAX_ARRAYS} "
            f"arrays; got {len(text)} and {len(arrays)}. Keep long metadata in a "
            "separate file."
        )
        raise ValueError(msg)
    return [_describe(text, plain), *map(_bytes_of, plain.values())]


def read_container(
    path: AnyPath, kind: str, *, mmap: bool = False
) -> tuple[dict[str, Any], Arrays]:
    """Return the header and all arrays of a file that :func:`write_container` wrote.

    A file that is damaged, of another `kind`, or made by a newer pbow, is a
    FileFormatError. With `mmap`, arrays are mapped read-only instead of loaded; the
    checksum is not verified then, as this would read them.
    """
    arrays: Arrays = {}
    with _parsed(path) as (tensors, start):
        position = start
        header, checksum = _check_header(tensors.metadata(), kind)
        names = tensors.offset_keys()
        if len(names) > MAX_ARRAYS:
            _refuse(f"it has {len(names)} arrays; expected at most {MAX_ARRAYS}")
        mapped = np.memmap(path, np.uint8, "r") if mmap else None
        for name in names:
            dtype, shape = _check_array(name, tensors.get_slice(name))
            n_bytes = math.prod(shape) * dtype.itemsize
            if mapped is not None and n_bytes:
                array = mapped[position : position + n_bytes].view(dtype).reshape(shape)
                arrays[name] = np.require(array, requirements="A")
            else:
                arrays[name] = tensors.get_tensor(name)
            position += n_bytes
        # Other programs need not write a checksum.
        if not mmap and checksum not in (None, _checksum(header, arrays)):
            _refuse("its checksum is wrong: it is damaged")
    return header, arrays


def read_header(path: AnyPath, kind: str) -> dict[str, Any]:
    """Read the header alone; parameters and errors as in :func:`read_container`."""
    with _parsed(path) as (tensors, _):
        return _check_header(tensors.metadata(), kind)[0]


@contextmanager
def _parsed(path: AnyPath) -> Iterator[tuple[Any, int]]:
    """Yield what safetensors has parsed, and where the arrays start."""
    with Path(path).open("rb") as file:
        length = file.read(LENGTH_BYTES)
    with format_error(path):
        n_bytes = int.from_bytes(length, "little")
        if len(length) < LENGTH_BYTES or n_bytes > MAX_DESCRIPTION_BYTES:
            _refuse("it is cut short, damaged, or not a file of pbow")
        try:
            with safe_open(path, "np") as tensors:
                yield tensors, LENGTH_BYTES + n_bytes
        except SafetensorError as error:
            msg = f"it is cut short, damaged, or not a file of pbow ({error})."
            raise ValueError(msg) from error


def _check_header(
    metadata: dict[str, str] | None, kind: str
) -> tuple[dict[str, Any], Any]:
    """Return the header, and apart from it the checksum that it has, if any."""
    text = (metadata or {}).get(KEY)
    if text is None:
        _refuse(f"it is safetensors, but not of pbow: no metadata {KEY!r}")
    if len(text) > MAX_HEADER_BYTES:
        _refuse(f"its header of {len(text)} bytes is too long")
    header = json.loads(text, parse_constant=_refuse_constant)
    if not isinstance(header, dict):
        _refuse("its header is not an object")
    found = header.get("format")
    if not isinstance(found, str) or found not in VERSIONS:
        _refuse(f"its format is {found!r:.60}; expected {kind!r}")
    if found != kind:
        _refuse(f"it holds {CONTENT[found]}; expected {CONTENT[kind]}")
    newest, number = VERSIONS[kind], header.get("version")
    if type(number) is not int or number < 1:
        _refuse(f"its version is {number!r:.60}; expected an int from 1 to {newest}")
    if number > newest:
        _refuse(
            f"its version is {number!r:.60}, made by a newer pbow "
            f"({header.get('pbow')!r:.60}); this one reads up to {newest}. Update pbow"
        )
    checksum = header.pop("crc32", None)
    return header, checksum


def _check_array(name: str, tensor: Any) -> tuple[np.dtype[Any], tuple[int, ...]]:
    """Return dtype and shape of an array that has not been read yet."""
    dtype, shape = tensor.get_dtype(), tuple(tensor.get_shape())
    if dtype not in DTYPES or len(shape) > MAX_DIMS:
        _refuse(
            f"array {name[:60]!r} is {dtype} with {len(shape)} dimensions; expected "
            f"{', '.join(DTYPES)} with at most {MAX_DIMS}"
        )
    return np.dtype(DTYPES[dtype]), shape


def _describe(text: str, arrays: Arrays) -> bytes:
    """Return what stands before the arrays: its length, and their positions in JSON."""
    entries: dict[str, Any] = {"__metadata__": {KEY: text}}
    names = {dtype: name for name, dtype in DTYPES.items()}
    stop = 0
    for name, array in arrays.items():
        start, stop = stop, stop + array.nbytes
        entries[name] = {
            "dtype": names[array.dtype.str],
            "shape": array.shape,
            "data_offsets": (start, stop),
        }
    description = json.dumps(entries, separators=(",", ":")).encode()
    description += b" " * (-(LENGTH_BYTES + len(description)) % ALIGNMENT)
    return len(description).to_bytes(LENGTH_BYTES, "little") + description


def _bytes_of(array: NDArray[Any]) -> memoryview:
    return array.reshape(-1).view(np.uint8).data


def _as_plain(array: NDArray[Any], name: str) -> NDArray[Any]:
    """Return an array in the layout that is written: itself, if it has it."""
    dtype = array.dtype.newbyteorder("<")
    if dtype.str not in DTYPES.values() or array.ndim > MAX_DIMS:
        msg = (
            f"Expected arrays of {', '.join(DTYPES)} with at most {MAX_DIMS} "
            f"dimensions; {name} is {array.dtype} with {array.ndim}."
        )
        raise ValueError(msg)
    return np.asarray(array, dtype, order="C")


def _checksum(header: Mapping[str, Any], arrays: Arrays) -> int:
    """Return the CRC-32 of a header, and then of the arrays in the order of names."""
    crc = zlib.crc32(json.dumps(header, sort_keys=True).encode())
    for _, array in sorted(arrays.items()):
        crc = zlib.crc32(_bytes_of(array), crc)
    return crc


def _refuse(what: str) -> NoReturn:
    msg = f"{what}."
    raise ValueError(msg)


def _refuse_constant(constant: str) -> NoReturn:
    _refuse(f"its header has a number {constant}")
