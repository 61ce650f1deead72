"""Raw data from files: point clouds, images, graphs and meshes."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from pbow.cli.inputs import load_array

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Arrays = list[NDArray[Any]]

__all__ = [
    "KINDS",
    "check_coordinates",
    "ending_of",
    "find_files",
    "guess_kind",
    "read_all",
    "read_clouds",
    "read_graphs",
    "read_images",
    "read_meshes",
    "sample_names",
]

Sample = TypeVar("Sample")

PICTURES = (".png", ".jpg", ".jpeg", ".tif", ".tiff")
# How files of each kind end.
KINDS = {
    "clouds": (".npy", ".csv", ".txt", ".xyz"),
    "images": (".npy", *PICTURES),
    "graphs": (".npz", ".csv", ".txt"),
    "meshes": (".off", ".ply"),
}
# How they begin that do not end as most of their kind do.
FIRST_BYTES = {b"\x93NUMPY": ".npy", b"PK": ".npz"}
USUAL = {"clouds": ".csv", "images": ".png", "graphs": ".csv", "meshes": ".off"}
# Modes of Pillow with one number a pixel; all others have colours.
GREY_MODES = {"1", "L", "I", "F", "I;16", "I;16L", "I;16B", "I;16N"}
BETWEEN_NUMBERS = re.compile(r"\s*,\s*|\s+")


def guess_kind(inputs: Sequence[Path]) -> str:
    """Return the kind of data by the endings of files, or ask where several fit."""
    every = tuple({ending for endings in KINDS.values() for ending in endings})
    endings = {file.suffix.lower() for file in find_files(inputs, every)}
    kinds = [kind for kind, known in KINDS.items() if endings <= {*known}]
    if len(kinds) == 1:
        return kinds[0]
    listed = ", ".join(sorted(endings))
    what = f"may be {' or '.join(kinds)}" if kinds else "are not of one kind"
    msg = f"Files {listed} {what}. Say by --kind what to read."
    raise ValueError(msg)


def ending_of(kind: str, data: bytes) -> str:
    """Return how the name of a file of this kind with this content should end."""
    for first_bytes, ending in FIRST_BYTES.items():
        if data.startswith(first_bytes) and ending in KINDS[kind]:
            return ending
    return USUAL[kind]


def find_files(inputs: Sequence[Path], endings: Sequence[str]) -> list[Path]:
    """Return files as they are, and those of folders that end so, in natural order."""
    from pbow.io.folders import files_of  # noqa: PLC0415

    files = []
    for path in inputs:
        path.stat()  # one that is not there is told as such, however it ends
        found = files_of(path, endings) if path.is_dir() else [path]
        if not found:
            hint = ""
            if folders := _folders_of(path):
                hint = f", but folders; name those to read, as in {folders}"
            msg = f"The folder {path} has no files {', '.join(sorted(endings))}{hint}."
            raise FileNotFoundError(msg)
        files += found
    for file in files:
        if file.suffix.lower() not in endings:
            msg = f"Expected files {', '.join(sorted(endings))}; got {file}."
            raise ValueError(msg)
    return files


def _folders_of(path: Path) -> str:
    """Return the first two folders in a folder, as they would be named here."""
    folders = [one for one in path.iterdir() if one.is_dir()]
    shown = sorted(str(one) for one in folders if not one.name.startswith((".", "_")))
    return " ".join(shown[:2])


def read_all(
    read: Callable[[Path], Sequence[Sample]], files: Sequence[Path]
) -> tuple[list[Sample], list[Path]]:
    """Return the samples of all files, and for each one the file it comes from."""
    samples: list[Sample] = []
    origins = []
    for file in files:
        found = read(file)
        samples += found
        origins += [file] * len(found)
    return samples, origins


def sample_names(origins: Sequence[Path]) -> list[str]:
    """Return a name for each sample: that of its file.

    With folders where files of several have the same name, and with a number, from 0
    on, where a file has several samples.
    """
    sizes, done = Counter(origins), Counter[Path]()
    alone = len({file.name for file in sizes}) == len(sizes)
    names = []
    for file in origins:
        name = file.name if alone else file.as_posix()
        on_a_line = name.encode(errors="ignore").decode().replace("\n", " ").strip()
        if name != on_a_line:
            msg = f"The name {name!r} cannot stand on a line of a text. Rename it."
            raise ValueError(msg)
        names.append(name if sizes[file] == 1 else f"{name}:{done[file]}")
        done[file] += 1
    return names


def read_clouds(file: Path) -> Arrays:
    """Read the cloud of a file, or several from an array with three axes."""
    if file.suffix.lower() == ".npy":
        shapes = {2: "(points, coordinates)", 3: "(clouds, points, coordinates)"}
        return _unstacked(file, shapes)
    return [_read_table(file)]


def check_coordinates(clouds: Arrays, origins: Sequence[Path]) -> None:
    """Raise if points of one cloud have more coordinates than those of another."""
    first = clouds[0].shape[1]
    for cloud, file in zip(clouds, origins, strict=True):
        if cloud.shape[1] != first:
            msg = (
                "Expected all points to have the same number of coordinates; those of "
                f"{origins[0]} have {first}, and those of {file} {cloud.shape[1]}."
            )
            raise ValueError(msg)


def read_images(file: Path) -> Arrays:
    """Read the image of a file, or several from an array with three axes or four.

    Four are images in space.
    """
    if file.suffix.lower() == ".npy":
        shapes = {2: "(h, w)", 3: "(images, h, w)", 4: "(images, d, h, w)"}
        return _unstacked(file, shapes)
    return [_read_picture(file)]


def read_graphs(file: Path) -> list[tuple[NDArray[Any], int]]:
    """Read the graph of a list of edges, or all those of a ``.npz`` file.

    A line has the two ends of an edge, whole numbers; what else stands there, weights
    for example, is ignored. A number alone is a vertex that may have no edge. Vertices
    are those that occur. The layout of ``.npz`` files is that of the data sets.
    """
    from pbow.datasets.sources import opened  # noqa: PLC0415
    from pbow.homology import Graphs  # noqa: PLC0415

    if file.suffix.lower() != ".npz":
        return list(Graphs.from_list([_read_edges(file)]))
    with opened(file) as source:
        edges, offsets = (
            source.read("edges", "iu", 2),
            source.read("offsets", "iu", 1),
        )
        graphs = Graphs(edges, offsets, source.read("num_nodes", "iu", 1))
    if len(graphs) == 0:
        msg = f"{file} has no graphs; expected at least one."
        raise ValueError(msg)
    return list(graphs)


def read_meshes(file: Path) -> list[tuple[NDArray[Any], NDArray[Any]]]:
    """Read the vertices and faces of the mesh of a file."""
    from pbow.homology import read_mesh  # noqa: PLC0415

    vertices, faces = read_mesh(file)
    if len(vertices) == 0:
        msg = f"{file} has no vertices; expected a mesh with at least one."
        raise ValueError(msg)
    return [(vertices, faces)]


def _unstacked(file: Path, shapes: dict[int, str]) -> Arrays:
    """Return the one item of an array, or each of its items where it has more axes."""
    array = load_array(file)
    if array.ndim not in shapes or array.size == 0:
        msg = (
            f"{file} is an array of shape {array.shape}; expected "
            f"{' or '.join(shapes.values())}, and not empty."
        )
        raise ValueError(msg)
    return [array] if array.ndim == min(shapes) else list(array)


def _read_table(file: Path) -> NDArray[Any]:
    """Return the numbers of a text, a row a line."""
    import numpy as np  # noqa: PLC0415

    lines = _lines(file)
    if not lines:
        msg = f"{file} has no numbers; expected the coordinates of a point a line."
        raise ValueError(msg)
    numbers, rows = zip(*lines, strict=True)
    delimiter = "," if "," in rows[0] else None
    try:
        table: NDArray[Any] = np.loadtxt(rows, delimiter=delimiter, ndmin=2)
    except ValueError as error:
        # Not in numpy's words, which count from 0 or from 1, and only rows of numbers.
        msg = f"Cannot read {file}: {_first_fault(lines, delimiter)}."
        raise ValueError(msg) from error
    missing = np.isnan(table).any(axis=1)
    if missing.any():
        number = numbers[int(missing.argmax())]
        msg = f"Cannot read {file}: line {number} has nan; expected numbers alone."
        raise ValueError(msg)
    return table


def _first_fault(lines: Sequence[tuple[int, str]], delimiter: str | None) -> str:
    """Tell the first line that cannot be a row of the table."""
    first, width = lines[0][0], len(lines[0][1].split(delimiter))
    for number, line in lines:
        words = [word.strip() for word in line.split(delimiter)]
        if len(words) != width:
            change = f"from {width} on line {first} to {len(words)} on line {number}"
            return f"columns change {change}"
        for word in words:
            if not _is_number(word):
                return f"line {number} has {word[:40]!r}, which is no number"
    return "it has what is no number"


def _read_edges(file: Path) -> tuple[NDArray[Any], int]:
    """Return edges between vertices that are counted from 0, and how many these are."""
    import numpy as np  # noqa: PLC0415

    lines = _lines(file)
    ends = []
    for number, line in lines:
        words = BETWEEN_NUMBERS.split(line)[:2]
        if not all(word.isascii() and word.isdigit() for word in words):
            msg = (
                f"Cannot read {file}: expected two whole numbers on line {number}, got "
                f"{line[:40]!r}."
            )
            raise ValueError(msg)
        # A vertex alone is an edge to itself, which graphs leave out.
        ends.append([int(words[0]), int(words[-1])])
    if not ends:
        msg = f"{file} has no edges; expected the two ends of an edge a line."
        raise ValueError(msg)
    names, edges = np.unique(np.array(ends), return_inverse=True)
    return edges.reshape(-1, 2), len(names)


def _lines(file: Path) -> list[tuple[int, str]]:
    """Return the lines of a text that have numbers, as far as comments, and which.

    A first line that begins otherwise has the names of columns.
    """
    try:
        text = file.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        msg = f"Cannot read {file}: it is no text."
        raise ValueError(msg) from error
    stripped = (line.partition("#")[0].strip() for line in text.splitlines())
    lines = [(number, line) for number, line in enumerate(stripped, start=1) if line]
    if any(";" in line for _, line in lines[:2]):
        msg = (
            f"Cannot read {file}: it seems to be separated by semicolons; expected "
            "commas or spaces, and points in numbers, as in 0.5,0.2."
        )
        raise ValueError(msg)
    head = lines[0][1] if lines else ""
    has_names = bool(lines) and not _is_number(BETWEEN_NUMBERS.split(head)[0])
    if has_names and head.startswith((",", '"",')):
        msg = (
            f"The first column of {file} has no name, and looks like the numbers of "
            "rows that pandas saves; save it without them, by index=False."
        )
        raise ValueError(msg)
    return lines[1:] if has_names else lines


def _is_number(word: str) -> bool:
    try:
        float(word)
    except ValueError:
        return False
    return True


def _read_picture(file: Path) -> NDArray[Any]:
    """Return the grey values of a picture; of colours, the mean of the channels."""
    import numpy as np  # noqa: PLC0415

    try:
        from PIL import Image  # noqa: PLC0415
    except ImportError as error:
        msg = f"{file} needs Pillow, of the extra datasets: pip install pillow."
        raise ImportError(msg) from error
    data = file.read_bytes()
    try:
        with Image.open(BytesIO(data)) as picture:
            if picture.mode in GREY_MODES:
                return np.asarray(picture)
            grey: NDArray[Any] = np.asarray(picture.convert("RGB")).mean(axis=2)
            return grey
    # Pillow has a kind of error for each way in which a picture can be damaged.
    except Exception as error:
        msg = f"Cannot read {file}: it is damaged, or no picture."
        raise ValueError(msg) from error
