"""What all jobs over blocks share: executors, progress, results."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import Executor
from typing import Any, NamedTuple

from pbow._utils.executors import noting, run_as_completed
from pbow._utils.progress import progress_bar
from pbow.errors import ParameterError
from pbow.io.output_folder import Skipped

__all__ = ["Summary", "check_executor", "run_tasks"]


class Summary(NamedTuple):
    """What :func:`transform` has made.

    Attributes
    ----------
    n_samples : int
        Rows that were written.
    n_features : int
        Columns, without that of the names.
    skipped : list of Skipped
        Samples that were left out: file, row and reason.
    """

    n_samples: int
    n_features: int
    skipped: list[Skipped]


def check_executor(executor: Any) -> Any:
    """Return an executor, or None; raise if it is something else."""
    # By its class: a Dask client has a method `submit` as well, with rules of its own.
    if executor is None or isinstance(executor, Executor):
        return executor
    advice = "For a Dask client, pass client.get_executor()."
    raise ParameterError(
        "executor", "a concurrent.futures.Executor or None", executor, advice=advice
    )


def run_tasks(
    executor: Executor | None,
    task: Callable[..., int],
    tasks: Iterator[tuple[Any, ...]],
    total: int,
    *,
    progress: bool,
    unit: str = "diagrams",
    after: Callable[[tuple[Any, ...]], None] = lambda _: None,
) -> None:
    """Run tasks whose first argument has a name; each returns how much it has done."""
    with progress_bar(show=progress, total=total, unit=unit) as advance:
        for given, n in _completed(executor, task, tasks):
            after(given)
            advance(n)


def _completed(
    executor: Executor | None,
    task: Callable[..., int],
    tasks: Iterator[tuple[Any, ...]],
) -> Iterator[tuple[tuple[Any, ...], int]]:
    if executor is not None:
        yield from run_as_completed(executor, task, tasks)
        return
    for given in tasks:
        with noting(given[0].name):
            yield given, task(*given)
