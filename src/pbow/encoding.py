"""Diagrams and a codebook in, one row per diagram out. Pure functions.

Diagrams are one-part collections of finite points; each function's rows do not depend
on the number of threads, nor on the other diagrams.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Mapping, Sequence
from itertools import accumulate, pairwise
from types import MappingProxyType
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from pbow._utils.checks import check_option
from pbow._utils.threads import for_each_block
from pbow.codebook import GaussianCodebook, KMeansCodebook
from pbow.compute.allowance import Allowance
from pbow.compute.count import (
    compiled_loops,
    count_brute,
    count_grid,
    count_in_numpy,
)
from pbow.compute.grid import MOST_WORDS
from pbow.compute.likelihood import LANES, sum_likelihoods, sum_posteriors
from pbow.compute.mixture import pack, pad
from pbow.compute.normalize import NORMALIZATIONS, normalize_rows
from pbow.diagrams import Diagrams
from pbow.weighting import Ramp

__all__ = ["encode_counts", "encode_likelihoods"]

Floats = NDArray[np.float64]

Loop = Literal["numpy", "brute", "grid"]
COMPILED: Mapping[str, Callable[..., None]] = MappingProxyType(
    {"brute": count_brute, "grid": count_grid}
)

# Measured costs in nanoseconds, by which the faster of two equal ways is chosen.
BRUTE_A_WORD = 0.25
GRID_A_POINT = 4.0
GRID_TO_BUILD = 3.5e5  # times the square root of the number of words
LIKELIHOOD_A_WORD = 1.4

# Distances that numpy computes in milliseconds, whatever it has done before; and what
# it may compute in all before a loop is compiled.
SMALL_WORK = 500_000
IN_NUMPY = Allowance(1e7)

# Diagrams whose sums are kept in float64 until they are normalized.
ROWS = 2048


def encode_counts(
    X: Diagrams,
    codebook: KMeansCodebook,
    *,
    ramp: Ramp | None = None,
    normalize: str | None = None,
    n_jobs: int | None = None,
) -> Floats:
    """Count, for each diagram, the points nearest to each word (PBoW).

    Parameters
    ----------
    X : Diagrams
        One part, without essential points.
    codebook : KMeansCodebook
        The words. "Nearest" is in coordinates divided by ``codebook.scale``; of equally
        near words the first counts.
    ramp : Ramp, optional
        Weighs each point by its persistence instead of counting it as 1.
    normalize : {"sqrt", "sqrt-l2", "smooth-sqrt", "lipschitz"} or None
        What is done to each row, by resolution; see :class:`~pbow.PersistenceBoW`.
    n_jobs : int, optional
        Number of threads.

    Returns
    -------
    H : ndarray of shape (n_samples, n_words)

    Examples
    --------
    >>> import numpy as np
    >>> from pbow import Diagrams
    >>> from pbow.codebook import KMeansCodebook
    >>> from pbow.encoding import encode_counts
    >>> book = KMeansCodebook(np.array([[0.0, 1.0], [0.0, 5.0]]), np.ones(2))
    >>> encode_counts(Diagrams.from_list([[[0, 1], [0, 4], [0, 6]], []]), book)
    array([[1., 2.],
           [0., 0.]])
    """
    check_option("normalize", normalize, NORMALIZATIONS)
    check_finite(X)
    loops = choose_loops(X, codebook, compiled_loops(has_ramp=ramp is not None))
    return count_with(loops, X, codebook, ramp, NORMALIZATIONS[normalize], n_jobs)


def choose_loops(
    X: Diagrams,
    codebook: KMeansCodebook,
    compiled: Collection[str],
    allowance: Allowance = IN_NUMPY,
) -> list[Loop]:
    """Choose how the nearest words of each resolution are found."""
    n_points, loops = len(X.points), list[Loop]()
    for book in codebook.resolutions:
        loop = choose_loop(
            n_points, book.n_words, has_grid=book.has_grid, compiled=compiled
        )
        if loop not in compiled and allowance.covers(n_points * book.n_words):
            loop = "numpy"
        loops.append(loop)
    return loops


def choose_loop(
    n_points: int, n_words: int, *, has_grid: bool, compiled: Collection[str]
) -> Loop:
    """Choose how nearest words are found. All ways give the same bits.

    Parameters
    ----------
    n_points, n_words : int
        Size of the input.
    has_grid : bool
        Whether the codebook has its grid already.
    compiled : collection of {"brute", "grid"}
        The loops that are compiled already.

    Returns
    -------
    loop : {"numpy", "brute", "grid"}

    Examples
    --------
    >>> from pbow.encoding import choose_loop
    >>> choose_loop(1_000, 50, has_grid=False, compiled=[])
    'numpy'
    >>> choose_loop(1_000, 50, has_grid=False, compiled=["brute"])
    'brute'
    >>> choose_loop(1_000_000, 50, has_grid=False, compiled=[])
    'grid'
    """
    saved = n_points * (BRUTE_A_WORD * n_words - GRID_A_POINT)
    to_build = 0.0 if has_grid else GRID_TO_BUILD * math.sqrt(n_words)
    fastest: Loop = "grid" if saved > to_build and n_words <= MOST_WORDS else "brute"
    if fastest not in compiled and n_points * n_words <= SMALL_WORK:
        return "numpy"
    return fastest


def count_with(
    loops: Sequence[Loop],
    X: Diagrams,
    codebook: KMeansCodebook,
    ramp: Ramp | None,
    normalization: int,
    n_jobs: int | None,
) -> Floats:
    """Count as :func:`encode_counts` does, with one loop per resolution."""
    books = codebook.resolutions
    encoders = [
        _counter(loop, book, ramp, normalization)
        for loop, book in zip(loops, books, strict=True)
    ]
    out = np.zeros((len(X), codebook.n_words))
    cost = sum(
        GRID_A_POINT if loop == "grid" else BRUTE_A_WORD * book.n_words
        for loop, book in zip(loops, books, strict=True)
    )

    def run(first: int, last: int) -> None:
        if len(encoders) == 1:
            encoders[0](X.points, X.offsets[first : last + 1], out[first:last])
            return
        # Loops are compiled for rows without gaps.
        for row in range(first, last, ROWS):
            end = min(row + ROWS, last)
            for encode, columns in zip(encoders, columns_of(codebook), strict=True):
                rows = np.zeros((end - row, columns.stop - columns.start))
                encode(X.points, X.offsets[row : end + 1], rows)
                out[row:end, columns] = rows

    for_each_block(run, X.offsets, nanoseconds_per_point=cost, n_jobs=n_jobs)
    return out


def columns_of(codebook: KMeansCodebook | GaussianCodebook) -> list[slice]:
    """Return the columns of each resolution."""
    return [slice(i, j) for i, j in pairwise(accumulate(codebook.sizes, initial=0))]


def _counter(
    loop: Loop, codebook: KMeansCodebook, ramp: Ramp | None, normalization: int
) -> Callable[[Floats, NDArray[np.int64], Floats], None]:
    """Return the function of points, offsets and rows that sets the rows."""
    words, inverse = codebook.scaled_words, codebook.inverse
    if loop == "numpy":

        def count(points: Floats, offsets: NDArray[np.int64], rows: Floats) -> None:
            rows[:] = count_in_numpy(
                points[offsets[0] : offsets[-1]],
                *(offsets - offsets[0], words, inverse, ramp, normalization),
            )

        return count
    grid = (codebook.grid,) if loop == "grid" else ()
    limits = None if ramp is None else ramp_limits(ramp)
    options = (words, inverse, *grid, limits, normalization)
    return lambda points, offsets, rows: COMPILED[loop](points, offsets, *options, rows)


def encode_likelihoods(
    X: Diagrams,
    codebook: GaussianCodebook,
    *,
    scale: str = "density",
    ramp: Ramp | None = None,
    normalize: str | None = None,
    dtype: str = "float64",
    n_jobs: int | None = None,
) -> NDArray[Any]:
    """Sum, for each diagram, the likelihoods of its points under each word (sPBoW).

    Parameters
    ----------
    X : Diagrams
        One part, without essential points.
    codebook : GaussianCodebook
        The words.
    scale : {"density", "peak", "posterior"}
        What a point x adds to word i: w_i p_i(x) as in the paper; p_i(x) / p_i(mean_i);
        or w_i p_i(x) / sum_j w_j p_j(x).
    ramp : Ramp, optional
        Weighs each point by its persistence.
    normalize : {"sqrt", "sqrt-l2", "smooth-sqrt", "lipschitz"} or None
        What is done to each row, by resolution; see
        :class:`~pbow.StablePersistenceBoW`.
    dtype : {"float64", "float32"}
        Precision of the sums and of the result.
    n_jobs : int, optional
        Number of threads.

    Returns
    -------
    H : ndarray of shape (n_samples, n_words)

    Examples
    --------
    >>> import numpy as np
    >>> from pbow import Diagrams
    >>> from pbow.codebook import GaussianCodebook
    >>> from pbow.encoding import encode_likelihoods
    >>> book = GaussianCodebook(
    ...     np.ones(1), np.array([[0.0, 1.0]]), np.eye(2)[np.newaxis], np.ones(2)
    ... )
    >>> X = Diagrams.from_list([[[0, 1], [0, 1]], [[0, 2]], []])
    >>> encode_likelihoods(X, book, scale="peak").round(4)
    array([[2.    ],
           [0.6065],
           [0.    ]])
    """
    check_option("scale", scale, ("density", "peak", "posterior"))
    check_option("normalize", normalize, NORMALIZATIONS)
    check_option("dtype", dtype, ("float64", "float32"))
    check_finite(X)
    # In single precision, each resolution has coordinates of its own.
    books = (codebook,) if dtype == "float64" else codebook.resolutions
    encoders = [_likelihood_summer(book, scale, ramp, dtype) for book in books]
    out = np.zeros((len(X), codebook.n_words), dtype)
    largest = np.finfo(dtype).max

    def run(first: int, last: int) -> None:
        # In float64 until the end, a few rows at a time.
        for row in range(first, last, ROWS):
            end = min(row + ROWS, last)
            sums = [
                part
                for encode in encoders
                for part in encode(X.points, X.offsets[row : end + 1])
            ]
            for part, columns in zip(sums, columns_of(codebook), strict=True):
                rows = normalize_rows(part, NORMALIZATIONS[normalize])
                out[row:end, columns] = np.minimum(rows, largest)

    for_each_block(
        run,
        X.offsets,
        nanoseconds_per_point=LIKELIHOOD_A_WORD * codebook.n_words,
        n_jobs=n_jobs,
    )
    return out


def _likelihood_summer(
    codebook: GaussianCodebook, scale: str, ramp: Ramp | None, dtype: str
) -> Callable[[Floats, NDArray[np.int64]], list[Floats]]:
    """Return the function of points and offsets that gives the sums by resolution."""
    components = pack(codebook.weights, codebook.means, codebook.covariances)
    frame = _single_precision_frame(components, dtype)
    components[:2] -= frame[:2, np.newaxis]
    components[:2] *= frame[2:, np.newaxis]
    components[2:5] /= frame[[2, 2, 3], np.newaxis]
    each = [components[:, columns] for columns in columns_of(codebook)]
    logs = [block[5] for block in each]
    lanes = LANES if dtype == "float64" else 2 * LANES
    blocks = [pad(block, lanes) for block in each]
    packed = np.hstack(blocks).astype(dtype)
    starts = [0, *accumulate(block.shape[1] for block in blocks)]
    ends = np.array(starts[1:])
    limits = ramp_limits(ramp)

    def encode(points: Floats, offsets: NDArray[np.int64]) -> list[Floats]:
        sums = np.empty((len(offsets) - 1, packed.shape[1]))
        if scale == "posterior":
            sum_posteriors(points, offsets, frame, packed, ends, limits, sums)
        else:
            sum_likelihoods(points, offsets, frame, packed, limits, sums)
        parts = [
            sums[:, i : i + len(log)] for i, log in zip(starts, logs, strict=False)
        ]
        if scale == "density":
            parts = [part * np.exp2(log) for part, log in zip(parts, logs, strict=True)]
        return parts

    return encode


def _single_precision_frame(components: Floats, dtype: str) -> Floats:
    """Return where the coordinates of the loop start, and their rates."""
    frame = np.array([0.0, 0.0, 1.0, 1.0])
    if dtype == "float32":
        frame[:2] = components[:2].mean(axis=1)
        apart = np.abs(components[:2] - frame[:2, np.newaxis]).max(axis=1)
        widest = 1.0 / np.maximum(components[[2, 4]].min(axis=1), 1e-100)
        frame[2:] = 1.0 / np.maximum(apart, widest)
    return frame


def check_finite(X: Diagrams) -> None:
    if X.has_essential:
        msg = (
            "Expected diagrams without essential points. Leave them out with "
            "X.finite(), or encode X.essential() by itself."
        )
        raise ValueError(msg)


def ramp_limits(ramp: Ramp | None) -> Floats:
    if ramp is None:
        return np.empty(0)
    return np.array([ramp.low, ramp.high, float(ramp.power)])
