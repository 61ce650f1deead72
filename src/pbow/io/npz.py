"""Arrays from ``.npz`` files, compressed or not, which may come from anywhere.

numpy reads them, without pickle, so that nothing in a file is executed. What is wrong
with a file becomes a ValueError; :func:`opened` names the file.
"""

from __future__ import annotations

import hashlib
import os
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from pbow._utils.unpacking import check_zip, damage_as_value_error
from pbow.errors import format_error
from pbow.io.npy import read_array, read_array_header

__all__ = ["Npz", "opened"]


class Npz:
    """An open ``.npz`` file: its checksum, and its arrays by name.

    The file stays open, and the caller's. What is read belongs to one state of it, as a
    writer replaces files and does not change them. One that is damaged, or claims to
    unfold into far more than its size, is a ValueError.
    """

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        n_bytes = file.seek(0, os.SEEK_END)
        with damage_as_value_error():
            # Not by numpy.load, which opens anything else as well, pickles among it.
            self._archive = zipfile.ZipFile(file)
            check_zip(self._archive, n_bytes)
        members = self._archive.infolist()
        self._members = {one.filename.removesuffix(".npy"): one for one in members}

    def sha256(self) -> str:
        """Return the digest of the file's bytes."""
        self._file.seek(0)
        return hashlib.file_digest(self._file, "sha256").hexdigest()  # type: ignore[arg-type]

    @property
    def names(self) -> list[str]:
        """Names of the arrays, in the order of the file."""
        return list(self._members)

    def __contains__(self, name: str) -> bool:
        return name in self._members

    def describe(self, name: str) -> tuple[np.dtype[Any], tuple[int, ...]]:
        """Return type and shape of an array, as it claims them; nothing else is read.

        Examples
        --------
        >>> import tempfile
        >>> import numpy as np
        >>> from pbow.io.npz import Npz
        >>> with tempfile.TemporaryFile() as file:
        ...     np.savez(file, labels=np.zeros(3, np.int32))
        ...     Npz(file).describe("labels")
        (dtype('int32'), (3,))
        """
        self._check_has(name)
        with damage_as_value_error(), self._archive.open(self._members[name]) as file:
            return read_array_header(file)

    def read(self, name: str, kinds: str, n_dims: int) -> NDArray[Any]:
        """Return an array of one of some kinds (as ``"iu"``) and of `n_dims` axes."""
        self._check_has(name)
        member = self._members[name]
        with damage_as_value_error(), self._archive.open(member) as file:
            array = read_array(file, member.file_size)
        if array.dtype.kind not in kinds or array.ndim != n_dims:
            msg = (
                f"its array {name} is {array.dtype} of shape {array.shape}; expected "
                f"{n_dims} axes and kind {' or '.join(kinds)}."
            )
            raise ValueError(msg)
        return array.astype(array.dtype.newbyteorder("="), order="C", copy=False)

    def _check_has(self, name: str) -> None:
        if name not in self:
            found = ", ".join(sorted(self._members)) or "nothing"
            msg = f"it has no array {name}; it has {found:.200}."
            raise ValueError(msg)


@contextmanager
def opened(path: Path) -> Iterator[Npz]:
    """Open an ``.npz`` file; what its content leads to is an error that names it."""
    with path.open("rb") as file, format_error(path):
        yield Npz(file)
