"""What the numbers were measured on."""

import os
import platform
import subprocess
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from benchmarks.settings import ROOT, Settings

__all__ = ["describe_machine"]

PACKAGES = ("numpy", "scipy", "scikit-learn", "numba", "gudhi", "faiss-cpu", "pbow")


def describe_machine(settings: Settings, *, whole: bool) -> dict[str, str]:
    """Return name and value of all that a reader needs to judge the numbers."""
    size = "full" if settings.shrink == 1 else f"W2, W3 at 1/{settings.shrink}"
    load = os.getloadavg()[0]
    busy = "; BUSY: do not quote these times" if load > 0.5 else ""
    return {
        "processor": _processor(),
        "cores": str(len(os.sched_getaffinity(0)) if _linux() else os.cpu_count()),
        "load before the run": f"{load:.1f}{busy}",
        "threads": str(settings.threads),
        "size": size if whole else f"{size}; a part of the benchmarks",
        "date": datetime.now(UTC).strftime("%Y-%m-%d"),
        "commit": _commit(),
        "Python": platform.python_version(),
        **{name: _version(name) for name in PACKAGES},
    }


def _linux() -> bool:
    return hasattr(os, "sched_getaffinity")


def _processor() -> str:
    cpuinfo = Path("/proc/cpuinfo")
    if cpuinfo.exists():
        for line in cpuinfo.read_text().splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()


def _commit() -> str:
    command = ["git", "describe", "--always", "--dirty"]
    try:
        run = subprocess.run(
            command, cwd=ROOT, check=True, capture_output=True, text=True
        )
    except (OSError, subprocess.CalledProcessError):
        return "unknown"
    return run.stdout.strip()


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return "not installed"
