"""From the runs of a cell to one result: parameters chosen in two ways, both named."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from pbow.experiment.declaration import Cell, Experiment, describe
from pbow.experiment.plan import (
    best_inside,
    n_repetitions,
    over_budget_key,
    plan_cell,
)
from pbow.experiment.runs import FINAL, MATRIX, SCREEN, Run

__all__ = ["Outcome", "summarize"]


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """What came out of a descriptor on a data set.

    Attributes
    ----------
    cell : Cell
        Which one.
    nested : tuple of Run
        A final run for each repetition: the combination that was best by
        cross-validation inside its own training part. Empty until all are done.
    authors : tuple of Run
        The final runs of the one combination whose mean accuracy on the test parts is
        best, among those that were run in all repetitions: optimistic, because the test
        parts have chosen it. Empty until all are done.
    n_done, n_planned : int
        Runs that are finished and that are known to be needed; more may be needed while
        the screening is not finished.
    seconds : float or None
        Median time to construct the representation at the chosen parameters, distances
        that repetitions share included. None until all are done. A median, because the
        first run of a process loads compiled code.
    over_budget : Run or None
        The note that the cell has used up its time.
    impossible : Run or None
        A repetition in which none of the combinations could be run: its note says why.
    """

    cell: Cell
    nested: tuple[Run, ...]
    authors: tuple[Run, ...]
    n_done: int
    n_planned: int
    seconds: float | None
    over_budget: Run | None = None
    impossible: Run | None = None

    @property
    def is_complete(self) -> bool:
        """Whether all runs are there."""
        return bool(self.nested)

    @property
    def accuracies(self) -> list[float]:
        """Percent of the test samples that were right, in each repetition (nested)."""
        return [100.0 * (run.accuracy or 0.0) for run in self.nested]

    @property
    def authors_accuracies(self) -> list[float]:
        """The same for the combination that the test parts have chosen."""
        return [100.0 * (run.accuracy or 0.0) for run in self.authors]


def summarize(
    experiment: Experiment, runs: Mapping[str, Run]
) -> dict[tuple[str, str], Outcome]:
    """Return what came out of every cell, by names of data set and descriptor.

    Parameters
    ----------
    experiment : Experiment
        The declaration.
    runs : mapping of str to Run
        By key, as :meth:`Folder.load` returns them. Runs of other declarations do not
        matter.
    """
    return {
        (cell.dataset.name, cell.descriptor.name): _outcome(experiment, cell, runs)
        for cell in experiment.cells
    }


def _outcome(experiment: Experiment, cell: Cell, runs: Mapping[str, Run]) -> Outcome:
    tasks = plan_cell(experiment, cell, runs)
    done = [runs[task.key] for task in tasks if task.key in runs]
    finals = [run for run in done if run.stage == FINAL]
    is_complete = 0 < sum(task.stage == FINAL for task in tasks) == len(finals)
    n = n_repetitions(experiment, cell.dataset)
    nested = _nested(experiment, done, n) if is_complete else ()
    impossible = next((run for run in nested if run.accuracy is None), None)
    if impossible is not None:
        nested, is_complete = (), False
    shared = {
        describe(run.params): run.representation_seconds
        for run in done
        if run.stage == MATRIX
    }
    seconds = [
        run.representation_seconds + shared.get(describe(run.params), 0.0)
        for run in nested
    ]
    return Outcome(
        cell=cell,
        nested=nested,
        authors=_authors(finals, n) if is_complete else (),
        n_done=len(done),
        n_planned=len(tasks),
        seconds=float(np.median(seconds)) if is_complete else None,
        over_budget=runs.get(over_budget_key(experiment, cell)),
        impossible=impossible,
    )


def _nested(experiment: Experiment, done: list[Run], n: int) -> tuple[Run, ...]:
    screened = [run for run in done if run.stage == SCREEN]
    inside = best_inside(experiment.classifier.finalists, screened)
    candidates = [
        run
        for run in done
        if run.stage == FINAL
        and (not screened or (describe(run.params), run.repetition) in inside)
    ]
    # max keeps the first of equals, which is the first of the grid.
    return tuple(
        max(
            (run for run in candidates if run.repetition == repetition),
            # What has nothing to choose between has no validation, only an accuracy.
            key=lambda run: (run.accuracy is not None, run.validation or 0.0),
        )
        for repetition in range(n)
    )


def _authors(finals: list[Run], n: int) -> tuple[Run, ...]:
    by_params: dict[str, list[Run]] = {}
    for run in finals:
        by_params.setdefault(describe(run.params), []).append(run)
    in_all = [group for group in by_params.values() if len(group) == n]
    best = max(in_all, key=lambda group: sum(run.accuracy or 0.0 for run in group))
    return tuple(sorted(best, key=lambda run: run.repetition or 0))
