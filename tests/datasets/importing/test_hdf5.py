import sys

import h5py
import numpy as np
import pytest
from numpy.testing import assert_array_equal
from tests.datasets.layouts import hdf5

from pbow.datasets.importing.hdf5 import (
    open_hdf5,
    read_array,
    read_group,
    read_points,
)
from pbow.io import FileFormatError


def reading(data, read):
    with open_hdf5(data, "the file") as file:
        return read(file)


def test_points_of_a_group_are_read_and_empty_diagrams_have_any_shape():
    def write(file):
        group = file.create_group("a/b")
        group["0"] = np.array([[1, 2], [3, 4]], np.float32)
        group["1"] = np.empty(0)
        group["2"] = np.empty((0, 2))

    def read(file):
        group = read_group(read_group(file, "a"), "b")
        return [read_points(group, name) for name in group]

    points = reading(hdf5(write), read)
    assert_array_equal(points[0], [[1, 2], [3, 4]])
    assert [array.shape for array in points] == [(2, 2), (0, 2), (0, 2)]
    assert {array.dtype for array in points} == {np.dtype(np.float64)}


def write_oddities(file):
    file["text"] = "abc"
    file["triples"] = np.ones((2, 3))
    file["elsewhere"] = h5py.ExternalLink("/etc/passwd", "/x")
    file.create_dataset("unwritten", (10**9, 2), chunks=(1000, 2), dtype="f8")
    file.create_dataset("outside", (5,), "f8", external=[("raw.bin", 0, 40)])
    layout = h5py.VirtualLayout((5,), "f8")
    layout[:] = h5py.VirtualSource("other.h5", "x", (5,))
    file.create_virtual_dataset("virtual", layout)
    file["nothing"] = h5py.Empty("f8")
    file.create_group("group")
    file["type"] = np.dtype("f8")


@pytest.mark.parametrize(
    ("read", "name", "message"),
    [
        (read_group, "text", "'text' in '/' to be a group"),
        (read_group, "none", "'none' in '/' to be a group; found"),
        (read_group, "type", "'type' in '/' to be a group"),
        (read_array, "elsewhere", "to be an array of numbers"),
        (read_array, "text", "to be an array of numbers"),
        (read_array, "nothing", "to be an array of numbers"),
        (read_array, "type", "to be an array of numbers"),
        (read_array, "group", "to be an array of numbers"),
        (read_array, "unwritten", "//unwritten claims to unfold into 16 GB"),
        (read_array, "outside", "in this file, not in another one"),
        (read_array, "virtual", "in this file, not in another one"),
        (read_points, "triples", r"in each row, not \(2, 3\)"),
    ],
)
def test_what_is_not_plain_is_refused(read, name, message):
    data = hdf5(write_oddities)
    with pytest.raises(FileFormatError, match=f"Cannot read the file: .*{message}"):
        reading(data, lambda file: read(file, name))


def test_a_damaged_file_is_said_to_be_so():
    data = hdf5(lambda file: file.update(x=np.arange(1000.0)))
    for damaged in (data[:300], b"", b"hello" * 1000, data[:-100]):
        with pytest.raises(FileFormatError, match="Cannot read the file: ") as error:
            reading(damaged, lambda file: read_array(file, "x"))
        assert "\n" not in str(error.value)


def test_names_within_a_file_are_printable():
    data = hdf5(lambda file: file.create_group("\x1b[2J"))
    with pytest.raises(FileFormatError, match="expected 'x' in '/' to be") as error:
        reading(data, lambda file: read_array(file, "x"))
    assert str(error.value).isprintable()


def test_without_h5py_the_extra_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "h5py", None)
    with pytest.raises(ImportError, match=r'pip install "\.\[datasets\]"'):
        reading(b"", list)
