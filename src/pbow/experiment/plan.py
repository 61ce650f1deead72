"""What there is to run, as far as it is known: screening decides on the finalists."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from pbow.experiment.declaration import (
    Cell,
    DatasetEntry,
    Experiment,
    Params,
    describe,
)
from pbow.experiment.descriptors import is_kernel
from pbow.experiment.runs import FINAL, MATRIX, OVER_BUDGET, SCREEN, Run, key_of

__all__ = [
    "Task",
    "best_inside",
    "chooses",
    "finalists",
    "is_shared",
    "matrix_key",
    "n_repetitions",
    "over_budget_key",
    "plan",
    "plan_cell",
]

# Grows when the same declaration no longer means the same result.
FORMAT = 1

Runs = Mapping[str, Run]


@dataclass(frozen=True)
class Task:
    """One run to be made: which one, and its key."""

    cell: Cell
    stage: str
    params: Params
    repetition: int | None
    key: str


def n_repetitions(experiment: Experiment, dataset: DatasetEntry) -> int:
    """Return the number of divisions of a data set."""
    return dataset.repetitions or experiment.repetitions


def plan(experiment: Experiment, runs: Runs) -> list[Task]:
    """Return all tasks that are known by now, those that are done included."""
    cells = experiment.cells
    return [task for cell in cells for task in plan_cell(experiment, cell, runs)]


def plan_cell(experiment: Experiment, cell: Cell, runs: Runs) -> list[Task]:
    """Return the tasks of a cell: distances, screening, finalists, in this order.

    Few combinations need no screening. Until all of it is done, the finalists are not
    known, and the list ends there.
    """
    combinations = cell.combinations()
    repetitions = range(n_repetitions(experiment, cell.dataset))
    tasks = []
    if is_shared(cell):
        tasks = [_task(experiment, cell, MATRIX, p, None) for p in combinations]
    if len(combinations) <= experiment.classifier.finalists:
        chosen = [(p, r) for p in combinations for r in repetitions]
    else:
        screening = [
            _task(experiment, cell, SCREEN, p, r)
            for p in combinations
            for r in repetitions
        ]
        tasks += screening
        if any(task.key not in runs for task in screening):
            return tasks
        chosen = finalists(
            experiment.classifier.finalists, [runs[task.key] for task in screening]
        )
    return tasks + [_task(experiment, cell, FINAL, p, r) for p, r in chosen]


def finalists(n_best: int, screened: Sequence[Run]) -> list[tuple[Params, int]]:
    """Return the combinations that go on, and in which repetitions.

    In each repetition those that were best inside its training part; and in all of
    them the one that was best on the test parts, for the authors' way to choose.
    """
    inside = best_inside(n_best, screened)
    tested: dict[str, list[float]] = {}
    for run in screened:
        tested.setdefault(describe(run.params), []).append(_number(run.accuracy))
    best_tested = max(tested, key=lambda name: np.mean(tested[name]))
    return [
        (run.params, run.repetition or 0)
        for run in screened
        if (name := describe(run.params)) == best_tested
        or (name, run.repetition) in inside
    ]


def best_inside(n_best: int, screened: Iterable[Run]) -> set[tuple[str, int | None]]:
    """Return the best inside the training part of each repetition.

    These alone may win there: the one that goes on for the authors' way owes that to
    the test parts. Combinations are described, each with its repetition.
    """
    by_repetition: dict[int | None, list[Run]] = {}
    for run in screened:
        by_repetition.setdefault(run.repetition, []).append(run)
    # A stable sort: of equals the first combination of the grid is preferred.
    return {
        (describe(run.params), repetition)
        for repetition, group in by_repetition.items()
        for run in sorted(group, key=lambda run: -_number(run.validation))[:n_best]
    }


def chooses(experiment: Experiment, cell: Cell) -> bool:
    """Say whether there are parameters or costs to choose between."""
    return len(experiment.classifier.costs) * len(cell.combinations()) > 1


def is_shared(cell: Cell) -> bool:
    """Say whether all repetitions share a matrix of distances."""
    entry = cell.descriptor
    return entry.similarity == "max-distance" and is_kernel(entry.make)


def matrix_key(experiment: Experiment, cell: Cell, params: Params) -> str:
    """Return the key of the distances that all repetitions share."""
    return _key(experiment, cell, MATRIX, params, None)


def over_budget_key(experiment: Experiment, cell: Cell) -> str:
    """Return the key of the note that a cell has used up its time."""
    return _key(experiment, cell, OVER_BUDGET, {}, None)


def _task(
    experiment: Experiment,
    cell: Cell,
    stage: str,
    params: Params,
    repetition: int | None,
) -> Task:
    key = _key(experiment, cell, stage, params, repetition)
    return Task(cell, stage, params, repetition, key)


def _key(
    experiment: Experiment,
    cell: Cell,
    stage: str,
    params: Params,
    repetition: int | None,
) -> str:
    dataset, descriptor = cell.dataset, cell.descriptor
    content: dict[str, Any] = {
        "format": FORMAT,
        "stage": stage,
        "seed": experiment.seed,
        "dataset": [dataset.source, dataset.per_class, dataset.protocol],
        "descriptor": [
            descriptor.make,
            descriptor.standardize,
            descriptor.similarity,
            descriptor.on_all_rows,
        ],
        "params": params,
        "repetition": repetition,
    }
    if descriptor.rescale:
        content["rescale"] = True
    classifier = experiment.classifier
    if stage == SCREEN:
        used = [classifier.costs, classifier.screen_iterations, classifier.screen_rows]
    elif stage == FINAL:
        used = [classifier.costs, classifier.max_iterations, classifier.folds]
        if not chooses(experiment, cell):
            content["chooses"] = False  # no folds: another result than with them
    else:
        used = []
    if stage in (MATRIX, OVER_BUDGET):
        # Two descriptors may share distances, but never a note about a cell.
        content["name"] = cell.name if stage == OVER_BUDGET else dataset.name
    return key_of(content | {"classifier": used})


def _number(value: float | None) -> float:
    return -1.0 if value is None else value
