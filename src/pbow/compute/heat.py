"""Heat maps of diagrams as points of a sphere, and their place in a tangent space.

A grid is given by its axes: ``births`` and ``deaths`` are coordinates from 0 on, in the
order of size, in units in which a Gaussian at distance x is 0.5**(x * x). ``frame`` is
(birth, death, rate of births, rate of deaths): a point's coordinates in these units are
(birth - frame[0]) * frame[2] and likewise for its death. An axis of one place and rate
0 is not there. Rows have ``births.size * deaths.size`` entries, deaths run fastest.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from pbow.compute.exponential import half_to
from pbow.compute.jit import contracted, loop
from pbow.compute.sums import sum_of

__all__ = ["log_map", "pack", "project", "root_densities"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

# Points, or entries of a row, in the innermost loop: what they are added to is read and
# written once for all of them.
GROUP = 8
LANES = 4  # of a processor's vector
# Coordinates, in the units of the grid, end here: squares must stay finite.
FAR = 1e150
U0, U1, U2, U3, U4, U5, U6, U7, U8 = (np.uint64(i) for i in range(9))


@contracted
def root_densities(
    points: Floats,
    offsets: Ints,
    frame: Floats,
    births: Floats,
    deaths: Floats,
    out: Floats,
) -> None:
    """Set ``out[d]`` to square roots of shares of the heat of diagram d on the grid.

    Heat is the sum of a Gaussian at each point; its shares add up to 1, so a row has
    norm 1, but for an empty diagram's, which is left as it is. Heat is taken relative
    to that of the point nearest to the grid, which hence never underflows. Cost: one
    power of 2 per point and place on each axis, one product per point and grid point.
    """
    flat = points.reshape(points.size)
    n_births, n_deaths = births.size, deaths.size
    width = _filled(n_deaths, LANES)
    columns = np.empty(width)
    # In a loop: to compile whether slices fit takes a second.
    for j in range(width):
        columns[j] = deaths[min(j, n_deaths - 1)]
    places = np.empty((5, GROUP))
    x, y, near_x, near_y, weight = places[0], places[1], places[2], places[3], places[4]
    a = np.empty(n_births * GROUP)
    b = np.empty(GROUP * width)
    heat = np.empty(n_births * width)
    for d in range(out.shape[0]):
        start, stop = offsets[d], offsets[d + 1]
        if start == stop:
            continue
        nearest = np.inf
        for t in range(start, stop):
            px = _place(flat[2 * t], frame[0], frame[2])
            py = _place(flat[2 * t + 1], frame[1], frame[3])
            apart_x, apart_y = px - _nearest(px, births), py - _nearest(py, deaths)
            nearest = min(nearest, apart_x * apart_x + apart_y * apart_y)
        heat[:] = 0.0
        for first in range(start, stop, GROUP):
            for t in range(GROUP):
                # The last group is filled up with the last point at weight 0.
                at = min(first + t, stop - 1)
                x[t] = _place(flat[2 * at], frame[0], frame[2])
                y[t] = _place(flat[2 * at + 1], frame[1], frame[3])
                near_x[t] = _nearest(x[t], births)
                near_y[t] = _nearest(y[t], deaths)
                apart_x, apart_y = x[t] - near_x[t], y[t] - near_y[t]
                weight[t] = 0.0
                if first + t < stop:
                    apart = apart_x * apart_x + apart_y * apart_y
                    weight[t] = half_to(apart - nearest)
            for i in range(n_births):
                g = births[i]
                for t in range(GROUP):
                    # A difference of squares; each of them may be too large.
                    apart = (g - near_x[t]) * (g + near_x[t] - 2.0 * x[t])
                    a[i * GROUP + t] = weight[t] * half_to(apart)
            for t in range(GROUP):
                near, twice = near_y[t], 2.0 * y[t]
                for j in range(width):
                    g = columns[j]
                    b[t * width + j] = half_to((g - near) * (g + near - twice))
            _add_products(a, b, U0, np.uint64(n_births), np.uint64(width), heat)
        _take_roots(heat, n_births, n_deaths, width, out[d])


@loop
def _place(coordinate: float, start: float, rate: float) -> float:
    return min(max((coordinate - start) * rate, -FAR), FAR)


@loop
def _nearest(x: float, axis: Floats) -> float:
    """Return the place on an axis that is nearest to x."""
    end: float = axis[-1]
    if x <= 0.0 or end == 0.0:
        return 0.0
    if x >= end:
        return end
    place: float = axis[int(x / end * (axis.size - 1) + 0.5)]
    return place


@contracted
def _add_products(
    a: Floats,
    b: Floats,
    group: np.uint64,
    n_rows: np.uint64,
    width: np.uint64,
    out: Floats,
) -> None:
    """Add to ``out[i, j]`` the sum of ``a[i, t] * b[t, j]`` over a group of t.

    Arrays are flat, and ``group`` is the number of the first of a and of that of b.
    Numbers are unsigned: an index that may be negative is compared twice.
    """
    start = group * U8 * width
    for i in range(n_rows):
        k, row = (group + i) * U8, i * width
        a0, a1, a2, a3 = a[k], a[k + U1], a[k + U2], a[k + U3]
        a4, a5, a6, a7 = a[k + U4], a[k + U5], a[k + U6], a[k + U7]
        for j in range(width):
            at = start + j
            low = (a0 * b[at] + a1 * b[at + width]) + (
                a2 * b[at + U2 * width] + a3 * b[at + U3 * width]
            )
            high = (a4 * b[at + U4 * width] + a5 * b[at + U5 * width]) + (
                a6 * b[at + U6 * width] + a7 * b[at + U7 * width]
            )
            out[row + j] += low + high


@loop
def _take_roots(
    heat: Floats, height: int, n_deaths: int, width: int, row: Floats
) -> None:
    """Set ``row`` to roots of the heat, less what fills up vectors, with norm 1."""
    for i in range(height):
        for j in range(n_deaths):
            row[i * n_deaths + j] = heat[i * width + j]
    total = sum_of(row)
    for k in range(row.shape[0]):
        row[k] = math.sqrt(row[k] / total)


@loop
def log_map(rows: Floats, center: Floats) -> None:
    """Replace points of the unit sphere by their logarithms at one of its points.

    The logarithm of x is the tangent vector at ``center`` that leads to x along a great
    circle, and as long as that arc. Of the center, of its antipode, to which all ways
    are equally short, and of 0 it is 0.
    """
    size = center.shape[0]
    terms = np.empty(size)
    for d in range(rows.shape[0]):
        for k in range(size):
            terms[k] = rows[d, k] * center[k]
        cosine = sum_of(terms)
        for k in range(size):
            rows[d, k] -= cosine * center[k]
            terms[k] = rows[d, k] * rows[d, k]
        # An arc cosine would lose half of the digits near the center.
        sine = math.sqrt(sum_of(terms))
        factor = math.atan2(sine, cosine) / sine if sine > 0.0 else 0.0
        for k in range(size):
            rows[d, k] *= factor


@contracted
def project(rows: Floats, origin: Floats, packed: Floats, out: Floats) -> None:
    """Set ``out[d, k]`` to the product of ``rows[d] - origin`` and direction k.

    Directions come from :func:`pack`. Products are added in one order, which those of a
    matrix product change with the number of rows.
    """
    size, n_directions = origin.shape[0], out.shape[1]
    filled, width = packed.shape
    w, u_width = packed.reshape(packed.size), np.uint64(width)
    v = np.zeros(filled)
    sums = np.empty(width)
    for d in range(rows.shape[0]):
        for k in range(size):
            v[k] = rows[d, k] - origin[k]
        sums[:] = 0.0
        for group in range(filled // GROUP):
            _add_products(v, w, np.uint64(group), U1, u_width, sums)
        for k in range(n_directions):
            out[d, k] = sums[k]


def pack(directions: Floats) -> Floats:
    """Return directions, which are rows, as columns, filled up to whole groups."""
    n_directions, size = directions.shape
    packed = np.zeros((_filled(size, GROUP), _filled(n_directions, LANES)))
    packed[:size, :n_directions] = directions.T
    return packed


@loop
def _filled(size: int, unit: int) -> int:
    """Return the least multiple of a unit that is not less."""
    return (size + unit - 1) // unit * unit
