"""The diagrams of points of airplanes by Carrière: an HDF5 file and a table."""

from __future__ import annotations

import csv
import re

import numpy as np

from pbow._utils.progress import progress_bar
from pbow.datasets.importing.diagrams import pack_diagrams
from pbow.datasets.importing.hdf5 import (
    open_hdf5,
    read_group,
    read_points,
)
from pbow.datasets.importing.output import Converted
from pbow.datasets.importing.release import Release, refuse

__all__ = ["HOME", "convert_carriere"]

HOME = "the repository of sklearn-tda, github.com/MathieuCarriere/sklearn-tda (3DSeg)"
DIAGRAMS, PARTS = "train_diag.hdf5", "train.csv"
N_POINTS, N_POINTS_A_MESH, FIRST_MESH = 5_700, 300, 61


def convert_carriere(release: Release, *, progress: bool) -> list[Converted]:
    """Convert ``train_diag.hdf5`` and ``train.csv``: 5,700 points of 19 airplanes.

    ``geodesic/1/<i>`` is the diagram of point i in dimension 1, and line i of the
    column ``part`` its label, a number without a name. The script that made the file
    took every tenth of the first 3,000 vertices of the Princeton meshes 61 to 79, one
    mesh after another; so the mesh and the vertex of each point are known. Where all
    points have their death first, the columns are exchanged, and the record says so.

    Written from the repository's code; not tried on the files themselves.
    """
    labels, label_names = _read_parts(release, release.only(PARTS, HOME))
    name = release.only(DIAGRAMS, HOME)
    where = release.where(name)
    with open_hdf5(release.read(name), where) as file:
        group = read_group(read_group(file, "geodesic"), "1")
        if not len(group) == len(labels) == N_POINTS:
            refuse(
                where,
                f"it has {len(group)} diagrams, and {PARTS} has {len(labels)} parts; "
                f"expected {N_POINTS} of both. Get them again from {HOME}.",
            )
        diagrams = []
        with progress_bar(show=progress, total=len(labels), unit="diagrams") as advance:
            for i in range(len(labels)):
                diagrams.append(read_points(group, str(i)))
                advance(1)
    done = "Group geodesic/1, in the order of the points' numbers."
    points = np.concatenate(diagrams)
    if len(points) and (points[:, 0] >= points[:, 1]).all():
        diagrams = [diagram[:, ::-1] for diagram in diagrams]
        done += " Columns exchanged: all points had their death first."
    arrays = pack_diagrams(diagrams, labels, label_names, part="H1", where=where)
    numbers = np.arange(N_POINTS)
    arrays["groups"] = (FIRST_MESH + numbers // N_POINTS_A_MESH).astype(np.int32)
    arrays["vertex_ids"] = (10 * (numbers % N_POINTS_A_MESH)).astype(np.int32)
    return [Converted("carriere_segmentation_diagrams", arrays, done)]


def _read_parts(release: Release, name: str) -> tuple[list[int], list[str]]:
    """Return the label of each point, and the names of the labels."""
    where = release.where(name)
    try:
        lines = release.read(name).decode("utf-8-sig").splitlines()
        reader = csv.DictReader(lines, strict=True)
        if "part" not in (reader.fieldnames or ()):
            refuse(where, "expected a first line with a column part.")
        values = []
        for row in reader:
            # pandas has written whole numbers as floats, 3.0.
            word = (row["part"] or "").removesuffix(".0")
            if not re.fullmatch(r"[0-9]{1,9}", word, re.ASCII):
                number = reader.line_num
                refuse(
                    where,
                    f"line {number} is {lines[number - 1][:40]!r}; expected a whole "
                    "number in the column part.",
                )
            values.append(int(word))
    except (UnicodeDecodeError, csv.Error) as error:
        refuse(where, f"it is not a table of comma-separated values ({error}).")
    found, labels = np.unique(np.array(values, np.int64), return_inverse=True)
    return labels.tolist(), [str(part) for part in found]
