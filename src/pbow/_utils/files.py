"""Atomic writes: a file is the old one or the new one, never something between.

No library that pbow depends on does this, nor finds what a killed process has left.
"""

from __future__ import annotations

import contextlib
import errno
import glob
import os
import secrets
import shutil
import stat
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import BinaryIO

fcntl: ModuleType | None
try:
    import fcntl
except ImportError:  # Windows has no such locks: what was left there stays
    fcntl = None

__all__ = ["AnyPath", "atomic_folder", "atomic_write", "claim", "naming"]

AnyPath = str | os.PathLike[str]


@contextlib.contextmanager
def atomic_write(path: AnyPath, *, new: bool = False) -> Iterator[BinaryIO]:
    """Open a new file that takes the place of `path` once it is complete.

    After an error, `path` is as before and nothing else is left. A killed process
    leaves its draft, named ``.<name>.<random>.tmp``, behind; the next write to `path`
    removes it, where the disk has locks. What is not a regular file (a pipe, a device)
    is written to as it is. Errors of the system name `path`.

    Parameters
    ----------
    path : str or path-like
        The file to make or replace.
    new : bool, default=False
        Whether it must not be there: of several processes one makes it, and the others
        get a FileExistsError.

    Yields
    ------
    file : binary file
        Open for writing.
    """
    target = Path(path).resolve()
    with naming(path):
        mode = _mode_of(target)
        if mode is not None and stat.S_ISDIR(mode):
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
        if mode is not None and not stat.S_ISREG(mode):
            with target.open("wb") as stream:
                yield stream
            return
        draft, file = _open_draft(target)
        with file:
            try:
                yield file
                file.flush()
                os.fsync(file.fileno())
                if fcntl is None:  # Windows moves no file that is open
                    file.close()
                mode = _mode_of(target)
                if mode is not None:
                    draft.chmod(stat.S_IMODE(mode))
                if new:
                    _move_to_new(draft, target)
                else:
                    draft.replace(target)
            except BaseException:
                if fcntl is None:  # nor removes it
                    with contextlib.suppress(OSError):  # again, of a full disk
                        file.close()
                draft.unlink(missing_ok=True)
                raise


def _move_to_new(draft: Path, target: Path) -> None:
    """Move a draft to where no file may be, in one step where the disk has links."""
    try:
        target.hardlink_to(draft)
    except FileExistsError:
        raise
    except OSError:
        target.touch(exist_ok=False)
        draft.replace(target)
    else:
        draft.unlink()


@contextlib.contextmanager
def atomic_folder(path: AnyPath) -> Iterator[Path]:
    """Make an empty folder that takes the place of `path` once it is complete.

    After an error, nothing is left. Drafts that a killed process has left are removed
    as by :func:`atomic_write`.

    Parameters
    ----------
    path : str or path-like
        A folder that is new or empty.

    Yields
    ------
    draft : Path
        Where to write.
    """
    target = Path(path).resolve()
    with naming(path):
        if _mode_of(target) is not None and (
            not target.is_dir() or any(target.iterdir())
        ):
            msg = f"{path} is there already. Pass a folder that is new or empty."
            raise FileExistsError(msg)
        draft = _new_draft(target)
        draft.mkdir()
        with contextlib.ExitStack() as stack:
            if fcntl is not None:
                owner = os.open(draft, os.O_RDONLY)
                stack.callback(os.close, owner)
                _lock(owner)
            try:
                yield draft
                if target.exists():
                    target.rmdir()
                draft.rename(target)
            except BaseException:
                shutil.rmtree(draft, ignore_errors=True)
                raise


@contextlib.contextmanager
def claim(path: AnyPath) -> Iterator[bool]:
    """Say whether this process is the only one that makes `path`, until the end.

    The claim is a lock on ``<path>.lock``, which the system drops when its process
    ends, however it ends. Look for `path` itself after the claim: another process may
    have made it just before. Where there are no locks, everyone has the claim.

    Parameters
    ----------
    path : str or path-like
        What is going to be made.

    Yields
    ------
    is_mine : bool
    """
    if fcntl is None:
        yield True
        return
    lock = Path(f"{os.fspath(path)}.lock")
    while True:
        with lock.open("wb") as file:
            try:
                fcntl.flock(file.fileno(), fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                yield False
                return
            except OSError:  # a disk without locks
                yield True
                return
            if not _is_at(lock, file):  # its owner removed it before it was locked
                continue
            try:
                yield True
            finally:
                lock.unlink(missing_ok=True)
            return


def _is_at(path: Path, file: BinaryIO) -> bool:
    """Return whether an open file is still the one of that name."""
    try:
        return path.stat().st_ino == os.fstat(file.fileno()).st_ino
    except FileNotFoundError:
        return False


@contextlib.contextmanager
def naming(path: AnyPath) -> Iterator[None]:
    """Let errors of the system name `path`: a full disk does not say which file."""
    try:
        yield
    except OSError as error:
        if error.errno is not None and not _names_another(error, path):
            error.filename = os.fspath(path)
        raise


def _names_another(error: OSError, path: AnyPath) -> bool:
    """Whether the error speaks of a file that is neither `path` nor its draft."""
    if error.filename is None:
        return False
    named, target = Path(os.fsdecode(error.filename)), Path(path).resolve()
    is_draft = any(
        piece.startswith(f".{target.name}.") and piece.endswith(".tmp")
        for piece in named.parts
    )
    return not is_draft and named.resolve() != target


def _new_draft(target: Path) -> Path:
    """Return a new name for a draft; remove the drafts of processes that were killed.

    Names are random: a file that was planted under one is never written to.
    """
    name = glob.escape(target.name)
    for old in target.parent.glob(f".{name}.{'[0-9a-f]' * 16}.tmp"):
        _remove_if_abandoned(old)
    return target.with_name(f".{target.name}.{secrets.token_hex(8)}.tmp")


def _open_draft(target: Path) -> tuple[Path, BinaryIO]:
    """Return an empty draft, which is locked as long as the file stays open."""
    while True:
        draft = _new_draft(target)
        file = draft.open("xb")
        _lock(file.fileno())
        # Before it was locked, another process may have removed it as abandoned.
        if draft.exists():
            return draft, file
        file.close()


def _lock(owner: int) -> None:
    """Show that an open draft is in use, until it is closed or the process ends."""
    if fcntl is not None:
        with contextlib.suppress(OSError):  # a disk without locks
            fcntl.flock(owner, fcntl.LOCK_EX)


def _remove_if_abandoned(draft: Path) -> None:
    """Remove the draft of a process that was killed: nobody holds its lock."""
    if fcntl is None:
        return
    with contextlib.suppress(OSError):
        # Some network folders lock only files that are open for writing.
        access = os.O_RDONLY if draft.is_dir() else os.O_RDWR
        owner = os.open(draft, access | os.O_NOFOLLOW)
        try:
            fcntl.flock(owner, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if draft.is_dir():
                shutil.rmtree(draft)
            else:
                draft.unlink()
        finally:
            os.close(owner)


def _mode_of(path: Path) -> int | None:
    # Looked at once: another process may remove it at any moment.
    try:
        return path.stat().st_mode
    except (FileNotFoundError, NotADirectoryError):
        return None
