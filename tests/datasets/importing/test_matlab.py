import struct
from contextlib import suppress
from io import BytesIO

import h5py
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_array_equal
from scipy.io import loadmat, savemat

from pbow.datasets.importing.matlab import read_matlab
from pbow.io import FileFormatError

NUMBERS = ("f8", "f4", "i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8")
DEPTH = np.arange(6.0).reshape(2, 3)


def mat(arrays, **options):
    stream = BytesIO()
    savemat(stream, arrays, **options)
    return stream.getvalue()


def mat73(arrays):
    """As Matlab writes it: HDF5 after 512 bytes, arrays by columns."""
    stream = BytesIO()
    with h5py.File(stream, "w", userblock_size=512) as file:
        for name, array in arrays.items():
            file[name] = np.asarray(array).T
    data = bytearray(stream.getvalue())
    data[:512] = b"MATLAB 7.3 MAT-file".ljust(512, b" ")
    return bytes(data)


VERSIONS = {
    "5": mat,
    "5 packed": lambda arrays: mat(arrays, do_compression=True),
    "7.3": mat73,
}


@pytest.mark.parametrize("version", VERSIONS)
def test_wanted_arrays_of_every_version_are_read(version):
    data = VERSIONS[version]({"Depth": DEPTH, "Other": np.ones((2, 2))})
    found = read_matlab(data, "x", ("Depth", "Class"), 100)
    assert found.keys() == {"Depth"}
    assert_array_equal(found["Depth"], DEPTH)


@pytest.mark.parametrize("version", ["5", "5 packed", "7.3"])
def test_an_array_that_is_too_large_is_not_read(version):
    data = VERSIONS[version]({"Depth": DEPTH})
    with pytest.raises(
        FileFormatError, match=r"Depth claims (the shape \(2, 3\)|6 val)"
    ):
        read_matlab(data, "x", ("Depth",), 5)


@given(
    dtype=st.sampled_from([*NUMBERS, "bool"]),
    shape=st.sampled_from([(1, 1), (0, 3), (3, 5), (2, 3, 4), (1, 70)]),
    packed=st.booleans(),
    name=st.sampled_from(["D", "Depth", "DepthOfAnything"]),
)
def test_arrays_are_read_as_scipy_reads_them(dtype, shape, packed, name):
    array = np.random.default_rng(0).integers(0, 2, shape).astype(dtype)
    data = mat({"a": 1.0, name: array, "z": "text"}, do_compression=packed)
    found = read_matlab(data, "x", (name,), 100)[name]
    expected = loadmat(BytesIO(data))[name]
    assert found.dtype == expected.dtype
    assert_array_equal(found, expected)


def test_the_other_order_of_bytes_is_read():
    """Written by hand, as scipy writes that of the machine only."""
    numbers = struct.pack(">2L6d", 9, 48, 0, 1, 2, 3, 4, 5)
    parts = struct.pack(">4L", 6, 8, 6, 0) + struct.pack(">2L2l", 5, 8, 3, 2)
    parts += struct.pack(">2H4s", 1, 1, b"D") + numbers
    data = b"MATLAB 5.0".ljust(124) + b"\x01\x00MI" + struct.pack(">2L", 14, len(parts))
    found = read_matlab(data + parts, "x", ("D",), 100)["D"]
    assert found.tolist() == [[0, 3], [1, 4], [2, 5]]


@pytest.mark.parametrize(
    "value",
    ["text", {"a": 1}, np.array([1, "a"], dtype=object), np.array([1j, 2])],
    ids=["text", "struct", "cell", "complex"],
)
def test_what_is_not_numbers_is_refused(value):
    with pytest.raises(FileFormatError, match="x: its Depth is not an array of real"):
        read_matlab(mat({"Depth": value}), "x", ("Depth",), 100)


def test_large_arrays_that_are_not_wanted_are_not_unpacked():
    data = mat({"Image": np.zeros((999, 999)), "Depth": DEPTH}, do_compression=True)
    assert read_matlab(data, "x", ("Depth",), 6).keys() == {"Depth"}


@pytest.mark.parametrize("version", VERSIONS)
@settings(max_examples=30)
@given(data=st.data())
def test_a_damaged_file_is_an_error_of_ours_or_read(version, data):
    content = bytearray(VERSIONS[version]({"Depth": DEPTH, "Class": 3.0}))
    for _ in range(data.draw(st.integers(1, 3))):
        at = data.draw(st.integers(0, len(content) - 1))
        content[at] = data.draw(st.integers(0, 255))
    cut = data.draw(st.sampled_from([len(content), len(content) // 2, 0]))
    with suppress(FileFormatError):
        found = read_matlab(bytes(content[:cut]), "x", ("Depth", "Class"), 100)
        assert all(array.size <= 100 for array in found.values())


def test_a_claim_of_gigabytes_takes_no_memory():
    data = bytearray(mat({"Depth": np.zeros((10, 10))}))
    at = data.index(struct.pack("<2i", 10, 10))
    struct.pack_into("<2i", data, at, 2**30, 2**30)
    with pytest.raises(FileFormatError, match="claims the shape"):
        read_matlab(bytes(data), "x", ("Depth",), 10**6)
