"""Attack every loop with awkward inputs; print the largest error of each.

    python scripts/attack_loops.py --count 3000 --out docs/testing/oracles.json

The checks are those of tests/compute/test_awkward_inputs.py: diagrams with ties,
duplicates, collinear points, denormal numbers and signed zeros, next to the diagonal
and far from it, at scales from 1e-300 to 1e99, are given to a loop, and its result is
compared with the sentence that defines it, in exact arithmetic. Kinds and scales take
turns. An error is relative to the size that the docstring of the check states; 0 where
the loop only chooses. The exit code is 1 if one exceeds its tolerance, or if a loop
warns. The same seed gives the same cases.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
import warnings
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from importlib.metadata import version
from itertools import islice, product
from pathlib import Path
from typing import Any

import numpy as np

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from tests.compute.awkward import KINDS, SCALES, Case  # noqa: E402
from tests.compute.awkward_checks import CHECKS  # noqa: E402


def attack(check: Any, count: int, seed: int) -> dict[str, Any]:
    """Return what is known of one loop after so many cases."""
    warnings.simplefilter("error")
    start, worst, worst_case = time.perf_counter(), 0.0, None
    turns = product(range(-(-count // (len(KINDS) * len(SCALES)))), KINDS, SCALES)
    for turn, kind, scale in islice(turns, count):
        place = (seed, turn, [*KINDS].index(kind), SCALES.index(scale))
        error = check(Case(kind, scale, np.random.default_rng(place)))
        if error > worst:
            worst, worst_case = error, [kind, scale, turn]
    sentence = check.__doc__.partition("\n")[0]
    return {
        "check": check.__name__,
        "module": sentence.split("``")[1],
        "sentence": sentence.partition(": ")[2],
        "cases": count,
        "tolerance": CHECKS[check],
        "largest_error": worst,
        "worst_case": worst_case,
        "seconds": round(time.perf_counter() - start, 1),
    }


def commit() -> str:
    """Return the commit that the figures belong to."""
    command = ["git", "rev-parse", "--short=12", "HEAD"]
    run = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    return run.stdout.strip()


def main() -> int:
    """Print a row per loop; return 1 if one is wrong."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--count", type=int, default=3000, help="cases of each loop")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", nargs="+", default=[], help="names of checks")
    parser.add_argument("--jobs", type=int, default=1, help="processes")
    parser.add_argument("--out", type=Path, help="a JSON file for the figures")
    options = parser.parse_args()
    head, rows = commit(), []
    checks = [c for c in CHECKS if not options.only or c.__name__ in options.only]
    with ProcessPoolExecutor(options.jobs) as pool:
        one = partial(attack, count=options.count, seed=options.seed)
        for row in pool.map(one, checks):
            rows.append(row)
            line = "{check:22} {cases:8,} {largest_error:9.2e} {seconds:8.1f} s"
            print(line.format(**row), flush=True)
    wrong = [row["check"] for row in rows if row["largest_error"] > row["tolerance"]]
    total = sum(row["cases"] for row in rows)
    print(f"{len(rows)} loops, {total:,} cases; wrong: {wrong}")
    if options.out:
        figures = {
            "command": f"python scripts/attack_loops.py --count {options.count}"
            f" --seed {options.seed}",
            "commit": head,
            "seed": options.seed,
            "n_loops": len(rows),
            "cases": total,
            "kinds": [*KINDS],
            "scales": SCALES,
            "loops": rows,
            "versions": {name: version(name) for name in ("numpy", "numba")},
        }
        options.out.parent.mkdir(parents=True, exist_ok=True)
        options.out.write_text(json.dumps(figures, indent=1) + "\n")
    return int(bool(wrong))


if __name__ == "__main__":
    sys.exit(main())
