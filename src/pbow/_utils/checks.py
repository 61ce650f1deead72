"""Checks of single values."""

from __future__ import annotations

import math
from collections.abc import Collection
from numbers import Integral, Real
from typing import Any

from pbow.errors import ParameterError

__all__ = ["check_option", "is_finite_number", "is_integer"]


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


def check_option(name: str, value: Any, choices: Collection[Any]) -> None:
    """Raise unless the argument of a function is one of `choices`."""
    # An array or a list as the value has no hash and no truth.
    if not isinstance(value, (str, int, type(None))) or value not in choices:
        listed = ", ".join(sorted(map(repr, choices)))
        raise ParameterError(name, f"one of {listed}", value)
