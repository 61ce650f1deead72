"""Data larger than memory: commands that stream against the same with all in memory.

Each command is a process of its own. Its peak is read from the system while it runs,
above that of a process that has only imported what the command needs.
"""

import subprocess
import sys
import tempfile
import time
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import numpy as np

from benchmarks.report import Table
from benchmarks.settings import ROOT, Settings
from benchmarks.workloads import rough_surfaces
from pbow import Diagrams, PersistenceBoW, StablePersistenceBoW, distributed
from pbow.io import write_diagrams

__all__ = ["benchmark"]

N_POINTS = 100_000_000
POINTS_A_DIAGRAM = 100
N_FILES = 10
GIB = 2**30
# What is claimed.
MOST_GIB = 1.0
LEAST_THROUGHPUT = 0.6
LEAST_SPEEDUP = 1.6

IMPORTS = "import pbow.cli, pbow.vectorizers, pbow.distributed, pyarrow.parquet"
READ = """
import sys, pyarrow.parquet as parquet
from pathlib import Path
for path in sorted(Path(sys.argv[1]).iterdir()):
    for batch in parquet.ParquetFile(path).iter_batches(use_threads=False):
        pass
"""
COMMAND = "from pbow.__main__ import main; main()"


def benchmark(settings: Settings) -> list[Table]:
    """Measure commands on 10⁸ points, and two workers against one on W2 tenfold."""
    settings.output.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=settings.output) as folder:
        return [_commands(settings, Path(folder)), _workers(settings, Path(folder))]


def _commands(settings: Settings, folder: Path) -> Table:
    data = folder / "diagrams"
    n_points = _write(data, N_POINTS // settings.shrink)
    size = sum(path.stat().st_size for path in data.iterdir())
    _, idle = _process([sys.executable, "-c", IMPORTS])
    read, _ = _process([sys.executable, "-c", READ, str(data)])
    rows = [["plain read of the files, one core", read, 1e9 * read / n_points]]
    rows[0] += [None, None, None]
    failures = []
    jobs = ["--jobs", str(settings.threads)]
    for name in ("pbow", "spbow"):
        model, out = folder / f"{name}.pbow", folder / f"{name}.npy"
        fit = ["fit", str(data), "--descriptor", name, "-o", str(model), "--seed", "0"]
        encode = ["transform", str(model), str(data), "-o", str(out)]
        for what, command in (("fit", fit), ("transform", encode)):
            in_memory, held = _cli([*command, *jobs])
            made = model if what == "fit" else out
            expected = made.rename(made.with_stem(f"{made.stem}-in-memory"))
            streamed, peak = _cli([*command, *jobs, "--stream"])
            same = _same(made, expected)
            ratio = in_memory / streamed
            above, above_held = (peak - idle) / GIB, (held - idle) / GIB
            for seconds, share, gib, how in (
                (in_memory, None, above_held, "in memory"),
                (streamed, ratio, above, "streaming"),
            ):
                label = f"{name} {what}, {how}"
                throughput = seconds / read
                row = [label, seconds, 1e9 * seconds / n_points, throughput, share, gib]
                rows.append(row)
            if not same:
                failures.append(f"Streaming: {name} {what} gives another result")
            if above > MOST_GIB:
                failures.append(f"Streaming: {name} {what} takes {above:.2f} GiB")
            if name == "spbow" and ratio < LEAST_THROUGHPUT:
                failures.append(f"Streaming: {name} {what} has {ratio:.0%} throughput")
    note = (
        f"{n_points:,} points in {N_FILES} Parquet files of {size / GIB:.2f} GiB "
        "together, three resolutions; reading and starting Python included. Peaks "
        "above a process that has only imported pbow."
    )
    columns = ["", "s", "ns a point", "over a plain read", "throughput", "peak (GiB)"]
    title = "Commands that stream, against all in memory"
    return Table(title, columns, rows, note, failures=failures)


def _workers(settings: Settings, folder: Path) -> Table:
    """Race two processes against one, on W2 enlarged tenfold."""
    data = folder / "surfaces"
    data.mkdir()
    X = rough_surfaces(max(1, 15_600 // settings.shrink))
    for copy in range(10):
        write_diagrams(X, data / f"{copy}.parquet")
    rows, failures = [], []
    for model in (PersistenceBoW(random_state=0), StablePersistenceBoW(random_state=0)):
        model.fit(X)
        seconds: dict[int, list[float]] = {1: [], 2: []}
        with ProcessPoolExecutor(1) as one, ProcessPoolExecutor(2) as two:
            pools = {1: one, 2: two}
            for turn in range(3):
                for n, pool in pools.items():
                    out = folder / f"{type(model).__name__}-{n}-{turn}.npy"
                    start = time.perf_counter()
                    distributed.transform(model, data, out, executor=pool)
                    seconds[n].append(time.perf_counter() - start)
                    out.unlink()
        # The first turn starts the processes, which import and compile.
        best = {n: min(times[1:]) for n, times in seconds.items()}
        ratio = best[1] / best[2]
        rows.append([type(model).__name__, best[1], best[2], ratio])
        if ratio < LEAST_SPEEDUP:
            text = f"Streaming: two workers are {ratio:.2f} times one"
            failures.append(f"{text} for {type(model).__name__}")
    note = (
        f"{10 * len(X):,} diagrams, {10 * len(X.points):,} points in ten files; a pool "
        "of processes, alternating turns, the fastest of two after a first one."
    )
    columns = ["transform", "one worker (s)", "two workers (s)", "times as fast"]
    return Table("Two workers", columns, rows, note, failures=failures)


def _write(folder: Path, n_points: int) -> int:
    """Write generated diagrams, and return how many points they have."""
    folder.mkdir()
    rng = np.random.default_rng(0)
    n = n_points // N_FILES // POINTS_A_DIAGRAM * POINTS_A_DIAGRAM
    offsets = np.arange(0, n + 1, POINTS_A_DIAGRAM)
    for number in range(N_FILES):
        births = rng.uniform(size=n)
        points = np.column_stack((births, births + rng.exponential(size=n)))
        write_diagrams(
            Diagrams(points, offsets, name="H1"), folder / f"{number}.parquet"
        )
    return n * N_FILES


def _same(file: Path, other: Path) -> bool:
    if file.suffix != ".npy":
        return file.read_bytes() == other.read_bytes()
    H, expected = (np.load(path, mmap_mode="r") for path in (file, other))
    return H.shape == expected.shape and all(
        np.array_equal(H[i : i + 10_000], expected[i : i + 10_000])
        for i in range(0, len(H), 10_000)
    )


def _cli(arguments: list[str]) -> tuple[float, int]:
    return _process([sys.executable, "-c", COMMAND, *arguments])


def _process(command: list[str]) -> tuple[float, int]:
    """Run a command; return its seconds and the peak of its resident memory."""
    start = time.perf_counter()
    process = subprocess.Popen(
        command, cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
    )
    status, peak = Path(f"/proc/{process.pid}/status"), 0
    while process.poll() is None:
        try:
            lines = status.read_text(encoding="ascii").splitlines()
        except OSError:  # it has just ended, or this is not Linux
            lines = []
        for line in lines:
            if line.startswith("VmHWM:"):
                peak = max(peak, int(line.split()[1]) * 1024)
        time.sleep(0.02)
    seconds = time.perf_counter() - start
    if process.returncode:
        raise RuntimeError(process.stderr.read().decode())
    return seconds, peak
