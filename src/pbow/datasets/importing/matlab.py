"""Arrays of Matlab files, of version 7.3, which is HDF5, and of those before."""

from __future__ import annotations

import math
from collections.abc import Collection
from io import BytesIO
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import io

from pbow.datasets.importing.hdf5 import open_hdf5, read_array
from pbow.datasets.importing.release import refuse
from pbow.io.archive import FileFormatError

__all__ = ["read_matlab"]

HDF5_START = b"\x89HDF\r\n\x1a\n"
HDF5_AT = 512
NUMERIC = {"double", "single", "logical"} | {
    f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64)
}


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
        for name, shape, kind in io.whosmat(BytesIO(data)):
            if name in wanted and kind not in NUMERIC:
                refuse(where, f"its {name} is {kind}; expected an array of numbers.")
            if name in wanted and math.prod(shape) > most_values:
                refuse(where, f"its {name} claims the shape {tuple(shape)}.")
        found = io.loadmat(BytesIO(data), variable_names=list(wanted))
    except FileFormatError:
        raise
    # A damaged file leads scipy to errors of a dozen kinds.
    except Exception as error:
        msg = f"Cannot read {where}: it is damaged, or no Matlab file ({error})."
        raise FileFormatError(msg) from error
    return {name: np.asarray(found[name]) for name in wanted if name in found}
