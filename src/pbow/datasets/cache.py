"""Diagrams that were computed once: a folder of files named after their making.

A name is a digest of what decides the content: the source's own digest, the recipe with
its parameters and version, and the versions of gudhi, where it is used, of pbow and of
the file format. So a file is not stale, and needs no lock: whoever else writes it
writes the same. Files appear by renaming complete ones, so a killed process leaves none
that is broken.
"""

from __future__ import annotations

import hashlib
import json
import os
import sys
from collections.abc import Callable, Mapping
from contextlib import suppress
from importlib.metadata import version
from pathlib import Path
from typing import Any

from pbow._utils.files import AnyPath
from pbow._utils.warn import warn_user
from pbow.diagrams import Diagrams
from pbow.errors import FileFormatError
from pbow.io.container import DIAGRAMS, VERSIONS
from pbow.io.native import read_metadata, read_native, write_native

__all__ = ["cache_folder", "cached", "expanded", "imported_folder"]


def cache_folder() -> Path:
    """Return the folder that pbow keeps files in which it can make again.

    It is the one that the variable PBOW_CACHE names, else the folder ``pbow`` in the
    user's cache folder of the system. It need not exist.
    """
    chosen = os.environ.get("PBOW_CACHE")
    if chosen:
        return expanded(chosen, "PBOW_CACHE").absolute()
    if sys.platform == "win32":
        local = os.environ.get("LOCALAPPDATA")
        return (Path(local) if local else _home() / "AppData" / "Local") / "pbow"
    if sys.platform == "darwin":
        return _home() / "Library" / "Caches" / "pbow"
    given = os.environ.get("XDG_CACHE_HOME", "")
    # Where it is relative, its specification says to ignore it.
    return (Path(given) if Path(given).is_absolute() else _home() / ".cache") / "pbow"


def expanded(path: AnyPath, name: str) -> Path:
    """Return a path whose ``~`` is a home folder; `name` is what it was given as."""
    try:
        return Path(path).expanduser()
    except RuntimeError as error:
        msg = (
            f"{name}={os.fspath(path)} is in the home folder of a user who is not "
            "known here. Write the folder in full."
        )
        raise ValueError(msg) from error


def _home() -> Path:
    try:
        return Path.home()
    except RuntimeError as error:
        msg = (
            "There is no home folder to keep files in. Set PBOW_CACHE to a folder that "
            "can be written to."
        )
        raise ValueError(msg) from error


def imported_folder() -> Path:
    """Return the folder of data sets that were imported."""
    return cache_folder() / "imported"


def cached(
    stem: str, making: Mapping[str, Any], make: Callable[[], Diagrams]
) -> Diagrams:
    """Return what `make` returns, from a file where it was made before.

    The file's name starts with `stem`, for people who look into the folder; `making` is
    all that decides what is made, as far as JSON holds it. A file that is damaged is
    made anew. Where none can be written, a warning says so.
    """
    key = {**making, "pbow": version("pbow"), "format": VERSIONS[DIAGRAMS]}
    text = json.dumps(key, sort_keys=True, allow_nan=False)
    digest = hashlib.sha256(text.encode()).hexdigest()
    path = cache_folder() / "diagrams" / f"{stem}-{digest[:24]}.pbow"
    # Whatever is wrong with a file in the cache, there is a remedy.
    with suppress(OSError, FileFormatError):
        if read_metadata(path) == key:
            return read_native(path)
    X = make()
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_native(X, path, metadata=key)
    except OSError as error:
        msg = (
            f"The diagrams of {stem} could not be kept in {path.parent}: "
            f"{error.strerror or error}. They will be computed again the next time. "
            "Set PBOW_CACHE to a folder that can be written to."
        )
        warn_user(msg, RuntimeWarning)
    return X
