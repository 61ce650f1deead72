"""Checks that the results of all programs share: a list of samples, by dimension."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pbow._conversion import refuse_results, to_float64
from pbow._utils.checks import LARGEST_DIMENSION, is_dimension
from pbow.io.dimensions import by_dimension

__all__ = [
    "as_dimension",
    "as_floats",
    "check_results",
    "from_column",
    "from_list_by_dimension",
]

Floats = NDArray[np.float64]


def check_results(results: Any, call: str, reader: str = "") -> list[Any]:
    """Return results as a list, one per sample; refuse one that is not in a list.

    Those that another function than `reader` converts are refused by its name.
    """
    if reader:
        refuse_results(results, reader)
    if isinstance(results, (str, bytes, Mapping)) or not np.iterable(results):
        msg = (
            "Expected a list of results, one per sample; got "
            f"{type(results).__name__}. Wrap one result in a list: [{call}]."
        )
        raise ValueError(msg)
    return list(results)


def from_list_by_dimension(sample: Any, index: int, call: str) -> dict[int, Any]:
    """Return the arrays of a list by their place in it."""
    is_array = isinstance(sample, np.ndarray) and sample.dtype.kind != "O"
    is_list = np.iterable(sample) and not isinstance(sample, (str, bytes))
    diagrams = list(sample) if is_list and not is_array else [sample]
    if is_array or not is_list or any(map(_is_point, diagrams)):
        msg = (
            f"Result {index} is {type(sample).__name__}; expected a list with an array "
            f"for each dimension. Wrap one result in a list, [{call}]; arrays of one "
            "dimension go into Diagrams.from_list(arrays, name='H1')."
        )
        raise ValueError(msg)
    return dict(enumerate(diagrams))


def _is_point(value: Any) -> bool:
    """Whether it is numbers, or a word, where there should be a diagram."""
    try:
        return np.ndim(value) < 2 and np.size(value) > 0
    except ValueError:  # rows of different lengths: a diagram, if a bad one
        return False


def as_dimension(value: Any, index: int) -> int:
    """Return a homology dimension that a result names."""
    if not is_dimension(value):
        # An int may have more digits than Python writes.
        is_long = isinstance(value, int) and value.bit_length() > 64
        shown = f"of {value.bit_length()} bits" if is_long else repr(value)[:60]
        msg = (
            f"Result {index} has dimension {shown}; expected an int from 0 to "
            f"{LARGEST_DIMENSION}."
        )
        raise ValueError(msg)
    return int(value)


def from_column(dims: Any, points: Floats, index: int) -> dict[int, Floats]:
    """Return points by dimension, of which there is a column."""
    try:
        return by_dimension(dims, points)
    except ValueError as error:
        msg = f"Result {index}: {error}"
        raise ValueError(msg) from error


def as_floats(values: Any, what: str) -> Floats:
    """Return numbers as an array; tensors are taken from where they are."""
    # Tensors that track gradients, or live elsewhere, do not convert by themselves.
    if hasattr(values, "detach"):
        values = values.detach().cpu().numpy()
    try:
        array = np.asarray(values)
        if array.dtype.kind == "c":
            msg = "complex numbers"
            raise TypeError(msg)
        if array.dtype.kind == "f":
            return to_float64(array, what)
        with np.errstate(over="raise"):  # an object may be a long double
            return array.astype(np.float64, copy=False)
    except (TypeError, ValueError, ArithmeticError) as error:
        msg = (
            f"{what} is not an array of numbers: {error}. Each program has a function "
            "of its own, as from_ripser or from_gudhi; extended persistence of gudhi "
            "needs extended=True."
        )
        raise ValueError(msg) from error
