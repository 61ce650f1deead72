"""Attack the proven Lipschitz constants with ten million pairs of diagrams.

    python scripts/attack_constants.py --out docs/testing/certificate.json

Vectorizers of every type that has a constant are fitted to random diagrams. Pairs of
small diagrams, drawn at random and then near the worst pairs so far, are transformed;
their Wasserstein distances are exact, the smallest cost of all permutations. Each row
of the table has the largest change per distance, divided by the constant. The exit code
is 1 if one of them exceeds 1. The same seed gives the same pairs.
"""

from __future__ import annotations

import argparse
import json
import sys
from importlib.metadata import version
from itertools import permutations, product
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pbow import Diagrams, StablePersistenceBoW
from pbow.stability.certificate import METRICS, NORMS, lipschitz_constant

BLOCK = 10_000
# Pairs of each setting that later ones are drawn near to.
SURVIVORS = 50
# Rounding moves features by less, relatively to their size.
NOISE = 1e-13
# Rows of a diagram. Rows without a point have persistence 0: to match one costs as much
# as to remove the other point, so they change no distance.
MOST_POINTS = 4
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

# Diagrams are (n_diagrams, MOST_POINTS, 2) of birth and persistence.
Floats = NDArray[np.float64]
Pairs = tuple[Floats, Floats]


def draw(rng: np.random.Generator, n: int) -> Floats:
    """Return diagrams of one to three points."""
    spread = rng.choice([0.3, 1.0, 5.0], (n, 1))
    births = rng.normal(0.5, spread, (n, MOST_POINTS))
    persistences = rng.exponential(0.2 * spread + 0.01, (n, MOST_POINTS))
    n_points = rng.choice([1, 1, 1, 2, 3], (n, 1))
    persistences[np.arange(MOST_POINTS) >= n_points] = 0.0
    return rounded(np.stack([births, persistences], axis=2))


def draw_near(rng: np.random.Generator, B: Floats) -> Floats:
    """Return diagrams whose points are near those of others."""
    step = 10.0 ** rng.uniform(-4, -0.5, (len(B), 1, 1))
    return rounded(np.where(B[:, :, 1:] > 0, B + step * rng.normal(size=B.shape), B))


def move(rng: np.random.Generator, B: Floats) -> Floats:
    """Return diagrams with some points moved, one removed, or one added."""
    n = len(B)
    step = 10.0 ** rng.uniform(-5, 0, (n, 1, 1))
    corners = np.stack([CORNERS[metric] for metric in METRICS])
    chosen = corners[rng.integers(2, size=(n, 1)), rng.integers(4, size=B.shape[:2])]
    moved = (B[:, :, 1:] > 0) & (rng.random((*B.shape[:2], 1)) < 0.8)
    D = np.where(moved, B + step * chosen, B)
    event = rng.random(n)
    D[event < 0.05, 0, 1] = 0.0
    added = (event >= 0.05) & (event < 0.1)
    D[added, -1, 0] = rng.normal(0.5, 1.0, n)[added]
    D[added, -1, 1] = step[added, 0, 0]
    return rounded(D)


def rounded(B: Floats) -> Floats:
    """Return persistences that are exactly what is left of rounded deaths."""
    births = B[:, :, 0]
    deaths = births + np.abs(B[:, :, 1])
    return np.stack([births, deaths - births], axis=2)


def costs(B: Floats, D: Floats, metric: str) -> tuple[Floats, Floats, Floats]:
    """Return what it costs to match all points, and to remove them."""
    apart = B[:, :, np.newaxis] - D[:, np.newaxis]
    removal = 1.0
    if metric == "birth-death":
        apart[..., 1] += apart[..., 0]
        removal = 0.5
    return np.abs(apart).max(axis=3), removal * B[:, :, 1], removal * D[:, :, 1]


def wasserstein(B: Floats, D: Floats, metric: str, order: int) -> Floats:
    """Return the exact distances of pairs of diagrams with as many rows.

    As many points of one as of the other are removed, so they can be paired up: a pair
    of points costs their match or both removals, whichever is less.
    """
    match, first, second = (c**order for c in costs(B, D, metric))
    table = np.minimum(match, first[:, :, np.newaxis] + second[:, np.newaxis])
    rows = np.arange(table.shape[1])
    totals = [table[:, rows, list(p)].sum(axis=1) for p in permutations(rows)]
    least: Floats = np.minimum.reduce(totals) ** (1 / order)
    return least


