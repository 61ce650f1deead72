"""VLAD, soft VLAD and Fisher vectors: sums of residuals and gradients, square roots."""

from collections.abc import Callable
from typing import Any

import numpy as np

from benchmarks.agreement import same_arrays
from benchmarks.chunks import born_and_persistent, cut, in_threads, sum_by_diagram
from benchmarks.report import Table, race_table
from benchmarks.settings import Settings
from benchmarks.stable import mixture_of
from benchmarks.timing import Contender, plain_read, race
from benchmarks.workloads import describe, workload
from pbow import Diagrams, PersistenceBoW, StablePersistenceBoW
from pbow.codebook import GaussianCodebook
from pbow.residuals import COMPILED, residuals_with
from pbow.vectorizers import (
    PersistenceFisherVector,
    PersistenceVLAD,
    SoftPersistenceVLAD,
)

__all__ = ["benchmark"]

WORKLOADS = ["W1", "W2", "W3"]
N_WORDS = 50
CHUNK = 2000
# Of square roots: 1e-16 of a sum that cancels is 1e-8 of its root.
TOLERANCE = 1e-6

# Points and offsets of some diagrams in, their raw rows out.
Encode = Callable[[np.ndarray, np.ndarray], np.ndarray]


def benchmark(settings: Settings) -> list[Table]:
    """Race all ways to sum residuals and gradients, on every workload."""
    return [
        table
        for name in WORKLOADS
        for table in (
            _race_vlad(name, settings),
            _race_soft(SoftPersistenceVLAD, "Soft VLAD", _residuals, name, settings),
            _race_soft(
                PersistenceFisherVector, "Fisher vector", _gradients, name, settings
            ),
        )
    ]


def _race_vlad(name: str, settings: Settings) -> Table:
    X = workload(name, settings)
    ours = _fit(PersistenceVLAD, X, settings)
    book = ours.codebooks_["H1"]
    for loop in COMPILED:  # little data alone would not compile any
        residuals_with([loop], X[:1], book, None, None, n_jobs=1)
    words = book.words / book.scale
    twice, squares = -2.0 * words.T, (words**2).sum(axis=1)

    def encode(points: np.ndarray, offsets: np.ndarray) -> np.ndarray:
        points = points / book.scale
        # The square of the point is the same for all words and left out.
        labels = (points @ twice + squares).argmin(axis=1)
        n = len(offsets) - 1
        bins = labels + N_WORDS * np.repeat(np.arange(n), np.diff(offsets))
        rows = np.empty((n, 2 * N_WORDS))
        for axis, apart in enumerate((points - words[labels]).T):
            rows[:, axis::2] = np.bincount(bins, apart, n * N_WORDS).reshape(n, N_WORDS)
        return rows

    counts = _fit(PersistenceBoW, X, settings)
    return _race("VLAD", name, X, ours, {"numpy": encode}, counts, settings)


def _race_soft(
    cls: Any,
    title: str,
    terms_of: Callable[[np.ndarray, GaussianCodebook], list[np.ndarray]],
    name: str,
    settings: Settings,
) -> Table:
    X = workload(name, settings)
    ours = _fit(cls, X, settings)
    book = ours.codebooks_["H1"]
    mixture = mixture_of(book, "diag")
    deviations = np.sqrt(np.diagonal(book.covariances, axis1=1, axis2=2))
    logs = np.log(book.weights) - np.log(deviations).sum(axis=1)

    def posteriors(points: np.ndarray) -> np.ndarray:
        shares = np.broadcast_to(logs, (len(points), N_WORDS)).copy()
        for axis in range(2):
            apart = points[:, axis, np.newaxis] - book.means[:, axis]
            shares -= 0.5 * (apart / deviations[:, axis]) ** 2
        np.exp(shares - shares.max(axis=1, keepdims=True), out=shares)
        return shares / shares.sum(axis=1, keepdims=True)

    def by(share_out: Callable[[np.ndarray], np.ndarray]) -> Encode:
        def encode(points: np.ndarray, offsets: np.ndarray) -> np.ndarray:
            shares, terms = share_out(points), terms_of(points, book)
            rows = np.zeros((len(offsets) - 1, N_WORDS, len(terms)))
            for k, term in enumerate(terms):
                sum_by_diagram(shares * term, offsets, rows[:, :, k])
            return rows.reshape(len(rows), -1)

        return encode

    peers = {
        "numpy": by(posteriors),
        "scikit-learn GaussianMixture": by(mixture.predict_proba),
    }
    counts = _fit(StablePersistenceBoW, X, settings)
    return _race(title, name, X, ours, peers, counts, settings)


def _residuals(points: np.ndarray, book: GaussianCodebook) -> list[np.ndarray]:
    return [
        (points[:, axis, np.newaxis] - book.means[:, axis]) / book.scale[axis]
        for axis in range(2)
    ]


def _gradients(points: np.ndarray, book: GaussianCodebook) -> list[np.ndarray]:
    units = [
        (points[:, axis, np.newaxis] - book.means[:, axis])
        / np.sqrt(book.covariances[:, axis, axis])
        for axis in range(2)
    ]
    by_mean = [unit / np.sqrt(book.weights) for unit in units]
    return by_mean + [(u * u - 1.0) / np.sqrt(2.0 * book.weights) for u in units]


def _fit(cls: Any, X: Diagrams, settings: Settings) -> Any:
    return cls(N_WORDS, n_jobs=settings.threads, random_state=0).fit(X)


def _race(
    title: str,
    name: str,
    X: Diagrams,
    ours: Any,
    peers: dict[str, Encode],
    counts: Any,
    settings: Settings,
) -> Table:
    expected = ours.transform(X)
    points, ranges = born_and_persistent(X), cut(X, CHUNK)

    def run(encode: Encode) -> np.ndarray:
        out = np.zeros_like(expected)

        def add(first: int, last: int) -> None:
            offsets = X.offsets[first : last + 1]
            rows = encode(points[offsets[0] : offsets[-1]], offsets)
            out[first:last] = np.copysign(np.sqrt(np.abs(rows)), rows)

        in_threads(add, ranges, settings.threads)
        return out

    contenders = [
        Contender("pbow", lambda: ours.transform(X)),
        *(
            Contender(
                f"{peer}, chunks of {CHUNK:,}",
                lambda encode=encode: run(encode),
                lambda H: same_arrays(expected, H, TOLERANCE),
            )
            for peer, encode in peers.items()
        ),
        Contender(
            f"pbow, {type(counts).__name__}",
            lambda: counts.transform(X),
            note="counts by the same words, to compare",
        ),
        plain_read(X),
    ]
    timings = race(contenders, settings, resident=3 * expected.nbytes)
    text = f"{title} transform, N = {N_WORDS} ({describe(name, X)})"
    return race_table(text, timings, len(X.points))
