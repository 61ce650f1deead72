from io import BytesIO

import h5py
import numpy as np
import pytest
from numpy.testing import assert_array_equal
from tests.datasets.layouts import matlab

from pbow.datasets.importing.matlab import read_matlab
from pbow.io import FileFormatError

DEPTH = np.arange(6.0).reshape(2, 3)


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
    "4": lambda arrays: matlab(arrays, format="4"),
    "5": matlab,
    "5 packed": lambda arrays: matlab(arrays, do_compression=True),
    "7.3": mat73,
}


@pytest.mark.parametrize("version", VERSIONS)
def test_wanted_arrays_of_every_version_are_read(version):
    data = VERSIONS[version]({"Depth": DEPTH, "Other": np.ones((2, 2))})
    found = read_matlab(data, "x", ("Depth", "Class"))
    assert found.keys() == {"Depth"}
    assert_array_equal(found["Depth"], DEPTH)


def test_a_claim_of_far_more_than_the_file_is_refused_before_it_is_read():
    data = bytearray(matlab({"Depth": np.zeros((10, 10))}))
    at = data.index(np.array([10, 10], "<i4").tobytes())
    data[at : at + 8] = np.array([2**30, 2**30], "<i4").tobytes()
    with pytest.raises(FileFormatError, match=r"Depth claims to unfold into 9\.22 E"):
        read_matlab(bytes(data), "x", ("Depth",))


@pytest.mark.parametrize(
    "value",
    ["text", {"a": 1}, np.array([1, "a"], dtype=object), np.array([1j, 2])],
    ids=["text", "struct", "cell", "complex"],
)
def test_what_is_not_numbers_is_refused(value):
    with pytest.raises(FileFormatError, match="x: its Depth is not an array of real"):
        read_matlab(matlab({"Depth": value}), "x", ("Depth",))


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("n_bytes", [0, 3, 100, 135, 700])
def test_a_file_cut_short_is_an_error_of_ours(version, n_bytes):
    data = VERSIONS[version]({"Depth": np.random.default_rng(0).random((30, 30))})
    with pytest.raises(FileFormatError, match="Cannot read x: ") as error:
        read_matlab(data[:n_bytes], "x", ("Depth",))
    assert "\n" not in str(error.value)
