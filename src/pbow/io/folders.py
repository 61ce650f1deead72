"""Formats that have one file per sample: lists of files, and folders."""

from __future__ import annotations

import glob
import os
import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from pbow._utils.files import atomic_folder
from pbow._utils.text import natural_key
from pbow.diagrams import Diagrams
from pbow.errors import FileFormatError, format_error
from pbow.io.dimensions import dimensions_of
from pbow.io.formats import FORMATS

__all__ = [
    "files_of",
    "find_input_files",
    "matches",
    "read_perseus_files",
    "read_samples",
    "write_folder",
]

Floats = NDArray[np.float64]
Sample = Mapping[int | None, Floats]
Samples = Sample | list[Sample]

PERSEUS_FILE = re.compile(r"(.+)_(0|[1-9][0-9]{0,2})\.txt")


def files_of(folder: Path, extensions: Collection[str] = ()) -> list[Path]:
    """Return the files of a folder in natural order, in which 2 comes before 10.

    Those that begin with ``.`` or ``_`` are ignored, and those of other `extensions`
    (in lower case), if any are given.
    """
    return [
        file
        for file in sorted(folder.iterdir(), key=lambda path: natural_key(path.name))
        if not file.name.startswith((".", "_"))
        and (not extensions or file.suffix.lower() in extensions)
        and file.is_file()
    ]


def find_input_files(paths: Iterable[Path], extensions: Collection[str]) -> list[Path]:
    """Return the files that paths stand for: files, folders and patterns.

    Files of a folder or a pattern come in natural order. A folder that has no file of
    these `extensions` (in lower case) stands for its subfolders; these are not searched
    any further.
    """
    listed = ", ".join(sorted(extensions))
    files = []
    for path in paths:
        if glob.has_magic(os.fspath(path)) and not path.exists():
            files += matches(path, extensions)
            continue
        path.stat()  # one that does not exist is reported as such first
        found = files_of(path, extensions) if path.is_dir() else [path]
        for folder in [] if found else _subfolders(path):
            found += files_of(folder, extensions)
        if not found:
            msg = f"The folder {path} has no files {listed}, nor have its subfolders."
            raise FileNotFoundError(msg)
        files += found
    for file in files:
        if file.suffix.lower() not in extensions:
            msg = f"expected one of the extensions {listed}."
            raise FileFormatError(file, msg)
    return files


def read_samples(
    paths: Sequence[Path], read: Callable[[Path], Samples], name: str
) -> Diagrams:
    """Read one file per sample by the reader of a format that holds one, or some.

    `name` is that of the part where files do not say the dimension.
    """
    samples: list[Sample] = []
    origins: list[Path] = []
    for path in paths:
        found = read(path)
        for one in found if isinstance(found, list) else [found]:
            _check_sample(path, one, name)
            samples.append(one)
            origins.append(path)
    return _join(origins, samples, name)


def read_perseus_files(given: Sequence[Path]) -> Diagrams:
    """Read files of Perseus, which has one per sample and dimension.

    Files, folders, and prefixes of files (what comes before ``_0.txt``) may be given.
    """
    samples: dict[Path, dict[int | None, Floats]] = {}
    for path in [file for one in given for file in _perseus_files(one)]:
        match = PERSEUS_FILE.fullmatch(path.name)
        if match is None:
            msg = (
                "it is not named as Perseus names diagrams: its output, then _0, _1, "
                "... for the dimension, and .txt."
            )
            raise FileFormatError(path, msg)
        sample, dim = samples.setdefault(path.with_name(match[1]), {}), int(match[2])
        if dim in sample:
            msg = f"{path} was given twice."
            raise ValueError(msg)
        sample[dim] = FORMATS["perseus"].read(path)
        _check_sample(path, sample, "")
    return _join(list(samples), list(samples.values()), "")


def write_folder(X: Diagrams, folder: Path, kind: str) -> None:
    """Write one file per sample into a new or empty folder, by an atomic write."""
    if len(X) == 0:
        msg = f"The format {kind} has one file per sample, and there is no sample."
        raise ValueError(msg)
    n_digits = len(str(len(X) - 1))
    with atomic_folder(folder) as draft:
        for i in range(len(X)):
            _write_sample(X[i : i + 1], draft / f"{i:0{n_digits}}", kind)


def _subfolders(folder: Path) -> list[Path]:
    found = (path for path in folder.iterdir() if not path.name.startswith((".", "_")))
    return sorted(filter(Path.is_dir, found), key=lambda path: natural_key(path.name))


def matches(pattern: Path, extensions: Collection[str] = ()) -> list[Path]:
    """Return the files that match a pattern in natural order, of some extensions."""
    names = glob.iglob(os.fspath(pattern), recursive=True)  # noqa: PTH207
    found = [
        path
        for path in map(Path, names)
        if path.is_file() and (not extensions or path.suffix.lower() in extensions)
    ]
    if not found:
        listed = "".join(f" {one}" for one in sorted(extensions))
        msg = f"No file{listed} matches the pattern {pattern}."
        raise FileNotFoundError(msg)
    return sorted(found, key=lambda path: natural_key(path.as_posix()))


def _check_sample(path: Path, diagrams: Sample, name: str) -> None:
    """Check points while it is known which file they come from."""
    with format_error(path):
        for dim, points in diagrams.items():
            Diagrams(points, [0, len(points)], name=name if dim is None else f"H{dim}")


def _join(paths: Sequence[Path], samples: Sequence[Sample], name: str) -> Diagrams:
    dims = {dim: path for path, one in zip(paths, samples, strict=True) for dim in one}
    if None in dims and len(dims) > 1:
        other = next(path for dim, path in dims.items() if dim is not None)
        msg = (
            f"it has no dimensions, and {other} has. Read them one by one, and name "
            "the part of those that have none."
        )
        raise FileFormatError(dims[None], msg)
    numbered = sorted(dim for dim in dims if dim is not None)
    parts: dict[str, int | None] = {name: None}
    if numbered:
        parts = {f"H{dim}": dim for dim in numbered}
    nothing = np.empty((0, 2))
    return Diagrams.from_parts(
        {
            part: [one.get(dim, nothing) for one in samples]
            for part, dim in parts.items()
        }
    )


def _perseus_files(path: Path) -> list[Path]:
    """Return the files of a folder or with a prefix that are diagrams of Perseus."""
    if path.is_file():
        return [path]
    folder, prefix = (path, None) if path.is_dir() else (path.parent, path.name)
    matches = {file: PERSEUS_FILE.fullmatch(file.name) for file in files_of(folder)}
    files = [f for f, m in matches.items() if m and prefix in {None, m[1]}]
    if not files:
        msg = f"There is no file {path}{'_0.txt' if prefix else '/*_0.txt'}, nor _1."
        raise FileNotFoundError(msg)
    return files


def _write_sample(X: Diagrams, stem: Path, kind: str) -> None:
    known = FORMATS[kind]
    assert known.write is not None
    if known.holds == "sample":
        extension = known.extensions[0] if known.extensions else ".txt"
        with stem.with_suffix(extension).open("xb") as file:
            known.write(X, file)
        return
    for name, dim in dimensions_of(X, kind.capitalize()).items():
        with stem.with_name(f"{stem.name}_{dim}.txt").open("xb") as file:
            known.write(X[name].points, file)
