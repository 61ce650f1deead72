from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from pbow.errors import ParameterError
from pbow.io import read_labels, read_names


def labels_of(tmp_path, text, n):
    path = tmp_path / "labels.txt"
    path.write_text(text, encoding="utf-8")
    return read_labels(path, n).tolist()


def test_a_label_may_have_spaces_and_any_letters(tmp_path):
    text = "\ufeffclusters of clusters\r\n  </b> ü, 'x' \r\ntorus"
    expected = ["clusters of clusters", "</b> ü, 'x'", "torus"]
    assert labels_of(tmp_path, text, 3) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2\n10\n-1\n", [2, 10, -1]),
        ("02\n10\n", ["02", "10"]),
        ("2\n1.5\n", ["2", "1.5"]),
        ("2\n" + "9" * 40, ["2", "9" * 40]),
    ],
    ids=["whole", "with zeros in front", "with a fraction", "too long"],
)
def test_labels_are_numbers_where_nothing_is_lost(tmp_path, text, expected):
    assert labels_of(tmp_path, text, len(expected)) == expected


@pytest.mark.parametrize("labels", [[3, 1, 2], ["a b", "c", "a b"]])
def test_labels_may_be_an_array(tmp_path, labels):
    np.save(tmp_path / "labels.npy", labels)
    assert_array_equal(read_labels(tmp_path / "labels.npy", 3), labels)


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
def test_other_arrays_of_labels_are_refused(tmp_path, array, message):
    np.save(tmp_path / "labels.npy", array, allow_pickle=True)
    with pytest.raises(ValueError, match=r".") as caught:
        read_labels(tmp_path / "labels.npy", 3)
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "; it is empty."),
        (b"a\n\nb\n", "; line 2 is empty."),
        (b"\xff\xfe\x00", "it is not a text file."),
        (b"a\nb\n", "one label for each of the 3 samples; labels.txt has 2."),
    ],
)
def test_a_text_without_one_label_per_line_is_refused(
    tmp_path, monkeypatch, content, message
):
    monkeypatch.chdir(tmp_path)
    Path("labels.txt").write_bytes(content)
    with pytest.raises(ValueError, match=r".") as caught:
        read_labels(Path("labels.txt"), 3)
    assert str(caught.value).endswith(message)


@pytest.mark.parametrize("head", ["", "file,label\n"])
def test_labels_are_found_by_name(tmp_path, head):
    (tmp_path / "names.txt").write_text("c2.csv\nc10.csv\n")
    table = tmp_path / "y.csv"
    table.write_text(f'{head}c10.csv,"a, b"\nc1.csv,no diagram\nc2.csv, c\n')
    labels = read_labels(table, 2, tmp_path / "names.txt")
    assert labels.tolist() == ["c", "a, b"]


@pytest.mark.parametrize(
    ("names", "table", "message"),
    [
        ("a\nb", "a,1\nb,2", "one name for each of the 3 samples; n.txt has 2."),
        ("a\nb\nc", "a,1", "y.csv has no label for b and 1 more of n.txt."),
        ("a\nb\nc", "file,label", "y.csv has no label for a and 2 more of n.txt."),
        ("a\nb\nc", "a,1\nb,2\nb,2\nc,1", "once in y.csv; it has b 2 times."),
        ("a\nb\na", "a,1\nb,2", "once in n.txt; it has a 2 times."),
        ("a\nb\nc", "a,1\nb,\nc,1", "columns, file and label; line 2 is 'b,'."),
        ("a\nb\nc", "a,1\nb\nc,1", "columns, file and label; line 2 is 'b'."),
    ],
    ids=["few", "missing", "empty", "double", "double name", "no label", "one column"],
)
def test_names_that_do_not_fit_the_labels_are_told(
    tmp_path, monkeypatch, names, table, message
):
    monkeypatch.chdir(tmp_path)
    Path("n.txt").write_text(names)
    Path("y.csv").write_text(table)
    with pytest.raises(ValueError, match=r".") as caught:
        read_labels(Path("y.csv"), 3, Path("n.txt"))
    assert str(caught.value).endswith(message)


def test_labels_in_the_order_of_the_samples_need_no_names(tmp_path):
    (tmp_path / "y.txt").write_text("1\n2\n")
    assert read_labels(tmp_path / "y.txt", 2, tmp_path / "nowhere").tolist() == [1, 2]


def test_labels_by_name_are_not_read_without_names(tmp_path):
    with pytest.raises(ParameterError, match=r"Expected names .* got None") as caught:
        labels_of(tmp_path, "file,label\na.csv,1\n", 2)
    assert caught.value.parameter == "names"


def test_names_are_one_per_line_for_as_many_samples(tmp_path):
    path = tmp_path / "names.txt"
    path.write_text("a b\n c \n")
    assert read_names(path) == read_names(path, 2) == ["a b", "c"]
    with pytest.raises(ValueError, match="one name for each of the 3 samples"):
        read_names(path, 3)
