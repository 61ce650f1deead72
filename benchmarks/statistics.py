"""Riemannian heat maps and persistence statistics, against the same in numpy."""

from collections.abc import Callable
from functools import partial

import numpy as np

from benchmarks.agreement import same_arrays
from benchmarks.chunks import cut, in_threads
from benchmarks.report import Table, race_table
from benchmarks.settings import Settings
from benchmarks.timing import Contender, plain_read, race
from benchmarks.workloads import describe, workload
from pbow import Diagrams
from pbow.vectorizers.riemannian import RiemannianHeatMap, TangentSpace
from pbow.vectorizers.statistics import PersistenceStatistics

__all__ = ["benchmark"]

CASES = ("W1", "W2", "W3")
CHUNK = 4000
# Diagrams that a loop in Python is timed on.
FEW = 300
# Of the large workloads: peers would take minutes for all.
MOST_POINTS = 1_000_000
# Relative to the largest feature. Angles by an arc cosine lose digits near the mean.
ROUNDING = 1e-7


def benchmark(settings: Settings) -> list[Table]:
    """Race both descriptors on every workload."""
    heat = [_heat(name, settings) for name in CASES]
    return heat + [_statistics(name, settings) for name in CASES]


def _some(name: str, settings: Settings) -> Diagrams:
    X = workload(name, settings)
    return X[: int(np.searchsorted(X.offsets, MOST_POINTS))]


