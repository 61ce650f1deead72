"""Checks of single values."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from numbers import Integral, Real
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pbow.errors import ParameterError, shown

__all__ = [
    "LARGEST_DIMENSION",
    "check_dims",
    "check_label_names",
    "check_labels",
    "check_length",
    "check_location",
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


def check_labels(y: ArrayLike, n_samples: int) -> NDArray[Any]:
    """Return the labels as an array, one per diagram."""
    labels = np.asarray(y)
    if labels.shape != (n_samples,):
        msg = (
            f"Expected one label per diagram, shape ({n_samples},); "
            f"got shape {labels.shape}."
        )
        raise ValueError(msg)
    # In a list, one string makes strings of all others: "1" and "nan", too.
    is_mixed = (
        labels.dtype.kind == "U"
        and isinstance(y, (list, tuple))
        and not all(isinstance(label, str) for label in y)
    )
    try:
        known = np.unique(labels)
        can_be_sorted = bool(np.array_equal(known, known))  # NaN is not itself
    except TypeError:
        can_be_sorted = False
    if is_mixed or not can_be_sorted:
        msg = (
            "Expected labels that are all numbers or all strings, and none missing or "
            f"NaN; got {shown(y)}. Leave samples without a label out."
        )
        raise ValueError(msg)
    return labels


def check_label_names(
    label_names: Sequence[str] | None, labels: Collection[Any]
) -> Sequence[str]:
    """Return the names of some labels; by default the labels themselves."""
    if label_names is None:
        return [str(label) for label in labels]
    expected = f"a sequence of {len(labels)} names, one per label"
    check_length("label_names", label_names, len(labels), expected)
    return label_names


def check_length(name: str, values: Any, n: int, expected: str) -> None:
    """Raise unless an argument is a sequence of n items, and not a string."""
    # The letters of a string are items, and so are the keys of a dict.
    if isinstance(values, (str, bytes, set, frozenset, Mapping)):
        raise ParameterError(name, expected, values)
    try:
        found = len(values)
    except TypeError:  # a generator, a number, or an array without axes
        raise ParameterError(name, expected, values) from None
    if found != n:
        raise ParameterError(name, expected, found)


def check_location(largest: int, n_places: int, noun: str, owner: str) -> None:
    """Raise unless raw data have the place with the largest index of all locations."""
    if largest >= n_places:
        msg = (
            f"{owner} a point at {noun} {largest}, and there are {n_places}. "
            "Pass the raw data that the diagrams were computed from."
        )
        raise ValueError(msg)
