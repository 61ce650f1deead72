"""Parts ``H0``, ``H1``, … and the dimensions by which other programs know them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pbow._utils.checks import LARGEST_DIMENSION, check_dims
from pbow.diagrams import UNNAMED, Diagrams

__all__ = ["Dims", "by_dimension", "dimensions_of", "from_dimensions"]

Floats = NDArray[np.float64]
Dims = int | Iterable[int] | None

PART = re.compile(r"h(0|[1-9][0-9]{0,2})", re.IGNORECASE)


def from_dimensions(samples: Sequence[Mapping[int, Any]], dims: Dims) -> Diagrams:
    """Return a collection of diagrams that are given by sample and dimension.

    A sample that lacks a dimension has an empty diagram there. `dims` are those wanted,
    in this order; None takes what any sample has.
    """
    found = sorted({dim for sample in samples for dim in sample})
    wanted = found if dims is None else check_dims(dims)
    if not wanted:
        msg = (
            "There is no point, so it is not known which dimensions were computed. "
            "Name them, as in dims=(0, 1)."
        )
        raise ValueError(msg)
    nothing = np.empty((0, 2))
    return Diagrams.from_parts(
        {f"H{dim}": [sample.get(dim, nothing) for sample in samples] for dim in wanted}
    )


def by_dimension(dims: Any, points: Floats) -> dict[Any, Floats]:
    """Sort points by dimension, a column of numbers; those of one keep their order."""
    column = np.asarray(dims)
    # A NaN fails the comparisons.
    valid = (column >= 0) & (column <= LARGEST_DIMENSION)
    valid &= column == np.floor(column)
    if not valid.all():
        row = int(np.argmin(valid))
        msg = (
            f"Point {row} has dimension {column[row]}; expected a whole number from 0 "
            f"to {LARGEST_DIMENSION}."
        )
        raise ValueError(msg)
    whole = column.astype(np.int64)
    found = np.unique(whole)
    if len(found) == 1:
        return {int(found[0]): points}
    order = np.argsort(whole, kind="stable")
    cuts = np.searchsorted(whole[order], found[1:])
    diagrams = np.split(points[order], cuts) if len(found) else []
    return dict(zip(found.tolist(), diagrams, strict=True))


def dimensions_of(X: Diagrams, format_name: str) -> dict[str, int]:
    """Return the dimension of each part; all must be named like ``H1``."""
    matches = {name: PART.fullmatch(name) for name in X.parts}
    unnumbered = [name for name, match in matches.items() if match is None]
    if unnumbered:
        if unnumbered == [UNNAMED]:
            msg = (
                f"{format_name} needs the homology dimension, and the part has no "
                "name. Name it: Diagrams.from_list(X, name='H1'), or pbow convert "
                "--name H1."
            )
            raise ValueError(msg)
        msg = (
            f"{format_name} knows parts by their dimension only, and "
            f"{unnumbered[0]!r} is none of H0, H1, H2, ... Select parts that are, as "
            "in X[['H0', 'H1']], or write CSV, Parquet or pbow's own file."
        )
        raise ValueError(msg)
    return {name: int(match[1]) for name, match in matches.items() if match}
