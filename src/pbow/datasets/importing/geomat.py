"""GeoMat: depth patches of nineteen materials, in Matlab files."""

from __future__ import annotations

import re
from pathlib import PurePosixPath
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pbow._utils.progress import progress_bar
from pbow.datasets.importing.matlab import read_matlab
from pbow.datasets.importing.output import Converted
from pbow.datasets.importing.release import Release, refuse

__all__ = ["HOME", "convert_geomat"]

HOME = (
    "the page of the paper Geometry-Informed Material Recognition (DeGol et al. 2016), "
    "josephdegol.com/pages/MatRec_CVPR16.html"
)
MATERIALS = (
    "Asphalt",
    "Brick",
    "Cement - Granular",
    "Cement - Smooth",
    "Concrete - Cast-in-Place",
    "Concrete - Precast",
    "Foliage",
    "Grass",
    "Gravel",
    "Marble",
    "Metal - Grills",
    "Paving",
    "Soil - Compact",
    "Soil - Dirt and Vegetation",
    "Soil - Loose",
    "Soil - Mulch",
    "Stone - Granular",
    "Stone - Limestone",
    "Wood",
)
N_PATCHES = 600  # of each material
SIDE = 100
SCALE = re.compile(r"([0-9]{2,5})x\1")


def convert_geomat(release: Release, *, progress: bool) -> list[Converted]:
    """Convert the depth of each patch, ``<Material>/<train or test>/<patch>.mat``.

    A file has ``Depth``, 100 x 100, and ``Class``, the number of the material from 1
    on. Depth is stored as it is; loading the data set removes the global curvature.
    The names of folders or files say which patches are for testing, and the scale, as
    400x400, that they were photographed at; where none does, the arrays ``in_test`` and
    ``scales`` are not made. Patches with the same ``Extrinsics``, the pose of the
    camera, are of one photograph, a group; where any patch has none, there are no
    ``groups``. Pixels without a depth, NaN, stay so.

    Written from public code that reads the release; not tried on the release itself.
    """
    names = _find(release)
    images = np.empty((len(names), SIDE, SIDE), np.float32)
    labels = np.empty(len(names), np.int32)
    photographs: list[bytes | None] = []
    with progress_bar(show=progress, total=len(names), unit="patches") as advance:
        for i, name in enumerate(names):
            images[i], labels[i], photograph = _read_patch(release, name)
            photographs.append(photograph)
            advance(1)
    arrays: dict[str, NDArray[Any]] = {
        "images": images,
        "labels": labels,
        "label_names": np.array(MATERIALS),
    }
    done = "Depth as it is, in 32 bits."
    if None not in photographs:
        seen: dict[bytes | None, int] = {}
        groups = [seen.setdefault(shot, len(seen)) for shot in photographs]
        arrays["groups"] = np.array(groups, np.int32)
        done += " A group has one pose of the camera."
    in_test = [_is_for_testing(name) for name in names]
    scales = [SCALE.search(name) for name in names]
    if all(found is not None for found in in_test):
        arrays["in_test"] = np.array(in_test, np.bool_)
    if all(scales):
        arrays["scales"] = np.array([int(s[1]) for s in scales if s], np.int32)
    return [Converted("geomat_depth_patches", arrays, done)]


def _find(release: Release) -> list[str]:
    """Return the patches, material after material."""
    found: dict[str, list[str]] = {material: [] for material in MATERIALS}
    for name in release.names:
        material = _material(name)
        if material and name.lower().endswith(".mat"):
            found[material].append(name)
    for material, patches in found.items():
        if len(patches) != N_PATCHES:
            refuse(
                str(release),
                f"expected {N_PATCHES} files .mat in a folder {material!r}, as in that "
                f"of each material; found {len(patches)}. Get them from {HOME}, and "
                "unpack them all into one folder.",
            )
    return [name for patches in found.values() for name in patches]


def _material(name: str) -> str | None:
    return next((p for p in PurePosixPath(name).parts[:-1] if p in MATERIALS), None)


def _is_for_testing(name: str) -> bool | None:
    """Return None where neither, or both, is said."""
    words = set(re.findall(r"train|test", name.lower()))
    return words == {"test"} if len(words) == 1 else None


def _read_patch(release: Release, name: str) -> tuple[NDArray[Any], int, bytes | None]:
    """Return the depth, the label, and what tells the photograph, if anything does."""
    where = release.where(name)
    found = read_matlab(release.read(name), where, ("Depth", "Class", "Extrinsics"))
    depth = found.get("Depth", np.empty(0))
    if depth.shape != (SIDE, SIDE):
        refuse(
            where,
            f"its Depth has the shape {depth.shape}; expected {SIDE} x {SIDE} numbers.",
        )
    with np.errstate(over="ignore"):
        depth = depth.astype(np.float32)
    if np.isinf(depth).any() or np.isnan(depth).all():
        refuse(where, "its Depth is infinite somewhere, or NaN everywhere.")
    material = str(_material(name))
    label = MATERIALS.index(material)
    number = found.get("Class", np.array(label + 1))
    if number.size != 1 or number.reshape(-1)[0] != label + 1:
        refuse(
            where,
            f"its Class is {number.reshape(-1)[:3].tolist()}, and it lies in the "
            f"folder {material!r}, which is class {label + 1}.",
        )
    pose = found.get("Extrinsics")
    if pose is None:
        return depth, label, None
    return depth, label, f"{label} ".encode() + pose.tobytes()
