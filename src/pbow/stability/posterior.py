"""Posteriors of words that share one covariance: a softmax of linear functions.

In coordinates in which that covariance is the identity, word j has the logit
``y_j . x + log w_j - |y_j|^2 / 2``, and the derivative of log posterior i in a
direction ``u`` is the mean of ``(y_i - y_j) . u`` under the posteriors. It is bounded
on the whole plane; how much, a branch and bound over the plane tells.

Over a box of the plane a difference of logits is monotone along either side, at
infinity too, so that its range is that of the corners. Intervals of all posteriors
follow.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pbow.codebook import GaussianCodebook
from pbow.stability.branching import Boxes, Evaluation, bound_suprema
from pbow.stability.feature import Feature
from pbow.stability.plane import Directions, Plane, cover
from pbow.weighting import Ramp

__all__ = ["euclidean_constant", "is_tied", "posterior_constants"]

Floats = NDArray[np.float64]

EPS = float(np.finfo(np.float64).eps)
# Differences of logits beyond this are cut: the smaller posterior is 0.
LARGEST_LOGIT = 300.0
# Posteriors below this may come of odds that were cut.
UNLIKELY = 1e-100
# A word whose posterior stays below this in a box is left out there, and in all parts
# of it; what it might have added is kept as a number.
NEGLIGIBLE = 1e-13
# Words with less than this in a box do not count as rivals in the coarse bound.
RIVAL = 1e-2
# Differences of logits, in absolute value, beyond which nothing changes any more.
SATURATED = 20.0
# Numbers in an array at a time, so that it stays in the processor's cache.
CHUNK = 100_000


def is_tied(codebook: GaussianCodebook) -> bool:
    """Return whether all words of each resolution have the same covariance."""
    return all(
        bool((book.covariances == book.covariances[0]).all())
        for book in codebook.resolutions
    )


def posterior_constants(
    codebook: GaussianCodebook,
    ramp: Ramp | None,
    directions: Directions,
    feature: Feature,
    *,
    together: bool = False,
) -> Floats:
    """Bound the slope of each word's feature from above, of one tied resolution.

    Parameters
    ----------
    codebook : GaussianCodebook
        Words of one resolution that share their covariance.
    ramp : Ramp or None
        None for births alone.
    directions : tuple of (float, float)
        In which slopes are taken, in births and persistences; the opposite ones are
        included.
    feature : Feature
        What a point adds.
    together : bool, default=False
        Only the largest constant is of interest, the others may be too large.

    Returns
    -------
    constants : ndarray of shape (n_words,)
        Infinite or NaN where numbers overflow.
    """
    with np.errstate(all="ignore"):
        plane = Plane.of(codebook, ramp, directions, feature.power)
        closed = _closed_form(plane, feature)
        if not plane.is_tame:
            return closed

        def evaluate(boxes: Boxes) -> Evaluation:
            return _evaluate(plane, boxes, lambda part: _word_bounds(part, feature))

        n_words = codebook.n_words
        boxes = cover(plane, np.arange(n_words))
        bounds = bound_suprema(evaluate, boxes, n_words, together=together)
        return np.fmin(closed, bounds)


def euclidean_constant(
    codebook: GaussianCodebook, ramp: Ramp | None, directions: Directions
) -> float:
    """Bound the slope of the vector of roots from above, in the Euclidean norm.

    Of one tied resolution, whose ramp, if there is one, is squared: the vector is that
    of ``r sqrt(posterior_i)``. Parameters as in :func:`posterior_constants`.
    """
    # What overflows becomes infinite or NaN.
    with np.errstate(all="ignore"):
        plane = Plane.of(codebook, ramp, directions, 1)
        # The variance of numbers is at most a quarter of their squared range.
        closed = np.hypot(plane.pushes, 0.25 * plane.spans).max()
        if not plane.is_tame:
            return float(closed)

        def evaluate(boxes: Boxes) -> Evaluation:
            _take_nearest(plane, boxes)
            return _evaluate(plane, boxes, _norm_bounds)

        boxes = cover(plane, np.zeros(1, np.intp))
        boxes["owner"] = np.zeros_like(boxes["word"])
        [bound] = bound_suprema(evaluate, boxes, 1)
        return float(np.fmin(closed, bound))


def _closed_form(plane: Plane, feature: Feature) -> Floats:
    """Bound slopes by those between a word and the farthest other one."""
    n_words = plane.heights.shape[1]
    zeros, ones = np.zeros(n_words), np.ones(n_words)
    bounds = zeros
    for height, push in zip(plane.heights, plane.pushes, strict=True):
        for k in (height - height.min(), height.max() - height):
            # On the ramp, and above it; the same where there is no ramp.
            for r, c in (((zeros, ones), abs(push)), ((ones, ones), 0.0)):
                steep = feature.largest((zeros, ones), r, c + k, k)
                bounds = np.maximum(bounds, steep)
    return bounds


class _Intervals(NamedTuple):
    """What is known of the posteriors in some boxes.

    Arrays have a row per box; `low`, `high` and `middle`, the posteriors at the center,
    have a column per word that matters, of which `own` is the box's own. `heights`,
    `pushes` and `spans` have an entry per direction.
    """

    low: Floats
    high: Floats
    middle: Floats
    own: NDArray[np.bool_]
    left_out: Floats
    r_low: Floats
    r_high: Floats
    r_middle: Floats
    heights: list[Floats]
    pushes: list[Floats]
    spans: Floats


def _evaluate(
    plane: Plane,
    boxes: Boxes,
    bounds_of: Callable[[_Intervals], tuple[Floats, Floats]],
) -> Evaluation:
    """Evaluate boxes, those with equally many words that matter at a time.

    Writes into "kept" and "left_out" which words matter no more.
    """
    n = len(boxes["owner"])
    upper, value, along_t = np.empty(n), np.empty(n), np.empty(n, bool)
    for rows in _chunks(boxes["kept"].sum(axis=1)):
        part, axis = _intervals(plane, boxes, rows)
        upper[rows], value[rows] = bounds_of(part)
        along_t[rows] = axis
    return upper, value, along_t


def _take_nearest(plane: Plane, boxes: Boxes) -> None:
    """Compare logits, in boxes that belong to no word, with the largest at the center.

    Odds against a word of no likelihood would overflow.
    """
    centers = boxes["corners"].mean(axis=(1, 2))[:, :3]
    logits = np.where(boxes["kept"], centers @ plane.logits, -np.inf)
    boxes["word"] = logits.argmax(axis=1)


def _chunks(counts: NDArray[np.int64]) -> Iterator[NDArray[np.intp]]:
    """Yield rows by increasing counts, as many as fit into a chunk."""
    order = np.argsort(counts, kind="stable")
    end = len(order)
    while end:
        start = max(0, end - max(1, CHUNK // int(counts[order[end - 1]])))
        yield order[start:end]
        end = start


def _intervals(
    plane: Plane, boxes: Boxes, rows: NDArray[np.intp]
) -> tuple[_Intervals, NDArray[np.bool_]]:
    """Return the intervals of some boxes, and whether they change most along t."""
    kept = boxes["kept"][rows]
    n_columns = kept.sum(axis=1).max()
    columns = np.argsort(~kept, axis=1, kind="stable")[:, :n_columns]
    word = boxes["word"][rows]
    own = columns == word[:, np.newaxis]
    corners = boxes["corners"][rows].reshape(len(rows), 4, 4)
    points = np.concatenate([corners, corners.mean(axis=1, keepdims=True)], axis=1)

    # Logits minus that of the word itself, times w: at the corners, and at the center.
    x1, x2, w = (points[:, :, k, np.newaxis] for k in range(3))
    a1, a2, a3 = (a[columns][:, np.newaxis] for a in plane.logits)
    b1, b2, b3 = (a[word][:, np.newaxis, np.newaxis] for a in plane.logits)
    logits = (x1 * a1 + x2 * a2 + w * a3) - (x1 * b1 + x2 * b2 + w * b3)
    sizes = np.abs(plane.logits).max(axis=1)
    rounding = 8.0 * EPS * (np.abs(points[:, :4, :3]) @ sizes)[:, :, np.newaxis]
    apart = logits / w
    # Words that are level at infinity have 0 / 0 there, and are left to other corners.
    rounding = np.where((logits[:, :4] == 0.0) & (w[:, :4] == 0.0), 0.0, rounding)
    low = np.fmin.reduce((logits[:, :4] - rounding) / w[:, :4], axis=1)
    high = np.fmax.reduce((logits[:, :4] + rounding) / w[:, :4], axis=1)

    # Odds against the word itself, and posteriors.
    odds_low, odds_high, odds = np.exp(
        np.minimum([low, high, apart[:, 4]], LARGEST_LOGIT)
    )
    odds_low[own], odds_high[own] = 1.0, 1.0
    left_out = boxes["left_out"][rows]
    least = odds_low.sum(axis=1, keepdims=True)
    # Of all words; and larger than rounded, as it is the minuend of a difference.
    most = odds_high.sum(axis=1) / (1.0 - left_out) * (1.0 + 1e-12)
    post_high = odds_high / (least - odds_low + odds_high)
    post_low = odds_low / (most[:, np.newaxis] - odds_high + odds_low)
    post = odds / odds.sum(axis=1, keepdims=True)

    r = corners[:, :, 3]
    r_low, r_high = r.min(axis=1), r.max(axis=1)
    on_ramp = boxes["on_ramp"][rows]
    part = _Intervals(
        *(post_low, post_high, post, own, left_out, r_low, r_high, points[:, 4, 3]),
        heights=[h[columns] for h in plane.heights],
        pushes=[np.where(on_ramp, push, 0.0) for push in plane.pushes],
        spans=plane.spans,
    )

    # What stays negligible here, does so in the halves.
    gone = (post_high < NEGLIGIBLE) & ~own & np.take_along_axis(kept, columns, axis=1)
    kept[np.nonzero(gone)[0], columns[gone]] = False
    boxes["kept"][rows] = kept
    boxes["left_out"][rows] += (post_high * gone).sum(axis=1)

    change = np.clip(apart[:, :4], -SATURATED, SATURATED).reshape(len(rows), 2, 2, -1)
    # Words that are level at infinity stay so all along.
    change = np.where(np.isnan(change), change[:, ::-1], change)
    change = np.where(np.isnan(change), change[:, :, ::-1], change)
    along_s = (np.abs(change[:, 1] - change[:, 0]).max(axis=1) * post_high).sum(axis=1)
    along_t = np.abs(change[:, :, 1] - change[:, :, 0]).max(axis=1) * post_high
    return part, along_t.sum(axis=1) + _change_of_ramp(part) > along_s


def _change_of_ramp(part: _Intervals) -> Floats:
    """Return about how much the ramp changes the logarithm of slopes."""
    push = np.abs(part.pushes).max(axis=0)
    span = part.spans.max()
    change: Floats = 1.0 + span / np.maximum(push + part.r_high * span, 1e-300)
    return 2.0 * (part.r_high - part.r_low) * change


def _word_bounds(part: _Intervals, feature: Feature) -> tuple[Floats, Floats]:
    """Bound the slopes of each box's word, in all directions; a value of them, too."""
    own = part.own.argmax(axis=1)[:, np.newaxis]
    posteriors = (part.low, part.high, part.middle)
    share_low, share_high, share = (
        np.take_along_axis(x, own, axis=1)[:, 0] for x in posteriors
    )
    others_low, others_high, others = (np.where(part.own, 0.0, x) for x in posteriors)
    bound, value = np.zeros(len(own)), np.zeros(len(own))
    for height, push, span in zip(part.heights, part.pushes, part.spans, strict=True):
        drop = np.take_along_axis(height, own, axis=1) - height
        mean = (others * drop).sum(axis=1)
        slope = feature.slope(share, part.r_middle)
        value = np.maximum(value, slope * np.abs(push + part.r_middle * mean))
        middle = mean / np.maximum(others.sum(axis=1), 1e-300)
        for sign in (1.0, -1.0):
            drops, least = sign * drop, np.full(len(own), np.inf)
            rivals = np.where((others_high > RIVAL), drops, 0.0).max(axis=1)
            for level in (sign * middle, rivals):
                # The mean of drops is at most level * (1 - share) + excess.
                above = drops - level[:, np.newaxis]
                excess = np.where(above > 0.0, others_high, others_low) * above
                excess = excess.sum(axis=1) + (2.0 * part.left_out + 16.0 * EPS) * span
                steep = np.zeros(len(own))
                for r in (part.r_low, part.r_high):
                    ends = (share_low, share_high), (part.r_low, part.r_high)
                    k0 = sign * push + r * (level + excess)
                    steep = np.maximum(steep, feature.largest(*ends, k0, r * level))
                least = np.minimum(least, steep)
            bound = np.maximum(bound, least)
    # Odds against a word without any likelihood were cut.
    pushes = np.abs(part.pushes).max(axis=0)
    steep = feature.slope(share_high, feature.steep_end(part.r_low, part.r_high))
    crude = steep * (pushes + part.r_high * part.spans.max())
    return np.where(share_high < UNLIKELY, crude, bound), value


