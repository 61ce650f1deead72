"""Diagrams of akriti: ``.akd`` files.

Such a file is a zip of ``meta.json``, which says what it is, and ``bars.npz`` with the
arrays births, deaths and dims, and offsets if there are several samples. The layout is
that of akriti's RFC-0001, section 10.2, format version 0.
"""

from __future__ import annotations

import json
import zipfile
from io import BytesIO
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pbow._conversion import to_float64
from pbow._utils.unpacking import check_zip, damage_as_value_error
from pbow.errors import format_error
from pbow.io.dimensions import by_dimension
from pbow.io.npz import Npz

__all__ = ["read_akriti"]

FORMAT = {"format": "akriti.diagrams.akd", "format_version": 0, "spec": "RFC-0001"}
MEMBERS = ["meta.json", "bars.npz"]


def read_akriti(path: Path) -> list[dict[int | None, NDArray[np.float64]]]:
    """Return the diagrams of each sample of a file, by dimension."""
    with path.open("rb") as file, format_error(path):
        n_bytes = path.stat().st_size
        with damage_as_value_error(), zipfile.ZipFile(file) as archive:
            check_zip(archive, n_bytes)
            if archive.namelist() != MEMBERS:
                msg = f"expected {' and '.join(MEMBERS)}; it has {archive.namelist()}."
                raise ValueError(msg)
            meta = json.loads(archive.read(MEMBERS[0]))
            bars = archive.read(MEMBERS[1])
        return _samples(meta, Npz(BytesIO(bars)))


def _samples(meta: Any, bars: Npz) -> list[dict[int | None, NDArray[np.float64]]]:
    found = {key: meta.get(key) for key in FORMAT} if isinstance(meta, dict) else meta
    if found != FORMAT:
        msg = f"expected {FORMAT}; it has {found!r:.200}."
        raise ValueError(msg)
    births, deaths = (bars.read(name, "f", 1) for name in ("births", "deaths"))
    dims = bars.read("dims", "iu", 1)
    if not len(births) == len(deaths) == len(dims):
        msg = (
            f"it has {len(births)} births, {len(deaths)} deaths and {len(dims)} "
            "dimensions; expected as many of each."
        )
        raise ValueError(msg)
    cuts = [0, len(births)]
    if meta.get("kind") == "batch":
        cuts = bars.read("offsets", "iu", 1).tolist()
        if cuts[:1] != [0] or cuts[-1] != len(births) or sorted(cuts) != cuts:
            msg = f"its offsets do not rise from 0 to {len(births)}."
            raise ValueError(msg)
    points = to_float64(np.column_stack((births, deaths)), "it")
    return [by_dimension(dims[i:j], points[i:j]) for i, j in pairwise(cuts)]
