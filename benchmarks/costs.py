"""What fitting and encoding cost at any size: a model of the passes, calibrated here.

A pass reads every block, does some nanoseconds of work for each point, and sends a
summary to the process that asked for it. Times are sums of what the cores do, divided
by their number, and of what that one process does for every block.
"""

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
from pbow import Diagrams, PersistenceBoW, StablePersistenceBoW
from pbow.blocks import DiagramBlocks
from pbow.io import scan_diagrams, write_diagrams
from pbow.sampling import Draw, Histogram, QuantileSearch

__all__ = ["benchmark"]

N_POINTS = 10_000_000
POINTS_A_DIAGRAM = 100
BYTES_A_POINT = 16
POINTS_A_BLOCK = 1 << 22
SIZES = (10**6, 10**9, 10**12)
CORES = (2, 64, 1024)
# Of a shared file system that many clusters have.
BYTES_A_SECOND = 10e9


@dataclass(frozen=True)
class Costs:
    """Nanoseconds of one core for a point, and seconds of the asking process.

    Attributes
    ----------
    read, count, collect, draw : float
        Reading Parquet; counting by upper bits; collecting near the quantiles; drawing.
    encode : float
        Features of one point.
    learn, block : float
        Seconds to learn the words, and of one process for each block in a pass.
    """

    read: float
    count: float
    collect: float
    draw: float
    encode: float
    learn: float
    block: float

    def passes(self, *, has_ramp: bool) -> list[float]:
        """Return the nanoseconds a point of each pass of a fit on an executor."""
        work = [self.count, self.collect, self.draw] if has_ramp else [0.0, self.draw]
        return [self.read + own for own in work]

    def seconds(self, n_points: float, n_cores: int, *, has_ramp: bool) -> float:
        """Return the time of a fit and a transform."""
        passes = [*self.passes(has_ramp=has_ramp), self.read + self.encode]
        n_blocks = max(1.0, n_points / POINTS_A_BLOCK)
        in_use = min(n_cores, n_blocks)
        by_cores = 1e-9 * n_points * sum(passes) / in_use
        by_one = self.learn + len(passes) * n_blocks * self.block
        by_disk = len(passes) * n_points * BYTES_A_POINT / BYTES_A_SECOND
        # Blocks are sent while others are worked on; the slowest of the three decides.
        return max(by_cores, by_one, by_disk)


def benchmark(settings: Settings) -> list[Table]:
    """Calibrate the model on one core, and predict."""
    n = N_POINTS // settings.shrink // POINTS_A_DIAGRAM * POINTS_A_DIAGRAM
    rng = np.random.default_rng(0)
    births = rng.uniform(size=n)
    points = np.column_stack((births, births + rng.exponential(size=n)))
    X = Diagrams(points, np.arange(0, n + 1, POINTS_A_DIAGRAM))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "diagrams.parquet")
        write_diagrams(X, path)
        blocks = scan_diagrams(path)
        read = _nanoseconds(lambda: [len(block) for block in blocks], n)
    histogram = Histogram.of(points)
    search = QuantileSearch.of(histogram, (0.05, 0.95))
    draw = Draw.uniform(n, 10_000, 0)
    block = _seconds_a_block()
    tables = []
    for model in (PersistenceBoW(random_state=0), StablePersistenceBoW(random_state=0)):
        start = time.perf_counter()
        model.fit(X)
        learn = time.perf_counter() - start
        costs = Costs(
            read=read,
            count=_nanoseconds(lambda: Histogram.of(points), n),
            collect=_nanoseconds(lambda: search.keep(points), n),
            draw=_nanoseconds(lambda: draw.candidates(points, 0), n),
            encode=_nanoseconds(lambda model=model: model.transform(X), n),
            learn=learn,
            block=block,
        )
        tables.append(_predictions(type(model).__name__, costs))
    return tables


def _predictions(name: str, costs: Costs) -> Table:
    rows = []
    for n in SIZES:
        for ramp in (False, True):
            times = [costs.seconds(n, c, has_ramp=ramp) for c in CORES]
            n_passes = len(costs.passes(has_ramp=ramp)) + 1
            tera = n_passes * n * BYTES_A_POINT / 1e12
            how = "ramp" if ramp else "uniform"
            rows.append([f"10^{np.log10(n):.0f} points, {how}", n_passes, tera, *times])
    a_block = 1e-9 * POINTS_A_BLOCK * (costs.read + costs.encode)
    n_busy = a_block / costs.block
    note = (
        f"Nanoseconds a point on one core: read {costs.read:.1f}, count "
        f"{costs.count:.1f}, collect {costs.collect:.1f}, draw {costs.draw:.1f}, "
        f"encode {costs.encode:.1f}. One process spends {1e3 * costs.block:.1f} ms on "
        f"each block of {POINTS_A_BLOCK:,} points, which takes a core {a_block:.2f} "
        f"s to encode: it keeps {n_busy:.0f} cores busy. The file system "
        f"is taken to give {BYTES_A_SECOND / 1e9:.0f} GB a second."
    )
    columns = ["", "passes", "TB read", *(f"{c:,} cores (s)" for c in CORES)]
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
    X = Diagrams.from_list([[[0.0, 1.0], [0.5, 2.0]]])
    n_blocks = 500
    blocks = DiagramBlocks([X] * n_blocks)
    model = PersistenceBoW(1, random_state=0)
    with ProcessPoolExecutor(1) as pool:
        model.fit(blocks.on(pool))  # starts the process
        start = time.perf_counter()
        model.fit(blocks.on(pool))
        return (time.perf_counter() - start) / n_blocks / 2.0
