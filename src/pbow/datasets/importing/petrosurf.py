"""PetroSurf3D: depth maps of rocks and masks of engravings, cut into patches."""

from __future__ import annotations

import re
from pathlib import PurePosixPath

import numpy as np
from numpy.typing import NDArray

from pbow._utils.progress import progress_bar
from pbow.datasets.importing.output import Converted
from pbow.datasets.importing.pictures import ENDINGS, read_picture
from pbow.datasets.importing.release import Release, refuse
from pbow.datasets.patches import cut_patches
from pbow.errors import format_error

__all__ = ["HOME", "convert_petrosurf"]

HOME = (
    "the page of the PetroSurf3D data set (Poier et al. 2016), "
    "lrs.icg.tugraz.at/research/petroglyphsegmentation"
)
N_SURFACES = 26
# The supplement has 300 patches of each label per surface; the rest is a choice.
SIDE, STEP, SHARES, N_PER_CLASS, SEED = 64, 16, (0.0, 0.5), 300, 0
DEPTH = re.compile(r"(.*?)[_-]?depth(?:[_-]?map)?", re.IGNORECASE)
MASK = re.compile(r"(.*?)[_-]?(?:gt|mask|ground[_-]?truth)", re.IGNORECASE)


def convert_petrosurf(release: Release, *, progress: bool) -> list[Converted]:
    """Cut the depth maps of 26 surfaces into patches with labels by their masks.

    Each surface has two pictures of the same size, ``<surface>_depth`` and
    ``<surface>_gt`` (or ``_mask``, ``_groundtruth``), each as TIFF, PNG or Matlab
    file (arrays ``depth`` and ``mask``), in any folder of the release. Where they
    lie in folders ``depth`` and ``gt`` they may have the surface's name alone. Pixels
    above 0 of a mask are engraved. Where a depth map is not measured it is NaN, or 0 if
    it is of integers. Patches are drawn by a fixed seed, 300 of each label per
    surface.

    Written after the description of the release, which does not give names of files:
    rename them to these. Not tried on the release itself.
    """
    surfaces = _find(release)
    cut = []
    with progress_bar(show=progress, total=len(surfaces), unit="surfaces") as advance:
        for depth_file, mask_file in surfaces.values():
            depth = _read_depth(release, depth_file)
            where = release.where(mask_file)
            mask = read_picture(release.read(mask_file), where, "mask") > 0
            with format_error(where):
                patches = cut_patches(
                    depth,
                    mask,
                    SIDE,
                    step=STEP,
                    shares=SHARES,
                    n_per_class=N_PER_CLASS,
                    seed=SEED,
                )
                if not len(patches.labels):
                    msg = "no patch of each label can be cut from its surface."
                    raise ValueError(msg)
            cut.append(patches)
            advance(1)
    counts = [len(patches.labels) for patches in cut]
    arrays = {
        "images": np.concatenate([p.images for p in cut]),
        "labels": np.concatenate([p.labels for p in cut]).astype(np.int32),
        "label_names": np.array(["natural rock", "engraving"]),
        "groups": np.repeat(np.arange(len(cut), dtype=np.int32), counts),
        "surface_names": np.array(list(surfaces)),
        "positions": np.concatenate([p.positions for p in cut]).astype(np.int32),
        "engraved_fraction": np.concatenate([p.shares for p in cut]).astype(np.float32),
    }
    done = (
        f"Patches of {SIDE} x {SIDE} pixels, every {STEP}: engraved where at least "
        f"{SHARES[1]:g} of it is in the mask, rock where nothing is; at most "
        f"{N_PER_CLASS} of each per surface, equally many, drawn by the seed {SEED}."
    )
    return [Converted("petrosurf3d_patches", arrays, done)]


def _find(release: Release) -> dict[str, tuple[str, str]]:
    """Return the depth map and the mask of each surface, by its name."""
    depths: dict[str, str] = {}
    masks: dict[str, str] = {}
    for name in release.names:
        path = PurePosixPath(name)
        if path.suffix.lower() not in ENDINGS:
            continue
        for pattern, found in ((DEPTH, depths), (MASK, masks)):
            surface = _surface(path, pattern)
            if surface is None:
                continue
            if surface in found:
                refuse(
                    str(release),
                    f"{found[surface]} and {name} are both of surface {surface}.",
                )
            found[surface] = name
    alone = sorted(depths.keys() ^ masks.keys())
    if alone or len(depths) != N_SURFACES:
        what = f"; {alone[0]} has only one of both" if alone else ""
        refuse(
            str(release),
            f"expected two pictures <surface>_depth and <surface>_gt of each of "
            f"{N_SURFACES} surfaces; found {len(depths)} and {len(masks)}{what}. Get "
            f"them from {HOME}.",
        )
    return {surface: (depths[surface], masks[surface]) for surface in depths}


def _surface(path: PurePosixPath, pattern: re.Pattern[str]) -> str | None:
    """Return the name of the surface where the file, or its folder, fits."""
    match = pattern.fullmatch(path.stem)
    if match and match[1]:
        return match[1]
    folder = pattern.fullmatch(path.parent.name)
    other = MASK if pattern is DEPTH else DEPTH
    return path.stem if folder and not other.fullmatch(path.stem) else None


def _read_depth(release: Release, name: str) -> NDArray[np.float32]:
    where = release.where(name)
    stored = read_picture(release.read(name), where, "depth")
    with np.errstate(over="ignore"):
        depth = stored.astype(np.float32)
    if stored.dtype.kind in "iu":
        depth[stored == 0] = np.nan
    if np.isinf(depth).any():
        refuse(where, "it has depths beyond all numbers; expected NaN where none is.")
    return depth
