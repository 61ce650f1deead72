import sys
from pathlib import Path
from unittest.mock import Mock

import numpy as np
import pytest

from pbow import Diagrams
from pbow.datasets.cache import cache_folder, cached, imported_folder
from pbow.io import read_native, write_native

X = Diagrams.from_list([[[0.0, 1.0], [0.5, np.inf]], []])
Y = Diagrams.from_list([[[0.0, 2.0]], []])


def making(made=X):
    """Makes diagrams, and counts how often."""
    return Mock(return_value=made)


@pytest.fixture
def folder(cache):
    return cache / "diagrams"


def files_in(folder):
    return sorted(path.name for path in folder.iterdir())


def test_what_was_made_is_read_the_second_time(folder):
    make = making()
    assert cached("toy", {"a": 1}, make) == X
    assert cached("toy", {"a": 1}, make) == X
    assert make.call_count == 1
    [name] = files_in(folder)
    assert name.startswith("toy-")
    assert read_native(folder / name) == X


@pytest.mark.parametrize("key", [{"a": 2}, {"a": 1, "b": 1}, {"b": 1}, {}])
def test_another_recipe_never_reads_it(key):
    cached("toy", {"a": 1}, making())
    assert cached("toy", key, making(Y)) == Y


def test_another_version_of_pbow_never_reads_it(monkeypatch):
    cached("toy", {}, making())
    monkeypatch.setattr("pbow.datasets.cache.version", lambda _: "99.0")
    assert cached("toy", {}, making(Y)) == Y


def test_a_file_under_another_key_is_not_believed(folder):
    cached("toy", {"a": 1}, making())
    [name] = files_in(folder)
    write_native(Y, folder / name, metadata={"a": 2})
    assert cached("toy", {"a": 1}, making()) == X
    assert read_native(folder / name) == X


@pytest.mark.parametrize("damage", ["cut", "flip", "empty", "text"])
def test_a_broken_file_is_made_anew(folder, damage):
    cached("toy", {}, making())
    [path] = folder.iterdir()
    content = bytearray(path.read_bytes())
    if damage == "cut":
        del content[-40:]
    elif damage == "flip":
        content[content.index(np.float64(0.5).tobytes())] ^= 1
    else:
        content[:] = b"" if damage == "empty" else b"hello"
    path.write_bytes(content)
    make = making()
    assert cached("toy", {}, make) == X
    assert make.call_count == 1
    assert read_native(path) == X


def test_a_folder_in_the_place_of_a_file_is_only_a_warning(folder):
    cached("toy", {}, making())
    [path] = folder.iterdir()
    path.unlink()
    path.mkdir()
    with pytest.warns(
        RuntimeWarning, match="toy could not be kept in .*diagrams: Is a"
    ):
        assert cached("toy", {}, making()) == X


def test_where_nothing_can_be_written_a_warning_says_so(tmp_path, monkeypatch):
    (tmp_path / "file").touch()
    monkeypatch.setenv("PBOW_CACHE", str(tmp_path / "file"))
    with pytest.warns(RuntimeWarning, match="Set PBOW_CACHE to a folder that can be"):
        assert cached("toy", {}, making()) == X


def test_an_error_while_making_leaves_nothing(folder):
    def make():
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        cached("toy", {}, make)
    assert not folder.exists()


def test_the_variable_names_the_folder(monkeypatch, tmp_path):
    monkeypatch.setenv("PBOW_CACHE", str(tmp_path))
    assert cache_folder() == tmp_path
    assert imported_folder() == tmp_path / "imported"
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PBOW_CACHE", "here")
    assert cache_folder() == tmp_path / "here"
    monkeypatch.setenv("PBOW_CACHE", "~/there")
    assert cache_folder() == Path.home() / "there"


def test_an_unknown_users_folder_is_refused(monkeypatch):
    monkeypatch.setenv("PBOW_CACHE", "~nobody-here/x")
    with pytest.raises(ValueError, match="PBOW_CACHE=~nobody-here/x is in the home"):
        cache_folder()


@pytest.mark.parametrize("platform", ["linux", "darwin", "win32"])
def test_without_a_home_folder_the_variable_is_asked_for(monkeypatch, platform):
    def no_home():
        msg = "Could not determine home directory."
        raise RuntimeError(msg)

    for name in ("PBOW_CACHE", "XDG_CACHE_HOME", "LOCALAPPDATA"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(sys, "platform", platform)
    monkeypatch.setattr(Path, "home", no_home)
    with pytest.raises(ValueError, match=r"no home folder.*Set PBOW_CACHE to a folder"):
        cache_folder()


@pytest.mark.parametrize(
    ("platform", "variables", "expected"),
    [
        ("linux", {"XDG_CACHE_HOME": "/x"}, "/x/pbow"),
        ("linux", {"XDG_CACHE_HOME": "relative"}, "/home/me/.cache/pbow"),
        ("linux", {}, "/home/me/.cache/pbow"),
        ("freebsd14", {}, "/home/me/.cache/pbow"),
        ("darwin", {"XDG_CACHE_HOME": "/x"}, "/home/me/Library/Caches/pbow"),
        ("win32", {"LOCALAPPDATA": "/local"}, "/local/pbow"),
        ("win32", {}, "/home/me/AppData/Local/pbow"),
    ],
)
def test_else_it_is_the_platforms(monkeypatch, platform, variables, expected):
    for name in ("PBOW_CACHE", "XDG_CACHE_HOME", "LOCALAPPDATA"):
        monkeypatch.delenv(name, raising=False)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(sys, "platform", platform)
    monkeypatch.setattr(Path, "home", lambda: Path("/home/me"))
    assert cache_folder() == Path(expected)