def _heat(name: str, settings: Settings) -> Table:
    X = _some(name, settings)
    ours = RiemannianHeatMap(n_jobs=settings.threads).fit(X[:2000])
    space = ours.spaces_["H1"]
    some = X[:: max(1, len(X) // FEW)]
    expected, expected_of_some = ours.transform(X), ours.transform(some)
    contenders = [
        Contender("pbow", lambda: ours.transform(X)),
        Contender(
            f"numpy, separable, chunks of {CHUNK:,}",
            lambda: _by_numpy(X, space, settings.threads),
            check=lambda H: same_arrays(expected, H, ROUNDING),
        ),
        Contender(
            "numpy, every Gaussian at every place",
            lambda: _by_definition(some, space),
            check=lambda H: same_arrays(expected_of_some, H, ROUNDING),
            share=len(some.points) / len(X.points),
            note="one thread; timed on some diagrams and scaled",
        ),
        plain_read(X),
    ]
    title = f"Riemannian heat map, 20 by 20, d = 50 ({describe(name, X)})"
    timings = race(contenders, settings, resident=3 * expected.nbytes)
    return race_table(title, timings, len(X.points))


def _by_numpy(X: Diagrams, space: TangentSpace, n_threads: int) -> np.ndarray:
    births, deaths = _axes(space)
    out = np.empty((len(X), space.n_components))

    def work(first: int, last: int) -> None:
        start, stop = X.offsets[first], X.offsets[last]
        b, d = X.points[start:stop].T
        over_births = np.exp(-0.5 * ((b[:, None] - births) / space.bandwidth[0]) ** 2)
        over_deaths = np.exp(-0.5 * ((d[:, None] - deaths) / space.bandwidth[1]) ** 2)
        offsets = X.offsets[first : last + 1] - start
        heat = np.empty((last - first, births.size, deaths.size))
        for k in range(last - first):
            rows = slice(offsets[k], offsets[k + 1])
            np.matmul(over_births[rows].T, over_deaths[rows], out=heat[k])
        out[first:last] = _features(heat.reshape(last - first, -1), space)

    in_threads(work, cut(X, CHUNK), n_threads)
    return out


def _by_definition(X: Diagrams, space: TangentSpace) -> np.ndarray:
    births, deaths = np.meshgrid(*_axes(space), indexing="ij")
    heat = np.empty((len(X), births.size))
    for k, points in enumerate(X):
        apart_b = (points[:, 0, None] - births.ravel()) / space.bandwidth[0]
        apart_d = (points[:, 1, None] - deaths.ravel()) / space.bandwidth[1]
        heat[k] = np.exp(-0.5 * (apart_b**2 + apart_d**2)).sum(axis=0)
    return _features(heat, space)


def _axes(space: TangentSpace) -> list[np.ndarray]:
    return [np.linspace(*limits, space.resolution) for limits in space.limits]


def _features(heat: np.ndarray, space: TangentSpace) -> np.ndarray:
    roots = np.sqrt(heat / heat.sum(axis=1, keepdims=True))
    cosines = np.minimum(roots @ space.mean, 1.0)[:, None]
    angles = np.arccos(cosines)
    vectors = (angles / np.sin(angles)) * (roots - cosines * space.mean)
    return (vectors - space.origin) @ space.components.T


def _statistics(name: str, settings: Settings) -> Table:
    X = _some(name, settings)
    ours = PersistenceStatistics(n_jobs=settings.threads).fit(X)
    some = X[:: max(1, len(X) // FEW)]
    expected, expected_of_some = ours.transform(X), ours.transform(some)

    def check(ours: np.ndarray) -> Callable:
        return lambda theirs: same_arrays(ours, theirs, ROUNDING)

    contenders = [
        Contender("pbow", lambda: ours.transform(X)),
        Contender(
            f"numpy, sorted by diagram, chunks of {25 * CHUNK:,}",
            partial(_sorted_by_diagram, X, settings.threads),
            check(expected),
        ),
        Contender(
            "numpy, a loop over diagrams",
            lambda: _one_by_one(some),
            check(expected_of_some),
            share=len(some.points) / len(X.points),
            note="one thread; timed on some diagrams and scaled",
        ),
        plain_read(X),
    ]
    title = f"Persistence statistics ({describe(name, X)})"
    timings = race(contenders, settings, resident=3 * expected.nbytes)
    return race_table(title, timings, len(X.points))


def _quantities(points: np.ndarray) -> list[np.ndarray]:
    births, deaths = points.T
    return [births, deaths, (births + deaths) / 2, deaths - births]


def _one_by_one(X: Diagrams) -> np.ndarray:
    rows = []
    for points in X:
        row = []
        for values in _quantities(points):
            q10, q25, q75, q90 = np.quantile(values, [0.1, 0.25, 0.75, 0.9])
            row += [values.mean(), values.std(), np.median(values), q75 - q25]
            row += [np.ptp(values), q10, q25, q75, q90]
        shares = values[values > 0.0] / values.sum()
        rows.append([*row, len(points), -(shares * np.log(shares)).sum()])
    return np.array(rows)


def _sorted_by_diagram(X: Diagrams, n_threads: int) -> np.ndarray:
    # Every diagram of these workloads has points.
    out = np.empty((len(X), 38))

    def work(first: int, last: int) -> None:
        sizes = X.sizes[first:last]
        starts = X.offsets[first:last] - X.offsets[first]
        diagram = np.repeat(np.arange(last - first), sizes)
        columns = []
        for values in _quantities(X.points[X.offsets[first] : X.offsets[last]]):
            ordered = values[np.lexsort((values, diagram))]
            mean = np.add.reduceat(values, starts) / sizes
            squares = np.add.reduceat((values - mean[diagram]) ** 2, starts)
            q10, q25, q50, q75, q90 = (
                _quantile(ordered, starts, sizes, q)
                for q in (0.1, 0.25, 0.5, 0.75, 0.9)
            )
            reach = ordered[starts + sizes - 1] - ordered[starts]
            columns += [mean, np.sqrt(squares / sizes), q50, q75 - q25, reach]
            columns += [q10, q25, q75, q90]
        shares = values / np.add.reduceat(values, starts)[diagram]
        terms = shares * np.log(np.where(shares > 0.0, shares, 1.0))
        columns += [sizes, -np.add.reduceat(terms, starts)]
        out[first:last] = np.column_stack(columns)

    in_threads(work, cut(X, 25 * CHUNK), n_threads)
    return out


def _quantile(
    ordered: np.ndarray, starts: np.ndarray, sizes: np.ndarray, q: float
) -> np.ndarray:
    places = q * (sizes - 1)
    below = places.astype(np.int64)
    above = np.minimum(below + 1, sizes - 1)
    low, high = ordered[starts + below], ordered[starts + above]
    return low + (high - low) * (places - below)
