from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from pbow.errors import FileFormatError, ParameterError
from pbow.io import read_labels, read_names


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "\ufeffclusters of clusters\r\n  </b> ü, 'x' \r\ntorus",
            ["clusters of clusters", "</b> ü, 'x'", "torus"],
        ),
        ("2\n10\n-1\n", [2, 10, -1]),
        ("02\n10\n", ["02", "10"]),
        ("2\n1.5\n", ["2", "1.5"]),
        ("2\n" + "9" * 40, ["2", "9" * 40]),
        ('"' + "b" * 200_000 + "\na", ['"' + "b" * 200_000, "a"]),
    ],
    ids=["any letters", "whole", "zeros in front", "fractions", "many digits", "long"],
)
def test_labels_are_text_and_numbers_where_nothing_is_lost(text, expected):
    Path("y.txt").write_text(text, encoding="utf-8")
    assert read_labels("y.txt", len(expected)).tolist() == expected
    # In the order of the samples they need no names.
    assert read_labels("y.txt", len(expected), "nowhere").tolist() == expected


@pytest.mark.parametrize("labels", [[3, 1, 2], ["a b", "c", "a b"]])
def test_labels_may_be_an_array(labels):
    np.save("labels.npy", labels)
    assert_array_equal(read_labels("labels.npy", 3), labels)


@pytest.mark.parametrize(
    ("array", "message"),
    [
        (np.zeros((3, 1), int), "it is int64 of shape (3, 1)"),
        (np.array([0.5, 1.0, 2.0]), "it is float64 of shape (3,)"),
        (np.array([None, 1, 2], dtype=object), "not a valid .npy file"),
        (np.zeros(4, int), "one label for each of the 3 samples; "),
    ],
    ids=["two axes", "fractions", "objects", "too many"],
)
def test_other_arrays_of_labels_are_refused(array, message):
    np.save("labels.npy", array, allow_pickle=True)
    with pytest.raises(FileFormatError) as caught:
        read_labels("labels.npy", 3)
    assert message in str(caught.value)


@pytest.mark.parametrize("head", ["", "file,label\n"])
def test_labels_are_found_by_name(head):
    Path("n.txt").write_text("c2.csv\nc10.csv\n")
    Path("y.csv").write_text(f'{head}c10.csv,"a, b"\nc1.csv,no diagram\nc2.csv, c\n')
    assert read_labels("y.csv", 2, "n.txt").tolist() == ["c", "a, b"]


@pytest.mark.parametrize(
    ("names", "table", "message"),
    [
        (None, b"", "one label per line; it is empty."),
        (None, b"a\n\nb\n", "one label per line; line 2 is empty."),
        (None, b"\xff\xfe\x00", "it is not a text file."),
        (
            None,
            b"a\nb\n",
            "y.csv: expected one label for each of the 3 samples; it has 2.",
        ),
        (
            "a\nb",
            b"a,1\nb,2",
            "n.txt: expected one name for each of the 3 samples; it has 2.",
        ),
        ("a\nb\nc", b"a,1", "y.csv: it has no label for b and 1 more of n.txt."),
        ("a\nb\nc", b"file,label", "y.csv: it has no label for a and 2 more of n.txt."),
        (
            "a\nb\nc",
            b"a,1\nb,2\nb,2\nc,1",
            "y.csv: expected every name once; it has b 2 times.",
        ),
        ("a\nb\na", b"a,1\nb,2", "n.txt: expected every name once; it has a 2 times."),
        ("a\nb\nc", b"a;1\nb;2\nc;1", "by semicolons; expected commas: file,label."),
        (None, b"file;label\na;1", "by semicolons; expected commas: file,label."),
        ("a\nb\nc", b"a,1\nb,\nc,1", "columns, file and label; line 2 is 'b,'."),
        ("a\nb\nc", b"a,1\nb\nc,1", "columns, file and label; line 2 is 'b'."),
    ],
)
def test_what_does_not_fit_the_samples_is_told(names, table, message):
    Path("n.txt").write_text(names or "")
    Path("y.csv").write_bytes(table)
    with pytest.raises(FileFormatError) as caught:
        read_labels("y.csv", 3, names and "n.txt")
    assert str(caught.value).endswith(message)


def test_labels_by_name_are_not_read_without_names():
    Path("y.csv").write_text("file,label\na.csv,1\n")
    with pytest.raises(ParameterError, match=r"Expected names .* got None") as caught:
        read_labels("y.csv", 2)
    assert caught.value.parameter == "names"


def test_names_are_one_per_line_for_as_many_samples():
    Path("n.txt").write_text("a b\n c \n")
    assert read_names("n.txt") == read_names("n.txt", 2) == ["a b", "c"]
    with pytest.raises(FileFormatError, match="one name for each of the 3 samples"):
        read_names("n.txt", 3)


@pytest.mark.parametrize(
    ("arrays", "expected"),
    [
        ({"labels": [1, 0]}, [1, 0]),
        ({"labels": [1, 0], "label_names": ["disk", "ring"]}, ["ring", "disk"]),
        ({"labels": ["a", "b"]}, ["a", "b"]),
    ],
)
def test_labels_of_an_archive_have_their_names(tmp_path, arrays, expected):
    np.savez(tmp_path / "a.npz", **arrays)
    assert read_labels(tmp_path / "a.npz", 2).tolist() == expected


@pytest.mark.parametrize(
    ("arrays", "message"),
    [
        ({"points": [1]}, "has no array labels; it has points"),
        ({"labels": [0, 2], "label_names": ["a", "b"]}, "label 1 is 2; expected 0"),
        ({"labels": [0.5, 1.0]}, "array labels is float64"),
        ({"labels": [0, 1, 1]}, "one label for each of the 2 samples; it has 3"),
    ],
)
def test_an_archive_without_such_labels_is_refused(tmp_path, arrays, message):
    np.savez(tmp_path / "a.npz", **arrays)
    with pytest.raises(FileFormatError, match=message):
        read_labels(tmp_path / "a.npz", 2)
