"""What is learnt from the training diagrams: a small set of words in the plane.

Codebooks live in birth-persistence coordinates, or on the line of births for essential
classes. They are frozen, small, and all that an encoding needs. A codebook may have
several resolutions, say 10, 30 and 100 words learnt from one sample: their words stand
one after another, and feature k of an encoding belongs to word k.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, fields, replace
from functools import cached_property
from itertools import accumulate, pairwise
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from pbow._utils.checks import check_option, is_integer
from pbow._utils.html import html_table
from pbow._utils.records import ArrayRecord, as_finite, check_range
from pbow._utils.text import plural
from pbow._utils.threads import count_threads, map_tasks, steps_per_call
from pbow.compute.expectation import expect, log_densities
from pbow.compute.grid import Grid, build_grid
from pbow.compute.kmeans import lloyd, seed_plusplus
from pbow.compute.mixture import (
    LEAST_SHARE,
    maximize,
    pack,
    raise_eigenvalues,
    weigh,
)
from pbow.compute.random import stream_of
from pbow.compute.tiles import TILE, Tiles, tile
from pbow.diagrams import LARGEST_COORDINATE

__all__ = [
    "COVARIANCES",
    "GaussianCodebook",
    "KMeansCodebook",
    "learn_gaussian",
    "learn_kmeans",
]

Floats = NDArray[np.float64]
Sizes = int | Sequence[int]  # of one resolution, or of several
Clusters = tuple[Floats, NDArray[np.int32]]  # words, and the labels of points
Mixture = tuple[Floats, Floats, Floats]  # weights, means, covariances

COVARIANCES = ("diag", "full", "tied")

# As in the authors' program, see learn_kmeans and learn_gaussian.
MAX_ITER = 100
KMEANS_TOLERANCE = 1e-4
MIXTURE_TOLERANCE = 1e-5
COVARIANCE_FLOOR = 1e-4
# Measured costs in nanoseconds: of a distance, of a likelihood, and of a start per
# point and root of the number of words.
START_A_POINT = 60.0
SEED_A_POINT = 0.6
ASSIGN_A_WORD = 0.3
EXPECT_A_WORD = 1.0
# Of one thread at a time: a quarter of a millisecond.
LIKELIHOODS_PER_CHUNK = 1_000_000
# A component with a thousandth of a point is lost.
LOST_MASS = 1e-3

# An axis narrower than this counts as one point: its square would vanish.
SMALLEST_SPREAD = 1e-100
# What samples of valid diagrams lead to, with a margin. Persistences are at most twice
# the largest coordinate; deviations may be small against the range of the sample.
LARGEST_WORD = 4.0 * LARGEST_COORDINATE
SMALLEST_SCALE = 1e-110
LARGEST_DEVIATION = 1e4 * LARGEST_WORD  # of words that a temperature has widened
SMALLEST_WEIGHT = np.finfo(np.float64).tiny

COORDINATES = ("birth", "persistence")
# Words at each end of a table in a notebook; those between are counted.
SHOWN_WORDS = 10

FOR_SEEDING = 1  # streams from here on seed k-means, one per start


class _Codebook(ArrayRecord):
    """What both codebooks share."""

    scale: Floats
    sizes: tuple[int, ...]

    @property
    def births_only(self) -> bool:
        """Whether words are births alone, of essential classes."""
        return len(self.scale) == 1

    @property
    def n_words(self) -> int:
        """Number of words of all resolutions."""
        return sum(self.sizes)

    @cached_property
    def resolutions(self) -> tuple[Self, ...]:
        """The codebook of each resolution."""
        if len(self.sizes) == 1:
            return (self,)
        return tuple(
            self._make(**self._words_from(i, j), scale=self.scale)
            for i, j in pairwise(accumulate(self.sizes, initial=0))
        )

    @classmethod
    def join(cls, codebooks: Sequence[Self]) -> Self:
        """Return one codebook with the resolutions of all; they share their scale."""
        if len(codebooks) == 1:
            return codebooks[0]
        each = [book._words_from(0, book.n_words) for book in codebooks]
        joined: dict[str, Any] = {
            name: np.concatenate([arrays[name] for arrays in each]) for name in each[0]
        }
        joined["sizes"] = tuple(size for book in codebooks for size in book.sizes)
        return cls._make(**joined, scale=codebooks[0].scale)

    @classmethod
    def _make(cls, **arrays: Any) -> Self:
        make: Callable[..., Self] = cls  # whose fields subclasses declare
        return make(**arrays)

    def _words_from(self, first: int, last: int) -> dict[str, Floats]:
        """Return the fields that have one entry per word, of some words."""
        names = [field.name for field in fields(self)]  # type: ignore[arg-type]
        names = [name for name in names if name not in {"scale", "sizes"}]
        return {name: getattr(self, name)[first:last] for name in names}

    def _keep_words(self, name: str) -> tuple[int, int]:
        """Check words, scale and sizes; return the shape of the words."""
        words = self._keep(name)
        if words.ndim != 2 or words.shape[1] not in {1, 2} or len(words) == 0:
            msg = f"Expected {name} of shape (at least 1, 1 or 2); got {words.shape}."
            raise ValueError(msg)
        check_range(name, words, -LARGEST_WORD, LARGEST_WORD)
        scale = self._keep("scale", words.shape[1:])
        check_range("scale", scale, SMALLEST_SCALE, LARGEST_WORD)
        sizes = tuple(self.sizes) or (len(words),)
        if (
            not all(is_integer(n, 1) for n in sizes)
            or sum(sizes) != len(words)
            or any(i >= j for i, j in pairwise(sizes))
        ):
            msg = (
                f"Expected increasing sizes of {len(words)} words in all; got "
                f"{sizes!r:.80}."
            )
            raise ValueError(msg)
        object.__setattr__(self, "sizes", tuple(map(int, sizes)))
        return len(words), words.shape[1]


@dataclass(frozen=True, eq=False)
class KMeansCodebook(_Codebook):
    """Words: cluster centers in birth-persistence coordinates.

    Attributes
    ----------
    words : ndarray of shape (n_words, n_dims)
        Of each resolution, sorted by persistence, then birth. ``n_dims`` is 2, or 1
        (births only) for essential classes.
    scale : ndarray of shape (n_dims,)
        What coordinates are divided by before distances are taken.
    sizes : tuple of int, default=()
        Number of words of each resolution, in the order of the words; empty stands for
        one resolution.

    Raises
    ------
    ValueError
        For anything that no diagrams lead to: other shapes, NaN, words beyond 4e100,
        scales outside 1e-110 to 4e100.

    Examples
    --------
    >>> from pbow.codebook import KMeansCodebook
    >>> KMeansCodebook(words=[[0.0, 1.0], [0.0, 5.0]], scale=[1.0, 1.0]).n_words
    2
    """

    words: Floats
    scale: Floats
    sizes: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        self._keep_words("words")

    @property
    def inverse(self) -> Floats:
        """What births and persistences are multiplied by before distances are taken."""
        return 1.0 / in_plane(self.scale, 1.0)

    @property
    def scaled_words(self) -> Floats:
        """The words in the coordinates in which distances are taken."""
        return in_plane(self.words, 0.0) * self.inverse

    @cached_property
    def grid(self) -> Grid:
        """The table by which the nearest word is looked up, made at the first use."""
        return build_grid(self.scaled_words)

    @property
    def has_grid(self) -> bool:
        """Whether the grid is made already."""
        return "grid" in vars(self)

    def _repr_html_(self) -> str:
        return _table_of_words(self, dict(zip(COORDINATES, self.words.T, strict=False)))


@dataclass(frozen=True, eq=False)
class GaussianCodebook(_Codebook):
    """Words: components of a Gaussian mixture in birth-persistence coordinates.

    Attributes
    ----------
    weights : ndarray of shape (n_words,)
        Positive, of each resolution with sum 1.
    means : ndarray of shape (n_words, n_dims)
        Of each resolution, sorted by persistence, then birth. ``n_dims`` is 2, or 1
        (births only) for essential classes.
    covariances : ndarray of shape (n_words, n_dims, n_dims)
        Positive definite.
    scale : ndarray of shape (n_dims,)
        What coordinates were divided by while the mixture was learnt.
    sizes : tuple of int, default=()
        Number of words of each resolution, in the order of the words; empty stands for
        one resolution.

    Raises
    ------
    ValueError
        For anything that no diagrams lead to: other shapes, NaN, means beyond 4e100,
        scales outside 1e-110 to 4e100, standard deviations outside 1e-110 to 4e104,
        weights outside 0 to 1, covariances that are not symmetric or are singular
        within rounding.

    Examples
    --------
    >>> from pbow.codebook import GaussianCodebook
    >>> book = GaussianCodebook(
    ...     weights=[1.0], means=[[2.0]], covariances=[[[0.25]]], scale=[1.0]
    ... )
    >>> book.births_only
    True
    """

    weights: Floats
    means: Floats
    covariances: Floats
    scale: Floats
    sizes: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        n_words, n_dims = self._keep_words("means")
        weights = self._keep("weights", (n_words,))
        check_range("weights", weights, SMALLEST_WEIGHT, 1.0 + 1e-6)
        covariances = self._keep("covariances", (n_words, n_dims, n_dims))
        variances = np.diagonal(covariances, axis1=1, axis2=2)
        check_range("variances", variances, SMALLEST_SCALE**2, LARGEST_DEVIATION**2)
        upper, lower = covariances[:, 0, -1], covariances[:, -1, 0]
        correlations = upper / np.sqrt(variances[:, 0]) / np.sqrt(variances[:, -1])
        definite = np.isclose(upper, lower, rtol=1e-9, atol=0.0)
        if n_dims == 2:
            definite &= (1.0 - correlations) * (1.0 + correlations) > LEAST_SHARE
        if not definite.all():
            word = int(np.argmin(definite))
            msg = (
                f"The covariance of word {word} is not symmetric and positive "
                f"definite: {covariances[word].tolist()}."
            )
            raise ValueError(msg)

    def widened(self, temperature: float) -> GaussianCodebook:
        """Return the words with covariances times `temperature` squared.

        Parameters
        ----------
        temperature : float
            Positive. 1 changes nothing, to the last bit.

        Returns
        -------
        codebook : GaussianCodebook
            With the same weights and means.

        Examples
        --------
        >>> from pbow.codebook import GaussianCodebook
        >>> book = GaussianCodebook([1.0], [[2.0]], [[[0.25]]], [1.0])
        >>> book.widened(2.0).covariances
        array([[[1.]]])
        """
        return replace(self, covariances=self.covariances * temperature**2)

    def _repr_html_(self) -> str:
        columns = {"weight": self.weights}
        for k, name in enumerate(COORDINATES[: len(self.scale)]):
            columns[name] = self.means[:, k]
            columns[f"deviation of {name}"] = np.sqrt(self.covariances[:, k, k])
        return _table_of_words(self, columns)


def learn_kmeans(
    sample: Floats,
    n_words: Sizes,
    *,
    whiten: bool,
    n_init: int,
    seed: int,
    n_jobs: int | None = None,
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
    n_words : int or sequence of int
        Number of words, or of each resolution, increasing. If there are fewer distinct
        points, each is a word, and there are no further resolutions.
    whiten : bool
        Divide each coordinate by the sample's standard deviation first, unless all its
        values are within 1e-100.
    n_init : int
        Number of starts.
    seed : int
        Decides the starts.
    n_jobs : int, optional
        Number of threads, among which the resolutions are shared out.

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
    points, scale = _scaled(sample, n_init, whiten=whiten)
    books = []
    _, tiles = tile(points)
    for centers, _ in _cluster(points, tiles, _sizes(n_words), n_init, seed, n_jobs):
        words = centers[:, : len(scale)] * scale
        books.append(KMeansCodebook(words[_by_persistence(words)], scale))
    return KMeansCodebook.join(books)


def learn_gaussian(
    sample: Floats,
    n_words: Sizes,
    *,
    covariance: str,
    whiten: bool,
    n_init: int,
    seed: int,
    n_jobs: int | None = None,
) -> GaussianCodebook:
    """Fit a Gaussian mixture to a sample.

    Expectation maximization starts from the k-means clusters, and stops when the mean
    log-likelihood of a point grows by less than 1e-5 (the authors' program: of itself,
    which would depend on the unit of the coordinates), after at most 100 rounds.
    Variances (eigenvalues, unless `covariance` is "diag") are clamped from below at
    1e-4 of the sample's largest variance. A component that loses its points restarts at
    the least likely point.

    "tied" components are the k-means clusters themselves, with the covariance of all
    points about their words. Expectation maximization with one shape for all moves
    words to where points are few; it was less accurate in `experiments`.

    Parameters
    ----------
    sample : ndarray of shape (n_points, n_dims)
        Births and persistences, or births alone.
    n_words : int or sequence of int
        Number of components, or of each resolution, increasing. If there are fewer
        distinct points, each has one, and there are no further resolutions.
    covariance : {"diag", "full", "tied"}
        Shape of the components: axis-parallel, any, or the same for all.
    whiten : bool
        Learn in coordinates divided by the sample's standard deviations. The result is
        given in the original ones.
    n_init : int
        Number of k-means starts.
    seed : int
        Decides the starts.
    n_jobs : int, optional
        Number of threads, among which the resolutions are shared out.

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
    check_option("covariance", covariance, COVARIANCES)
    points, scale = _scaled(sample, n_init, whiten=whiten)
    order, tiles = tile(points)
    clusterings = _cluster(points, tiles, _sizes(n_words), n_init, seed, n_jobs)
    floor = _covariance_floor(points)
    if covariance == "tied":
        mixtures = [_share_covariance(points, *each, floor) for each in clusterings]
    else:
        mixtures = _maximize_likelihoods(
            *(points, order, tiles, clusterings, floor),
            diagonal=covariance == "diag",
            n_jobs=n_jobs,
        )
    return GaussianCodebook.join([_codebook_of(*each, scale) for each in mixtures])


