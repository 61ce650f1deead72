"""How many numbers a descriptor makes of a diagram, and how many are too many."""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click

__all__ = ["check_parameters", "check_vectors", "count_features"]

# A diagram then takes 80 MB. Who asks for more has mistyped a number.
MOST_FEATURES = 10_000_000
# Parameters whose product is the size of what is made of a part.
SIZES = {
    "pbow": ("n_words",),
    "spbow": ("n_words",),
    "image": ("resolution",),
    "landscape": ("n_levels", "resolution"),
    "riemannian": ("resolution",),
    "swk": ("n_directions",),
}
# Of these, a resolution is that of both axes.
PLANES = ("image", "riemannian")


def check_parameters(name: str, parameters: Mapping[str, Any]) -> None:
    """Raise before the work if parameters ask for more than a machine holds."""
    asked = {size: parameters[size] for size in SIZES.get(name, ())}
    n_numbers = math.prod(map(_count, asked.values()))
    if name in PLANES and not isinstance(asked["resolution"], (tuple, list)):
        n_numbers **= 2
    if n_numbers > MOST_FEATURES:
        given = ", ".join(f"{size}={value!r}" for size, value in asked.items())
        msg = (
            f"{name} with {given} would make {n_numbers:,} numbers of each part of a "
            f"diagram; expected at most {MOST_FEATURES:,}. Ask for less."
        )
        raise click.UsageError(msg)


def count_features(fitted: Any) -> int:
    """Return how many features a fitted descriptor has, without a name for each."""
    if hasattr(fitted, "frames_"):
        resolution = fitted.resolution
        if not isinstance(resolution, (tuple, list)):
            resolution = (resolution, resolution)
        return sum(
            math.prod(resolution if frame.persistences is not None else resolution[:1])
            for frame in fitted.frames_.values()
        )
    if hasattr(fitted, "grids_"):
        return len(fitted.grids_) * int(fitted.n_levels * fitted.resolution)
    # What others have a name for, they store.
    return len(fitted.get_feature_names_out())


def check_vectors(path: Path, fitted: Any) -> None:
    """Raise if the model that was read from `path` makes vectors that are too long."""
    n_features = count_features(fitted)
    if n_features > MOST_FEATURES:
        msg = (
            f"{path} would make {n_features:,} features of a diagram; expected at most "
            f"{MOST_FEATURES:,}. Fit a model with fewer."
        )
        raise ValueError(msg)


def _count(value: Any) -> int:
    """Return the number that a value stands for; 1 if it is none, which fit refuses."""
    if isinstance(value, dict):
        return max(map(_count, value.values()), default=1)
    if isinstance(value, (tuple, list)):
        return math.prod(map(_count, value))
    return max(value, 1) if isinstance(value, int) else 1
