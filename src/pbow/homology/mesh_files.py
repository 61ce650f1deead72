"""Triangle meshes from files: OFF, and PLY as text or binary.

None of the packages that pbow needs reads meshes, and these two formats are small; so
they are read here rather than by one more dependency.
"""

from __future__ import annotations

import re
from os import PathLike
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pbow.errors import format_error
from pbow.homology._common import Floats, Ints, check_coordinates

__all__ = ["read_mesh"]

OFF_KEYWORD = re.compile(rb"(?:ST)?C?N?OFF")
PLY_START = re.compile(rb"ply[ \t]*(\r\n|\n|\r)")
PLY_ORDERS = {"ascii": "", "binary_little_endian": "<", "binary_big_endian": ">"}
PLY_INTEGERS = {
    "char": "i1",
    "uchar": "u1",
    "short": "i2",
    "ushort": "u2",
    "int": "i4",
    "uint": "u4",
    "int8": "i1",
    "uint8": "u1",
    "int16": "i2",
    "uint16": "u2",
    "int32": "i4",
    "uint32": "u4",
}
PLY_TYPES = PLY_INTEGERS | {
    "float": "f4",
    "double": "f8",
    "float32": "f4",
    "float64": "f8",
}


def read_mesh(path: str | PathLike[str]) -> tuple[Floats, Ints]:
    r"""Read the vertices and triangles of a mesh from an OFF or PLY file.

    The content decides, not the name. Polygons are cut into triangles that share the
    first corner. Colors, normals and all else is ignored.

    Parameters
    ----------
    path : str or path-like
        OFF as text (also COFF, NOFF and STOFF) with one line per vertex and per face,
        or PLY as text or binary.

    Returns
    -------
    vertices : ndarray of shape (n_vertices, 3)
        Coordinates.
    faces : ndarray of int of shape (n_faces, 3)
        The vertices of each triangle, counted from 0.

    Raises
    ------
    FileFormatError
        If the file is something else, is cut off, or names vertices that are not there.

    See Also
    --------
    mesh_geodesic : Persistence diagrams of the mesh.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from pbow.homology import read_mesh
    >>> square = "OFF 4 1 4\n0 0 0\n1 0 0\n1 1 0\n0 1 0\n4 0 1 2 3\n"
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder, "square.off")
    ...     _ = path.write_text(square)
    ...     vertices, faces = read_mesh(path)
    >>> faces
    array([[0, 1, 2],
           [0, 2, 3]])
    """
    data = Path(path).read_bytes()
    with format_error(path):
        if PLY_START.match(data):
            vertices, polygons = _read_ply(data)
        else:
            vertices, polygons = _read_off(data)
        vertices = vertices.astype(np.float64)
        check_coordinates(vertices, "vertex")
        _check_polygons(polygons, len(vertices))
    return vertices, _triangles(polygons)


class _Lists(NamedTuple):
    """Lists of numbers, one after another, and their lengths."""

    lengths: Ints
    values: NDArray[Any]


def _read_off(data: bytes) -> tuple[Floats, _Lists]:
    lines = [line.partition(b"#")[0] for line in data.splitlines()]
    lines = [line for line in lines if line.strip()]
    keyword = OFF_KEYWORD.match(lines[0].strip()) if lines else None
    if keyword is None:
        msg = "it begins neither with 'OFF' nor with 'ply'."
        raise ValueError(msg)
    # Counts may follow on the same line, even without a space.
    lines[0] = lines[0].strip()[keyword.end() :]
    rows = [line.split() for line in lines if line.strip()]
    if not rows or len(rows[0]) < 2 or not all(n.isdigit() for n in rows[0][:2]):
        msg = "expected the numbers of vertices and faces after 'OFF'."
        raise ValueError(msg)
    n_vertices, n_faces = int(rows[0][0]), int(rows[0][1])
    if n_vertices + n_faces > len(rows) - 1:
        msg = (
            f"it should have {n_vertices} vertices and {n_faces} faces, one per line, "
            f"but there are {len(rows) - 1} lines."
        )
        raise ValueError(msg)
    places = rows[1 : 1 + n_vertices]
    short = next((i for i, row in enumerate(places) if len(row) < 3), None)
    if short is not None:
        msg = f"vertex {short} has {len(places[short])} coordinates; expected 3."
        raise ValueError(msg)
    vertices = np.array(
        [[float(x) for x in row[:3]] for row in places], np.float64
    ).reshape(-1, 3)
    faces = rows[1 + n_vertices : 1 + n_vertices + n_faces]
    return vertices, _lists_of_rows(faces)


