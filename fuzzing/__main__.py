"""Fuzz pbow for some seconds, or with some number of inputs; print what came out.

make fuzz                              a minute, with a new seed
make fuzz SECONDS=600 JOBS=4           ten minutes, in four processes
make fuzz COUNT=100000 SEED=7          the same inputs in every run
make fuzz SEED=7 ARGS="--case npz:81"  one input again, with its traceback
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from importlib.metadata import version
from pathlib import Path

from fuzzing.files import file_targets
from fuzzing.objects import object_targets
from fuzzing.trial import Target
from fuzzing.workers import (
    FAILED,
    READ,
    Failure,
    Outcomes,
    attempt,
    limit_memory,
    make_trial,
    run,
)

MEMORY_DISK = Path("/dev/shm")
# Of more failures only the number is printed.
MOST_PRINTED = 200


def main() -> None:
    """Read the options, try the inputs, and print and write what came out."""
    options = _options()
    parent = MEMORY_DISK if MEMORY_DISK.is_dir() else None
    with tempfile.TemporaryDirectory(prefix="pbow-fuzz-", dir=parent) as name:
        folder = Path(name)
        (folder / "sound").mkdir()
        only = options.only.split(",") if options.only else ()
        if options.case:
            only = [options.case.partition(":")[0]]
        targets = [t for t in object_targets() if not only or t.name in only]
        targets += file_targets(folder / "sound", only)
        if options.case:
            sys.exit(_repeat(targets, options.seed, options.case, options.kept, folder))
        print(
            f"pbow: fuzzing with seed {options.seed}; --seed {options.seed} repeats it"
        )

        git = ["git", "rev-parse", "--short", "HEAD"]
        found = subprocess.run(git, capture_output=True, text=True, check=False)
        commit = found.stdout.strip()  # of the code that runs

        def report(outcomes: Outcomes) -> None:
            if options.report:
                figures = _report(targets, outcomes, options.seed, options.jobs, commit)
                options.report.write_text(json.dumps(figures, indent=1) + "\n")

        outcomes = run(
            targets,
            options.seed,
            folder,
            count=options.count,
            seconds=None if options.count else options.seconds,
            jobs=options.jobs,
            tell=_Progress(options.seed, options.kept, report),
        )
    _print(targets, outcomes, options.seed)
    report(outcomes)
    sys.exit(any(not failure.is_library for failure in outcomes.failures))


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m fuzzing",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--seed", type=int, default=int(time.time()))
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--count", type=int, help="how many inputs, whatever the time")
    parser.add_argument("--jobs", type=int, default=1, help="how many processes")
    parser.add_argument("--only", help="targets, with commas between them")
    parser.add_argument("--case", help="one input: its target and number, as npz:81")
    parser.add_argument("--report", type=Path, help="a JSON file to write")
    kept = Path(".cache/fuzz")
    parser.add_argument("--kept", type=Path, default=kept, help="folder for failures")
    return parser.parse_args()


def _repeat(
    targets: Sequence[Target], seed: int, case: str, kept: Path, folder: Path
) -> bool:
    """Try one input in this process; return whether it has failed."""
    name, _, number = case.partition(":")
    (target,) = [target for target in targets if target.name == name]
    trial = make_trial(target, seed, int(number), folder)
    content = trial.content
    content = content if isinstance(content, bytes) else content().encode()
    print(f"kept as {_keep(kept, seed, target.name, int(number), content)}")
    limit_memory()
    outcome, text = attempt(trial)
    print(text if outcome == FAILED else ("read" if outcome == READ else "refused"))
    return outcome == FAILED


def _keep(kept: Path, seed: int, name: str, case: int, content: bytes) -> Path:
    kept.mkdir(parents=True, exist_ok=True)
    path = kept / f"{name}-{seed}-{case}"
    path.write_bytes(content)
    return path


class _Progress:
    """Prints failures as they come; every minute says how far it is, and reports."""

    def __init__(
        self, seed: int, kept: Path, report: Callable[[Outcomes], None]
    ) -> None:
        self._seed, self._kept, self._report = seed, kept, report
        self._start = self._said = time.monotonic()
        self._n_printed = 0

    def __call__(self, outcomes: Outcomes) -> None:
        for one in outcomes.failures[self._n_printed : MOST_PRINTED]:
            path = _keep(self._kept, self._seed, one.target, one.case, one.content)
            whose = " (the library's own)" if one.is_library else ""
            case = f"--seed {self._seed} --case {one.target}:{one.case}"
            print(f"\n{case}{whose}, kept as {path}\n{one.outcome.strip()}", flush=True)
        self._n_printed = len(outcomes.failures)
        now = time.monotonic()
        if now - self._said > 60:
            self._said = now
            outcomes.seconds = now - self._start
            self._report(outcomes)
            print(
                f"{now - self._start:6.0f} s {outcomes.n_inputs:10,} inputs, "
                f"{len(outcomes.failures)} failures",
                file=sys.stderr,
                flush=True,
            )


def _print(targets: Sequence[Target], outcomes: Outcomes, seed: int) -> None:
    print(f"{'':12}{'read':>10}{'refused':>10}{'failed':>8}{'slowest s':>11}")
    for target in targets:
        tally = outcomes.tallies[target.name]
        counts = [tally.counts[key] for key in ("read", "refused", "failed")]
        print("{:12}{:10,}{:10,}{:8,}".format(target.name, *counts), end="")
        print(f"{tally.slowest:11.3f}  {target.library}")
    print(
        f"{outcomes.n_inputs:,} inputs of seed {seed} in {outcomes.seconds:.0f} s, at "
        f"most {outcomes.peak_memory / 2**20:.0f} MiB: "
        f"{len(outcomes.failures)} failures"
    )


def _report(
    targets: Sequence[Target], outcomes: Outcomes, seed: int, jobs: int, commit: str
) -> dict[str, object]:
    """Return the figures of a run."""
    libraries = sorted({target.library for target in targets if target.library})
    count = outcomes.n_inputs
    return {
        "command": f"make fuzz SEED={seed} COUNT={count} JOBS={jobs}",
        "commit": commit,
        "seed": seed,
        "inputs": count,
        "seconds": round(outcomes.seconds),
        "processes": jobs,
        "peak_memory_bytes": outcomes.peak_memory,
        "failures": sum(not failure.is_library for failure in outcomes.failures),
        "targets": {
            target.name: {
                "read": outcomes.tallies[target.name].counts["read"],
                "refused": outcomes.tallies[target.name].counts["refused"],
                "failed": outcomes.tallies[target.name].counts["failed"],
                "slowest_seconds": round(outcomes.tallies[target.name].slowest, 3),
                **({"library": target.library} if target.library else {}),
            }
            for target in targets
        },
        "libraries": {name: version(name) for name in libraries},
        "library_failures": [
            _as_json(failure) for failure in outcomes.failures if failure.is_library
        ],
    }


def _as_json(failure: Failure) -> dict[str, object]:
    return {
        "target": failure.target,
        "case": failure.case,
        "outcome": failure.outcome.strip().splitlines()[-1],
    }


if __name__ == "__main__":
    main()
