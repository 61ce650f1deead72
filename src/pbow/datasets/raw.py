"""Raw data from files: point clouds, images, graphs and meshes."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pbow._utils.files import AnyPath
from pbow._utils.optional import import_optional
from pbow._utils.tables import read_table
from pbow.datasets.sources import opened
from pbow.errors import FileFormatError, ParameterError, format_error
from pbow.homology import Graphs, read_mesh
from pbow.io.folders import files_of
from pbow.io.npy import read_npy

__all__ = ["RawData", "find_raw_files", "infer_kind", "read_raw"]

Arrays = list[NDArray[Any]]

# File extensions of each kind of data.
EXTENSIONS = {
    "clouds": (".npy", ".csv", ".txt", ".xyz"),
    "images": (".npy", ".png", ".jpg", ".jpeg", ".tif", ".tiff"),
    "graphs": (".npz", ".csv", ".txt"),
    "meshes": (".off", ".ply"),
}
INTEGER = re.compile(r"[0-9]{1,18}")  # fits 64 bits


@dataclass(frozen=True)
class RawData:
    """Samples from files.

    Attributes
    ----------
    samples : list
        Clouds and images are arrays; graphs are pairs (edges, number of vertices);
        meshes are pairs (vertices, faces).
    names : list of str
        The name of each sample: that of its file. With its folder if files in several
        folders have the same name, and with a number, counted from 0, if a file holds
        several samples: ``clouds.npy:3``.
    """

    samples: list[Any]
    names: list[str]


def read_raw(paths: AnyPath | Iterable[AnyPath], kind: str | None = None) -> RawData:
    r"""Read point clouds, images, graphs or meshes from files and folders.

    Parameters
    ----------
    paths : str, path-like, or iterable of these
        Files, and folders of files. Files of a folder are taken in natural order, 2
        before 10. Subfolders are not searched.
    kind : {"clouds", "images", "graphs", "meshes"}, optional
        What the files hold; inferred from the extensions when unambiguous.

        - clouds: ``.npy`` of shape (n_clouds, n_points, n_coordinates), or one cloud
          per file: ``.npy``, ``.csv``, ``.txt``, ``.xyz``, one point per line.
        - images: ``.npy`` of shape (n_images, h, w) or (n_images, d, h, w), or one
          image per file: ``.npy``, ``.png``, ``.jpg``, ``.tif``. Color images become
          gray by the mean of their channels.
        - graphs: one list of edges per file: ``.txt``, ``.csv``, with two integers per
          line (further columns, as weights, are ignored; a number alone is a vertex
          that may have no edge); or a ``graphs_*.npz`` file of the data sets.
        - meshes: ``.off``, ``.ply``.

    Returns
    -------
    data : RawData
        The samples and their names.

    Raises
    ------
    FileFormatError
        If a file cannot be read.
    ParameterError
        If `kind` is missing and the extensions are ambiguous.
    ImportError
        For ``.png``, ``.jpg`` and ``.tif`` without Pillow, which is in the extra
        ``datasets``.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from pbow.datasets import read_raw
    >>> from pbow.homology import graph_sublevel
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = Path(folder, "path.txt").write_text("1 2\n2 3\n")
    ...     _ = Path(folder, "triangle.txt").write_text("1 2\n2 3\n3 1\n")
    ...     data = read_raw(folder, kind="graphs")
    >>> data.names
    ['path.txt', 'triangle.txt']
    >>> graph_sublevel(data.samples)
    Diagrams(n_samples=2, H0: 3 points (2 essential))
    """
    listed = [paths] if isinstance(paths, (str, os.PathLike)) else paths
    given = [Path(path) for path in listed]
    kind = kind or infer_kind(given)
    samples, origins = [], []
    for file in find_raw_files(given, kind):
        found = READERS[kind](file)
        samples += found
        origins += [file] * len(found)
    return RawData(samples, _names(origins))


def infer_kind(paths: Iterable[Path]) -> str:
    """Return the kind of data for which files and folders have extensions, if only one.

    Otherwise the parameter `kind` is missing.
    """
    every = {extension for known in EXTENSIONS.values() for extension in known}
    found = {file.suffix.lower() for file in _files(paths, every)}
    kinds = [kind for kind, known in EXTENSIONS.items() if found <= {*known}]
    if len(kinds) == 1:
        return kinds[0]
    listed = ", ".join(sorted(found))
    why = f"{listed} files may be {' or '.join(kinds)}"
    if not kinds:
        why = f"no kind of data has files {listed}"
    expected = f"one of {', '.join(EXTENSIONS)}, as {why}"
    raise ParameterError("kind", expected, None)


def find_raw_files(paths: Iterable[Path], kind: str) -> list[Path]:
    """Return the files of a kind of data: files as given, folders in natural order."""
    return _files(paths, EXTENSIONS[kind])


def _files(paths: Iterable[Path], extensions: Iterable[str]) -> list[Path]:
    listed = ", ".join(sorted(extensions))
    files = []
    for path in paths:
        path.stat()  # one that does not exist is reported as such first
        found = files_of(path, [*extensions]) if path.is_dir() else [path]
        if not found:
            folders = sorted(str(one) for one in path.iterdir() if one.is_dir())
            shown = [one for one in folders if Path(one).name[0] not in "._"][:2]
            hint = f" Pass its subfolders, as in {' '.join(shown)}." if shown else ""
            msg = f"The folder {path} has no files {listed}.{hint}"
            raise FileNotFoundError(msg)
        files += found
    for file in files:
        if file.suffix.lower() not in extensions:
            msg = f"expected one of the extensions {listed}."
            raise FileFormatError(file, msg)
    return files


def _names(origins: Sequence[Path]) -> list[str]:
    sizes, done = Counter(origins), Counter[Path]()
    unique = len({file.name for file in sizes}) == len(sizes)
    names = []
    for file in origins:
        name = file.name if unique else file.as_posix()
        names.append(name if sizes[file] == 1 else f"{name}:{done[file]}")
        done[file] += 1
    return names


def _read_clouds(file: Path) -> Arrays:
    if file.suffix.lower() == ".npy":
        shapes = {2: "(points, coordinates)", 3: "(clouds, points, coordinates)"}
        return _unstacked(file, shapes)
    return [_read_table(file)]


def _read_images(file: Path) -> Arrays:
    if file.suffix.lower() == ".npy":
        shapes = {2: "(h, w)", 3: "(images, h, w)", 4: "(images, d, h, w)"}
        return _unstacked(file, shapes)
    return [_read_picture(file)]


def _read_graphs(file: Path) -> list[tuple[NDArray[Any], int]]:
    if file.suffix.lower() != ".npz":
        return list(Graphs.from_list([_read_edges(file)]))
    with opened(file) as source:
        edges = source.read("edges", "iu", 2)
        offsets = source.read("offsets", "iu", 1)
        graphs = Graphs(edges, offsets, source.read("num_nodes", "iu", 1))
    if len(graphs) == 0:
        msg = "it has no graphs; expected at least one."
        raise FileFormatError(file, msg)
    return list(graphs)


def _read_meshes(file: Path) -> list[tuple[NDArray[Any], NDArray[Any]]]:
    vertices, faces = read_mesh(file)
    if len(vertices) == 0:
        msg = "it has no vertices; expected a mesh with at least one."
        raise FileFormatError(file, msg)
    return [(vertices, faces)]


READERS: dict[str, Callable[[Path], list[Any]]] = {
    "clouds": _read_clouds,
    "images": _read_images,
    "graphs": _read_graphs,
    "meshes": _read_meshes,
}


def _unstacked(file: Path, shapes: dict[int, str]) -> Arrays:
    """Return the one item of an array, or each of its items where it has more axes."""
    array = read_npy(file)
    if array.ndim not in shapes or array.size == 0:
        msg = (
            f"it is an array of shape {array.shape}; expected "
            f"{' or '.join(shapes.values())}, and not empty."
        )
        raise FileFormatError(file, msg)
    return [array] if array.ndim == min(shapes) else list(array)


def _read_table(file: Path) -> NDArray[Any]:
    """Return the numbers of a text, one row per line."""
    lines = _lines(file)
    numbers = [number for number, line in enumerate(lines, start=1) if line]
    if not numbers:
        msg = "it has no numbers; expected the coordinates of one point per line."
        raise FileFormatError(file, msg)
    n_columns = len(lines[numbers[0] - 1].split())
    with format_error(file):
        table = read_table("\n".join(lines).encode(), {n_columns})
        missing = np.isnan(table).any(axis=1)
        if missing.any():
            number = numbers[int(missing.argmax())]
            msg = f"line {number} has nan; expected numbers alone."
            raise ValueError(msg)
    return table


def _read_edges(file: Path) -> tuple[NDArray[Any], int]:
    """Return edges between vertices that are counted from 0, and how many these are."""
    ends = []
    for number, line in enumerate(_lines(file), start=1):
        words = line.split()[:2]
        if not all(INTEGER.fullmatch(word) for word in words):
            msg = f"expected two integers on line {number}, got {line[:40]!r}."
            raise FileFormatError(file, msg)
        if words:
            # A vertex alone is an edge to itself, which graphs leave out.
            ends.append([int(words[0]), int(words[-1])])
    if not ends:
        msg = "it has no edges; expected the two ends of one edge per line."
        raise FileFormatError(file, msg)
    vertices, edges = np.unique(np.array(ends), return_inverse=True)
    return edges.reshape(-1, 2), len(vertices)


def _lines(file: Path) -> list[str]:
    """Return the lines of a text, with blanks for commas and without comments.

    A first line that does not begin with a number has the names of columns; it is
    returned as an empty one.
    """
    try:
        text = file.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        msg = "it is not a text file."
        raise FileFormatError(file, msg) from error
    lines = [line.partition("#")[0].strip() for line in text.splitlines()]
    head = next((line for line in lines if line), "")
    if ";" in head:
        msg = (
            "it seems to be separated by semicolons; expected commas or spaces, and "
            "points in numbers, as in 0.5,0.2."
        )
        raise FileFormatError(file, msg)
    if head and not _is_number(head.replace(",", " ").split()[0]):
        lines[lines.index(head)] = ""
        if head.startswith((",", '"",')):
            msg = (
                "its first column has no name, and looks like the row numbers that "
                "pandas saves; save it without them, by index=False."
            )
            raise FileFormatError(file, msg)
    return [line.replace(",", " ") for line in lines]


def _is_number(word: str) -> bool:
    try:
        float(word)
    except ValueError:
        return False
    return True


def _read_picture(file: Path) -> NDArray[Any]:
    """Return the gray values of an image file; of colors, the mean of the channels."""
    pillow = import_optional("PIL.Image", extra="datasets", purpose="Reading images")
    data = file.read_bytes()
    try:
        with pillow.open(BytesIO(data)) as picture:
            # One number per pixel, which in mode P stands for a color.
            if len(picture.getbands()) == 1 and picture.mode != "P":
                return np.asarray(picture)
            gray: NDArray[Any] = np.asarray(picture.convert("RGB")).mean(axis=2)
            return gray
    # Pillow has an error class for each way in which an image can be damaged.
    except Exception as error:
        msg = "it is damaged, or not an image."
        raise FileFormatError(file, msg) from error