def _lists_of_rows(rows: list[list[bytes]]) -> _Lists:
    """Read lists that are written with their length first; what follows is ignored."""
    lengths, values = [], []
    for i, row in enumerate(rows):
        n = int(row[0])
        if not 0 <= n < len(row):
            msg = f"face {i} should have {n} corners, but has {len(row) - 1} numbers."
            raise ValueError(msg)
        lengths.append(n)
        values.extend([int(token) for token in row[1 : n + 1]])
    return _Lists(np.array(lengths, np.int64), np.array(values, np.int64))


class _Property(NamedTuple):
    """A column of a table; of lists, if their lengths have a type."""

    name: str
    type: str
    length_type: str = ""


class _Element(NamedTuple):
    """A table of a PLY file."""

    name: str
    n_rows: int
    properties: list[_Property]


# A column of single numbers is one of lists of length 1.
Table = dict[str, _Lists]


def _read_ply(data: bytes) -> tuple[Floats, _Lists]:
    order, elements, body = _read_ply_header(data)
    names = [element.name for element in elements]
    if names.count("vertex") != 1 or names.count("face") != 1:
        msg = f"expected one element vertex and one element face; got {names[:10]}."
        raise ValueError(msg)
    if len(set(names)) < len(names):
        msg = f"it has several elements of one name among {names[:10]}."
        raise ValueError(msg)
    rows = _Binary(body, order) if order else _Text(body)
    tables = {element.name: _read_table(rows, element) for element in elements}
    vertex, face = tables["vertex"], tables["face"]
    corners = face.get("vertex_indices", face.get("vertex_index"))
    if not {"x", "y", "z"} <= vertex.keys() or corners is None:
        msg = "expected x, y and z of vertices and a list vertex_indices of faces."
        raise ValueError(msg)
    if corners.values.dtype.kind not in "iu":
        msg = f"corners of faces are {corners.values.dtype}; expected integers."
        raise ValueError(msg)
    return np.column_stack([vertex[axis].values for axis in "xyz"]), corners


def _read_ply_header(data: bytes) -> tuple[str, list[_Element], bytes]:
    """Return the order of bytes ('' for text), the tables, and what follows."""
    start = PLY_START.match(data)
    newline = start.group(1) if start else b"\n"
    header, end, rest = data.partition(newline + b"end_header")
    if not end:
        msg = "its header has no end."
        raise ValueError(msg)
    order: str | None = None
    elements: list[_Element] = []
    for line in header.split(newline)[1:]:
        match line.decode("latin-1").split():
            case [] | ["comment" | "obj_info", *_]:
                pass
            case ["format", name, "1.0"] if name in PLY_ORDERS:
                order = PLY_ORDERS[name]
            case ["element", name, count] if count.isdecimal():
                elements.append(_Element(name, int(count), []))
            case ["property", "list", lengths, kind, name] if (
                elements and kind in PLY_TYPES and lengths in PLY_INTEGERS
            ):
                elements[-1].properties.append(
                    _Property(name, PLY_TYPES[kind], PLY_TYPES[lengths])
                )
            case ["property", kind, name] if elements and kind in PLY_TYPES:
                elements[-1].properties.append(_Property(name, PLY_TYPES[kind]))
            case words:
                msg = f"its header has the line {' '.join(words)[:80]!r}."
                raise ValueError(msg)
    if order is None:
        msg = "its header has no line 'format'."
        raise ValueError(msg)
    return order, elements, rest.partition(newline)[2]


class _Text:
    """The body of a text file: one row per line; what follows on a line is ignored."""

    def __init__(self, body: bytes) -> None:
        self._lines = (line.split() for line in body.splitlines() if line.strip())

    def start_row(self) -> None:
        self._tokens = next(self._lines, [])

    def take(self, kind: str, n: int) -> list[Any]:
        """Return the next n numbers of the row."""
        if not 0 <= n <= len(self._tokens):
            raise EOFError
        taken, self._tokens = self._tokens[:n], self._tokens[n:]
        number = float if kind[0] == "f" else int
        return [number(token) for token in taken]

    def take_alike(self, element: _Element) -> None:
        """Do nothing: lines are read one by one."""


