"""How long the runs of an experiment take, also before they have begun."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from pbow.experiment.tasks import Runs, Task

__all__ = ["core_time", "estimate_seconds"]

# Seconds of a support vector machine per squared number of training samples, and of a
# representation per run; measured on one core of 2026, for orders of magnitude.
SECONDS_PER_PAIR = 3e-8
SECONDS_PER_RUN = 0.3


def estimate_seconds(
    tasks: Iterable[Task], sizes: Mapping[str, int], records: Runs
) -> float:
    """Return the seconds that tasks take on one core; `sizes` are of data sets.

    Where a cell has finished runs, their mean time; else by a model of the solver.
    """
    measured: dict[tuple[str, str, str], list[float]] = {}
    for record in records.values():
        place = record["dataset"], record["descriptor"], record["stage"]
        spent = sum(record["seconds"].values())
        spent += sum(scores["seconds"] for scores in record["scores"].values())
        measured.setdefault(place, []).append(spent)
    means = {place: sum(each) / len(each) for place, each in measured.items()}
    seconds = 0.0
    for task in tasks:
        dataset = task.cell.dataset.name
        mean = means.get((dataset, task.cell.descriptor.name, task.stage))
        seconds += _seconds(task, sizes[dataset]) if mean is None else mean
    return seconds


def core_time(seconds: float) -> str:
    """Return a time of one core in words, to be read and not computed with."""
    if seconds < 60.0:
        return "less than a core-minute"
    minutes = round(seconds / 60.0)
    if minutes < 60:
        return f"{minutes} core-minute{'s' * (minutes > 1)}"
    return f"{seconds / 3600.0:,.1f} core-hours"


def _seconds(task: Task, n: int) -> float:
    n = min(n, task.rows or n)
    folds = task.search.folds
    choosing = min(n, task.search.rows or n) * (1.0 - 1.0 / folds) if folds else 0.0
    n_folds = min(folds, task.search.folds_used or folds)
    fits = n_folds * len(task.search.c_values) * choosing**2 + n**2
    return SECONDS_PER_RUN + len(task.classifiers) * SECONDS_PER_PAIR * fits
