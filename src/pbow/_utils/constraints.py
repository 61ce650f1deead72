"""What a parameter may be, declared as a table on the class that has it.

scikit-learn's own table of this kind is private, and its errors do not carry the
parameter that they speak of, which the command line needs.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from pbow._utils.checks import is_finite_number, is_integer
from pbow.errors import ParameterError

__all__ = [
    "Boolean",
    "Constraint",
    "Integer",
    "Jobs",
    "Number",
    "OneOf",
    "PerPart",
    "Quantiles",
    "check_parameter",
]


# More threads than this are a mistyped number.
MOST_THREADS = 4096


@dataclass(frozen=True)
class Constraint:
    """What a parameter may be: a function that accepts a value, and what it expects.

    `expected` is as it stands after "must be"; of one that is `optional`, without None.
    """

    accepts: Callable[[Any], bool]
    expected: str
    optional: bool = False


class Integer(Constraint):
    """An int in a range, or None if `optional`."""

    def __init__(
        self, minimum: int, maximum: int | None = None, *, optional: bool = False
    ) -> None:
        def accepts(value: Any) -> bool:
            if value is None:
                return optional
            return is_integer(value, minimum) and (maximum is None or value <= maximum)

        most = "" if maximum is None else f" and <= {maximum}"
        super().__init__(accepts, f"an int >= {minimum}{most}", optional)


class Number(Constraint):
    """A finite number in a range, or None if `optional`."""

    def __init__(
        self,
        minimum: float = -math.inf,
        maximum: float = math.inf,
        *,
        above: float = -math.inf,
        optional: bool = False,
    ) -> None:
        def accepts(value: Any) -> bool:
            if value is None:
                return optional
            if not is_finite_number(value):
                return False
            number = float(value)  # a limit may overflow in numpy's narrow types
            return minimum <= number <= maximum and number > above

        signs = ((">", above), (">=", minimum), ("<=", maximum))
        limits = [f"{sign} {limit:g}" for sign, limit in signs if math.isfinite(limit)]
        number = f"a number {' and '.join(limits)}" if limits else "a finite number"
        super().__init__(accepts, number, optional)


class OneOf(Constraint):
    """One of some strings, or None if it is among them."""

    options: tuple[str | None, ...]

    def __init__(self, *options: str | None) -> None:
        # An array or a list as the value has no hash and no truth.
        super().__init__(
            lambda value: (
                (value is None or isinstance(value, str)) and value in options
            ),
            f"one of {', '.join(sorted(map(repr, options)))}",
        )
        object.__setattr__(self, "options", options)


class PerPart(Constraint):
    """A value for all parts, or a dict with one for each part."""

    def __init__(self, each: Constraint) -> None:
        super().__init__(
            lambda value: all(
                map(each.accepts, value.values())
                if isinstance(value, Mapping)
                else [each.accepts(value)]
            ),
            f"{each.expected}, or a dict of such by part",
            each.optional,
        )


# A grid of parameters made of an array has numpy's booleans.
Boolean = Constraint(lambda value: isinstance(value, (bool, np.bool_)), "True or False")
Jobs = Constraint(
    lambda value: (
        value is None
        or (is_integer(value, -MOST_THREADS) and value != 0 and value <= MOST_THREADS)
    ),
    "an int other than 0, or None",
)
Quantiles = Constraint(
    lambda value: (
        isinstance(value, (tuple, list))
        and len(value) == 2
        and all(map(is_finite_number, value))
        and 0.0 <= value[0] < value[1] <= 1.0
    ),
    "a pair of numbers 0 <= low < high <= 1",
)


def check_parameter(estimator: Any, name: str, constraint: Constraint) -> None:
    """Raise a ParameterError unless a parameter is what its constraint says."""
    if not hasattr(estimator, name):
        msg = f"Expected __init__ of {type(estimator).__name__} to set {name!r}."
        raise TypeError(msg)
    value = getattr(estimator, name)
    if not constraint.accepts(value):
        raise ParameterError(
            name,
            constraint.expected,
            value,
            type(estimator).__name__,
            optional=constraint.optional,
        )