def _codebook_of(
    weights: Floats, means: Floats, covariances: Floats, scale: Floats
) -> GaussianCodebook:
    n_dims = len(scale)
    means = means[:, :n_dims] * scale
    covariances = covariances[:, :n_dims, :n_dims] * scale * scale[:, np.newaxis]
    order = _by_persistence(means)
    return GaussianCodebook(weights[order], means[order], covariances[order], scale)


def _cluster(
    points: Floats,
    tiles: Tiles,
    sizes: Sequence[int],
    n_init: int,
    seed: int,
    n_jobs: int | None,
) -> list[Clusters]:
    """Return words and labels of each resolution, as far as they differ."""
    n = len(points)
    costs = [n_init * START_A_POINT * n * math.sqrt(min(size, n)) for size in sizes]
    found = map_tasks(
        lambda n_words: _best_clusters(points, tiles, n_words, n_init, seed),
        sizes,
        costs,
        n_jobs,
    )
    differing = list[Clusters]()
    for n_words, (words, labels) in zip(sizes, found, strict=True):
        if not differing or len(words) > len(differing[-1][0]):
            differing.append((words, labels))
        # With fewer distinct points than words, more words would be the same ones.
        if len(words) < n_words:
            break
    return differing


def _best_clusters(
    points: Floats, tiles: Tiles, n_words: int, n_init: int, seed: int
) -> Clusters:
    n = len(points)
    n_trials = 2 + int(math.log(n_words))
    words_per_call = steps_per_call(SEED_A_POINT * n * (1 + n_trials))
    points_per_call = steps_per_call(ASSIGN_A_WORD * min(n_words, n))
    best = np.inf
    for start in range(n_init):
        words = np.empty((min(n_words, n), 2))
        labels = np.zeros(n, np.int32)
        stream = stream_of(seed, FOR_SEEDING + start)
        n_found = seed_plusplus(points, tiles, stream, n_trials, words, words_per_call)
        words = words[:n_found]
        inertia, _ = lloyd(
            points, words, MAX_ITER, KMEANS_TOLERANCE, labels, points_per_call
        )
        if start == 0 or inertia < best:
            best, best_words, best_labels = inertia, words, labels
    return best_words, best_labels


