"""Gaussians integrated over the pixels of a grid: the loops of persistence images.

On an axis with pixels of width 1, a point at t whose Gaussian has the standard
deviation 1 / ``ratio`` has the mass

    Phi((i + 1 - t) * ratio) - Phi((i - t) * ratio)

in pixel i, with the normal distribution function Phi; in the plane it has the product
of two of these. An axis keeps a table of them: for each offset of a pixel from that of
the point, and each cell (a part of a pixel, short against the Gaussian) in which the
point can lie, a polynomial of the place in the cell. What a point has in all pixels is
then a sum of eight rows of the table, times powers of the place, and no exponential.
Eight points at a time are added to an image as a sum of eight rows, too. Pixels beyond
8.5 standard deviations, where less than 1e-17 of the mass is, are left out.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from llvmlite import ir
from numba import config, types
from numba.extending import intrinsic
from numpy.typing import NDArray

from pbow.compute.jit import contracted, loop
from pbow.compute.ramp import ramp_weight

__all__ = ["Axis", "extent", "make_axis", "sum_images", "sum_lines"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

REACH = 8.5  # standard deviations
# Terms of a polynomial, and points at a time.
EIGHT = 8
# Width of a cell in standard deviations, at most: Taylor's polynomial of eight terms
# then errs by less than 1e-15.
CELL = 1.0 / 16.0
# Numbers in a table, at most. Gaussians much narrower than a pixel, or much wider than
# the box, would need more; their points call erfc.
LARGEST_TABLE = 1 << 17
# Pixels that are computed together; rows are padded to a multiple.
LANES = 4
# So many pixels away is as good as anywhere farther: numbers stay finite.
FAR = 1e15


class Axis(NamedTuple):
    """The pixels of one axis, and what a Gaussian has in them.

    Attributes
    ----------
    low : float
        Where the first pixel starts.
    rate : float
        Number of pixels in a unit.
    n_pixels : int
        Number of pixels.
    ratio : float
        Width of a pixel in standard deviations.
    reach : int
        Largest offset of a pixel with mass.
    cells : int
        Number of cells in a pixel; 0 where there is no table.
    table : ndarray of shape (cells * 8 * (2 * reach + 1 + 2 * LANES),)
        By cell, power of the place in it (from -1/2 to 1/2) and offset from
        ``-reach - LANES``; the first and the last LANES offsets are padding.
    """

    low: float
    rate: float
    n_pixels: int
    ratio: float
    reach: int
    cells: int
    table: Floats


def make_axis(low: float, high: float, n_pixels: int, bandwidth: float) -> Axis:
    """Return an axis of equal pixels from low to high, for this standard deviation."""
    width = (high - low) / n_pixels
    ratio = min(width / bandwidth, 1e300)
    reach = int(min(REACH / ratio, FAR) if ratio > 0.0 else FAR) + 1
    cells = int(min(ratio / CELL, FAR)) + 1
    offsets = 2 * reach + 1 + 2 * LANES
    if cells * EIGHT * offsets > LARGEST_TABLE:
        cells = offsets = 0
    table = np.zeros((cells, EIGHT, offsets))
    _tabulate(ratio, table)
    return Axis(low, 1.0 / width, n_pixels, ratio, reach, cells, table.reshape(-1))


@loop
def _tabulate(ratio: float, table: Floats) -> None:
    """Set ``table`` to Taylor coefficients about the middles of cells.

    Derivative j of Phi is (-1)**(j - 1) He_{j-1} phi with Hermite's polynomials He; a
    step in the place of the point is one of -ratio / cells in the argument.
    """
    cells, terms, offsets = table.shape
    step = ratio / cells if cells else 0.0
    for c in range(cells):
        for k in range(LANES, offsets - LANES):
            left = (k - offsets // 2) - (c + 0.5) / cells
            table[c, 0, k] = _mass(left, ratio)
            if table[c, 0, k] == 0.0:
                continue
            for side in range(2):
                z = (left + side) * ratio
                phi = math.exp(-0.5 * z * z) / math.sqrt(2.0 * math.pi)
                factor = -step if side else step
                hermite, before = 1.0, 0.0
                for j in range(1, terms):
                    table[c, j, k] += factor * hermite * phi
                    hermite, before = z * hermite - (j - 1) * before, hermite
                    factor *= step / (j + 1)


@loop
def _mass(left: float, ratio: float) -> float:
    """Return the mass of the pixel that starts at ``left`` from the point, or 0."""
    lower, upper = left * ratio, (left + 1.0) * ratio
    if lower > 0.0:  # from the other side, where Phi is small and has all its digits
        lower, upper = -upper, -lower
    if upper < -REACH:
        return 0.0
    root = math.sqrt(0.5)
    return 0.5 * (math.erfc(-upper * root) - math.erfc(-lower * root))


def _combination(*, add: bool) -> Any:
    """Return a compiled function that sums eight rows, LANES columns of them.

    ``f(rows, at, width, x, out, to)`` sets ``out[to + l]``, or adds to it, the sum over
    j of ``x[j] * rows[at + j * width + l]``. Written as vectors, because the compiler
    makes none of so short a loop over arrays that might overlap.
    """

    def typed(_: Any, rows: Any, at: Any, width: Any, x: Any, out: Any, to: Any) -> Any:
        def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            row_type, _, _, _, out_type, _ = signature.args
            rows, at, width, x, out, to = args
            lanes = ir.VectorType(ir.DoubleType(), LANES)
            unset = ir.Constant(lanes, ir.Undefined)
            all_first = ir.Constant(ir.VectorType(ir.IntType(32), LANES), [0] * LANES)

            def place(array: Any, kind: Any, index: Any) -> Any:
                data = context.make_array(kind)(context, builder, array).data
                return builder.bitcast(builder.gep(data, [index]), lanes.as_pointer())

            def repeated(value: Any) -> Any:
                first = ir.Constant(ir.IntType(32), 0)
                one = builder.insert_element(unset, value, first)
                return builder.shuffle_vector(one, unset, all_first)

            target = place(out, out_type, to)
            zero = ir.Constant(lanes, [0.0] * LANES)
            # Two sums: a processor need not wait for one to go on with the other.
            sums = [builder.load(target, align=8) if add else zero, zero]
            for j in range(EIGHT):
                row = builder.load(place(rows, row_type, at), align=8)
                factor = repeated(builder.extract_value(x, j))
                product = builder.fmul(factor, row, flags=("contract",))
                sums[j % 2] = builder.fadd(product, sums[j % 2], flags=("contract",))
                at = builder.add(at, width)
            builder.store(builder.fadd(*sums), target, align=8)
            return context.get_dummy_value()

        whole = types.int64
        return types.void(rows, whole, whole, x, out, whole), code

    def plain(rows: Any, at: int, width: int, x: Any, out: Any, to: int) -> None:
        for lane in range(LANES):
            sums = [out[to + lane] if add else 0.0, 0.0]
            for j in range(EIGHT):
                sums[j % 2] += x[j] * rows[at + j * width + lane]
            out[to + lane] = sums[0] + sums[1]

    return (
        plain
        if config.DISABLE_JIT  # type: ignore[attr-defined]
        else intrinsic(typed)
    )


_set_sum = _combination(add=False)
_add_sum = _combination(add=True)


@contracted
def _spread(
    t: float,
    factor: float,
    reach: int,
    cells: int,
    table: Floats,
    first: int,
    last: int,
    start: int,
    out: Floats,
) -> None:
    """Set ``out[start + i]`` to factor times the mass that a point at t has in pixel i.

    For i from first to last, which are multiples of LANES.
    """
    pixel = math.floor(t)
    low, high = pixel - reach - LANES, pixel + reach
    place = (t - pixel) * cells
    cell = min(int(place), cells - 1)
    v = place - cell - 0.5
    v2 = v * v
    f2 = factor * v2
    f4 = f2 * v2
    f6 = f4 * v2
    powers = (factor, factor * v, f2, f2 * v, f4, f4 * v, f6, f6 * v)
    nothing = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    width = 2 * reach + 1 + 2 * LANES
    at = cell * EIGHT * width + reach + LANES - pixel
    for i in range(first, last, LANES):
        if i <= low or i > high:
            _set_sum(out, 0, 0, nothing, out, start + i)
        else:
            _set_sum(table, at + i, width, powers, out, start + i)


# Not a branch of the above, which would be slower for it.
@loop
def _spread_without_table(
    t: float,
    factor: float,
    ratio: float,
    first: int,
    last: int,
    start: int,
    out: Floats,
) -> None:
    for i in range(first, last):
        out[start + i] = factor * _mass(i - t, ratio)


@loop
def _in_pixels(x: float, low: float, rate: float) -> float:
    return min(max((x - low) * rate, -FAR), FAR)


@contracted
def sum_images(
    points: Floats, offsets: Ints, ramp: Floats, births: Axis, lives: Axis, out: Floats
) -> None:
    """Set ``out[d, i * n + j]`` to what diagram d has in pixel i of births, j of lives.

    n is ``lives.n_pixels``; lives are persistences. A point has the mass that the ramp,
    (low, high), gives its persistence. Points are summed in their order, whatever the
    block. Cost: the pixels within reach of the points, once for eight points.
    """
    coordinates = points.reshape(2 * points.shape[0])
    low, high = ramp[0], ramp[1]
    b_low, b_rate, n_rows, b_ratio, b_reach, b_cells, b_table = births
    p_low, p_rate, n_columns, p_ratio, p_reach, p_cells, p_table = lives
    height, width = _padded(n_rows), _padded(n_columns)
    image = np.zeros(n_rows * width)
    rows, columns = np.zeros(EIGHT * height), np.zeros(EIGHT * width)
    at_birth, at_life, mass = np.zeros(EIGHT), np.zeros(EIGHT), np.zeros(EIGHT)
    for d in range(out.shape[0]):
        point = offsets[d]
        while point < offsets[d + 1]:
            n = 0
            top, bottom, left, right = n_rows, 0, n_columns, 0
            while point < offsets[d + 1] and n < EIGHT:
                birth, death = coordinates[2 * point], coordinates[2 * point + 1]
                point += 1
                b = _in_pixels(birth, b_low, b_rate)
                p = _in_pixels(death - birth, p_low, p_rate)
                row, column = math.floor(b), math.floor(p)
                first_row, last_row = row - b_reach, row + b_reach + 1
                first_column, last_column = column - p_reach, column + p_reach + 1
                at_birth[n], at_life[n] = b, p
                mass[n] = ramp_weight(death - birth, low, high)
                if (
                    mass[n] > 0.0
                    and first_row < n_rows
                    and last_row > 0
                    and first_column < n_columns
                    and last_column > 0
                ):
                    n += 1
                    top, bottom = min(top, first_row), max(bottom, last_row)
                    left, right = min(left, first_column), max(right, last_column)
            top, bottom = max(top, 0), min(bottom, n_rows)
            left, right = max(left, 0) // LANES * LANES, min(_padded(right), width)
            first, last = top // LANES * LANES, _padded(bottom)
            for k in range(EIGHT):
                # What is missing to eight has mass 0.
                t, m = (k, mass[k]) if k < n else (0, 0.0)
                b, p = at_birth[t], at_life[t]
                row, column = k * height, k * width
                if b_cells:
                    _spread(b, m, b_reach, b_cells, b_table, first, last, row, rows)
                else:
                    _spread_without_table(b, m, b_ratio, first, last, row, rows)
                if p_cells:
                    _spread(
                        p, 1.0, p_reach, p_cells, p_table, left, right, column, columns
                    )
                else:
                    _spread_without_table(p, 1.0, p_ratio, left, right, column, columns)
            for i in range(top, bottom):
                x = (
                    rows[i],
                    rows[i + height],
                    rows[i + 2 * height],
                    rows[i + 3 * height],
                    rows[i + 4 * height],
                    rows[i + 5 * height],
                    rows[i + 6 * height],
                    rows[i + 7 * height],
                )
                for j in range(left, right, LANES):
                    _add_sum(columns, j, width, x, image, i * width + j)
        _finish(image, width, n_columns, out[d])


@loop
def _finish(image: Floats, width: int, n_columns: int, row: Floats) -> None:
    """Set ``row`` to the image without its padding, and start again at 0."""
    for i in range(row.shape[0] // n_columns):
        for j in range(n_columns):
            row[i * n_columns + j] = image[i * width + j]
    image[:] = 0.0


@loop
def sum_lines(points: Floats, offsets: Ints, births: Axis, out: Floats) -> None:
    """Set ``out[d, i]`` to the mass that diagram d has in pixel i of births alone."""
    low, rate, n_pixels, ratio, reach, cells, table = births
    width = _padded(n_pixels)
    line = np.zeros(width)
    out[:] = 0.0
    for d in range(out.shape[0]):
        for point in range(offsets[d], offsets[d + 1]):
            t = _in_pixels(points[point, 0], low, rate)
            if cells:
                _spread(t, 1.0, reach, cells, table, 0, width, 0, line)
            else:
                _spread_without_table(t, 1.0, ratio, 0, width, 0, line)
            for i in range(n_pixels):
                out[d, i] += line[i]


@loop
def _padded(n: int) -> int:
    return (n + LANES - 1) // LANES * LANES


@loop
def extent(points: Floats) -> tuple[float, float, float, float]:
    """Return the range of births, the largest persistence and the last death."""
    low, high, longest, last = np.inf, -np.inf, 0.0, -np.inf
    for i in range(points.shape[0]):
        low, high = min(low, points[i, 0]), max(high, points[i, 0])
        longest = max(longest, points[i, 1] - points[i, 0])
        last = max(last, points[i, 1])
    return low, high, longest, last
