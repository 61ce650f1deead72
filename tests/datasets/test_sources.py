import os
from pathlib import Path

import numpy as np
import pytest
from tests.datasets.layouts import write

from pbow.datasets.sources import (
    Generated,
    find_files,
    opened_with,
    search_folders,
)
from pbow.io import FileFormatError
from pbow.io.npz import opened


def test_the_digest_of_generated_arrays_is_of_all_that_they_are():
    arrays = {"a": np.arange(4.0), "b": np.array(["x", "y"])}
    digests = [
        Generated(changed).sha256()
        for changed in (
            arrays,
            {"a": np.arange(4.0) + 1e-16, "b": arrays["b"]},
            {"a": np.arange(4.0) * (1 + 1e-15), "b": arrays["b"]},
            {"a": np.arange(4), "b": arrays["b"]},
            {"a": arrays["a"].reshape(2, 2), "b": arrays["b"]},
            {"aa": arrays["a"], "b": arrays["b"]},
            {"a": arrays["a"], "b": np.array(["x", "z"])},
        )
    ]
    assert len(set(digests)) == len(digests)
    again = {name: arrays[name].copy() for name in ("b", "a")}
    assert Generated(again).sha256() == digests[0]


def test_folders_are_the_argument_or_the_variable_and_what_was_imported(
    tmp_path, monkeypatch, cache
):
    imported = cache / "imported"
    assert search_folders(None) == [imported]
    monkeypatch.setenv("PBOW_DATA", str(tmp_path))
    assert search_folders(None) == [tmp_path, imported]
    other = tmp_path / "other"
    other.mkdir()
    assert search_folders(other) == search_folders(str(other)) == [other, imported]
    monkeypatch.setenv("PBOW_DATA", "~")
    assert search_folders(None) == [Path.home(), imported]


def test_a_folder_that_is_none_is_named(tmp_path, monkeypatch):
    with pytest.raises(NotADirectoryError, match=r"Data home is .*nowhere, which is"):
        search_folders(tmp_path / "nowhere")
    monkeypatch.setenv("PBOW_DATA", "/nowhere")
    with pytest.raises(NotADirectoryError, match="PBOW_DATA is /nowhere, which is"):
        search_folders(None)


def test_an_unknown_users_folder_is_said_with_what_names_it(monkeypatch):
    with pytest.raises(ValueError, match="data_home=~nobody-here/x is in the home"):
        search_folders("~nobody-here/x")
    monkeypatch.setenv("PBOW_DATA", "~nobody-here/x")
    with pytest.raises(ValueError, match="PBOW_DATA=~nobody-here/x is in the home"):
        search_folders(None)


def test_only_regular_files_count(tmp_path):
    (tmp_path / "a.npz").touch()
    (tmp_path / "link.npz").symlink_to(tmp_path / "a.npz")
    (tmp_path / "broken.npz").symlink_to(tmp_path / "nothing")
    (tmp_path / "folder.npz").mkdir()
    if hasattr(os, "mkfifo"):
        os.mkfifo(tmp_path / "pipe.npz")
    assert sorted(find_files([tmp_path])) == ["a", "link"]


def test_the_first_folder_wins_and_case_does_not_matter(tmp_path):
    first, second = tmp_path / "1", tmp_path / "2"
    for folder, names in ((first, ["a_B"]), (second, ["A-b", "b", "c.txt"])):
        folder.mkdir()
        for name in names:
            (folder / (name if "." in name else f"{name}.npz")).touch()
    found = find_files([first, second, tmp_path / "missing"])
    assert found == {"a-b": first / "a_B.npz", "b": second / "b.npz"}


def two_files(folder):
    first = write(folder, "first", {"a": np.arange(3), "b": np.arange(2)})
    return first, write(folder, "second", {"a": np.arange(4.0)})


def test_a_file_and_others_are_read_by_themselves(tmp_path):
    first, second = two_files(tmp_path)
    with opened_with(first, {"second": second}) as source:
        assert "b" in source
        assert source.read("a", "iu", 1).tolist() == [0, 1, 2]
        with source.other("second") as other:
            assert "b" not in other
            assert other.read("a", "f", 1).tolist() == [0, 1, 2, 3]
        with opened(first) as one, opened(second) as two:
            assert source.sha256() == one.sha256()
            assert source.other_digests() == {"second": two.sha256()}
    with opened_with(first, {}) as source:
        assert source.other_digests() == {}


def test_an_error_names_the_file_that_it_is_of(tmp_path):
    first, second = two_files(tmp_path)

    def fail(source, *, inside):
        if not inside:
            raise ValueError("oh.")
        with source.other("second"):
            raise ValueError("oh.")

    for inside, path in ((False, first), (True, second)):
        with (
            pytest.raises(FileFormatError, match=f"Cannot read {path}: oh."),
            opened_with(first, {"second": second}) as source,
        ):
            fail(source, inside=inside)


def test_generated_arrays_have_others_too():
    other = Generated({"b": np.arange(2)})
    source = Generated({"a": np.arange(3)}, {"other": other})
    assert source.other_digests() == {"other": other.sha256()}
    with source.other("other") as entered:
        assert entered is other
    assert Generated({}).other_digests() == {}
