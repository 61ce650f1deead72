"""Matrices of all pairs: the scale-space kernel and sliced Wasserstein distances."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from benchmarks.agreement import same_arrays
from benchmarks.report import Table, pairs_table
from benchmarks.settings import Settings
from benchmarks.timing import Contender, Timing, Verdict, race
from benchmarks.workloads import describe, many_small, workload
from pbow import Diagrams
from pbow.kernels import MultiScaleKernel, SlicedWassersteinKernel

__all__ = ["benchmark"]

# Diagrams of a matrix; GUDHI takes ten seconds for it.
SIZES = {"W1": 150, "W2": 40, "small": 400}
# Of a small diagram, as those of parts of shapes are.
N_POINTS = 13
FEWEST = 6
N_LINES = 10
ROUNDING = 1e-11


def benchmark(settings: Settings) -> list[Table]:
    """Race the ways to fill a matrix, on two workloads and on small diagrams."""
    return [race_(name, settings) for race_ in (_heat, _sliced) for name in SIZES]


def _heat(name: str, settings: Settings) -> Table:
    X = _some(name, settings)
    ours = MultiScaleKernel(n_jobs=settings.threads).fit(X)
    alone = MultiScaleKernel(n_jobs=1).fit(X)
    s = ours.bandwidths_["H1"]
    # GUDHI's constant is another one.
    expected = ours.transform(X) * s * np.sqrt(4.0 * np.pi)
    contenders = [
        Contender("pbow", lambda: ours.transform(X)),
        Contender("pbow, one thread", lambda: alone.transform(X)),
        *_gudhi(
            "PersistenceScaleSpaceKernel",
            {"bandwidth": s * np.sqrt(2.0)},
            X,
            lambda K: same_arrays(expected, K, ROUNDING),
            settings.threads,
        ),
    ]
    return _table("Scale-space kernel", name, X, race(contenders, settings))


def _sliced(name: str, settings: Settings) -> Table:
    X = _some(name, settings)
    ours = SlicedWassersteinKernel(N_LINES, n_jobs=settings.threads)
    alone = SlicedWassersteinKernel(N_LINES, n_jobs=1)
    contenders = [
        Contender("pbow", lambda: ours.distances(X)),
        Contender("pbow, one thread", lambda: alone.distances(X)),
        *_gudhi(
            "SlicedWassersteinDistance",
            # It leaves out the last line.
            {"num_directions": N_LINES + 1},
            X,
            lambda D: _same_lines(X[:FEWEST], D[:FEWEST, :FEWEST]),
            settings.threads,
        ),
    ]
    title = f"Sliced Wasserstein distance, {N_LINES} lines"
    return _table(title, name, X, race(contenders, settings))


def _some(name: str, settings: Settings) -> Diagrams:
    if name == "small":
        return many_small(max(FEWEST, SIZES[name] // settings.shrink), N_POINTS)
    X = workload(name, settings)
    n = min(max(FEWEST, SIZES[name] // settings.shrink), len(X))
    return X[np.linspace(0, len(X) - 1, n).astype(np.int64)]


def _gudhi(
    what: str,
    params: dict[str, Any],
    X: Diagrams,
    check: Callable[[np.ndarray], Verdict],
    n_threads: int,
) -> list[Contender]:
    names = [f"GUDHI {what}, one thread", f"GUDHI {what}"]
    try:
        import gudhi.representations as peers  # noqa: PLC0415 - may be missing
    except ImportError:
        return [Contender(n, None, note="gudhi is not installed") for n in names]
    diagrams = list(X)
    fitted = [
        getattr(peers, what)(n_jobs=n, **params).fit(diagrams) for n in (1, n_threads)
    ]
    return [
        Contender(name, lambda peer=peer: peer.transform(diagrams), check)
        for name, peer in zip(names, fitted, strict=True)
    ]


def _same_lines(X: Diagrams, theirs: np.ndarray) -> Verdict:
    """Compare with pbow's sum over one more line, less what that one has."""
    n = N_LINES + 1
    angle = -0.5 * np.pi + N_LINES * np.pi / n
    line = np.array([np.cos(angle), np.sin(angle)])
    on = [F @ line for F in X]
    feet = [F.mean(axis=1) * line.sum() for F in X]

    def distance(i: int, j: int) -> float:
        pair = np.concatenate((on[i], feet[j])), np.concatenate((on[j], feet[i]))
        return float(np.abs(np.sort(pair[0]) - np.sort(pair[1])).sum())

    last = [[distance(i, j) for j in range(len(X))] for i in range(len(X))]
    ours = (SlicedWassersteinKernel(n).distances(X) * n - last) / N_LINES
    return same_arrays(ours, theirs, ROUNDING)


def _table(what: str, name: str, X: Diagrams, timings: Sequence[Timing]) -> Table:
    title = f"{what}, all pairs ({describe(name, X)})"
    return pairs_table(title, timings, len(X) * (len(X) + 1) // 2)