def _maximize_likelihoods(
    points: Floats,
    order: NDArray[np.intp],
    tiles: Tiles,
    clusterings: Sequence[Clusters],
    floor: float,
    *,
    diagonal: bool,
    n_jobs: int | None,
) -> list[Mixture]:
    """Fit a mixture to each clustering, side by side until it no longer rises."""
    limits: dict[str, Any] = {"diagonal": diagonal, "floor": floor}
    # The clusters are the first responsibilities.
    starts = [
        (np.ones(len(words)), words, np.tile(np.eye(2), (len(words), 1, 1)))
        for words, _ in clusterings
    ]
    moments = [_moments_of_clusters(points, *each) for each in clusterings]
    mixtures = _maximize_each(moments, starts, **limits)

    points = points[order]
    chunks = [list(_chunks(tiles, len(points), len(words))) for words, _ in clusterings]
    previous = [-np.inf] * len(mixtures)
    rising = list(range(len(mixtures)))

    def expect_in(task: tuple[int, Tiles, Floats, Floats]) -> tuple[Floats, float]:
        _, some, out, components = task
        per_call = steps_per_call(EXPECT_A_WORD * components.shape[1])
        return expect(some, components, out, per_call)

    with ThreadPoolExecutor(max(1, count_threads(n_jobs) - 1)) as pool:
        for _ in range(MAX_ITER):
            now = [mixtures[i] for i in rising]
            tasks = [
                (i, *chunk, components)
                for i, components in zip(rising, _pack_each(now), strict=True)
                for chunk in chunks[i]
            ]
            costs = [EXPECT_A_WORD * out.shape[1] * k.shape[1] for *_, out, k in tasks]
            expected: dict[int, Any] = dict.fromkeys(rising, 0.0)
            likelihoods = dict.fromkeys(rising, 0.0)
            for (i, *_), (part, likelihood) in zip(
                tasks, map_tasks(expect_in, tasks, costs, n_jobs, pool), strict=True
            ):
                expected[i] += part
                likelihoods[i] += likelihood / len(points)
            raised = _maximize_each(list(expected.values()), now, **limits)
            for (i, moments_i), mixture in zip(expected.items(), raised, strict=True):
                mixtures[i] = mixture
                lost = np.flatnonzero(moments_i[0] < LOST_MASS)
                if len(lost):
                    logs = [log_densities(out) for _, out in chunks[i]]
                    _restart(lost, points, np.concatenate(logs), *mixture)
                    previous[i] = -np.inf
                elif likelihoods[i] - previous[i] <= MIXTURE_TOLERANCE:
                    rising.remove(i)
                else:
                    previous[i] = likelihoods[i]
            if not rising:
                break
    return mixtures


