"""Triangle meshes from files: OFF, and PLY as text or binary.

None of the packages that pbow needs reads meshes. trimesh 5.2 does, but refuses OFF and
binary PLY files whose polygons differ in size, changes the order of the faces, and
drops faces of two corners silently; so these two small formats are read here.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Callable, Sequence
from itertools import pairwise
from os import PathLike
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from pbow.errors import format_error
from pbow.homology._common import Floats, Ints, check_coordinates

__all__ = ["read_mesh"]

OFF_KEYWORD = re.compile(rb"(?:ST)?C?N?OFF")
PLY_START = re.compile(rb"ply[ \t]*(\r\n|\n|\r)")
PLY_ORDERS = {"ascii": "", "binary_little_endian": "<", "binary_big_endian": ">"}
# As module struct calls them.
PLY_INTEGERS = {"char": "b", "uchar": "B", "short": "h", "ushort": "H"}
PLY_INTEGERS |= {"int": "i", "uint": "I", "int8": "b", "uint8": "B"}
PLY_INTEGERS |= {"int16": "h", "uint16": "H", "int32": "i", "uint32": "I"}
PLY_REALS = {"float": "f", "double": "d", "float32": "f", "float64": "d"}

Polygons = list[Sequence[int]]


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
        is_ply = PLY_START.match(data)
        coordinates, polygons = _read_ply(data) if is_ply else _read_off(data)
        vertices = np.array(coordinates, np.float64).reshape(-1, 3)
        check_coordinates(vertices, "vertex")
        _check_polygons(polygons, len(vertices))
    triangles = [
        (polygon[0], *pair) for polygon in polygons for pair in pairwise(polygon[1:])
    ]
    return vertices, np.array(triangles, np.int64).reshape(-1, 3)


def _check_polygons(polygons: Polygons, n_vertices: int) -> None:
    for i, polygon in enumerate(polygons):
        if len(polygon) < 3:
            msg = f"face {i} has {len(polygon)} corners; expected at least 3."
            raise ValueError(msg)
        if min(polygon) < 0 or max(polygon) >= n_vertices:
            wrong = next(c for c in polygon if not 0 <= c < n_vertices)
            msg = f"face {i} has the corner {wrong}; there are {n_vertices} vertices."
            raise ValueError(msg)


def _read_off(data: bytes) -> tuple[list[Any], Polygons]:
    lines = [line.partition(b"#")[0].strip() for line in data.splitlines()]
    lines = [line for line in lines if line]
    keyword = OFF_KEYWORD.match(lines[0]) if lines else None
    if keyword is None:
        msg = "it begins neither with 'OFF' nor with 'ply'."
        raise ValueError(msg)
    # Counts may follow on the same line, even without a space.
    lines[0] = lines[0][keyword.end() :]
    counts, *rows = [line.split() for line in lines if line] or [[]]
    if len(counts) < 2 or not all(count.isdigit() for count in counts[:2]):
        msg = "expected the numbers of vertices and faces after 'OFF'."
        raise ValueError(msg)
    n_vertices, n_faces = int(counts[0]), int(counts[1])
    if n_vertices + n_faces > len(rows):
        msg = (
            f"it should have {n_vertices} vertices and {n_faces} faces, one per line, "
            f"but there are {len(rows)} lines."
        )
        raise ValueError(msg)
    vertices = [[float(x) for x in row[:3]] for row in rows[:n_vertices]]
    short = next((i for i, place in enumerate(vertices) if len(place) < 3), None)
    if short is not None:
        msg = f"vertex {short} has {len(vertices[short])} coordinates; expected 3."
        raise ValueError(msg)
    polygons: Polygons = []
    for i, (n, *corners) in enumerate(rows[n_vertices : n_vertices + n_faces]):
        if not 0 <= int(n) <= len(corners):
            msg = f"face {i} should have {int(n)} corners; got {len(corners)} numbers."
            raise ValueError(msg)
        polygons.append([int(corner) for corner in corners[: int(n)]])
    return vertices, polygons


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


# Starts a row of the body of a PLY file. What it returns takes the next n numbers of a
# type from there, or raises EOFError.
StartRow = Callable[[], Callable[[str, int], Sequence[Any]]]


def _read_ply(data: bytes) -> tuple[Any, Polygons]:
    order, elements, body = _read_ply_header(data)
    names = [element.name for element in elements]
    if not {"vertex", "face"} <= set(names) or len(set(names)) < len(names):
        msg = (
            "expected one element vertex, one element face, and no name twice; got "
            f"{names[:10]}."
        )
        raise ValueError(msg)
    start_row = _binary(body, order) if order else _text(body)
    numbers: dict[str, Any] = {}
    lists: dict[str, Polygons] = {}
    for element in elements:
        columns = _read_table(element, start_row)
        for p, column in zip(element.properties, columns, strict=True):
            if element.name == "vertex" and not p.length_type:
                numbers[p.name] = column
            if element.name == "face" and p.length_type and p.type not in "fd":
                lists[p.name] = column
    corners = lists.get("vertex_indices", lists.get("vertex_index"))
    if not {"x", "y", "z"} <= numbers.keys() or corners is None:
        msg = (
            "expected numbers x, y and z of vertices, and a list of integers "
            "vertex_indices of faces."
        )
        raise ValueError(msg)
    return np.column_stack([numbers[axis] for axis in "xyz"]), corners


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
    types = PLY_INTEGERS | PLY_REALS
    for line in header.split(newline)[1:]:
        match line.decode("latin-1").split():
            case [] | ["comment" | "obj_info", *_]:
                pass
            case ["format", name, "1.0"] if name in PLY_ORDERS:
                order = PLY_ORDERS[name]
            case ["element", name, count] if count.isdecimal():
                elements.append(_Element(name, int(count), []))
            case ["property", "list", lengths, kind, name] if (
                elements and kind in types and lengths in PLY_INTEGERS
            ):
                column = _Property(name, types[kind], types[lengths])
                elements[-1].properties.append(column)
            case ["property", kind, name] if elements and kind in types:
                elements[-1].properties.append(_Property(name, types[kind]))
            case words:
                msg = f"its header has the line {' '.join(words)[:80]!r}."
                raise ValueError(msg)
    if order is None:
        msg = "its header has no line 'format'."
        raise ValueError(msg)
    return order, elements, rest.partition(newline)[2]


def _text(body: bytes) -> StartRow:
    """One row per line; what follows on a line is ignored."""
    lines = (line.split() for line in body.splitlines() if line.strip())

    def start_row() -> Callable[[str, int], list[Any]]:
        words = next(lines, [])

        def take(kind: str, n: int) -> list[Any]:
            nonlocal words
            if not 0 <= n <= len(words):
                raise EOFError
            taken, words = words[:n], words[n:]
            return [float(word) if kind in "fd" else int(word) for word in taken]

        return take

    return start_row


def _binary(body: bytes, order: str) -> StartRow:
    at = 0

    def take(kind: str, n: int) -> tuple[Any, ...]:
        nonlocal at
        try:
            taken = struct.unpack_from(f"{order}{n}{kind}", body, at)
        except struct.error:  # not that many are left, or n is negative
            raise EOFError from None
        at += n * struct.calcsize(order + kind)
        return taken

    return lambda: take


def _read_table(element: _Element, start_row: StartRow) -> list[list[Any]]:
    """Return for each property what each row has: a number, or a list of numbers."""
    columns: list[list[Any]] = [[] for _ in element.properties]
    # Rows without properties have no lines, however many there should be.
    for i in range(element.n_rows if columns else 0):
        take = start_row()
        try:
            for (_, kind, length_type), column in zip(
                element.properties, columns, strict=True
            ):
                if length_type:
                    column.append(take(kind, take(length_type, 1)[0]))
                else:
                    column.append(take(kind, 1)[0])
        except EOFError:
            msg = f"row {i} of element {element.name} is cut off."
            raise ValueError(msg) from None
    return columns
