"""The authors' diagrams of the synthetic shapes: ``.persistence`` files of SimBa."""

from __future__ import annotations

import re
from pathlib import PurePosixPath

import numpy as np
from numpy.typing import NDArray

from pbow._utils.progress import progress_bar
from pbow.datasets.importing.diagrams import pack_diagrams
from pbow.datasets.importing.output import Converted
from pbow.datasets.importing.release import Release, refuse
from pbow.datasets.sources import digest_of

__all__ = ["HOME", "convert_simba"]

Floats = NDArray[np.float64]

HOME = "the authors' repository, github.com/bziiuj/pcodebooks"
SHAPES = (
    "Random Cloud",
    "Circle",
    "Sphere",
    "Clusters",
    "Clusters within Clusters",
    "Torus",
    "Random Cloud 2D",
)
NOISE = "pd_gauss_0_1"
FILE = re.compile(r"([0-9]{1,9})\..*persistence")
# Of the arrays for the dimensions 0 and 1.
KNOWN_DIGESTS = (
    "51d6781d5196a0e7fdfaf97b1f14673aab830bd454c454618d1699ad48999b67",
    "384097f94d312b1a4299e3d0b16188c2bb9aac6732450545c9d6d85942f9693f",
)


def convert_simba(release: Release, *, progress: bool) -> list[Converted]:
    """Convert the authors' diagrams at noise 0.1: seven shapes, fifty clouds each.

    ``pd_gauss_0_1/<shape>/<number>.h5.pc.simba.1.00001_3.persistence`` has lines
    ``dimension birth death``; the release may be the repository, its folder ``data``,
    or a folder above those of the shapes. Dimensions 0 and 1 become one file each; the
    paper uses 1, and leaves out the shape "Random Cloud 2D". The result is compared
    with the checksum of the repository's files.
    """
    samples = sorted(_find(release))
    diagrams: tuple[list[Floats], list[Floats]] = ([], [])
    with progress_bar(show=progress, total=len(samples), unit="files") as advance:
        for _, _, name in samples:
            table = release.read_numbers(name, 3, whole=False)
            for dim in (0, 1):
                diagrams[dim].append(table[table[:, 0] == dim, 1:])
            advance(1)
    labels = [label for label, _, _ in samples]
    results = []
    for dim in (1, 0):
        part = f"H{dim}"
        arrays = pack_diagrams(
            diagrams[dim], labels, SHAPES, part=part, where=str(release)
        )
        if digest_of(arrays) != KNOWN_DIGESTS[dim]:
            refuse(
                str(release),
                f"its {len(samples)} diagrams in dimension {dim} are not the 350 of "
                f"the authors at noise 0.1: the checksum differs. Get them again from "
                f"{HOME}, folder {NOISE}.",
            )
        arrays["file_ids"] = np.array([number for _, number, _ in samples], np.int32)
        done = f"Points of dimension {dim} of each file, in their order."
        results.append(
            Converted(f"synthetic_pcodebooks_gauss_0_1_h{dim}", arrays, done)
        )
    return results


def _find(release: Release) -> list[tuple[int, int, str]]:
    """Return the label, the number and the name of each file of the noise 0.1."""
    found = []
    for name in release.names:
        path = PurePosixPath(name)
        match = FILE.fullmatch(path.name)
        noise = next((p for p in path.parts if p.startswith("pd_gauss_")), NOISE)
        if match and path.parent.name in SHAPES and noise == NOISE:
            found.append((SHAPES.index(path.parent.name), int(match[1]), name))
    missing = [s for i, s in enumerate(SHAPES) if not any(f[0] == i for f in found)]
    if missing:
        refuse(
            str(release),
            f"expected files {NOISE}/<shape>/<number>.….persistence; found none of the "
            f"shape {missing[0]!r}. Get them from {HOME}.",
        )
    return found
