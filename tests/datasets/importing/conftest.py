"""Releases as the tests write them: a folder, or the same files in a zip."""

import zipfile

import numpy as np
import pytest


@pytest.fixture(autouse=True)
def cache(tmp_path, monkeypatch):
    """Keep what is imported away from the user's own."""
    monkeypatch.setenv("PBOW_CACHE", str(tmp_path / "cache"))


@pytest.fixture
def nothing_else(monkeypatch):
    """Load what was imported, and not what a data folder has."""
    monkeypatch.delenv("PBOW_DATA", raising=False)


@pytest.fixture
def write_folder(tmp_path):
    """Write files, by name, into a new folder; return it."""

    def write(files, folder="release"):
        root = tmp_path / folder
        for name, content in files.items():
            path = root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(
                content if isinstance(content, bytes) else content.encode()
            )
        return root

    return write


@pytest.fixture
def write_zip(tmp_path):
    """Write files, by name, into a new zip; return it."""

    def write(files, name="release.zip"):
        path = tmp_path / name
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            for member, content in files.items():
                archive.writestr(member, content)
        return path

    return write


@pytest.fixture
def load():
    """Load all arrays of a file, without what could run code."""

    def load(path):
        with np.load(path, allow_pickle=False) as arrays:
            return dict(arrays)

    return load
