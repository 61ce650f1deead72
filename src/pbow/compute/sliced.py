"""The sliced Wasserstein distance: one sweep along each line for a block of pairs.

A point of a diagram and its foot, the nearest point of the diagonal, are projected onto
a line. The height of the diagram at a place of the line is the number of its points
less the number of its feet up to there. F with the feet of G and G with the feet of F
have as many numbers; the sum of the differences of both, sorted, is the integral of
|height of F - height of G|, of which each diagram's part can be sorted on its own.

The integral is a sum over the places where one of the heights jumps. A jump of F by w
at x, where F is at f and G at g, adds x (|f - g| - |f + w - g|). That is done for one
jump and many diagrams G at a time: a sweep walks along the jumps of a block of diagrams
on either side.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pbow.compute.distinct import Distinct
from pbow.compute.jit import contracted

__all__ = ["Jumps", "jumps_of", "sum_over_lines"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

# A code is a jump times 2**BITS, plus the number of its diagram in the block.
BITS = np.int64(16)
NUMBER = np.int64(2**16 - 1)
# Numbers in a vector of the processor: loops over whole ones have no remainder.
LANES = 8
U1 = np.uint64(1)


class Jumps(NamedTuple):
    """Where the heights of a block of diagrams jump, in the order of each line.

    Line d has ``places[starts[d] : starts[d + 1]]``, the last of which is inf and
    closes it, and ``codes`` likewise.
    """

    places: Floats
    codes: Ints
    starts: Ints
    n_diagrams: int


def jumps_of(diagrams: Distinct, lines: Floats, first: int, last: int) -> Jumps:
    """Return the jumps of diagrams ``first`` to ``last - 1``.

    Rows of ``lines`` are (cos, sin). Of jumps at one place, those of one diagram are
    joined, and the others are in the order of the diagrams. In numpy, whose sort is
    faster than one that is compiled here. Cost: a sort per line.
    """
    offsets = diagrams.offsets[first : last + 1]
    where = slice(offsets[0], offsets[-1])
    births, deaths = diagrams.points[where].T.copy()
    feet = 0.5 * (births + deaths)
    # A point and its foot are neighbors, and so are all that is of one diagram.
    number = np.repeat(np.arange(last - first), 2 * np.diff(offsets))
    jumps = np.outer(diagrams.counts[where], (1, -1)).ravel()
    code = (jumps << BITS) + number
    x = np.empty(len(number))
    places = np.empty(len(lines) * (len(x) + 1))
    codes = np.empty(len(places), np.int64)
    starts = np.zeros(len(lines) + 1, np.int64)
    for d, (cos, sin) in enumerate(lines):
        x[::2], x[1::2] = births * cos + deaths * sin, feet * (cos + sin)
        order = x.argsort()
        found, found_codes = x[order], code[order]
        if (found[1:] == found[:-1]).any():
            # The faster sort has no rule for equal numbers.
            order = x.argsort(kind="stable")
            found, found_codes = _joined(x[order], jumps[order], number[order])
        end = starts[d] + len(found)
        places[starts[d] : end], places[end] = found, np.inf
        codes[starts[d] : end], codes[end] = found_codes, 0
        starts[d + 1] = end + 1
    return Jumps(places[: starts[-1]], codes[: starts[-1]], starts, last - first)


def _joined(places: Floats, jumps: Ints, number: Ints) -> tuple[Floats, Ints]:
    """Return places and codes, with one jump per place and diagram, and none of 0."""
    is_new = np.ones(len(places), np.bool_)
    is_new[1:] = (places[1:] != places[:-1]) | (number[1:] != number[:-1])
    first = np.flatnonzero(is_new)
    sums = np.add.reduceat(jumps, first)
    some = sums != 0
    first = first[some]
    return places[first], (sums[some] << BITS) + number[first]


def sum_over_lines(left: Jumps, right: Jumps) -> Floats:
    """Return the distances of pairs of diagrams, added over all lines.

    A block with itself (``left is right``) is exactly symmetric. Otherwise exchanging
    both may change the last bits where jumps of two diagrams coincide: those of `left`
    go first. Cost: per line and point of either diagram, four products.
    """
    n, m = left.n_diagrams, right.n_diagrams
    n_filled, m_filled = (-(-size // LANES) * LANES for size in (n, m))
    heights = _aligned(n_filled + m_filled)
    sums = _aligned(n * m_filled + m * n_filled)
    # Of the right, then of the left: where heights and sums begin, and how many of the
    # other side there are. Chosen by an index, as no branch could be predicted.
    layout = np.array(
        [[n_filled, 0], [n * m_filled, 0], [n_filled, m_filled]], np.uint64
    )
    _sweep(*left[:3], *right[:3], layout, heights, sums)
    of_left, of_right = np.split(sums, [n * m_filled])
    of_left = of_left.reshape(n, m_filled)[:, :m]
    out: Floats = of_left + of_right.reshape(m, n_filled)[:, :n].T
    if left is right:
        out = np.triu(out, 1)
        out += out.T
    # Rounding, which may also be negative.
    return np.maximum(out, 0.0, out=out)


def _aligned(size: int) -> Floats:
    """Return zeros that begin where vectors do: others cost two accesses each."""
    room = np.zeros(size + LANES)
    first = -(room.ctypes.data // room.itemsize) % LANES
    return room[first : first + size]


@contracted
def _sweep(
    x: Floats,
    x_codes: Ints,
    x_starts: Ints,
    y: Floats,
    y_codes: Ints,
    y_starts: Ints,
    layout: NDArray[np.uint64],
    heights: Floats,
    sums: Floats,
) -> None:
    """Add what each jump adds, for all diagrams of the other side.

    ``heights`` are twice those of the left, then of the right, all 0 before and after.
    ``sums`` are a row for each diagram of the left, then of the right.
    """
    own, rows, widths = layout[0], layout[1], layout[2]
    for d in range(x_starts.shape[0] - 1):
        i, j = np.uint64(x_starts[d]), np.uint64(y_starts[d])
        n_jumps = x_starts[d + 1] - x_starts[d] + y_starts[d + 1] - y_starts[d] - 2
        for _ in range(n_jumps):
            a, b = x[i], y[j]
            on_left = np.uint64(a <= b)
            code = x_codes[i] if a <= b else y_codes[j]
            place = a if a < b else b
            i += on_left
            j += np.uint64(a > b)
            jump, number = float(code >> BITS), np.uint64(code & NUMBER)
            at, width = own[on_left] + number, widths[on_left]
            # As |f - g| - |f + w - g| is -w or w, or between them 2 g - (2 f + w).
            middle = heights[at] + jump
            heights[at] = middle + jump
            most, factor = abs(jump), place if jump > 0.0 else -place
            row = sums[rows[on_left] + number * width :][:width]
            others = heights[own[U1 - on_left] :][:width]
            for k in range(width):
                term = others[k] - middle
                term = term if term < most else most
                term = term if term > -most else -most
                row[k] += factor * term
