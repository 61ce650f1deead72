"""Wasserstein and bottleneck distances of all pairs of diagrams."""

import math
from collections.abc import Callable
from itertools import combinations

import numpy as np
from scipy.optimize import linear_sum_assignment

from benchmarks.agreement import same_arrays
from benchmarks.chunks import in_threads
from benchmarks.report import Table, pairs_table
from benchmarks.settings import Settings
from benchmarks.timing import Contender, race
from benchmarks.workloads import SEED, describe, workload
from pbow import Diagrams
from pbow.kernels import WassersteinKernel

__all__ = ["benchmark"]

ORDERS = {1.0: "order 1", 2.0: "order 2", math.inf: "order inf (bottleneck)"}
# Diagrams of a matrix, and those of them that peers have the time for.
SIZES = {"W1": (150, 20), "W2": (40, 4)}
# Those of the workload of long bars, and their points.
N_LONG, N_LONG_FEW, N_LONG_POINTS = 40, 4, 300
# Those of the workload of repeated points; a diagram has about 20 that are distinct.
REPEATED = "repeated points"
N_REPEATED, N_REPEATED_FEW, N_DISTINCT = 150, 5, 20
# Hera's own, as the authors of persistence bag-of-words used it.
HERAS_ERROR = 0.01
ROUNDING = 1e-9

Distance = Callable[[np.ndarray, np.ndarray], float]


def benchmark(settings: Settings) -> list[Table]:
    """Race the ways to match points, where all compete, and where many are the same."""
    tables = [
        _one_race(name, workload(name, settings), order, *SIZES[name], settings)
        for name in SIZES
        for order in ORDERS
    ]
    bars = _long_bars(N_LONG)
    tables.append(_one_race("long bars", bars, 2.0, N_LONG, N_LONG_FEW, settings))
    same = _repeated_points(N_REPEATED)
    tables += [
        _one_race(REPEATED, same, order, N_REPEATED, N_REPEATED_FEW, settings)
        for order in (2.0, math.inf)
    ]
    return tables


def _long_bars(n_diagrams: int) -> Diagrams:
    """Return diagrams of which any two points may be paired."""
    rng = np.random.default_rng(SEED)
    shape = (n_diagrams, N_LONG_POINTS)
    births, deaths = 0.1 * rng.uniform(size=shape), 1.0 + rng.uniform(size=shape)
    return Diagrams.from_list(list(np.stack((births, deaths), axis=2)), name="H1")


def _repeated_points(n_diagrams: int) -> Diagrams:
    """Return diagrams like those of graphs by degree: some 300 points, 20 distinct.

    Degrees are whole numbers, divided by the largest one, and most nodes have few
    neighbors.
    """
    rng = np.random.default_rng(SEED)
    diagrams = []
    for largest in rng.integers(50, 300, size=n_diagrams):
        births = rng.geometric(0.3, size=N_DISTINCT) - 1
        deaths = births + rng.geometric(0.1, size=N_DISTINCT)
        counts = np.minimum(1 + 2 * rng.pareto(0.7, size=N_DISTINCT), 150).astype(int)
        points = np.column_stack((births, deaths)) / largest
        diagrams.append(rng.permutation(np.repeat(points, counts, axis=0)))
    return Diagrams.from_list(diagrams, name="H1")


