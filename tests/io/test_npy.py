import io

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from pbow.errors import FileFormatError
from pbow.io import read_diagrams
from pbow.io.npy import read_npy, save_array


@pytest.mark.parametrize("values", [[[1.5, 2.0]], ["a", "b"], [], 3])
def test_an_array_is_read_as_it_was_saved(tmp_path, values):
    np.save(tmp_path / "a.npy", values)
    assert_array_equal(read_npy(tmp_path / "a.npy"), values)


def test_what_is_not_an_array_of_numbers_or_strings_is_refused(tmp_path):
    np.save(tmp_path / "objects.npy", np.array([None, {}]), allow_pickle=True)
    with (tmp_path / "archive.npy").open("wb") as file:
        np.savez(file, a=np.zeros(3))
    (tmp_path / "empty.npy").touch()
    whole = tmp_path / "whole.npy"
    np.save(whole, np.zeros(9))
    (tmp_path / "cut.npy").write_bytes(whole.read_bytes()[:-1])
    for name in ("objects", "archive", "empty", "cut"):
        with pytest.raises(FileFormatError, match=rf"{name}\.npy: not a valid \.npy"):
            read_npy(tmp_path / f"{name}.npy")


@pytest.mark.skipif(
    np.finfo(np.longdouble).maxexp == 1024, reason="long doubles are doubles here"
)
def test_numbers_beyond_float64_are_refused(tmp_path):
    np.save(tmp_path / "a.npy", np.array([[0, "1e4000"]], np.longdouble))
    with pytest.raises(FileFormatError, match="number beyond the range of float64"):
        read_diagrams(tmp_path / "a.npy")


def test_headers_of_python_2_are_read_without_a_warning(tmp_path):
    path = tmp_path / "a.npy"
    np.save(path, [[0.0, 1.0]])
    path.write_bytes(path.read_bytes().replace(b"(1, 2), ", b"(1L,2L),"))
    assert read_npy(path).tolist() == [[0.0, 1.0]]


def test_a_folder_of_arrays_is_a_collection_of_diagrams(tmp_path):
    for k in (10, 2):
        np.save(tmp_path / f"{k}.npy", [[0.0, k], [1.0, np.inf]])
    np.save(tmp_path / "3.npy", np.empty((0, 2)))
    X = read_diagrams(tmp_path)
    assert X.parts == ("",)
    assert [diagram.tolist() for diagram in X] == [
        [[0.0, 2.0], [1.0, np.inf]],
        [],
        [[0.0, 10.0], [1.0, np.inf]],
    ]


@pytest.mark.parametrize(
    "array", [np.eye(3), np.eye(3)[:, ::2], np.zeros((0, 2)), np.float32(1)]
)
def test_what_is_saved_is_what_numpy_saves(array):
    ours, theirs = io.BytesIO(), io.BytesIO()
    save_array(ours, array)
    np.save(theirs, array)
    assert ours.getvalue() == theirs.getvalue()


@pytest.mark.parametrize("n_bytes", [0, 130, 447])
def test_a_small_array_that_does_not_fit_is_an_error(tmp_path, n_bytes):
    resource = pytest.importorskip("resource", reason="Windows limits no files")
    # numpy.save says nothing beyond the 128 bytes of the header.
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (n_bytes, before[1]))
    try:
        with (
            pytest.raises(OSError, match="File too large"),
            (tmp_path / "a.npy").open("wb") as file,
        ):
            save_array(file, np.arange(40.0))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
