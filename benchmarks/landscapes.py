"""Persistence landscapes: vectors on a grid, and exact distances of all levels."""

from itertools import combinations

import numpy as np

from benchmarks.agreement import same_arrays
from benchmarks.report import Table, pairs_table, race_table
from benchmarks.settings import Settings
from benchmarks.timing import Contender, Verdict, plain_read, race
from benchmarks.workloads import describe, workload
from pbow import Diagrams
from pbow.kernels import LandscapeKernel
from pbow.vectorizers import PersistenceLandscape

__all__ = ["benchmark"]

# Diagrams of a distance matrix, and those of them that persim has the time for.
PAIRS = {"W1": (300, 12), "W2": (200, 4)}
ROUNDING = 1e-12
# persim's differences of landscapes are off by this much, its norms by rounding only.
PERSIM = 0.05


def benchmark(settings: Settings) -> list[Table]:
    """Race the ways to landscapes, on every workload."""
    vectors = [_vectors(name, settings) for name in ("W1", "W2")]
    return vectors + [_distances(name, settings) for name in PAIRS]


def _vectors(name: str, settings: Settings) -> Table:
    X = workload(name, settings)
    ours = PersistenceLandscape(n_jobs=settings.threads).fit(X)
    expected = ours.transform(X)
    contenders = [
        Contender("pbow", lambda: ours.transform(X)),
        _gudhi(X, expected),
        plain_read(X),
    ]
    title = f"Landscape, 5 levels at 100 times ({describe(name, X)})"
    timings = race(contenders, settings, resident=3 * expected.nbytes)
    return race_table(title, timings, len(X.points))


def _gudhi(X: Diagrams, expected: np.ndarray) -> Contender:
    name = "GUDHI Landscape"
    try:
        from gudhi.representations import Landscape  # noqa: PLC0415 - may be missing
    except ImportError:
        return Contender(name, None, note="gudhi is not installed")
    some = X[: max(1, len(X) // 10)] if len(X) > 1000 else X
    share = len(some.points) / len(X.points)
    diagrams = list(some)
    landscape = Landscape(num_landscapes=5, resolution=100).fit(list(X))
    note = "one thread" if some is X else "one thread; timed on a tenth and scaled"
    return Contender(
        name,
        lambda: landscape.transform(diagrams),
        # GUDHI's tents are the standard ones times the root of 2.
        check=lambda H: same_arrays(
            np.sqrt(2.0) * expected[: len(some)], H, tolerance=ROUNDING
        ),
        share=share,
        note=note,
    )


def _distances(name: str, settings: Settings) -> Table:
    n_diagrams, n_small = PAIRS[name]
    X = workload(name, settings)[:: max(1, len(workload(name, settings)) // n_diagrams)]
    X = X[: max(n_small, n_diagrams // settings.shrink)]
    ours = LandscapeKernel(n_jobs=settings.threads)
    alone = LandscapeKernel(n_jobs=1)
    n_pairs = len(X) * (len(X) - 1) // 2
    contenders = [
        Contender("pbow", lambda: ours.distances(X)),
        Contender("pbow, one thread", lambda: alone.distances(X)),
        _persim(X[:n_small], n_pairs),
    ]
    title = f"Distances of exact landscapes ({describe(name, X)})"
    return pairs_table(title, race(contenders, settings), n_pairs)


def _persim(X: Diagrams, n_pairs: int) -> Contender:
    name = "persim PersLandscapeExact, p_norm of differences"
    try:
        from persim import PersLandscapeExact  # noqa: PLC0415 - may be missing
    except ImportError:
        return Contender(name, None, note="persim is not installed")
    landscapes = [PersLandscapeExact(dgms=[diagram], hom_deg=0) for diagram in X]
    for landscape in landscapes:
        landscape.compute_landscape()
    pairs = list(combinations(range(len(X)), 2))

    def run() -> np.ndarray:
        return np.array([(landscapes[i] - landscapes[j]).p_norm(2) for i, j in pairs])

    def check(distances: np.ndarray) -> Verdict:
        expected = LandscapeKernel().distances(X)[tuple(np.transpose(pairs))]
        near = same_arrays(expected, distances, tolerance=PERSIM)
        norms = np.array([landscape.p_norm(2) for landscape in landscapes])
        same = same_arrays(LandscapeKernel().distances(X, [[]])[:, 0], norms, ROUNDING)
        text = f"norms {same.text}, differences {near.text}"
        return Verdict(near.same and same.same, text)

    note = f"one thread; {len(pairs)} pairs, landscapes made beforehand"
    return Contender(name, run, check, share=len(pairs) / n_pairs, note=note)
