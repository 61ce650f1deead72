"""Where points lie around the words: VLAD and Fisher vectors. Pure functions.

As in :mod:`pbow.encoding`, diagrams and a codebook go in and one row per diagram comes
out, which depends neither on the number of threads nor on the other diagrams. A word
has several columns, side by side; of births alone, those of births.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from itertools import accumulate, pairwise
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pbow._utils.checks import check_option
from pbow._utils.threads import for_each_block
from pbow.codebook import GaussianCodebook, KMeansCodebook
from pbow.compute.likelihood import LANES
from pbow.compute.mixture import pack, pad
from pbow.compute.moments import TWICE, sum_gradients, sum_residuals
from pbow.compute.normalize import NORMALIZATIONS
from pbow.compute.vlad import (
    INTRA,
    compiled_loops,
    vlad_brute,
    vlad_grid,
    vlad_in_numpy,
)
from pbow.diagrams import Diagrams
from pbow.encoding import (
    BRUTE_A_WORD,
    GRID_A_POINT,
    ROWS,
    Loop,
    check_finite,
    choose_loops,
    ramp_limits,
)
from pbow.weighting import Ramp

__all__ = ["encode_gradients", "encode_residuals", "encode_soft_residuals"]

Floats = NDArray[np.float64]
# A function of points, offsets and rows of zeros, without gaps, that sets the rows.
Encoder = Callable[[Floats, NDArray[np.int64], Floats], None]

FISHER_NORMALIZATIONS = (None, "sqrt", "sqrt-l2")
SOFT_NORMALIZATIONS = (*FISHER_NORMALIZATIONS, "sqrt-l2-twice")
VLAD_NORMALIZATIONS = (*FISHER_NORMALIZATIONS, "sqrt-intra-l2")

COMPILED: Mapping[str, Callable[..., None]] = MappingProxyType(
    {"brute": vlad_brute, "grid": vlad_grid}
)

# Measured costs in nanoseconds.
RESIDUAL_A_POINT = 1.5
SOFT_A_WORD = 1.6
GRADIENT_A_WORD = 1.9


def encode_residuals(
    X: Diagrams,
    codebook: KMeansCodebook,
    *,
    ramp: Ramp | None = None,
    normalize: str | None = None,
    n_jobs: int | None = None,
) -> Floats:
    """Sum, for each diagram and word, the residuals of the points nearest to it (VLAD).

    Parameters
    ----------
    X : Diagrams
        One part, without essential points.
    codebook : KMeansCodebook
        The words. The residual of a point is its difference from the nearest word, both
        divided by ``codebook.scale``; of equally near words the first counts. Residuals
        within rounding, 1e-12 of the coordinate, are 0.
    ramp : Ramp, optional
        Weighs each point by its persistence.
    normalize : {"sqrt", "sqrt-l2", "sqrt-intra-l2"} or None
        What is done to each row, by resolution; see
        :class:`~pbow.vectorizers.PersistenceVLAD`.
    n_jobs : int, optional
        Number of threads.

    Returns
    -------
    H : ndarray of shape (n_samples, n_words * n_dims)
        Birth and persistence of word 0, those of word 1, and so on.

    Examples
    --------
    >>> import numpy as np
    >>> from pbow import Diagrams
    >>> from pbow.codebook import KMeansCodebook
    >>> from pbow.residuals import encode_residuals
    >>> book = KMeansCodebook(np.array([[0.0, 1.0], [0.0, 5.0]]), np.ones(2))
    >>> encode_residuals(Diagrams.from_list([[[0, 2], [1, 5], [0, 8]], []]), book)
    array([[0., 1., 1., 2.],
           [0., 0., 0., 0.]])
    """
    check_option("normalize", normalize, VLAD_NORMALIZATIONS)
    check_finite(X)
    loops = choose_loops(X, codebook, compiled_loops())
    return residuals_with(loops, X, codebook, ramp, normalize, n_jobs)


def residuals_with(
    loops: Sequence[Loop],
    X: Diagrams,
    codebook: KMeansCodebook,
    ramp: Ramp | None,
    normalize: str | None,
    n_jobs: int | None,
) -> Floats:
    """Sum as :func:`encode_residuals` does, with one loop per resolution."""
    code = INTRA if normalize == "sqrt-intra-l2" else NORMALIZATIONS[normalize]
    pairs = list(zip(loops, codebook.resolutions, strict=True))
    cost = sum(
        RESIDUAL_A_POINT
        + (GRID_A_POINT if loop == "grid" else BRUTE_A_WORD * book.n_words)
        for loop, book in pairs
    )
    encoders = [_residual_encoder(loop, book, ramp, code) for loop, book in pairs]
    return _encode(X, encoders, codebook, len(codebook.scale), cost, n_jobs)


def _residual_encoder(
    loop: Loop, codebook: KMeansCodebook, ramp: Ramp | None, code: int
) -> Encoder:
    words, inverse = codebook.scaled_words, codebook.inverse
    is_line = codebook.births_only
    grid = (codebook.grid,) if loop == "grid" else ()
    options = (words, inverse, *grid, ramp_limits(ramp), code)

    def encode(points: Floats, offsets: NDArray[np.int64], rows: Floats) -> None:
        if loop == "numpy":
            points, offsets = points[offsets[0] : offsets[-1]], offsets - offsets[0]
            plane = vlad_in_numpy(points, offsets, words, inverse, ramp, code)
        else:
            # The loops know the plane only.
            plane = np.zeros((len(rows), 2 * len(words))) if is_line else rows
            COMPILED[loop](points, offsets, *options, plane)
        if plane is not rows:
            rows[:] = plane[:, ::2] if is_line else plane

    return encode


def encode_soft_residuals(
    X: Diagrams,
    codebook: GaussianCodebook,
    *,
    ramp: Ramp | None = None,
    normalize: str | None = None,
    n_jobs: int | None = None,
) -> Floats:
    """Sum, for each diagram and word, residuals times posteriors (soft VLAD).

    Parameters
    ----------
    X : Diagrams
        One part, without essential points.
    codebook : GaussianCodebook
        The words. The residual of a point is its difference from the mean of a word,
        divided by ``codebook.scale``.
    ramp : Ramp, optional
        Weighs each point by its persistence.
    normalize : {"sqrt", "sqrt-l2", "sqrt-l2-twice"} or None
        What is done to each row, by resolution; see
        :class:`~pbow.vectorizers.SoftPersistenceVLAD`.
    n_jobs : int, optional
        Number of threads.

    Returns
    -------
    H : ndarray of shape (n_samples, n_words * n_dims)
        Birth and persistence of word 0, those of word 1, and so on.

    Examples
    --------
    >>> import numpy as np
    >>> from pbow import Diagrams
    >>> from pbow.codebook import GaussianCodebook
    >>> from pbow.residuals import encode_soft_residuals
    >>> book = GaussianCodebook(
    ...     [0.5, 0.5], [[0.0, 1.0], [0.0, 3.0]], [np.eye(2)] * 2, np.ones(2)
    ... )
    >>> encode_soft_residuals(Diagrams.from_list([[[0, 2], [1, 3]], []]), book)
    array([[ 0.5,  1. ,  0.5, -1. ],
           [ 0. ,  0. ,  0. ,  0. ]])
    """
    check_option("normalize", normalize, SOFT_NORMALIZATIONS)
    check_finite(X)
    encoders = [
        _moment_encoder(
            sum_residuals,
            book,
            np.tile(1.0 / book.scale, (book.n_words, 1)),
            ramp,
            normalize,
        )
        for book in codebook.resolutions
    ]
    cost = SOFT_A_WORD * codebook.n_words
    return _encode(X, encoders, codebook, len(codebook.scale), cost, n_jobs)


def encode_gradients(
    X: Diagrams,
    codebook: GaussianCodebook,
    *,
    ramp: Ramp | None = None,
    normalize: str | None = None,
    n_jobs: int | None = None,
) -> Floats:
    r"""Return the gradient of each diagram's log-likelihood (Fisher vector).

    With the posterior :math:`\gamma_k(x)` of word k at a point x, and the weight,
    means and standard deviations of the word, the features are the sums over points

    .. math::

        \frac{1}{\sqrt{w_k}} \sum_x \gamma_k(x) \frac{x - \mu_k}{\sigma_k}, \qquad
        \frac{1}{\sqrt{2 w_k}} \sum_x \gamma_k(x)
        \left[\frac{(x - \mu_k)^2}{\sigma_k^2} - 1\right],

    the gradients by means and by variances, each divided by the square root of its
    entry of the Fisher information (approximated as is usual, for words far apart).
    The sums are not divided by the number of points.

    Parameters
    ----------
    X : Diagrams
        One part, without essential points.
    codebook : GaussianCodebook
        The words, with diagonal covariances.
    ramp : Ramp, optional
        Weighs each point by its persistence.
    normalize : {"sqrt", "sqrt-l2"} or None
        What is done to each row, by resolution; see
        :class:`~pbow.vectorizers.PersistenceFisherVector`.
    n_jobs : int, optional
        Number of threads.

    Returns
    -------
    H : ndarray of shape (n_samples, n_words * 2 * n_dims)
        Of each word, the gradients by mean birth, mean persistence, variance of births
        and variance of persistences.

    Examples
    --------
    >>> import numpy as np
    >>> from pbow import Diagrams
    >>> from pbow.codebook import GaussianCodebook
    >>> from pbow.residuals import encode_gradients
    >>> book = GaussianCodebook([1.0], [[0.0, 1.0]], [np.eye(2)], np.ones(2))
    >>> encode_gradients(Diagrams.from_list([[[0, 2], [1, 4]], []]), book).round(4)
    array([[ 1.    ,  3.    , -0.7071,  2.1213],
           [ 0.    ,  0.    ,  0.    ,  0.    ]])
    """
    check_option("normalize", normalize, FISHER_NORMALIZATIONS)
    check_finite(X)
    check_diagonal(codebook)
    encoders = [
        _moment_encoder(sum_gradients, book, _information(book), ramp, normalize)
        for book in codebook.resolutions
    ]
    cost = GRADIENT_A_WORD * codebook.n_words
    return _encode(X, encoders, codebook, 2 * len(codebook.scale), cost, n_jobs)


def check_diagonal(codebook: GaussianCodebook) -> None:
    """Raise a ValueError unless all covariances are diagonal."""
    correlated = np.flatnonzero(codebook.covariances[:, 0, 1:].any(axis=1))
    if len(correlated):
        word = int(correlated[0])
        msg = (
            f"Expected diagonal covariances; that of word {word} is "
            f"{codebook.covariances[word].tolist()}. Learn the codebook with "
            "covariance='diag'."
        )
        raise ValueError(msg)


def _information(codebook: GaussianCodebook) -> Floats:
    """Return what each column is multiplied by: 1 / sqrt(w), 1 / sqrt(2 w)."""
    by_mean = 1.0 / np.sqrt(codebook.weights)
    by_variance = by_mean / math.sqrt(2.0)
    n_dims = len(codebook.scale)
    return np.column_stack([by_mean] * n_dims + [by_variance] * n_dims)


def _moment_encoder(
    loop: Any,
    codebook: GaussianCodebook,
    factors: Floats,
    ramp: Ramp | None,
    normalize: str | None,
) -> Encoder:
    packed = pack(codebook.weights, codebook.means, codebook.covariances)
    components = pad(packed, LANES)
    code = TWICE if normalize == "sqrt-l2-twice" else NORMALIZATIONS[normalize]
    options = (components, ramp_limits(ramp), factors, code)
    return lambda points, offsets, rows: loop(points, offsets, *options, rows)


def _encode(
    X: Diagrams,
    encoders: Sequence[Encoder],
    codebook: KMeansCodebook | GaussianCodebook,
    per_word: int,
    nanoseconds_per_point: float,
    n_jobs: int | None,
) -> Floats:
    """Set the columns of each resolution by its encoder."""
    cuts = list(pairwise(accumulate(codebook.sizes, initial=0)))
    out = np.zeros((len(X), per_word * codebook.n_words))

    def run(first: int, last: int) -> None:
        if len(encoders) == 1:
            encoders[0](X.points, X.offsets[first : last + 1], out[first:last])
            return
        for row in range(first, last, ROWS):
            end = min(row + ROWS, last)
            for encode, (i, j) in zip(encoders, cuts, strict=True):
                rows = np.zeros((end - row, per_word * (j - i)))
                encode(X.points, X.offsets[row : end + 1], rows)
                out[row:end, per_word * i : per_word * j] = rows

    for_each_block(
        run, X.offsets, nanoseconds_per_point=nanoseconds_per_point, n_jobs=n_jobs
    )
    return out
