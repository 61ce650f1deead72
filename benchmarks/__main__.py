"""Run the benchmarks: ``python -m benchmarks --help``."""

import argparse
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from benchmarks import (
    bow,
    cold,
    costs,
    elsewhere,
    family,
    gram,
    homology,
    images,
    landmarks,
    landscapes,
    learning,
    memory,
    resolutions,
    sampling,
    scaling,
    small,
    stable,
    statistics,
    streaming,
    wasserstein,
)
from benchmarks.machine import describe_machine
from benchmarks.report import Table, write_report
from benchmarks.settings import ROOT, Settings

__all__ = ["BENCHMARKS", "main"]

BENCHMARKS: dict[str, Callable[[Settings], list[Table]]] = {
    "bow": bow.benchmark,
    "stable": stable.benchmark,
    "resolutions": resolutions.benchmark,
    "family": family.benchmark,
    "kmeans": learning.benchmark_kmeans,
    "mixture": learning.benchmark_mixture,
    "sample": sampling.benchmark_sample,
    "pipeline": sampling.benchmark_pipeline,
    "small": small.benchmark,
    "images": images.benchmark,
    "landscapes": landscapes.benchmark,
    "statistics": statistics.benchmark,
    "gram": gram.benchmark,
    "wasserstein": wasserstein.benchmark,
    "homology": homology.benchmark,
    "elsewhere": elsewhere.benchmark,
    "cold": cold.benchmark,
    "memory": memory.benchmark,
    "scaling": scaling.benchmark,
    "streaming": streaming.benchmark,
    "costs": costs.benchmark,
    "landmarks": landmarks.benchmark,
}

# Too long for a quick run: some start processes, which import and compile, and some
# have peers that take seconds for a few diagrams.
NOT_QUICK = {"elsewhere", "cold", "streaming", "landmarks", "small"}
NOT_QUICK |= {"images", "landscapes", "statistics", "gram", "wasserstein"}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the chosen benchmarks; 1 means that a result differs or a claim fails."""
    options = _parser().parse_args(arguments)
    names = options.only or [
        name for name in BENCHMARKS if not (options.quick and name in NOT_QUICK)
    ]
    settings = _settings(options)
    machine = describe_machine(settings, whole=names == list(BENCHMARKS))
    tables: list[Table] = []
    for name in names:
        start = time.perf_counter()
        tables += BENCHMARKS[name](settings)
        print(f"{name}: {time.perf_counter() - start:.0f} s", file=sys.stderr)
        # After each, so that a run that is stopped leaves what it found.
        path = write_report(settings.output, machine, tables)
    print(path)
    failures = [text for table in tables for text in table.failures]
    print("\n".join(failures), file=sys.stderr, end="\n" if failures else "")
    return 1 if failures else 0


def _settings(options: argparse.Namespace) -> Settings:
    sizes = {"shrink": 25, "seconds": 0.3, "seeds": 5, "repeats": 1}
    settings = Settings(options.threads, **sizes if options.quick else {})
    output = options.output
    if output is None and (options.quick or options.only):
        # Half a run must not replace the committed report of a whole one.
        output = ROOT / ".cache" / "benchmarks" / "report"
    if output is None:
        return settings
    return Settings(**vars(settings) | {"output": output})


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument(
        "--quick",
        action="store_true",
        help="a 25th of the data, fewer rounds, no cold start",
    )
    parser.add_argument(
        "--only", nargs="+", metavar="NAME", choices=BENCHMARKS, help="only these"
    )
    parser.add_argument("--threads", type=int, default=2, help="default: 2")
    parser.add_argument("--output", type=Path, metavar="DIR", help="for the report")
    return parser


if __name__ == "__main__":
    sys.exit(main())
