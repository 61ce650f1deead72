"""Attack the proven Lipschitz constants with a million pairs of diagrams.

    python scripts/attack_constants.py --pairs 1000000

Vectorizers of every kind that has a constant are fitted to random diagrams. Pairs of
small diagrams, drawn at random and then near the worst pairs so far, are transformed;
their Wasserstein distances are solved exactly, as assignment problems. Each row of the
table has the largest change per distance, divided by the constant. The exit code is 1
if one of them exceeds 1.
"""

from __future__ import annotations

import argparse
import sys
from itertools import product
from typing import Any

import numpy as np
from scipy.optimize import linear_sum_assignment

from pbow import StablePersistenceBoW
from pbow.stability.certificate import METRICS, NORMS, lipschitz_constant

BLOCK = 10_000
# Pairs of each setting that later ones are drawn near to.
SURVIVORS = 50
# Rounding moves features by less, relatively to their size.
NOISE = 1e-13
MODELS: dict[str, dict[str, Any]] = {
    "certified()": {},
    "tied, smooth root": {"normalize": "smooth-sqrt", "point_weight": "ramp"},
    "tied, sums": {"normalize": None, "point_weight": "ramp"},
    "tied, squared ramp, sums": {"normalize": None},
    "tied, lipschitz": {"normalize": "lipschitz", "point_weight": "ramp"},
    "peak, sums": {"scale": "peak", "normalize": None, "point_weight": "ramp"},
    "peak, root": {"scale": "peak", "covariance": "full"},
    "density, smooth root": {"scale": "density", "normalize": "smooth-sqrt"},
}
CORNERS = {
    "birth-death": np.array([[1, 0], [-1, 0], [1, -2], [-1, 2]]),
    "birth-persistence": np.array([[1, 1], [-1, -1], [1, -1], [-1, 1]]),
}

Pair = tuple[np.ndarray, np.ndarray]


def draw_pair(rng: np.random.Generator, spread: float) -> Pair:
    """Return two diagrams (birth, persistence) of a few points that are near."""
    n = int(rng.choice([1, 1, 1, 2, 3]))
    B = np.c_[rng.normal(0.5, spread, n), rng.exponential(0.2 * spread + 0.01, n)]
    return B, move(rng, B)


def move(rng: np.random.Generator, B: np.ndarray) -> np.ndarray:
    """Return points with some of them moved, one removed, or one added."""
    step = 10.0 ** rng.uniform(-5, 0)
    corners = CORNERS[METRICS[rng.integers(2)]]
    steps = corners[rng.integers(len(corners), size=len(B))]
    D = B + step * rng.choice([0, 1], (len(B), 1), p=[0.2, 0.8]) * steps
    kind = rng.random()
    if kind < 0.05:
        D = D[1:]
    elif kind < 0.1:
        D = np.concatenate([D, [[rng.normal(0.5, 1.0), step]]])
    D[:, 1] = np.abs(D[:, 1])
    return D


def draw_near(rng: np.random.Generator, pair: Pair) -> Pair:
    """Return a pair that looks like another one."""
    B, _ = pair
    B = B + 10.0 ** rng.uniform(-4, -0.5) * rng.normal(size=B.shape)
    B[:, 1] = np.abs(B[:, 1])
    return B, move(rng, B)


def costs(B: np.ndarray, D: np.ndarray, metric: str) -> np.ndarray:
    """Return the costs of all matches, and of removals."""
    apart = B[:, np.newaxis] - D
    removal = 1.0
    if metric == "birth-death":
        apart[:, :, 1] += apart[:, :, 0]
        removal = 0.5
    table = np.zeros((len(B) + len(D),) * 2)
    table[: len(B), : len(D)] = np.abs(apart).max(axis=2)
    table[: len(B), len(D) :] = removal * B[:, 1:]
    table[len(B) :, : len(D)] = removal * D[:, 1]
    return table


