"""From what users have to arrays: collections, samples of named parts, diagrams.

What is no diagram is refused here, by an error that names it and says what to pass
instead. Whether the points are valid is checked in :mod:`pbow.diagrams`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from numbers import Integral, Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pbow.errors import shown

__all__ = [
    "as_diagram",
    "as_floats",
    "as_samples",
    "by_part",
    "columns_of",
    "describe",
    "is_diagram",
    "is_table",
    "listed",
    "refuse_results",
    "to_float64",
]

Floats = NDArray[np.float64]


def as_samples(X: Any) -> list[Any]:
    """Return the samples of a collection; refuse what may only look like one."""
    expected = "Expected a collection of diagrams, got"
    if isinstance(X, (str, bytes)) or not np.iterable(X):
        msg = f"{expected} {describe(X)}. Pass a list of arrays of shape (n_points, 2)."
        if isinstance(X, str):
            msg += " pbow.io.read_diagrams reads files."
        raise ValueError(msg)
    if hasattr(X, "sources"):
        msg = (
            f"{expected} {type(X).__name__}, which is not to be read whole. "
            "Vectorizers that learn from points fit to blocks, and "
            "pbow.distributed.transform(model, blocks, out) encodes them; anything "
            "else takes Diagrams, such as next(iter(blocks))."
        )
        raise ValueError(msg)
    if is_table(X):
        msg = (
            f"{expected} a DataFrame. Pass one of its columns, with a diagram in each "
            "row, or all of them: Diagrams.from_parts(df)."
        )
        raise ValueError(msg)
    if isinstance(X, np.ndarray) and X.dtype != object:
        if X.ndim == 2:
            advice = _advice(X.shape, single=True)
            msg = f"{expected} one array of shape {X.shape}. {advice}"
            raise ValueError(msg)
        if X.ndim == 3 and X.shape[2] == 3:
            msg = (
                f"{expected} a padded array {X.shape}. Read those of giotto-tda with "
                "pbow.io.from_giotto, which leaves the padding out; clouds in space "
                "become diagrams by pbow.homology.rips."
            )
            raise ValueError(msg)
    samples = list(X)
    refuse_results(samples)
    first = samples[0] if samples else None
    # A list of points is one diagram that was not wrapped.
    if (
        isinstance(first, (list, tuple, np.ndarray))
        and np.iterable(first)  # an array of no axis is not
        and len(first) == 2
        and all(isinstance(value, Real) for value in first)
    ):
        point = shown(tuple(np.asarray(first).tolist()))
        msg = (
            f"{expected} a list of points, the first one {point}. "
            "Wrap a single diagram in a list: [X]."
        )
        raise ValueError(msg)
    return samples


def _advice(shape: tuple[int, ...], *, single: bool) -> str:
    """Return what to do with an array `X` that is no collection, or a list of some."""
    rips = f"by pbow.homology.rips({'[X]' if single else 'X'})"
    if shape[1:] == (2,):
        return f"Wrap a single diagram in a list, [X]; a cloud becomes one {rips}."
    if shape[1:] == (3,):
        return (
            f"Clouds in space become diagrams {rips}; those of giotto-tda, with a "
            "column of dimensions, are read by pbow.io.from_giotto"
            f"({'X[None]' if single else 'X'})."
        )
    if shape[:1] == (2,) and len(shape) == 2:
        transposed = "[X.T]" if single else "[x.T for x in X]"
        return f"If the two rows are births and deaths, pass {transposed}."
    return (
        "Of clouds or images, compute the diagrams first, by pbow.homology; feature "
        "vectors are for classifiers."
    )


def refuse_results(X: Any, reader: str = "") -> None:
    """Raise for results of other programs; name the function that converts them.

    `reader` is the function that they were passed to, whose own results are not
    refused; without one, diagrams were expected.
    """
    several = isinstance(X, (list, tuple))
    first = (X[0] if X else None) if several else X
    if hasattr(first, "nodes") and hasattr(first, "edges"):
        msg = (
            "Expected a collection of diagrams, got graphs. Compute their diagrams "
            "first: pbow.homology.graph_sublevel(graphs)."
        )
        raise ValueError(msg)
    program = right = ""
    if isinstance(first, Mapping):
        if "dgms" in first:
            program, right = "ripser", "from_ripser"
        elif several and first and all(isinstance(key, Integral) for key in first):
            program, right = "gudhi, by dimension", "from_gudhi"
    elif _is_interval(first) or (
        isinstance(first, (list, tuple)) and len(first) > 0 and _is_interval(first[0])
    ):
        program, right = "gudhi's persistence()", "from_gudhi"
        several = not _is_interval(first)
    if right != reader and right:
        argument = "results" if several else "[result]"
        what = "results" if several else "one result"
        expected = f"results for {reader}" if reader else "a collection of diagrams"
        msg = (
            f"Expected {expected}, got {what} of {program}. Convert "
            f"{'them' if several else 'it'}: pbow.io.{right}({argument})."
        )
        raise ValueError(msg)


def _is_interval(value: Any) -> bool:
    """Whether it is (dimension, (birth, death))."""
    return (
        isinstance(value, (list, tuple))
        and len(value) == 2
        and isinstance(value[0], Integral)
        and isinstance(value[1], (list, tuple))
    )


def is_table(X: Any) -> bool:
    """Whether `X` is a DataFrame of pandas, which is never imported for this."""
    return hasattr(X, "columns") and hasattr(X, "iloc")


def columns_of(table: Any) -> dict[Any, list[Floats]]:
    """Return the columns of a DataFrame by name, with one diagram per row.

    Rows are samples in their order; their labels are for errors alone.
    """
    if len(table.columns) == 0:
        msg = "Expected a DataFrame with one column per part; it has no columns."
        raise ValueError(msg)
    names = [*table.columns]
    if {"birth", "death"} < {*names}:
        msg = (
            "Expected a DataFrame with one diagram per cell; got one with a row per "
            "point. Group the points of one dimension by sample, [x[['birth', 'death']]"
            ".to_numpy() for _, x in df.groupby('sample')]; or name the columns "
            "sample, part, birth and death, save them by df.to_csv('X.csv'), and call "
            "pbow.io.read_diagrams('X.csv')."
        )
        raise ValueError(msg)
    if all(getattr(dtype, "kind", "O") in "biuf" for dtype in table.dtypes):
        msg = (
            "Expected a DataFrame with one column per part and one diagram per cell; "
            "got one of numbers. Pass a single diagram as a list with an array, "
            "[df[['birth', 'death']].to_numpy()]."
        )
        raise ValueError(msg)
    if len(set(table.columns)) < len(table.columns):
        msg = f"Expected different names of columns; got {listed(table.columns)}."
        raise ValueError(msg)
    others = [name for name in names if all(map(np.isscalar, table[name]))]
    diagrams = [name for name in names if name not in others]
    if others and diagrams:
        msg = f"Column {others[0]!r} does not hold diagrams; leave it out: "
        msg += f"df[{diagrams}]."
        raise ValueError(msg)
    return {
        name: [
            _as_cell(cell, f"The cell in column {name!r}, row {row!r}")
            for row, cell in table[name].items()
        ]
        for name in names
    }


def _as_cell(cell: Any, what: str) -> Floats:
    if not np.iterable(cell):  # None, NaN, or what pandas has for a missing value
        msg = f"{what} is {shown(cell)}, not a diagram; an empty diagram is []."
        raise ValueError(msg)
    return as_diagram(cell, what)


def by_part(samples: Sequence[Mapping[str, Any]]) -> dict[str, list[Any]]:
    """Turn samples that are dicts into a dict of lists."""
    names = list(samples[0])
    for i, sample in enumerate(samples):
        if not isinstance(sample, Mapping) or set(sample) != set(names):
            has = listed(sample) if isinstance(sample, Mapping) else "no named parts"
            msg = (
                f"Sample {i} has {has}; sample 0 has {listed(names)}. "
                "Every sample needs the same parts."
            )
            raise ValueError(msg)
    return {name: [sample[name] for sample in samples] for name in names}


def is_diagram(diagram: Any) -> bool:
    """Whether it is an array as diagrams are stored, and needs no conversion.

    Most are, and there may be a million of them.
    """
    return (
        type(diagram) is np.ndarray
        and diagram.dtype == np.float64
        and diagram.ndim == 2
        and diagram.shape[1] == 2
    )


def as_diagram(diagram: Any, what: str) -> Floats:
    """Return one diagram as an array of shape (n_points, 2); `what` is for errors."""
    if isinstance(diagram, Mapping):
        msg = f"{what} is a dict, but sample 0 is not. Pass dicts for all samples."
        raise ValueError(msg)
    if hasattr(diagram, "offsets"):
        msg = f"{what} is a collection itself. Join them: Diagrams.concatenate([...])."
        raise ValueError(msg)
    if _is_several(diagram):
        msg = (
            f"{what} is a list of {len(diagram)} arrays, as programs give for several "
            "dimensions. Lists that begin with dimension 0 are read by pbow.io."
            "from_ripser, and those of gudhi by from_gudhi. Name others: "
            "Diagrams.from_list([{'H0': ..., 'H1': ...}, ...])."
        )
        raise ValueError(msg)
    points = as_floats(diagram, what)
    if points.size == 0 and points.shape in {(0,), (1, 0), (0, 2)}:
        return np.empty((0, 2))
    if points.ndim != 2 or points.shape[1] != 2:
        msg = (
            f"{what} has shape {points.shape}; expected (n_points, 2): birth, death. "
            f"{_advice(points.shape, single=False)}"
        )
        raise ValueError(msg)
    return points


def _is_several(diagram: Any) -> bool:
    """Whether a "diagram" is a list that has diagrams in it, and not points."""
    return isinstance(diagram, (list, tuple)) and any(
        d.ndim == 2
        if isinstance(d, np.ndarray)
        else isinstance(d, (list, tuple))
        and len(d) > 0
        and isinstance(d[0], (list, tuple, np.ndarray))
        for d in diagram
    )


def as_floats(values: Any, what: str) -> Floats:
    """Return float64 of numbers; strings that look like some are none."""
    try:
        array = np.asarray(values)
        if array.dtype == object:  # numbers in an object array, or rows of these
            array = np.asarray(array.tolist())
    except (TypeError, ValueError) as error:
        msg = (
            f"{what} is not an array of numbers of shape (n_points, 2), but "
            f"{describe(values)}. Pass birth and death of each point (with gudhi, "
            "persistence_intervals_in_dimension gives these)."
        )
        raise ValueError(msg) from error
    if array.size == 0 or array.dtype.kind in "biuf":
        if np.ma.isMaskedArray(values):
            msg = f"{what} is a masked array. Pass the points that are not masked."
            raise ValueError(msg)
        if array.size == 0:  # of any type
            return np.empty(array.shape)
        return to_float64(array, what)
    msg = (
        f"{what} is not an array of numbers, but {describe(values)} "
        f"(dtype {array.dtype}). Write inf for the death of an essential point."
    )
    raise ValueError(msg)


def to_float64(array: NDArray[Any], what: str) -> Floats:
    """Return numbers as float64; those beyond its range are none, not infinity."""
    with np.errstate(over="ignore"):
        floats = array.astype(np.float64, copy=False)
    if (
        array.itemsize > floats.itemsize
        and (np.isinf(floats) & np.isfinite(array)).any()
    ):
        msg = (
            f"{what} has a number beyond the range of float64 (dtype {array.dtype}). "
            "Where it stands for infinity, write inf."
        )
        raise ValueError(msg)
    return floats


def listed(names: Iterable[str]) -> str:
    """Return names of parts with commas between them."""
    return ", ".join(str(name) or "(unnamed)" for name in names)


def describe(value: Any) -> str:
    """Return the type of a value, and the value, cut if it is long."""
    return f"{type(value).__name__} {shown(value, 60)}"