def _one_race(
    name: str, X: Diagrams, order: float, n: int, n_few: int, settings: Settings
) -> Table:
    n = min(max(n_few, n // settings.shrink), len(X))
    X = X[np.linspace(0, len(X) - 1, n).astype(np.int64)]
    few = X[np.linspace(0, n - 1, n_few).astype(np.int64)]
    ours = WassersteinKernel(order, n_jobs=settings.threads)
    alone = WassersteinKernel(order, n_jobs=1)
    pairs = list(combinations(range(n_few), 2))
    share = len(pairs) / math.comb(n, 2)
    expected = alone.distances(few)[tuple(np.transpose(pairs))]
    diagrams = list(few)

    def all_pairs(distance: Distance, n_threads: int) -> np.ndarray:
        out = np.empty(len(pairs))

        def several(first: int, last: int) -> None:
            for k in range(first, last):
                i, j = pairs[k]
                out[k] = distance(diagrams[i], diagrams[j])

        in_threads(several, [(k, k + 1) for k in range(len(pairs))], n_threads)
        return out

    def peer(
        title: str, distance: Distance | None, error: float, n_threads: int = 1
    ) -> Contender:
        if distance is None:
            return Contender(title, None, note="not installed")
        return Contender(
            title if n_threads > 1 else f"{title}, one thread",
            lambda: all_pairs(distance, n_threads),
            lambda out: same_arrays(expected, out, error),
            share=share,
            note=f"timed on {len(pairs)} pairs and scaled",
        )

    contenders = [
        Contender("pbow", lambda: ours.distances(X)),
        Contender("pbow, one thread", lambda: alone.distances(X)),
    ]
    if math.isinf(order):
        hera = _gudhis_bottleneck()
        contenders += [
            peer("GUDHI bottleneck_distance", hera, ROUNDING, settings.threads),
            peer("GUDHI bottleneck_distance", hera, ROUNDING),
        ]
    else:
        hera = _hera(order)
        contenders += [
            peer("Hera, by GUDHI", hera, HERAS_ERROR, settings.threads),
            peer("Hera, by GUDHI", hera, HERAS_ERROR),
            peer("POT, by GUDHI", _pot(order), ROUNDING),
            peer("scipy linear_sum_assignment", _assignment(order), ROUNDING),
        ]
        if name == REPEATED:
            distinct = _pot_on_distinct_points(order)
            contenders.append(peer("POT, on distinct points", distinct, ROUNDING))
    title = f"Wasserstein distance, {ORDERS[order]}, all pairs ({describe(name, X)})"
    return pairs_table(title, race(contenders, settings), math.comb(n, 2))


def _hera(order: float) -> Distance | None:
    try:
        from gudhi.hera import wasserstein_distance  # noqa: PLC0415 - may be missing
    except ImportError:
        return None
    return lambda F, G: wasserstein_distance(
        F, G, order=order, internal_p=math.inf, delta=HERAS_ERROR
    )


def _pot(order: float) -> Distance | None:
    try:
        from gudhi.wasserstein import (  # noqa: PLC0415 - may be missing, or POT
            wasserstein_distance,
        )
    except ImportError:
        return None
    return lambda F, G: wasserstein_distance(F, G, order=order, internal_p=math.inf)


def _pot_on_distinct_points(order: float) -> Distance | None:
    """Return POT's network simplex between distinct points, and the diagonal."""
    try:
        from ot import emd2  # noqa: PLC0415 - may be missing
    except ImportError:
        return None

    def distance(F: np.ndarray, G: np.ndarray) -> float:
        (A, a), (B, b) = (np.unique(D, axis=0, return_counts=True) for D in (F, G))
        costs = np.zeros((len(A) + 1, len(B) + 1))
        costs[:-1, :-1] = np.abs(A[:, np.newaxis] - B).max(axis=2)
        costs[:-1, -1] = 0.5 * (A[:, 1] - A[:, 0])
        costs[-1, :-1] = 0.5 * (B[:, 1] - B[:, 0])
        masses = (np.append(c, n).astype(float) for c, n in ((a, len(G)), (b, len(F))))
        return float(emd2(*masses, costs**order) ** (1.0 / order))

    return distance


def _gudhis_bottleneck() -> Distance | None:
    try:
        from gudhi import bottleneck_distance  # noqa: PLC0415 - may be missing
    except ImportError:
        return None
    return bottleneck_distance


def _assignment(order: float) -> Distance:
    """Return what scipy can do for the n x m problem: what is gained by each pair."""

    def distance(F: np.ndarray, G: np.ndarray) -> float:
        costs = np.abs(F[:, np.newaxis] - G).max(axis=2) ** order
        left = [(0.5 * (D[:, 1] - D[:, 0])) ** order for D in (F, G)]
        gains = np.minimum(costs - left[0][:, np.newaxis] - left[1], 0.0)
        best = gains[linear_sum_assignment(gains)].sum()
        return float((left[0].sum() + left[1].sum() + best) ** (1.0 / order))

    return distance
