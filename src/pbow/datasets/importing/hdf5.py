"""Groups and arrays of HDF5 files, read by h5py, with errors that name the file."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from io import BytesIO
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from pbow._utils.optional import import_optional
from pbow._utils.unpacking import check_unpacked, damage_as_value_error
from pbow.errors import format_error

__all__ = ["open_hdf5", "read_array", "read_group", "read_points"]


@contextmanager
def open_hdf5(data: bytes, where: str) -> Iterator[Any]:
    """Open the content of a file; what is wrong with it becomes a FileFormatError."""
    h5py = import_optional("h5py", extra="datasets", purpose=f"Reading {where}, HDF5,")
    with (
        format_error(where),
        damage_as_value_error(),
        h5py.File(BytesIO(data), "r") as file,
    ):
        yield file


def read_group(group: Any, name: str) -> Any:
    """Return a group within a group."""
    found = group.get(name)
    if not isinstance(found, Mapping):
        _refuse(group, name, "a group")
    return found


def read_array(group: Any, name: str) -> NDArray[Any]:
    """Return an array of numbers within a group."""
    found = group.get(name)
    if getattr(found, "shape", None) is None or found.dtype.kind not in "iuf":
        _refuse(group, name, "an array of numbers")
    if found.is_virtual or found.external or found.file != group.file:
        _refuse(group, name, "an array in this file, not in another one")
    # Unwritten values take no room in a file, so that it may claim any number.
    stored = group.file.id.get_filesize()
    check_unpacked(found.nbytes, stored, f"{group.name}/{name}")
    return np.asarray(found[()])


def read_points(group: Any, name: str) -> NDArray[np.float64]:
    """Return a diagram within a group; an empty one may have any shape."""
    array = read_array(group, name)
    if array.size == 0:
        return np.empty((0, 2))
    if array.ndim != 2 or array.shape[1] != 2:
        _refuse(group, name, f"a birth and a death in each row, not {array.shape}")
    return array.astype(np.float64)


def _refuse(group: Any, name: str, expected: str) -> NoReturn:
    listed = ascii(list(group)[:5])
    msg = f"expected {name!r} in {group.name!a} to be {expected}; found {listed}."
    raise ValueError(msg)
