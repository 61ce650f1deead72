"""What a first call costs: the import, and first calls with and without a cache."""

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
FIRST_CALL = """
import math, time
from pbow import distances, homology, kernels, vectorizers
from benchmarks.workloads import few_small
X = few_small()
A, B = (X.points[X.offsets[i] : X.offsets[i + 1]] for i in range(2))
graphs = [([[i, (i + 1) % 30] for i in range(30)], 30)] * 20
start = time.perf_counter()
{call}
print(time.perf_counter() - start)
"""
FITTED = (
    "vectorizers.PersistenceBoW(random_state=0)",
    "vectorizers.StablePersistenceBoW(random_state=0)",
    "vectorizers.PersistenceVLAD(random_state=0)",
    "vectorizers.SoftPersistenceVLAD(random_state=0)",
    "vectorizers.PersistenceFisherVector(random_state=0)",
    "vectorizers.PersistenceImage()",
    "vectorizers.PersistenceLandscape()",
    "vectorizers.PersistenceStatistics()",
    "vectorizers.RiemannianHeatMap()",
    "kernels.WassersteinKernel()",
    "kernels.WassersteinKernel(math.inf)",
    "kernels.SlicedWassersteinKernel()",
    "kernels.MultiScaleKernel()",
    "kernels.LandscapeKernel()",
)
CALLS = (
    *(f"{estimator}.fit_transform(X)" for estimator in FITTED),
    "distances.wasserstein_distance(A, B, return_matching=True)",
    "distances.bottleneck_distance(A, B)",
    "homology.graph_sublevel(graphs, dims=(0, 1))",
    "homology.graph_extended(graphs)",
)


def benchmark(settings: Settings) -> list[Table]:
    """Time imports and first calls in fresh processes; medians of several."""
    imports = []
    for what in ("numpy", "numba", "sklearn.base", "pbow"):
        taken = [_seconds(CLOCK.format(what)) for _ in range(_n(settings))]
        imports.append([f"import {what}", *_summary(taken)])
    first = []
    for call in CALLS:
        code = FIRST_CALL.format(call=call)
        with tempfile.TemporaryDirectory() as cache:
            # Once: it takes long enough to drown the noise.
            cold = _seconds(code, NUMBA_CACHE_DIR=cache)
            warm = [_seconds(code, NUMBA_CACHE_DIR=cache) for _ in range(_n(settings))]
        first.append([f"`{call}`", cold, *_summary(warm)])
    columns = ["", "seconds, median", "fastest", "processes"]
    note = "300 diagrams of about 50 points. Each number is from fresh processes."
    compared = [
        "",
        "nothing compiled, seconds",
        "compiled before, median",
        *columns[2:],
    ]
    return [
        Table("Imports", columns, imports, "Each number is from fresh processes."),
        Table("Cold start: first calls beyond the imports", compared, first, note),
    ]


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
