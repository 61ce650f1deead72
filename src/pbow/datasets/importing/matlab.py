"""Arrays of numbers in Matlab files: by scipy, and of version 7.3, which is HDF5."""

from __future__ import annotations

import math
from collections.abc import Collection
from io import BytesIO
from typing import Any

from numpy.typing import NDArray
from scipy.io import loadmat, whosmat

from pbow._utils.unpacking import check_unpacked, damage_as_value_error
from pbow.datasets.importing.hdf5 import open_hdf5, read_array
from pbow.errors import format_error

__all__ = ["read_matlab"]

HDF5_START = b"\x89HDF\r\n\x1a\n"
HDF5_AT = 512


def read_matlab(
    data: bytes, where: str, wanted: Collection[str]
) -> dict[str, NDArray[Any]]:
    """Return those of the wanted arrays that are in the content of a file."""
    if data[HDF5_AT : HDF5_AT + 8] == HDF5_START or data.startswith(HDF5_START):
        with open_hdf5(data, where) as file:
            # Matlab's arrays lie by columns.
            return {name: read_array(file, name).T for name in wanted if name in file}
    with format_error(where), damage_as_value_error():
        for name, shape, _ in whosmat(BytesIO(data)):
            if name in wanted:
                check_unpacked(8 * math.prod(shape), len(data), f"its {name}")
        found = loadmat(BytesIO(data), variable_names=list(wanted))
        arrays = {name: found[name] for name in wanted if name in found}
        for name, array in arrays.items():
            if array.dtype.kind not in "biuf":
                msg = f"its {name} is not an array of real numbers."
                raise ValueError(msg)
        return arrays