def _norm_bounds(part: _Intervals) -> tuple[Floats, Floats]:
    """Bound the Euclidean norm of slopes of roots in each box; a value of it, too."""
    bound, value = np.zeros(len(part.low)), np.zeros(len(part.low))
    for height, push, span in zip(part.heights, part.pushes, part.spans, strict=True):
        mean = (part.middle * height).sum(axis=1)
        squares = (height - mean[:, np.newaxis]) ** 2
        variance = (part.middle * squares).sum(axis=1)
        spread = 0.5 * part.r_middle * np.sqrt(variance)
        value = np.maximum(value, np.hypot(push, spread))
        rivals = part.high > RIVAL
        lowest = np.where(rivals, height, np.inf).min(axis=1)
        highest = np.where(rivals, height, -np.inf).max(axis=1)
        least = np.full(len(part.low), np.inf)
        for about, level in (
            (mean, variance),
            (0.5 * (lowest + highest), 0.25 * (highest - lowest) ** 2),
        ):
            # The variance is at most the mean of squares about any number, and that at
            # most level + excess.
            above = (height - about[:, np.newaxis]) ** 2 - level[:, np.newaxis]
            excess = (np.where(above > 0.0, part.high, part.low) * above).sum(axis=1)
            excess += (part.left_out + 16.0 * EPS) * span**2
            least = np.minimum(least, level + excess)
        spread = 0.5 * part.r_high * np.sqrt(np.maximum(least, 0.0))
        bound = np.maximum(bound, np.hypot(push, spread))
    return bound, value
