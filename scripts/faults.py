"""Hit every writer at every moment: what is there must be the old or the new content.

    python scripts/faults.py [kernel.npy ...] [--times 20]
                             --out docs/testing/faults.json

Each writer of `tests/faults.py` is killed, and interrupted as by Ctrl-C, before and
after each of its calls that touch files, and after seeded times, in the middle of
whatever runs then. It also writes to disks that are full after so many bytes. After
each hit, every file must be the old or the new one from end to end, and the next call
must complete it and leave nothing beside it. The exit code is 1 if not. Locks that stay
for good are counted apart: they are empty, and nobody holds them.
"""

from __future__ import annotations

import argparse
import json
import platform
import shutil
import signal
import sys
import tempfile
import time
import zlib
from collections import Counter
from collections.abc import Callable, Iterator
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from tests.faults import WRITERS, check, content, disturbing, make_inputs  # noqa: E402

SEED = 20261118
SIGNALS = {"SIGKILL": signal.SIGKILL, "SIGINT": signal.SIGINT}


class Target:
    """A writer, with its old and its new content."""

    def __init__(self, name: str, workspace: Path, disturb: Callable[..., Any]) -> None:
        self.name, self.workspace, self.disturb = name, workspace, disturb
        self.n_locks = 0
        path = self.prepare()
        self.old = content(path.parent)
        start = time.monotonic()
        self.n_moments = disturb(path, 1).moments
        self.seconds = time.monotonic() - start
        self.new = content(path.parent)
        largest = (file.stat().st_size for file in path.parent.rglob("*"))
        self.n_bytes = max(largest)

    def prepare(self) -> Path:
        """Return the path of a target with its old content."""
        folder = self.workspace / "target"
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        if WRITERS[self.name].replaces:
            self.disturb(folder / self.name, 0)
        return folder / self.name

    def faults(self, times: int) -> Iterator[tuple[str, dict[str, Any]]]:
        """Give what happens to the writer, with a title to count it by."""
        rng = np.random.default_rng([SEED, zlib.crc32(self.name.encode())])
        for title, number in SIGNALS.items():
            for moment in range(1, self.n_moments + 1):
                yield f"{title} at a call", {"number": number, "moment": moment}
            for seconds in rng.uniform(0, self.seconds, times).tolist():
                yield f"{title} at a time", {"number": number, "seconds": seconds}
        for largest in rng.integers(0, self.n_bytes, times).tolist():
            yield "full disk", {"largest_file": largest}

    def hit(self, fault: dict[str, Any]) -> str:
        """Return what is wrong after a fault, if anything."""
        path = self.prepare()
        self.disturb(path, 1, **fault)
        try:
            check(path.parent, WRITERS[self.name], self.old, self.new)
        except (AssertionError, ValueError) as error:
            return f"after {fault}: {error}"
        if WRITERS[self.name].at_once and content(path.parent, left=True) == self.new:
            return ""  # a whole folder is never written to again
        outcome = self.disturb(path, 1)
        if outcome[:3] != (0, "", ""):
            return f"the call after {fault} failed: {outcome}"
        try:
            left = content(path.parent, left=True)
        except ValueError as error:
            return f"the call after {fault} left a damaged file: {error}"
        locks = {name for name in left if name.endswith(".lock")}
        self.n_locks += len(locks)
        if left != self.new | {name: {b""} for name in locks}:
            names = sorted(left.keys() ^ self.new.keys())
            return f"the call after {fault} left something else: {names}"
        return ""


def main() -> int:
    """Print the counts; return 1 if anything is wrong."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("names", nargs="*", metavar="NAME", default=[*WRITERS])
    parser.add_argument("--times", type=int, default=20)
    parser.add_argument("--out", type=Path, help="a JSON file for the figures")
    options = parser.parse_args()
    unknown = {*options.names} - {*WRITERS}
    if unknown:
        parser.error(f"{min(unknown)} is none of {', '.join(WRITERS)}")
    counts: Counter[str] = Counter()
    wrong, n_locks = [], 0
    with tempfile.TemporaryDirectory() as folder, disturbing() as disturb:
        workspace = Path(folder)
        (workspace / "inputs").mkdir()
        make_inputs(workspace / "inputs")
        for name in options.names:
            target = Target(name, workspace, disturb)
            before = counts.total()
            for title, fault in target.faults(options.times):
                counts[title] += 1
                problem = target.hit(fault)
                if problem:
                    wrong.append(f"{name}: {problem}")
                    print(wrong[-1], flush=True)
            n_locks += target.n_locks
            print(f"{name}: {counts.total() - before} faults", flush=True)
    figures = {
        "command": f"python scripts/faults.py --times {options.times}",
        "seed": SEED,
        "writers": options.names,
        "faults": dict(counts),
        "wrong": wrong,
        "locks_that_stay": n_locks,
        "versions": {"python": platform.python_version()}
        | {name: version(name) for name in ("pbow", "numpy", "pyarrow", "matplotlib")},
    }
    if options.out:
        options.out.parent.mkdir(parents=True, exist_ok=True)
        options.out.write_text(json.dumps(figures, indent=1) + "\n", encoding="utf-8")
    print(f"{counts.total()} faults, {len(wrong)} of them with a wrong result")
    return int(bool(wrong))


if __name__ == "__main__":
    sys.exit(main())
