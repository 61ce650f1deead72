"""What converters make, and how it gets into a file."""

from __future__ import annotations

import errno
import hashlib
import json
import os
from collections.abc import Mapping
from importlib.metadata import version
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pbow._utils.files import atomic_write
from pbow.datasets.importing.release import Release, printable

__all__ = ["Converted", "check_writable", "write_npz"]

# Of more files, a single digest over all of them is kept.
MOST_SUMS = 20


class Converted(NamedTuple):
    """Arrays for one ``.npz`` file.

    stem : name of the file, without the extension.
    arrays : by name, in one of the layouts of the guide "Importing".
    done : what was done to the release, in a sentence.
    """

    stem: str
    arrays: Mapping[str, NDArray[Any]]
    done: str


def write_npz(
    folder: Path, converted: Converted, dataset: str, release: Release
) -> Path:
    """Write arrays and where they are from; the file appears when it is complete.

    The same content gives the same bytes. The file of an earlier import is replaced.
    """
    record = {
        "dataset": dataset,
        "source": release.path.name,
        "files": _sums(release),
        "done": converted.done,
        "pbow": version("pbow"),
    }
    content: dict[str, Any] = dict(converted.arrays)
    content["provenance"] = np.array(json.dumps(record))
    path = folder / f"{converted.stem}.npz"
    folder.mkdir(parents=True, exist_ok=True)
    with atomic_write(path) as file:
        np.savez_compressed(file, **content)
    return path


def check_writable(folder: Path) -> None:
    """Raise an OSError if `folder` cannot be made or written to; leave no trace."""
    places = (folder, *folder.absolute().parents)
    there = next(place for place in places if place.exists())
    if not there.is_dir():
        msg = f"Expected a folder to write to; {there} is a file."
        raise NotADirectoryError(printable(msg))
    if not os.access(there, os.W_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(folder))


def _sums(release: Release) -> dict[str, Any]:
    if len(release.sums) <= MOST_SUMS:
        return {"sha256": release.sums}
    listed = "".join(f"{name} {release.sums[name]}\n" for name in sorted(release.sums))
    total = hashlib.sha256(listed.encode("utf-8", "surrogateescape")).hexdigest()
    return {"count": len(release.sums), "sha256": total}
