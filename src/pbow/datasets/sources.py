"""Where raw arrays come from: files, or a generator."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from pbow._utils.files import AnyPath
from pbow.datasets.cache import expanded, imported_folder
from pbow.errors import format_error
from pbow.io.npz import Npz, opened

__all__ = [
    "Files",
    "Generated",
    "Source",
    "digest_of",
    "find_files",
    "opened_with",
    "plain",
    "search_folders",
]


class Source(Protocol):
    """Arrays by name, and other sources that they refer to."""

    def sha256(self) -> str:
        """Return a digest of all its arrays."""

    def __contains__(self, name: str) -> bool: ...

    def read(self, name: str, kinds: str, n_dims: int) -> NDArray[Any]:
        """Return an array of one of some kinds (as ``"iu"``) and of `n_dims` axes."""

    def other_digests(self) -> dict[str, str]:
        """Return the digests of the other sources, by stem."""

    def other(self, stem: str) -> AbstractContextManager[Source]:
        """Enter another source: what is wrong with its arrays is an error of its."""


class Generated:
    """Arrays that were made here."""

    def __init__(
        self,
        arrays: Mapping[str, NDArray[Any]],
        others: Mapping[str, Source] | None = None,
    ) -> None:
        self._arrays = arrays
        self._others = others or {}

    def sha256(self) -> str:
        """Return a digest of all arrays."""
        return digest_of(self._arrays)

    def __contains__(self, name: str) -> bool:
        return name in self._arrays

    def read(self, name: str, kinds: str, n_dims: int) -> NDArray[Any]:
        """Return an array; it is as it was made."""
        return self._arrays[name]

    def other_digests(self) -> dict[str, str]:
        """Return the digests of the other sources, by stem."""
        return {stem: source.sha256() for stem, source in self._others.items()}

    def other(self, stem: str) -> AbstractContextManager[Source]:
        """Return another source."""
        return nullcontext(self._others[stem])


class Files:
    """Arrays of an open ``.npz`` file, and the other files that it refers to."""

    def __init__(
        self, file: Npz, others: Mapping[str, tuple[Path, Npz]] | None = None
    ) -> None:
        self._file = file
        self._others = others or {}

    def sha256(self) -> str:
        """Return the digest of the file's bytes, without the other files."""
        return self._file.sha256()

    def __contains__(self, name: str) -> bool:
        return name in self._file

    def read(self, name: str, kinds: str, n_dims: int) -> NDArray[Any]:
        """Return an array of one of some kinds (as ``"iu"``) and of `n_dims` axes."""
        return self._file.read(name, kinds, n_dims)

    def other_digests(self) -> dict[str, str]:
        """Return the digests of the other files, by stem."""
        return {stem: file.sha256() for stem, (_, file) in self._others.items()}

    @contextmanager
    def other(self, stem: str) -> Iterator[Source]:
        """Enter another file; errors inside name it, not the file that refers to it."""
        path, file = self._others[stem]
        with format_error(path):
            yield Files(file)


@contextmanager
def opened_with(path: Path, others: Mapping[str, Path]) -> Iterator[Files]:
    """Open a file and, by stem, others that it refers to; errors name the first one.

    Those inside :meth:`Files.other` name the other file.
    """
    with ExitStack() as stack:
        # The first file is opened last: the innermost context names the file.
        files = {
            stem: (other, stack.enter_context(opened(other)))
            for stem, other in others.items()
        }
        yield Files(stack.enter_context(opened(path)), files)


def digest_of(arrays: Mapping[str, NDArray[Any]]) -> str:
    """Return one SHA-256 of the names, types, shapes and bytes of arrays."""
    digest = hashlib.sha256()
    for name, array in sorted(arrays.items()):
        digest.update(f"{name} {array.dtype.str} {array.shape}\n".encode())
        digest.update(np.ascontiguousarray(array).view(np.uint8).data)
    return digest.hexdigest()


def search_folders(data_home: AnyPath | None) -> list[Path]:
    """Return the folders that files are looked for in, in this order."""
    chosen = os.environ.get("PBOW_DATA") if data_home is None else data_home
    if not chosen:
        return [imported_folder()]
    given = "PBOW_DATA" if data_home is None else "data_home"
    folder = expanded(chosen, given)
    if not folder.is_dir():
        where = "The variable PBOW_DATA is" if data_home is None else "Data home is"
        msg = f"{where} {os.fspath(chosen)}, which is not a folder. Correct it."
        raise NotADirectoryError(msg)
    return [folder, imported_folder()]


def find_files(folders: list[Path]) -> dict[str, Path]:
    """Return the ``.npz`` files of some folders by plain stem; the first one wins.

    What is no regular file (a broken link, a folder, a pipe) does not count.
    """
    found: dict[str, Path] = {}
    for folder in folders:
        for path in sorted(folder.glob("*.npz")):
            if path.is_file():
                found.setdefault(plain(path.stem), path)
    return found


def plain(name: str) -> str:
    """Return a name as it is compared: neither case matters, nor - or _."""
    return name.lower().replace("_", "-")
