import struct
import sys
import zlib
from io import BytesIO

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from PIL import Image
from tests.datasets.layouts import matlab, picture

from pbow.datasets.importing.pictures import read_picture
from pbow.io import FileFormatError


def encoded(array, kind):
    if kind == "mat":
        return matlab({"depth": array})
    return picture(array, {"tif": "TIFF"}.get(kind, kind.upper()))


@pytest.mark.parametrize(
    ("kind", "dtype"),
    [
        ("png", np.uint8),
        ("png", np.uint16),
        ("png", np.bool_),
        ("tif", np.uint16),
        ("tif", np.float32),
        ("mat", np.float64),
    ],
)
def test_a_picture_has_the_values_that_were_stored(kind, dtype):
    array = (np.arange(12).reshape(3, 4) * 20 % 256).astype(dtype)
    found = read_picture(encoded(array, kind), f"a.{kind.upper()}", "depth")
    assert_array_equal(found, array)
    assert found.dtype.kind == array.dtype.kind


def test_colors_are_refused():
    data = encoded(np.zeros((3, 4, 3), np.uint8), "png")
    with pytest.raises(
        FileFormatError, match=r"shape \(3, 4, 3\); expected one number"
    ):
        read_picture(data, "a.png", "depth")


@pytest.mark.parametrize("kind", ["png", "tiff"])
@pytest.mark.parametrize("palette", [[255] * 3 + [0] * 3, [0] * 3 + [255] * 3])
def test_indices_of_colors_are_not_taken_for_values(kind, palette):
    image = Image.frombytes("P", (4, 3), bytes([0, 1] * 6))
    image.putpalette(palette)
    stream = BytesIO()
    image.save(stream, kind)
    with pytest.raises(FileFormatError, match=r"in a palette; .* Save it in graysc"):
        read_picture(stream.getvalue(), f"a.{kind}", "mask")


@pytest.mark.parametrize("kind", ["png", "tif"])
def test_a_damaged_picture_is_said_to_be_so(kind):
    data = encoded(np.ones((40, 40), np.uint8), kind)
    for damaged in (data[: len(data) // 2], b"", b"hello"):
        with pytest.raises(FileFormatError, match=f"a.{kind}: it is damaged, or no"):
            read_picture(damaged, f"a.{kind}", "depth")


def test_what_pillow_would_make_up_for_is_refused():
    data = bytearray(encoded(np.ones((4, 4), np.uint16), "tif"))
    bits_a_sample = struct.pack("<2HL", 258, 3, 1)
    struct.pack_into("<2HL", data, data.index(bits_a_sample), 258, 3, 10**6)
    with pytest.raises(FileFormatError, match=r"damaged.*(larger than file|Truncated)"):
        read_picture(bytes(data), "a.tif", "depth")


def test_a_picture_in_another_format_than_its_name_says_is_refused():
    data = picture(np.ones((4, 4), np.uint8), "BMP")
    with pytest.raises(FileFormatError, match="no TIFF or PNG"):
        read_picture(data, "a.png", "depth")


def test_too_many_pixels_are_not_unpacked():
    data = bytearray(encoded(np.ones((10, 10), np.uint8), "png"))
    # Width and height, and the checksum of the header.
    struct.pack_into(">2L", data, 16, 20_000, 20_000)
    struct.pack_into(">L", data, 29, zlib.crc32(data[12:29]))
    with pytest.raises(FileFormatError, match="exceeds limit"):
        read_picture(bytes(data), "a.png", "depth")


def test_a_missing_array_is_named():
    data = encoded(np.ones((2, 2)), "mat")
    with pytest.raises(FileFormatError, match="expected an array 'mask'"):
        read_picture(data, "a.mat", "mask")


def test_without_pillow_the_extra_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "PIL.Image", None)
    with pytest.raises(ImportError, match=r'pip install "\.\[datasets\]"'):
        read_picture(b"", "a.png", "depth")
