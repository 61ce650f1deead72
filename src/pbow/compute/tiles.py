"""Points of the plane in small boxes, so that what is far from a box is left out."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from llvmlite import ir
from numba import config, types
from numba.core.errors import TypingError
from numba.extending import intrinsic
from numpy.typing import NDArray

from pbow.compute.jit import contracted_helper

__all__ = ["LANES", "TILE", "Tiles", "add_moments", "find_near", "tile"]

Floats = NDArray[np.float64]

LANES = 8  # numbers side by side: one vector of the processor, or two
TILE = 32  # points of a box; a multiple of LANES
# More than distances are rounded by, relative to their size.
ROUNDED = 1e-9
LEVELS = 2**16 - 1  # numpy sorts numbers of 16 bits in the time of a few passes


class Tiles(NamedTuple):
    """Coordinates, TILE for each box, the last point as often as fills the last one.

    A row of ``boxes`` is the middle in x and in y, then half the width and the height,
    not less than either in spite of rounding.
    """

    x: Floats
    y: Floats
    boxes: Floats

    def between(self, first: int, last: int) -> Tiles:
        """Return those of boxes ``first:last``."""
        points = slice(TILE * first, TILE * last)
        return Tiles(self.x[points], self.y[points], self.boxes[first:last])


def tile(points: Floats) -> tuple[NDArray[np.intp], Tiles]:
    """Return an order of ``points`` (n, 2) in which neighbors are close, and its tiles.

    It goes through strips of equal numbers of points side by side, and in a strip from
    one end to the other, so that boxes are about as wide as they are high. Coordinates
    are sorted by their first 16 bits between the least and the largest one.
    """
    n = len(points)
    n_tiles = -(-n // TILE)
    in_strip = TILE * math.ceil(n_tiles / math.ceil(math.sqrt(n_tiles)))
    levels_x, levels_y = map(_levels, points.T)
    across = np.argsort(levels_x, kind="stable")
    strip = (np.arange(n) // in_strip).astype(np.uint16)
    along = np.argsort(levels_y[across], kind="stable")
    order = across[along[np.argsort(strip[along], kind="stable")]]
    filled = np.append(order, np.repeat(order[-1:], n_tiles * TILE - n))
    x, y = np.ascontiguousarray(points[filled].T)
    lower, upper = (
        np.column_stack([extreme(c.reshape(-1, TILE), axis=1) for c in (x, y)])
        for extreme in (np.min, np.max)
    )
    middle = 0.5 * lower + 0.5 * upper
    halves = np.maximum(middle - lower, upper - middle) * (1.0 + 1e-15)
    boxes = np.hstack((middle, halves))
    return order, Tiles(x, y, boxes)


def _levels(values: Floats) -> NDArray[np.uint16]:
    """Return where values are between the least and the largest one."""
    least, size = values.min(), np.ptp(values)
    unit = size if size > 0.0 else 1.0
    shares: Floats = (values - least) / unit
    return (LEVELS * shares).astype(np.uint16)


@contracted_helper
def find_near(
    boxes: Floats,
    at: int,
    components: Floats,
    bits: float,
    bounds: Floats,
    near: NDArray[np.uint64],
) -> int:
    """Set ``near`` to the components that matter in box ``at``; return how many.

    They are as in ``likelihood``, padded to a multiple of 4. Logarithms of what each
    adds to the density of a point are bounded from both sides, by its largest and least
    distance from the box. A component is left out if its density in the whole box is
    lower than that of another by a factor of at least 2 ** bits. Cost: their number;
    ``bounds`` has two rows of it.
    """
    x, y, half_x, half_y = boxes[at, 0], boxes[at, 1], boxes[at, 2], boxes[at, 3]
    mean_x, mean_y, log_factor = components[0], components[1], components[5]
    l11, l21, l22 = components[2], components[3], components[4]
    least, most = bounds[0], bounds[1]
    width = least.shape[0]
    for k in range(width):
        dx, dy = x - mean_x[k], y - mean_y[k]
        u, v = abs(dx * l11[k]), abs(dx * l21[k] + dy * l22[k])
        wide_u = half_x * abs(l11[k])
        wide_v = half_x * abs(l21[k]) + half_y * abs(l22[k])
        far_u, far_v = u + wide_u, v + wide_v
        least[k] = log_factor[k] - (far_u * far_u + far_v * far_v)
        near_u, near_v = u - wide_u, v - wide_v
        near_u = near_u if near_u > 0.0 else 0.0
        near_v = near_v if near_v > 0.0 else 0.0
        most[k] = log_factor[k] - (near_u * near_u + near_v * near_v)
    # Four at a time: one maximum would wait for each comparison to end.
    top0, top1, top2, top3 = least[0], least[1], least[2], least[3]
    for k in range(4, width, 4):
        d0, d1, d2, d3 = least[k], least[k + 1], least[k + 2], least[k + 3]
        top0 = d0 if d0 > top0 else top0
        top1 = d1 if d1 > top1 else top1
        top2 = d2 if d2 > top2 else top2
        top3 = d3 if d3 > top3 else top3
    enough = max(top0, top1, top2, top3)
    # By far more than distances are rounded.
    enough -= bits + ROUNDED * abs(enough)
    n_near = 0
    for k in range(width):
        near[n_near] = np.uint64(k)
        # Also where a bound is not a number.
        n_near += not most[k] < enough
    return n_near


def _moments_adder() -> Any:
    """Return a compiled function that adds the points of a tile to six sums.

    ``f(share, at, factor, x, y, low, mean_x, mean_y, sums, to)`` adds to LANES sums of
    r, from ``sums[to]`` on, as many of r dx, and so on with r dy, r dx dx, r dx dy,
    r dy dy: dx, dy are the differences from the mean of points ``low`` to
    ``low + TILE``, and r are their shares, from ``share[at]`` on, times their factors.

    Written as vectors, because the compiler makes none of so short a loop over arrays
    that might overlap; with indices, because views of arrays count who uses them.
    """

    def typed(
        _: Any,
        share: Any,
        at: Any,
        factor: Any,
        x: Any,
        y: Any,
        low: Any,
        mean_x: Any,
        mean_y: Any,
        sums: Any,
        to: Any,
    ) -> Any:
        if any(array.layout != "C" for array in (share, factor, x, y, sums)):
            msg = "Expected contiguous arrays, whose numbers are read in vectors."
            raise TypingError(msg)

        def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            share, at, factor, x, y, low, mean_x, mean_y, sums, to = args
            lanes = ir.VectorType(ir.DoubleType(), LANES)
            unset = ir.Constant(lanes, ir.Undefined)
            all_first = ir.Constant(ir.VectorType(ir.IntType(32), LANES), [0] * LANES)

            def vectors(array: Any, start: Any, n_vectors: int) -> list[Any]:
                make = context.make_array(signature.args[args.index(array)])
                data = make(context, builder, array).data
                pointer = builder.bitcast(
                    builder.gep(data, [start]), lanes.as_pointer()
                )
                steps = [ir.Constant(ir.IntType(64), i) for i in range(n_vectors)]
                return [builder.gep(pointer, [step]) for step in steps]

            def load(pointer: Any) -> Any:
                return builder.load(pointer, align=8)

            def repeated(value: Any) -> Any:
                first = ir.Constant(ir.IntType(32), 0)
                one = builder.insert_element(unset, value, first)
                return builder.shuffle_vector(one, unset, all_first)

            def product(a: Any, b: Any) -> Any:
                return builder.fmul(a, b, flags=("contract",))

            def sum_of(a: Any, b: Any) -> Any:
                return builder.fadd(a, b, flags=("contract",))

            n_vectors, zero = TILE // LANES, ir.Constant(ir.IntType(64), 0)
            mean_x, mean_y = repeated(mean_x), repeated(mean_y)
            targets = vectors(sums, to, 6)
            totals = list(map(load, targets))
            for pointers in zip(
                vectors(share, at, n_vectors),
                vectors(factor, zero, n_vectors),
                vectors(x, low, n_vectors),
                vectors(y, low, n_vectors),
                strict=True,
            ):
                some, times, dx, dy = map(load, pointers)
                r = product(some, times)
                dx, dy = builder.fsub(dx, mean_x), builder.fsub(dy, mean_y)
                rx, ry = product(r, dx), product(r, dy)
                terms = (r, rx, ry, product(rx, dx), product(rx, dy), product(ry, dy))
                totals = list(map(sum_of, totals, terms))
            for total, target in zip(totals, targets, strict=True):
                builder.store(total, target, align=8)
            return context.get_dummy_value()

        given = (share, at, factor, x, y, low, mean_x, mean_y, sums, to)
        return types.void(*given), code

    def plain(
        share: Floats,
        at: int,
        factor: Floats,
        x: Floats,
        y: Floats,
        low: int,
        mean_x: float,
        mean_y: float,
        sums: Floats,
        to: int,
    ) -> None:
        for t in range(TILE):
            r, dx, dy = (
                share[at + t] * factor[t],
                x[low + t] - mean_x,
                y[low + t] - mean_y,
            )
            terms = (r, r * dx, r * dy, r * dx * dx, r * dx * dy, r * dy * dy)
            for row, term in enumerate(terms):
                sums[to + row * LANES + t % LANES] += term

    return (
        plain
        if config.DISABLE_JIT  # type: ignore[attr-defined]
        else intrinsic(typed)
    )


add_moments = _moments_adder()
