"""Depth maps and masks from pictures: TIFF, PNG and Matlab files."""

from __future__ import annotations

import warnings
from io import BytesIO
from pathlib import PurePosixPath
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pbow._utils.optional import import_optional
from pbow.datasets.importing.matlab import read_matlab
from pbow.datasets.importing.release import refuse
from pbow.errors import FileFormatError

__all__ = ["ENDINGS", "read_picture"]

ENDINGS = (".tif", ".tiff", ".png", ".mat")


def read_picture(data: bytes, where: str, variable: str) -> NDArray[Any]:
    """Return the one channel of a picture as it is stored, whatever its type.

    The ending of its name, `where`, says the format; `variable` is the name of the
    array in a Matlab file. A color picture, also by a palette, is a FileFormatError.
    """
    ending = PurePosixPath(where).suffix.lower()
    if ending == ".mat":
        found = read_matlab(data, where, (variable,))
        if variable not in found:
            refuse(where, f"expected an array {variable!r}.")
        picture = found[variable]
    else:
        picture = _read_with_pillow(data, where)
    if picture.ndim != 2 or picture.dtype.kind not in "biuf":
        refuse(
            where,
            f"it is {picture.dtype} of shape {picture.shape}; expected one number per "
            "pixel.",
        )
    return picture


def _read_with_pillow(data: bytes, where: str) -> NDArray[Any]:
    pillow = import_optional(
        "PIL.Image", extra="datasets", purpose=f"Reading {where}, an image,"
    )
    try:
        with warnings.catch_warnings():
            # It warns of damage that it makes up for, and of too many pixels.
            warnings.simplefilter("error")
            picture = pillow.open(BytesIO(data), formats=("TIFF", "PNG"))
            pixels = np.asarray(picture)
    # Pillow has a kind of error for each way in which a picture can be damaged.
    except Exception as error:
        msg = f"it is damaged, or no TIFF or PNG ({error})."
        raise FileFormatError(where, msg) from error
    if picture.mode in ("P", "PA"):
        # A number is a color's place in a list, so 0 may be white.
        refuse(
            where,
            "its pixels are indices of colors in a palette; expected one value per "
            "pixel. Save it in grayscale.",
        )
    return pixels
