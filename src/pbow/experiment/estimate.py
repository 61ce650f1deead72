"""How long the runs of an experiment will take, before they have begun."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from pbow.experiment.tasks import Record, Task

__all__ = ["Sizes", "estimate_hours"]

# Seconds of a support vector machine per squared number of training samples, and of a
# representation per run; measured on one core of 2026, for orders of magnitude.
SECONDS_PER_PAIR = 3e-8
SECONDS_PER_RUN = 0.3


class Sizes(NamedTuple):
    """Of a data set."""

    n_samples: int
    n_labels: int


def estimate_hours(
    tasks: Iterable[Task], sizes: Mapping[str, Sizes], records: Mapping[str, Record]
) -> float:
    """Return core-hours, by the runs that are done or else by a model of the solver.

    Parameters
    ----------
    tasks : sequence of Task
        To do.
    sizes : mapping of str to Sizes
        Of each data set.
    records : mapping of str to dict
        Finished runs: where a cell has some, their mean time replaces the model.
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
    return seconds / 3600.0


def _seconds(task: Task, size: Sizes) -> float:
    n = size.n_samples
    if task.cell.dataset.per_label is not None:
        n = min(n, task.cell.dataset.per_label * size.n_labels)
    if task.rows is not None:
        n = min(n, task.rows)
    folds = task.search.folds
    choosing = min(n, task.search.rows or n) * (1.0 - 1.0 / folds) if folds else 0.0
    n_folds = min(folds, task.search.folds_used or folds)
    fits = n_folds * len(task.search.c_values) * choosing**2 + n**2
    return SECONDS_PER_RUN + len(task.classifiers) * SECONDS_PER_PAIR * fits
