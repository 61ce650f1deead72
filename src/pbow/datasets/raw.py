"""Raw data from files: point clouds, images, graphs and meshes."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pbow._utils.checks import check_option, is_integer
from pbow._utils.files import AnyPath
from pbow._utils.warn import warn_user
from pbow.datasets.raw_text import Columns, advice, positions, read_edges, read_points
from pbow.errors import FileFormatError, ParameterError, format_error
from pbow.homology import Graphs, read_mesh
from pbow.io.folders import find_input_files
from pbow.io.images import (
    IMAGE_EXTENSIONS,
    read_image_file,
    unstacked,
    warn_of_bit_depths,
)
from pbow.io.labels import labels_of
from pbow.io.npy import read_npy
from pbow.io.npz import Npz, opened
from pbow.io.npz_diagrams import kind_of_arrays

__all__ = ["RawData", "find_raw_files", "infer_kind", "read_raw"]

Arrays = list[NDArray[Any]]

# File extensions of each kind of data.
EXTENSIONS = {
    "clouds": (".npy", ".npz", ".csv", ".txt", ".xyz"),
    "images": IMAGE_EXTENSIONS,
    "graphs": (".npz", ".csv", ".txt"),
    "meshes": (".npz", ".off", ".ply"),
}
CLOUD_SHAPES = {2: "(points, coordinates)", 3: "(clouds, points, coordinates)"}


@dataclass(frozen=True)
class RawData:
    """Samples from files.

    Attributes
    ----------
    samples : list
        Clouds and images are arrays; graphs are pairs (edges, number of vertices);
        meshes are pairs (vertices, faces).
    names : list of str
        The name of each sample: that of its file. With its folder, from the one that
        all are in, if files in several folders have the same name, and with a number,
        counted from 0, if a file holds several samples: ``clouds.npy:3``.
    labels : list of str
        The label of each sample: the one in its ``.npz`` file, if that has labels, or
        else the name of the folder that its file is in.
    """

    samples: list[Any]
    names: list[str]
    labels: list[str]

    def __repr__(self) -> str:
        n_labels = len(set(self.labels))
        return f"RawData(n_samples={len(self.samples)}, n_labels={n_labels})"


def read_raw(
    paths: AnyPath | Iterable[AnyPath],
    kind: str | None = None,
    *,
    columns: Columns | None = None,
) -> RawData:
    r"""Read point clouds, images, graphs or meshes from files and folders.

    Parameters
    ----------
    paths : str, path-like, or iterable of these
        Files, folders of files, and patterns such as ``"scans/*.csv"``. Files of a
        folder are taken in natural order, 2 before 10. A folder without such files
        stands for its subfolders, one per label.
    kind : {"clouds", "images", "graphs", "meshes"}, optional
        What the files hold; inferred from the extensions, and from the names of arrays
        in ``.npz`` files, when unambiguous.

        - clouds: ``.npy`` of shape (n_clouds, n_points, n_coordinates), or one cloud
          per file: ``.npy``, ``.csv``, ``.txt``, ``.xyz``, one point per line; or
          ``.npz`` with an array ``clouds``, or ``points`` and ``offsets``.
        - images: those of :func:`pbow.io.read_images`.
        - graphs: one list of edges per file: ``.txt``, ``.csv``, with two integers per
          line (further columns, as weights, are ignored; a number alone is a vertex
          that may have no edge). They are the columns source and target, from and to,
          src and dst, or u and v, if the first line has these names, or else the first
          two. Or ``.npz`` with arrays ``edges``, ``offsets`` and ``num_nodes``, as
          :class:`pbow.homology.Graphs` has them.
        - meshes: ``.off``, ``.ply``; or ``.npz`` with arrays ``vertices``,
          ``vertex_offsets``, ``faces`` and ``face_offsets``.
    columns : list of int or str, optional
        Columns of clouds that are coordinates, or of edge lists that are the two ends:
        counted from 0, or by their names in the first line of text files. By default
        all coordinates, and the ends as above.

    Returns
    -------
    data : RawData
        The samples, their names and their labels.

    Raises
    ------
    FileFormatError
        If a file cannot be read.
    ParameterError
        If `kind` is missing and the extensions are ambiguous.
    ImportError
        For ``.png``, ``.jpg``, ``.tif`` and ``.bmp`` without Pillow, which is in the
        extra ``datasets``.

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
    check_option("kind", kind, (None, *EXTENSIONS))
    kind = kind or infer_kind(given)
    if columns is not None:
        _check_columns(columns, kind)
    samples, origins, labels = [], [], []
    for file in find_raw_files(given, kind):
        if file.suffix.lower() == ".npz":
            found, named = _read_npz(file, kind, columns)
        else:
            found, named = READERS[kind](file, columns), None
        samples += found
        origins += [file] * len(found)
        labels += named or [file.absolute().parent.name] * len(found)
    if kind == "clouds" and columns is None:
        _warn_of_numbered_points(samples, origins)
    if kind == "images":
        warn_of_bit_depths(zip(samples, origins, strict=True))
    return RawData(samples, _names(origins), labels)


