"""Arrays from ``.npy`` files, and diagrams of one file per sample."""

from __future__ import annotations

import math
import os
import warnings
from pathlib import Path
from types import SimpleNamespace
from typing import IO, Any, BinaryIO, cast

import numpy as np
from numpy.typing import NDArray

from pbow._conversion import to_float64
from pbow._utils.files import AnyPath
from pbow._utils.unpacking import damage_as_value_error
from pbow.diagrams import Diagrams
from pbow.errors import FileFormatError, format_error

__all__ = [
    "read_array",
    "read_array_header",
    "read_npy",
    "read_npy_diagram",
    "save_array",
    "write_npy_diagram",
]

# Bytes of a header, as numpy has it. That of an array of numbers has 128.
MOST_HEADER = 10_000


def read_array_header(file: IO[bytes]) -> tuple[np.dtype[Any], tuple[int, ...]]:
    """Return type and shape of an array, as the head of a ``.npy`` file claims them."""
    # Versions 2 and 3 differ in the encoding of the names of fields alone.
    is_first = np.lib.format.read_magic(file) == (1, 0)
    read = (
        np.lib.format.read_array_header_1_0
        if is_first
        else np.lib.format.read_array_header_2_0
    )
    start, n_length = file.tell(), 2 if is_first else 4
    length = int.from_bytes(file.read(n_length), "little")
    if length > MOST_HEADER:  # numpy would allocate as much before it refuses it
        msg = f"its header claims {length} bytes; expected at most {MOST_HEADER}."
        raise ValueError(msg)
    file.seek(start)
    with warnings.catch_warnings():
        # numpy warns of headers of Python 2, and Python of odd escapes in strings.
        warnings.simplefilter("ignore")
        shape, _, dtype = read(file)
    return dtype, shape


def read_array(file: IO[bytes], n_bytes: int) -> NDArray[Any]:
    """Return the array of a ``.npy`` file of `n_bytes` that was just opened.

    numpy would allocate what the header claims, and then look for it.
    """
    dtype, shape = read_array_header(file)
    claimed, stored = dtype.itemsize * math.prod(shape), n_bytes - file.tell()
    # In numpy 2.0 the size of a long text is negative.
    if min((dtype.itemsize, *shape)) < 0 or claimed > stored:
        msg = f"it claims {dtype!s:.60} of shape {shape!s:.60}, and has {stored} bytes."
        raise ValueError(msg)
    file.seek(0)
    # Unlike numpy.load, it does not take archives and pickles for arrays.
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        array: NDArray[Any] = np.lib.format.read_array(file, allow_pickle=False)
    return array


def read_npy(path: AnyPath) -> NDArray[Any]:
    """Read the array of a ``.npy`` file; one that would run code is refused."""
    with Path(path).open("rb") as file:
        try:
            with damage_as_value_error():
                return read_array(file, os.fstat(file.fileno()).st_size)
        except ValueError as error:
            msg = "not a valid .npy file of numbers or strings."
            raise FileFormatError(path, msg) from error


def read_npy_diagram(path: Path) -> dict[int | None, NDArray[np.float64]]:
    """Return the one diagram of a file, which does not say its dimension."""
    array = read_npy(path)
    if array.ndim != 2 or array.shape[1] != 2 or array.dtype.kind not in "biuf":
        msg = (
            f"it is {array.dtype} of shape {array.shape}; expected a diagram of shape "
            "(n_points, 2). If it holds raw data, compute the diagrams first, as pbow "
            "homology does."
        )
        raise FileFormatError(path, msg)
    with format_error(path):
        points = to_float64(array, "it")
    return {None: points} if len(points) else {}


def write_npy_diagram(X: Diagrams, file: BinaryIO) -> None:
    """Write the only diagram of one sample."""
    if len(X.parts) > 1:
        msg = (
            f"A .npy file holds one diagram, and there are {', '.join(X.parts)}. "
            "Select one of them."
        )
        raise ValueError(msg)
    save_array(file, X.points)


def save_array(file: BinaryIO, array: NDArray[Any]) -> None:
    """Write an array as ``numpy.save`` does, or raise if the disk is full.

    ``numpy.save`` hands an open file to C, and of a small array it never hears that it
    did not fit. To anything else that has ``write``, it passes the bytes.
    """
    np.save(cast("BinaryIO", SimpleNamespace(write=file.write)), array)
