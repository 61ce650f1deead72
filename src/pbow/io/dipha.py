"""Binary persistence diagrams of DIPHA, one diagram per file.

Three 64-bit integers: a magic number, the kind of file, and the number of points; then
dimension (integer), birth and death (double) of each point, all little-endian. An
essential point has dimension ``-d - 1``; its death is the complex's largest value.
"""

from __future__ import annotations

from os import SEEK_END
from pathlib import Path
from typing import BinaryIO

import numpy as np
from numpy.typing import NDArray

from pbow.diagrams import Diagrams
from pbow.errors import format_error
from pbow.io.dimensions import by_dimension, dimensions_of

__all__ = ["MAGIC", "read_dipha", "write_dipha"]

MAGIC = 8067171840
DIAGRAM = 2
N_HEADER_BYTES = 3 * 8
POINT = np.dtype([("dim", "<i8"), ("birth", "<f8"), ("death", "<f8")])


def read_dipha(path: Path) -> dict[int | None, NDArray[np.float64]]:
    """Return the diagrams of a file that DIPHA wrote, by dimension."""
    with path.open("rb") as file, format_error(path):
        header = np.frombuffer(file.read(N_HEADER_BYTES), np.uint8)
        if len(header) < N_HEADER_BYTES or header.view("<i8")[0] != MAGIC:
            msg = "it does not begin as files of DIPHA do."
            raise ValueError(msg)
        kind, n_points = header.view("<i8")[1:].tolist()
        if kind != DIAGRAM:
            msg = (
                f"it is a DIPHA file of kind {kind}; persistence diagrams have "
                f"{DIAGRAM}. Pass the file that DIPHA wrote, not the one it read."
            )
            raise ValueError(msg)
        # The size is compared before anything is made of the number of points.
        n_bytes = file.seek(0, SEEK_END) - N_HEADER_BYTES
        if n_bytes != n_points * POINT.itemsize:
            msg = (
                f"it promises {n_points} points of {POINT.itemsize} bytes and has "
                f"{n_bytes} bytes for them. It is damaged, or still being written."
            )
            raise ValueError(msg)
        file.seek(N_HEADER_BYTES)
        rows = np.frombuffer(file.read(n_bytes), POINT)
        essential = rows["dim"] < 0
        deaths = np.where(essential, np.inf, rows["death"])
        dims = np.where(essential, ~rows["dim"], rows["dim"])
        return by_dimension(dims, np.column_stack((rows["birth"], deaths)))


def write_dipha(X: Diagrams, file: BinaryIO) -> None:
    """Write the diagrams of one sample, whose parts are dimensions."""
    blocks = []
    for name, dim in dimensions_of(X, "DIPHA").items():
        points = X[name].points
        block = np.empty(len(points), POINT)
        block["dim"] = np.where(np.isposinf(points[:, 1]), ~dim, dim)
        block["birth"], block["death"] = points.T
        blocks.append(block)
    rows = np.concatenate(blocks)
    essential = rows["dim"] < 0
    if essential.any():
        values = np.concatenate((rows["birth"], rows["death"][~essential]))
        rows["death"][essential] = values.max()
    header = np.array([MAGIC, DIAGRAM, len(rows)], "<i8")
    file.write(header.tobytes())
    file.write(rows.tobytes())
