"""What fitting and encoding cost at any size: a model of the passes, calibrated here.

A pass reads every block, does some nanoseconds of work for each point, and sends a
summary to the process that asked for it. The slowest of three decides: the cores, the
file system, or that one process, which handles every block.
"""

import pickle
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.report import Table
from benchmarks.settings import Settings
from pbow import Diagrams, PersistenceBoW, StablePersistenceBoW, distributed
from pbow.blocks import DiagramBlocks
from pbow.io import scan_diagrams, write_diagrams
from pbow.sampling import Draw, Histogram, QuantileSearch

__all__ = ["benchmark"]

N_POINTS = 40_000_000
N_FILES = 10
POINTS_A_DIAGRAM = 100
BYTES_A_POINT = 16
POINTS_A_BLOCK = 1 << 22
SAMPLE_SIZE = 10_000
SIZES = (10**6, 10**9, 10**12)
CORES = (2, 64, 1024)
# What one process can collect.
MOST_MOVED = 50e9
# Of a shared file system that many clusters have.
BYTES_A_SECOND = 10e9
# Of 140 words, by hand: a table look-up and some distances; 140 exponentials of
# quadratic forms.
FLOPS_A_POINT = {"PersistenceBoW": 60.0, "StablePersistenceBoW": 140 * 28.0}


@dataclass(frozen=True)
class Costs:
    """What was measured.

    Attributes
    ----------
    read, count, collect, draw, encode, write : float
        Nanoseconds of one core for a point: reading Parquet; counting by upper bits;
        collecting near the quantiles; drawing; features; writing these.
    learn, block : float
        Seconds to learn the words, and of one process for each block in a pass.
    counted, collected : float
        Bytes that a block sends for its histogram, and a point for the quantiles.
    """

    read: float
    count: float
    collect: float
    draw: float
    encode: float
    write: float
    learn: float
    block: float
    counted: float
    collected: float

    def passes(self, *, has_ramp: bool) -> list[float]:
        """Return the nanoseconds a point of each pass of fit and of transform."""
        work = [self.count, self.collect, self.draw] if has_ramp else [0.0, self.draw]
        return [self.read + own for own in (*work, self.encode + self.write)]

    def moved(self, n_points: float, *, has_ramp: bool) -> float:
        """Return the bytes that workers send in all passes."""
        n_blocks = max(1.0, n_points / POINTS_A_BLOCK)
        sample = 24.0 * min(SAMPLE_SIZE, n_points)
        if not has_ramp:
            return 200.0 * n_blocks + sample
        return self.counted * n_blocks + self.collected * n_points + sample

    def seconds(self, n_points: float, n_cores: int, *, has_ramp: bool) -> float | None:
        """Return the time of a fit and a transform; None if it cannot be done."""
        if self.moved(n_points, has_ramp=has_ramp) > MOST_MOVED:
            return None
        passes = self.passes(has_ramp=has_ramp)
        n_blocks = max(1.0, n_points / POINTS_A_BLOCK)
        by_cores = 1e-9 * n_points * sum(passes) / min(n_cores, n_blocks)
        by_disk = len(passes) * n_points * BYTES_A_POINT / BYTES_A_SECOND
        by_one = len(passes) * n_blocks * self.block
        return max(by_cores, by_disk, by_one) + self.learn


def benchmark(settings: Settings) -> list[Table]:
    """Calibrate the model on one core, check it on two, and predict."""
    n = N_POINTS // settings.shrink // N_FILES // POINTS_A_DIAGRAM * POINTS_A_DIAGRAM
    rng = np.random.default_rng(0)
    births = rng.uniform(size=n)
    points = np.column_stack((births, births + rng.exponential(size=n)))
    X = Diagrams(points, np.arange(0, n + 1, POINTS_A_DIAGRAM), name="H1")
    block = _seconds_a_block()
    tables, checks = [], []
    settings.output.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=settings.output) as name:
        folder = Path(name)
        (folder / "data").mkdir()
        for number in range(N_FILES):
            write_diagrams(X, folder / "data" / f"{number}.parquet")
        for model in (
            PersistenceBoW(random_state=0),
            StablePersistenceBoW(random_state=0),
        ):
            costs = _calibrate(model, X, folder, block)
            tables.append(_predictions(type(model).__name__, costs))
            checks += _check(model, costs, N_FILES * n, folder)
    columns = ["", "predicted (s)", "measured (s)", "measured over predicted"]
    note = f"{N_FILES * n:,} points in {N_FILES} files, a pool of two processes."
    return [*tables, Table("The model against a run", columns, checks, note)]


