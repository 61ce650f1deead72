"""Raw data of samples in the page: images and point clouds, as many as fit."""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pbow._utils.checks import check_location
from pbow._utils.text import plural
from pbow.diagrams import Diagrams
from pbow.errors import ParameterError, of_part
from pbow.explorer.thinning import spread

__all__ = ["KINDS", "PackedRaw", "check_raw", "pack_raw"]

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
    n_samples = len(X)
    if kind not in KINDS:
        raise ParameterError("raw_kind", "'image' or 'cloud'", kind)
    if raw is None:
        return None
    if len(raw) != n_samples:
        expected = f"{n_samples} items, one per diagram (None for those without)"
        raise ParameterError("raw", expected, len(raw))
    checked = [
        None if one is None else _check_one(one, kind, i) for i, one in enumerate(raw)
    ]
    for part in X.parts:
        _check_locations(checked, kind, X[part], part)
    return checked


def _check_locations(
    raw: Sequence[NDArray[Any] | None], kind: str, X: Diagrams, part: str
) -> None:
    """Raise if a point is located at a pixel or vertex that its sample does not have."""
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
    if array.dtype.kind not in "buif" or not np.isfinite(array).all():
        raise ParameterError(name, "finite numbers", array.dtype.name)
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
        blocks.append(block.ravel())
        start += block.nbytes
    dtype = np.uint8 if kind == "image" else np.float32
    numbers = np.concatenate(blocks) if blocks else np.empty(0, dtype)
    notes = _notes(kind, items, raw, len(given), sum(is_large.values()))
    without = [i for i, one in enumerate(raw) if one is None]
    return PackedRaw(numbers, items, without, notes)


def _shrink(one: Any, kind: str) -> NDArray[Any]:
    """Return a cloud as float32, or an image in 256 grays, averaged if it is large."""
    if kind == "cloud":
        return np.asarray(one, np.float32)
    image = np.asarray(one, np.float64)
    factor = -(-max(image.shape) // MOST_PIXELS)
    if factor > 1:
        rows, columns = (np.arange(0, n, factor) for n in image.shape)
        sums = np.add.reduceat(np.add.reduceat(image, rows, axis=0), columns, axis=1)
        heights = np.diff(np.append(rows, image.shape[0]))
        widths = np.diff(np.append(columns, image.shape[1]))
        image = sums / np.outer(heights, widths)
    low, high = image.min(), image.max()
    if low == high:
        return np.zeros(image.shape, np.uint8)
    grays: NDArray[Any] = np.rint((image - low) * (255.0 / (high - low)))
    return grays.astype(np.uint8)


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