def _chunks(
    tiles: Tiles, n_points: int, n_words: int
) -> Iterator[tuple[Tiles, Floats]]:
    """Cut the points for several threads, the same way for any number of threads.

    Each chunk has room for the densities of its points.
    """
    n_tiles = len(tiles.boxes)
    n_chunks = max(1, n_points * n_words // LIKELIHOODS_PER_CHUNK)
    cuts = [n_tiles * k // n_chunks for k in range(n_chunks + 1)]
    for first, last in pairwise(cuts):
        size = min(TILE * last, n_points) - TILE * first
        yield tiles.between(first, last), np.empty((2, size))


def _moments_of_clusters(
    points: Floats, words: Floats, labels: NDArray[np.int32]
) -> Floats:
    at = labels.astype(np.intp)
    x, y = (points[:, k] - words[:, k][at] for k in (0, 1))
    return np.array(
        [
            np.bincount(at, minlength=len(words)),
            *(np.bincount(at, m, len(words)) for m in (x, y, x * x, x * y, y * y)),
        ]
    )


# Few words: what a step costs is the calls of numpy, once for those of all mixtures.
def _pack_each(mixtures: Sequence[Mixture]) -> list[Floats]:
    weights, means, covariances = map(np.concatenate, zip(*mixtures, strict=True))
    components = pack(weights, means, covariances)
    return [components[:, i:j] for i, j in _ranges(mixtures)]


def _maximize_each(
    moments: Sequence[Floats], mixtures: Sequence[Mixture], **limits: Any
) -> list[Mixture]:
    _, means, covariances = map(np.concatenate, zip(*mixtures, strict=True))
    means, covariances = maximize(
        np.concatenate(moments, axis=1), means, covariances, **limits
    )
    return [
        (weigh(mass), means[i:j], covariances[i:j])
        for (mass, *_), (i, j) in zip(moments, _ranges(mixtures), strict=True)
    ]


def _ranges(mixtures: Sequence[Mixture]) -> Iterator[tuple[int, int]]:
    """Return where the words of each mixture are, one after another."""
    return pairwise(accumulate((len(means) for _, means, _ in mixtures), initial=0))


def _share_covariance(
    points: Floats, words: Floats, labels: NDArray[np.int32], floor: float
) -> Mixture:
    """Return clusters as components with the covariance of all points about them."""
    n_words = len(words)
    x, y = (points - words[labels]).T
    xx, xy, yy = (np.array([np.mean(terms)]) for terms in (x * x, x * y, y * y))
    xx, xy, yy = raise_eigenvalues(xx, xy, yy, floor)
    covariance = np.array([[xx[0], xy[0]], [xy[0], yy[0]]])
    counts = np.maximum(np.bincount(labels, minlength=n_words), LOST_MASS)
    return counts / counts.sum(), words, np.tile(covariance, (n_words, 1, 1))


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
    variance = max(_variance(column - column[0]) for column in _columns(points))
    if variance <= SMALLEST_SPREAD**2:
        # Identical points have no scale but their distance from the origin, if any.
        size = float(np.abs(points).max())
        variance = size**2 if size > SMALLEST_SPREAD else 1.0
    return COVARIANCE_FLOOR * variance


def _spread(sample: Floats) -> Floats:
    """Return the standard deviations, and 1 where an axis has no spread."""
    spread = np.ones(sample.shape[1])
    for k, column in enumerate(_columns(sample)):
        low, size = column.min(), np.ptp(column)
        if size > SMALLEST_SPREAD:
            # In units of the range: no overflow, and exactly 0 for equal values.
            units = (column - low) / size
            variance = units.var() if len(spread) == 1 else _variance(units)
            spread[k] = math.sqrt(variance) * size
    return spread


def _columns(points: Floats) -> list[Floats]:
    return [np.ascontiguousarray(column) for column in points.T]


def _variance(column: Floats) -> float:
    """Return what numpy's ``var(axis=0)`` gives for a column of several.

    That adds row after row, and takes five times as long. Of a single column numpy adds
    halves, which rounds differently.
    """
    centered = column - np.add.accumulate(column)[-1] / len(column)
    return float(np.add.accumulate(centered * centered)[-1] / len(column))


def in_plane(array: Floats, value: float) -> Floats:
    """Give arrays over births alone a second column; loops know the plane only."""
    if array.shape[-1] == 2:
        return np.ascontiguousarray(array)
    return np.concatenate((array, np.full_like(array, value)), axis=-1)


def _by_persistence(words: Floats) -> NDArray[np.intp]:
    # A stable order makes feature k mean the same thing from one run to the next.
    return np.lexsort(words.T)


def _scaled(sample: Any, n_init: int, *, whiten: bool) -> tuple[Floats, Floats]:
    """Return the checked sample in scaled coordinates of the plane, and the scale."""
    checked = as_finite("sample", sample)
    if checked.ndim != 2 or checked.shape[1] not in {1, 2} or len(checked) == 0:
        msg = (
            "Expected at least one point, as (n_points, 1 or 2); got an array of "
            f"shape {checked.shape}."
        )
        raise ValueError(msg)
    check_range("sample", checked, -LARGEST_WORD, LARGEST_WORD)
    if not is_integer(n_init, 1):
        msg = f"Expected n_init to be an int >= 1; got {n_init!r}."
        raise ValueError(msg)
    scale = _spread(checked) if whiten else np.ones(checked.shape[1])
    return in_plane(checked / scale, 0.0), scale


def _sizes(n_words: Sizes) -> list[int]:
    """Return the checked number of words of each resolution."""
    several = isinstance(n_words, (tuple, list))
    sizes: list[Any] = [*n_words] if several else [n_words]  # type: ignore[misc]
    if (
        not sizes
        or not all(is_integer(n, 1) for n in sizes)
        or any(i >= j for i, j in pairwise(sizes))
    ):
        msg = (
            "Expected n_words to be an int >= 1, or several in increasing order; got "
            f"{n_words!r:.80}."
        )
        raise ValueError(msg)
    return [int(n) for n in sizes]


def _table_of_words(
    codebook: KMeansCodebook | GaussianCodebook, columns: dict[str, Floats]
) -> str:
    """Return HTML with one row per word; of many, the least and the most persistent."""
    rows: list[Sequence[Any]] = [
        (word, *(f"{x:.4g}" for x in values))
        for word, values in enumerate(zip(*columns.values(), strict=True))
    ]
    n_hidden = len(rows) - 2 * SHOWN_WORDS
    if n_hidden > 1:
        rows[SHOWN_WORDS:-SHOWN_WORDS] = [(f"{n_hidden} more",)]
    caption = f"{type(codebook).__name__}: {plural(codebook.n_words, 'word')}"
    return html_table(caption, ("word", *columns), rows)
