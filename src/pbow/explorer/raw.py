"""Raw data of samples in the page: images and point clouds, as many as fit."""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pbow._utils.checks import check_length, check_location
from pbow._utils.text import plural
from pbow.diagrams import Diagrams
from pbow.errors import ParameterError, of_part
from pbow.explorer.thinning import spread

__all__ = ["KINDS", "PackedRaw", "check_raw", "pack_raw"]

Floats = NDArray[np.float64]

KINDS = ("image", "cloud")
MOST_PIXELS = 128  # of an image in each direction; larger ones are averaged
MOST_VERTICES = 5_000  # of a cloud; larger ones would be slow to turn
LARGEST = 2**31  # pixels or vertices, because locations in the page are int32


@dataclass(frozen=True)
class PackedRaw:
    """Raw data of some samples, one after the other."""

    numbers: NDArray[Any]  # uint8 of images or float32 of clouds
    items: dict[int, dict[str, Any]]  # by sample: start in bytes, and shapes
    without: list[int]  # samples that no raw data was given for
    notes: list[str]


def check_raw(
    raw: Sequence[Any] | None, kind: str, X: Diagrams
) -> list[NDArray[Any] | None] | None:
    """Return an array or None per sample, or say what is wrong.

    Each array has all places where the points of its sample are located.
    """
    if kind not in KINDS:
        raise ParameterError("raw_kind", "'image' or 'cloud'", kind)
    if raw is None:
        return None
    expected = f"a sequence of {len(X)} items, one per diagram (None for those without)"
    check_length("raw", raw, len(X), expected)
    checked = [
        None if one is None else _check_one(one, kind, i) for i, one in enumerate(raw)
    ]
    for part in X.parts:
        _check_locations(checked, kind, X[part], part)
    return checked


def _check_locations(
    raw: Sequence[NDArray[Any] | None], kind: str, X: Diagrams, part: str
) -> None:
    """Raise if a point is located where its sample has no pixel or vertex."""
    for i, one in enumerate(raw):
        where = X.locations_of(i)
        if one is None or where is None:
            continue
        n_places, noun = (
            (one.size, "pixel") if kind == "image" else (len(one), "vertex")
        )
        owner = f"Diagram {i}{of_part(part)} has"
        check_location(int(where.max(initial=-1)), n_places, noun, owner)


def _check_one(one: Any, kind: str, i: int) -> NDArray[Any]:
    array = np.asarray(one)
    is_right = array.ndim == 2 and array.size > 0
    expected = "an image of shape (rows, columns)"
    if kind == "cloud":
        is_right = is_right and array.shape[1] in (2, 3)
        expected = "points of shape (n, 2) or (n, 3)"
    name = f"raw[{i}]"
    if not is_right:
        raise ParameterError(name, expected, f"shape {array.shape}")
    if array.size >= LARGEST:
        raise ParameterError(name, f"fewer than {LARGEST} numbers", array.size)
    if array.dtype.kind not in "buif":
        raise ParameterError(name, "numbers", array.dtype.name)
    # As in cubical, infinite pixels are a mask.
    is_valid = ~np.isnan(array) if kind == "image" else np.isfinite(array)
    if not is_valid.all():
        value = array[~is_valid][0]
        if kind == "cloud":
            raise ParameterError(name, "finite numbers", value)
        advice = "Set pixels that are not part of the image to inf."
        raise ParameterError(name, "an image without NaN", value, advice=advice)
    return array


