"""A matrix on disk that grows tile by tile, and survives whatever ends the program.

While ``<path>`` is being made there are two files next to it: ``<path>.partial``, an
``.npy`` file of full size with holes where tiles are missing, and ``<path>.journal``,
one line that says what is computed and then one character a tile. A tile is entered
into the journal only when its numbers are safely on disk, and ``<path>`` appears only
when all are.

Tiles are written, not assigned to a memory map: where a disk is full, a write fails
with an error, and a memory map ends the process.
"""

from __future__ import annotations

import contextlib
import errno
import json
import os
import threading
import time
from io import FileIO
from pathlib import Path
from types import ModuleType, TracebackType
from typing import NoReturn, Self

import numpy as np
from numpy.typing import NDArray

fcntl: ModuleType | None
try:
    import fcntl
except ImportError:  # Windows: nobody stops two processes from sharing a name
    fcntl = None

__all__ = ["TileFile"]

Floats = NDArray[np.float64]

MAGIC = b'{"pbow tiles": 1, '  # the 1 is the version of this layout
MISSING, DONE = b".", b"x"
NPY_MAGIC = b"\x93NUMPY\x01\x00"
ALIGNMENT = 64
SECONDS_BETWEEN_SYNCS = 5.0


class TileFile:
    """Write a float64 matrix to an ``.npy`` file in tiles, or go on where one stopped.

    Use it in a ``with`` statement. Threads may share it. When the block ends by an
    error, or Ctrl-C, or the process is killed, what is done is kept, and the next one
    with the same `path`, `shape`, `key` and `n_tiles` goes on from there.

    Parameters
    ----------
    path : str or path-like
        Name of the whole matrix, ``*.npy``. Where there is this very matrix, nothing is
        done again; any other file of that name is an error.
    shape : (int, int)
        Of the matrix.
    key : str
        Digest of all that the numbers depend on.
    n_tiles : int
        Number of tiles; what they cover is the caller's affair, and part of the key.

    Attributes
    ----------
    done : ndarray of bool of shape (n_tiles,)
        Whether each tile is written.

    Raises
    ------
    ValueError
        Where there is a partial file of something else, or a damaged one.
    BlockingIOError
        Where another process, or this one, is writing to the same path.
    OSError
        Where the folder or the disk cannot take the files.
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        shape: tuple[int, int],
        key: str,
        n_tiles: int,
    ) -> None:
        if Path(path).suffix != ".npy":
            msg = f"Expected the name of a .npy file for the matrix; got {path}."
            raise ValueError(msg)
        self._path = Path(path).resolve()
        self._partial = self._path.with_name(f"{self._path.name}.partial")
        self._journal = self._path.with_name(f"{self._path.name}.journal")
        self._n_columns = int(shape[1])
        self._start = _npy_start((int(shape[0]), self._n_columns))
        self._n_bytes = len(self._start) + 8 * int(shape[0]) * self._n_columns
        what = {"shape": [int(n) for n in shape], "n_tiles": int(n_tiles), "key": key}
        self._title = MAGIC + json.dumps(what)[1:].encode() + b"\n"
        self._n_tiles = int(n_tiles)
        self._pending: list[int] = []
        self._lock = threading.RLock()  # a sync may come within a mark

    def __enter__(self) -> Self:
        if not self._path.parent.is_dir():
            msg = f"There is no folder {self._path.parent} for {self._path.name}."
            raise FileNotFoundError(errno.ENOENT, msg)
        if self._find_finished():
            return self
        if self._partial.exists() and not self._journal.exists():
            self._refuse(f"{self._partial} has no journal")
        with contextlib.ExitStack() as undo:
            self._marks = self._open_journal()
            undo.callback(self._marks.close)
            if self._find_finished():  # since then, by the one that had the lock
                self._journal.unlink()
                self._marks.close()
                return self
            self.done = self._read_journal()
            if self.done.any():
                self._data = self._open_partial()
            else:
                undo.callback(self._journal.unlink)
                self._data = self._create(undo)
            undo.pop_all()
        self._synced = time.monotonic()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._is_finished:
            return
        try:
            self._sync()
        except OSError:
            # The disk was full, say: the first error tells more than a second one.
            if error is None:
                raise
        finally:
            self._data.close()
            self._marks.close()

    def write(self, rows: slice, columns: slice, values: Floats) -> None:
        """Write a block of the matrix; `rows` and `columns` have a start and a stop."""
        block = np.ascontiguousarray(values, "<f8")
        if block.shape != (rows.stop - rows.start, columns.stop - columns.start):
            msg = f"A block of shape {block.shape} does not fit {rows}, {columns}."
            raise ValueError(msg)
        first = len(self._start) + 8 * (rows.start * self._n_columns + columns.start)
        with self._lock:
            for i, row in enumerate(block):
                _write_at(self._data, first + 8 * i * self._n_columns, row.tobytes())

    def mark(self, tile: int) -> None:
        """Note that a tile is written; within seconds the journal has it."""
        with self._lock:
            self.done[tile] = True
            self._pending.append(tile)
            if time.monotonic() - self._synced > SECONDS_BETWEEN_SYNCS:
                self._sync()

    def finish(self) -> Floats:
        """Give the whole matrix its name, and return it as a read-only memory map."""
        if not self.done.all():
            msg = f"{int((~self.done).sum())} tiles of {self._path} are missing."
            raise ValueError(msg)
        if not self._is_finished:
            self._give_name()
        matrix: Floats = np.load(self._path, mmap_mode="r")
        return matrix

    def _give_name(self) -> None:
        self._sync()
        # Behind the numbers, where readers of .npy files do not look.
        _write_at(self._data, self._n_bytes, self._title)
        os.fsync(self._data.fileno())
        self._data.close()
        self._partial.replace(self._path)
        if fcntl is None:  # Windows removes no file that is open
            self._marks.close()
        # Before the lock goes: it must not be taken from who comes next.
        self._journal.unlink()
        self._marks.close()
        _sync_folder(self._path.parent)

    def _find_finished(self) -> bool:
        """Return whether this very matrix is there, whole; raise if another one is."""
        self._is_finished = self._path.exists()
        if not self._is_finished:
            return False
        self.done = np.ones(self._n_tiles, np.bool_)
        if self._path.is_file():
            with FileIO(self._path) as file:
                if os.fstat(file.fileno()).st_size == self._n_bytes + len(self._title):
                    start = file.read(len(self._start))
                    file.seek(self._n_bytes)
                    if (start, file.read()) == (self._start, self._title):
                        return True
        msg = (
            f"{self._path} is there already, and is not this matrix, but one of other "
            "diagrams or parameters, or something else. Delete it, or choose another "
            "name."
        )
        raise FileExistsError(errno.EEXIST, msg)

    def _sync(self) -> None:
        """Wait until what is written is on disk, and then say so in the journal."""
        with self._lock:
            # Taken first: after a sync that failed nobody knows what is on disk.
            tiles, self._pending = self._pending, []
            if tiles:
                os.fsync(self._data.fileno())
                for tile in tiles:
                    _write_at(self._marks, len(self._title) + tile, DONE)
                os.fsync(self._marks.fileno())
            self._synced = time.monotonic()

    def _open_journal(self) -> FileIO:
        """Open the journal, which may be empty and new, and lock it."""
        while True:
            file = FileIO(self._journal, "r+", opener=_open_or_create)
            try:
                _lock(file)
                # The one that held the lock until now may have removed the file.
                if os.path.samestat(os.fstat(file.fileno()), self._journal.stat()):
                    return file
            except FileNotFoundError:
                pass
            except BlockingIOError as error:
                file.close()
                msg = (
                    f"{self._path} is being written by another process, or elsewhere "
                    "in this one. Wait for its end, or choose another name."
                )
                raise BlockingIOError(errno.EWOULDBLOCK, msg) from error
            file.close()

    def _read_journal(self) -> NDArray[np.bool_]:
        """Return which tiles are done, or say why one cannot go on with them."""
        nothing = np.zeros(self._n_tiles, np.bool_)
        title = self._marks.read(len(self._title))
        if not self._partial.exists() and MAGIC.startswith(title[: len(MAGIC)]):
            return nothing
        if not title.startswith(MAGIC):
            self._refuse(f"{self._journal} is not a journal that this version can read")
        if title != self._title:
            self._refuse(
                f"{self._partial} is part of another matrix: of other diagrams, other "
                "parameters or another shape"
            )
        marks = self._marks.read(self._n_tiles + 1)
        done: NDArray[np.bool_] = np.frombuffer(marks, "S1") == DONE
        if len(done) != self._n_tiles or marks.strip(MISSING + DONE):
            self._refuse(f"{self._journal} is damaged")
        return done

    def _create(self, undo: contextlib.ExitStack) -> FileIO:
        """Start anew; `undo` is told what to take back after an error."""
        self._marks.truncate(0)
        _write_at(self._marks, 0, self._title + MISSING * self._n_tiles)
        os.fsync(self._marks.fileno())
        _sync_folder(self._path.parent)
        data = FileIO(self._partial, "w+")
        undo.callback(self._partial.unlink)
        undo.callback(data.close)
        _write_at(data, 0, self._start)
        data.truncate(self._n_bytes)
        _sync_folder(self._path.parent)
        return data

    def _open_partial(self) -> FileIO:
        data = FileIO(self._partial, "r+")
        if (
            os.fstat(data.fileno()).st_size
            not in {self._n_bytes, self._n_bytes + len(self._title)}
            or data.read(len(self._start)) != self._start
        ):
            data.close()
            self._refuse(f"{self._partial} is damaged")
        return data

    def _refuse(self, why: str) -> NoReturn:
        msg = (
            f"Cannot go on with {self._path}: {why}. Delete {self._partial.name} and "
            f"{self._journal.name} to start anew, or choose another name."
        )
        raise ValueError(msg)


def _open_or_create(path: str, flags: int) -> int:
    return os.open(path, flags | os.O_CREAT, 0o666)


def _lock(file: FileIO) -> None:
    """Take a lock that ends with the process, or raise BlockingIOError."""
    if fcntl is None:
        return
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise
    except OSError:
        # Some network folders know no locks; they can be written to nevertheless.
        return


def _write_at(file: FileIO, position: int, content: bytes) -> None:
    file.seek(position)
    while content:  # an almost full disk takes a part
        content = content[file.write(content) :]


def _sync_folder(folder: Path) -> None:
    """Wait until the names in a folder are on disk, where the system can do that."""
    if fcntl is None:
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    except OSError:
        pass  # a kind of folder that has no such thing
    finally:
        os.close(descriptor)


def _npy_start(shape: tuple[int, int]) -> bytes:
    # Written here, because numpy's own text differs from version to version.
    text = f"{{'descr': '<f8', 'fortran_order': False, 'shape': {shape}, }}"
    room = -(len(NPY_MAGIC) + 2 + len(text) + 1) % ALIGNMENT
    text += " " * room + "\n"
    return NPY_MAGIC + len(text).to_bytes(2, "little") + text.encode()
