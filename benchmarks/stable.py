"""sPBoW transform: sums of weighted Gaussian likelihoods, square roots, L2 norm 1."""

import time
from collections.abc import Callable
from copy import copy

import numpy as np
from sklearn.mixture import GaussianMixture

from benchmarks.agreement import same_arrays
from benchmarks.chunks import born_and_persistent, cut, in_threads, sum_by_diagram
from benchmarks.report import Table, race_table
from benchmarks.settings import Settings
from benchmarks.timing import Contender, plain_read, race
from benchmarks.workloads import describe, workload
from pbow import StablePersistenceBoW
from pbow.codebook import GaussianCodebook

__all__ = ["benchmark", "mixture_of"]

CASES = [("W1", "diag"), ("W1", "full"), ("W2", "diag"), ("W2", "full"), ("W3", "diag")]
N_WORDS = 50
GEMM_CHUNK = 2000
MIXTURE_CHUNKS = (500, 2000, 8000, 32_000)
# Of pbow in single precision, and of peers in double.
TOLERANCE_32, TOLERANCE_64 = 1e-5, 1e-9


def benchmark(settings: Settings) -> list[Table]:
    """Race all ways to add up likelihoods, on every workload."""
    return [_one_race(name, shape, settings) for name, shape in CASES]


def _one_race(name: str, covariance: str, settings: Settings) -> Table:
    X = workload(name, settings)
    ours = StablePersistenceBoW(
        N_WORDS,
        covariance=covariance,
        scale="density",
        normalize="sqrt-l2",
        n_jobs=settings.threads,
        random_state=0,
    ).fit(X)
    codebook = ours.codebooks_["H1"]
    points = born_and_persistent(X)
    expected = ours.transform(X)
    single = copy(ours.fitted_).set_params(dtype="float32")  # with the same codebook

    def encode(log_likelihoods: Callable, ranges: list[tuple[int, int]]) -> np.ndarray:
        out = np.zeros((len(X), N_WORDS))

        def add(first: int, last: int) -> None:
            offsets = X.offsets[first : last + 1]
            logs = log_likelihoods(points[offsets[0] : offsets[-1]])
            sum_by_diagram(np.exp(logs, out=logs), offsets, out[first:last])

        in_threads(add, ranges, settings.threads)
        np.sqrt(out, out=out)
        norms = np.sqrt(np.einsum("ij,ij->i", out, out))
        out /= np.maximum(norms, 1e-12)[:, np.newaxis]
        return out

    mixture = mixture_of(codebook, covariance)._estimate_weighted_log_prob
    size = _best_chunk(points, mixture)
    large, small = cut(X, size), cut(X, GEMM_CHUNK)
    gemm = _as_one_product(codebook)
    contenders = [
        Contender("pbow, float64", lambda: ours.transform(X)),
        Contender(
            "pbow, float32",
            lambda: single.transform(X),
            lambda H: same_arrays(expected, H, TOLERANCE_32),
        ),
        Contender(
            "scikit-learn GaussianMixture",
            lambda: encode(mixture, large),
            lambda H: same_arrays(expected, H, TOLERANCE_64),
            note=f"chunks of {size:,}, the best of {len(MIXTURE_CHUNKS)} sizes",
        ),
        Contender(
            f"numpy matrix product, chunks of {GEMM_CHUNK:,}",
            lambda: encode(gemm, small),
            lambda H: same_arrays(expected, H, TOLERANCE_64),
        ),
        plain_read(X),
    ]
    title = f"sPBoW transform, N = {N_WORDS}, {covariance} ({describe(name, X)})"
    timings = race(contenders, settings, resident=3 * expected.nbytes)
    return race_table(title, timings, len(X.points))


def mixture_of(codebook: GaussianCodebook, covariance: str) -> GaussianMixture:
    """Return a fitted GaussianMixture with the components of a codebook."""
    roots = np.linalg.inv(np.linalg.cholesky(codebook.covariances)).swapaxes(1, 2)
    mixture = GaussianMixture(len(codebook.weights), covariance_type=covariance)
    mixture.weights_, mixture.means_ = codebook.weights, codebook.means
    mixture.covariances_, mixture.precisions_cholesky_ = codebook.covariances, roots
    if covariance == "diag":
        mixture.covariances_ = np.diagonal(codebook.covariances, axis1=1, axis2=2)
        mixture.precisions_cholesky_ = np.diagonal(roots, axis1=1, axis2=2)
    return mixture


def _as_one_product(codebook: GaussianCodebook) -> Callable[[np.ndarray], np.ndarray]:
    """Return log likelihoods as (x, y, xx, xy, yy, 1) times a matrix."""
    # About the middle of the words, where the fewest digits cancel.
    middle = codebook.means.mean(axis=0)
    precisions = np.linalg.inv(codebook.covariances)
    means = codebook.means - middle
    tilted = np.einsum("kij,kj->ki", precisions, means)
    logs = np.log(codebook.weights) - np.log(2.0 * np.pi)
    logs -= 0.5 * np.linalg.slogdet(codebook.covariances)[1]
    logs -= 0.5 * np.einsum("ki,ki->k", tilted, means)
    xx, xy, yy = precisions[:, 0, 0], precisions[:, 0, 1], precisions[:, 1, 1]
    matrix = np.array([*tilted.T, -0.5 * xx, -xy, -0.5 * yy, logs])

    def log_likelihoods(points: np.ndarray) -> np.ndarray:
        x, y = (points - middle).T
        powers = np.stack((x, y, x * x, x * y, y * y, np.ones_like(x)), axis=1)
        return powers @ matrix

    return log_likelihoods


def _best_chunk(points: np.ndarray, log_likelihoods: Callable) -> int:
    """Return the chunk size that is fastest on the first points."""
    some = points[: 2 * max(MIXTURE_CHUNKS)]

    def seconds(size: int) -> float:
        start = time.perf_counter()
        for first in range(0, len(some), size):
            np.exp(log_likelihoods(some[first : first + size]))
        return time.perf_counter() - start

    return min(MIXTURE_CHUNKS, key=lambda size: min(seconds(size) for _ in range(2)))
