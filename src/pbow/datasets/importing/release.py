"""The files of a release: a folder, a zip, or one file, read and never unpacked.

Names within a zip are labels only: nothing is written to disk, so they lead nowhere.
Whatever is wrong with a file becomes a FileFormatError that names it.
"""

from __future__ import annotations

import hashlib
import zipfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from typing import Any, BinaryIO, NoReturn, cast

import numpy as np
from numpy.typing import NDArray

from pbow._utils.files import AnyPath
from pbow._utils.tables import read_table
from pbow._utils.text import natural_key
from pbow._utils.unpacking import check_zip, damage_as_value_error
from pbow._utils.warn import warn_user
from pbow.errors import FileFormatError, format_error

__all__ = ["Release", "open_release", "printable", "refuse"]

ZIP_STARTS = (b"PK\x03\x04", b"PK\x05\x06")


class Release:
    """Files by name, in natural order, in which 2 comes before 10.

    `names` are paths within `path`, the folder or file, with ``/``; hidden files are
    ignored, and those that claim to lie outside of it. `sums` has the SHA-256 of each
    file that was read.
    """

    def __init__(
        self, path: Path, names: Iterable[str], opener: Callable[[str], BinaryIO]
    ) -> None:
        self.path = path
        self.names = sorted(filter(_is_shown, names), key=natural_key)
        self.sums: dict[str, str] = {}
        self._opener = opener

    def read(self, name: str) -> bytes:
        """Return the content of a file."""
        with (
            format_error(self.where(name)),
            damage_as_value_error(),
            self._opener(name) as file,
        ):
            data = file.read()
        self.sums[name] = hashlib.sha256(data).hexdigest()
        return data

    def read_numbers(
        self, name: str, n_columns: int, *, separator: bytes = b" ", whole: bool = True
    ) -> NDArray[Any]:
        """Return the numbers of a text file, one row per line."""
        data = self.read(name).replace(separator, b" ")
        with format_error(self.where(name)):
            return read_table(data, (n_columns,), np.int64 if whole else np.float64)

    def only(self, file: str, home: str) -> str:
        """Return the one name that ends in this file, in any case of letters."""
        found = [
            name
            for name in self.names
            if PurePosixPath(name).name.lower() == file.lower()
        ]
        if len(found) != 1:
            refuse(
                str(self),
                f"expected one file {file}; found {len(found)}. Get it from {home}.",
            )
        return found[0]

    def where(self, name: str) -> str:
        """Return how messages call a file."""
        if self.path.is_dir():
            return printable(str(self.path / name))
        if name == self.path.name:
            return printable(str(self.path))
        return printable(f"{self.path}: {name}")

    def __str__(self) -> str:
        return printable(str(self.path))


@contextmanager
def open_release(path: AnyPath) -> Iterator[Release]:
    """Open a folder with all that is in it, a zip, or one file by itself.

    The content says whether a file is a zip.
    """
    target = Path(path)
    if target.is_dir():
        # No pipe, which would be waited for.
        files = [path for path in target.rglob("*") if path.is_file()]
        names = [path.relative_to(target).as_posix() for path in files]
        yield Release(target, names, lambda name: (target / name).open("rb"))
    elif not target.is_file():
        msg = f"There is no file or folder {printable(str(target))}."
        raise FileNotFoundError(msg)
    elif not _is_zip(target):
        yield Release(target, [target.name], lambda _: target.open("rb"))
    else:
        with target.open("rb") as file:
            with format_error(printable(str(target))), damage_as_value_error():
                archive = zipfile.ZipFile(file)
                check_zip(archive, target.stat().st_size)
            names = [m.filename for m in archive.infolist() if not m.is_dir()]
            _warn_of_names_outside(target, names)
            yield Release(
                target, names, lambda name: cast("BinaryIO", archive.open(name))
            )


def refuse(where: str, what: str) -> NoReturn:
    """Raise the error that says what is wrong with a file."""
    raise FileFormatError(printable(where), printable(what))


def printable(text: str) -> str:
    """Return a text without what a terminal would obey or an encoding would refuse.

    Names on disk may be in any encoding, and those in a zip of any signs.
    """
    encodable = text.encode("utf-8", "replace").decode()
    return "".join(sign if sign.isprintable() else "?" for sign in encodable)


def _is_zip(path: Path) -> bool:
    with path.open("rb") as file:
        return file.read(4) in ZIP_STARTS


def _warn_of_names_outside(path: Path, names: Iterable[str]) -> None:
    outside = [name for name in names if ".." in PurePosixPath(name).parts]
    if outside:
        msg = printable(
            f"{path}: files whose names lead out of the zip are ignored "
            f"({len(outside)}, as {outside[0]!r:.80}). If you trust it, pack it anew, "
            "without '..' in names."
        )
        warn_user(msg)


def _is_shown(name: str) -> bool:
    pieces = PurePosixPath(name).parts
    return not any(piece.startswith((".", "__MACOSX")) for piece in pieces)
