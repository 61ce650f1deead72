"""The diagrams that everything is measured on: flat, seeded, finite."""

import os
from functools import lru_cache
from pathlib import Path

import numpy as np

from benchmarks.settings import Settings
from pbow import Diagrams

__all__ = ["describe", "many_small", "one_read", "workload"]

AUTHORS_FILE = "synthetic_pcodebooks_gauss_0_1_h1.npz"
# The paper has six classes; the authors' file has one more.
RANDOM_CLOUD_2D = 6
SEED = 20190810


# Two, so that a benchmark that takes turns keeps both; more would fill the memory.
@lru_cache(maxsize=2)
def workload(name: str, settings: Settings) -> Diagrams:
    """Return workload W1, W2 or W3; the two large ones shrink with the settings."""
    if name == "W1":
        return authors_shapes() or few_small()
    if name == "W2":
        return rough_surfaces(max(1, 15_600 // settings.shrink))
    return many_small(max(1, 1_000_000 // settings.shrink))


def authors_shapes() -> Diagrams | None:
    """Return the paper's synthetic H1 diagrams, where PBOW_DATA says they are."""
    folder = os.environ.get("PBOW_DATA")
    if not folder or not (Path(folder) / AUTHORS_FILE).is_file():
        return None
    with np.load(Path(folder) / AUTHORS_FILE, allow_pickle=False) as data:
        X = Diagrams(data["points"], data["offsets"], name="H1")
        return X[data["labels"] != RANDOM_CLOUD_2D].finite()


def few_small() -> Diagrams:
    """Return 300 diagrams of about 50 points, as a stand-in for the authors'."""
    rng = np.random.default_rng(SEED)
    sizes = rng.poisson(50, size=300)
    births = rng.gamma(4.0, 0.03, size=sizes.sum())
    return _diagrams(births, rng.gamma(1.5, 0.02, size=len(births)), sizes)


def rough_surfaces(n_diagrams: int) -> Diagrams:
    """Return diagrams of about 600 points, most of them near the diagonal.

    So are those of depth maps: noise makes many short bars, relief a few long ones.
    """
    rng = np.random.default_rng(SEED)
    sizes = rng.poisson(600, size=n_diagrams)
    births = rng.normal(size=sizes.sum())
    persistences = rng.exponential(0.05, size=len(births))
    persistences *= np.where(rng.uniform(size=len(births)) < 0.05, 10.0, 1.0)
    return _diagrams(births, persistences, sizes)


def many_small(n_diagrams: int, n_points: int = 20) -> Diagrams:
    """Return diagrams of so few points that what a diagram costs shows."""
    rng = np.random.default_rng(SEED)
    births = rng.uniform(size=n_diagrams * n_points)
    persistences = rng.exponential(0.3, size=len(births))
    return _diagrams(births, persistences, np.full(n_diagrams, n_points))


def one_read(X: Diagrams) -> np.ndarray:
    """Return all points as one array of 64-bit words."""
    return X.points.view(np.int64).ravel()


def describe(name: str, X: Diagrams) -> str:
    """Name a workload with its true size."""
    return f"{name}: {len(X):,} diagrams, {len(X.points):,} points"


def _diagrams(
    births: np.ndarray, persistences: np.ndarray, sizes: np.ndarray
) -> Diagrams:
    offsets = np.concatenate(([0], np.cumsum(sizes)))
    return Diagrams(
        np.column_stack((births, births + persistences)), offsets, name="H1"
    )
