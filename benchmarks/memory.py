"""Peak memory of fit and transform on W2, each in a process of its own.

A process is asked for the high-water mark of its resident memory, which it can reset on
Linux. (``ru_maxrss`` cannot be used alone: a child starts from the peak of its parent.)
``tracemalloc`` sees the arrays that numpy makes, but not those of compiled loops.
"""

import ctypes
import gc
import json
import os
import resource
import subprocess
import sys
import tracemalloc
from contextlib import suppress
from pathlib import Path

from benchmarks.report import Table
from benchmarks.settings import ROOT, Settings
from benchmarks.workloads import describe, rough_surfaces
from pbow import PersistenceBoW, StablePersistenceBoW

__all__ = ["benchmark"]

MIB = 2**20
# What transform may take a thread, besides the input and the output.
ROOM_A_THREAD = 64
VECTORIZERS = {
    "PersistenceBoW": PersistenceBoW,
    "StablePersistenceBoW": StablePersistenceBoW,
}


def benchmark(settings: Settings) -> list[Table]:
    """Measure both vectorizers and hold transform to its claim."""
    n_diagrams = max(1, 15_600 // settings.shrink)
    rows, failures = [], []
    for name in VECTORIZERS:
        found = _in_a_process(name, n_diagrams, settings.threads)
        allowed = found["output"] + ROOM_A_THREAD * settings.threads
        for step in ("fit", "transform"):
            resident, traced = found[step]
            rows.append([f"{name}.{step}", resident, traced])
            if step == "transform":
                rows[-1] += [found["output"], allowed]
                if max(resident, traced) > allowed:
                    failures.append(
                        f"Memory: {name}.transform takes {max(resident, traced):.0f} "
                        f"MiB beyond its input, more than {allowed:.0f}"
                    )
            else:
                rows[-1] += [None, None]
        size = found["input"]
    note = (
        f"{found['workload']}; the points take {size:.0f} MiB. Peaks beyond the input, "
        f"in MiB. Allowed: the output and {ROOM_A_THREAD} MiB a thread."
    )
    columns = ["", "resident", "traced by tracemalloc", "output", "allowed"]
    return [Table("Peak memory, N = 50", columns, rows, note, failures=failures)]


def _in_a_process(name: str, n_diagrams: int, n_threads: int) -> dict:
    run = subprocess.run(
        [sys.executable, "-m", __name__, name, str(n_diagrams), str(n_threads)],
        cwd=ROOT,
        check=True,
        capture_output=True,
        text=True,
    )
    return json.loads(run.stdout)


def _measure(name: str, n_diagrams: int, n_threads: int) -> dict:
    X = rough_surfaces(n_diagrams)
    vectorizer = VECTORIZERS[name](50, n_jobs=n_threads, random_state=0)
    output = vectorizer.fit(X).transform(X).nbytes  # compiles, too
    return {
        "workload": describe("W2", X),
        "input": (X.points.nbytes + X.offsets.nbytes) / MIB,
        "output": output / MIB,
        "fit": _peaks(lambda: vectorizer.fit(X)),
        "transform": _peaks(lambda: vectorizer.transform(X)),
    }


def _peaks(run) -> tuple[float, float]:
    """Return by how many MiB a call raises resident and traced memory at most."""
    before = _reset_peak()
    run()
    resident = (_peak() - before) / MIB
    tracemalloc.start()
    run()
    traced = tracemalloc.get_traced_memory()[1] / MIB
    tracemalloc.stop()
    return resident, traced


def _reset_peak() -> int:
    # Freed memory that the process still holds would hide what a call takes.
    gc.collect()
    with suppress(AttributeError, OSError):  # only the GNU library has it
        ctypes.CDLL(None).malloc_trim(0)
    try:
        Path("/proc/self/clear_refs").write_text("5", encoding="ascii")
    except OSError:
        return _peak()  # an older peak may hide this one: a lower bound
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")


def _peak() -> int:
    status = Path("/proc/self/status")
    if status.exists():
        for line in status.read_text(encoding="ascii").splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) * 1024
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit


if __name__ == "__main__":
    print(json.dumps(_measure(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))))