def _calibrate(model: Any, X: Diagrams, folder: Path, block: float) -> Costs:
    points, n = X.points, len(X.points)
    file = folder / "data" / "0.parquet"
    blocks = scan_diagrams(file)
    histogram = Histogram.of(points)
    search = QuantileSearch.of(histogram, (0.05, 0.95))
    draw = Draw.uniform(n, SAMPLE_SIZE, 0)
    model.fit(X)
    start = time.perf_counter()
    model.fit(X[:1000])  # as many points are drawn, and next to none read
    learn = time.perf_counter() - start
    read = _nanoseconds(lambda: [len(some) for some in blocks], n)
    encode = _nanoseconds(lambda: model.transform(X), n)
    out = folder / "features.npy"

    def transform() -> None:
        out.unlink(missing_ok=True)
        distributed.transform(model, file, out)

    return Costs(
        read=read,
        count=_nanoseconds(lambda: Histogram.of(points), n),
        collect=_nanoseconds(lambda: search.keep(points), n),
        draw=_nanoseconds(lambda: draw.candidates(points, 0), n),
        encode=encode,
        write=max(0.0, _nanoseconds(transform, n) - read - encode),
        learn=learn,
        block=block,
        counted=len(pickle.dumps(histogram)),
        collected=len(pickle.dumps(search.keep(points))) / n,
    )


def _check(model: Any, costs: Costs, n_points: int, folder: Path) -> list[list[Any]]:
    rows = []
    for weighting in ("uniform", "ramp"):
        model.set_params(weighting=weighting)
        out = folder / f"{type(model).__name__}-{weighting}.npy"
        with ProcessPoolExecutor(2) as pool:
            # Once before: processes import pbow and load compiled loops.
            distributed.fit(model, folder / "data" / "0.parquet", executor=pool)
            distributed.transform(
                model,
                folder / "data" / "0.parquet",
                folder / f"warm-{out.name}",
                executor=pool,
            )
            start = time.perf_counter()
            distributed.fit(model, folder / "data", executor=pool)
            distributed.transform(model, folder / "data", out, executor=pool)
            seconds = time.perf_counter() - start
        out.unlink()
        predicted = costs.seconds(n_points, 2, has_ramp=weighting == "ramp") or 0.0
        label = f"{type(model).__name__}, {weighting}"
        rows.append([label, predicted, seconds, seconds / predicted])
    return rows


def _predictions(name: str, costs: Costs) -> Table:
    rows = []
    for n in SIZES:
        for ramp in (False, True):
            n_passes = len(costs.passes(has_ramp=ramp))
            rows.append(
                [
                    f"10^{np.log10(n):.0f} points, {'ramp' if ramp else 'uniform'}",
                    n_passes,
                    n_passes * n * BYTES_A_POINT / 1e9,
                    costs.moved(n, has_ramp=ramp) / 1e9,
                    FLOPS_A_POINT[name] * n / 1e12,
                    *(costs.seconds(n, c, has_ramp=ramp) for c in CORES),
                ]
            )
    a_block = 1e-9 * POINTS_A_BLOCK * (costs.read + costs.encode + costs.write)
    n_busy = a_block / costs.block
    note = (
        f"Nanoseconds a point on one core: read {costs.read:.1f}, count "
        f"{costs.count:.1f}, collect {costs.collect:.1f}, draw {costs.draw:.1f}, "
        f"encode {costs.encode:.1f}, write {costs.write:.1f}. One process spends "
        f"{1e3 * costs.block:.2f} ms on each block of {POINTS_A_BLOCK:,} points, which "
        f"takes a core {a_block:.2f} s to encode: it keeps {n_busy:,.0f} "
        f"cores busy. The file system is taken to give {BYTES_A_SECOND / 1e9:.0f} GB "
        "a second. No time: more than one process can collect."
    )
    columns = ["", "passes", "GB read", "GB moved", "Tflop"]
    columns += [f"{c:,} cores (s)" for c in CORES]
    return Table(f"Predicted seconds of fit and transform, {name}", columns, rows, note)


def _nanoseconds(run: Callable[[], Any], n_points: int) -> float:
    times = []
    for _ in range(3):
        start = time.perf_counter()
        run()
        times.append(time.perf_counter() - start)
    return 1e9 * min(times) / n_points


def _seconds_a_block() -> float:
    """Return what one process spends on a block, of tasks that do next to nothing."""
    X = Diagrams.from_list([[[0.0, 1.0], [0.5, 2.0]]], name="H1")
    n_blocks = 500
    blocks = DiagramBlocks([X] * n_blocks)
    model = PersistenceBoW(1, random_state=0)
    with ProcessPoolExecutor(1) as pool:
        model.fit(blocks.on(pool))  # starts the process
        start = time.perf_counter()
        model.fit(blocks.on(pool))
        return (time.perf_counter() - start) / n_blocks / 2.0
