"""Diagrams of one part in an ``.npz`` file: arrays ``points`` and ``offsets``.

That is how :class:`~pbow.Diagrams` has them, and how data sets are published. An array
``part`` has the name of the part; ``labels`` and ``label_names`` may be there, too.
"""

from __future__ import annotations

from pathlib import Path
from typing import BinaryIO

import numpy as np

from pbow.diagrams import Diagrams
from pbow.io.npz import Npz, opened

__all__ = ["kind_of_arrays", "read_npz", "write_npz"]

# Arrays by which the content of a file is recognized.
KINDS = {
    "images": ("images",),
    "graphs": ("edges", "offsets", "num_nodes"),
    "meshes": ("vertices", "vertex_offsets", "faces", "face_offsets"),
    "clouds": ("clouds",),
    "points": ("points", "offsets"),
}


def kind_of_arrays(source: Npz) -> str | None:
    """Return what an ``.npz`` file holds, by the names of its arrays.

    ``"points"`` are diagrams or clouds. None is something else.
    """
    for kind, names in KINDS.items():
        if all(name in source for name in names):
            return kind
    return None


def read_npz(path: Path, name: str = "") -> Diagrams:
    """Read diagrams; `name` is that of the part if the file does not say it."""
    with opened(path) as source:
        kind = kind_of_arrays(source)
        if kind != "points":
            found = ", ".join(source.names) or "nothing"
            msg = f"expected arrays points and offsets; it has {found:.200}."
            if kind is not None:
                msg += f" These are {kind}; pbow homology computes their diagrams."
            raise ValueError(msg)
        points = source.read("points", "biuf", 2)
        if points.shape[1] != 2:
            msg = (
                f"its points have {points.shape[1]} coordinates; expected birth and "
                "death. pbow homology computes the diagrams of clouds."
            )
            raise ValueError(msg)
        if "part" in source:
            name = str(source.read("part", "U", 0))
        return Diagrams(points, source.read("offsets", "iu", 1), name=name)


def write_npz(X: Diagrams, file: BinaryIO) -> None:
    """Write the diagrams of one part."""
    if len(X.parts) > 1:
        msg = (
            f"A .npz file holds one part, and there are {', '.join(X.parts)}. Select "
            "one of them, or write a .pbow file."
        )
        raise ValueError(msg)
    np.savez(file, points=X.points, offsets=X.offsets, part=np.array(X.parts[0]))
