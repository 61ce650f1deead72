"""Transform a few points a million times: memory, open files and threads must not grow.

    python scripts/soak.py --out docs/testing/soak.json

One model per estimator of the tests is fitted once. Calls rotate over the models and
over a few small inputs, given as lists, arrays and Diagrams; every tenth call is that
of a kernel, which takes several times as long. Now and then a model is saved and loaded
again, and all models are called from several threads at once. Every result is compared
with the first one of the same model and input, bit for bit. The exit code is 1 if a
result differs, or if anything has grown after the first tenth. It needs Linux, whose
/proc has the figures.
"""

from __future__ import annotations

import argparse
import gc
import json
import os
import platform
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from importlib.metadata import version
from itertools import cycle, product
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.base import clone

import pbow
from pbow import Diagrams
from pbow.kernels.base import PairwiseKernel

ROOT = Path(__file__).resolve().parents[1]
SEED = 20261118
# Calls between two looks at the process, two saved models and two rounds of threads.
LOOK, SAVE, THREADS = 10_000, 1_000, 5_000
# An allocator keeps some pages more or less. A leak of 20 bytes per call is larger.
MOST_GROWTH = 16 << 20


def make_inputs() -> list[Any]:
    """Return diagrams of a few points in both parts, in every container."""
    rng = np.random.default_rng(SEED)

    def diagram() -> np.ndarray:
        births = rng.uniform(size=rng.integers(1, 8))
        return np.c_[births, births + rng.exponential(0.3, size=len(births))]

    inputs: list[Any] = []
    for n in (1, 2, 3, 1, 4, 2):
        parts = {part: [diagram() for _ in range(n)] for part in ("H0", "H1")}
        inputs.append(parts)
        inputs.append({k: [d.tolist() for d in v] for k, v in parts.items()})
        inputs.append(Diagrams.from_parts(parts))
    return inputs


def bits(features: Any) -> bytes:
    """Return what identifies a result."""
    if isinstance(features, Diagrams):
        return b"".join(features[part].points.tobytes() for part in features.parts)
    return bytes(features.tobytes())


class Caller:
    """The models, their inputs and their first results."""

    def __init__(self, folder: Path) -> None:
        sys.path.insert(0, str(ROOT))
        from tests.estimators import ESTIMATORS  # noqa: PLC0415

        rng = np.random.default_rng(SEED)
        births = rng.uniform(size=(2, 6, 30))
        points = np.stack([births, births + rng.exponential(0.3, births.shape)], axis=3)
        X = Diagrams.from_parts({"H0": list(points[0]), "H1": list(points[1])})
        self.models = [clone(estimator).fit(X) for estimator in ESTIMATORS]
        self.inputs = make_inputs()
        self.folder = folder
        models, inputs = range(len(self.models)), range(len(self.inputs))
        pairs = [
            (int(m), int(i)) for m, i in rng.permutation([*product(models, inputs)])
        ]
        kernels = {i for i in models if isinstance(self.models[i], PairwiseKernel)}
        self.kernels = cycle(pair for pair in pairs if pair[0] in kernels)
        self.others = cycle(pair for pair in pairs if pair[0] not in kernels)
        self.first = {pair: self.result(*pair) for pair in pairs}
        self.wrong = 0
        self.saved = self.rounds = 0

    def result(self, model: int, given: int) -> bytes:
        """Return the bits of one call."""
        return bits(self.models[model].transform(self.inputs[given]))

    def check(self, call: int) -> None:
        """Call once and compare."""
        pair = next(self.others if call % 10 else self.kernels)
        self.wrong += self.result(*pair) != self.first[pair]

    def save(self) -> None:
        """Replace a model by what its file gives back."""
        i = self.saved % len(self.models)
        path = self.folder / f"{i}.pbow"
        pbow.save(self.models[i], path)
        self.models[i] = pbow.load(path)
        self.saved += 1

    def run_threads(self) -> None:
        """Call all models from four threads, which end."""
        pairs = [(i, self.rounds % len(self.inputs)) for i in range(len(self.models))]
        with ThreadPoolExecutor(4) as pool:
            results = list(pool.map(lambda pair: self.result(*pair), pairs * 2))
        self.wrong += sum(
            result != self.first[pair]
            for result, pair in zip(results, pairs * 2, strict=True)
        )
        self.rounds += 1


def look(calls: int, start: float) -> dict[str, float]:
    """Return what the process holds."""
    gc.collect()
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return {
        "calls": calls,
        "seconds": round(time.monotonic() - start, 1),
        "megabytes": round(pages * os.sysconf("SC_PAGE_SIZE") / 2**20, 2),
        "handles": len(os.listdir("/proc/self/fd")),  # noqa: PTH208
        "threads": len(os.listdir("/proc/self/task")),  # noqa: PTH208
        "python_threads": threading.active_count(),
    }


def soak(caller: Caller, n_calls: int) -> Iterator[dict[str, float]]:
    """Call so often, and give what the process holds at times."""
    start = time.monotonic()
    for call in range(n_calls):
        if call % LOOK == 0:
            yield look(call, start)
        if call % SAVE == 0:
            caller.save()
        if call % THREADS == 0:
            caller.run_threads()
        caller.check(call)
    yield look(n_calls, start)


def growth(curve: list[dict[str, float]], name: str) -> float:
    """Return the most that a figure is above its largest value in the first tenth."""
    n = max(2, len(curve) // 10)
    values = [point[name] for point in curve]
    return round(max(values[n:]) - max(values[:n]), 2)


def main() -> int:
    """Print the curve; return 1 if it is not flat."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--calls", type=int, default=1_000_000)
    parser.add_argument("--out", type=Path, help="a JSON file for the figures")
    options = parser.parse_args()
    if options.calls < 4 * LOOK:
        parser.error(f"--calls must be at least {4 * LOOK}: later looks are compared")
    curve = []
    with tempfile.TemporaryDirectory() as folder:
        caller = Caller(Path(folder))
        for point in soak(caller, options.calls):
            curve.append(point)
            print(*(f"{k} {v:,}" for k, v in point.items()), sep=", ", flush=True)
    grown = {name: growth(curve, name) for name in ("megabytes", "handles", "threads")}
    figures = {
        "command": f"python scripts/soak.py --calls {options.calls}",
        "seed": SEED,
        "calls": options.calls,
        "models": len(caller.models),
        "inputs": len(caller.inputs),
        "saved_and_loaded": caller.saved,
        "rounds_of_threads": caller.rounds,
        "different_results": caller.wrong,
        "growth_after_the_first_tenth": grown,
        "curve": curve,
        "versions": {"python": platform.python_version()}
        | {
            name: version(name)
            for name in ("pbow", "numpy", "scipy", "scikit-learn", "numba")
        },
    }
    if options.out:
        options.out.parent.mkdir(parents=True, exist_ok=True)
        options.out.write_text(json.dumps(figures, indent=1) + "\n", encoding="utf-8")
    print(f"grown by {grown}; {caller.wrong} results differ")
    return int(
        caller.wrong > 0
        or grown["megabytes"] > MOST_GROWTH / 2**20
        or grown["handles"] > 0
        or grown["threads"] > 0
    )


if __name__ == "__main__":
    sys.exit(main())
