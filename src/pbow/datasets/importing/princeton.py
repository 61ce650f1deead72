"""Meshes of the Princeton segmentation benchmark, with the parts of their faces."""

from __future__ import annotations

import re
from pathlib import PurePosixPath
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pbow._utils.progress import progress_bar
from pbow.datasets.importing.output import Converted
from pbow.datasets.importing.release import Release, refuse
from pbow.errors import FileFormatError
from pbow.homology import read_mesh

__all__ = ["CATEGORIES", "HOME", "convert_princeton"]

Ints = NDArray[np.int64]

HOME = (
    "the Princeton benchmark, segeval.cs.princeton.edu; with names of parts from the "
    "page of Kalogerakis et al. 2010, people.cs.umass.edu/~kalo/papers/LabelMeshes"
)
# Twenty meshes each, from 1 on.
NUMBERED = (
    "Human",
    "Cup",
    "Glasses",
    "Airplane",
    "Ant",
    "Chair",
    "Octopus",
    "Table",
    "Teddy",
    "Hand",
    "Plier",
    "Fish",
    "Bird",
    "Spring",
    "Armadillo",
    "Bust",
    "Mech",
    "Bearing",
    "Vase",
    "FourLeg",
)
# The springs keep their numbers, and are "excluded from our study", says the benchmark.
CATEGORIES = tuple(category for category in NUMBERED if category != "Spring")
N_MESHES = 20
MOST_PARTS = 1_000


def convert_princeton(
    release: Release, category: str, *, progress: bool
) -> list[Converted]:
    """Convert a folder of meshes of one category, ``<number>.off``, and their parts.

    The labeled version of Kalogerakis et al. has ``<Category>/<number>.off`` and
    ``<number>_labels.txt``, in which a line with the name of a part is followed by one
    with its faces, counted from 1. It becomes ``psb_<category>_meshes``. The benchmark
    itself has ``data/off/<number>.off`` and ``data/seg/Benchmark/<number>/
    <number>_0.seg`` with the segment of each face, by the first of several people.
    Segments have no names, and the same number means different parts of different
    meshes: they become ``psb_<category>_segments``, which no data set is made of.
    """
    if not release.path.is_dir():
        refuse(str(release), "expected a folder of meshes. Unpack it, and pass that.")
    meshes, parts, are_named = _find(release, category)
    all_vertices, all_faces, all_names = [], [], []
    with progress_bar(show=progress, total=len(meshes), unit="meshes") as advance:
        for mesh, part in zip(meshes, parts, strict=True):
            vertices, faces = _read_mesh(release, mesh)
            read = _read_names if are_named else _read_segments
            all_names.append(read(release, part, len(faces)))
            all_vertices.append(vertices)
            all_faces.append(faces)
            advance(1)
    found, labels = np.unique(np.concatenate(all_names), return_inverse=True)
    if not are_named:
        found = np.array([f"segment {segment}" for segment in found])
    vertex_offsets = _offsets(all_vertices)
    faces = np.concatenate(all_faces)
    shift = np.repeat(vertex_offsets[:-1], [len(f) for f in all_faces])
    vertex_labels = _majority(
        faces + shift[:, None], labels, int(vertex_offsets[-1]), len(found)
    )
    arrays: dict[str, NDArray[Any]] = {
        "vertices": np.concatenate(all_vertices),
        "vertex_offsets": vertex_offsets,
        "faces": faces.astype(np.int32),
        "face_offsets": _offsets(all_faces),
        "face_labels": labels.astype(np.int16),
        "vertex_labels": vertex_labels.astype(np.int16),
        "label_names": np.array([f"{category}/{name}" for name in found]),
        "mesh_category": np.zeros(len(meshes), np.int32),
        "category_names": np.array([category]),
        "mesh_ids": np.array(
            [int(PurePosixPath(mesh).stem) for mesh in meshes], np.int32
        ),
    }
    done = (
        "A vertex has the part of most of its faces, the first of several; one of no "
        "face has the first part."
    )
    kind = "meshes" if are_named else "segments"
    return [Converted(f"psb_{category.lower()}_{kind}", arrays, done)]


