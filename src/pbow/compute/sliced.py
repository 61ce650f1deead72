"""The sliced Wasserstein distance: sorted projections once, then merges.

Diagrams are projected onto lines: their points, and the feet of these, which are the
nearest points of the diagonal. Row d of ``points_on`` and ``feet_on`` has both for line
d, each diagram's sorted from ``starts[i]`` on, with an inf after the last. On each line
F with the feet of G is compared with G with the feet of F, which are equally many: the
distance is the sum of the differences of sorted numbers.
"""

from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

__all__ = [
    "Projections",
    "empty_projections",
    "project",
    "slices_between",
    "slices_within",
]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

U0 = np.uint64(0)


class Projections(NamedTuple):
    """Sorted projections of diagrams onto lines."""

    points_on: Floats
    feet_on: Floats
    starts: Ints


def empty_projections(points: Floats, offsets: Ints, n_lines: int) -> Projections:
    """Return the room for projections: points off the diagonal, and an inf for each.

    Points on the diagonal are their own feet: they would change no distance.
    """
    off = np.concatenate(([0], np.cumsum(points[:, 1] > points[:, 0])))
    starts = off[offsets] + np.arange(len(offsets))
    points_on, feet_on = np.full((2, n_lines, starts[-1]), np.inf)
    return Projections(points_on, feet_on, starts)


def project(
    points: Floats,
    offsets: Ints,
    lines: Floats,
    out: Projections,
    first: int,
    last: int,
) -> None:
    """Set the projections of diagrams ``first`` to ``last - 1``.

    Rows of ``lines`` are (cos, sin). In numpy, whose sort is faster than one that is
    compiled here.
    """
    points = points[offsets[first] : offsets[last]]
    births, deaths = points[points[:, 1] > points[:, 0]].T
    starts = out.starts[first : last + 1]
    ends = starts - starts[0] - np.arange(len(starts))
    diagram = np.repeat(np.arange(len(ends) - 1), np.diff(ends))
    at = starts[0] + diagram + np.arange(len(diagram))
    feet = 0.5 * (births + deaths)
    for start, end in pairwise(ends):
        feet[start:end].sort()
    backwards = ends[diagram] + ends[diagram + 1] - 1 - np.arange(len(diagram))
    for d, (x, y) in enumerate(lines):
        out.points_on[d, at] = births * x + deaths * y
        # The feet lie on one line: they have one order, or its reverse.
        out.feet_on[d, at] = (feet if x + y >= 0.0 else feet[backwards]) * (x + y)
    for start, after in pairwise(starts):
        out.points_on[:, start : after - 1].sort(axis=1)


@njit(nogil=True, cache=True)
def slices_between(
    left: Floats,
    left_feet: Floats,
    left_starts: Ints,
    right: Floats,
    right_feet: Floats,
    right_starts: Ints,
    out: Floats,
) -> None:
    """Add to ``out[i, j]`` the distances of i and j on all lines.

    Cost: four steps of a merge per line and point.
    """
    for d in range(0, left.shape[0], 2):
        for i in range(out.shape[0]):
            for j in range(out.shape[1]):
                out[i, j] += _on_two_lines(
                    left,
                    left_feet,
                    left_starts[i],
                    right,
                    right_feet,
                    right_starts[j],
                    left_starts[i + 1] - left_starts[i] - 1,
                    right_starts[j + 1] - right_starts[j] - 1,
                    d,
                )


@njit(nogil=True, cache=True)
def slices_within(
    points_on: Floats, feet_on: Floats, starts: Ints, out: Floats
) -> None:
    """Like :func:`slices_between` of diagrams and themselves; exactly symmetric."""
    for d in range(0, points_on.shape[0], 2):
        for i in range(out.shape[0]):
            for j in range(i):
                out[i, j] += _on_two_lines(
                    points_on,
                    feet_on,
                    starts[i],
                    points_on,
                    feet_on,
                    starts[j],
                    starts[i + 1] - starts[i] - 1,
                    starts[j + 1] - starts[j] - 1,
                    d,
                )
    for i in range(out.shape[0]):
        for j in range(i):
            out[j, i] = out[i, j]


@njit(nogil=True, cache=True)
def _on_two_lines(
    F: Floats,
    F_feet: Floats,
    i: int,
    G: Floats,
    G_feet: Floats,
    j: int,
    n: int,
    m: int,
    d: int,
) -> float:
    """Return the sum of the distances on lines d and d + 1, if there is one.

    Two at a time: a processor works on one merge while it waits for another.
    """
    e = min(d + 1, F.shape[0] - 1)
    f0, f1 = F[d, i : i + n + 1], F[e, i : i + n + 1]
    g0, g1 = G[d, j : j + m + 1], G[e, j : j + m + 1]
    f0_feet, f1_feet = F_feet[d, i : i + n + 1], F_feet[e, i : i + n + 1]
    g0_feet, g1_feet = G_feet[d, j : j + m + 1], G_feet[e, j : j + m + 1]
    sum0, sum1 = 0.0, 0.0
    # How many points of each were taken before; the others that were, are feet.
    n_f0, n_f1, n_g0, n_g1 = U0, U0, U0, U0
    for k in range(np.uint64(n + m)):
        f, foot_g, g, foot_f = f0[n_f0], g0_feet[k - n_f0], g0[n_g0], f0_feet[k - n_g0]
        # The smaller one and which it was, each without a branch: none could be
        # predicted, and a compiler makes one where a single comparison gives both.
        sum0 += abs((f if f < foot_g else foot_g) - (g if g < foot_f else foot_f))
        n_f0 += np.uint64(f <= foot_g)
        n_g0 += np.uint64(g <= foot_f)
        f, foot_g, g, foot_f = f1[n_f1], g1_feet[k - n_f1], g1[n_g1], f1_feet[k - n_g1]
        sum1 += abs((f if f < foot_g else foot_g) - (g if g < foot_f else foot_f))
        n_f1 += np.uint64(f <= foot_g)
        n_g1 += np.uint64(g <= foot_f)
    return sum0 + sum1 if e > d else sum0
