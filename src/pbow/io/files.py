"""Read and write diagrams in files of any format, folders and lists of files."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Sequence
from glob import has_magic
from pathlib import Path
from typing import Any

from pbow._utils.checks import check_option
from pbow._utils.files import AnyPath, atomic_write
from pbow._utils.warn import warn_user
from pbow.diagrams import Diagrams, check_diagrams
from pbow.errors import FileFormatError, ParameterError, of_part
from pbow.io.folders import (
    PERSEUS_FILE,
    files_of,
    matches,
    read_perseus_files,
    read_samples,
    write_folder,
)
from pbow.io.formats import EXTENSIONS, FORMATS
from pbow.io.text import may_be_edges, text_format

__all__ = ["read_diagrams", "write_diagrams"]

# Names of files that may be one dimension of a sample.
PART_FILE = re.compile(r".+[-_.]h[0-9]+\.[a-z]+", re.IGNORECASE)
# Extensions of what diagrams are computed from.
RAW = (".bmp", ".png", ".jpg", ".jpeg", ".tif", ".tiff", ".off", ".ply", ".xyz")


def read_diagrams(
    path: AnyPath | Iterable[AnyPath], format: str | None = None, *, name: str = ""
) -> Diagrams:
    """Read persistence diagrams from a file, a folder or a list of files.

    Parameters
    ----------
    path : str, path-like, or iterable of these
        A file; several files, whose samples follow one another; a pattern such as
        ``"diagrams/*.txt"``; or a folder. Files of a pattern or a folder are read in
        natural order (2 before 10). Hidden files of a folder and those that begin with
        ``_`` are ignored, and subfolders are not searched.
    format : {"pbow", "csv", "parquet", "arrow", "npz", "pers", "hera", ...}
        By default inferred from the first bytes, the file extension, or the first
        line: text files of two columns, birth and death, are read as Hera's. Perseus
        must be named, and text files with other columns.
    name : str, default=""
        Name of the part where a file does not say the dimension: Hera's do not, nor do
        ``.pers`` files with two columns and files without points. By default such a
        part has no name, as that of a list.

    Returns
    -------
    X : Diagrams
        pbow, csv, parquet and arrow have all samples in one file. The others have one
        file per sample, and Perseus one per dimension of a sample: ``a_0.txt`` and
        ``a_1.txt`` are one sample, for which the prefix ``a`` may be passed.

    Raises
    ------
    FileFormatError
        If a file is damaged, or not of this format.
    ImportError
        For Parquet and Arrow without pyarrow, which is in the extra ``arrow``.
    OSError
        If a file cannot be opened.

    See Also
    --------
    write_diagrams : Write such files.
    pbow.io.read_native : pbow's own file without loading its points.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from pbow.io import read_diagrams
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "first.pers")
    ...     _ = path.write_bytes(b"0 0.0 0.5 # dimension, birth, death")
    ...     read_diagrams(path)
    Diagrams(n_samples=1, H0: 1 point)
    """
    if format is not None:
        check_option("format", format, FORMATS)
    given = [path] if isinstance(path, (str, os.PathLike)) else list(path)
    if not given:
        msg = "Expected a file, a folder or at least one file in a list; got []."
        raise ValueError(msg)
    if format == "perseus":
        return read_perseus_files([Path(one) for one in given])
    paths = [file for one in given for file in files_at(Path(one), format)]
    known = FORMATS[format or _common_format(paths)]
    if known.holds == "collection":
        given_name = () if known.says_part else (name,)
        X = Diagrams.concatenate([known.read(p, *given_name) for p in paths])
        if X.parts != ("",):
            return X
        return Diagrams(X.points, X.offsets, name=name, locations=X.locations)
    return read_samples(paths, known.read, name)


def write_diagrams(X: Any, path: AnyPath, format: str | None = None) -> None:
    """Write persistence diagrams to a file, or to a folder with one file per sample.

    Writes are atomic: a file or folder gets its name when it is complete. Only pbow's
    own format stores locations of points in the raw data; others leave them out, with a
    warning.

    Parameters
    ----------
    X : Diagrams or list of array-like of shape (n_points_i, 2)
        The diagrams.
    path : str or path-like
        A file to make or replace. For pers, hera and dipha, which have one file per
        sample, a folder that is new or empty, unless there is one sample and `path`
        has an extension; for perseus always a folder.
    format : {"pbow", "csv", "parquet", "arrow", "npz", "pers", "hera", ...}
        By default inferred from the file extension.

    Raises
    ------
    ValueError
        If the format cannot hold these diagrams.
    FileExistsError
        If the folder is not empty.
    ImportError
        For Parquet and Arrow without pyarrow, which is in the extra ``arrow``.
    OSError
        If it cannot be written.

    See Also
    --------
    read_diagrams : Read such files.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from pbow.io import read_diagrams, write_diagrams
    >>> X = {"H1": [[[0.0, 1.0], [0.25, 0.5]], []]}
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_diagrams(X, Path(folder, "two.csv"))
    ...     print(Path(folder, "two.csv").read_text())
    ...     read_diagrams(Path(folder, "two.csv"))
    sample,part,birth,death
    0,H1,0.0,1.0
    0,H1,0.25,0.5
    1,H1,,
    <BLANKLINE>
    Diagrams(n_samples=2, H1: 2 points)
    """
    X = check_diagrams(X)
    target = Path(path)
    if format is not None:
        check_option("format", format, FORMATS)
    kind = format or _format_by_name(target)
    known = FORMATS[kind]
    if known.write is None:
        writable = ", ".join(name for name, one in FORMATS.items() if one.write)
        msg = f"The format {kind} is only read; pbow writes {writable}."
        raise ValueError(msg)
    located = [part for part in X.parts if X[part].locations is not None]
    if located and not known.has_locations:
        msg = (
            f"Files of the format {kind} have no room for locations: where the points"
            f"{of_part(', '.join(located))} are in the raw data is lost. To keep it, "
            "write a .pbow file."
        )
        warn_user(msg)
    has_folder = known.holds == "diagram" or target.is_dir() or not target.suffix
    if known.holds != "collection" and has_folder:
        write_folder(X, target, kind)
    elif known.holds == "collection" or len(X) == 1:
        with atomic_write(target) as file:
            known.write(X, file)
    else:
        msg = (
            f"A file of the format {kind} holds one sample, and there are {len(X)}. "
            f"Pass a folder, as in '{target.with_suffix('')}', or another format."
        )
        raise ValueError(msg)


def files_at(path: Path, format: str | None) -> list[Path]:
    """Return a file as it is, and the files of a pattern or folder that may fit."""
    if has_magic(os.fspath(path)) and not path.exists():
        return matches(path)
    if not path.is_dir():
        return [path]
    files = files_of(path, FORMATS[format].extensions if format else ())
    if not files:
        what = f"files of the format {format}" if format else "files"
        msg = f"The folder {path} has no {what}."
        if any(one.is_dir() for one in path.iterdir()):
            msg += (
                " Subfolders are not searched: name one of them. Of raw data, compute "
                "the diagrams first, as pbow homology does."
            )
        raise FileNotFoundError(msg)
    return files


def _common_format(paths: Sequence[Path]) -> str:
    # An empty file among others is an empty diagram.
    with_bytes = [path for path in paths if path.stat().st_size > 0]
    kinds = {format_of(path): path for path in with_bytes or paths}
    if len(kinds) > 1:
        listed = ", ".join(f"{path} is {kind}" for kind, path in kinds.items())
        msg = f"Expected files of one format; {listed}. Read them one by one."
        raise ValueError(msg)
    return next(iter(kinds))


def format_of(path: Path) -> str:
    """Return the format of a file, by its first bytes, its extension or first line."""
    with path.open("rb") as file:
        start = file.read(1 << 12)
    for kind, known in FORMATS.items():
        if known.begins(start):
            return kind
    # Any table has the extension .csv.
    if EXTENSIONS.get(path.suffix.lower(), "csv") == "csv" and b"\0" not in start:
        found = text_format(start)
        if found == "hera" and PART_FILE.fullmatch(path.name):
            expected = (
                f"hera, if {path} and the like are one sample each; it may also be one "
                "dimension of a sample. Read the files of each dimension by themselves "
                "and join them: Diagrams.from_parts({'H0': ..., 'H1': ...})"
            )
            raise ParameterError("format", expected, None)
        if found == "hera" and PERSEUS_FILE.fullmatch(path.name):
            expected = (
                f"hera, if {path} and the like are one sample each, or perseus, if "
                "their last numbers are the dimensions of one sample"
            )
            raise ParameterError("format", expected, None)
        if found == "hera" and may_be_edges(start):
            expected = (
                f"hera, if the lines of {path} are birth and death; they may also be "
                "edges of a graph, whose diagrams pbow homology computes"
            )
            raise ParameterError("format", expected, None)
        if found is not None:
            return found
    if path.suffix.lower() in RAW:
        msg = (
            "it is not a file of diagrams. If it holds raw data, compute the diagrams "
            "first, as pbow homology does."
        )
        raise FileFormatError(path, msg)
    return _format_by_name(path)


def _format_by_name(path: Path) -> str:
    kind = EXTENSIONS.get(path.suffix.lower())
    if kind is None:
        expected = (
            f"one of {', '.join(FORMATS)}, as that of {path} cannot be inferred from "
            f"its content or extension ({', '.join(EXTENSIONS)} are known)"
        )
        raise ParameterError("format", expected, None)
    return kind