def as_diagrams(B: Floats) -> Diagrams:
    """Return the points of positive persistence, by birth and death."""
    there = B[:, :, 1] > 0
    points = np.stack([B[:, :, 0], B.sum(axis=2)], axis=2)[there]
    return Diagrams(points, np.append(0, np.cumsum(there.sum(axis=1))))


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


def attack(n_pairs: int, n_words: tuple[int, ...], seed: int) -> list[dict[str, Any]]:
    """Return a row per setting: its constant, and the largest ratio to it."""
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
    none = np.empty((0, MOST_POINTS, 2))
    # The ratio, and the first diagram, of the worst pairs of each setting.
    worst = {key: (np.empty(0), none) for key in rows}
    for start in range(0, n_pairs, BLOCK):
        size = min(BLOCK, n_pairs - start)
        B = draw(rng, size)
        old = np.concatenate([diagrams for _, diagrams in worst.values()])
        if len(old):
            near = rng.random(size) < 0.7
            chosen = old[rng.integers(len(old), size=near.sum())]
            B[near] = draw_near(rng, chosen)
        D = move(rng, B)
        spans = {key: wasserstein(B, D, *key) for key in product(METRICS, (1, 2))}
        X = Diagrams.concatenate([as_diagrams(B), as_diagrams(D)])
        for name, model in models.items():
            features = model.transform(X)
            first, second = features[:size], features[size:]
            noise = NOISE * (1.0 + np.maximum(first.max(axis=1), second.max(axis=1)))
            apart = first - second
            changes = {
                "max": np.maximum(apart.max(axis=1), -apart.min(axis=1)),
                "euclidean": np.sqrt(np.einsum("ij,ij->i", apart, apart)),
            }
            for key, row in rows.items():
                if key[0] != name:
                    continue
                distance = np.maximum(spans[key[1], key[3]], 1e-300)
                change = np.maximum(changes[key[2]] - noise, 0.0)
                ratios = change / (row[0] * distance)
                row[1] = max(row[1], float(ratios.max()))
                best = np.argpartition(ratios, -min(SURVIVORS, size))[-SURVIVORS:]
                values = np.append(worst[key][0], ratios[best])
                diagrams = np.concatenate([worst[key][1], B[best]])
                kept = np.argsort(values, kind="stable")[-SURVIVORS:]
                worst[key] = values[kept], diagrams[kept]
        if not (start // BLOCK) % 100:
            largest = max(row[1] for row in rows.values())
            print(f"{start + size:,} pairs: {largest:.4f}", file=sys.stderr, flush=True)
    names = ("settings", "metric", "norm", "order", "constant", "largest_ratio")
    return [dict(zip(names, (*key, *row), strict=True)) for key, row in rows.items()]


def main() -> int:
    """Print the table; return 1 if a constant does not hold."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--pairs", type=int, default=10_000_000)
    parser.add_argument("--words", type=int, nargs="+", default=[10, 30, 100])
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", type=Path, help="a JSON file for the figures")
    options = parser.parse_args()
    rows = attack(options.pairs, tuple(options.words), options.seed)
    print(f"{'settings':25} {'metric':18} {'norm':10} W {'constant':>10}  largest")
    for row in rows:
        print(
            f"{row['settings']:25} {row['metric']:18} {row['norm']:10} {row['order']} "
            f"{row['constant']:10.4g}  {row['largest_ratio']:.4f}"
        )
    largest = max(row["largest_ratio"] for row in rows)
    print(f"{options.pairs:,} pairs of seed {options.seed}: at most {largest:.6f}")
    if options.out:
        figures = {
            "pairs": options.pairs,
            "seed": options.seed,
            "words": options.words,
            "largest_ratio": largest,
            "settings": rows,
            "versions": {name: version(name) for name in ("pbow", "numpy", "numba")},
        }
        options.out.parent.mkdir(parents=True, exist_ok=True)
        options.out.write_text(json.dumps(figures, indent=1) + "\n")
    return int(largest > 1.0)


if __name__ == "__main__":
    sys.exit(main())
