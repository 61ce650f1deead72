import numpy as np
import pytest

from pbow import Diagrams
from pbow.errors import FileFormatError
from pbow.io import read_diagrams, write_diagrams

X = Diagrams.from_list([[[0.1, 0.7], [0.0, np.inf]], [], [[0.2, 0.3]]], name="H2")


@pytest.mark.parametrize("save", [np.savez, np.savez_compressed])
def test_points_and_offsets_are_diagrams(tmp_path, save):
    arrays = {"points": X.points, "offsets": X.offsets, "labels": [0, 1, 0]}
    save(tmp_path / "a.npz", **arrays)
    assert read_diagrams(tmp_path / "a.npz", name="H2") == X
    assert read_diagrams(tmp_path / "a.npz").parts == ("",)


def test_a_file_of_pbow_has_the_name_of_the_part(tmp_path):
    write_diagrams(X, tmp_path / "a.npz")
    assert read_diagrams(tmp_path / "a.npz") == X
    with np.load(tmp_path / "a.npz") as stored:
        assert sorted(stored.files) == ["offsets", "part", "points"]


def test_several_parts_are_refused(tmp_path):
    two = Diagrams.from_parts({"H0": [[]], "H1": [[]]})
    with pytest.raises(ValueError, match=r"holds one part, and there are H0, H1"):
        write_diagrams(two, tmp_path / "a.npz")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("arrays", "message"),
    [
        ({"images": np.zeros((1, 2, 2))}, "These are images; pbow homology computes"),
        ({"a": [1]}, "expected arrays points and offsets; it has a."),
        ({"points": np.zeros((2, 3)), "offsets": [0, 2]}, "have 3 coordinates"),
        ({"points": [[1.0, 0.5]], "offsets": [0, 1]}, "dies before it is born"),
        ({"points": [[0.0, 0.5]], "offsets": [0, 2]}, "Offsets must grow"),
    ],
)
def test_other_arrays_are_refused(tmp_path, arrays, message):
    np.savez(tmp_path / "a.npz", **arrays)
    with pytest.raises(FileFormatError, match=message):
        read_diagrams(tmp_path / "a.npz")
