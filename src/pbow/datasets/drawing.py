"""Random choices that are the same on every machine, whatever its versions.

A draw is a function of a seed, a purpose and a place, in whole numbers throughout:
neither the order of work nor numpy's generators, which may change, have a part in it.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from pbow._utils.checks import is_integer
from pbow.compute.random import fill_bits, stream_of
from pbow.errors import ParameterError

__all__ = [
    "FOR_MESHES",
    "FOR_PATCHES",
    "FOR_SAMPLES",
    "FOR_SPLITS",
    "FOR_SUBSAMPLES",
    "FOR_VERTICES",
    "check_seed",
    "draw_order",
    "draw_per_class",
]

Ints = NDArray[np.int64]

# What a stream of random numbers is for; every purpose has its own. Those that count
# up, by repetition or by mesh, stand a million apart.
FOR_SAMPLES = 2_000_000
FOR_SUBSAMPLES = 2_000_001
FOR_PATCHES = 2_000_002
FOR_MESHES = 2_000_003
FOR_SPLITS = 3_000_000
FOR_VERTICES = 4_000_000

LARGEST_SEED = 2**32 - 1  # numpy's generators take no larger one


def draw_order(n: int, seed: int, purpose: int) -> Ints:
    """Return the numbers 0 to n - 1 in random order."""
    keys = np.empty(n, np.uint64)
    fill_bits(stream_of(int(seed), purpose), keys)
    return np.argsort(keys, kind="stable").astype(np.int64)


def check_seed(seed: Any) -> None:
    """Raise unless a seed is a whole number of at most 32 bits."""
    if not is_integer(seed, 0) or int(seed) > LARGEST_SEED:
        raise ParameterError("seed", "an int from 0 to 2**32 - 1", seed)


def draw_per_class(
    labels: Ints, n_classes: int, n_per_class: int, *, seed: int, purpose: int
) -> Ints:
    """Return rows, in order, with `n_per_class` of each label, drawn at random.

    A label with fewer samples, or none, is an error; labels are 0 to n_classes - 1.
    """
    counts = np.bincount(labels, minlength=n_classes)
    if len(counts) and counts.min() < n_per_class:
        label = int(np.argmin(counts))
        msg = (
            f"Expected at least {n_per_class} samples per label; label {label} has "
            f"{counts[label]}. Take at most as many."
        )
        raise ValueError(msg)
    order = draw_order(len(labels), seed, purpose)
    drawn = [order[labels[order] == label][:n_per_class] for label in range(n_classes)]
    return np.sort(np.concatenate([np.empty(0, np.int64), *drawn]))
