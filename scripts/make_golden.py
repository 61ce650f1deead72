"""Make the golden files: models and diagrams that every later pbow must load.

    python scripts/make_golden.py

A model is ``tests/golden/<class>-<number>.pbow``. Its features of
``tests/golden/diagrams.pbow`` have the same name and end in ``.npy``, or in
``.out.pbow`` where they are diagrams. Files that are there are never overwritten: they
are what an earlier version wrote. For a new estimator, add it to `tests/estimators.py`
and run this.
"""

import json
import platform
import sys
from collections import Counter
from importlib.metadata import version
from pathlib import Path

import numpy as np
from sklearn.base import clone

import pbow
from pbow import Diagrams
from pbow.io import read_native, write_native

ROOT = Path(__file__).resolve().parents[1]
FOLDER = ROOT / "tests" / "golden"
FIGURES = ROOT / "docs" / "testing" / "golden.json"
SEED = 20261118


def make_diagrams() -> Diagrams:
    """Return twelve diagrams: empty, with repeated points, with essential classes."""
    rng = np.random.default_rng(SEED)
    first, second = [], []
    for n_points in (0, 1, 2, 3, 5, 8, 8, 9, 10, 11, 12, 12):
        births = rng.uniform(size=n_points)
        points = np.c_[births, births + rng.exponential(0.3, size=n_points)]
        first.append(np.concatenate((points, [[n_points % 3, np.inf]])))
        second.append(np.concatenate((points[::-1], points[:1])))
    return Diagrams.from_parts({"H0": first, "H1": second})


def make_model(estimator: pbow.estimator.DiagramEstimator, stem: Path) -> bool:
    """Save a fitted estimator and its features unless they are there."""
    model = stem.with_suffix(".pbow")
    if model.exists():
        return False
    X = read_native(FOLDER / "diagrams.pbow")
    estimator = clone(estimator)
    # Diagrams with essential classes, wherever an estimator can encode them.
    if estimator.get_params().get("essential", "") is None:
        estimator.set_params(essential="separate")
    features = estimator.fit(X).transform(X)
    pbow.save(estimator, model)
    if isinstance(features, Diagrams):
        write_native(features, stem.with_suffix(".out.pbow"))
    else:
        np.save(stem.with_suffix(".npy"), features)
    return True


def main() -> None:
    """Make the files that are missing, and their figures."""
    sys.path.insert(0, str(ROOT))
    from tests.estimators import ESTIMATORS  # noqa: PLC0415

    FOLDER.mkdir(exist_ok=True)
    diagrams = FOLDER / "diagrams.pbow"
    if not diagrams.exists():
        write_native(make_diagrams(), diagrams)
    numbers: Counter[str] = Counter()
    made = 0
    for estimator in ESTIMATORS:
        name = type(estimator).__name__
        numbers[name] += 1
        made += make_model(estimator, FOLDER / f"{name}-{numbers[name]}")
    print(f"{made} models made, {numbers.total() - made} left as they were")
    if made:
        record(numbers)


def record(numbers: Counter[str]) -> None:
    """Write how many files there are, and with which versions new ones were made."""
    figures = {
        "command": "python scripts/make_golden.py",
        "seed": SEED,
        "classes": len(numbers),
        "models": numbers.total(),
        "bytes": sum(file.stat().st_size for file in FOLDER.iterdir()),
        "tolerance": 1e-12,
        "versions": {"python": platform.python_version()}
        | {name: version(name) for name in ("numpy", "scipy", "scikit-learn", "numba")},
    }
    FIGURES.parent.mkdir(exist_ok=True)
    FIGURES.write_text(json.dumps(figures, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
