"""Arrays from ``.npy`` files, and diagrams of one file per sample."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any, BinaryIO, cast

import numpy as np
from numpy.typing import NDArray

from pbow._utils.files import AnyPath
from pbow._utils.unpacking import damage_as_value_error
from pbow.diagrams import Diagrams
from pbow.errors import FileFormatError

__all__ = ["read_npy", "read_npy_diagram", "save_array", "write_npy_diagram"]


def read_npy(path: AnyPath) -> NDArray[Any]:
    """Read the array of a ``.npy`` file; one that would run code is refused."""
    with Path(path).open("rb") as file:
        try:
            with damage_as_value_error():
                # Unlike numpy.load, it does not take archives and pickles for arrays.
                array: NDArray[Any] = np.lib.format.read_array(file, allow_pickle=False)
        except ValueError as error:
            msg = "not a valid .npy file of numbers or strings."
            raise FileFormatError(path, msg) from error
    return array


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
    points = array.astype(np.float64)
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
