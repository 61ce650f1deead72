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

from pbow.experiment import DatasetEntry, Experiment, Folder, Run, read_experiment
from pbow.experiment.comparison import Compared, column_title, compare, stand_in_for
from pbow.experiment.plan import n_repetitions
from pbow.io.archive import replacing

HERE = Path(__file__).parent
RESULTS = HERE / "results"
NOTES = RESULTS / "discussion.toml"
PAGE = RESULTS / "cells.md"
EXPERIMENTS = ("exp_a", "exp_b")

# Two standard errors of the difference of two means.
N_ERRORS = 2.0


def main() -> None:
    """Write the page."""
    with replacing(PAGE) as file:
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
    name: str, experiment: Experiment, runs: dict[str, Run], notes: dict[str, str]
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
        if stand_in_for(dataset) is None:
            n = n_repetitions(experiment, dataset)
            yield "\n".join(true_rows(column, n))
        else:
            yield "\n".join(stand_in_rows(column))
            yield ranks(column, dataset)
        if dataset.name in notes:
            yield notes[dataset.name].strip()


def true_rows(column: list[Compared], n: int) -> Iterator[str]:
    """Give a row for each method, with what the difference amounts to."""
    yield "| method | here | paper | difference | |"
    yield "|---|---|---|---|---|"
    for cell in column:
        title = cell.outcome.cell.descriptor.title
        reported = cell.outcome.cell.reported
        paper = f"{reported.score:.1f} ± {reported.std:.1f}"
        if cell.nested is None:
            yield f"| {title} | {cell.status} | {paper} | | {cell.note} |"
            continue
        difference = cell.nested.mean - reported.score
        error = math.hypot(cell.nested.std, reported.std) / math.sqrt(n)
        if abs(difference) <= N_ERRORS * error:
            verdict = "agrees"
        else:
            verdict = "higher" if difference > 0 else "lower"
        here = f"{cell.nested.mean:.1f} ± {cell.nested.std:.1f}"
        yield f"| {title} | {here} | {paper} | {difference:+.1f} | {verdict} |"


def stand_in_rows(column: list[Compared]) -> Iterator[str]:
    """Give a row for each method; on other data there is no difference to take."""
    yield "| method | here, on the stand-in | paper, on the true data |"
    yield "|---|---|---|"
    for cell in column:
        title = cell.outcome.cell.descriptor.title
        reported = cell.outcome.cell.reported
        paper = f"{reported.score:.1f} ± {reported.std:.1f}"
        here = cell.status
        if cell.nested is not None:
            here = f"{cell.nested.mean:.1f} ± {cell.nested.std:.1f}"
        yield f"| {title} | {here} | {paper} |"


def ranks(column: list[Compared], dataset: DatasetEntry) -> str:
    """Say how the order of the methods compares with the paper's."""
    complete = [cell for cell in column if cell.nested is not None]
    here = [cell.nested.mean for cell in complete]
    paper = [cell.outcome.cell.reported.score for cell in complete]
    order = sorted(complete, key=lambda cell: -cell.nested.mean)
    listed = ", ".join(cell.outcome.cell.descriptor.title for cell in order)
    correlation = spearmanr(here, paper).statistic
    return (
        f"Other data than the paper's ({stand_in_for(dataset)}): only the order of the "
        f"methods can be compared. Here it is {listed}; its rank correlation with the "
        f"paper's is {correlation:+.2f}."
    )


if __name__ == "__main__":
    main()
