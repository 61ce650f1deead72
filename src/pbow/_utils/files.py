"""Atomic writes: a file is the old one or the new one, never something between."""

from __future__ import annotations

import contextlib
import errno
import os
import secrets
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

__all__ = ["AnyPath", "atomic_path", "atomic_write"]

AnyPath = str | os.PathLike[str]


@contextlib.contextmanager
def atomic_write(path: AnyPath) -> Iterator[BinaryIO]:
    """Open a new file that takes the place of `path` once it is complete.

    After an error, `path` is as before and nothing else is left. What is not a regular
    file (a pipe, a device) is written to as it is. Errors of the system name `path`.

    Parameters
    ----------
    path : str or path-like
        The file to make or replace.

    Yields
    ------
    file : binary file
        Open for writing.
    """
    if _is_stream(path):
        with naming(path), Path(path).open("wb") as stream:
            yield stream
        return
    with atomic_path(path) as draft, draft.open("r+b") as file:
        yield file
        file.flush()


@contextlib.contextmanager
def atomic_path(path: AnyPath) -> Iterator[Path]:
    """Make an empty draft beside `path` that takes its place once the block ends.

    For libraries that write to a name; otherwise see :func:`atomic_write`. Drafts are
    called ``.<name>.tmp``, and ``.<name>.<random>.tmp`` where two processes write at a
    time. A killed process leaves its draft behind; the next write to `path` takes it
    over.

    Parameters
    ----------
    path : str or path-like
        The file to make or replace; not a pipe or a device.

    Yields
    ------
    draft : Path
        An empty file to write to.
    """
    target = Path(path).resolve()
    with naming(path):
        if target.is_dir():
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
        if _is_stream(target):  # a device must not give way to a file
            raise OSError(errno.EINVAL, "Not a regular file")
        draft, owner = _open_draft(target)
        with owner:
            try:
                yield draft
                os.fsync(owner.fileno())
                mode = _mode_of(target)
                if mode is not None:
                    draft.chmod(stat.S_IMODE(mode))
                draft.replace(target)
            except BaseException:
                draft.unlink(missing_ok=True)
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
    is_draft = named.name.startswith(f".{target.name}.") and named.suffix == ".tmp"
    return not is_draft and named.resolve() != target


def _open_draft(target: Path) -> tuple[Path, BinaryIO]:
    """Make an empty draft that is locked as long as the file stays open.

    It has a fixed name, so that what a killed process left is found without a look at
    the whole folder. Whoever comes while it is in use takes a name of its own.
    """
    draft = target.with_name(f".{target.name}.tmp")
    if fcntl is not None:
        with contextlib.suppress(OSError):
            owner = os.fdopen(
                os.open(draft, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o666), "r+b"
            )
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


def _is_stream(path: AnyPath) -> bool:
    mode = _mode_of(Path(path))
    return mode is not None and not stat.S_ISREG(mode) and not stat.S_ISDIR(mode)


def _mode_of(path: Path) -> int | None:
    # Looked at once: another process may remove it at any moment.
    try:
        return path.stat().st_mode
    except (FileNotFoundError, NotADirectoryError):
        return None
