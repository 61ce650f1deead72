"""What is learnt from the training diagrams: a small set of words in the plane.

Codebooks live in birth-persistence coordinates, or on the line of births for classes
that never die. They are frozen, small, and all that an encoding needs.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pbow._utils.checks import check_option, is_integer
from pbow.compute.kmeans import lloyd, seed_plusplus
from pbow.compute.mixture import expect, maximize, pack
from pbow.compute.random import stream_of
from pbow.errors import TooFewPointsError

__all__ = [
    "GaussianCodebook",
    "KMeansCodebook",
    "TooFewPointsError",
    "learn_gaussian",
    "learn_kmeans",
]

Floats = NDArray[np.float64]

# As in the authors' program, see learn_kmeans and learn_gaussian.
MAX_ITER = 100
KMEANS_TOLERANCE = 1e-4
MIXTURE_TOLERANCE = 1e-5
COVARIANCE_FLOOR = 1e-4
# A component with a thousandth of a point is lost.
LOST_MASS = 1e-3

# An axis narrower than this counts as one point: its square would vanish.
SMALLEST_SPREAD = 1e-100

# Persistences, and so words, are at most twice the largest coordinate.
LARGEST_WORD = 4e100
SMALLEST_SCALE = 1e-110

COORDINATES = ("birth", "persistence")
# Words at each end of a table in a notebook; those between are counted.
SHOWN_WORDS = 10

FOR_SEEDING = 1  # streams from here on seed k-means, one a start


@dataclass(frozen=True, slots=True, weakref_slot=True, eq=False)
class KMeansCodebook:
    """Words: cluster centres in birth-persistence coordinates.

    Attributes
    ----------
    words : ndarray of shape (n_words, n_dims)
        Sorted by persistence, then birth. ``n_dims`` is 2, or 1 (births only) for
        classes that never die.
    scale : ndarray of shape (n_dims,)
        What coordinates are divided by before distances are taken.
    """

    words: Floats
    scale: Floats

    def __post_init__(self) -> None:
        _freeze(self)

    def __reduce__(self) -> tuple[Any, ...]:
        # Made anew, because arrays that were pickled are writable.
        return _rebuild(self)

    @property
    def n_words(self) -> int:
        """Number of words."""
        return len(self.words)

    def _repr_html_(self) -> str:
        return _table_of_words(self, dict(zip(COORDINATES, self.words.T, strict=False)))


@dataclass(frozen=True, slots=True, eq=False)
class GaussianCodebook:
    """Words: components of a Gaussian mixture in birth-persistence coordinates.

    Attributes
    ----------
    weights : ndarray of shape (n_words,)
        Positive, with sum 1.
    means : ndarray of shape (n_words, n_dims)
        Sorted by persistence, then birth. ``n_dims`` is 2, or 1 (births only) for
        classes that never die.
    covariances : ndarray of shape (n_words, n_dims, n_dims)
        Positive definite.
    scale : ndarray of shape (n_dims,)
        What coordinates were divided by while the mixture was learnt.
    """

    weights: Floats
    means: Floats
    covariances: Floats
    scale: Floats

    def __post_init__(self) -> None:
        _freeze(self)

    def __reduce__(self) -> tuple[Any, ...]:
        # Made anew, because arrays that were pickled are writable.
        return _rebuild(self)

    @property
    def n_words(self) -> int:
        """Number of components."""
        return len(self.weights)

    def _repr_html_(self) -> str:
        columns = {"weight": self.weights}
        for k, name in enumerate(COORDINATES[: len(self.scale)]):
            columns[name] = self.means[:, k]
            columns[f"deviation of {name}"] = np.sqrt(self.covariances[:, k, k])
        return _table_of_words(self, columns)


def learn_kmeans(
    sample: Floats,
    n_words: int,
    *,
    whiten: bool,
    n_init: int,
    seed: int,
    allow_fewer: bool = False,
) -> KMeansCodebook:
    """Cluster a sample into words by k-means.

    Seeds by k-means++, the best of a few draws for each word (the authors' program:
    of one), then moves words to the means of their points until the sum of
    squared distances falls by less than 1e-4 of itself, at most 100 times; a word that
    loses all points restarts at the point furthest from its word (the authors' program:
    at a random one). The best of `n_init` starts is kept.

    Parameters
    ----------
    sample : ndarray of shape (n_points, n_dims)
        Births and persistences, or births alone.
    n_words : int
        Number of words.
    whiten : bool
        Divide each coordinate by the sample's standard deviation first.
    n_init : int
        Number of starts.
    seed : int
        Decides the starts.
    allow_fewer : bool, default=False
        Make do with fewer words where there are fewer distinct points.

    Returns
    -------
    codebook : KMeansCodebook

    Examples
    --------
    >>> import numpy as np
    >>> from pbow.codebook import learn_kmeans
    >>> sample = np.array([[0.0, 1.0], [0.0, 3.0], [5.0, 0.0], [5.0, 2.0]])
    >>> learn_kmeans(sample, 2, whiten=False, n_init=1, seed=0).words
    array([[5., 1.],
           [0., 2.]])
    """
    sample = _check_sample(sample, n_words, n_init)
    n_dims = sample.shape[1]
    scale = _spread(sample) if whiten else np.ones(n_dims)
    points = _in_the_plane(sample / scale)
    words, _ = _cluster(points, n_words, n_init, seed, allow_fewer=allow_fewer)
    words = words[:, :n_dims] * scale
    return KMeansCodebook(words[_by_persistence(words)], scale)


def learn_gaussian(
    sample: Floats,
    n_words: int,
    *,
    covariance: str,
    whiten: bool,
    n_init: int,
    seed: int,
    allow_fewer: bool = False,
) -> GaussianCodebook:
    """Fit a Gaussian mixture to a sample by expectation maximisation.

    Starts from the k-means clusters, and stops when the mean log-likelihood of a point
    grows by less than 1e-5 (the authors' program: of itself, which would depend on the
    unit of the coordinates), after at most 100 rounds. Variances (eigenvalues,
    if `covariance` is full) are clamped from below at 1e-4 of the sample's largest
    variance. A component that loses its points restarts at the least likely point.

    Parameters
    ----------
    sample : ndarray of shape (n_points, n_dims)
        Births and persistences, or births alone.
    n_words : int
        Number of components.
    covariance : {"diag", "full"}
        Shape of the components.
    whiten : bool
        Learn in coordinates divided by the sample's standard deviations. The result is
        given in the original ones.
    n_init : int
        Number of k-means starts.
    seed : int
        Decides the starts.
    allow_fewer : bool, default=False
        Make do with fewer components where there are fewer distinct points.

    Returns
    -------
    codebook : GaussianCodebook

    Examples
    --------
    >>> import numpy as np
    >>> from pbow.codebook import learn_gaussian
    >>> sample = np.array([[0.0, 1.0], [0.0, 3.0], [5.0, 0.0], [5.0, 2.0]])
    >>> book = learn_gaussian(
    ...     sample, 2, covariance="diag", whiten=False, n_init=1, seed=0
    ... )
    >>> book.means.round(3), book.weights.round(3)
    (array([[5., 1.],
           [0., 2.]]), array([0.5, 0.5]))
    """
    check_option("covariance", covariance, ("diag", "full"))
    sample = _check_sample(sample, n_words, n_init)
    n_dims = sample.shape[1]
    scale = _spread(sample) if whiten else np.ones(n_dims)
    points = _in_the_plane(sample / scale)
    words, labels = _cluster(points, n_words, n_init, seed, allow_fewer=allow_fewer)
    weights, means, covariances = _maximize_likelihood(
        points, words, labels, diagonal=covariance == "diag"
    )
    means = means[:, :n_dims] * scale
    covariances = covariances[:, :n_dims, :n_dims] * scale * scale[:, np.newaxis]
    order = _by_persistence(means)
    return GaussianCodebook(weights[order], means[order], covariances[order], scale)


def _cluster(
    points: Floats, n_words: int, n_init: int, seed: int, *, allow_fewer: bool
) -> tuple[Floats, NDArray[np.int32]]:
    best = np.inf
    for start in range(n_init):
        words = np.empty((n_words, 2))
        labels = np.zeros(len(points), np.int32)
        n_found = seed_plusplus(points, stream_of(seed, FOR_SEEDING + start), words)
        if n_found < n_words and not allow_fewer:
            msg = (
                f"Cannot learn {n_words} words: the sample of {len(points)} points has "
                f"only {n_found} that can be told apart. Lower n_words, or pass "
                "diagrams with more."
            )
            raise TooFewPointsError(msg)
        words = words[:n_found]
        inertia, _ = lloyd(points, words, MAX_ITER, KMEANS_TOLERANCE, labels)
        if start == 0 or inertia < best:
            best, best_words, best_labels = inertia, words, labels
    return best_words, best_labels


def _maximize_likelihood(
    points: Floats, words: Floats, labels: NDArray[np.int32], *, diagonal: bool
) -> tuple[Floats, Floats, Floats]:
    n, n_words = len(points), len(words)
    limits: dict[str, Any] = {
        "diagonal": diagonal,
        "floor": _covariance_floor(points),
    }
    # The clusters are the first responsibilities.
    apart = points - words[labels]
    x, y = apart.T
    moments = np.array(
        [
            np.bincount(labels, shares, n_words)
            for shares in (np.ones(n), x, y, x * x, x * y, y * y)
        ]
    )
    shapes = np.tile(np.eye(2), (n_words, 1, 1))
    weights, means, covariances = maximize(moments, words, shapes, **limits)

    densities = np.empty(n)
    previous = -np.inf
    for _ in range(MAX_ITER):
        components = pack(weights, means, covariances)
        moments = np.zeros_like(components)
        likelihood = expect(points, components, moments, densities)
        weights, means, covariances = maximize(moments, means, covariances, **limits)
        lost = np.flatnonzero(moments[0, :n_words] < LOST_MASS)
        if len(lost):
            _restart(lost, points, densities, weights, means, covariances)
            previous = -np.inf
        elif likelihood - previous <= MIXTURE_TOLERANCE:
            break
        else:
            previous = likelihood
    return weights, means, covariances


def _restart(
    lost: NDArray[np.intp],
    points: Floats,
    densities: Floats,
    weights: Floats,
    means: Floats,
    covariances: Floats,
) -> None:
    """Put lost components on the least likely points, with an average shape."""
    shape = np.average(covariances, axis=0, weights=weights)
    means[lost] = points[np.argsort(densities, kind="stable")[: len(lost)]]
    covariances[lost] = shape
    weights[lost] = 1.0 / len(points)
    weights /= weights.sum()


def _covariance_floor(points: Floats) -> float:
    """Return the least variance of a component, positive even for identical points."""
    # Relative to a point, so that an axis without spread has no variance by rounding.
    variance = float((points - points[0]).var(axis=0).max())
    if variance <= SMALLEST_SPREAD**2:
        # Identical points have no scale but their distance from the origin, if any.
        size = float(np.abs(points).max())
        variance = size**2 if size > SMALLEST_SPREAD else 1.0
    return COVARIANCE_FLOOR * variance


def _spread(sample: Floats) -> Floats:
    """Return the standard deviations, and 1 where an axis has no spread."""
    low, size = sample.min(axis=0), np.ptp(sample, axis=0)
    # In units of the range: no overflow, and exactly 0 for equal values.
    unit = np.where(size > SMALLEST_SPREAD, size, 1.0)
    spread = ((sample - low) / unit).std(axis=0) * unit
    return np.where(size > SMALLEST_SPREAD, spread, 1.0)


def _in_the_plane(points: Floats) -> Floats:
    """Give births a persistence of 0; compiled loops know the plane only."""
    if points.shape[1] == 2:
        return np.ascontiguousarray(points)
    return np.column_stack((points, np.zeros(len(points))))


def _by_persistence(words: Floats) -> NDArray[np.intp]:
    # A stable order makes feature k mean the same thing from one run to the next.
    return np.lexsort(words.T)


def _check_sample(sample: Any, n_words: int, n_init: int) -> Floats:
    checked = np.asarray(sample, dtype=np.float64)
    if checked.ndim != 2 or checked.shape[1] not in {1, 2} or len(checked) == 0:
        msg = (
            "Expected at least one point, as (n_points, 1 or 2); got an array of "
            f"shape {checked.shape}."
        )
        raise ValueError(msg)
    if not np.isfinite(checked).all():
        msg = "Expected a sample of finite numbers; it has NaN or infinity."
        raise ValueError(msg)
    for name, value in (("n_words", n_words), ("n_init", n_init)):
        if not is_integer(value, 1):
            msg = f"Expected {name} to be an int >= 1; got {value!r}."
            raise ValueError(msg)
    return checked


def _table_of_words(
    codebook: KMeansCodebook | GaussianCodebook, columns: dict[str, Floats]
) -> str:
    """Return HTML with a row a word; of many, the least and the most persistent."""
    n_words = codebook.n_words
    rows = [
        f"<tr><th>{word}</th>{''.join(f'<td>{x:.4g}</td>' for x in values)}</tr>"
        for word, values in enumerate(zip(*columns.values(), strict=True))
    ]
    n_hidden = n_words - 2 * SHOWN_WORDS
    if n_hidden > 1:
        hidden = f"<tr><td colspan={len(columns) + 1}>{n_hidden} more</td></tr>"
        rows[SHOWN_WORDS:-SHOWN_WORDS] = [hidden]
    heads = "".join(f"<th>{name}</th>" for name in ("word", *columns))
    return (
        f"<table><caption>{type(codebook).__name__}: {n_words} "
        f"word{'' if n_words == 1 else 's'}</caption><thead><tr>{heads}</tr></thead>"
        f"<tbody>{''.join(rows)}</tbody></table>"
    )


def _rebuild(codebook: KMeansCodebook | GaussianCodebook) -> tuple[Any, ...]:
    values = tuple(getattr(codebook, field.name) for field in fields(codebook))
    return type(codebook), values


def _freeze(codebook: KMeansCodebook | GaussianCodebook) -> None:
    """Check the arrays of a codebook, and keep read-only copies."""
    for field in fields(codebook):
        array = np.array(getattr(codebook, field.name), dtype=np.float64, order="C")
        if not np.isfinite(array).all():
            msg = f"Expected {field.name} to be finite; they have NaN or infinity."
            raise ValueError(msg)
        array.flags.writeable = False
        object.__setattr__(codebook, field.name, array)
    words = codebook.words if isinstance(codebook, KMeansCodebook) else codebook.means
    if words.ndim != 2 or words.shape[1] not in {1, 2} or len(words) == 0:
        msg = f"Expected words of shape (at least 1, 1 or 2); got {words.shape}."
        raise ValueError(msg)
    n_words, n_dims = words.shape
    if codebook.scale.shape != (n_dims,) or not (codebook.scale > 0.0).all():
        msg = f"Expected scale to be {n_dims} positive numbers; got {codebook.scale}."
        raise ValueError(msg)
    # As learnt from coordinates in their range. Others could overflow in the loops.
    if not (np.abs(words) <= LARGEST_WORD).all():
        msg = f"Expected words of at most {LARGEST_WORD:g}; rescale the diagrams."
        raise ValueError(msg)
    if not (
        SMALLEST_SCALE <= codebook.scale.min() <= codebook.scale.max() <= LARGEST_WORD
    ):
        msg = (
            f"Expected scale to be between {SMALLEST_SCALE:g} and {LARGEST_WORD:g}; "
            f"got {codebook.scale}."
        )
        raise ValueError(msg)
    if isinstance(codebook, KMeansCodebook):
        return
    if codebook.weights.shape != (n_words,) or not (codebook.weights > 0.0).all():
        msg = (
            f"Expected weights to be {n_words} positive numbers; "
            f"got {codebook.weights}."
        )
        raise ValueError(msg)
    if codebook.covariances.shape != (n_words, n_dims, n_dims):
        msg = (
            f"Expected covariances of shape {(n_words, n_dims, n_dims)}; "
            f"got {codebook.covariances.shape}."
        )
        raise ValueError(msg)
    # What is left of the last variance, given the first coordinate.
    first, last = codebook.covariances[:, 0, 0], codebook.covariances[:, -1, -1]
    definite = (first > 0.0) & (last > 0.0)
    if n_dims == 2:
        shared = codebook.covariances[:, 0, 1] / np.sqrt(np.where(definite, first, 1.0))
        definite &= last - shared * shared > 0.0
    if not definite.all():
        word = int(np.argmin(definite))
        msg = (
            f"The covariance of word {word} is not positive definite: "
            f"{codebook.covariances[word].tolist()}."
        )
        raise ValueError(msg)
