"""How many words a codebook should have: ``n_words="auto"``.

Sizes grow by about the square root of two, and each is tried on the sample:

* mixtures by the Bayesian information criterion (BIC), the smallest of which wins:
  ``(number of parameters) * log(n_points) - 2 * log-likelihood``;
* k-means by its distortion on held-out points, the mean squared distance to the nearest
  word: the first size that leaves at most 1 % of the distortion of one word or, where
  none does, at most 5 % more than the least. Words are learnt from one half of the
  sample, drawn at random, and the other half is held out.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import cKDTree

from pbow._utils.records import ArrayRecord
from pbow._utils.threads import steps_per_call
from pbow.codebook import EXPECT_A_WORD, GaussianCodebook, KMeansCodebook, in_plane
from pbow.compute.expectation import expect
from pbow.compute.mixture import pack
from pbow.compute.random import fill_bits, stream_of
from pbow.compute.tiles import tile

__all__ = ["SIZES", "SizeCurve", "choose_size"]

Floats = NDArray[np.float64]
Learn = Callable[[Floats, int], Any]

SIZES = (1, 2, 3, 5, 7, 10, 14, 20, 28, 40, 57, 80, 113, 160, 226, 320)
# Of the distortion of one word, what several may leave.
DISTORTION = 0.01
NEARLY = 1.05  # times the least distortion
FOR_HELD_OUT = -1  # the stream of random numbers; those of k-means start at 0
# Sizes in a row that are worse than the best one end the search.
PATIENCE = 2


@dataclass(frozen=True, eq=False)
class SizeCurve(ArrayRecord):
    """The criterion by the number of words, as far as it was tried.

    Attributes
    ----------
    sizes : ndarray of shape (n_tried,)
        Numbers of words.
    values : ndarray of shape (n_tried,)
        The criterion: BIC of a mixture, or held-out distortion of k-means.

    Examples
    --------
    >>> from pbow import PersistenceBoW
    >>> X = [[[k % 2, 2.0 + j / 100] for j in range(20)] for k in range(20)]
    >>> bow = PersistenceBoW("auto", random_state=0).fit({"H1": X})
    >>> curve = bow.size_curves_["H1"]
    >>> curve.sizes.astype(int).tolist(), bow.codebooks_["H1"].n_words
    ([1, 2], 2)
    """

    sizes: Floats
    values: Floats

    def __post_init__(self) -> None:
        sizes = self._keep("sizes", (None,))
        self._keep("values", sizes.shape)


def choose_size(sample: Floats, learn: Learn) -> tuple[int, SizeCurve]:
    """Choose the number of words for a sample.

    Parameters
    ----------
    sample : ndarray of shape (n_points, n_dims)
        Births and persistences, or births alone.
    learn : callable
        Of points and a number of words; returns a codebook of at most as many.

    Returns
    -------
    n_words : int
        At most the number of distinct points.
    curve : SizeCurve
        What was tried.

    Examples
    --------
    >>> import numpy as np
    >>> from functools import partial
    >>> from pbow.codebook import learn_gaussian
    >>> from pbow.codebook_size import choose_size
    >>> rng = np.random.default_rng(0)
    >>> sample = rng.normal(0, 0.1, (300, 2)) + rng.integers(0, 3, (300, 1))
    >>> options = {"covariance": "diag", "whiten": True, "n_init": 1, "seed": 0}
    >>> n_words, curve = choose_size(sample, partial(learn_gaussian, **options))
    >>> n_words, curve.sizes.astype(int).tolist()
    (3, [1, 2, 3, 5, 7])
    """
    if isinstance(learn(sample, 1), GaussianCodebook):
        return _choose_by_bic(sample, learn)
    return _choose_by_distortion(sample, learn)


def _choose_by_bic(sample: Floats, learn: Learn) -> tuple[int, SizeCurve]:
    tried: dict[int, float] = {}
    for size in SIZES:
        codebook = learn(sample, size)
        tried.setdefault(codebook.n_words, _bic(codebook, sample))
        values = list(tried.values())
        n_worse = len(values) - 1 - int(np.argmin(values))
        if n_worse == PATIENCE or codebook.n_words < size:
            break
    best = min(tried, key=lambda size: tried[size])
    return best, _curve(tried)


def _choose_by_distortion(sample: Floats, learn: Learn) -> tuple[int, SizeCurve]:
    # In random order: diagrams often list their points by persistence.
    bits = np.empty(len(sample), np.uint64)
    fill_bits(stream_of(0, FOR_HELD_OUT), bits)
    shuffled = sample[np.argsort(bits, kind="stable")]
    half = len(sample) // 2
    # A single point cannot be held out.
    train, held_out = (shuffled[half:], shuffled[:half]) if half else [sample] * 2
    tried: dict[int, float] = {}
    for size in SIZES:
        codebook = learn(train, size)
        tried.setdefault(codebook.n_words, _distortion(codebook, held_out))
        least = min(tried.values())
        if least <= DISTORTION * tried[1] or codebook.n_words < size:
            break
    enough = max(DISTORTION * tried[1], NEARLY * least)
    best = next(size for size, value in tried.items() if value <= enough)
    return best, _curve(tried)


def _curve(tried: dict[int, float]) -> SizeCurve:
    return SizeCurve(np.array(list(tried)), np.array(list(tried.values())))


def _bic(codebook: GaussianCodebook, sample: Floats) -> float:
    n_words, n_dims = codebook.means.shape
    components = pack(codebook.weights, codebook.means, codebook.covariances)
    _, tiles = tile(in_plane(sample, 0.0))
    per_call = steps_per_call(EXPECT_A_WORD * n_words)
    _, likelihood = expect(tiles, components, np.empty((2, len(sample))), per_call)
    # A mean and a weight per word, but the weights have sum 1; then the covariances:
    # free entries of those that differ.
    shapes = codebook.covariances.reshape(n_words, -1)
    n_entries = n_dims + int(np.any(shapes[:, 1:-1]))
    n_shapes = len(np.unique(shapes, axis=0))
    n_parameters: int = n_words * (n_dims + 1) - 1 + n_entries * n_shapes
    penalty = n_parameters * math.log(len(sample))
    return penalty - 2.0 * likelihood


def _distortion(codebook: KMeansCodebook, points: Floats) -> float:
    """Return the mean squared distance to the nearest word."""
    tree = cKDTree(codebook.words / codebook.scale)
    distances, _ = tree.query(points / codebook.scale)
    return float(np.mean(distances**2))
