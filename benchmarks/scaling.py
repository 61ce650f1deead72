"""How time grows with the number of diagrams, points, words, samples and threads."""

import os
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from benchmarks.report import Table
from benchmarks.settings import Settings
from benchmarks.timing import Contender, race
from benchmarks.workloads import many_small, workload
from pbow import Diagrams, PersistenceBoW, StablePersistenceBoW
from pbow.codebook import learn_gaussian, learn_kmeans
from pbow.sampling import draw_sample

__all__ = ["benchmark", "exponent"]

N_WORDS = (10, 25, 50, 100, 200, 400)
Runs = dict[float, Callable[[], Any]]


def benchmark(settings: Settings) -> list[Table]:
    """Sweep one size at a time; report fitted exponents, and draw each sweep."""
    sweeps = {
        "number of diagrams": _diagrams(settings),
        "points a diagram": _points(settings),
        "number of words N": _words(settings),
        "sample size S": _samples(settings),
        "threads": _threads(settings),
    }
    # The sizes of a sweep are contenders like any other; a few rounds will do.
    brief = replace(settings, seconds=settings.seconds / 2)
    rows = []
    for size, curves in sweeps.items():
        seconds = {what: _timed(runs, brief) for what, runs in curves.items()}
        for what, times in seconds.items():
            sizes, taken = list(times), list(times.values())
            listed = ", ".join(f"{n:g}: {1e3 * t:.3g}" for n, t in times.items())
            steep = exponent(sizes, taken) if len(sizes) > 1 else None
            rows.append([what, size, steep, listed])
        _draw(size, seconds, settings)
    note = (
        "Time as a power of one size, by least squares between logarithms, all else "
        "fixed. An exponent of 1 is proportional; two threads at best give -1."
    )
    columns = ["", "grows with", "exponent", "ms by size"]
    return [Table("Scaling", columns, rows, note)]


def exponent(sizes: list[float], seconds: list[float]) -> float:
    """Return the slope of log seconds over log sizes."""
    return float(np.polyfit(np.log(sizes), np.log(seconds), 1)[0])


def _diagrams(settings: Settings) -> dict[str, Runs]:
    top = max(1000, 1_000_000 // settings.shrink)
    sizes = [n for n in (1000, 10_000, 100_000, 1_000_000) if n <= top]
    X = many_small(sizes[-1])
    return _transforms({n: X[:n] for n in sizes}, settings.threads)


def _points(settings: Settings) -> dict[str, Runs]:
    n_diagrams = max(20, 2000 // settings.shrink)
    sizes = (10, 100, 1000, 10_000)
    return _transforms({n: many_small(n_diagrams, n) for n in sizes}, settings.threads)


def _words(settings: Settings) -> dict[str, Runs]:
    X = workload("W2", settings)[: max(10, 1560 // settings.shrink)]
    curves: dict[str, Runs] = {}
    for vectorizer in (PersistenceBoW, StablePersistenceBoW):
        curves[f"{vectorizer.__name__}.transform"] = {
            n: _transform(vectorizer, X, n, settings.threads) for n in N_WORDS
        }
    return curves


def _samples(settings: Settings) -> dict[str, Runs]:
    X = workload("W2", settings)
    sizes = [s for s in (1000, 3000, 10_000, 30_000, 100_000) if s <= len(X.points)]
    samples = {s: draw_sample([X], s, ramp=None, seed=0) for s in sizes}
    common = {"whiten": True, "n_init": 1, "seed": 0}
    return {
        "learn_kmeans, N = 50": {
            s: lambda sample=sample: learn_kmeans(sample, 50, **common)
            for s, sample in samples.items()
        },
        "learn_gaussian, N = 50, diag": {
            s: lambda sample=sample: learn_gaussian(
                sample, 50, covariance="diag", **common
            )
            for s, sample in samples.items()
        },
    }


def _threads(settings: Settings) -> dict[str, Runs]:
    X = workload("W2", settings)
    counts = range(1, max(settings.threads, min(os.cpu_count() or 1, 8)) + 1)
    curves: dict[str, Runs] = {}
    for vectorizer in (PersistenceBoW, StablePersistenceBoW):
        curves[f"{vectorizer.__name__}.transform"] = {
            n: _transform(vectorizer, X, 50, n) for n in counts
        }
    return curves


def _transforms(collections: dict[int, Diagrams], n_threads: int) -> dict[str, Runs]:
    return {
        f"{vectorizer.__name__}.transform": {
            n: _transform(vectorizer, X, 50, n_threads) for n, X in collections.items()
        }
        for vectorizer in (PersistenceBoW, StablePersistenceBoW)
    }


def _transform(vectorizer, X: Diagrams, n_words: int, n_threads: int):
    fitted = vectorizer(n_words, sample_size=2000, n_jobs=n_threads, random_state=0)
    if len(X.points) < n_words:
        fitted.set_params(n_words=len(X.points))
    fitted.fit(X)
    return lambda: fitted.transform(X)


def _timed(runs: Runs, settings: Settings) -> dict[float, float]:
    timings = race([Contender(str(n), run) for n, run in runs.items()], settings)
    return {n: t.seconds for n, t in zip(runs, timings, strict=True)}


def _draw(size: str, curves: dict[str, dict[float, float]], settings: Settings) -> None:
    # Not pyplot: it would keep the figures, and may want a screen.
    from matplotlib.figure import Figure  # noqa: PLC0415 - an optional package

    figure = Figure(figsize=(5, 3.5), layout="constrained")
    axes = figure.subplots()
    for what, times in curves.items():
        axes.loglog(list(times), list(times.values()), marker="o", label=what)
    axes.set(xlabel=size, ylabel="seconds")
    axes.legend()
    settings.output.mkdir(parents=True, exist_ok=True)
    name = "-".join(size.lower().split())
    figure.savefig(settings.output / f"scaling-{name}.png", dpi=100)
