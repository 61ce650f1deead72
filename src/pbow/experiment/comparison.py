"""The cells of a table against the best of their column."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from pbow.datasets.catalog import CATALOG
from pbow.experiment.declaration import DatasetEntry, Experiment
from pbow.experiment.plan import plan_cell
from pbow.experiment.runs import Run
from pbow.experiment.selection import Outcome, summarize
from pbow.experiment.significance import corrected_t_test, wilcoxon

__all__ = [
    "ALPHA",
    "Compared",
    "Spread",
    "Test",
    "by_corrected_t_test",
    "by_wilcoxon",
    "column_title",
    "compare",
    "is_other_data",
    "stand_in_for",
]

# The paper's level, at which it corrects nothing for the number of tests.
ALPHA = 0.1

# Two methods on the same divisions -> p-value.
Test = Callable[[Outcome, Outcome], float]


@dataclass(frozen=True)
class Spread:
    """A mean, and the sample standard deviation where there is more than one value."""

    mean: float
    std: float | None


@dataclass(frozen=True, kw_only=True)
class Compared:
    """What a cell of the table says.

    Attributes
    ----------
    outcome : Outcome
        What came out.
    nested, authors : Spread or None
        Percent of the test samples that were right, for both ways to choose
        parameters; None until all runs are done.
    p_value : float or None
        Of the difference from the best of the column; 1 of the best itself.
    is_best : bool
        Whether it has the best mean of the column (nested), the first of equals.
    is_marked : bool
        Whether it is the best, or the test cannot tell it from the best.
    is_fastest : bool
        Whether it took the least time of the column.
    n_fits, n_capped : int
        Support vector machines that were fitted for the cell, and that met the cap of
        iterations.
    """

    outcome: Outcome
    nested: Spread | None
    authors: Spread | None
    p_value: float | None
    is_best: bool
    is_marked: bool
    is_fastest: bool
    n_fits: int
    n_capped: int

    @property
    def status(self) -> str:
        """Whether the cell is complete, and if not, why there is no number."""
        outcome = self.outcome
        if outcome.is_complete:
            return "complete"
        if outcome.impossible is not None:
            return "cannot be run"
        done = f"{outcome.n_done} of {outcome.n_planned} runs"
        return done if outcome.over_budget is None else f"over budget: {done}"

    @property
    def note(self) -> str:
        """What else there is to say of a cell that is not complete."""
        if self.outcome.impossible is not None:
            return self.outcome.impossible.note
        budget = self.outcome.over_budget
        return "" if budget is None or self.outcome.is_complete else budget.note


def by_wilcoxon(best: Outcome, other: Outcome) -> float:
    """Return the p-value of the exact Wilcoxon signed-rank test, as in the paper."""
    return wilcoxon(best.accuracies, other.accuracies)


def by_corrected_t_test(best: Outcome, other: Outcome) -> float:
    """Return the p-value of the corrected resampled t-test."""
    return corrected_t_test(
        best.accuracies,
        other.accuracies,
        n_train=float(np.mean([run.n_train for run in best.nested])),
        n_test=float(np.mean([run.n_test for run in best.nested])),
    )


def compare(
    experiment: Experiment, runs: Mapping[str, Run], test: Test = by_wilcoxon
) -> dict[tuple[str, str], Compared]:
    """Return what the cells say, by names of data set and descriptor.

    Cells that are not complete take no part in the comparison.

    Parameters
    ----------
    experiment : Experiment
        The declaration.
    runs : mapping of str to Run
        By key.
    test : callable, default=by_wilcoxon
        Gives the p-value of the difference between two outcomes.
    """
    outcomes = summarize(experiment, runs)
    compared = {}
    for dataset in experiment.datasets:
        column = {place: o for place, o in outcomes.items() if place[0] == dataset.name}
        complete = [outcome for outcome in column.values() if outcome.is_complete]
        # max and min keep the first of equals.
        best = max(complete, key=lambda o: np.mean(o.accuracies), default=None)
        fastest = min(complete, key=lambda o: o.seconds or 0.0, default=None)
        for place, outcome in column.items():
            p_value = None
            if best is not None and outcome.is_complete:
                p_value = 1.0 if outcome is best else test(best, outcome)
            made = [
                runs[task.key]
                for task in plan_cell(experiment, outcome.cell, runs)
                if task.key in runs
            ]
            compared[place] = Compared(
                outcome=outcome,
                nested=_spread(outcome.accuracies),
                authors=_spread(outcome.authors_accuracies),
                p_value=p_value,
                is_best=outcome is best,
                is_marked=p_value is not None and p_value >= ALPHA,
                is_fastest=outcome is fastest,
                n_fits=sum(run.n_fits for run in made),
                n_capped=sum(run.n_capped for run in made),
            )
    return compared


def stand_in_for(dataset: DatasetEntry) -> str | None:
    """Return the name of the data set that this one stands in for, None if it is true.

    A file that is declared with "stand-in" in its title is one as well.
    """
    for entry in CATALOG:
        if entry.name == dataset.source.get("load") and entry.stand_in_for is not None:
            return entry.stand_in_for
    if "stand-in" in dataset.title.lower():
        return "the data set of the paper"
    return None


def is_other_data(dataset: DatasetEntry) -> bool:
    """Say whether the paper's numbers are of other data than these."""
    return stand_in_for(dataset) is not None or bool(dataset.differs)


def column_title(dataset: DatasetEntry) -> str:
    """Return the title of a data set; a stand-in is always named so."""
    if stand_in_for(dataset) is None or "stand-in" in dataset.title.lower():
        return dataset.title
    return f"{dataset.title} (stand-in)"


def _spread(values: Sequence[float]) -> Spread | None:
    if not values:
        return None
    std = float(np.std(values, ddof=1)) if len(values) > 1 else None
    return Spread(float(np.mean(values)), std)
