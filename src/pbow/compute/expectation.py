"""Expectation: what share each component of a Gaussian mixture has in each point.

Components are kept as in ``likelihood``, padded.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import ir
from numba import config, types
from numba.extending import intrinsic
from numpy.typing import NDArray

from pbow.compute.exponential import half_to
from pbow.compute.jit import contracted, contracted_helper
from pbow.compute.likelihood import LOG_2, distance, far_shares
from pbow.compute.mixture import pad
from pbow.compute.tiles import TILE, Tiles

__all__ = ["expect"]

Floats = NDArray[np.float64]

LANES = 8  # numbers side by side: one vector of the processor, or two
# Below this, likelihoods have lost digits; the slow way has its own scale.
FAINT = 1e-250
# A component that is fainter than another by as many bits adds nothing to their sum,
# which is rounded to 53.
FAR = 56.0
ZERO = np.uint64(0)


def expect(
    tiles: Tiles, components: Floats, densities: Floats, points_per_call: int
) -> Floats:
    """Return each component's share of the points as ``moments`` (6, components).

    Rows: sum of responsibilities r, of r dx, r dy, r dx dx, r dx dy, r dy dy, with dx,
    dy from the component's mean. ``densities[i]`` is set to the log density of point i
    of the tiles. In a tile, components are left out whose share of its points is lost
    in rounding. Cost: one power of 2 per point and component that is not; compiled
    calls end after ``points_per_call``, rounded up to whole tiles.
    """
    n = components.shape[1]
    packed = pad(components, LANES)
    width = packed.shape[1]
    sums, shares = np.zeros((width, 6 * LANES)), np.empty((width, TILE))
    bounds, few = np.empty((3, width)), np.empty((2, TILE))
    near, shifts = np.zeros(width, np.int64), np.zeros(len(densities))
    n_tiles, step = len(tiles.boxes), -(-points_per_call // TILE)
    for first in range(0, n_tiles, step):
        last = min(first + step, n_tiles)
        _expect(
            *(*tiles, first, last, packed),
            *(bounds, near, shares, few, sums, densities, shifts),
        )
    np.log(densities, out=densities)
    densities += LOG_2 * components[5].max()
    if shifts.any():
        densities += LOG_2 * shifts
    moments: Floats = np.einsum("kml->mk", sums[:n].reshape(n, 6, LANES))
    return moments


@contracted
def _expect(
    all_x: Floats,
    all_y: Floats,
    boxes: Floats,
    first: int,
    last: int,
    components: Floats,
    bounds: Floats,
    near: NDArray[np.int64],
    shares: Floats,
    few: Floats,
    sums: Floats,
    densities: Floats,
    shifts: Floats,
) -> None:
    """Add tiles ``first:last`` to ``sums``, LANES for each, and set their densities.

    These are times two to the power of ``shifts``, which are 0 before: set where
    densities are too small. Other arguments are scratch.
    """
    total, inverse = few[0], few[1]
    for at in range(first, last):
        low = at * TILE
        size = min(TILE, densities.shape[0] - low)
        x, y = all_x[low : low + TILE], all_y[low : low + TILE]
        n_near = _find_near(boxes[at], components, bounds, near)
        for t in range(TILE):
            total[t] = 0.0
        for j in range(n_near):
            k, share = near[j], shares[j]
            mx, my, less = components[0, k], components[1, k], components[5, k]
            a, b, c = components[2, k], components[3, k], components[4, k]
            for t in range(TILE):
                power = half_to(distance(x[t], y[t], mx, my, a, b, c) - less)
                share[t] = power
                total[t] += power
        for t in range(size):
            if total[t] < FAINT:
                alone = bounds[0]
                total[t], shifts[low + t] = far_shares(
                    x[t], y[t], components, ZERO, np.uint64(alone.shape[0]), alone
                )
                for j in range(n_near):
                    shares[j, t] = alone[near[j]]
            densities[low + t] = total[t]
        # The last point, once more, has no share.
        for t in range(size, TILE):
            total[t] = np.inf
        for t in range(TILE):
            inverse[t] = 1.0 / total[t]
        for j in range(n_near):
            k = near[j]
            mx, my = components[0, k], components[1, k]
            _add_moments(shares[j], inverse, x, y, mx, my, sums[k])


@contracted_helper
def _find_near(
    box: Floats, components: Floats, bounds: Floats, near: NDArray[np.int64]
) -> int:
    """Set ``near`` to the components that matter in a box; return how many.

    Logarithms of what each adds to the density of a point are bounded from both sides,
    by its largest and least distance from the box. One that is everywhere fainter than
    another by FAR bits is left out.
    """
    x, y, half_x, half_y = box[0], box[1], box[2], box[3]
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
    enough = max(top0, top1, top2, top3) - FAR
    n_near = 0
    for k in range(width):
        near[n_near] = k
        # Also where a bound is not a number.
        n_near += not most[k] < enough
    return n_near


def _moments_adder() -> Any:
    """Return a compiled function that adds the points of a tile to LANES sums each.

    ``f(share, inverse, x, y, mean_x, mean_y, sums)``, see :func:`expect`. Written as
    vectors, because the compiler makes none of so short a loop over arrays that might
    overlap.
    """

    def typed(_: Any, s: Any, i: Any, x: Any, y: Any, mx: Any, my: Any, to: Any) -> Any:
        def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            lanes = ir.VectorType(ir.DoubleType(), LANES)
            unset = ir.Constant(lanes, ir.Undefined)
            all_first = ir.Constant(ir.VectorType(ir.IntType(32), LANES), [0] * LANES)

            def place(array: int, i: int) -> Any:
                make = context.make_array(signature.args[array])
                data = make(context, builder, args[array]).data
                index = ir.Constant(ir.IntType(64), i * LANES)
                return builder.bitcast(builder.gep(data, [index]), lanes.as_pointer())

            def repeated(value: Any) -> Any:
                one = builder.insert_element(
                    unset, value, ir.Constant(ir.IntType(32), 0)
                )
                return builder.shuffle_vector(one, unset, all_first)

            def product(a: Any, b: Any) -> Any:
                return builder.fmul(a, b, flags=("contract",))

            def sum_of(a: Any, b: Any) -> Any:
                return builder.fadd(a, b, flags=("contract",))

            mean_x, mean_y = repeated(args[4]), repeated(args[5])
            sums = [builder.load(place(6, row), align=8) for row in range(6)]
            for part in range(TILE // LANES):
                share, inverse, x, y = (
                    builder.load(place(array, part), align=8) for array in range(4)
                )
                r = product(share, inverse)
                dx, dy = builder.fsub(x, mean_x), builder.fsub(y, mean_y)
                rx, ry = product(r, dx), product(r, dy)
                terms = (r, rx, ry, product(rx, dx), product(rx, dy), product(ry, dy))
                sums = list(map(sum_of, sums, terms))
            for row, total in enumerate(sums):
                builder.store(total, place(6, row), align=8)
            return context.get_dummy_value()

        return types.void(s, i, x, y, mx, my, to), code

    def plain(
        share: Floats,
        inverse: Floats,
        x: Floats,
        y: Floats,
        mean_x: float,
        mean_y: float,
        sums: Floats,
    ) -> None:
        for t in range(TILE):
            r, dx, dy = share[t] * inverse[t], x[t] - mean_x, y[t] - mean_y
            terms = (r, r * dx, r * dy, r * dx * dx, r * dx * dy, r * dy * dy)
            for row, term in enumerate(terms):
                sums[row * LANES + t % LANES] += term

    return (
        plain
        if config.DISABLE_JIT  # type: ignore[attr-defined]
        else intrinsic(typed)
    )


_add_moments = _moments_adder()
