"""What a first call costs: the import, and the first fit with and without a cache."""

import os
import statistics
import subprocess
import sys
import tempfile

from benchmarks.report import Table
from benchmarks.settings import ROOT, Settings

__all__ = ["benchmark"]

CLOCK = (
    "import time; start = time.perf_counter(); "
    "import {}; print(time.perf_counter() - start)"
)
# Data and imports are there before the clock starts.
FIRST_FIT = (
    "import time; from pbow import {name}; from benchmarks.workloads import few_small; "
    "X = few_small(); start = time.perf_counter(); "
    "{name}(random_state=0).fit_transform(X); print(time.perf_counter() - start)"
)


def benchmark(settings: Settings) -> list[Table]:
    """Time imports and first calls in fresh processes; medians of several."""
    rows = []
    for what in ("numpy", "numba", "sklearn.base", "pbow"):
        taken = [_seconds(CLOCK.format(what)) for _ in range(_n(settings))]
        rows.append([f"import {what}", *_summary(taken)])
    for name in ("PersistenceBoW", "StablePersistenceBoW"):
        code = FIRST_FIT.format(name=name)
        with tempfile.TemporaryDirectory() as cache:
            # Once: it takes long enough to drown the noise.
            cold = [_seconds(code, NUMBA_CACHE_DIR=cache)]
            warm = [_seconds(code, NUMBA_CACHE_DIR=cache) for _ in range(_n(settings))]
        rows.append([f"first {name}.fit_transform, nothing compiled", *_summary(cold)])
        rows.append([f"first {name}.fit_transform, compiled before", *_summary(warm)])
    note = "300 diagrams of about 50 points. Each number is from fresh processes."
    columns = ["", "seconds, median", "fastest", "processes"]
    return [Table("Cold start", columns, rows, note)]


def _n(settings: Settings) -> int:
    return max(1, settings.repeats)


def _summary(seconds: list[float]) -> list[float | int]:
    return [statistics.median(seconds), min(seconds), len(seconds)]


def _seconds(code: str, **variables: str) -> float:
    run = subprocess.run(
        [sys.executable, "-c", code],
        cwd=ROOT,
        env=os.environ | variables,
        check=True,
        capture_output=True,
        text=True,
    )
    return float(run.stdout)
