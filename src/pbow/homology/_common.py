"""What all functions from data to diagrams share: their checks, threads and progress.

Checks of one item raise a plain ValueError that says what is wrong with it;
:func:`check_items` adds which item it is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from math import inf
from numbers import Real
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from pbow._utils import threads
from pbow._utils.checks import is_finite_number, is_integer
from pbow._utils.optional import import_optional
from pbow._utils.progress import progress_bar
from pbow.diagrams import LARGEST_COORDINATE, Diagrams
from pbow.errors import ItemError, ItemMemoryError, ParameterError

__all__ = [
    "Floats",
    "Ints",
    "as_numbers",
    "check_array",
    "check_collection",
    "check_coordinates",
    "check_field",
    "check_items",
    "check_max_edge",
    "check_places",
    "count_threads",
    "diagrams_of_tree",
    "empty_diagrams",
    "import_gudhi",
    "in_threads",
    "make_diagrams",
]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Item = TypeVar("Item")
Result = TypeVar("Result")

OLDEST_GUDHI = "3.12"  # the first with gudhi.sklearn.RipsPersistence
# Squares of smaller differences lose digits, and then vanish.
SMALLEST_SPREAD = 1e-140
LARGEST_FIELD = 46_337  # gudhi multiplies coefficients in 32 bits


def make_diagrams(
    one: Callable[[Item], Sequence[Any]],
    items: Sequence[Item],
    dims: Sequence[int],
    *,
    unit: str,
    n_jobs: int | None,
    progress: bool,
) -> Diagrams:
    """Put together what `one` makes of each item: one diagram per dimension.

    A diagram is an array, or if it is located a pair of arrays, points and locations.
    `one` runs in threads, so it should release the GIL. Samples are in the order of the
    items. `unit` is what the progress bar counts.
    """
    samples = []
    with progress_bar(show=progress, total=len(items), unit=unit) as advance:
        for sample in in_threads(one, items, n_jobs):
            samples.append(sample)
            advance(1)
    return Diagrams.from_parts(
        {
            f"H{dim}": _joined([sample[k] for sample in samples])
            for k, dim in enumerate(dims)
        }
    )


def _joined(diagrams: list[Any]) -> Any:
    if not diagrams or not isinstance(diagrams[0], tuple):
        return diagrams
    points, locations = zip(*diagrams, strict=True)
    offsets = np.cumsum([0, *map(len, points)])
    return Diagrams(
        np.concatenate(points), offsets, locations=np.concatenate(locations)
    )


def in_threads(
    one: Callable[[Item], Result], items: Sequence[Item], n_jobs: int | None
) -> Iterator[Result]:
    """Yield the result for each item, in their order."""
    n_threads = count_threads(n_jobs, items)
    if n_threads <= 1:
        yield from map(one, items)
        return
    pool = ThreadPoolExecutor(n_threads)
    try:
        yield from pool.map(one, items)
    finally:
        # After an error or Ctrl-C, do not work through the items that still wait.
        pool.shutdown(cancel_futures=True)


def count_threads(n_jobs: int | None, items: Sequence[Any]) -> int:
    """Return how many threads work on the items, at least 1."""
    return max(1, min(threads.count_threads(n_jobs), len(items)))


def empty_diagrams(dims: Sequence[int]) -> list[Floats]:
    """Return the diagrams of nothing."""
    return [np.empty((0, 2)) for _ in dims]


def diagrams_of_tree(tree: Any, dims: Sequence[int], prime: int) -> list[Floats]:
    """Return the diagrams of a simplex tree of gudhi."""
    # By default the highest dimension is left out, also where that is 0.
    only_points = tree.dimension() == 0
    tree.compute_persistence(
        homology_coeff_field=prime, persistence_dim_max=only_points
    )
    diagrams = [tree.persistence_intervals_in_dimension(dim) for dim in dims]
    return [diagram.reshape(-1, 2) for diagram in diagrams]


def import_gudhi(name: str, function: str) -> Any:
    """Import ``"sklearn.RipsPersistence"``, say, of gudhi for a function of ours."""
    module, _, attribute = f"gudhi.{name}".rpartition(".")
    purpose = f"pbow.homology.{function}"
    found = import_optional(module, extra="homology", purpose=purpose)
    if not hasattr(found, attribute):
        msg = (
            f"{purpose} needs gudhi {OLDEST_GUDHI} or later; this version has no "
            f"{module}.{attribute}: pip install --upgrade gudhi."
        )
        raise ImportError(msg, name="gudhi")
    return getattr(found, attribute)


def check_collection(items: Any, nouns: str, shape: str, single: str) -> list[Any]:
    """Return a list of arrays, to be checked, or say that it is not one.

    `nouns` is what they are called, `shape` that of one of them. `single` says what was
    passed if it is one item by itself: "one cloud of {n} points. Wrap it ...".
    """
    if isinstance(items, (str, bytes, Mapping)) or not isinstance(items, Iterable):
        msg = (
            f"Expected a collection of {nouns}, got {type(items).__name__}. Pass a "
            f"list of arrays of shape {shape}."
        )
        raise ValueError(msg)
    listed = list(items)
    if listed and all(_is_row(item) for item in listed):
        msg = f"Expected a collection of {nouns}, got {single.format(n=len(listed))}"
        raise ValueError(msg)
    return listed


def _is_row(item: Any) -> bool:
    """Whether `item` is a sequence of numbers, and not empty."""
    try:
        array = as_numbers(item)
    except ValueError:
        return False
    return array.ndim == 1 and array.size > 0


def check_items(
    items: Iterable[Item], noun: str, check: Callable[[Item], Result]
) -> list[Result]:
    """Return each item as `check` returns it; its errors tell which item it is."""
    checked = []
    for i, item in enumerate(items):
        try:
            checked.append(check(item))
        except ItemMemoryError as error:
            raise ItemMemoryError(noun, i, str(error)) from error
        except ValueError as error:
            raise ItemError(noun, i, str(error)) from error
    return checked


def as_numbers(values: Any, *, whole: bool = False) -> NDArray[Any]:
    """Return an array of real numbers, or of whole ones."""
    try:
        array = np.asarray(values)
    except ValueError as error:
        msg = f"expected an array of numbers: {error}"
        raise ValueError(msg) from error
    expected, kinds = ("ints", "iu") if whole else ("real numbers", "biuf")
    if array.size > 0 and array.dtype.kind not in kinds:
        msg = (
            f"expected {expected}; got {type(values).__name__} of dtype {array.dtype}."
        )
        if array.dtype.kind == "U":
            msg += " Read files first."
        raise ValueError(msg)
    if np.ma.is_masked(values):
        msg = (
            "it is a masked array, and its mask would be lost. Leave masked points "
            "out, or fill masked pixels with inf: item.filled(numpy.inf)."
        )
        raise ValueError(msg)
    return array.astype(np.int64) if whole and array.size == 0 else array


def check_array(
    values: Any,
    name: str,
    shape: tuple[str | int, ...],
    *,
    whole: bool = False,
    advice: str = "",
) -> NDArray[Any]:
    """Return an array of numbers of this shape, in which words stand for any length.

    `advice` says what to do about another shape.
    """
    expected = f"Expected {name} of shape {shape}".replace("'", "")
    try:
        array = as_numbers(values, whole=whole)
    except ValueError as error:
        msg = f"{expected}: {error}"
        raise ValueError(msg) from error
    if array.shape == (0,):
        fixed = [n if isinstance(n, int) else 0 for n in shape]
        return array.reshape(fixed)
    if array.ndim != len(shape) or any(
        isinstance(n, int) and n != m for n, m in zip(shape, array.shape, strict=True)
    ):
        msg = f"{expected}; got {array.shape}. {advice}"
        raise ValueError(msg.rstrip())
    return array


def check_coordinates(points: Floats, noun: str) -> None:
    """Raise unless all rows are finite, and squares of differences are numbers, too."""
    # A NaN fails the comparison too.
    valid = (np.abs(points) <= LARGEST_COORDINATE).all(axis=1)
    if not valid.all():
        row = int(np.argmin(valid))
        msg = (
            f"{noun} {row} is {points[row].tolist()}; expected finite coordinates of "
            f"at most {LARGEST_COORDINATE:g}. Remove or rescale it."
        )
        raise ValueError(msg)
    spread = np.ptp(points, axis=0).max(initial=0.0) if len(points) else 0.0
    if 0.0 < spread < SMALLEST_SPREAD:
        msg = (
            f"all points are within {spread:g} of each other, where squares of "
            f"distances vanish; expected a spread of at least {SMALLEST_SPREAD:g}. "
            "Multiply the coordinates by a power of two, and divide the diagrams by it."
        )
        raise ValueError(msg)


def check_places(rows: NDArray[Any], n_vertices: int, noun: str) -> None:
    """Raise unless all numbers in the rows are those of vertices."""
    valid = (rows >= 0) & (rows < n_vertices)
    if not valid.all():
        row = int(np.argwhere(~valid)[0, 0])
        msg = (
            f"{noun} {row} is {rows[row].tolist()}, but there are {n_vertices} "
            "vertices, counted from 0."
        )
        raise ValueError(msg)


def check_field(field: Any) -> int:
    """Return the prime p of the field of coefficients Z/p."""
    if (
        not is_integer(field, 2)
        or field > LARGEST_FIELD
        or any(field % divisor == 0 for divisor in range(2, int(field**0.5) + 1))
    ):
        raise ParameterError("field", f"a prime up to {LARGEST_FIELD}", field)
    return int(field)


def check_max_edge(max_edge: Any) -> float:
    """Return the largest value of an edge; None stands for inf."""
    if max_edge is None:
        return inf
    is_infinite = isinstance(max_edge, Real) and max_edge == inf
    if not (is_infinite or is_finite_number(max_edge)) or max_edge <= 0:
        raise ParameterError("max_edge", "a number > 0", max_edge, optional=True)
    return float(max_edge)
