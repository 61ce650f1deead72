"""Say for every cell of the paper's table whether our result agrees with it.

``python -m experiments.verdicts`` reads the results of EXP-A and EXP-B and the notes in
``results/notes.toml``, and writes ``results/verdicts.md``.
"""

import math
import tomllib
from pathlib import Path
from typing import Any

import pandas as pd

from pbow._utils.files import atomic_write
from pbow.experiment import Experiment, Folder, RunsTable
from pbow.experiment.tables import summarize

RESULTS = Path(__file__).parent / "results"
EXPERIMENTS = {"exp_a": "EXP-A", "exp_b": "EXP-B"}

# The difference may be chance, or too small to matter; or nothing can be said.
N_ERRORS = 2.0
SMALL = 1.5
WIDE = 5.0
Z_95 = 1.96
# A descriptor's vectors are compared as in the authors' program.
CLASSIFIER = "distance"

COLUMNS = {
    "data": "Data set",
    "method": "Method",
    "here": "Here",
    "paper": "Paper",
    "difference": "Difference [95 % interval]",
    "verdict": "Verdict",
    "linear": "Here, linear SVM",
    "nested": "Here, nested",
    "why": "Why",
}


def main() -> None:
    """Write the table."""
    text = to_markdown(read_verdicts())
    with atomic_write(RESULTS / "verdicts.md") as file:
        file.write(text.encode())


def read_verdicts(results: Path = RESULTS) -> pd.DataFrame:
    """Return the verdicts of all experiments of the paper that have results."""
    path = results / "notes.toml"
    notes = tomllib.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    found = []
    for name in EXPERIMENTS:
        folder = Folder(results / name)
        if folder.table.exists():
            experiment, runs = folder.read_declaration(), folder.read()
            found.append(verdicts_of(experiment, runs, notes.get(name, {})))
    return pd.concat(found, ignore_index=True)


def verdicts_of(
    experiment: Experiment, runs: RunsTable, notes: dict[str, dict[str, str]]
) -> pd.DataFrame:
    """Return one row per cell that the paper reports, stand-ins left out.

    Parameters
    ----------
    experiment : Experiment
        EXP-A or EXP-B.
    runs : RunsTable
        Its runs.
    notes : dict
        What there is to say, by data set and method.
    """
    summary = summarize(experiment, runs)
    reported = summary[
        summary.paper_accuracy.notna()
        & (summary.stand_in_for == "")
        & (summary.status == "complete")
    ]
    rows = []
    for row in reported[reported.classifier == CLASSIFIER].itertuples():
        of_cell = (reported.dataset == row.dataset) & (
            reported.descriptor == row.descriptor
        )
        linear = reported[of_cell & (reported.classifier == "linear")]
        difference, half_width, verdict = compare(
            (row.test_chosen_mean, row.test_chosen_std, row.n_repetitions),
            (row.paper_accuracy, row.paper_std, row.paper_runs),
        )
        rows.append(
            {
                "experiment": experiment.name,
                "dataset": row.dataset,
                "data": f"{EXPERIMENTS[experiment.name]}, {row.dataset_title}",
                "method": row.descriptor_title,
                "here": spread(row.test_chosen_mean, row.test_chosen_std),
                "paper": spread(row.paper_accuracy, row.paper_std),
                "difference": (
                    f"{difference:+.1f} [{difference - half_width:+.1f}, "
                    f"{difference + half_width:+.1f}]"
                ),
                "verdict": verdict,
                "linear": (
                    spread(
                        linear.test_chosen_mean.iloc[0], linear.test_chosen_std.iloc[0]
                    )
                    if len(linear)
                    else ""
                ),
                "nested": spread(row.nested_mean, row.nested_std),
                "why": notes.get(row.dataset, {}).get(row.descriptor, ""),
            }
        )
    return pd.DataFrame(rows)


def compare(
    here: tuple[float, float, int], paper: tuple[float, float, int]
) -> tuple[float, float, str]:
    """Return the difference of two means, half of its interval, and the verdict.

    Parameters
    ----------
    here, paper : (mean, std, n_runs)
        Accuracies in percent. Runs are taken for independent, which they are not quite:
        training sets overlap.
    """
    difference = here[0] - paper[0]
    error = math.hypot(here[1] / math.sqrt(here[2]), paper[1] / math.sqrt(paper[2]))
    half_width = Z_95 * error
    if abs(difference) > max(N_ERRORS * error, SMALL):
        verdict = "differs"
    elif half_width > WIDE:
        verdict = "undecided"
    else:
        verdict = "agrees"
    return difference, half_width, verdict


def to_markdown(verdicts: pd.DataFrame) -> str:
    """Return the table, and how many cells agree per data set."""
    counts = verdicts.groupby("data", sort=False).verdict.value_counts()
    lines = []
    for data in verdicts.data.unique():
        of_data: Any = counts[data]
        each = ", ".join(f"{n} {verdict}" for verdict, n in of_data.items())
        lines.append(f"- {data}: {each} (of {of_data.sum()})")
    shown = verdicts[list(COLUMNS)].rename(columns=COLUMNS)
    table = shown.to_markdown(index=False, disable_numparse=True)
    return "\n".join(lines) + f"\n\n{table}\n"


def spread(mean: float, std: float) -> str:
    """Return a mean and its standard deviation."""
    return f"{mean:.1f} ± {std:.1f}"


if __name__ == "__main__":
    main()
