"""Pixels at which classes of an image in the plane are born and die, by union-find.

Conventions:

* pixels enter one by one, by value, equal ones by index. Pixels that have entered are
  connected to all eight neighbors, and the others to four, and to the *outside* if they
  are at the border. The outside never enters;
* a loop is around a component of pixels that have not entered, and dies with the last
  of them. In reverse order components of these merge, and the one born later dies: its
  first pixel is the death of a loop, and the pixel that merges is the birth;
* the *mask* of a pixel has a bit for each neighbor, clockwise from the one above, set
  if the neighbor enters earlier. Around the pixel runs of earlier neighbors, which are
  connected without it, take turns with runs of later ones. Components merge only at a
  *saddle*, a pixel with several runs of both.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from pbow.compute.jit import helper, loop
from pbow.compute.union_find import find

__all__ = ["locate_in_plane"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Masks = NDArray[np.uint8]

SIGN = np.uint64(2**63)
ALL = np.uint64(2**64 - 1)
BYTE = np.uint64(255)
# Of one type, while 1 and -1 would be of two, and _merge compiled for each.
FORWARD, BACKWARD = np.int64(1), np.int64(-1)

# All of these are tables over masks.
EARLIER = np.arange(256)
LATER = 255 - EARLIER
SIDES = 0b01010101
# One neighbor of each run: of later ones the last that shares a side, and of earlier
# ones, which follow, the first. It is the next neighbor, or the one after that.
LATER_RUNS = LATER & SIDES & ~(LATER >> 1 & (LATER >> 2 | LATER << 6))
FOLLOWING = LATER_RUNS << 1
FOLLOWING = FOLLOWING & EARLIER | (FOLLOWING & LATER) << 1
EARLIER_RUNS = (FOLLOWING | FOLLOWING >> 8) & 255
IS_SADDLE = LATER_RUNS & (LATER_RUNS - 1) != 0
# The place of any bit that is set.
NONE = 8
ANY = np.array([NONE, *(mask.bit_length() - 1 for mask in range(1, 256))])
DOWN, UP = ANY[EARLIER], ANY[LATER & SIDES]


@loop
def locate_in_plane(framed: Floats, width: int, scratch: Ints) -> Any:
    """Return points and pixels of H0, and points and pixels of H1.

    ``framed`` is the image in a frame of NaN, flat, with rows of ``width``, without
    -0.0; ``scratch`` is of shape (3, framed.size). Both change. Points of H0 are in the
    order of their deaths, the essential one last; those of H1 in reverse order of their
    births. Points born at inf are left out, and those born at the value of their death.
    A death at inf has the pixel -1. Cost: n_pixels, and nearly n_saddles.
    """
    n = framed.shape[0]
    masks = np.empty(n, np.uint8)
    _set_masks(framed, width, masks)
    steps = np.empty(9, np.int64)
    steps[0], steps[1], steps[2] = -width, 1 - width, 1
    steps[3], steps[4], steps[5] = 1 + width, width, width - 1
    steps[6], steps[7], steps[8] = -1, -1 - width, 0
    # The parents of a pixel are an earlier one and a later one, or itself.
    down, up, saddles = scratch[0], scratch[1], scratch[2]
    outside = n - 1
    framed[outside] = np.inf  # and of the highest index: first in reverse order
    for p in range(n):
        up[p] = outside
    n_saddles = n_lowest = n_highest = 0
    for start in range(width, n - width, width):
        for p in range(start + 1, start + width - 1):
            mask = masks[p]
            down[p] = p + steps[DOWN[mask]]
            up[p] = p + steps[UP[mask]]
            saddles[n_saddles] = p
            n_saddles += IS_SADDLE[mask]
            n_lowest += DOWN[mask] == NONE
            n_highest += UP[mask] == NONE
    by_value = _sort(framed, saddles[:n_saddles])
    points, pixels = np.empty((n_lowest, 2)), np.empty((n_lowest, 2), np.int64)
    loops, filled = np.empty((n_highest, 2)), np.empty((n_highest, 2), np.int64)
    row = _merge(
        down, EARLIER_RUNS, steps, by_value, masks, framed, FORWARD, points, pixels
    )
    n_loops = _merge(
        up, LATER_RUNS, steps, by_value, masks, framed, BACKWARD, loops, filled
    )
    lowest = find(down, width + 1)
    if framed[lowest] < np.inf:
        points[row, 0], points[row, 1] = framed[lowest], np.inf
        pixels[row, 0], pixels[row, 1] = _unframed(lowest, width), -1
        row += 1
    return points[:row], pixels[:row], loops[:n_loops], filled[:n_loops]


@helper
def _set_masks(framed: Floats, width: int, masks: Masks) -> None:
    """Set the masks of all pixels but those of the frame. NaN is later than all."""
    for start in range(width, framed.shape[0] - width, width):
        above = framed[start - width : start]
        row = framed[start : start + width]
        below = framed[start + width : start + 2 * width]
        out = masks[start : start + width]
        for j in range(1, width - 1):
            x = row[j]
            out[j] = (
                (above[j] <= x)
                | (above[j + 1] <= x) << 1
                | (row[j + 1] < x) << 2
                | (below[j + 1] < x) << 3
                | (below[j] < x) << 4
                | (below[j - 1] < x) << 5
                | (row[j - 1] <= x) << 6
                | (above[j - 1] <= x) << 7
            )


@helper
def _sort(values: Floats, pixels: Ints) -> Ints:
    """Return the pixels by value, equal ones in their order: a radix sort of bytes."""
    n = pixels.shape[0]
    words, moved_words = np.empty(n, np.uint64), np.empty(n, np.uint64)
    moved = np.empty(n, np.int64)
    bits = values.view(np.uint64)
    places = np.zeros((8, 256), np.int64)
    for k in range(n):
        word = bits[pixels[k]]
        # Floats below zero grow as their bits fall.
        word ^= ALL if word & SIGN else SIGN
        words[k] = word
        for b in range(8):
            places[b, np.int64(word >> np.uint64(8 * b) & BYTE)] += 1
    for b in range(8):
        shift = np.uint64(8 * b)
        if n == 0 or places[b, np.int64(words[0] >> shift & BYTE)] == n:
            continue  # one byte for all, as the last ones of whole numbers are
        start = 0
        for value in range(256):
            count = places[b, value]
            places[b, value] = start
            start += count
        for k in range(n):
            byte = np.int64(words[k] >> shift & BYTE)
            place = places[b, byte]
            places[b, byte] += 1
            moved_words[place], moved[place] = words[k], pixels[k]
        words, moved_words = moved_words, words
        pixels, moved = moved, pixels
    return pixels


@helper
def _merge(
    parents: Ints,
    runs: Ints,
    steps: Ints,
    saddles: Ints,
    masks: Masks,
    framed: Floats,
    sign: Any,
    points: Floats,
    pixels: Ints,
) -> int:
    """Set points and pixels of the components that die at saddles; return how many.

    Components are those of earlier pixels if ``sign`` is 1, and in reverse order those
    of later ones if it is -1. The root of each is its first pixel.
    """
    n, row, width = saddles.shape[0], 0, steps[4]
    younger_end = 0 if sign > 0 else 1
    for k in range(n):
        p = saddles[k if sign > 0 else n - 1 - k]
        run = runs[masks[p]]
        elder = -1
        for d in range(8):
            if not run >> d & 1:
                continue
            younger = find(parents, p + steps[d])
            if elder < 0:
                elder = younger
            if younger == elder:
                continue
            x, y = sign * framed[younger], sign * framed[elder]
            if x < y or (x == y and sign * younger < sign * elder):
                elder, younger = younger, elder
            parents[younger] = elder
            if framed[younger] != framed[p]:
                points[row, younger_end] = framed[younger]
                points[row, 1 - younger_end] = framed[p]
                pixels[row, younger_end] = _unframed(younger, width)
                pixels[row, 1 - younger_end] = _unframed(p, width)
                if points[row, 1] == np.inf:
                    pixels[row, 1] = -1
                row += 1
    return row


@helper
def _unframed(p: int, width: int) -> int:
    """Return the index of a pixel in the image without a frame."""
    return p - width - 1 - 2 * (p // width - 1)
