"""Learning a codebook on a sample: k-means, and one round of a Gaussian mixture."""

import numpy as np
from scipy.spatial import cKDTree
from sklearn.cluster import KMeans

from benchmarks.agreement import as_low, same_arrays
from benchmarks.report import Table, race_table
from benchmarks.settings import Settings
from benchmarks.stable import mixture_of
from benchmarks.timing import Contender, Verdict, on_one_thread, race
from benchmarks.workloads import workload
from pbow.codebook import GaussianCodebook, learn_kmeans
from pbow.compute.expectation import expect
from pbow.compute.mixture import maximize, pack, weigh
from pbow.compute.tiles import tile
from pbow.sampling import draw_sample

__all__ = ["benchmark_kmeans", "benchmark_mixture", "inertia"]

SAMPLE_SIZE = 10_000
# Numbers of words, and how much larger the median inertia may be.
SIZES = (20, 50, 200)
WORSE_AT_MOST = 0.01
# scikit-learn adds this to variances where pbow raises small ones to a floor. Here
# pbow adds it too, above a floor that nothing reaches, and results can be compared.
ADDED = 1e-6
NO_FLOOR = 1e-30


def benchmark_kmeans(settings: Settings) -> list[Table]:
    """Race k-means from the same number of starts; the clusters must be as good."""
    return [_kmeans_race(n_words, settings) for n_words in SIZES]


def benchmark_mixture(settings: Settings) -> list[Table]:
    """Race one expectation and one maximization from the same start."""
    return [_mixture_race(covariance, settings) for covariance in ("diag", "full")]


def inertia(points: np.ndarray, words: np.ndarray) -> float:
    """Return the mean squared distance to the nearest word."""
    return float((cKDTree(words).query(points)[0] ** 2).mean())


def _kmeans_race(n_words: int, settings: Settings) -> Table:
    sample = _whitened_sample(settings)
    seeds = range(settings.seeds)

    def ours() -> list[np.ndarray]:
        return [
            learn_kmeans(sample, n_words, whiten=False, n_init=1, seed=seed).words
            for seed in seeds
        ]

    def theirs() -> list[np.ndarray]:
        return [
            KMeans(n_words, n_init=1, max_iter=100, random_state=seed)
            .fit(sample)
            .cluster_centers_
            for seed in seeds
        ]

    def reach(codebooks: list[np.ndarray]) -> np.ndarray:
        return np.array([inertia(sample, words) for words in codebooks])

    reached = reach(ours())

    def as_good(codebooks: list[np.ndarray]) -> Verdict:
        return as_low(reached, reach(codebooks), WORSE_AT_MOST, "median inertia")

    peer = Contender("scikit-learn KMeans", theirs, as_good)
    contenders = [Contender("pbow", ours), peer, on_one_thread(peer)]
    title = f"k-means on S = {len(sample):,} points, N = {n_words}"
    note = f"Time of one start; each ran {len(seeds)} of them."
    return race_table(
        title, race(contenders, settings), len(sample), n_times=len(seeds), note=note
    )


def _mixture_race(covariance: str, settings: Settings) -> Table:
    sample = _whitened_sample(settings)
    _, tiles = tile(sample)
    start = _round_components(sample)
    diagonal = covariance == "diag"

    def ours() -> np.ndarray:
        components = pack(start.weights, start.means, start.covariances)
        densities = np.empty((2, len(sample)))
        moments, likelihood = expect(tiles, components, densities, len(sample))
        means, covariances = maximize(
            moments, start.means, start.covariances, diagonal=diagonal, floor=NO_FLOOR
        )
        return _flat(
            likelihood / len(sample),
            weigh(moments[0]),
            means,
            _variances(covariances + ADDED * np.eye(2), diagonal),
        )

    fresh = mixture_of(start, covariance)
    parameters = vars(fresh).copy() | {"reg_covar": ADDED}

    def theirs() -> np.ndarray:
        vars(fresh).update(parameters)
        likelihood, log_shares = fresh._e_step(sample)
        fresh._m_step(sample, log_shares)
        return _flat(likelihood, fresh.weights_, fresh.means_, fresh.covariances_)

    expected = ours()
    contenders = [
        Contender("pbow", ours),
        Contender(
            "scikit-learn, E and M step",
            theirs,
            lambda result: same_arrays(expected, result, 1e-9),
        ),
    ]
    title = f"One EM round on S = {len(sample):,} points, N = 50, {covariance}"
    return race_table(title, race(contenders, settings), len(sample))


def _whitened_sample(settings: Settings) -> np.ndarray:
    sample = draw_sample([workload("W2", settings)], SAMPLE_SIZE, ramp=None, seed=0)
    return sample / sample.std(axis=0)


def _round_components(sample: np.ndarray) -> GaussianCodebook:
    """Return components on clusters, as wide as those are on average."""
    words = learn_kmeans(sample, 50, whiten=False, n_init=1, seed=0).words
    shape = 0.5 * inertia(sample, words) * np.eye(2)
    shapes = np.tile(shape, (len(words), 1, 1))
    weights = np.full(len(words), 1.0 / len(words))
    return GaussianCodebook(weights, words, shapes, np.ones(2))


def _variances(covariances: np.ndarray, diagonal: bool) -> np.ndarray:  # noqa: FBT001
    return np.diagonal(covariances, axis1=1, axis2=2) if diagonal else covariances


def _flat(likelihood: float, *arrays: np.ndarray) -> np.ndarray:
    return np.concatenate([[likelihood], *(array.ravel() for array in arrays)])
