"""Branch and bound: suprema of many functions at once, from above.

A box is four corners, ``corners[s, t]`` with s and t 0 or 1, of coordinates that are
bilinear over it: halving averages corners. Each box belongs to one function, its
``owner``. What else `evaluate` needs of a box is one more array in the same dict.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["Boxes", "Evaluation", "bound_suprema"]

Floats = NDArray[np.float64]

Boxes = dict[str, NDArray[Any]]
# Of each box: an upper bound, a value that the function takes or tends to in it, and
# whether it is t along which it is to be halved.
Evaluation = tuple[Floats, Floats, NDArray[np.bool_]]

SMALLEST = float(np.finfo(np.float64).tiny)
# By how much, relatively, a bound may exceed the supremum.
TOLERANCE = 0.03
# Boxes that are left after so many rounds may exceed it by more and more: near a
# discontinuity at infinity the bounds need not converge.
PATIENT_ROUNDS = 36
ROUNDS = 60
IMPATIENCE = 1.5
# Boxes that are halved in a round; of more, those with the largest excess.
MOST_BOXES = 10_000


def bound_suprema(
    evaluate: Callable[[Boxes], Evaluation],
    boxes: Boxes,
    n_owners: int,
    *,
    together: bool = False,
) -> Floats:
    """Bound each function's supremum over its boxes from above.

    Parameters
    ----------
    evaluate : callable
        Boxes in, their evaluation out. It may write into its boxes what halves inherit.
    boxes : dict of str to ndarray
        "corners" of shape (n, 2, 2, n_coordinates), "owner" of shape (n,), others.
    n_owners : int
        Number of functions.
    together : bool, default=False
        Only the largest of the suprema is of interest: the bounds of the others may
        exceed theirs, up to that one.

    Returns
    -------
    bounds : ndarray of shape (n_owners,)
    """
    seen, bounds = np.zeros(n_owners), np.zeros(n_owners)
    parents = np.full(len(boxes["owner"]), np.inf)
    tolerance = TOLERANCE
    for k in range(ROUNDS):
        upper, value, along_t = evaluate(boxes)
        upper = np.fmin(upper, parents)
        owner = boxes["owner"]
        np.fmax.at(seen, owner, value)
        if together:
            seen[:] = seen.max()
        if k >= PATIENT_ROUNDS:
            tolerance *= IMPATIENCE
        with np.errstate(over="ignore"):
            excess = upper / np.maximum(seen[owner], SMALLEST)
        is_open = (excess > 1.0 + tolerance) & np.isfinite(upper)
        if k == ROUNDS - 1:
            is_open[:] = False
        if is_open.sum() > MOST_BOXES:
            excess[~is_open] = 0.0
            is_open[np.argpartition(excess, -MOST_BOXES)[:-MOST_BOXES]] = False
        np.maximum.at(bounds, owner[~is_open], upper[~is_open])
        if not is_open.any():
            break
        boxes = _halves(_take(boxes, is_open), along_t[is_open])
        parents = np.tile(upper[is_open], 2)
    return bounds


def _take(boxes: Boxes, index: NDArray[Any]) -> Boxes:
    return {name: array[index] for name, array in boxes.items()}


def _halves(boxes: Boxes, along_t: NDArray[np.bool_]) -> Boxes:
    """Return both halves of each box: all first ones, then all second ones."""
    corners = boxes["corners"]
    first, second = corners.copy(), corners.copy()
    middle = 0.5 * (corners[:, 0] + corners[:, 1])
    first[~along_t, 1] = second[~along_t, 0] = middle[~along_t]
    middle = 0.5 * (corners[:, :, 0] + corners[:, :, 1])
    first[along_t, :, 1] = second[along_t, :, 0] = middle[along_t]
    halves = {name: np.concatenate([array] * 2) for name, array in boxes.items()}
    halves["corners"] = np.concatenate([first, second])
    return halves
