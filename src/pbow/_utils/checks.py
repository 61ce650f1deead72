"""Checks of single values."""

from __future__ import annotations

import math
from collections.abc import Collection
from numbers import Integral, Real
from typing import Any

import numpy as np

from pbow.errors import ParameterError

__all__ = [
    "LARGEST_DIMENSION",
    "check_dims",
    "check_option",
    "is_dimension",
    "is_finite_number",
    "is_integer",
]

# A part costs memory for every sample; garbage read as dimensions would make a million.
LARGEST_DIMENSION = 999


def is_integer(value: Any, minimum: int) -> bool:
    """Whether `value` is an integer, not a bool, of at least `minimum`."""
    return (
        isinstance(value, Integral)
        and not isinstance(value, bool)
        and int(value) >= minimum
    )


def is_finite_number(value: Any) -> bool:
    """Whether `value` is a real number, not a bool, and finite."""
    if not isinstance(value, Real) or isinstance(value, bool):
        return False
    try:
        return math.isfinite(float(value))
    except OverflowError:  # an int beyond every float
        return False


def is_dimension(value: Any) -> bool:
    """Whether `value` is an int that a homology dimension may be."""
    return is_integer(value, 0) and value <= LARGEST_DIMENSION


def check_dims(dims: Any) -> list[int]:
    """Return one or more homology dimensions as a list."""
    wanted = list(dims) if np.iterable(dims) else [dims]
    are_dimensions = bool(wanted) and all(map(is_dimension, wanted))
    if not are_dimensions or len(set(wanted)) < len(wanted):
        expected = f"one or more different ints >= 0 and <= {LARGEST_DIMENSION}"
        raise ParameterError("dims", f"{expected}, as in (0, 1)", dims)
    return [int(dim) for dim in wanted]


def check_option(name: str, value: Any, choices: Collection[Any]) -> None:
    """Raise unless the argument of a function is one of `choices`."""
    # An array or a list as the value has no hash and no truth.
    if not isinstance(value, (str, int, type(None))) or value not in choices:
        listed = ", ".join(sorted(map(repr, choices)))
        raise ParameterError(name, f"one of {listed}", value)
