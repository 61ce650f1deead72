"""A matrix on disk that is filled tile by tile, and resumed after any interruption.

While ``<path>`` is being computed there are two files beside it: ``<path>.partial``, an
``.npy`` file of full size, and ``<path>.tiles``, an ``.npy`` file with one bool per
tile. A tile is marked as done only after its numbers are on disk, and ``<path>``
appears only when all tiles are done. Behind the numbers of the matrix, where readers
of ``.npy`` files do not look, stands a digest of what was computed.
"""

from __future__ import annotations

import contextlib
import errno
import os
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any, BinaryIO, NoReturn

import numpy as np
from numpy.lib.format import open_memmap, read_array
from numpy.typing import NDArray

from pbow._utils.files import AnyPath, naming
from pbow._utils.unpacking import damage_as_value_error
from pbow.errors import ParameterError

fcntl: ModuleType | None
try:
    import fcntl
except ImportError:  # Windows: two processes may write to the same name
    fcntl = None

__all__ = ["Mark", "Mask", "fill_file", "partial_file"]

Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]
FloatsOnDisk = np.memmap[Any, np.dtype[np.float64]]
MaskOnDisk = np.memmap[Any, np.dtype[np.bool_]]
Mark = Callable[[int, int], None]


def fill_file(
    path: AnyPath,
    shape: tuple[int, int],
    key: str,
    tiles: tuple[int, int],
    fill: Callable[[Floats, Mask, Mark], None],
    seconds_to_flush: float = 5.0,
    dtype: Any = np.float64,
) -> Floats:
    """Return the matrix in a file, as a read-only memory map; compute what is missing.

    `key` is a digest of everything the numbers depend on, and of what the tiles cover;
    `tiles` is the shape of the mask of tiles. ``fill(matrix, done, mark)`` writes the
    tiles that are not done and calls ``mark(row, column)`` after each one; threads may
    share these. If the process is killed, work of `seconds_to_flush` may be lost.

    If the file is this very matrix, nothing is computed. Anything else that is there,
    or a partial file of another matrix, is never overwritten.
    """
    if Path(path).suffix.lower() != ".npy":
        raise ParameterError("out", "the name of a .npy file", os.fspath(path))
    target = Path(path).resolve()
    if not target.parent.is_dir():
        msg = f"There is no folder {target.parent} for {target.name}."
        raise FileNotFoundError(errno.ENOENT, msg)
    title = f"pbow matrix {shape} in tiles {tiles}: {key}\n".encode()
    partial, mask = _beside(target)
    if not _is_finished(target, title):
        with naming(path), _only_writer(mask, target):
            # Another process may have finished it before this one had the lock.
            if not _is_finished(target, title):
                matrix, done = _open(target, title, shape, tiles, dtype)
                with _marking(matrix, done, seconds_to_flush) as mark:
                    fill(matrix, done.copy(), mark)
                del matrix, done, mark  # Windows renames no file that is mapped
                partial.replace(target)
    # Also one that a killed process left. It does no harm where nothing can be removed.
    with contextlib.suppress(OSError):
        mask.unlink()
    return open_memmap(target, mode="r")


def partial_file(path: AnyPath) -> Path:
    """Return where the matrix is while it is being filled."""
    return _beside(Path(path).resolve())[0]


def _beside(target: Path) -> tuple[Path, Path]:
    """Return the names of the partial matrix and of the mask of tiles."""
    partial, mask = (target.with_name(target.name + s) for s in (".partial", ".tiles"))
    return partial, mask


def _is_finished(target: Path, title: bytes) -> bool:
    """Return whether this very matrix is there; raise if anything else is."""
    if target.exists() and not _ends_with(target, title):
        msg = (
            f"{target} exists and is not this matrix, but one of other diagrams or "
            "parameters, or something else. Delete it, or choose another name."
        )
        raise FileExistsError(errno.EEXIST, msg)
    return target.exists()


