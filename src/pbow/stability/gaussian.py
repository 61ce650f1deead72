"""Gaussian words: densities, and those divided by their peak.

A word is the function ``g(b, p) = h * r(p)^q * phi(b, p)`` of birth and persistence: a
height, the ramp, a Gaussian. Where ``g``, or its root, is a linear ramp times a
Gaussian, the steepest birth is known in closed form for each persistence, and a branch
and bound over persistences remains. Otherwise it goes over both coordinates.

Conventions: sigma is the standard deviation of persistence, tau that of birth given
persistence, rho the slope of the conditional mean of birth. Persistence is measured in
sigmas, ``v`` from the word's mean and ``u`` from the ramp's foot, birth in taus, ``z``
from its conditional mean. Suprema of one dimension are logarithms, so that words of
width 1e-50 and 1e50 go the same way.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pbow.codebook import GaussianCodebook
from pbow.stability.branching import SMALLEST, Boxes, Evaluation, bound_suprema
from pbow.stability.feature import Feature
from pbow.weighting import Ramp

__all__ = ["gaussian_constants"]

Floats = NDArray[np.float64]

# By how much, relatively, a bound in one dimension may exceed the supremum.
TOLERANCE = 1e-3
# Products of two such numbers are finite. Beyond, nothing is certified.
LARGEST = 1e153
# Slopes fall from this many deviations on, whatever the root.
STEEPEST = math.sqrt(2.0)
# Where a feature is below this share of epsilon, the root's slope is that at 0.
LINEAR = 0.01


class _Words(NamedTuple):
    """Words as functions of ``z`` and ``v``; an entry per word."""

    log_height: Floats
    sigma: Floats
    tau: Floats
    rho: Floats
    mean: Floats

    def forms(self, metric: str) -> list[tuple[Floats, float]]:
        """Return (A tau, k) of the forms |r A z + k (r' - r v / sigma)| of slopes."""
        if metric == "birth-death":
            return [(np.ones_like(self.rho), 0.0), (np.abs(1.0 + 2.0 * self.rho), 2.0)]
        return [(1.0 + np.abs(self.rho), 1.0)]


def gaussian_constants(
    codebook: GaussianCodebook,
    ramp: Ramp | None,
    metric: str,
    feature: Feature,
    *,
    scale: str,
) -> Floats:
    """Bound the slope of each word's feature from above.

    Parameters
    ----------
    codebook : GaussianCodebook
        The words.
    ramp : Ramp or None
        None for births alone.
    metric : {"birth-death", "birth-persistence"}
        The plane whose L-infinity distance is meant.
    feature : Feature
        What a point adds.
    scale : {"density", "peak"}
        The height of the words.

    Returns
    -------
    constants : ndarray of shape (n_words,)
        Infinite or NaN where numbers overflow.
    """
    words = _words(codebook, scale)
    # What overflows becomes infinite or NaN.
    with np.errstate(over="ignore", invalid="ignore", divide="ignore", under="ignore"):
        if feature.epsilon == 0.0:
            # A Gaussian's root is one of twice the variance, the squared ramp's linear.
            wide = math.sqrt(2.0)
            words = words._replace(
                log_height=0.5 * words.log_height,
                sigma=wide * words.sigma,
                tau=wide * words.tau,
            )
            feature = Feature(None, 1)
        if feature == Feature(None, 1) or (ramp is None and feature.epsilon is None):
            return _in_one_dimension(words, ramp, metric)
        return _in_the_plane(words, ramp, metric, feature)


def _words(codebook: GaussianCodebook, scale: str) -> _Words:
    n_words, n_dims = codebook.means.shape
    covariances = codebook.covariances
    # Of persistence, or of birth where there is nothing else.
    sigma = np.sqrt(covariances[:, -1, -1])
    tau, rho = np.ones(n_words), np.zeros(n_words)
    if n_dims == 2:
        tau = _conditional_deviation(covariances)
        rho = covariances[:, 1, 0] / covariances[:, 1, 1]
    log_height = np.zeros(n_words)
    if scale == "density":
        log_height += np.log(np.maximum(codebook.weights, SMALLEST))
        log_height -= np.log(sigma) + np.log(tau) + 0.5 * n_dims * math.log(2 * math.pi)
    return _Words(log_height, sigma, tau, rho, codebook.means[:, -1])


def _in_one_dimension(words: _Words, ramp: Ramp | None, metric: str) -> Floats:
    """Bound slopes of a linear ramp times a Gaussian, within TOLERANCE."""
    log_height, sigma = words.log_height, words.sigma
    if ramp is None:
        return np.asarray(np.exp(log_height - 0.5 - np.log(sigma)))
    width = ramp.high - ramp.low
    foot = (ramp.low - words.mean) / sigma
    top = (ramp.high - words.mean) / sigma
    on_ramp, above = log_height - math.log(width), log_height - np.log(sigma)
    suprema = []
    for slope, k in words.forms(metric):
        alpha = slope * sigma / words.tau
        floor = math.log(SMALLEST) - on_ramp
        suprema += [
            on_ramp + _log_sup_on_ramp(alpha, k, foot, top, width / sigma, floor),
            above + _log_sup_above(alpha, k, top),
        ]
    return np.asarray(np.exp(np.max(suprema, axis=0)))


def _log_sup_on_ramp(
    alpha: Floats, k: float, foot: Floats, top: Floats, length: Floats, floor: Floats
) -> Floats:
    """Bound log sup exp(-v^2/2) S(alpha u, k |1 - u v|) from above, within TOLERANCE.

    Over ``foot <= v <= top`` and ``u = v - foot <= length``; S is that of `_log_s`.
    Every interval is bounded; those that may hold more than the best value seen are
    halved. Positions are ``t = v - near`` where `near` is the `v` next to 0, so that
    neither `u` nor `v` loses its digits. What stays under `floor` is of no interest.
    """
    near = np.maximum(foot, 0.0) + np.minimum(top, 0.0)
    below, after = np.clip(-foot, 0.0, length), np.clip(top, 0.0, length)

    def bound(row: NDArray[np.intp], lo: Floats, hi: Floats) -> Floats:
        """Bound the function on lo <= t <= hi; its value where lo == hi."""
        u_lo, u_hi = below[row] + lo, below[row] + hi
        v_lo, v_hi = near[row] + lo, near[row] + hi
        smallest_v = np.maximum(np.maximum(v_lo, -v_hi), 0.0)
        smallest_uv = v_lo * np.where(v_lo > 0.0, u_lo, u_hi)
        # A negative v_hi makes the second term negative: it is not the larger one then.
        c = k * np.maximum(1.0 - smallest_uv, v_hi * u_hi - 1.0)
        return _log_s(alpha[row] * u_hi, c) - 0.5 * smallest_v**2

    # The function falls where v <= -1, and where v >= 2 and u >= 4/3.
    lo = -np.minimum(below, np.maximum(1.0 + np.minimum(near, 0.0), 0.0))
    hi = np.minimum(after, np.maximum(np.maximum(2.0 - near, 4.0 / 3.0 - below), 0.0))
    row = np.arange(len(alpha))
    known = np.max([alpha, np.abs(foot), np.abs(top), length], axis=0) < LARGEST
    best = np.where(known, floor, np.inf)
    best = np.fmax(best, np.fmax(bound(row, lo, lo), bound(row, hi, hi)))
    # A double has no more than about sixty halves; whatever is left then, is counted.
    for _ in range(60):
        mid = 0.5 * (lo + hi)
        np.fmax.at(best, row, bound(row, mid, mid))
        row, lo, hi = np.tile(row, 2), np.append(lo, mid), np.append(mid, hi)
        open_ = bound(row, lo, hi) > best[row] + math.log1p(TOLERANCE)
        row, lo, hi = row[open_], lo[open_], hi[open_]
        if not row.size:
            break
    np.fmax.at(best, row, bound(row, lo, hi))
    return best + math.log1p(TOLERANCE)


def _log_sup_above(alpha: Floats, k: float, top: Floats) -> Floats:
    """Return log sup exp(-v^2/2) S(alpha, k |v|) over v >= top, where the ramp is 1."""
    # Rises up to this v and falls from there.
    v = np.maximum(top, k / np.hypot(alpha, k))
    return _log_s(alpha, k * v) - 0.5 * v**2


def _log_s(a: Floats, c: Floats) -> Floats:
    """Return log S(a, c), S(a, c) = sup over z of (a z + c) exp(-z^2/2); a, c >= 0."""
    root = c + np.hypot(c, 2.0 * a)
    z = np.divide(2.0 * a, root, out=np.zeros_like(root), where=root != 0.0)
    return np.log(a * z + c) - 0.5 * z**2


def _in_the_plane(
    words: _Words, ramp: Ramp | None, metric: str, feature: Feature
) -> Floats:
    """Bound slopes by a branch and bound over ``0 <= z <= STEEPEST`` and ``v``."""
    n_words = len(words.sigma)
    ones, zeros = np.ones(n_words), np.zeros(n_words)
    if ramp is None:
        births = _plane_boxes(words, (zeros, zeros), (ones, ones), 1 / words.sigma, 0.0)
        return bound_suprema(lambda boxes: _evaluate(boxes, feature), births, n_words)

    width, q = ramp.high - ramp.low, feature.power
    foot, top = ((limit - words.mean) / words.sigma for limit in (ramp.low, ramp.high))
    # Beyond `still`, roots are linear; and slopes of what is linear fall.
    still = 2.0 * ones
    if feature.epsilon is not None:
        excess = words.log_height - math.log(LINEAR * feature.epsilon)
        still = np.maximum(still, np.sqrt(2.0 * np.maximum(excess, 0.0)))
    left = np.maximum(foot, np.minimum(-still, top))
    right = np.minimum(top, np.maximum(still, foot + 3.0))
    r_left = np.where(left == foot, 0.0, (left - foot) / (top - foot))
    r_right = np.where(right == top, 1.0, (right - foot) / (top - foot))
    above = np.maximum(top, -STEEPEST), np.maximum(top, STEEPEST)
    beyond, parts = zeros, []
    for slope, k in words.forms(metric):
        steep = slope / words.tau
        parts += [
            _plane_boxes(words, (left, right), (r_left, r_right), steep, k, q / width),
            _plane_boxes(words, above, (ones, ones), steep, k),
        ]
        for v, r, inside in (
            (left, r_left, left > foot),
            (right, r_right, right < top),
        ):
            log_s = _log_s(r * steep, k * np.abs(q / width - r * v / words.sigma))
            tail = np.exp(log_s + words.log_height - 0.5 * v**2) * r ** (q - 1)
            beyond = np.where(inside, np.fmax(beyond, feature.steepest * tail), beyond)
    boxes = {name: np.concatenate([p[name] for p in parts]) for name in parts[0]}
    bounds = bound_suprema(lambda part: _evaluate(part, feature), boxes, n_words)
    return np.maximum(bounds, beyond)


def _plane_boxes(
    words: _Words,
    v: tuple[Floats, Floats],
    r: tuple[Floats, Floats],
    steep: Floats,
    k: float,
    rise: float = 0.0,
) -> Boxes:
    """Return one box per word, with corners (z, v, r), and the form of its slopes."""
    n_words = len(words.sigma)
    corners = np.empty((n_words, 2, 2, 3))
    corners[:, 0, :, 0], corners[:, 1, :, 0] = 0.0, STEEPEST
    for k_end in (0, 1):
        corners[:, :, k_end, 1] = v[k_end][:, np.newaxis]
        corners[:, :, k_end, 2] = r[k_end][:, np.newaxis]
    return {
        "corners": corners,
        "owner": np.arange(n_words),
        "log_height": words.log_height,
        "steep": steep,
        "push": np.full(n_words, k * rise),
        "tilt": k / words.sigma,
    }


def _evaluate(boxes: Boxes, feature: Feature) -> Evaluation:
    """Bound ``slope * (r A z + |push - tilt r v|)`` in each box."""
    corners = boxes["corners"].reshape(-1, 4, 3)
    (z0, v0, r0), (z1, v1, r1) = corners.min(axis=1).T, corners.max(axis=1).T
    steep, push, tilt = boxes["steep"], boxes["push"], boxes["tilt"]
    nearest = np.maximum(np.maximum(v0, -v1), 0.0)
    height = np.exp(boxes["log_height"] - 0.5 * (z0**2 + nearest**2))
    rv = np.array([r0 * v0, r0 * v1, r1 * v0, r1 * v1])
    high = np.abs(push - tilt * np.array([rv.min(axis=0), rv.max(axis=0)])).max(axis=0)
    total = r1 * steep * z1 + high
    upper = feature.slope(height, feature.steep_end(r0, r1)) * total

    z, v, r = corners.mean(axis=1).T
    height = np.exp(boxes["log_height"] - 0.5 * (z**2 + v**2))
    middle = r * steep * z + np.abs(push - tilt * r * v)
    value = feature.slope(height, r) * middle

    along_s = 0.5 * (z1**2 - z0**2) + r1 * steep * (z1 - z0) / total
    along_t = 0.5 * (np.maximum(v0**2, v1**2) - nearest**2)
    along_t += (tilt * np.ptp(rv, axis=0) + (r1 - r0) * steep * z1) / total
    along_t += (r1 - r0) / np.maximum(r1, SMALLEST)
    return upper, value, along_t > along_s


def _conditional_deviation(covariances: Floats) -> Floats:
    """Return the standard deviation of birth given persistence."""
    # In exact arithmetic: the difference would eat the digits of a narrow ridge.
    shares = [
        1 - Fraction(bp) ** 2 / (Fraction(bb) * Fraction(pp))
        for (bb, _), (bp, pp) in covariances.tolist()
    ]
    return np.sqrt(covariances[:, 0, 0]) * np.sqrt([float(share) for share in shares])