def wasserstein(B: np.ndarray, D: np.ndarray, metric: str, order: int) -> float:
    """Return the distance of two diagrams, an assignment problem, exactly."""
    table = costs(B, D, metric) ** order
    return float(table[linear_sum_assignment(table)].sum() ** (1 / order))


def fit_models(n_words: tuple[int, ...]) -> dict[str, StablePersistenceBoW]:
    """Return the vectorizers, fitted to the same diagrams."""
    rng = np.random.default_rng(0)
    births = rng.uniform(0.0, 1.0, (300, 30))
    X = np.stack([births, births + rng.exponential(0.2, births.shape)], axis=2)
    return {
        name: StablePersistenceBoW.certified(
            n_words, normalize=settings.get("normalize", "sqrt"), random_state=0
        )
        .set_params(**settings)
        .fit(list(X))
        for name, settings in MODELS.items()
    }


def attack(n_pairs: int, n_words: tuple[int, ...], seed: int) -> list[tuple[Any, ...]]:
    """Return rows (model, metric, norm, distance, constant, largest ratio)."""
    rng = np.random.default_rng(seed)
    models = fit_models(n_words)
    rows: dict[tuple[str, str, str, int], list[float]] = {}
    for (name, model), metric, norm in product(models.items(), METRICS, NORMS):
        constant = lipschitz_constant(model, metric=metric, norm=norm)
        if constant is None:
            msg = f"Expected a constant of {name}."
            raise RuntimeError(msg)
        is_length = norm == "euclidean" and model.normalize == "sqrt"
        rows[name, metric, norm, 2 if is_length else 1] = [constant, 0.0]
    worst: dict[Any, list[tuple[float, int, Pair]]] = {key: [] for key in rows}
    for start in range(0, n_pairs, BLOCK):
        size = min(BLOCK, n_pairs - start)
        old = [pair for best in worst.values() for _, _, pair in best]
        pairs = [
            draw_near(rng, old[rng.integers(len(old))])
            if old and rng.random() < 0.7
            else draw_pair(rng, float(rng.choice([0.3, 1.0, 5.0])))
            for _ in range(size)
        ]
        spans = {
            key: np.array([wasserstein(B, D, *key) for B, D in pairs])
            for key in product(METRICS, (1, 2))
        }
        for name, model in models.items():
            first, second = (
                model.transform([np.c_[x[:, 0], x.sum(axis=1)] for x in side])
                for side in zip(*pairs, strict=True)
            )
            apart = np.abs(first - second)
            noise = NOISE * (1.0 + np.maximum(first, second).max(axis=1))
            for key, row in rows.items():
                if key[0] != name:
                    continue
                change = (
                    apart.max(axis=1)
                    if key[2] == "max"
                    else np.linalg.norm(apart, axis=1)
                )
                distance = np.maximum(spans[key[1], key[3]], 1e-300)
                ratios = np.maximum(change - noise, 0.0) / (row[0] * distance)
                row[1] = max(row[1], float(ratios.max()))
                best = [
                    (float(ratios[i]), start + int(i), pairs[i])
                    for i in np.argsort(ratios)[-SURVIVORS:]
                ]
                worst[key] = sorted(worst[key] + best, key=lambda x: x[:2])[-SURVIVORS:]
        print(f"{start + size} pairs", file=sys.stderr)
    return [(*key, *row) for key, row in rows.items()]


def main() -> int:
    """Print the table; return 1 if a constant does not hold."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--pairs", type=int, default=1_000_000)
    parser.add_argument("--words", type=int, nargs="+", default=[10, 30, 100])
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    rows = attack(options.pairs, tuple(options.words), options.seed)
    print(f"{'settings':25} {'metric':18} {'norm':10} W {'constant':>10}  largest")
    for name, metric, norm, order, constant, ratio in rows:
        print(f"{name:25} {metric:18} {norm:10} {order} {constant:10.4g}  {ratio:.4f}")
    return int(max(row[-1] for row in rows) > 1.0)


if __name__ == "__main__":
    sys.exit(main())
