"""The plane of words that share one covariance, and boxes that cover it.

Coordinates are those in which the covariance is the identity: birth less what
persistence explains of it, and persistence, each in standard deviations. The corners of
boxes are homogeneous, ``(x1, x2, w)``: the point is ``(x1, x2) / w``, at infinity where
``w`` is 0. The ramp follows as a fourth coordinate.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from pbow.codebook import GaussianCodebook
from pbow.stability.branching import Boxes
from pbow.weighting import Ramp

__all__ = ["Directions", "Plane", "cover"]

Floats = NDArray[np.float64]
Directions = tuple[tuple[float, float], ...]

# Words farther apart, in standard deviations, are not looked at: logits, of the order
# of squares, have no digits left.
FARTHEST = 1e7


@dataclass(frozen=True)
class Plane:
    """The words in coordinates in which their covariance is the identity.

    Attributes
    ----------
    logits : ndarray of shape (3, n_words)
        Coefficients of the logits in homogeneous coordinates.
    heights : ndarray of shape (n_directions, n_words)
        The derivative of each logit in each direction.
    pushes : ndarray of shape (n_directions,)
        What the ramp's slope adds to the derivative of the logarithm, times the ramp.
    foot, top : float
        Where the ramp starts and ends on the second axis; NaN without a ramp.
    """

    logits: Floats
    heights: Floats
    pushes: Floats
    foot: float
    top: float

    @classmethod
    def of(
        cls,
        codebook: GaussianCodebook,
        ramp: Ramp | None,
        directions: Directions,
        power: int,
    ) -> Plane:
        """Return the plane of one resolution; without a ramp, of births alone."""
        means, covariance = codebook.means, codebook.covariances[0]
        center = means.mean(axis=0)
        # In exact arithmetic, as differences of near numbers would lose their digits;
        # and words that are equal in a coordinate must stay so, at infinity above all.
        origin = [Fraction(c) for c in center.tolist()]
        apart = [
            [Fraction(x) - c for x, c in zip(mean, origin, strict=True)]
            for mean in means.tolist()
        ]
        axes = np.zeros((2, len(means)))
        if ramp is None:
            deviation = np.sqrt(covariance[0, 0])
            axes[0] = _in_order([b for (b,) in apart], deviation)
            along = np.array([[1.0 / deviation, 0.0]])
            pushes, foot, top = np.zeros(1), np.nan, np.nan
        else:
            bb, _, bp, pp = map(Fraction, covariance.ravel().tolist())
            rho = bp / pp
            share = float(1 - bp**2 / (bb * pp))
            tau, sigma = np.sqrt(covariance[0, 0] * share), np.sqrt(covariance[1, 1])
            axes[0] = _in_order([b - rho * p for b, p in apart], tau)
            axes[1] = _in_order([p for _, p in apart], sigma)
            along = np.array(
                [
                    [float(Fraction(b) - rho * Fraction(p)) / tau, p / sigma]
                    for b, p in directions
                ]
            )
            rise = power / (ramp.high - ramp.low)
            pushes = np.array([rise * p for _, p in directions])
            foot, top = (np.array([ramp.low, ramp.high]) - center[1]) / sigma
        offsets = np.log(codebook.weights) - 0.5 * (axes**2).sum(axis=0)
        heights = along @ axes
        return cls(np.vstack([axes, offsets]), heights, pushes, float(foot), float(top))

    @property
    def has_ramp(self) -> bool:
        """Whether points have a persistence, and count by it."""
        return not np.isnan(self.foot)

    @property
    def spans(self) -> Floats:
        """The largest difference of derivatives of logits, in each direction."""
        span: Floats = np.ptp(self.heights, axis=1)
        return span

    @property
    def is_tame(self) -> bool:
        """Whether all numbers leave room for their squares and for rounding."""
        numbers = [*self.logits[:2].ravel(), np.nan_to_num(self.foot, nan=0.0)]
        numbers += [np.nan_to_num(self.top, nan=0.0)]
        far = np.abs(numbers).max() < FARTHEST
        return bool(
            far
            and np.isfinite(self.heights).all()
            and np.isfinite(self.pushes).all()
            and not self.top <= self.foot
        )


def _in_order(exact: list[Fraction], unit: float) -> Floats:
    """Return numbers divided by a unit; different ones stay different."""
    order = sorted(range(len(exact)), key=exact.__getitem__)
    rounded = np.array([float(x) for x in exact]) / unit
    for i, j in pairwise(order):
        if exact[i] == exact[j]:
            rounded[j] = rounded[i]
        elif rounded[j] <= rounded[i]:
            rounded[j] = np.nextafter(rounded[i], np.inf)
    return rounded


def cover(plane: Plane, words: NDArray[np.intp]) -> Boxes:
    """Return boxes that cover the plane from the foot of the ramp, for each word.

    A square about the words, and the half-strips and sectors around it, which reach
    infinity in one direction.
    """
    far = 2.0 * float(np.abs(plane.logits[:2]).max()) + 5.0
    across, inverse, unit = (-far, far), _along_s(0.0, 1.0 / far), _along_t(0.0, 1.0)
    strips: list[tuple[Floats, Floats | float]]
    if plane.has_ramp:
        above = max(plane.top, 0.0) + far
        strips = [(_along_t(plane.foot, plane.top), unit)]
        strips += [(_along_t(plane.top, above), 1.0)]
    else:
        strips = [(_along_t(0.0, 0.0), 1.0)]
    boxes = []
    for x2, r in strips:
        boxes += [_box(_along_s(*across), x2, 1.0, r)]
        boxes += [_box(sign, x2 * inverse, inverse, r) for sign in (1.0, -1.0)]
    n_on_ramp = 3 if plane.has_ramp else 0
    if plane.has_ramp:
        w = _along_t(0.0, 1.0 / far)
        boxes += [
            _box(_along_s(*across), above + _along_t(0.0, far), 1.0, 1.0),
            _box(_along_s(*across) * w, above * w + 1.0, w, 1.0),
        ]
        for sign in (1.0, -1.0):
            aside = sign * (far + _along_s(0.0, far))
            boxes += [
                _box(aside, above + _along_t(0.0, far), 1.0, 1.0),
                _box(sign * (far * inverse + 1), above * inverse + unit, inverse, 1.0),
                _box(sign * (far * inverse + unit), above * inverse + 1, inverse, 1.0),
            ]
    word = np.repeat(words, len(boxes))
    return {
        "corners": np.tile(np.array(boxes), (len(words), 1, 1, 1)),
        "owner": word,
        "word": word.copy(),
        "on_ramp": np.tile(np.arange(len(boxes)) < n_on_ramp, len(words)),
        "kept": np.ones((len(word), plane.logits.shape[1]), bool),
        "left_out": np.zeros(len(word)),
    }


def _along_s(first: float, last: float) -> Floats:
    return np.array([[first], [last]])


def _along_t(first: float, last: float) -> Floats:
    return np.array([[first, last]])


def _box(*coordinates: Floats | float) -> Floats:
    """Return the corners of a box, of shape (2, 2, n_coordinates)."""
    return np.stack([np.broadcast_to(x, (2, 2)) for x in coordinates], axis=2)
