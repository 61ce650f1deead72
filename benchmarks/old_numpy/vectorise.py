"""Time giotto-tda and TDAvec on diagrams from .npy files; print JSON.

Runs in an environment of its own, without pbow:
``vectorise.py FOLDER SECONDS``.
"""

import json
import sys
import time
from pathlib import Path

import numpy as np
from gtda.diagrams import BettiCurve, PersistenceImage
from tdavec import tdavec_core

N_PIXELS = 20
N_STEPS = 100


def main(folder: Path, seconds: float) -> None:
    """Time every vectorisation in turns and print name, seconds, rounds and note."""
    points = np.load(folder / "points.npy")
    offsets = np.load(folder / "offsets.npy")
    diagrams = np.split(points, offsets[1:-1])
    padded = pad(diagrams)
    # One process each: giotto-tda takes seconds to start others.
    image = PersistenceImage(n_bins=N_PIXELS).fit(padded)
    curve = BettiCurve(n_bins=N_STEPS).fit(padded)
    persistences = points[:, 1] - points[:, 0]
    xs = np.linspace(points[:, 0].min(), points[:, 0].max(), N_PIXELS + 1)
    ys = np.linspace(0.0, persistences.max(), N_PIXELS + 1)
    scale = np.linspace(points[:, 0].min(), points[:, 1].max(), N_STEPS + 1)
    sigma = 0.5 * persistences.max() / N_PIXELS
    # One list entry a dimension; these diagrams are of dimension 1.
    nested = [[np.empty((0, 2)), diagram] for diagram in diagrams]
    image_20, curve_100 = f"{N_PIXELS} x {N_PIXELS}", f"{N_STEPS} steps"
    runs = {
        f"giotto-tda PersistenceImage, {image_20}": lambda: image.transform(padded),
        f"giotto-tda BettiCurve, {curve_100}": lambda: curve.transform(padded),
        f"TDAvec computePersistenceImage, {image_20}": lambda: [
            tdavec_core.computePersistenceImage(d, 1, xs, ys, sigma) for d in nested
        ],
        f"TDAvec computeBettiCurve, {curve_100}": lambda: [
            tdavec_core.computeBettiCurve(d, 1, scale) for d in nested
        ],
    }
    turns = {name: [] for name in runs}
    start = time.perf_counter()
    while len(min(turns.values(), key=len)) < 3 or time.perf_counter() < (
        start + seconds
    ):
        for name, run in runs.items():
            begin = time.perf_counter()
            run()
            turns[name].append(time.perf_counter() - begin)
    print(json.dumps([[n, min(t), len(t), ""] for n, t in turns.items()]))


def pad(diagrams: list[np.ndarray]) -> np.ndarray:
    """Return diagrams as giotto-tda wants them: of one size, padded on the diagonal."""
    most = max(len(d) for d in diagrams)
    padded = np.zeros((len(diagrams), most, 3))
    padded[:, :, 2] = 1.0
    # On the diagonal at a birth that exists, so that the axes do not grow.
    padded[:, :, :2] = min(d[:, 0].min() for d in diagrams if len(d))
    for row, diagram in zip(padded, diagrams):  # noqa: B905
        row[: len(diagram), :2] = diagram
    return padded


if __name__ == "__main__":
    main(Path(sys.argv[1]), float(sys.argv[2]))