class _Binary:
    """The body of a binary file: row after row."""

    def __init__(self, body: bytes, order: str) -> None:
        self._body, self._order, self._at = body, order, 0

    def start_row(self) -> None:
        """Do nothing: rows follow one another."""

    def take(self, kind: str, n: int) -> list[Any]:
        """Return the next n numbers of the row."""
        dtype = np.dtype(self._order + kind)
        end = self._at + n * dtype.itemsize
        if not self._at <= end <= len(self._body):
            raise EOFError
        taken: list[Any] = np.frombuffer(self._body[self._at : end], dtype).tolist()
        self._at = end
        return taken

    def take_alike(self, element: _Element) -> Table | None:
        """Read all rows at once, if their lists are as long as those of the first."""
        start = self._at
        first = _read_rows(self, element._replace(n_rows=1))
        lengths = {name: int(column.lengths[0]) for name, column in first.items()}
        row_size, self._at = self._at - start, start
        if element.n_rows * row_size > len(self._body) - start:
            return None
        fields: list[tuple[Any, ...]] = []
        for name, kind, length_type in element.properties:
            if length_type:
                fields.append((f"length of {name}", self._order + length_type))
            fields.append((name, self._order + kind, (lengths[name],)))
        rows = np.frombuffer(self._body, np.dtype(fields), element.n_rows, start)
        if any(
            p.length_type and (rows[f"length of {p.name}"] != lengths[p.name]).any()
            for p in element.properties
        ):
            return None
        self._at += rows.nbytes
        return {
            name: _Lists(np.full(len(rows), length), rows[name].ravel())
            for name, length in lengths.items()
        }


def _read_table(body: _Text | _Binary, element: _Element) -> Table:
    if not element.properties:  # such a table has no lines either
        return {}
    table = body.take_alike(element) if element.n_rows > 0 else None
    return _read_rows(body, element) if table is None else table


def _read_rows(body: _Text | _Binary, element: _Element) -> Table:
    columns: list[tuple[list[int], list[Any]]] = [([], []) for _ in element.properties]
    for i in range(element.n_rows):
        body.start_row()
        try:
            for p, (lengths, values) in zip(element.properties, columns, strict=True):
                length = body.take(p.length_type, 1)[0] if p.length_type else 1
                lengths.append(length)
                values.extend(body.take(p.type, length))
        except EOFError:
            msg = f"row {i} of element {element.name} is cut off."
            raise ValueError(msg) from None
    return {
        p.name: _Lists(
            np.array(lengths, np.int64),
            np.array(values, np.float64 if p.type[0] == "f" else np.int64),
        )
        for p, (lengths, values) in zip(element.properties, columns, strict=True)
    }


def _check_polygons(polygons: _Lists, n_vertices: int) -> None:
    lengths, corners = polygons
    if (lengths < 3).any():
        i = int(np.argmax(lengths < 3))
        msg = f"face {i} has {lengths[i]} corners; expected at least 3."
        raise ValueError(msg)
    valid = (corners >= 0) & (corners < n_vertices)
    if not valid.all():
        at = int(np.argmin(valid))
        i = int(np.searchsorted(np.cumsum(lengths), at, side="right"))
        msg = f"face {i} has the corner {corners[at]}; there are {n_vertices} vertices."
        raise ValueError(msg)


def _triangles(polygons: _Lists) -> Ints:
    """Cut every polygon into triangles that share its first corner."""
    lengths = polygons.lengths
    counts = lengths - 2
    corners = polygons.values.astype(np.int64)
    first = np.repeat(np.cumsum(lengths) - lengths, counts)
    # 1, 2, ... anew in each polygon.
    step = np.arange(1, counts.sum() + 1) - np.repeat(
        np.cumsum(counts) - counts, counts
    )
    return np.column_stack(
        [corners[first], corners[first + step], corners[first + step + 1]]
    )