def _find(release: Release, category: str) -> tuple[list[str], list[str], bool]:
    """Return the meshes, the files of their parts, and whether these have names."""
    first = N_MESHES * NUMBERED.index(category) + 1
    numbers = range(first, first + N_MESHES)
    files = {PurePosixPath(name).name for name in release.names}
    meshes = [release.only(f"{number}.off", HOME) for number in numbers]
    are_named = any(f"{number}_labels.txt" in files for number in numbers)
    ending = "_labels.txt" if are_named else "_0.seg"
    parts = [release.only(f"{number}{ending}", HOME) for number in numbers]
    return meshes, parts, are_named


def _read_mesh(release: Release, name: str) -> tuple[NDArray[np.float32], Ints]:
    release.read(name)  # for its checksum
    try:
        exact, faces = read_mesh(release.path / name)
    except FileFormatError as error:
        refuse(error.path, error.problem)
    with np.errstate(over="ignore"):
        vertices = exact.astype(np.float32)
    too_far = np.isinf(vertices).any(axis=1)
    if too_far.any():
        i = int(np.argmax(too_far))
        refuse(
            release.where(name),
            f"vertex {i} is at {exact[i].tolist()}; expected coordinates below 3e38, "
            "which is what 32 bits hold. Scale the mesh.",
        )
    return vertices, faces


def _read_names(release: Release, name: str, n_faces: int) -> NDArray[Any]:
    """Return the name of the part of each face."""
    where = release.where(name)
    lines = [line.strip() for line in release.read(name).rstrip().splitlines()]
    if len(lines) % 2 or len(lines) > 2 * MOST_PARTS:
        refuse(
            where,
            f"it has {len(lines)} lines; expected pairs of a part's name and its "
            f"faces, of at most {MOST_PARTS} parts.",
        )
    owners = np.full(n_faces, -1)
    names = []
    for i in range(0, len(lines), 2):
        names.append(_as_name(lines[i], i + 1, where))
        faces = _as_faces(lines[i + 1], i + 2, n_faces, where)
        if (owners[faces] >= 0).any() or len(np.unique(faces)) < len(faces):
            refuse(where, f"line {i + 2} has a face that has a part already.")
        owners[faces] = i // 2
    if (owners < 0).any():
        face = int(np.argmax(owners < 0)) + 1
        refuse(where, f"face {face} of {n_faces}, counted from 1, has no part.")
    named: NDArray[Any] = np.array(names, np.str_)[owners]
    return named


def _as_name(line: bytes, number: int, where: str) -> str:
    name = line.decode("utf-8", "replace")
    if not re.fullmatch(r"[A-Za-z][\w .()/-]{0,79}", name):
        refuse(where, f"line {number} is {name[:40]!r}; expected the name of a part.")
    return name


def _as_faces(line: bytes, number: int, n_faces: int, where: str) -> Ints:
    words = line.split()
    wrong = next((w for w in words if not w.isdigit() or len(w) > 18), None)
    if wrong is None:
        faces = np.array([int(word) for word in words], np.int64)
        outside = (faces < 1) | (faces > n_faces)
        if not outside.any():
            return faces - 1
        wrong = words[int(np.argmax(outside))]
    shown = wrong[:40].decode("utf-8", "replace")
    return refuse(
        where,
        f"line {number} has the face {shown!r}; expected numbers from 1 to {n_faces}.",
    )


def _read_segments(release: Release, name: str, n_faces: int) -> NDArray[Any]:
    where = release.where(name)
    segments = release.read_numbers(name, 1)[:, 0]
    if len(segments) != n_faces:
        refuse(
            where,
            f"it has the segments of {len(segments)} faces, and the mesh has {n_faces} "
            "triangles.",
        )
    outside = segments[(segments < 0) | (segments >= MOST_PARTS)]
    if len(outside):
        refuse(where, f"there is a segment {outside[0]}; expected 0 to {MOST_PARTS}.")
    return segments


def _offsets(arrays: list[NDArray[Any]]) -> Ints:
    return np.concatenate(([0], np.cumsum([len(array) for array in arrays])))


def _majority(faces: Ints, labels: Ints, n_vertices: int, n_labels: int) -> Ints:
    """Return for each vertex the label of most of its faces, the first of several."""
    keys = faces * n_labels + labels[:, None]
    counts = np.bincount(keys.ravel(), minlength=n_vertices * n_labels)
    most: Ints = counts.reshape(n_vertices, n_labels).argmax(axis=1)
    return most
