"""Gray images from files, with the numbers that stand in them."""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterable, Mapping
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pbow._utils.files import AnyPath
from pbow._utils.optional import import_optional
from pbow._utils.warn import warn_user
from pbow.errors import FileFormatError
from pbow.io.folders import find_input_files
from pbow.io.npy import read_npy
from pbow.io.npz import opened

__all__ = [
    "IMAGE_EXTENSIONS",
    "read_image_file",
    "read_images",
    "unstacked",
    "warn_of_bit_depths",
]

FROM_PILLOW = (".bmp", ".jpeg", ".jpg", ".png", ".tif", ".tiff")
IMAGE_EXTENSIONS = (".npy", ".npz", *FROM_PILLOW)
# By what is read from image files: color images are means, and depending on its
# version, Pillow has 32 bits for 16.
N_BITS = {"uint8": 8, "float64": 8, "uint16": 16, "int32": 16}

SHAPES = {2: "(h, w)", 3: "(images, h, w)", 4: "(images, d, h, w)"}


def read_images(paths: AnyPath | Iterable[AnyPath]) -> list[NDArray[Any]]:
    """Read gray images from files and folders, for :func:`pbow.homology.cubical`.

    Pixels are the numbers of the file, and are not rescaled: 0 to 255 in a file of 8
    bits, 0 to 65535 in one of 16, 0 and 1 in one of 1 bit. A color image becomes gray
    by the mean of red, green and blue; transparency is ignored. ``pbow homology`` reads
    images by this function.

    Parameters
    ----------
    paths : str, path-like, or iterable of these
        Files, folders and patterns such as ``"scans/*.png"``, or several of these.
        Files of a folder or a pattern are taken in natural order, 2 before 10. A folder
        without images stands for its subfolders, in natural order.

        - ``.png``, ``.jpg``, ``.tif``, ``.bmp``: one image, or one per page of a
          ``.tif``. Pillow reads color images with 8 bits per channel.
        - ``.npy``: one image of shape (h, w), or several of shape (n_images, h, w) or
          (n_images, d, h, w).
        - ``.npz``: the same, in its array ``images``.

    Returns
    -------
    images : list of ndarray of shape (h_i, w_i) or (d_i, h_i, w_i)
        One array per image. Sizes may differ, as diagrams do not depend on them.

    Raises
    ------
    FileFormatError
        If a file is cut short, damaged, or not an image.
    FileNotFoundError
        If there is no such file, or no image in a folder.
    ImportError
        For these image files without Pillow, which is in the extra ``datasets``.

    See Also
    --------
    pbow.datasets.read_raw : Images with the names of their files, and their labels.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from PIL import Image
    >>> from pbow.io import read_images
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     Image.new("RGB", (3, 2), (30, 60, 0)).save(Path(folder, "2.png"))
    ...     Image.new("L", (3, 2), 255).save(Path(folder, "10.png"))
    ...     first, second = read_images(folder)
    >>> first
    array([[30., 30., 30.],
           [30., 30., 30.]])
    >>> int(second.max())
    255
    """
    given = [paths] if isinstance(paths, (str, os.PathLike)) else paths
    files = find_input_files(map(Path, given), IMAGE_EXTENSIONS)
    read = [(image, file) for file in files for image in read_image_file(file)]
    warn_of_bit_depths(read)
    return [image for image, _ in read]


def read_image_file(file: Path) -> list[NDArray[Any]]:
    """Return the images of one file."""
    extension = file.suffix.lower()
    if extension == ".npy":
        return unstacked(file, read_npy(file), SHAPES)
    if extension == ".npz":
        with opened(file) as source:
            _, shape = source.describe("images")
            array = source.read("images", "biuf", len(shape))
        return unstacked(file, array, SHAPES)
    return _read_frames(file)


def warn_of_bit_depths(images: Iterable[tuple[NDArray[Any], Path]]) -> None:
    """Warn of image files with values up to 255 beside some with values up to 65535."""
    depths: dict[int, Path] = {}
    for image, file in images:
        if file.suffix.lower() in FROM_PILLOW and image.dtype.name in N_BITS:
            depths.setdefault(N_BITS[image.dtype.name], file)
    if len(depths) == 2:
        msg = (
            f"Images have different bit depths: {depths[8]} has values up to 255, and "
            f"{depths[16]} up to 65535. They are not rescaled; convert the files to "
            "one bit depth."
        )
        warn_user(msg)


def unstacked(
    file: Path, array: NDArray[Any], shapes: Mapping[int, str]
) -> list[NDArray[Any]]:
    """Return the one item of an array, or each of its items where it has more axes.

    `shapes` has the names of the axes by their number; the smallest is that of an item.
    """
    if array.ndim not in shapes or array.size == 0:
        msg = (
            f"it is an array of shape {array.shape}; expected "
            f"{' or '.join(shapes.values())}, and not empty."
        )
        raise FileFormatError(file, msg)
    if array.dtype.kind not in "biuf":
        raise FileFormatError(file, f"it is an array of {array.dtype}, not of numbers.")
    return [array] if array.ndim == min(shapes) else list(array)


def _read_frames(file: Path) -> list[NDArray[Any]]:
    """Return the gray values of an image file, of each of its pages."""
    pillow = import_optional("PIL.Image", extra="datasets", purpose="Reading images")
    data = file.read_bytes()
    frames = []
    try:
        with warnings.catch_warnings():
            # Pillow warns of damage that it makes up for, and of too many pixels.
            warnings.simplefilter("error")
            with pillow.open(BytesIO(data)) as image:
                for frame in range(getattr(image, "n_frames", 1)):
                    image.seek(frame)
                    frames.append(_gray(image))
    # Pillow has an error class for each way in which an image can be damaged.
    except Exception as error:
        msg = f"it is cut short, damaged, or not an image ({error})."
        raise FileFormatError(file, msg) from error
    return frames


def _gray(image: Any) -> NDArray[Any]:
    if image.mode == "LA":
        gray = np.asarray(image.getchannel("L"))
    elif len(image.getbands()) == 1 and image.mode != "P":
        gray = np.asarray(image)
    else:  # also a palette, whose numbers stand for colors
        gray = np.asarray(image.convert("RGB")).mean(axis=2)
    return gray.astype(np.uint8) if gray.dtype == bool else gray