def _check_columns(columns: Columns, kind: str) -> None:
    if kind not in {"clouds", "graphs"}:
        raise ParameterError("columns", f"None, as {kind} have no columns", columns)
    # The characters of a string are none.
    listed = [] if isinstance(columns, str) or not np.iterable(columns) else [*columns]
    valid = all(isinstance(one, str) or is_integer(one, 0) for one in listed)
    if not listed or not valid or len({*listed}) < len(listed):
        expected = 'a list of different names or numbers from 0, as in ["x", "y"]'
        raise ParameterError("columns", expected, columns)
    if kind == "graphs" and len(listed) != 2:
        raise ParameterError("columns", "two, the ends of the edges", columns)


def infer_kind(paths: Iterable[Path]) -> str:
    """Return the kind of data that files and folders hold, if it can be only one.

    Otherwise the parameter `kind` is missing.
    """
    every = {extension for known in EXTENSIONS.values() for extension in known}
    files = find_input_files(paths, every)
    found = {file.suffix.lower() for file in files}
    if found == {".npz"}:
        return _kind_in(files[0])
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
    return find_input_files(paths, EXTENSIONS[kind])


def _kind_in(file: Path) -> str:
    """Return the kind of data in an ``.npz`` file."""
    with opened(file) as source:
        kind = kind_of_arrays(source)
        if kind is None:
            msg = (
                f"it has the arrays {', '.join(source.names)}; expected images, points "
                "and offsets, edges, or vertices and faces, by these names."
            )
            raise ValueError(msg)
        if kind != "points":
            return kind
        _, shape = source.describe("points")
    if shape[1:] != (2,):
        return "clouds"
    why = f"{file} may hold clouds in the plane, or diagrams, which need no homology"
    raise ParameterError("kind", f"clouds, as {why}", None)


def _names(origins: Sequence[Path]) -> list[str]:
    sizes, done = Counter(origins), Counter[Path]()
    unique = len({file.name for file in sizes}) == len(sizes)
    names = []
    # However the files were given, by absolute paths or by relative ones.
    absolute = {file: file.absolute() for file in sizes}
    folder = os.path.commonpath([p.parent for p in absolute.values()])
    for file in origins:
        name = file.name if unique else absolute[file].relative_to(folder).as_posix()
        names.append(name if sizes[file] == 1 else f"{name}:{done[file]}")
        done[file] += 1
    return names


def _read_npz(
    file: Path, kind: str, columns: Columns | None
) -> tuple[list[Any], list[str] | None]:
    """Return the samples of an ``.npz`` file, and their labels if it has these."""
    with opened(file) as source:
        samples = ARCHIVED[kind](file, source)
        if kind == "clouds":
            samples = _select(samples, columns)
        elif columns is not None:
            msg = "the columns of its edges cannot be chosen; leave columns out."
            raise ValueError(msg)
        if not samples:
            msg = f"it has no {kind}; expected at least one."
            raise ValueError(msg)
        labels = labels_of(source)
        if labels is None:
            return samples, None
        if len(labels) != len(samples):
            msg = f"it has {len(labels)} labels for {len(samples)} {kind}."
            raise ValueError(msg)
        return samples, [str(label) for label in labels]


