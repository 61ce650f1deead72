"""Say for every cell of the paper's table whether our result agrees with it.

``python -m experiments.verdicts`` reads the results of EXP-A and EXP-B and the notes in
``results/notes.toml``, and writes ``results/verdicts.md``.
"""

import math
import tomllib
from pathlib import Path

import pandas as pd
from scipy import stats

from pbow.experiment import Experiment, Folder
from pbow.experiment.tables import spread, summarize
from pbow.experiment.tasks import Runs

RESULTS = Path(__file__).parent / "results"
EXPERIMENTS = {"exp_a": "EXP-A", "exp_b": "EXP-B"}

# The difference may be chance, or too small to matter; or nothing can be said.
N_ERRORS = 2.0
SMALL = 1.5
WIDE = 5.0
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
    (RESULTS / "verdicts.md").write_text(text, encoding="utf-8")


def read_verdicts() -> pd.DataFrame:
    """Return the verdicts of both experiments of the paper."""
    notes = tomllib.loads((RESULTS / "notes.toml").read_text(encoding="utf-8"))
    folders = {name: Folder(RESULTS / name) for name in EXPERIMENTS}
    found = [
        verdicts_of(folder.read_declaration(), folder.read(), notes.get(name, {}))
        for name, folder in folders.items()
    ]
    return pd.concat(found, ignore_index=True)


def verdicts_of(
    experiment: Experiment, runs: Runs, notes: dict[str, dict[str, str]]
) -> pd.DataFrame:
    """Return one row per cell that the paper reports, stand-ins left out.

    `notes` has what there is to say, by data set and method.
    """
    summary = summarize(experiment, runs).astype({"paper_std": float})
    summary = summary[summary.paper_accuracy.notna() & (summary.stand_in_for == "")]
    # Some combinations of parameters may have failed.
    summary = summary[summary.status.str.startswith("complete")]
    linear = {
        (row.dataset, row.descriptor): spread(row.test_chosen_mean, row.test_chosen_std)
        for row in summary[summary.classifier == "linear"].itertuples()
    }
    rows = []
    for row in summary[summary.classifier == CLASSIFIER].itertuples():
        difference, half_width, verdict = compare(
            (row.test_chosen_mean, row.test_chosen_std, row.n_repetitions),
            (row.paper_accuracy, row.paper_std, row.paper_runs),
        )
        rows.append(
            {
                "dataset": row.dataset,
                "data": f"{EXPERIMENTS[experiment.name]}, {row.dataset_title}",
                "method": row.descriptor_title,
                "here": spread(row.test_chosen_mean, row.test_chosen_std),
                "paper": spread(row.paper_accuracy, row.paper_std),
                "difference": interval(difference, half_width),
                "verdict": verdict,
                "linear": linear.get((row.dataset, row.descriptor), ""),
                "nested": spread(row.nested_mean, row.nested_std),
                "why": notes.get(row.dataset, {}).get(row.descriptor, ""),
            }
        )
    return pd.DataFrame(rows, columns=["dataset", *COLUMNS])


def compare(
    here: tuple[float, float, int], paper: tuple[float, float, int]
) -> tuple[float, float, str]:
    """Return the difference of two means, half of its 95 % interval, and the verdict.

    Both are (mean, std, n_runs), accuracies in percent. The interval is Welch's: each
    mean has its own variance, and few runs make it wide. Runs are taken for
    independent, which they are not quite: training sets overlap. Without both standard
    deviations nothing is decided.
    """
    difference = here[0] - paper[0]
    # Squared standard errors.
    variances = [std**2 / n if n > 1 else math.nan for _, std, n in (here, paper)]
    error = math.sqrt(sum(variances))
    if not math.isfinite(error):
        return difference, math.nan, "undecided"
    half_width = 0.0
    if error > 0.0:
        runs = zip(variances, (here[2], paper[2]), strict=True)
        freedom = error**4 / sum(variance**2 / (n - 1) for variance, n in runs)
        half_width = float(stats.t.ppf(0.975, freedom)) * error
    if abs(difference) > max(N_ERRORS * error, SMALL):
        return difference, half_width, "differs"
    return difference, half_width, "undecided" if half_width > WIDE else "agrees"


def to_markdown(verdicts: pd.DataFrame) -> str:
    """Return the table, and how many cells agree per data set."""
    lines = []
    for data, found in verdicts.groupby("data", sort=False).verdict:
        each = ", ".join(f"{n} {what}" for what, n in found.value_counts().items())
        lines.append(f"- {data}: {each} (of {len(found)})")
    shown = verdicts[list(COLUMNS)].rename(columns=COLUMNS)
    table = shown.to_markdown(index=False, disable_numparse=True)
    return "\n".join(lines) + f"\n\n{table}\n"


def interval(difference: float, half_width: float) -> str:
    """Return a difference and its interval, where there is one."""
    if not math.isfinite(half_width):
        return f"{difference:+.1f}"
    low, high = difference - half_width, difference + half_width
    return f"{difference:+.1f} [{low:+.1f}, {high:+.1f}]"


if __name__ == "__main__":
    main()
