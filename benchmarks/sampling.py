"""The weighted sample of the consolidated diagram, and the whole way to a matrix."""

import numpy as np
from sklearn.cluster import KMeans

from benchmarks.agreement import same_mean
from benchmarks.bow import root_histograms
from benchmarks.chunks import born_and_persistent
from benchmarks.learning import inertia
from benchmarks.report import Table, race_table
from benchmarks.settings import Settings
from benchmarks.timing import Contender, Verdict, on_one_thread, plain_read, race
from benchmarks.workloads import describe, workload
from pbow import PersistenceBoW
from pbow.sampling import draw_sample, persistence_ramp

__all__ = ["benchmark_pipeline", "benchmark_sample"]

QUANTILES = (0.05, 0.95)
SAMPLE_SIZE = 10_000
N_WORDS = 50


def benchmark_sample(settings: Settings) -> list[Table]:
    """Race the quantiles and a draw by weight, on W2."""
    X = workload("W2", settings)
    points = born_and_persistent(X)

    def ours() -> np.ndarray:
        ramp = persistence_ramp([X], QUANTILES)
        return draw_sample([X], SAMPLE_SIZE, ramp=ramp, seed=0)

    expected = ours()

    def alike(sample: np.ndarray) -> Verdict:
        weights = _weights(points[:, 1])
        mean = float(np.average(points[:, 1], weights=weights))
        variance = np.average((points[:, 1] - mean) ** 2, weights=weights)
        return same_mean(expected[:, 1], sample[:, 1], mean, float(np.sqrt(variance)))

    contenders = [
        Contender("pbow", ours),
        Contender(
            "numpy quantile and Generator.choice",
            lambda: points[_rows_by_weight(points[:, 1])],
            alike,
        ),
        plain_read(X),
    ]
    title = f"Limits and weighted sample ({describe('W2', X)})"
    return [race_table(title, race(contenders, settings), len(X.points))]


def benchmark_pipeline(settings: Settings) -> list[Table]:
    """Race everything from diagrams to the matrix, on W2."""
    X = workload("W2", settings)
    points = born_and_persistent(X)
    bins = np.repeat(np.arange(len(X)) * N_WORDS, X.sizes)
    ours = PersistenceBoW(
        N_WORDS,
        weighting="ramp",
        normalize="sqrt-l2",
        n_jobs=settings.threads,
        random_state=0,
    )
    theirs: dict[str, np.ndarray] = {}

    def by_others() -> np.ndarray:
        sample = points[_rows_by_weight(points[:, 1])]
        scale = sample.std(axis=0)
        kmeans = KMeans(N_WORDS, n_init=1, max_iter=100, random_state=0)
        kmeans.fit(sample / scale)
        theirs.update(words=kmeans.cluster_centers_ * scale)
        return root_histograms(bins, kmeans.predict(points / scale), (len(X), N_WORDS))

    codebook = ours.fit(X).codebooks_["H1"]
    some = points[:100_000] / codebook.scale
    reached = inertia(some, codebook.words / codebook.scale)

    def as_good(_: np.ndarray) -> Verdict:
        # One start each: the clusters differ, and their quality by a few percent.
        words = theirs["words"] / codebook.scale
        ratio = reached / inertia(some, words)
        return Verdict(0.85 <= ratio <= 1.15, f"pbow's inertia over this: {ratio:.2f}")

    peer = Contender("numpy and scikit-learn", by_others, as_good)
    contenders = [
        Contender("pbow", lambda: ours.fit(X).transform(X)),
        peer,
        on_one_thread(peer),
        plain_read(X),
    ]
    title = f"Weighted PBoW, fit and transform, N = {N_WORDS} ({describe('W2', X)})"
    return [race_table(title, race(contenders, settings), len(X.points))]


def _weights(persistences: np.ndarray) -> np.ndarray:
    low, high = np.quantile(persistences, QUANTILES, method="hazen")
    return np.clip((persistences - low) / (high - low), 0.0, 1.0)


def _rows_by_weight(persistences: np.ndarray) -> np.ndarray:
    weights = _weights(persistences)
    n_drawn = min(SAMPLE_SIZE, len(weights))
    p = weights / weights.sum()
    return np.random.default_rng(0).choice(len(weights), n_drawn, p=p)
