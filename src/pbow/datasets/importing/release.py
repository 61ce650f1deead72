"""The files of a release: a folder, a zip, or one file, read and never unpacked.

Names within a zip are labels only: nothing is written to disk, so they lead nowhere.
Whatever is wrong with a file becomes a FileFormatError that names it.
"""

from __future__ import annotations

import errno
import hashlib
import os
import re
import struct
import warnings
import zipfile
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from typing import BinaryIO, NoReturn, cast

from pbow._utils.files import AnyPath
from pbow.errors import FileFormatError

__all__ = ["Release", "open_release", "printable", "refuse"]

# Reddit-12k, the largest text of the known releases, has a fifth of this.
MOST_BYTES = 1 << 30
MOST_FILES = 1_000_000
# Deflate reaches 1:1000, data of releases seldom 1:100.
MOST_UNPACKED = 200  # bytes a byte
ALWAYS_ALLOWED = 1 << 26
ZIP_STARTS = (b"PK\x03\x04", b"PK\x05\x06")
PACKINGS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)


class Release:
    """Files by name, in natural order, in which 2 comes before 10.

    Attributes
    ----------
    path : Path
        The folder or file.
    names : list of str
        Paths within it, with ``/``. What is hidden is left out, and what claims to lie
        outside of it.
    sums : dict of str to str
        SHA-256 of each file that was read.
    """

    def __init__(
        self, path: Path, sizes: Mapping[str, int], opener: Callable[[str], BinaryIO]
    ) -> None:
        self.path = path
        self.names = sorted(filter(_is_shown, sizes), key=_natural_order)
        self.sums: dict[str, str] = {}
        self._sizes = sizes
        self._opener = opener

    def read(self, name: str, at_most: int = MOST_BYTES) -> bytes:
        """Return the content of a file, or refuse one of more bytes than `at_most`."""
        with _blaming(self.where(name)):
            data = b""
            if self._sizes[name] <= at_most:
                with self._opener(name) as file:
                    data = file.read(at_most + 1)
            n_bytes = max(self._sizes[name], len(data))
            if n_bytes > at_most:
                msg = f"it has {n_bytes} bytes, more than the {at_most} that are read."
                raise ValueError(msg)
        self.sums[name] = hashlib.sha256(data).hexdigest()
        return data

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

    Parameters
    ----------
    path : str or path-like
        The content says whether a file is a zip.

    Raises
    ------
    FileNotFoundError
        If there is nothing.
    FileFormatError
        If it is a zip that is damaged.
    """
    target = Path(path)
    if target.is_dir():
        yield Release(target, _sizes_of_folder(target), _opener_in(target))
    elif not target.is_file():
        msg = f"There is no file or folder {printable(str(target))}."
        raise FileNotFoundError(msg)
    elif not _is_zip(target):
        sizes = {target.name: target.stat().st_size}
        yield Release(target, sizes, _opener_in(target.parent))
    else:
        with target.open("rb") as file:
            with _blaming(printable(str(target))):
                archive = zipfile.ZipFile(file)
                sizes = _sizes_of_zip(archive)
            _warn_of_names_outside(target, sizes)
            yield Release(
                target, sizes, lambda name: cast("BinaryIO", archive.open(name))
            )


def refuse(where: str, what: str) -> NoReturn:
    """Raise the error that says what is wrong with a file."""
    msg = printable(f"Cannot read {where}: {what}")
    raise FileFormatError(msg)


def printable(text: str) -> str:
    """Return a text without what a terminal would obey or an encoding would refuse.

    Names on disk may be in any encoding, and those in a zip of any signs.
    """
    encodable = text.encode("utf-8", "replace").decode()
    return "".join(sign if sign.isprintable() else "?" for sign in encodable)


def _is_zip(path: Path) -> bool:
    with path.open("rb") as file:
        return file.read(4) in ZIP_STARTS


def _opener_in(folder: Path) -> Callable[[str], BinaryIO]:
    return lambda name: (folder / name).open("rb")


def _sizes_of_folder(folder: Path) -> dict[str, int]:
    sizes: dict[str, int] = {}
    for parent, _, files in os.walk(folder):
        for file in files:
            path = Path(parent, file)
            if path.is_file():  # no pipe, which would be waited for
                sizes[path.relative_to(folder).as_posix()] = path.stat().st_size
        if len(sizes) > MOST_FILES:
            refuse(str(folder), f"it has more than {MOST_FILES} files.")
    return sizes


def _sizes_of_zip(archive: zipfile.ZipFile) -> dict[str, int]:
    sizes: dict[str, int] = {}
    for member in archive.infolist():
        if member.is_dir():
            continue
        if member.filename in sizes:
            msg = f"it has two files {printable(member.filename)!r:.80}."
            raise ValueError(msg)
        if member.compress_type not in PACKINGS or member.flag_bits & 1:
            msg = (
                f"its file {printable(member.filename)!r:.80} is encrypted or packed "
                "in an unusual way. Unpack it, and pass the folder."
            )
            raise ValueError(msg)
        if member.file_size > MOST_UNPACKED * member.compress_size + ALWAYS_ALLOWED:
            msg = (
                f"its file {printable(member.filename)!r:.80} claims to unpack to "
                f"{member.file_size} bytes from {member.compress_size}, which no data "
                "do. Unpack it yourself, if you trust it, and pass the folder."
            )
            raise ValueError(msg)
        sizes[member.filename] = member.file_size
    if len(sizes) > MOST_FILES:
        msg = f"it has more than {MOST_FILES} files."
        raise ValueError(msg)
    return sizes


def _warn_of_names_outside(path: Path, names: Iterable[str]) -> None:
    outside = [name for name in names if ".." in PurePosixPath(name).parts]
    if outside:
        msg = printable(
            f"{path}: files whose names lead out of the zip are passed over "
            f"({len(outside)}, as {outside[0]!r:.80}). If you trust it, pack it anew, "
            "without '..' in names."
        )
        # The caller of import_dataset, beyond it and the context manager.
        warnings.warn(msg, UserWarning, stacklevel=5)


@contextmanager
def _blaming(where: str) -> Iterator[None]:
    try:
        yield
    except (
        zipfile.BadZipFile,
        zlib.error,
        struct.error,
        EOFError,
        IndexError,
        OverflowError,
    ) as error:
        _refuse_zip(where, error)
    except OSError as error:
        if error.errno != errno.EINVAL:
            raise
        _refuse_zip(where, error)  # it names a place in itself that no file has
    except (ValueError, NotImplementedError, RuntimeError) as error:
        msg = f"Cannot read {where}: {error}"
        raise FileFormatError(msg) from error


def _refuse_zip(where: str, error: Exception) -> NoReturn:
    msg = f"Cannot read {where}: the zip is damaged ({error}). Get it again."
    raise FileFormatError(msg) from error


def _is_shown(name: str) -> bool:
    pieces = PurePosixPath(name).parts
    return not any(piece.startswith((".", "__MACOSX")) for piece in pieces)


def _natural_order(name: str) -> list[tuple[int, str]]:
    # Digits by their number and then by value; a piece between them has the number 0.
    pieces = re.split(r"([0-9]+)", name)
    return [
        (len(piece.lstrip("0")) + 1, piece.lstrip("0")) if i % 2 else (0, piece)
        for i, piece in enumerate(pieces)
    ]