def _archived_clouds(file: Path, source: Npz) -> Arrays:
    if "clouds" in source:
        _, shape = source.describe("clouds")
        array = source.read("clouds", "biuf", len(shape))
        return unstacked(file, array, CLOUD_SHAPES)
    return _cut(source, "points", "offsets", "biuf")


def _archived_images(file: Path, source: Npz) -> Arrays:
    return read_image_file(file)


def _archived_graphs(file: Path, source: Npz) -> list[tuple[NDArray[Any], int]]:
    edges = source.read("edges", "iu", 2)
    offsets = source.read("offsets", "iu", 1)
    return list(Graphs(edges, offsets, source.read("num_nodes", "iu", 1)))


def _archived_meshes(file: Path, source: Npz) -> list[tuple[Any, Any]]:
    vertices = _cut(source, "vertices", "vertex_offsets", "biuf")
    faces = _cut(source, "faces", "face_offsets", "iu")
    return list(zip(vertices, faces, strict=True))


ARCHIVED: dict[str, Callable[[Path, Npz], list[Any]]] = {
    "clouds": _archived_clouds,
    "images": _archived_images,
    "graphs": _archived_graphs,
    "meshes": _archived_meshes,
}


def _cut(source: Npz, rows: str, offsets: str, kinds: str) -> Arrays:
    """Return the rows of each sample, which start at its offset."""
    array, cuts = source.read(rows, kinds, 2), source.read(offsets, "iu", 1).tolist()
    if cuts[:1] != [0] or cuts[-1] != len(array) or sorted(cuts) != cuts:
        msg = f"its {offsets} do not rise from 0 to {len(array)}, the number of {rows}."
        raise ValueError(msg)
    return [array[start:stop] for start, stop in pairwise(cuts)]


def _read_clouds(file: Path, columns: Columns | None) -> Arrays:
    if file.suffix.lower() != ".npy":
        return [read_points(file, columns)]
    with format_error(file):
        return _select(unstacked(file, read_npy(file), CLOUD_SHAPES), columns)


def _select(clouds: Arrays, columns: Columns | None) -> Arrays:
    if columns is None or not clouds:
        return clouds
    chosen = positions(columns, None, clouds[0].shape[1])
    return [cloud[:, chosen] for cloud in clouds]


def _read_images(file: Path, columns: Columns | None) -> Arrays:
    return read_image_file(file)


def _read_graphs(file: Path, columns: Columns | None) -> list[tuple[NDArray[Any], int]]:
    return list(Graphs.from_list([read_edges(file, columns)]))


def _read_meshes(
    file: Path, columns: Columns | None
) -> list[tuple[NDArray[Any], NDArray[Any]]]:
    vertices, faces = read_mesh(file)
    if len(vertices) == 0:
        msg = "it has no vertices; expected a mesh with at least one."
        raise FileFormatError(file, msg)
    return [(vertices, faces)]


READERS: dict[str, Callable[[Path, Columns | None], list[Any]]] = {
    "clouds": _read_clouds,
    "images": _read_images,
    "graphs": _read_graphs,
    "meshes": _read_meshes,
}


def _warn_of_numbered_points(clouds: Arrays, origins: Sequence[Path]) -> None:
    """Warn if a first column counts the points: it would be taken for a coordinate."""
    for cloud, file in zip(clouds, origins, strict=True):
        # A square may be a matrix of distances.
        if cloud.ndim != 2 or not 3 <= cloud.shape[1] < len(cloud):
            continue
        steps = np.arange(len(cloud))
        if any(np.array_equal(cloud[:, 0], steps + start) for start in (0, 1)):
            rest = advice(range(1, cloud.shape[1]))
            msg = (
                f"The first column of {file} counts the points, and is taken for a "
                f"coordinate. If it is none, leave it out: {rest}."
            )
            warn_user(msg)
            return
