import numpy as np
import pytest

from pbow import Diagrams
from pbow.io import FileFormatError, read_diagrams, write_diagrams
from pbow.io.folders import files_of

SINGLE = ["pers", "hera", "dipha", "perseus"]


@pytest.mark.parametrize("format_name", ["pers", "dipha"])
def test_a_folder_is_read_in_the_order_of_the_numbers(format_name, tmp_path):
    X = Diagrams.from_list([[[i, i + 1]] for i in range(12)], name="H0")
    write_diagrams(X, tmp_path / "folder", format_name)
    for path in (tmp_path / "folder").iterdir():
        path.rename(path.with_stem(str(int(path.stem))))
    assert read_diagrams(tmp_path / "folder") == X


def test_samples_with_and_without_dimensions_do_not_mix(tmp_path):
    (tmp_path / "a.pers").write_text("0 1\n")
    (tmp_path / "b.pers").write_text("1 0 1\n")
    with pytest.raises(
        FileFormatError, match=r"a\.pers: it has no dimensions, and .*b\."
    ):
        read_diagrams(tmp_path)


def test_a_bad_point_is_reported_with_its_file(tmp_path):
    (tmp_path / "a.pers").write_text("1 0 1\n")
    (tmp_path / "b.pers").write_text("1 0.5 0.25\n")
    with pytest.raises(FileFormatError, match=r"b\.pers: .*dies before it is born"):
        read_diagrams(tmp_path)


def test_perseus_files_make_samples_by_their_prefix(tmp_path):
    # Made after the documentation of Perseus 4: steps, -1 for infinity, and the Betti
    # numbers in a file of their own.
    (tmp_path / "a_0.txt").write_text("1 -1\n1 3\n")
    (tmp_path / "a_1.txt").write_text("3 4\n")
    (tmp_path / "a_betti.txt").write_text("\n  1  2 0\n  3  1 1\n")
    (tmp_path / "b_c_0.txt").write_text("2 -1\n")
    X = Diagrams.from_parts(
        {"H0": [[[1, np.inf], [1, 3]], [[2, np.inf]]], "H1": [[[3, 4]], []]}
    )
    assert read_diagrams(tmp_path, "perseus") == X
    assert read_diagrams([tmp_path / "b_c", tmp_path / "a"], "perseus") == X[[1, 0]]
    assert read_diagrams(tmp_path / "a_1.txt", "perseus") == X[:1]["H1"]
    with pytest.raises(FileFormatError, match="not named as Perseus names"):
        read_diagrams(tmp_path / "a_betti.txt", "perseus")
    with pytest.raises(ValueError, match="given twice"):
        read_diagrams([tmp_path / "a", tmp_path / "a_0.txt"], "perseus")


@pytest.mark.parametrize("format_name", SINGLE)
def test_what_names_no_dimension_is_not_written(X, format_name, tmp_path):
    if format_name == "hera":
        with pytest.raises(ValueError, match=r"holds one diagram, .* Select one"):
            write_diagrams(X, tmp_path / "folder", format_name)
    else:
        with pytest.raises(ValueError, match="'loops' is none of H0"):
            write_diagrams({"loops": [[[0, 1]]]}, tmp_path / "folder", format_name)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("format_name", SINGLE)
def test_a_folder_must_be_new_or_empty(X, format_name, tmp_path):
    folder = tmp_path / "folder"
    folder.mkdir()
    write_diagrams(X["H0"], folder, format_name)
    before = {path: path.read_bytes() for path in folder.iterdir()}
    with pytest.raises(FileExistsError, match="new or empty"):
        write_diagrams(X["H1"], folder, format_name)
    assert before == {path: path.read_bytes() for path in folder.iterdir()}
    with pytest.raises(ValueError, match="there is no sample"):
        write_diagrams(X[:0]["H0"], tmp_path / "none", format_name)


def test_numbers_in_names_count_as_numbers(tmp_path):
    names = [
        "a1.pers",
        "a02.pers",
        "a2.pers",
        "a10.pers",
        "b1_2.PERS",
        "b1_10.pers",
    ]
    for name in reversed(names):
        (tmp_path / name).touch()
    for name in ("notes.txt", ".a.pers", "_a.pers"):
        (tmp_path / name).touch()
    (tmp_path / "c.pers").mkdir()
    assert [path.name for path in files_of(tmp_path, [".pers"])] == names


def test_a_folder_within_a_missing_one_is_named_in_the_error(X, tmp_path):
    with pytest.raises(FileNotFoundError, match=r"missing.folder"):
        write_diagrams(X, tmp_path / "missing" / "folder", "pers")
