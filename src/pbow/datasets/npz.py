"""Arrays from ``.npz`` files, which may come from anywhere.

What a file claims is compared with its size before memory is taken; nothing in it is
executed; whatever is wrong with it becomes a ValueError, for the caller to name the
file.
"""

from __future__ import annotations

import errno
import hashlib
import math
import os
import struct
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from io import BufferedReader
from typing import Any, NoReturn

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray

__all__ = ["Npz"]

KINDS = "biufU"
# Deflate reaches 1:1000, real data seldom 1:20. Small files may be of zeros alone.
MOST_UNPACKED = 200  # bytes a byte of the file
ALWAYS_ALLOWED = 1 << 26
PACKINGS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)


class Npz:
    """An open ``.npz`` file: its checksum, and its arrays by name.

    Parameters
    ----------
    file : binary file
        Stays open, and the caller's. What is read belongs to one state of it, as a
        writer replaces files and does not change them.
    """

    def __init__(self, file: BufferedReader) -> None:
        self._file = file
        self._n_bytes = file.seek(0, os.SEEK_END)
        with _as_value_errors():
            self._zip = zipfile.ZipFile(file)
            members = self._zip.infolist()
        self._members = {m.filename.removesuffix(".npy"): m for m in members}
        if len(self._members) < len(members):
            _refuse("it has two members of the same name")

    def sha256(self) -> str:
        """Return the digest of the file's bytes."""
        self._file.seek(0)
        return hashlib.file_digest(self._file, "sha256").hexdigest()

    def __contains__(self, name: str) -> bool:
        return name in self._members

    def read(self, name: str, kinds: str, n_dims: int) -> NDArray[Any]:
        """Return an array of one of some kinds (as ``"iu"``) and of `n_dims` axes."""
        if name not in self._members:
            found = ", ".join(sorted(self._members)) or "nothing"
            _refuse(f"it has no array {name}; it has {found:.200}")
        with _as_value_errors():
            array = self._read(name)
        if array.dtype.kind not in kinds or array.ndim != n_dims:
            _refuse(
                f"its array {name} is {array.dtype} of shape {array.shape}; expected "
                f"{n_dims} axes and kind {' or '.join(kinds)}"
            )
        return array

    def _read(self, name: str) -> NDArray[Any]:
        member = self._members[name]
        limit = MOST_UNPACKED * self._n_bytes + ALWAYS_ALLOWED
        if member.compress_type not in PACKINGS or member.flag_bits & 1:
            _refuse(f"its array {name} is packed in a way that numpy does not write")
        if member.file_size > limit:
            _refuse(
                f"its array {name} claims {member.file_size} bytes, more than a file "
                f"of {self._n_bytes} bytes can be expected to hold"
            )
        with self._zip.open(member) as stream:
            shape, in_columns, dtype = _read_head(stream, name)
            if dtype.kind not in KINDS:
                _refuse(f"its array {name} is {dtype}; expected numbers or strings")
            n_data = math.prod(shape) * dtype.itemsize
            data = stream.read()
        if len(data) != n_data:
            _refuse(
                f"its array {name} should have {n_data} bytes for its shape {shape}, "
                f"and has {len(data)}"
            )
        array: NDArray[Any] = np.frombuffer(data, dtype)
        array = array.reshape(shape, order="F" if in_columns else "C")
        return array.astype(dtype.newbyteorder("="), order="C", copy=False)


def _read_head(stream: Any, name: str) -> tuple[tuple[int, ...], bool, np.dtype[Any]]:
    try:
        version = npy.read_magic(stream)
        if version == (1, 0):
            return npy.read_array_header_1_0(stream)
        if version == (2, 0):
            return npy.read_array_header_2_0(stream)
    except ValueError as error:
        _refuse(f"its array {name} has no header as numpy writes it: {error}")
    return _refuse(f"its array {name} is of version {version}, which is unknown")


@contextmanager
def _as_value_errors() -> Iterator[None]:
    """Turn what a damaged zip or array leads to into one kind of error."""
    try:
        yield
    except (
        zipfile.BadZipFile,
        zlib.error,
        struct.error,
        EOFError,
        NotImplementedError,
        RuntimeError,
        MemoryError,
        SyntaxError,
        TypeError,
        OverflowError,
        KeyError,
        IndexError,
        AttributeError,
    ) as error:
        _refuse_damage(error)
    except OSError as error:
        if error.errno != errno.EINVAL:  # other than a place before the file's start
            raise
        _refuse_damage(error)


def _refuse_damage(error: Exception) -> NoReturn:
    msg = f"it is damaged, or no .npz file: {error}."
    raise ValueError(msg) from error


def _refuse(what: str) -> NoReturn:
    msg = f"{what}."
    raise ValueError(msg)
