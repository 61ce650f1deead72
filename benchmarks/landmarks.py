"""A classifier for 100,000 diagrams: landmarks instead of all pairs.

All pairs of training vectors would be a matrix of 51 GB. The Nyström method compares
every vector with a few hundred landmarks by the centered distance kernel, which is
positive semidefinite, and a linear SVM does the rest.
"""

import time
from collections.abc import Callable

import numpy as np
from joblib import Parallel, delayed
from sklearn.kernel_approximation import Nystroem
from sklearn.model_selection import train_test_split
from sklearn.svm import SVC, LinearSVC

from benchmarks.report import Table
from benchmarks.settings import Settings
from pbow import Diagrams, StablePersistenceBoW
from pbow.datasets import make_shapes
from pbow.features import DistanceScaler, centered_distance_kernel, distance_kernel
from pbow.homology import rips

__all__ = ["benchmark"]

N_DIAGRAMS = 100_000
N_CHUNKS = 50
N_SOLVED = 10_000
LANDMARKS = (100, 300, 500)
C = 10.0


def benchmark(settings: Settings) -> list[Table]:
    """Compare linear SVMs on words and on landmarks with an exact one on fewer."""
    X, y = _shapes(N_DIAGRAMS // settings.shrink, settings.threads)
    train, test = train_test_split(
        np.arange(len(X)), test_size=0.2, stratify=y, random_state=0
    )
    start = time.perf_counter()
    words = StablePersistenceBoW(n_jobs=settings.threads, random_state=0)
    scaler = DistanceScaler()
    H = scaler.fit_transform(words.fit(X[train]).transform(X[train]))
    H_test = scaler.transform(words.transform(X[test]))
    encoding = time.perf_counter() - start

    def linear() -> float:
        return _linear(H, y[train]).score(H_test, y[test])

    def nystroem(n: int) -> float:
        landmarks = H[np.random.default_rng(0).choice(len(H), n, replace=False)]
        # Precomputed: a function would be called for each pair of rows.
        nystroem = Nystroem(kernel="precomputed", n_components=n, random_state=0)
        nystroem.fit(centered_distance_kernel(landmarks, landmarks, H.mean(axis=0)))
        landmarks = landmarks[nystroem.component_indices_]
        Z, Z_test = (
            nystroem.transform(centered_distance_kernel(U, landmarks, H.mean(axis=0)))
            for U in (H, H_test)
        )
        return _linear(Z, y[train]).score(Z_test, y[test])

    def exact(n: int) -> float:
        some = np.random.default_rng(0).choice(len(H), min(n, len(H)), replace=False)
        machine = SVC(kernel=distance_kernel, C=C, cache_size=1000)
        return machine.fit(H[some], y[train][some]).score(H_test, y[test])

    contenders: dict[str, Callable[[], float]] = {
        "linear SVM on the words": linear,
        **{f"{n} landmarks, linear SVM": lambda n=n: nystroem(n) for n in LANDMARKS},
        f"SVM on distances, {N_SOLVED:,} training samples": lambda: exact(N_SOLVED),
    }
    rows = []
    for name, run in contenders.items():
        start = time.perf_counter()
        accuracy = run()
        rows.append([name, 100.0 * accuracy, time.perf_counter() - start])
    note = (
        f"{len(X):,} diagrams of noisy shapes with six labels, {len(X.points):,} "
        f"points; four fifths to train. Wide words take {encoding:.1f} s to learn and "
        f"encode, {H.shape[1]} features. Seconds to fit and predict, without that."
    )
    columns = ["", "accuracy (%)", "s"]
    return [Table("Classifiers for 100,000 diagrams", columns, rows, note)]


def _linear(H: np.ndarray, y: np.ndarray) -> LinearSVC:
    return LinearSVC(C=C, dual=False, tol=1e-3).fit(H, y)


def _shapes(n_diagrams: int, n_jobs: int) -> tuple[Diagrams, np.ndarray]:
    n_each = max(1, n_diagrams // 6 // N_CHUNKS)
    found = Parallel(n_jobs)(delayed(_some_shapes)(n_each, s) for s in range(N_CHUNKS))
    X, y = zip(*found, strict=True)
    return Diagrams.concatenate(X), np.concatenate(y)


def _some_shapes(n_each: int, seed: int) -> tuple[Diagrams, np.ndarray]:
    clouds, y = make_shapes(
        n_per_class=n_each, n_points=40, noise=0.1, random_state=seed
    )
    return rips(clouds, dims=1), y
