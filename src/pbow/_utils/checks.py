"""Parameter checks, worded like scikit-learn's."""

from __future__ import annotations

import math
from collections.abc import Collection
from numbers import Integral, Real
from typing import Any, NoReturn

import numpy as np

__all__ = [
    "check_choice",
    "check_flag",
    "check_integer",
    "check_n_jobs",
    "check_option",
    "check_positive",
    "check_quantiles",
    "is_finite_number",
    "is_integer",
    "refuse",
]


def refuse(estimator: Any, name: str, expected: str) -> NoReturn:
    """Raise the error that says what parameter `name` must be, and what it is."""
    value = getattr(estimator, name)
    msg = (
        f"The {name!r} parameter of {type(estimator).__name__} must be {expected}. "
        f"Got {value!r} instead."
    )
    raise ValueError(msg)


def is_integer(value: Any, minimum: int) -> bool:
    """Whether `value` is a whole number, not a bool, of at least `minimum`."""
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


def check_integer(
    estimator: Any, name: str, *, minimum: int, optional: bool = False
) -> None:
    """Raise unless the parameter is an int >= `minimum`, or None if `optional`."""
    value = getattr(estimator, name)
    if not (is_integer(value, minimum) or (optional and value is None)):
        refuse(estimator, name, f"an int >= {minimum}{' or None' if optional else ''}")


def check_n_jobs(estimator: Any) -> None:
    """Raise unless the parameter n_jobs is None or an int other than 0."""
    if estimator.n_jobs is not None and not is_integer(estimator.n_jobs, -(2**31)):
        refuse(estimator, "n_jobs", "an int or None")
    if estimator.n_jobs == 0:
        refuse(estimator, "n_jobs", "an int other than 0, or None")


def check_positive(estimator: Any, name: str, *, optional: bool = False) -> None:
    """Raise unless the parameter is a finite number > 0, or None if `optional`."""
    value = getattr(estimator, name)
    if optional and value is None:
        return
    if not is_finite_number(value) or not value > 0:
        refuse(estimator, name, f"a number > 0{' or None' if optional else ''}")


def check_choice(estimator: Any, name: str, choices: Collection[Any]) -> None:
    """Raise unless the parameter is one of `choices`."""
    value = getattr(estimator, name)
    # Compared one by one: an array or a list as the value has no hash and no truth.
    if not any(value is c or (isinstance(value, str) and value == c) for c in choices):
        listed = ", ".join(sorted(repr(choice) for choice in choices))
        refuse(estimator, name, f"one of {listed}")


def check_option(name: str, value: Any, choices: Collection[Any]) -> None:
    """Raise unless the argument of a function is one of `choices`."""
    if value not in choices:
        listed = ", ".join(sorted(repr(choice) for choice in choices))
        msg = f"Expected {name} to be one of {listed}; got {value!r}."
        raise ValueError(msg)


def check_flag(estimator: Any, name: str) -> None:
    """Raise unless the parameter is True or False."""
    # A grid made of an array has numpy's booleans.
    if not isinstance(getattr(estimator, name), (bool, np.bool_)):
        refuse(estimator, name, "True or False")


def check_quantiles(estimator: Any, name: str) -> None:
    """Raise unless the parameter is a pair 0 <= low < high <= 1."""
    value = getattr(estimator, name)
    if (
        not isinstance(value, (tuple, list))
        or len(value) != 2
        or not all(is_finite_number(q) for q in value)
        or not 0.0 <= value[0] < value[1] <= 1.0
    ):
        refuse(estimator, name, "a pair of numbers 0 <= low < high <= 1")
