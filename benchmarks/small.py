"""Fit and transform of a few hundred diagrams, where every call of Python counts."""

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.cluster import KMeans
from sklearn.exceptions import ConvergenceWarning
from sklearn.mixture import GaussianMixture

from benchmarks.chunks import born_and_persistent
from benchmarks.learning import inertia
from benchmarks.report import Table, race_table
from benchmarks.settings import Settings
from benchmarks.stable import mixture_of
from benchmarks.timing import Contender, Verdict, on_one_thread, plain_read, race
from benchmarks.workloads import describe, workload
from pbow import Diagrams, PersistenceBoW, StablePersistenceBoW
from pbow.codebook import GaussianCodebook, KMeansCodebook

__all__ = ["benchmark"]

SAMPLE_SIZE = 10_000
SIZES = (10, 30, 100)  # the default
MAX_ITER = 100
# As pbow's: the growth that ends it, and the least variance of whitened points.
TOLERANCE, LEAST_VARIANCE = 1e-5, 1e-4
# One start each: words differ, and how good they are by a few percent.
WORSE_AT_MOST = 0.15


def benchmark(settings: Settings) -> list[Table]:
    """Race fit and transform of both descriptors with their defaults, on W1."""
    X = workload("W1", settings)
    return [
        _race("PBoW", PersistenceBoW, _cluster, _tightness, X, settings),
        _race("sPBoW", StablePersistenceBoW, _mix, _log_density, X, settings),
    ]


def _race(
    name: str,
    descriptor: type[PersistenceBoW] | type[StablePersistenceBoW],
    learn: Callable[[np.ndarray, int], Any],
    quality: Callable[[Any, np.ndarray], float],
    X: Diagrams,
    settings: Settings,
) -> Table:
    plain = born_and_persistent(X)
    unit = plain.std(axis=0)
    points = plain / unit
    full = np.flatnonzero(X.sizes)
    arrays = [np.array(diagram) for diagram in X]
    ours = descriptor(n_jobs=settings.threads, random_state=0)
    alone = descriptor(n_jobs=1, random_state=0)
    theirs: list[Any] = []

    def by_others() -> np.ndarray:
        rng = np.random.default_rng(0)
        n_drawn = min(SAMPLE_SIZE, len(points))
        sample = points[rng.choice(len(points), n_drawn, replace=False)]
        theirs[:] = [learn(sample, size) for size in SIZES]
        rows = []
        for model in theirs:
            shares = _shares(model, points)
            sums = np.zeros((len(X), shares.shape[1]))
            sums[full] = np.add.reduceat(shares, X.offsets[full])
            rows.append(np.sqrt(sums))
        return np.hstack(rows)

    def as_good(_: np.ndarray) -> Verdict:
        [codebook] = ours.codebooks_.values()
        gains = [
            quality(_in_units(book, unit, ours), points) - quality(model, points)
            for book, model in zip(codebook.resolutions, theirs, strict=True)
        ]
        text = ", ".join(f"{gain:+.2f}" for gain in gains)
        what = quality.__name__.strip("_").replace("_", " ")
        return Verdict(
            min(gains) > -WORSE_AT_MOST, f"{what}, pbow's minus this: {text}"
        )

    peer = Contender("numpy and scikit-learn", by_others, as_good)
    contenders = [
        Contender("pbow", lambda: ours.fit(X).transform(X)),
        Contender("pbow, one thread", lambda: alone.fit(X).transform(X)),
        Contender("pbow, from a list of arrays", lambda: ours.fit_transform(arrays)),
        peer,
        on_one_thread(peer),
        plain_read(X),
    ]
    sizes = " + ".join(map(str, SIZES))
    title = f"{name}, fit and transform, N = {sizes} ({describe('W1', X)})"
    return race_table(title, race(contenders, settings), len(points))


def _cluster(sample: np.ndarray, size: int) -> KMeans:
    return KMeans(size, n_init=1, max_iter=MAX_ITER, random_state=0).fit(sample)


def _mix(sample: np.ndarray, size: int) -> GaussianMixture:
    mixture = GaussianMixture(
        size,
        covariance_type="diag",
        max_iter=MAX_ITER,
        tol=TOLERANCE,
        reg_covar=LEAST_VARIANCE,
        random_state=0,
    )
    with warnings.catch_warnings():
        # After as many rounds pbow ends as well.
        warnings.simplefilter("ignore", ConvergenceWarning)
        return mixture.fit(sample)


def _shares(model: KMeans | GaussianMixture, points: np.ndarray) -> np.ndarray:
    if isinstance(model, KMeans):
        return np.eye(model.n_clusters)[model.predict(points)]
    return model.predict_proba(points)


def _in_units(
    codebook: KMeansCodebook | GaussianCodebook, unit: np.ndarray, model: Any
) -> KMeans | GaussianMixture:
    """Return the words of a codebook as scikit-learn would have learnt them."""
    if isinstance(codebook, KMeansCodebook):
        kmeans = KMeans(codebook.n_words)
        kmeans.cluster_centers_ = codebook.words / unit
        return kmeans
    learnt = codebook.widened(1.0 / model.temperature)
    covariances = learnt.covariances / np.outer(unit, unit)
    scaled = GaussianCodebook(
        learnt.weights, learnt.means / unit, covariances, learnt.scale / unit
    )
    return mixture_of(scaled, "diag")


def _tightness(model: KMeans, points: np.ndarray) -> float:
    return -float(np.log(inertia(points, model.cluster_centers_)))


def _log_density(model: GaussianMixture, points: np.ndarray) -> float:
    return float(model.score(points))
