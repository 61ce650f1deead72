"""Frozen records of arrays: what is learnt, and all that may come from a file."""

from __future__ import annotations

from dataclasses import fields
from numbers import Number
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pbow.errors import shown

__all__ = ["ArrayRecord", "as_finite", "check_range"]

Floats = NDArray[np.float64]


class ArrayRecord:
    """Base of frozen dataclasses of arrays, which are copied, checked and read-only.

    ``__post_init__`` of a subclass calls :meth:`_keep` for every field. Whatever comes,
    only a ValueError comes out: a record is the gate for values from a file.
    """

    __slots__ = ()  # or subclasses with slots would have a __dict__ all the same

    def _keep(self, name: str, shape: tuple[int | None, ...] | None = None) -> Floats:
        """Replace a field by a read-only array of finite numbers, and return it.

        None in `shape` is any number, and None instead of it any shape.
        """
        array = as_finite(name, getattr(self, name)).copy()
        if shape is not None and (
            array.ndim != len(shape)
            or any(n not in {None, m} for n, m in zip(shape, array.shape, strict=True))
        ):
            wanted = ", ".join("n" if n is None else str(n) for n in shape)
            wanted += "," if len(shape) == 1 else ""
            msg = f"Expected {name} of shape ({wanted}); got {array.shape}."
            raise ValueError(msg)
        array.flags.writeable = False
        object.__setattr__(self, name, array)
        return array

    def __reduce__(self) -> tuple[Any, ...]:
        # Made anew, because arrays that were pickled are writable.
        names = [field.name for field in fields(self)]  # type: ignore[arg-type]
        return type(self), tuple(getattr(self, name) for name in names)


def as_finite(name: str, values: Any) -> Floats:
    """Return `values` as finite float64 numbers in C order.

    Raises
    ------
    ValueError
        For anything else, also for text that looks like numbers.
    """
    try:
        array = np.asarray(values)
        # Objects may be whole numbers beyond 64 bits.
        is_numeric = array.dtype.kind in "biuf" or (
            array.dtype == object and all(isinstance(x, Number) for x in array.flat)
        )
        numbers = array.astype(np.float64, "C", copy=False) if is_numeric else None
    except (TypeError, ValueError, OverflowError):
        numbers = None
    if numbers is None or not np.isfinite(numbers).all():
        expected = "an array of finite numbers"
        msg = f"Expected {name} to be {expected}; got {shown(values, 80)}."
        raise ValueError(msg)
    return numbers


def check_range(name: str, values: Floats, low: float, high: float) -> None:
    """Raise a ValueError that names the first number that is not in the range."""
    wrong = values[(values < low) | (values > high)]
    if wrong.size:
        msg = f"Expected {name} between {low:g} and {high:g}; got {wrong[0]:g}."
        raise ValueError(msg)
