import errno
import hashlib
import io
import os
import struct
import tempfile
import zipfile
from contextlib import contextmanager, suppress

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

from pbow.io import FileFormatError
from pbow.io.npz import Npz, opened

ARRAYS = {
    "numbers": np.arange(12.0).reshape(3, 4),
    "ids": np.arange(5, dtype=np.int16),
    "flags": np.array([True, False]),
    "names": np.array(["a", "long name", "ü"]),
    "one": np.float64(0.5),
    "nothing": np.empty((0, 2), np.int32),
}
NDIMS = {"numbers": 2, "nothing": 2, "one": 0}


@contextmanager
def npz(content):
    # A file of the system, whose errors are others than those of a buffer in memory.
    with tempfile.TemporaryFile() as file:
        file.write(content)
        yield Npz(file)


def packed(arrays, save=np.savez_compressed):
    file = io.BytesIO()
    save(file, **arrays)
    return file.getvalue()


def zipped(members, **options):
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", **options) as archive:
        for name, data in members:
            archive.writestr(name, data)
    return file.getvalue()


@pytest.mark.parametrize("save", [np.savez, np.savez_compressed])
def test_what_numpy_writes_is_read(save):
    with npz(packed(ARRAYS, save)) as source:
        for name, array in ARRAYS.items():
            found = source.read(name, "biufU", NDIMS.get(name, 1))
            assert found.dtype == array.dtype
            assert_array_equal(found, array)
            assert source.describe(name) == (array.dtype, array.shape)
        assert source.names == list(ARRAYS)
        assert "ids" in source
        assert "others" not in source


@pytest.mark.filterwarnings("ignore:Stored array in format 3")
def test_types_and_shapes_are_told_without_reading_or_unpickling_values():
    fields = np.zeros(3, [("Ж", "f8"), ("b", "i4")])  # version 3 of the format
    arrays = {"objects": np.array([Bomb()]), "fields": fields}
    with npz(packed(arrays)) as source:
        assert source.describe("objects") == (np.dtype(object), (1,))
        dtype, shape = source.describe("fields")
        assert (dtype.itemsize, shape) == (12, (3,))
    with npz(npy((10**14,))) as source:
        assert source.describe("a") == (np.dtype("<f8"), (10**14,))
    members = [("text.npy", b"hello, this is text"), ("short.npy", b""), ("plain", b"")]
    with npz(zipped(members)) as source:
        for name in source.names:
            with pytest.raises(ValueError, match=r"magic|EOF"):
                source.describe(name)


def test_other_orders_of_bytes_and_columns_are_read():
    swapped = np.arange(6, dtype=">i4").reshape(2, 3)
    columns = np.asfortranarray(np.arange(6.0).reshape(2, 3))
    with npz(packed({"swapped": swapped, "columns": columns})) as source:
        found = source.read("swapped", "i", 2)
        assert_array_equal(found, swapped)
        assert found.dtype.isnative
        assert_array_equal(source.read("columns", "f", 2), columns)
        assert source.read("columns", "f", 2).flags.c_contiguous


def test_the_digest_is_that_of_the_bytes():
    content = packed(ARRAYS)
    with npz(content) as source:
        assert source.sha256() == hashlib.sha256(content).hexdigest()


@pytest.mark.parametrize(
    ("name", "kinds", "n_dims", "message"),
    [
        ("labels", "iu", 1, "it has no array labels; it has flags, ids, names"),
        ("numbers", "iu", 2, r"numbers is float64 of shape \(3, 4\); expected 2 axes"),
        ("ids", "iu", 2, "expected 2 axes and kind i or u"),
    ],
)
def test_another_array_than_expected_is_refused(name, kinds, n_dims, message):
    with npz(packed(ARRAYS)) as source, pytest.raises(ValueError, match=message):
        source.read(name, kinds, n_dims)


class Bomb:
    def __reduce__(self):
        return os.system, ("exit 1",)


def npy(shape=(1,), data=bytes(8)):
    """A zip with an array that claims a shape."""
    file = io.BytesIO()
    header = {"descr": "<f8", "fortran_order": False, "shape": shape}
    np.lib.format.write_array_header_1_0(file, header)
    return zipped([("a.npy", file.getvalue() + data)])


def with_claim(content, n_bytes):
    """The same zip, whose directory claims so many bytes of the first member."""
    content = bytearray(content)
    struct.pack_into("<L", content, content.index(b"PK\x01\x02") + 24, n_bytes)
    return bytes(content)


# What numpy and zipfile refuse themselves is tried by `make fuzz` as well.
HOSTILE = {
    "empty": (b"", r"it is damaged \(File is not a zip file\)"),
    "objects": (packed({"a": np.array([Bomb()])}), "Object arrays cannot be loaded"),
    "huge shape": (npy((10**14,)), r"claims float64 of shape \(1000"),
    "endless shape": (npy((10**400,)), r"claims float64 of shape \(1000"),
    "no array": (zipped([("a.npy", b"hello, this is text")]), "magic string"),
    "short": (npy((3,)), r"claims float64 of shape \(3,\), and has 8 bytes"),
    "bomb": (with_claim(npy(), 2**30), "claims to unfold into 1.07 GB"),
}


@pytest.mark.parametrize(("content", "message"), HOSTILE.values(), ids=HOSTILE)
def test_a_hostile_file_is_refused(content, message):
    with pytest.raises(ValueError, match=message), npz(content) as source:
        source.read("a", "biufU", 1)


INTACT = packed(ARRAYS)


@given(st.integers(0, len(INTACT) - 1), st.integers(1, 255), st.booleans())
def test_damage_is_an_error_or_does_no_harm(at, change, cut):
    content = bytearray(INTACT)
    content[at] ^= change
    if cut:
        del content[at:]
    with suppress(ValueError), npz(bytes(content)) as source:
        for name, array in ARRAYS.items():
            # Where the checksum is right, so is the array.
            assert_array_equal(
                source.read(name, "biufU", NDIMS.get(name, 1)), np.asarray(array)
            )


def with_directory_at(shift):
    """The intact file, whose end says that its directory is elsewhere."""
    content = bytearray(INTACT)
    place = content.rindex(b"PK\x05\x06") + 16
    start = struct.unpack_from("<L", content, place)[0]
    struct.pack_into("<L", content, place, start + shift)
    return bytes(content)


@pytest.mark.parametrize(
    "content", [INTACT[:-30], with_directory_at(5000)], ids=["cut", "directory"]
)
def test_the_error_names_the_file(tmp_path, content):
    path = tmp_path / "bad.npz"
    path.write_bytes(content)
    message = r"Cannot read .*bad\.npz: it is damaged"
    with pytest.raises(FileFormatError, match=message), opened(path) as source:
        source.read("ids", "i", 1)


def test_what_is_wrong_with_the_disk_is_no_damage_of_the_file(tmp_path, monkeypatch):
    def fail(*_, **__):
        raise OSError(errno.EIO, os.strerror(errno.EIO))

    path = tmp_path / "good.npz"
    path.write_bytes(INTACT)
    monkeypatch.setattr("pbow.io.npz.check_zip", fail)
    with pytest.raises(OSError, match=os.strerror(errno.EIO)), opened(path):
        pass
