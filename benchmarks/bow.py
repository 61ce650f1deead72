"""PBoW transform: the histogram of nearest words, square roots, L2 norm 1."""

from collections.abc import Callable
from functools import partial

import numpy as np
from scipy.spatial import cKDTree
from sklearn.cluster import KMeans

from benchmarks.agreement import same_counts
from benchmarks.chunks import born_and_persistent, cut, in_threads
from benchmarks.report import Table, race_table
from benchmarks.settings import Settings
from benchmarks.timing import Contender, on_one_thread, plain_read, race
from benchmarks.workloads import describe, workload
from pbow import Diagrams, PersistenceBoW
from pbow.encoding import COMPILED, count_with

__all__ = ["benchmark", "nearest_by_kmeans", "root_histograms"]

CASES = [("W1", 50), ("W2", 50), ("W2", 200), ("W3", 50)]
# Points that may be in another bin: hardly any, but more in single precision.
TIES, TIES_32 = 1e-6, 1e-3
CHUNK = 2000


def benchmark(settings: Settings) -> list[Table]:
    """Race all ways to count nearest words, on every workload."""
    return [_one_race(name, n_words, settings) for name, n_words in CASES]


def _one_race(name: str, n_words: int, settings: Settings) -> Table:
    X = workload(name, settings)
    ours = PersistenceBoW(
        n_words, normalize="sqrt-l2", n_jobs=settings.threads, random_state=0
    ).fit(X)
    codebook = ours.codebooks_["H1"]
    for loop in COMPILED:  # little data alone would not compile any
        count_with([loop], X[:1], codebook, None, 0, n_jobs=1)
    expected = ours.transform(X)
    # All that a peer may know beforehand is computed outside the clock.
    points = born_and_persistent(X) / codebook.scale
    words = codebook.words / codebook.scale
    bins = np.repeat(np.arange(len(X)) * n_words, X.sizes)
    tree = cKDTree(words)

    def peer(label: Callable[[], np.ndarray], ties: float = TIES) -> dict:
        return {
            "run": lambda: root_histograms(bins, label(), expected.shape),
            "check": lambda H: same_counts(expected, H, X.sizes, ties),
        }

    predict = Contender(
        "scikit-learn KMeans.predict, once",
        **peer(partial(nearest_by_kmeans(words).predict, points)),
    )
    contenders = [
        Contender("pbow", lambda: ours.transform(X)),
        predict,
        on_one_thread(predict),
        _faiss(points, words, settings.threads, peer),
        Contender(
            "scipy cKDTree, once",
            **peer(lambda: tree.query(points, workers=settings.threads)[1]),
        ),
        Contender(
            f"numpy, chunks of {CHUNK:,}",
            **peer(partial(_nearest_by_numpy, X, points, words, settings.threads)),
        ),
        _atol(X, words),
        plain_read(X),
    ]
    title = f"PBoW transform, N = {n_words} ({describe(name, X)})"
    # The largest arrays of a peer: counts and rows; points, bins and labels.
    resident = 3 * expected.nbytes + 2 * X.points.nbytes
    timings = race(contenders, settings, resident=resident)
    return race_table(title, timings, len(X.points))


def root_histograms(
    bins: np.ndarray, labels: np.ndarray, shape: tuple[int, int]
) -> np.ndarray:
    """Return rows of roots of counts with norm 1; `bins` is where each row starts."""
    counts = np.bincount(bins + labels, minlength=shape[0] * shape[1])
    H = np.sqrt(counts.reshape(shape))
    H /= np.maximum(np.sqrt(np.einsum("ij,ij->i", H, H)), 1e-12)[:, np.newaxis]
    return H


def nearest_by_kmeans(words: np.ndarray) -> KMeans:
    """Return a fitted KMeans with the given centers."""
    kmeans = KMeans(len(words), init=words, n_init=1, max_iter=1).fit(words)
    kmeans.cluster_centers_ = words
    return kmeans


def _nearest_by_numpy(
    X: Diagrams, points: np.ndarray, words: np.ndarray, n_threads: int
) -> np.ndarray:
    # The square of the point is the same for all words and left out.
    twice, squares = -2.0 * words.T, (words**2).sum(axis=1)
    labels = np.empty(len(points), np.int64)

    def label(first: int, last: int) -> None:
        rows = slice(X.offsets[first], X.offsets[last])
        labels[rows] = (points[rows] @ twice + squares).argmin(axis=1)

    in_threads(label, cut(X, CHUNK), n_threads)
    return labels


def _faiss(
    points: np.ndarray, words: np.ndarray, n_threads: int, peer: Callable[..., dict]
) -> Contender:
    name = "faiss IndexFlatL2, float32"
    try:
        import faiss  # noqa: PLC0415 - a peer that may be missing
    except ImportError:
        return Contender(name, None, note="faiss-cpu is not installed")
    faiss.omp_set_num_threads(n_threads)
    index = faiss.IndexFlatL2(2)
    index.add(words.astype(np.float32))
    points = points.astype(np.float32)
    return Contender(name, **peer(lambda: index.search(points, 1)[1][:, 0], TIES_32))


def _atol(X: Diagrams, words: np.ndarray) -> Contender:
    name = "GUDHI Atol, its own descriptor"
    try:
        from gudhi.representations import Atol  # noqa: PLC0415 - may be missing
    except ImportError:
        return Contender(name, None, note="gudhi is not installed")
    some = X[: max(1, len(X) // 10)] if len(X) > 1000 else X
    share = len(some.points) / len(X.points)
    diagrams = list(some)
    atol = Atol(KMeans(len(words), n_init=1, random_state=0))
    atol.fit([X.points[:10_000]])
    note = "one thread" if some is X else "one thread; timed on a tenth and scaled"
    return Contender(name, lambda: atol.transform(diagrams), share=share, note=note)
