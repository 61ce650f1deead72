"""Say for every cell whether it agrees with the paper, and why not.

``python -m experiments.cell_by_cell`` reads the results of EXP-A and EXP-B and the
notes in results/discussion.toml, and writes results/cells.md, which the page on the
reproduction shows.
"""

import math
import tomllib
from collections.abc import Iterator
from pathlib import Path

from scipy.stats import spearmanr

from pbow._utils.files import atomic_write
from pbow.experiment import DatasetEntry, Experiment, Folder, Run, read_experiment
from pbow.experiment.comparison import (
    Compared,
    Spread,
    column_title,
    compare,
    is_other_data,
    stand_in_for,
)
from pbow.experiment.declaration import Reported
from pbow.experiment.plan import n_repetitions

HERE = Path(__file__).parent
RESULTS = HERE / "results"
NOTES = RESULTS / "discussion.toml"
PAGE = RESULTS / "cells.md"
EXPERIMENTS = ("exp_a", "exp_b")

# By data set and method, or "all": what there is to say.
Notes = dict[str, dict[str, str]]

# Two standard errors of the difference of two means.
N_ERRORS = 2.0


def main() -> None:
    """Write the page."""
    with atomic_write(PAGE) as file:
        file.write(page().encode())


def page() -> str:
    """Return the page: a section for each data set of each experiment."""
    notes = tomllib.loads(NOTES.read_text(encoding="utf-8")) if NOTES.exists() else {}
    parts = []
    for name in EXPERIMENTS:
        folder = Folder(RESULTS / name)
        experiment, runs = read_experiment(folder.declaration), folder.load()
        parts += sections(name, experiment, runs, notes.get(name, {}))
    return "\n\n".join(parts) + "\n"


def sections(
    name: str, experiment: Experiment, runs: dict[str, Run], notes: Notes
) -> Iterator[str]:
    """Give the paragraphs of an experiment."""
    cells = compare(experiment, runs)
    for dataset in experiment.datasets:
        column = [
            cell
            for cell in cells.values()
            if cell.outcome.cell.dataset == dataset and cell.outcome.cell.reported
        ]
        if not column:
            continue
        heading = name.upper().replace("_", "-")
        yield f"### {heading}, {column_title(dataset)}"
        about = notes.get(dataset.name, {})
        n = n_repetitions(experiment, dataset)
        yield "\n".join(rows(column, n, about, is_other=is_other_data(dataset)))
        if is_other_data(dataset):
            yield ranks(column, dataset)
        if "all" in about:
            yield about["all"].strip()


def rows(
    column: list[Compared], n: int, about: dict[str, str], *, is_other: bool
) -> Iterator[str]:
    """Give a row for each method, with what the difference amounts to."""
    yield "| method | here | test-chosen | paper | seconds: here, paper | |"
    yield "|---|---|---|---|---|---|"
    for cell in column:
        of = cell.outcome.cell
        remark = about.get(of.descriptor.name, "")
        if cell.nested is None:
            verdict = f"{cell.status} ({cell.note})" if cell.note else cell.status
        elif is_other:
            verdict = "other data"
        else:
            verdict = verdict_of(cell.nested, of.reported, n)
        entries = (
            of.descriptor.title,
            percent(cell.nested),
            percent(cell.authors),
            printed(of.reported),
            f"{duration(cell.outcome.seconds)}, {of.reported.seconds:,}",
            f"{verdict}: {remark}" if remark else verdict,
        )
        yield f"| {' | '.join(entries)} |"


def verdict_of(here: Spread, paper: Reported, n: int) -> str:
    """Say whether two means over `n` repetitions differ by more than chance has it."""
    difference = here.mean - paper.score
    error = math.hypot(here.std or 0.0, paper.std or 0.0) / math.sqrt(n)
    if abs(difference) <= N_ERRORS * error:
        return "agrees"
    return f"{abs(difference):.1f} {'higher' if difference > 0 else 'lower'}"


def ranks(column: list[Compared], dataset: DatasetEntry) -> str:
    """Say how the order of the methods compares with the paper's."""
    complete = [cell for cell in column if cell.nested is not None]
    here = [cell.nested.mean for cell in complete]
    paper = [cell.outcome.cell.reported.score for cell in complete]
    order = sorted(complete, key=lambda cell: -cell.nested.mean)
    listed = ", ".join(cell.outcome.cell.descriptor.title for cell in order)
    correlation = spearmanr(here, paper).statistic
    what = dataset.differs or f"a stand-in for {stand_in_for(dataset)}"
    return (
        f"Other data than the paper's ({what}): only the order of the methods can be "
        f"compared. Here it is {listed}; its rank correlation with the paper's is "
        f"{correlation:+.2f}."
    )


def percent(spread: Spread | None) -> str:
    """Return a mean and its standard deviation."""
    if spread is None:
        return "not yet"
    return f"{spread.mean:.1f}" + (f" ± {spread.std:.1f}" if spread.std else "")


def printed(paper: Reported) -> str:
    """Return what the paper prints."""
    return f"{paper.score}" + (f" ± {paper.std}" if paper.std is not None else "")


def duration(seconds: float | None) -> str:
    """Return seconds with as many digits as they are worth."""
    if seconds is None:
        return "not yet"
    return f"{seconds:,.1f}" if seconds >= 1.0 else f"{seconds:.2g}"


if __name__ == "__main__":
    main()
