"""Diagrams from the Python objects of gudhi, and back."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import chain, pairwise
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pbow.diagrams import Diagrams, check_diagrams
from pbow.io.dimensions import Dims, dimensions_of, from_dimensions
from pbow.io.results import (
    as_dimension,
    as_floats,
    check_results,
    from_column,
    from_list_by_dimension,
)

__all__ = ["from_gudhi", "to_gudhi"]

Floats = NDArray[np.float64]

# The four diagrams of extended persistence of a graph, in gudhi's order: name of the
# part, dimension, and whether gudhi has (max, min) where pbow has (min, max).
EXTENDED = (
    ("Ord0", 0, False),
    ("Rel1", 1, True),
    ("Ext0", 0, False),
    ("Ext1", 1, True),
)


def from_gudhi(
    results: Iterable[Any], *, dims: Dims = None, extended: bool = False
) -> Diagrams:
    """Convert results of gudhi to diagrams.

    Parameters
    ----------
    results : iterable
        One result per sample: a list of ``(dimension, (birth, death))``, as
        ``persistence`` returns it; or arrays, as ``persistence_intervals_in_dimension``
        returns them, in a dict by dimension, or in a list that begins with dimension 0.
    dims : int or iterable of int, optional
        Take these dimensions, in this order. By default, all that any sample has.
    extended : bool, default=False
        Take results of ``extended_persistence`` of graphs instead: for each sample the
        four lists Ordinary, Relative, Extended+ and Extended-.

    Returns
    -------
    X : Diagrams
        Parts ``"H0"``, ``"H1"``, …; of extended persistence ``"Ord0"``, ``"Rel1"``,
        ``"Ext0"`` and ``"Ext1"``, with (min, max) in all of them.

    Raises
    ------
    ValueError
        If the results are not of this form; one that is not in a list, too.

    See Also
    --------
    to_gudhi : The inverse.

    Examples
    --------
    >>> from pbow.io import from_gudhi
    >>> square = [(1, (1.0, 1.4)), (0, (0.0, float("inf"))), (0, (0.0, 1.0))]
    >>> from_gudhi([square, [(0, (0.0, float("inf")))]])
    Diagrams(n_samples=2, H0: 3 points (2 essential), H1: 1 point)
    >>> from_gudhi([{1: [[1.0, 1.4]]}, {1: []}])
    Diagrams(n_samples=2, H1: 1 point)
    >>> loop = [[], [], [(0, (0.0, 2.0))], [(1, (2.0, 0.0))]]
    >>> from_gudhi([loop], extended=True)["Ext1"][0]
    array([[0., 2.]])
    """
    samples = check_results(results, "simplex_tree.persistence()", "from_gudhi")
    if extended:
        return _from_extended(samples, dims)
    return from_dimensions(
        [_from_intervals(sample, i) for i, sample in enumerate(samples)], dims
    )


def to_gudhi(X: Any) -> list[Any]:
    """Return diagrams as gudhi's ``persistence`` does.

    Parameters
    ----------
    X : Diagrams or list of array-like of shape (n_points_i, 2)
        Parts are named ``"H0"``, ``"H1"``, …, or are those of extended persistence:
        ``"Ord0"``, ``"Rel1"``, ``"Ext0"``, ``"Ext1"``.

    Returns
    -------
    results : list of list
        For each sample ``(dimension, (birth, death))`` of its points; of extended
        persistence four such lists, in which Rel1 and Ext1 die below their birth.

    Raises
    ------
    ValueError
        If parts have other names.

    See Also
    --------
    from_gudhi : The inverse.

    Examples
    --------
    >>> from pbow import Diagrams
    >>> from pbow.io import to_gudhi
    >>> to_gudhi(Diagrams.from_list([[[0.25, 0.5]], []], name="H1"))
    [[(1, (0.25, 0.5))], []]
    >>> to_gudhi(Diagrams.from_list([[[0.0, 2.0]]], name="Ext1"))
    [[[], [], [], [(1, (2.0, 0.0))]]]
    """
    X = check_diagrams(X)
    extended = {name.lower() for name, _, _ in EXTENDED}
    if not any(name.lower() in extended for name in X.parts):
        dims = dimensions_of(X, "gudhi")
        columns = [_to_intervals(X[name], dims[name]) for name in dims]
        return [list(chain(*sample)) for sample in zip(*columns, strict=True)]
    strange = [name for name in X.parts if name.lower() not in extended]
    if strange:
        msg = (
            f"gudhi has extended persistence apart from other diagrams, such as "
            f"{strange[0]!r}. Convert these parts by themselves."
        )
        raise ValueError(msg)
    given = {name.lower(): X[name] for name in X.parts}
    nothing: list[list[Any]] = [[] for _ in range(len(X))]
    lists = [
        _to_intervals(given[name.lower()], dim, reverse=reverse)
        if name.lower() in given
        else nothing
        for name, dim, reverse in EXTENDED
    ]
    return [list(sample) for sample in zip(*lists, strict=True)]


def _from_intervals(sample: Any, index: int) -> dict[int, Any]:
    """Return the diagrams of a result of gudhi by dimension, whatever its shape."""
    if isinstance(sample, Mapping):
        return {as_dimension(dim, index): points for dim, points in sample.items()}
    if _is_interval(sample):
        msg = (
            f"Result {index} is {sample!r}, a point. Wrap one result in a list: "
            "[simplex_tree.persistence()]."
        )
        raise ValueError(msg)
    if isinstance(sample, (list, tuple)) and any(map(_is_interval, sample)):
        return from_column(*_split_intervals(sample, index), index)
    return from_list_by_dimension(sample, index, "simplex_tree.persistence()")


def _is_interval(value: Any) -> bool:
    return (
        isinstance(value, (list, tuple))
        and len(value) == 2
        and isinstance(value[0], Integral)
        and isinstance(value[1], (list, tuple, np.ndarray))
    )


def _split_intervals(intervals: Any, index: int) -> tuple[NDArray[Any], Floats]:
    try:
        dims = np.array([dim for dim, _ in intervals], np.float64)
        pairs = as_floats([pair for _, pair in intervals], f"Result {index}")
        points = pairs.reshape(-1, 2)
    except (TypeError, ValueError, OverflowError) as error:
        msg = (
            f"Result {index} is not a list of (dimension, (birth, death)), as gudhi's "
            f"persistence() returns it: {error}."
        )
        raise ValueError(msg) from error
    return dims, points


def _from_extended(samples: Sequence[Any], dims: Dims) -> Diagrams:
    if dims is not None:
        msg = (
            f"Expected no dims for extended persistence; got {dims!r}. Select parts of "
            "the result, as in X[['Ord0', 'Ext1']]."
        )
        raise ValueError(msg)
    parts: dict[str, list[Floats]] = {name: [] for name, _, _ in EXTENDED}
    for i, sample in enumerate(samples):
        if not isinstance(sample, (list, tuple)) or len(sample) != len(EXTENDED):
            msg = (
                f"Result {i} is not the four lists of extended_persistence(). Wrap one "
                "result in a list."
            )
            raise ValueError(msg)
        for (name, dim, reverse), intervals in zip(EXTENDED, sample, strict=True):
            found, points = _split_intervals(intervals, i)
            if (found != dim).any():
                msg = (
                    f"Result {i} has dimension {found[found != dim][0]:g} in the list "
                    f"of {name}. Only extended persistence of graphs has names here."
                )
                raise ValueError(msg)
            parts[name].append(points[:, ::-1] if reverse else points)
    return Diagrams.from_parts(parts)


def _to_intervals(X: Diagrams, dim: int, *, reverse: bool = False) -> list[list[Any]]:
    columns = X.points[:, ::-1] if reverse else X.points
    points = [(dim, (birth, death)) for birth, death in columns.tolist()]
    return [points[start:stop] for start, stop in pairwise(X.offsets.tolist())]
