"""Groups and arrays of HDF5 files that may come from anywhere.

Links to other files, and arrays that lie in them, are not followed.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from io import BytesIO
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pbow.datasets.importing.release import printable
from pbow.errors import FileFormatError

__all__ = ["open_hdf5", "read_array", "read_group", "read_points"]

# Unwritten or packed values take no room in a file, so that it may claim any number.
MOST_VALUES = 100_000_000
MOST_MEMBERS = 1_000_000


@contextmanager
def open_hdf5(data: bytes, where: str) -> Iterator[Any]:
    """Open the content of a file; what is wrong with it becomes a FileFormatError."""
    try:
        h5py = import_module("h5py")
    except ImportError as error:
        msg = (
            f"{where} is an HDF5 file, which needs h5py, of the extra datasets: pip "
            'install "pbow[datasets]".'
        )
        raise ImportError(msg) from error
    try:
        with h5py.File(BytesIO(data), "r") as file:
            yield file
    except FileFormatError:
        raise
    # h5py has an error of Python's for each of the library's, with its text in it.
    except (
        OSError,
        RuntimeError,
        ValueError,
        KeyError,
        TypeError,
        OverflowError,
        MemoryError,
    ) as error:
        msg = printable(f"Cannot read {where}: {_one_line(error)}")
        raise FileFormatError(msg) from error


def read_group(group: Any, name: str) -> Any:
    """Return a group within a group."""
    found = _follow(group, name)
    if type(found).__name__ != "Group":
        msg = f"expected {found.name} to be a group."
        raise ValueError(msg)
    if len(found) > MOST_MEMBERS:
        msg = f"{found.name} has {len(found)} members, more than {MOST_MEMBERS}."
        raise ValueError(msg)
    return found


def read_array(group: Any, name: str, most_values: int = MOST_VALUES) -> NDArray[Any]:
    """Return an array of numbers within a group."""
    found = _follow(group, name)
    is_array = type(found).__name__ == "Dataset" and found.shape is not None
    if not is_array or found.dtype.kind not in "iuf":
        msg = f"expected {found.name} to be an array of numbers."
        raise ValueError(msg)
    if found.is_virtual or found.external:
        msg = f"{found.name} lies in another file, which is not opened."
        raise ValueError(msg)
    if found.size > most_values:
        msg = f"{found.name} claims {found.size} values, more than {most_values}."
        raise ValueError(msg)
    return np.asarray(found[()])


def read_points(group: Any, name: str, most_values: int) -> NDArray[np.float64]:
    """Return a diagram within a group; an empty one may have any shape."""
    array = read_array(group, name, most_values)
    if array.size == 0:
        return np.empty((0, 2))
    if array.ndim != 2 or array.shape[1] != 2:
        msg = (
            f"{group.name}/{name} has the shape {array.shape}; expected a birth and a "
            "death in each row."
        )
        raise ValueError(msg)
    return array.astype(np.float64)


def _follow(group: Any, name: str) -> Any:
    link = group.get(name, getlink=True)
    if link is None:
        listed = ", ".join(list(group)[:5]) or "nothing"
        msg = f"expected {name!r} in {group.name}; found {listed}."
        raise ValueError(msg)
    if type(link).__name__ != "HardLink":
        msg = f"{group.name} has a link {name!r} to elsewhere, which is not followed."
        raise ValueError(msg)
    return group[name]


def _one_line(error: Exception) -> str:
    # The text of a KeyError is in quotes.
    text = str(error.args[0]) if error.args else type(error).__name__
    return " ".join(text.split())
