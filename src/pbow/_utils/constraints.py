"""What a parameter may be, declared as a table on the class that has it.

scikit-learn's own table of this kind is private, and its errors do not carry the
parameter that they speak of, which the command line needs.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

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
    "Satisfying",
    "check_parameter",
]


class Constraint(Protocol):
    """What a parameter may be."""

    @property
    def expected(self) -> str:
        """What is accepted, as it stands after "must be"."""

    def accepts(self, value: Any) -> bool:
        """Whether a value is accepted."""


@dataclass(frozen=True)
class Integer:
    """An int in a range, or None if `optional`."""

    minimum: int
    maximum: int | None = None
    optional: bool = False

    @property
    def expected(self) -> str:
        """What is accepted."""
        most = "" if self.maximum is None else f" and <= {self.maximum}"
        return f"an int >= {self.minimum}{most}{' or None' if self.optional else ''}"

    def accepts(self, value: Any) -> bool:
        """Whether a value is accepted."""
        if value is None:
            return self.optional
        return is_integer(value, self.minimum) and (
            self.maximum is None or value <= self.maximum
        )


@dataclass(frozen=True)
class Number:
    """A finite number in a range, or None if `optional`."""

    minimum: float = -math.inf
    maximum: float = math.inf
    above: float = -math.inf
    optional: bool = False

    @property
    def expected(self) -> str:
        """What is accepted."""
        limits = [
            f"{sign} {limit:g}"
            for sign, limit in (
                (">", self.above),
                (">=", self.minimum),
                ("<=", self.maximum),
            )
            if math.isfinite(limit)
        ]
        number = f"a number {' and '.join(limits)}" if limits else "a finite number"
        return f"{number}{' or None' if self.optional else ''}"

    def accepts(self, value: Any) -> bool:
        """Whether a value is accepted."""
        if value is None:
            return self.optional
        return (
            is_finite_number(value)
            and self.minimum <= value <= self.maximum
            and value > self.above
        )


@dataclass(frozen=True, init=False)
class OneOf:
    """One of some strings, or None if it is among them."""

    options: tuple[str | None, ...]

    def __init__(self, *options: str | None) -> None:
        object.__setattr__(self, "options", options)

    @property
    def expected(self) -> str:
        """What is accepted."""
        return f"one of {', '.join(sorted(map(repr, self.options)))}"

    def accepts(self, value: Any) -> bool:
        """Whether a value is accepted."""
        # An array or a list as the value has no hash and no truth.
        return (value is None or isinstance(value, str)) and value in self.options


@dataclass(frozen=True)
class Satisfying:
    """Whatever a function says is sound."""

    accept: Callable[[Any], bool]
    expected: str

    def accepts(self, value: Any) -> bool:
        """Whether a value is accepted."""
        return self.accept(value)


@dataclass(frozen=True)
class PerPart:
    """A value for all parts, or a dict with one for each part."""

    each: Constraint

    @property
    def expected(self) -> str:
        """What is accepted."""
        return f"{self.each.expected}, or a dict of such by part"

    def accepts(self, value: Any) -> bool:
        """Whether a value, or each value of a dict, is accepted."""
        values = value.values() if isinstance(value, Mapping) else [value]
        return all(map(self.each.accepts, values))


# A grid of parameters made of an array has numpy's booleans.
Boolean = Satisfying(lambda value: isinstance(value, (bool, np.bool_)), "True or False")
Jobs = Satisfying(
    lambda value: value is None or (is_integer(value, -(2**31)) and value != 0),
    "an int other than 0, or None",
)
Quantiles = Satisfying(
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
    value = getattr(estimator, name)
    if not constraint.accepts(value):
        raise ParameterError(name, constraint.expected, value, type(estimator).__name__)
