"""What all ways from data to diagrams share: their checks, threads and progress."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from importlib import import_module
from itertools import count
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from pbow._utils import threads
from pbow._utils.checks import is_integer
from pbow.diagrams import Diagrams

__all__ = [
    "NUMBERS",
    "Floats",
    "Progress",
    "check_collection",
    "check_dims",
    "check_field",
    "check_numbers",
    "count_threads",
    "empty_diagrams",
    "import_from_gudhi",
    "import_gudhi",
    "in_threads",
    "make_diagrams",
    "part_names",
]

Floats = NDArray[np.float64]
Item = TypeVar("Item")
Result = TypeVar("Result")
Progress = bool | Callable[[], object] | None

NUMBERS = "biuf"  # kinds of dtype

OLDEST_GUDHI = "3.12"  # the first with gudhi.sklearn.RipsPersistence
LARGEST_FIELD = 46_337  # gudhi multiplies coefficients in 32 bits
BAR_WIDTH = 40


def make_diagrams(
    one: Callable[[Item], Sequence[Floats]],
    items: Sequence[Item],
    parts: Sequence[str],
    *,
    n_jobs: int | None,
    progress: Progress,
) -> Diagrams:
    """Put together what `one` makes of each item: one diagram a part.

    `one` runs in threads, so it should release the GIL. Samples are in the order of the
    items. `progress` is called by the calling thread, once an item.
    """
    if not (progress is None or isinstance(progress, bool) or callable(progress)):
        msg = f"Expected progress to be a bool, a callable or None; got {progress!r}."
        raise ValueError(msg)
    tick = _progress_bar(len(items)) if progress is True else progress or None
    samples = []
    for sample in in_threads(one, items, n_jobs):
        samples.append(sample)
        if tick is not None:
            tick()
    return Diagrams.from_parts(
        {part: [sample[k] for sample in samples] for k, part in enumerate(parts)}
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


def _progress_bar(n_items: int) -> Callable[[], object] | None:
    """Return what draws one more step of a bar on stderr; None without a terminal."""
    if sys.stderr is None or not sys.stderr.isatty():
        return None
    steps = count(1)

    def draw() -> None:
        done = next(steps)
        bar = "#" * (BAR_WIDTH * done // n_items)
        end = "\n" if done == n_items else ""
        sys.stderr.write(f"\r[{bar:<{BAR_WIDTH}}] {done}/{n_items}{end}")
        sys.stderr.flush()

    return draw


def part_names(dims: Sequence[int]) -> list[str]:
    """Return the names of the parts for dimensions of homology."""
    return [f"H{dim}" for dim in dims]


def empty_diagrams(dims: Sequence[int]) -> list[Floats]:
    """Return the diagrams of nothing."""
    return [np.empty((0, 2)) for _ in dims]


def import_gudhi(module: str, function: str) -> Any:
    """Import a module of gudhi for a function of this package, or name the extra."""
    try:
        return import_module(module)
    except ImportError as error:
        msg = (
            f"pbow.homology.{function} needs gudhi {OLDEST_GUDHI} or later, which is "
            "in the extra homology of pbow: pip install gudhi."
        )
        raise ImportError(msg) from error


def import_from_gudhi(module: str, name: str, function: str) -> Any:
    """Import a name from a module of gudhi, which an older one may not have."""
    found = getattr(import_gudhi(module, function), name, None)
    if found is None:
        version = import_gudhi("gudhi", function).__version__
        msg = (
            f"pbow.homology.{function} needs gudhi {OLDEST_GUDHI} or later, and this "
            f"is {version}: pip install --upgrade gudhi."
        )
        raise ImportError(msg)
    return found


def check_collection(items: Any, nouns: str, shape: str, single: str) -> list[Any]:
    """Return a list of arrays, to be checked, or say that it is not one.

    `nouns` is what they are called, `shape` that of one of them. `single` says what was
    passed where it is one alone: "one cloud of {n} points. Wrap it ...".
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
        array = np.asarray(item)
    except ValueError:  # rows of different lengths: one of the items, if a bad one
        return False
    return array.ndim == 1 and array.size > 0 and array.dtype.kind in NUMBERS


def check_numbers(item: Any, name: str) -> NDArray[Any]:
    """Return an item as an array of real numbers; `name` names it in errors."""
    try:
        array = np.asarray(item)
    except ValueError as error:
        msg = f"{name} is not an array of numbers: {error}"
        raise ValueError(msg) from error
    if array.size > 0 and array.dtype.kind not in NUMBERS:
        msg = (
            f"{name} is not an array of real numbers: "
            f"{type(item).__name__} of dtype {array.dtype}."
        )
        if array.dtype.kind == "U":
            msg += " Read files first."
        raise ValueError(msg)
    if np.ma.is_masked(item):
        msg = (
            f"{name} is a masked array, and its mask would be lost. Leave masked "
            "points out, or fill masked pixels with inf: item.filled(numpy.inf)."
        )
        raise ValueError(msg)
    return array


def check_dims(dims: Any) -> list[int]:
    """Return the dimensions of homology as a list, or say what is wrong with them."""
    wanted = list(dims) if isinstance(dims, (Sequence, np.ndarray)) else [dims]
    if not wanted or not all(is_integer(dim, 0) for dim in wanted):
        msg = f"Expected dims to be one or more ints >= 0, as in (0, 1); got {dims!r}."
        raise ValueError(msg)
    if len(set(wanted)) < len(wanted):
        msg = f"Every dimension must be named once in dims; got {dims!r}."
        raise ValueError(msg)
    return [int(dim) for dim in wanted]


def check_field(field: Any) -> int:
    """Return the prime p of the field of coefficients Z/p."""
    if (
        not is_integer(field, 2)
        or field > LARGEST_FIELD
        or any(field % divisor == 0 for divisor in range(2, int(field**0.5) + 1))
    ):
        msg = f"Expected field to be a prime up to {LARGEST_FIELD}; got {field!r}."
        raise ValueError(msg)
    return int(field)
