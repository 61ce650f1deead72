"""Run the tests with several versions of Python and of the packages pbow depends on.

    python scripts/check_versions.py [3.11-oldest 3.13-newest ...] [--no-run]
                                     [--out docs/testing/versions.json]

"oldest" are the versions of constraints-oldest.txt, "pinned" those of constraints.txt,
and "newest" the latest releases. Each combination has an environment in
.cache/versions, made by pip, where the results of its last run stay. The JSON file is
made of all results that are there; --no-run makes only that. All seven combinations
take hours.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import xml.etree.ElementTree as ET
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
FOLDER = ROOT / ".cache" / "versions"
CONSTRAINTS = {
    "oldest": ["--constraint", "constraints-oldest.txt"],
    "pinned": ["--constraint", "constraints.txt"],
    "newest": ["--upgrade", "--upgrade-strategy", "eager"],
}
COMBINATIONS = [
    "3.11-oldest",
    *(f"{p}-{c}" for p in ("3.11", "3.12", "3.13") for c in ("pinned", "newest")),
]
PACKAGES = ("numpy", "scipy", "scikit-learn", "numba", "pyarrow", "gudhi")
# The test that runs scikit-learn's checks of estimators.
CHECKS = "test_scikit_learn_checks"
ONE_THREAD = dict.fromkeys(
    ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1"
)
DETAILS = """
import json, platform, sys
from importlib.metadata import version
names = {"python": platform.python_version()}
print(json.dumps(names | {name: version(name) for name in sys.argv[1:]}))
"""


def find_python(wanted: str) -> str:
    """Return an interpreter of a version: on the path, or one of pyenv's."""
    name = f"python{wanted}"
    places = [shutil.which(name)]
    if shutil.which("pyenv"):
        root = subprocess.run(
            ["pyenv", "root"], check=True, capture_output=True, text=True
        ).stdout.strip()
        found = sorted(Path(root, "versions").glob(f"{wanted}.*/bin/{name}"))
        places += map(str, found[::-1])
    for place in filter(None, places):
        if not subprocess.run([place, "-c", ""], check=False).returncode:
            return place
    sys.exit(f"There is no {name}. Install it, or leave out its combinations.")


def run(name: str) -> None:
    """Make the environment of a combination, and run the tests there."""
    wanted, constraints = name.split("-")
    folder = FOLDER / name
    python = folder / "bin" / "python"
    results = folder / "results.xml"
    if not python.exists():
        subprocess.run(
            [find_python(wanted), "-m", "venv", "--clear", folder], check=True
        )
    results.unlink(missing_ok=True)
    pip = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    given = [*CONSTRAINTS[constraints], "--editable", ".[test]"]
    subprocess.run([*pip, *given], check=True, cwd=ROOT)
    # Each worker has a cache of its own: the Makefile says why.
    caches = [folder / "numba", *(folder / f"numba-{i}" for i in (1, 2))]
    for cache in caches:
        shutil.rmtree(cache, ignore_errors=True)
    environment = os.environ | ONE_THREAD | {"PYTHONHASHSEED": "0"}
    environment["NUMBA_CACHE_DIR"] = str(caches[0])
    subprocess.run(
        [folder / "bin" / "pbow", "warm-up"], check=True, env=environment, cwd=ROOT
    )
    workers = []
    for cache in caches[1:]:
        shutil.copytree(caches[0], cache)
        workers += ["--tx", f"popen//env:NUMBA_CACHE_DIR={cache}"]
    tests = [python, "-m", "pytest", "-rs", "-p", "no:cacheprovider", *workers]
    tests += ["--dist", "loadfile", "-m", "not long and not browser"]
    tests += [f"--junitxml={results}", "-o", f"junit_suite_name={commit()}"]
    subprocess.run(tests, check=False, env=environment, cwd=ROOT)


def commit() -> str:
    """Return the commit of the code."""
    command = ["git", "describe", "--always", "--dirty", "--exclude", "*"]
    return subprocess.run(
        command, check=True, capture_output=True, text=True, cwd=ROOT
    ).stdout.strip()


def row_of(name: str) -> dict[str, Any] | None:
    """Return the versions of a combination and the results of its last run."""
    folder = FOLDER / name
    results = folder / "results.xml"
    if not results.exists():
        return None
    suite = next(ET.parse(results).getroot().iter("testsuite"))
    cases = list(suite.iter("testcase"))
    checks = [c for c in cases if c.get("name", "").startswith(CHECKS) and not len(c)]
    failed = [
        f"{case.get('classname')}::{case.get('name')}"
        for case in cases
        if case.find("failure") is not None or case.find("error") is not None
    ]
    skipped = int(suite.get("skipped", 0))
    details = subprocess.run(
        [folder / "bin" / "python", "-c", DETAILS, *PACKAGES],
        check=True,
        capture_output=True,
        text=True,
    ).stdout
    return {
        "name": name,
        "commit": suite.get("name"),
        "versions": json.loads(details),
        "passed": int(suite.get("tests", 0)) - len(failed) - skipped,
        "failed": len(failed),
        "skipped": skipped,
        "scikit_learn_checks": len(checks),
        "failures": failed,
        "minutes": round(float(suite.get("time", 0)) / 60, 1),
    }


def main() -> int:
    """Run the combinations; return 1 if a test fails in one of them."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("names", nargs="*", metavar="NAME", default=COMBINATIONS)
    parser.add_argument("--no-run", action="store_true")
    parser.add_argument("--out", type=Path, help="a JSON file for the figures")
    options = parser.parse_args()
    unknown = {*options.names} - {*COMBINATIONS}
    if unknown:
        parser.error(f"{min(unknown)} is none of {', '.join(COMBINATIONS)}")
    for name in [] if options.no_run else options.names:
        print(f"{name}: its results will be in {FOLDER / name}", flush=True)
        run(name)
    rows = [row for row in map(row_of, COMBINATIONS) if row is not None]
    for row in rows:
        print(*(f"{key} {row[key]}" for key in ("name", "passed", "failed", "skipped")))
        print(*row["failures"], sep="\n", end="\n" if row["failures"] else "")
    if options.out:
        figures = {"command": "make versions", "combinations": rows}
        options.out.parent.mkdir(parents=True, exist_ok=True)
        options.out.write_text(json.dumps(figures, indent=1) + "\n", encoding="utf-8")
    return int(any(row["failed"] for row in rows))


if __name__ == "__main__":
    sys.exit(main())
