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
except ImportError:  # Windows has no such locks: every draft has a name of its own
    fcntl = None

__all__ = ["AnyPath", "atomic_folder", "atomic_write", "naming"]

AnyPath = str | os.PathLike[str]


@contextlib.contextmanager
def atomic_write(path: AnyPath) -> Iterator[BinaryIO]:
    """Open a new file that takes the place of `path` once it is complete.

    After an error, `path` is as before and nothing else is left. A killed process
    leaves its draft ``.<name>.tmp`` behind; the next write to `path` takes it over.
    What is not a regular file (a pipe, a device) is written to as it is. Errors of the
    system name `path`.

    Parameters
    ----------
    path : str or path-like
        The file to make or replace.

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
                mode = _mode_of(target)
                if mode is not None:
                    draft.chmod(stat.S_IMODE(mode))
                draft.replace(target)
            except BaseException:
                draft.unlink(missing_ok=True)
                raise


@contextlib.contextmanager
def atomic_folder(path: AnyPath) -> Iterator[Path]:
    """Make an empty folder that takes the place of `path` once it is complete.

    After an error, nothing is left. A killed process leaves its draft, named
    ``.<name>.<random>.tmp``, behind; the next write to `path` removes it.

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
        for old in target.parent.glob(f".{glob.escape(target.name)}.*.tmp"):
            _remove_if_abandoned(old)
        draft = target.with_name(f".{target.name}.{secrets.token_hex(8)}.tmp")
        draft.mkdir()
        with contextlib.ExitStack() as stack:
            if fcntl is not None:
                owner = os.open(draft, os.O_RDONLY)
                stack.callback(os.close, owner)
                with contextlib.suppress(OSError):  # a disk without locks
                    fcntl.flock(owner, fcntl.LOCK_EX)
            try:
                yield draft
                if target.exists():
                    target.rmdir()
                draft.rename(target)
            except BaseException:
                shutil.rmtree(draft, ignore_errors=True)
                raise


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


def _open_draft(target: Path) -> tuple[Path, BinaryIO]:
    """Return an empty draft, which is locked as long as the file stays open.

    It has a fixed name, so that what a killed process left is found without a look at
    the whole folder. Whoever comes while it is in use takes a name of its own.
    """
    draft = target.with_name(f".{target.name}.tmp")
    if fcntl is not None:
        with contextlib.suppress(OSError):
            flags = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW
            owner = os.fdopen(os.open(draft, flags, 0o666), "r+b")
            try:
                fcntl.flock(owner, fcntl.LOCK_EX | fcntl.LOCK_NB)
                # Before it was locked, its last owner may have moved it to its place.
                if os.path.samestat(os.fstat(owner.fileno()), draft.lstat()):
                    owner.truncate()
                    return draft, owner
            except OSError:
                owner.close()
                raise
            owner.close()
    draft = target.with_name(f".{target.name}.{secrets.token_hex(8)}.tmp")
    return draft, draft.open("xb")


def _remove_if_abandoned(draft: Path) -> None:
    """Remove the folder of a process that was killed: nobody holds its lock."""
    if fcntl is None:
        return
    with contextlib.suppress(OSError):
        owner = os.open(draft, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
        try:
            fcntl.flock(owner, fcntl.LOCK_EX | fcntl.LOCK_NB)
            shutil.rmtree(draft)
        finally:
            os.close(owner)


def _mode_of(path: Path) -> int | None:
    # Looked at once: another process may remove it at any moment.
    try:
        return path.stat().st_mode
    except (FileNotFoundError, NotADirectoryError):
        return None
