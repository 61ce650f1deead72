"""What all jobs over blocks share: executors, progress, results."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import Executor
from typing import Any, NamedTuple

from pbow._utils.executors import run_in_order
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
    advice = "Of a Dask client, pass client.get_executor()."
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
    after: Callable[[int], None] = lambda _: None,
) -> None:
    """Run tasks whose first argument has a name; each returns how much it has done."""
    results: Iterator[int]
    if executor is None:
        results = (task(*given) for given in tasks)
    else:
        results = run_in_order(executor, task, tasks)
    with progress_bar(show=progress, total=total, unit=unit) as advance:
        for n in results:
            after(n)
            advance(n)
