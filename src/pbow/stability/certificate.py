"""The constants of words and of fitted vectorizers, and why there may be none."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from pbow._utils.checks import check_option
from pbow.codebook import GaussianCodebook
from pbow.stability.branching import SMALLEST
from pbow.stability.feature import Feature
from pbow.stability.gaussian import gaussian_constants
from pbow.stability.posterior import euclidean_constant, is_tied, posterior_constants
from pbow.weighting import Ramp

__all__ = [
    "METRICS",
    "NORMS",
    "SCALES",
    "component_constants",
    "lipschitz_constant",
    "obstacle",
]

Floats = NDArray[np.float64]

METRICS = ("birth-death", "birth-persistence")
NORMS = ("max", "euclidean")
SCALES = ("density", "peak", "posterior")
NORMALIZATIONS = (None, "sqrt", "smooth-sqrt", "lipschitz")

# Corners of the unit ball of each metric in (birth, persistence), up to their sign: a
# slope is largest towards one of them.
DIRECTIONS = {
    "birth-death": ((1.0, 0.0), (1.0, -2.0)),
    "birth-persistence": ((1.0, 1.0), (1.0, -1.0)),
}
# Rounding errs by less than 1e-11: exponents up to 2000 times a few units of 2e-16.
ROUNDING = 1e-9


def component_constants(
    codebook: GaussianCodebook,
    ramp: Ramp | None,
    *,
    scale: str = "density",
    normalize: str | None = None,
    metric: str = "birth-death",
) -> Floats:
    """Bound the Lipschitz constant of each word's feature from above.

    Parameters
    ----------
    codebook : GaussianCodebook
        Words over birth and persistence; or over births alone (essential classes, which
        cannot be removed: no ramp is needed, and none is used).
    ramp : Ramp or None
        What a point counts by its persistence: nothing at 0, where points come and go
        at no cost.
    scale : {"density", "peak", "posterior"}, default="density"
        Whether a word is its weighted density, is 1 at its mean, or is its share of a
        point.
    normalize : {None, "sqrt", "smooth-sqrt", "lipschitz"}, default=None
        What is done to the sums. "lipschitz" follows the features that are bounded
        here, which are the sums.
    metric : {"birth-death", "birth-persistence"}, default="birth-death"
        The plane in which the L-infinity distance of two points is taken:
        "birth-death" as GUDHI and Hera do, where removing a point costs half its
        persistence; "birth-persistence" as the paper's supplement does, where it costs
        its persistence.

    Returns
    -------
    constants : ndarray of shape (n_words,)
        Each is at least the supremum of ``|h_b - h_p| + |h_p|`` ("birth-death") or
        ``|h_b| + |h_p|`` ("birth-persistence"), where h is what one point adds to the
        feature. It exceeds the supremum by at most 0.1 % for "density" and "peak"
        without a root, or with "sqrt"; otherwise by 3 %, or more for posteriors if
        three or more words lie on one line.

        Infinite where no constant is known: for a step (``low == high``), for "sqrt"
        unless the ramp is squared, for posteriors of words with different covariances,
        and where numbers leave the range of doubles.

    Examples
    --------
    >>> import numpy as np
    >>> from pbow.codebook import GaussianCodebook
    >>> from pbow.stability import component_constants
    >>> from pbow.weighting import Ramp
    >>> words = GaussianCodebook(
    ...     weights=np.full(2, 0.5),
    ...     means=np.array([[0.0, 2.0], [1.0, 2.0]]),
    ...     covariances=np.tile(np.eye(2), (2, 1, 1)),
    ...     scale=np.ones(2),
    ... )
    >>> component_constants(words, Ramp(0.0, 1.0), scale="peak").round(2)
    array([2.5, 2.5])
    >>> component_constants(
    ...     words, Ramp(0.0, 1.0), scale="peak", metric="birth-persistence"
    ... ).round(2)
    array([1.35, 1.35])

    The share of a point far from both words, on one side, is 1: the ramp alone counts.

    >>> component_constants(words, Ramp(0.0, 1.0), scale="posterior").round(2)
    array([2., 2.])
    """
    check_option("scale", scale, SCALES)
    check_option("normalize", normalize, NORMALIZATIONS)
    check_option("metric", metric, METRICS)
    if codebook.births_only:
        ramp = None
    elif ramp is None:
        msg = (
            "Without a ramp no constant exists: a point at the diagonal comes and goes "
            "at no cost, but counts fully. Pass Ramp(low, high), or set point_weight."
        )
        raise ValueError(msg)
    return np.concatenate(
        [
            _constants(book, ramp, scale, normalize, metric)
            for book in codebook.resolutions
        ]
    )


def lipschitz_constant(
    vectorizer: Any, *, metric: str = "birth-death", norm: str = "max"
) -> float | None:
    """Return C with ``|v(B) - v(B')| <= C * W1(B, B')``, or None: none is proven.

    :func:`obstacle` says why there is none: points count fully at the diagonal, where
    they come and go at no cost; or nothing bounds the slope of the features.

    Parameters
    ----------
    vectorizer : StablePersistenceBoW
        A fitted one; `StablePersistenceBoW.certified` makes one that has a constant.
    metric : {"birth-death", "birth-persistence"}, default="birth-death"
        The plane in which the L-infinity distance of two points is taken; see
        :func:`component_constants`.
    norm : {"max", "euclidean"}, default="max"
        Whether the change of the vector is the largest change of a feature, or the
        Euclidean length. With ``normalize="sqrt"`` the constant for the latter holds
        for the 2-Wasserstein distance, too, which is at most W1.

    Returns
    -------
    constant : float or None
        W1 is that of the diagrams as they are encoded, say without the points that
        ``essential="drop"`` drops. Of several parts, W1 is the largest of their
        distances for "max", the root of the sum of their squares for "euclidean"; hence
        their sum does for both. With ``normalize="lipschitz"`` the constant of "max"
        holds for the Euclidean norm of the features of each part and resolution, too.

    See Also
    --------
    component_constants : The constant of every word.

    Notes
    -----
    The constant is that of exact arithmetic; features are rounded, in float32 to about
    six digits.

    Examples
    --------
    >>> from pbow import StablePersistenceBoW
    >>> from pbow.stability import lipschitz_constant
    >>> X = [[[0.0, 1.0], [0.0, 0.9], [0.5, 0.6]], [[0.5, 0.7]], []]
    >>> fitted = StablePersistenceBoW.certified(2, random_state=0).fit(X)
    >>> C = lipschitz_constant(fitted)
    >>> C <= lipschitz_constant(fitted, norm="euclidean") <= 2 * C
    True
    """
    check_option("metric", metric, METRICS)
    check_option("norm", norm, NORMS)
    # As it was fitted, whatever its parameters are now.
    vectorizer = getattr(vectorizer, "fitted_", vectorizer)
    if obstacle(vectorizer) is not None:
        return None
    constants = [0.0]
    for name, codebook in vectorizer.codebooks_.items():
        ramp = None if codebook.births_only else vectorizer.ramps_.get(name)
        options = (ramp, vectorizer.scale, vectorizer.normalize, metric)
        each = [
            _norm_of_resolution(book, *options)
            if norm == "euclidean"
            else _largest_of_resolution(book, *options)
            for book in codebook.resolutions
        ]
        constants.append(math.hypot(*each) if norm == "euclidean" else max(each))
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
    normalize = vectorizer.normalize
    if normalize not in NORMALIZATIONS:
        return (
            f"With normalize={normalize!r} the slope has no bound near 0: the empty "
            "diagram is far from all others."
        )
    for part, codebook in vectorizer.codebooks_.items():
        ramp = vectorizer.ramps_.get(part)
        if vectorizer.scale == "posterior" and not is_tied(codebook):
            return (
                "With scale='posterior' nothing bounds the slope of a feature away "
                "from the words, unless they share one covariance: covariance='tied'."
            )
        if codebook.births_only:
            continue
        if vectorizer.point_weight is None or ramp is None:
            return (
                "Without a point weight, a point at the diagonal, where it comes and "
                "goes at no cost, counts fully."
            )
        if ramp.low == ramp.high:
            return f"The point weight of part {part} jumps: {ramp!r}."
        if normalize == "sqrt" and ramp.power == 1:
            return (
                "With normalize='sqrt' the slope has no bound near 0, unless "
                "point_weight='squared-ramp'; 'smooth-sqrt' has a bound with any ramp."
            )
    return None


def _constants(
    book: GaussianCodebook,
    ramp: Ramp | None,
    scale: str,
    normalize: str | None,
    metric: str,
    *,
    together: bool = False,
) -> Floats:
    """Bound the constants of one resolution; `together`, only the largest tightly."""
    feature = Feature.of(normalize, 1 if ramp is None else ramp.power)
    unknown = np.full(book.n_words, np.inf)
    if ramp is not None and (ramp.low == ramp.high or _has_steep_root(feature)):
        return unknown
    if scale != "posterior":
        bounds = gaussian_constants(book, ramp, metric, feature, scale=scale)
    elif is_tied(book):
        directions = DIRECTIONS[metric]
        bounds = posterior_constants(book, ramp, directions, feature, together=together)
    else:
        return unknown
    return _round_up(bounds)


def _has_steep_root(feature: Feature) -> bool:
    return feature.epsilon == 0.0 and feature.power == 1


def _round_up(bounds: Floats) -> Floats:
    """Return bounds of exact arithmetic; infinity where they are not known."""
    with np.errstate(over="ignore"):
        larger = np.maximum(bounds, SMALLEST) * (1.0 + ROUNDING)
    return np.where(np.isnan(larger), np.inf, larger)


def _largest_of_resolution(
    book: GaussianCodebook,
    ramp: Ramp | None,
    scale: str,
    normalize: str | None,
    metric: str,
) -> float:
    if normalize == "lipschitz":
        return math.hypot(*_constants(book, ramp, scale, normalize, metric))
    words = _constants(book, ramp, scale, normalize, metric, together=True)
    return float(words.max())


def _norm_of_resolution(
    book: GaussianCodebook,
    ramp: Ramp | None,
    scale: str,
    normalize: str | None,
    metric: str,
) -> float:
    norms = []
    # The roots of posteriors are a vector of length 1, whose slope is known.
    linear_root = ramp is None or ramp.power == 2
    if scale == "posterior" and linear_root and normalize in {"sqrt", "smooth-sqrt"}:
        bound = euclidean_constant(book, ramp, DIRECTIONS[metric])
        norms.append(float(_round_up(np.array([bound]))[0]))
    if not norms or normalize != "sqrt":
        words = _constants(book, ramp, scale, normalize, metric)
        norms.append(math.hypot(*words))  # scales before it squares
    return min(norms)