def pack_raw(
    raw: Sequence[NDArray[Any] | None],
    kind: str,
    members: NDArray[np.int64],
    n_bytes: int,
) -> PackedRaw:
    """Return the raw data of as many samples as fit, spread evenly over labels."""
    given = [i for i, one in enumerate(raw) if one is not None]
    is_large = {
        i: kind == "cloud" and len(raw[i]) > MOST_VERTICES  # type: ignore[arg-type]
        for i in given
    }
    usable = np.array([i for i in given if not is_large[i]], np.intp)
    small = {i: _shrink(raw[i], kind) for i in usable.tolist()}
    costs = np.array([_cost(small[i]) for i in usable.tolist()], np.int64)
    kept = np.arange(len(usable))
    while len(kept) and costs[kept].sum() > n_bytes:
        fitting = int(0.95 * len(kept) * n_bytes / costs[kept].sum())
        kept = spread(members[usable], min(fitting, len(kept) - 1))[: len(usable)]
    items = {}
    blocks: list[NDArray[Any]] = []
    start = 0
    for i in usable[kept].tolist():
        block = small[i]
        items[i] = {"start": start, "shape": block.shape, "full": np.shape(raw[i])}
        if kind == "image":
            items[i]["masked"] = _is_masked(np.asarray(raw[i]))
        blocks.append(block.ravel())
        start += block.nbytes
    dtype = np.uint8 if kind == "image" else np.float32
    numbers = np.concatenate(blocks) if blocks else np.empty(0, dtype)
    notes = _notes(kind, items, raw, len(given), sum(is_large.values()))
    without = [i for i, one in enumerate(raw) if one is None]
    return PackedRaw(numbers, items, without, notes)


def _shrink(one: Any, kind: str) -> NDArray[Any]:
    """Return a cloud as float32, or an image in 256 grays, averaged if it is large."""
    values = np.asarray(one, np.float64)
    # By a power of two, so that no digit changes and no sum overflows.
    _, exponent = np.frexp(np.abs(values[np.isfinite(values)]).max(initial=0.0))
    values = np.ldexp(values, -exponent)
    return _shrink_image(values) if kind == "image" else _shrink_cloud(values)


def _shrink_cloud(cloud: Floats) -> NDArray[np.float32]:
    """Return a cloud around the origin, of extent 1: float32 keeps its shape."""
    cloud = cloud - cloud.mean(axis=0)
    extent = np.ptp(cloud, axis=0).max()
    return (cloud / (extent or 1.0)).astype(np.float32)


def _shrink_image(image: Floats) -> NDArray[np.uint8]:
    """Return the grays of an image; if it is masked, from 1 on, and 0 is the mask."""
    first = int(_is_masked(image))
    factor = -(-max(image.shape) // MOST_PIXELS)
    if factor > 1:
        is_there = np.isfinite(image)
        sums = _block_sums(np.where(is_there, image, 0.0), factor)
        sizes = _block_sums(is_there.astype(np.float64), factor)
        image = np.full(sums.shape, np.inf)
        np.divide(sums, sizes, out=image, where=sizes > 0.0)
    is_there = np.isfinite(image)
    grays = np.zeros(image.shape, np.uint8)
    if is_there.any():
        values = image[is_there]
        low, high = values.min(), values.max()
        scaled = (255 - first) * (values - low) / ((high - low) or 1.0)
        grays[is_there] = np.rint(scaled) + first
    return grays


def _is_masked(image: NDArray[Any]) -> bool:
    return not np.isfinite(image).all()


def _block_sums(image: Floats, factor: int) -> Floats:
    """Return the sums of square blocks; those of the last row or column are smaller."""
    rows, columns = (np.arange(0, n, factor) for n in image.shape)
    sums: Floats = np.add.reduceat(image, rows, axis=0)
    return np.add.reduceat(sums, columns, axis=1)


def _cost(block: NDArray[Any]) -> int:
    """Return the bytes that a block takes in base64, with its entry in JSON."""
    return len(zlib.compress(block.tobytes(), 1)) * 4 // 3 + 80


def _notes(
    kind: str,
    items: dict[int, dict[str, Any]],
    raw: Sequence[Any],
    n_given: int,
    n_large: int,
) -> list[str]:
    notes = [f"Raw data of {len(items):,} of {len(raw):,} samples are in this page."]
    if n_given < len(raw):
        n_without = plural(len(raw) - n_given, "sample")
        notes.append(f"No raw data was given for {n_without}.")
    if n_large:
        notes.append(
            f"{n_large:,} clouds of more than {MOST_VERTICES:,} points are left out."
        )
    n_left = n_given - n_large - len(items)
    if n_left:
        notes.append(
            f"Raw data of {n_left:,} samples are left out so that the page stays "
            "small; those that are in it are spread evenly over samples and labels."
        )
    if kind == "image" and any(
        item["full"] != item["shape"] for item in items.values()
    ):
        notes.append(
            f"Images of more than {MOST_PIXELS} pixels in one direction are averaged "
            "for drawing; locations are those of the original pixels."
        )
    return notes
