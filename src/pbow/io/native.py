"""Diagrams in a file of our own: exact, checked, and readable without loading it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, BinaryIO

import numpy as np

from pbow._utils.files import AnyPath
from pbow.diagrams import Diagrams, check_diagrams
from pbow.errors import format_error
from pbow.io.container import (
    DIAGRAMS,
    Arrays,
    pack,
    read_container,
    read_header,
    write_container,
)

__all__ = ["read_metadata", "read_native", "write_native"]


def write_native(
    X: Any, path: AnyPath, *, metadata: Mapping[str, Any] | None = None
) -> None:
    """Write diagrams to a file of pbow's own, usually named ``*.pbow``.

    :func:`read_native` gives back the same collection to the last bit, with the
    locations of points in the raw data, if there are any. The file is
    safetensors, which other programs read too. Writes are atomic: an interrupted one
    leaves the old file as it was.

    Parameters
    ----------
    X : Diagrams or list of array-like of shape (n_points_i, 2)
        The diagrams.
    path : str or path-like
        The file to make or replace.
    metadata : dict, optional
        Anything else to keep with them, as far as JSON holds it: numbers, strings,
        lists, dicts with strings as keys. :func:`read_metadata` reads it.

    Raises
    ------
    ValueError
        Where the metadata cannot be kept as they are.
    OSError
        Where the file cannot be written.

    See Also
    --------
    read_native : Read the file.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from pbow import Diagrams
    >>> from pbow.io import read_metadata, read_native, write_native
    >>> X = Diagrams.from_list([[[0.0, 1.0], [0.2, 0.9]], []])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "diagrams.pbow"
    ...     write_native(X, path, metadata={"labels": [3, 5]})
    ...     read_native(path) == X, read_metadata(path)
    (True, {'labels': [3, 5]})
    """
    header, arrays = to_arrays(check_diagrams(X))
    extra = {} if metadata is None else _check_metadata(metadata)
    write_container(path, DIAGRAMS, {**header, "metadata": extra}, arrays)


def dump_native(X: Diagrams, file: BinaryIO) -> None:
    """Write diagrams without metadata to a file that is open."""
    header, arrays = to_arrays(X)
    file.writelines(pack(DIAGRAMS, {**header, "metadata": {}}, arrays))


def read_native(path: AnyPath, *, mmap: bool = False) -> Diagrams:
    """Read diagrams from a file that :func:`write_native` wrote.

    Parameters
    ----------
    path : str or path-like
        The file; its name does not matter.
    mmap : bool, default=False
        Leave the points on the disk, and let the system read them as they are used: for
        collections larger than the memory. They are read once to be checked, though
        not compared with the file's checksums. Do not change the file in place while
        it is in use; :func:`write_native` makes a new one, which does no harm.

    Returns
    -------
    X : Diagrams

    Raises
    ------
    FileFormatError
        Where the file is damaged, is no file of diagrams, or was made by a newer pbow.
    OSError
        Where it cannot be read.

    See Also
    --------
    write_native : Write such a file.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from pbow.io import read_native, write_native
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_native([[[0.0, 1.0]], []], Path(folder) / "diagrams.pbow")
    ...     read_native(Path(folder) / "diagrams.pbow")
    Diagrams(n_samples=2, 1 point)
    """
    header, arrays = read_container(path, DIAGRAMS, mmap=mmap)
    with format_error(path):
        return from_arrays(header, arrays)


def read_metadata(path: AnyPath) -> dict[str, Any]:
    """Read the metadata of a file that :func:`write_native` wrote, and no points.

    Parameters
    ----------
    path : str or path-like
        The file.

    Returns
    -------
    metadata : dict
        Empty where there are none.

    Raises
    ------
    FileFormatError
        Where the file is damaged, is no file of diagrams, or was made by a newer pbow.
    OSError
        Where it cannot be read.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from pbow.io import read_metadata, write_native
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "diagrams.pbow"
    ...     write_native([[[0.0, 1.0]]], path, metadata={"units": "mm"})
    ...     read_metadata(path)
    {'units': 'mm'}
    """
    metadata = read_header(path, DIAGRAMS).get("metadata")
    with format_error(path):
        if not isinstance(metadata, dict):
            msg = f"its metadata are {type(metadata).__name__}; expected an object."
            raise ValueError(msg)
    return metadata


def to_arrays(X: Diagrams) -> tuple[dict[str, Any], Arrays]:
    """Return what a header says of a collection, and its arrays by name."""
    arrays: Arrays = {}
    for k, name in enumerate(X.parts):
        arrays[f"points{k}"] = X[name].points
        arrays[f"offsets{k}"] = X[name].offsets
        locations = X[name].locations
        if locations is not None:
            arrays[f"locations{k}"] = locations
    return {"parts": list(X.parts)}, arrays


def from_arrays(header: Mapping[str, Any], arrays: Arrays) -> Diagrams:
    """Return the collection of which :func:`to_arrays` made `header` and `arrays`."""
    parts = header.get("parts")
    if not isinstance(parts, list) or not all(isinstance(name, str) for name in parts):
        msg = "its header has no list of parts."
        raise ValueError(msg)
    expected = {
        f"{what}{k}" for what in ("points", "offsets") for k in range(len(parts))
    }
    optional = {f"locations{k}" for k in range(len(parts))}
    if len(set(parts)) < len(parts) or set(arrays) - optional != expected:
        msg = (
            f"its arrays are not those of {len(parts)} different parts: points0, "
            "offsets0, maybe locations0, and so on."
        )
        raise ValueError(msg)
    return Diagrams.from_parts(
        {
            name: _part(
                arrays[f"points{k}"],
                arrays[f"offsets{k}"],
                arrays.get(f"locations{k}"),
                name,
            )
            for k, name in enumerate(parts)
        }
    )


def _part(points: Any, offsets: Any, locations: Any, name: str) -> Diagrams:
    # In a model, other values may stand where arrays should.
    found = [getattr(a, "dtype", type(a).__name__) for a in (points, offsets)]
    if found != [np.float64, np.int64]:
        msg = (
            f"points and offsets of part {name} are {found[0]} and {found[1]}; "
            "expected arrays of float64 and int64."
        )
        raise ValueError(msg)
    found_too = getattr(locations, "dtype", type(locations).__name__)
    if locations is not None and found_too != np.int64:
        msg = f"locations of part {name} are {found_too}; expected an array of int64."
        raise ValueError(msg)
    # Differences of offsets outside of this range could overflow and look like sizes.
    n_points = points.size // 2
    if ((offsets < 0) | (offsets > n_points)).any():
        msg = f"offsets of part {name} lie outside of 0 to {n_points}, its points."
        raise ValueError(msg)
    return Diagrams(points, offsets, name=name, locations=locations)


def _check_metadata(metadata: Mapping[str, Any]) -> dict[str, Any]:
    try:
        plain = dict(metadata)
        kept = json.loads(json.dumps(plain, allow_nan=False)) == plain
    except (TypeError, ValueError, RecursionError) as error:
        msg = f"Expected metadata that JSON can hold, a dict: {error}."
        raise ValueError(msg) from error
    if not kept:
        msg = (
            "Expected metadata that JSON gives back as they are: lists instead of "
            "tuples, strings as keys."
        )
        raise ValueError(msg)
    return plain