def _ends_with(path: Path, title: bytes) -> bool:
    if not path.is_file() or path.stat().st_size < len(title):
        return False
    with path.open("rb") as file:
        file.seek(-len(title), os.SEEK_END)
        return file.read() == title


def _open(
    target: Path,
    title: bytes,
    shape: tuple[int, int],
    tiles: tuple[int, int],
    dtype: Any,
) -> tuple[FloatsOnDisk, MaskOnDisk]:
    """Open the matrix and the mask of tiles that are done, or create them."""
    partial, mask = _beside(target)
    if partial.exists() and _is_begun(target, title, tiles):
        return open_memmap(partial, mode="r+"), open_memmap(mask, mode="r+")
    done = open_memmap(mask, mode="w+", dtype=np.bool_, shape=tiles)
    done.flush()
    try:
        matrix = open_memmap(partial, mode="w+", dtype=dtype, shape=shape)
        with partial.open("ab") as file:
            file.write(title)
            file.flush()
            _allocate(file)
    except BaseException:
        partial.unlink(missing_ok=True)
        mask.unlink()
        raise
    return matrix, done


def _is_begun(target: Path, title: bytes, tiles: tuple[int, int]) -> bool:
    """Return whether any tile is done; raise if it is not one of this matrix."""
    partial, mask = _beside(target)
    damaged = f"{mask.name}, which says what is done, is missing or damaged"
    try:
        with mask.open("rb") as file, damage_as_value_error():
            done = read_array(file, allow_pickle=False)
    except ValueError:
        _refuse(target, damaged)
    if done.dtype == np.bool_ and not done.any():
        return False
    if not _ends_with(partial, title):
        _refuse(target, f"{partial.name} is part of another matrix")
    if done.dtype != np.bool_ or done.shape != tiles:
        _refuse(target, damaged)
    return True


def _allocate(file: BinaryIO) -> None:
    """Take all blocks now: a memory map that meets a full disk ends the process."""
    try:
        os.posix_fallocate(file.fileno(), 0, file.tell())
    except AttributeError:  # macOS and Windows
        pass
    except OSError as error:
        if error.errno not in {errno.EOPNOTSUPP, errno.EINVAL}:  # not on this disk
            raise


@contextlib.contextmanager
def _marking(matrix: FloatsOnDisk, done: MaskOnDisk, seconds: float) -> Iterator[Mark]:
    """Give a function that marks a tile as done, on disk after so many seconds."""
    lock = threading.Lock()
    pending: list[tuple[int, int]] = []
    flushed = time.monotonic()

    def flush() -> None:
        nonlocal flushed
        # Taken first: after a flush that failed nobody knows what is on disk.
        marked = np.array(pending, np.intp).reshape(-1, 2)
        pending.clear()
        matrix.flush()
        done[marked[:, 0], marked[:, 1]] = True
        done.flush()
        flushed = time.monotonic()

    def mark(row: int, column: int) -> None:
        with lock:
            pending.append((row, column))
            if time.monotonic() - flushed > seconds:
                flush()

    try:
        yield mark
    finally:
        flush()


@contextlib.contextmanager
def _only_writer(mask: Path, target: Path) -> Iterator[None]:
    """Hold a lock on the mask, made if need be, that ends with the process."""
    with os.fdopen(os.open(mask, os.O_RDWR | os.O_CREAT, 0o666), "r+b") as file:
        try:
            if fcntl is not None:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            is_free = os.fstat(file.fileno()).st_nlink > 0 or target.exists()
        except BlockingIOError:
            is_free = False
        except OSError:  # some network folders know no locks
            is_free = True
        if not is_free:
            msg = (
                f"{target} is being written by another process, or elsewhere in this "
                "one. Wait for its end, or choose another name."
            )
            raise BlockingIOError(errno.EWOULDBLOCK, msg)
        yield


def _refuse(target: Path, why: str) -> NoReturn:
    msg = (
        f"Cannot go on with {target}: {why}. Delete {target.name}.partial and "
        f"{target.name}.tiles to start anew, or choose another name."
    )
    raise ValueError(msg)
