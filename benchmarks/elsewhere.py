"""Other vectorisations of the same diagrams, by packages that need an older numpy.

They cannot be imported next to pbow. A virtual environment of their own is made under
.cache when it is first needed, and diagrams are handed over as .npy files.
"""

import json
import re
import subprocess
import sys
import tempfile
import venv
from pathlib import Path

import numpy as np

from benchmarks.report import Table, race_table
from benchmarks.settings import ROOT, Settings
from benchmarks.timing import Contender, Timing, race
from benchmarks.workloads import describe, workload
from pbow import Diagrams, PersistenceBoW

__all__ = ["benchmark"]

HERE = ROOT / "benchmarks" / "old_numpy"
HOME = ROOT / ".cache" / "benchmarks" / "old_numpy"
N_DIAGRAMS = 300
NOTE = (
    "Other descriptors of the same diagrams, timed in a process of their own right "
    "after pbow, on one core: an order of magnitude, not a race. Their input is "
    "converted beforehand."
)


def benchmark(settings: Settings) -> list[Table]:
    """Time PBoW next to persistence images and Betti curves, on W1 and some of W2."""
    try:
        python = _environment()
    except (OSError, subprocess.SubprocessError) as error:
        reason = f"no environment with an older numpy: {_reason(error)}"
        return [Table("Other vectorisations", ["", ""], [["left out", reason]], NOTE)]
    return [
        _one_table(name, workload(name, settings)[:N_DIAGRAMS], python, settings)
        for name in ("W1", "W2")
    ]


def _one_table(name: str, X: Diagrams, python: Path, settings: Settings) -> Table:
    ours = PersistenceBoW(50, n_jobs=settings.threads, random_state=0).fit(X)
    timings = race([Contender("pbow PBoW", lambda: ours.transform(X))], settings)
    timings += _elsewhere(X, python, settings)
    title = f"Other vectorisations ({describe(name, X)})"
    table = race_table(title, timings, len(X.points), note=NOTE)
    table.headline = []  # nothing here computes the same
    return table


def _elsewhere(X: Diagrams, python: Path, settings: Settings) -> list[Timing]:
    with tempfile.TemporaryDirectory() as folder:
        np.save(Path(folder) / "points.npy", X.points)
        np.save(Path(folder) / "offsets.npy", X.offsets)
        command = [python, HERE / "vectorise.py", folder, str(settings.seconds)]
        try:
            run = subprocess.run(command, check=True, capture_output=True, text=True)
        except subprocess.CalledProcessError as error:
            return [Timing("giotto-tda, TDAvec", None, 0, None, _reason(error))]
    return [
        Timing(name, seconds, rounds, None, note)
        for name, seconds, rounds, note in json.loads(run.stdout)
    ]


def _environment() -> Path:
    python = HOME / ("Scripts" if sys.platform == "win32" else "bin") / "python"
    # Touched last, so that an environment that was killed half-made starts again.
    made = HOME / "made"
    wanted = (HERE / "requirements.txt").read_text(encoding="utf-8")
    if made.exists() and made.read_text(encoding="utf-8") == wanted:
        return python
    venv.create(HOME, clear=True, with_pip=True)
    install = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    subprocess.run(
        [*install, "-r", HERE / "requirements.txt"],
        check=True,
        capture_output=True,
        text=True,
        timeout=900,
    )
    made.write_text(wanted, encoding="utf-8")
    return python


def _reason(error: Exception) -> str:
    """Return the last line that says something, without addresses and paths."""
    said = (getattr(error, "stderr", None) or str(error)).strip().splitlines()
    errors = [line for line in said if "error" in line.lower()] or said or ["unknown"]
    return re.sub(r"\S*[/\\]\S*", "…", errors[-1]).strip()
