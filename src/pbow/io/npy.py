"""Arrays from ``.npy`` files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pbow._utils.files import AnyPath
from pbow._utils.unpacking import damage_as_value_error
from pbow.errors import FileFormatError

__all__ = ["read_npy"]


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
