"""Write docs/testing/coverage.json: which part of the lines and branches tests run.

    make coverage

The loops of compute/ are measured with Numba switched off, as Python runs them, by the
tests that take no more than seconds so; the rest is measured with compiled loops. Both
measurements count for one figure.
"""

from __future__ import annotations

import json
import platform
import subprocess
import sys
from collections import Counter
from importlib.metadata import version
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
REPORT = ROOT / "docs" / "testing" / "coverage.json"
COUNTS = ("num_statements", "covered_lines", "num_branches", "covered_branches")


def package_of(file: str) -> str:
    """Return the subpackage that a file is in, or its own name.

    >>> package_of("src/pbow/io/native.py"), package_of("src/pbow/diagrams.py")
    ('io', 'diagrams')
    """
    return Path(file).with_suffix("").parts[2]


def percent(counts: dict[str, int]) -> float:
    """Return the part of lines and branches that are run, taken together.

    >>> percent({"num_statements": 6, "covered_lines": 5,
    ...          "num_branches": 2, "covered_branches": 1})
    75.0
    """
    there = counts["num_statements"] + counts["num_branches"]
    run = counts["covered_lines"] + counts["covered_branches"]
    return round(100 * run / there, 2) if there else 100.0


def figures(measured: dict[str, Any]) -> dict[str, Any]:
    """Return counts by package and in all, of what ``coverage json`` writes."""
    packages: dict[str, Counter[str]] = {}
    for file, found in sorted(measured["files"].items()):
        counts = {name: found["summary"][name] for name in COUNTS}
        packages.setdefault(package_of(file), Counter()).update(counts)
    total = sum(packages.values(), Counter())
    return {
        "command": "make coverage",
        "percent": percent(total),
        "lines": total["num_statements"],
        "lines_run": total["covered_lines"],
        "branches": total["num_branches"],
        "branches_run": total["covered_branches"],
        "packages": {name: percent(counts) for name, counts in packages.items()},
    }


def main() -> None:
    """Combine the measurements and write their figures."""
    traces = sorted(str(p) for p in (ROOT / ".cache/mutants/traces").glob("*.coverage"))
    data = [str(path) for path in sorted(ROOT.glob(".coverage.*"))]
    run = [sys.executable, "-m", "coverage"]
    subprocess.run([*run, "combine", "--keep", *traces, *data], cwd=ROOT, check=True)
    target = ROOT / ".cache" / "coverage.json"
    subprocess.run([*run, "json", "-q", "-o", str(target)], cwd=ROOT, check=True)
    git = ["git", "rev-parse", "--short", "HEAD"]
    found = figures(json.loads(target.read_text("utf-8")))
    found["commit"] = subprocess.check_output(git, cwd=ROOT, text=True).strip()
    found["versions"] = {
        "python": platform.python_version(),
        **{name: version(name) for name in ("coverage", "numba", "pytest")},
    }
    REPORT.write_text(json.dumps(found, indent=2) + "\n", "utf-8")
    print(f"{found['percent']} % of lines and branches")


if __name__ == "__main__":
    main()
