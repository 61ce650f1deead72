"""Certified Lipschitz constants of the stable bag-of-words.

A word is the function ``g(b, p) = s * r(p) * phi(b, p)`` of birth and persistence: a
factor, the ramp, a Gaussian. Its constant is the supremum of a norm of its gradient,
bounded here from ABOVE; an optimizer would bound it from below and prove nothing.
docs/guide/stability.md has the theorem and the proof of every step.

Conventions: sigma is the standard deviation of persistence, tau that of birth given
persistence, rho the slope of the conditional mean of birth. Persistence is measured in
sigmas, ``v`` from the word's mean and ``u`` from the ramp's foot, and suprema are
logarithms, so that words of width 1e-50 and 1e50 go the same way.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from pbow._utils.checks import check_option
from pbow.codebook import GaussianCodebook
from pbow.weighting import Ramp

__all__ = ["component_constants", "lipschitz_constant", "obstacle"]

Floats = NDArray[np.float64]

METRICS = ("birth-death", "birth-persistence")
SCALES = ("density", "peak")

# By how much, relatively, a constant may exceed the true supremum.
TOLERANCE = 1e-3
# Rounding errs by less than 1e-11: exponents up to 2000 times a few units of 2e-16.
ROUNDING = 1e-9
# Smaller constants are reported as this one: still a bound, and nothing underflows.
SMALLEST = float(np.finfo(np.float64).tiny)
# Products of two such numbers are finite. Beyond, nothing is certified.
LARGEST = 1e153


def component_constants(
    codebook: GaussianCodebook,
    ramp: Ramp | None,
    *,
    scale: str = "density",
    metric: str = "birth-death",
) -> Floats:
    """Bound the Lipschitz constant of each word from above, within 0.1 %.

    Parameters
    ----------
    codebook : GaussianCodebook
        Words over birth and persistence; or over births alone (essential classes, which
        cannot be removed: no ramp is needed, and none is used).
    ramp : Ramp or None
        What a point counts by its persistence: nothing at 0, where points come and go
        at no cost.
    scale : {"density", "peak"}, default="density"
        Whether a word is its weighted density, or is 1 at its mean.
    metric : {"birth-death", "birth-persistence"}, default="birth-death"
        The plane in which the L-infinity distance of two points is taken:
        "birth-death" as GUDHI and Hera do, where removing a point costs half its
        persistence; "birth-persistence" as the paper's supplement does, where it costs
        its persistence.

    Returns
    -------
    constants : ndarray of shape (n_words,)
        Each is at least the supremum of ``|g_b - g_p| + |g_p|`` ("birth-death") or
        ``|g_b| + |g_p|`` ("birth-persistence"). Infinite for a step (``low == high``),
        and where numbers leave the range of doubles.

    Examples
    --------
    >>> import numpy as np
    >>> from pbow.codebook import GaussianCodebook
    >>> from pbow.stability import component_constants
    >>> from pbow.weighting import Ramp
    >>> word = GaussianCodebook(
    ...     weights=np.ones(1),
    ...     means=np.array([[0.0, 2.0]]),
    ...     covariances=np.eye(2)[np.newaxis],
    ...     scale=np.ones(2),
    ... )
    >>> component_constants(word, Ramp(0.0, 1.0), scale="peak").round(2)
    array([2.5])
    >>> component_constants(
    ...     word, Ramp(0.0, 1.0), scale="peak", metric="birth-persistence"
    ... ).round(2)
    array([1.35])
    """
    check_option("scale", scale, SCALES)
    check_option("metric", metric, METRICS)
    n_words, n_dims = codebook.means.shape
    covariances = codebook.covariances
    # Of persistence, or of birth where there is nothing else.
    sigma = np.sqrt(covariances[:, -1, -1])
    tau = _conditional_deviation(covariances) if n_dims == 2 else np.ones(n_words)
    log_height = np.zeros(n_words)
    if scale == "density":
        log_height += np.log(np.maximum(codebook.weights, SMALLEST))
        log_height -= np.log(sigma) + np.log(tau) + 0.5 * n_dims * math.log(2 * math.pi)
    if n_dims == 1:
        return _exp(log_height - 0.5 - np.log(sigma))

    if ramp is None:
        msg = (
            "Without a ramp no constant exists: a point at the diagonal comes and goes "
            "at no cost, but counts fully. Pass Ramp(low, high), or set point_weight."
        )
        raise ValueError(msg)
    width = ramp.high - ramp.low
    if width <= 0.0:
        return np.full(n_words, np.inf)
    rho = covariances[:, 1, 0] / covariances[:, 1, 1]
    forms = {
        "birth-death": [(np.ones(n_words), 0.0), (np.abs(1.0 + 2.0 * rho), 2.0)],
        "birth-persistence": [(1.0 + np.abs(rho), 1.0)],
    }
    foot = (ramp.low - codebook.means[:, 1]) / sigma
    top = (ramp.high - codebook.means[:, 1]) / sigma
    on_ramp, above = log_height - math.log(width), log_height - np.log(sigma)
    suprema = []
    # What overflows becomes infinite or NaN, and both of these an infinite constant.
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
        for slope, k in forms[metric]:
            alpha = slope * sigma / tau
            floor = math.log(SMALLEST) - on_ramp
            suprema += [
                on_ramp + _log_sup_on_ramp(alpha, k, foot, top, width / sigma, floor),
                above + _log_sup_above(alpha, k, top),
            ]
    return _exp(np.max(suprema, axis=0))


def lipschitz_constant(vectorizer: Any, *, metric: str = "birth-death") -> float | None:
    """Return C with ``max|v(B) - v(B')| <= C * W1(B, B')``, or None: none is proven.

    None has one of three reasons, and :func:`obstacle` says which: points count fully
    at the diagonal, where they come and go at no cost (no `point_weight`, or a ramp
    that is a step); ``scale="posterior"``, whose slope nothing bounds away from the
    words; a square root in `normalize`, whose slope has no bound near 0.

    Parameters
    ----------
    vectorizer : StablePersistenceBoW
        A fitted one; `StablePersistenceBoW.certified` makes one that has a constant.
    metric : {"birth-death", "birth-persistence"}, default="birth-death"
        The plane in which the L-infinity distance of two points is taken; see
        :func:`component_constants`.

    Returns
    -------
    constant : float or None
        W1 is that of the diagrams as they are encoded, say without the points that
        ``essential="drop"`` drops; of several parts the largest W1 (hence also their
        sum). With ``normalize="lipschitz"`` the constant holds for the Euclidean norm
        of each part's features, too.

    See Also
    --------
    component_constants : The constant of every word.

    Notes
    -----
    The constant is that of exact arithmetic; features are rounded, in float32 to about
    six digits.
    """
    check_option("metric", metric, METRICS)
    # As it was fitted, whatever its parameters are now.
    vectorizer = getattr(vectorizer, "fitted_", vectorizer)
    if obstacle(vectorizer) is not None:
        return None
    constants = [0.0]
    for name, codebook in vectorizer.codebooks_.items():
        ramp = vectorizer.ramps_.get(name)
        words = component_constants(
            codebook, ramp, scale=vectorizer.scale, metric=metric
        )
        if vectorizer.normalize == "lipschitz":
            constants.append(math.hypot(*words))  # scales before it squares
        else:
            constants.append(float(words.max()))
    return max(constants)


def obstacle(vectorizer: Any) -> str | None:
    """Say why a fitted StablePersistenceBoW is not Lipschitz; None where it is.

    Parameters
    ----------
    vectorizer : StablePersistenceBoW
        A fitted one.

    Returns
    -------
    reason : str or None
    """
    name = type(vectorizer).__name__
    if not all(hasattr(vectorizer, p) for p in ("scale", "normalize", "point_weight")):
        msg = (
            f"Expected a StablePersistenceBoW, got {name}: only that one is certified."
        )
        raise TypeError(msg)
    check_is_fitted(vectorizer, ["codebooks_", "ramps_"])
    vectorizer = getattr(vectorizer, "fitted_", vectorizer)
    if vectorizer.scale not in SCALES:
        return (
            f"With scale={vectorizer.scale!r} nothing bounds the slope of a feature "
            "away from the words."
        )
    if vectorizer.normalize not in {None, "lipschitz"}:
        return (
            f"With normalize={vectorizer.normalize!r} the slope has no bound near 0, "
            "like the square root's."
        )
    for part, codebook in vectorizer.codebooks_.items():
        ramp = vectorizer.ramps_.get(part)
        if codebook.births_only:
            continue
        if vectorizer.point_weight is None or ramp is None:
            return (
                "Without a point weight, a point at the diagonal, where it comes and "
                "goes at no cost, counts fully."
            )
        if ramp.low == ramp.high:
            return f"The point weight of part {part} jumps: {ramp!r}."
    return None


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


def _exp(log_bounds: Floats) -> Floats:
    """Return the bounds, rounded up; infinity where they are not known."""
    with np.errstate(over="ignore"):
        bounds = np.maximum(np.exp(log_bounds), SMALLEST) * (1.0 + ROUNDING)
    return np.where(np.isnan(bounds), np.inf, bounds)


def _conditional_deviation(covariances: Floats) -> Floats:
    """Return the standard deviation of birth given persistence."""
    # In exact arithmetic: the difference would eat the digits of a narrow ridge.
    shares = [
        1 - Fraction(bp) ** 2 / (Fraction(bb) * Fraction(pp))
        for (bb, _), (bp, pp) in covariances.tolist()
    ]
    return np.sqrt(covariances[:, 0, 0]) * np.sqrt([float(share) for share in shares])
