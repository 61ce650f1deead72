"""Check what the paper concludes, against its own table and against our results.

``python -m experiments.claims`` reads the results of EXP-A and EXP-B and writes
``results/claims.md``: what the paper says, what its table gives for it, and what was
found here. Our accuracies and times are test-chosen, with the classifier on distances,
as in the authors' program. Stand-ins are counted apart.
"""

import json
from collections.abc import Container
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd
from experiments.verdicts import CLASSIFIER, compare

from pbow._utils.files import atomic_write
from pbow.experiment import Cell, Experiment, Folder, RunsTable, choose, planned
from pbow.experiment.results import TEST_CHOSEN
from pbow.experiment.significance import smallest_p, wilcoxon
from pbow.experiment.tables import stand_in_for, summarize

RESULTS = Path(__file__).parent / "results"
KERNELS = ("2Wd", "MK", "SWK", "PL")
WORDS = ("PBoW", "sPBoW")
# The paper's level of significance.
ALPHA = 0.1
# A gain from weighting that counts, in points.
GAIN = 1.0
# Sizes of codebooks that are shown, on the data sets that the paper speaks of.
SIZES = (10, 20, 50, 100, 200)
SIZED = ("synthetic", "reddit-5k")
# Ends the titles of data sets that are counted apart.
STAND_IN = "stand-in"
# Our numbers; those of the paper have the same names.
NUMBERS = {
    "accuracy": "test_chosen_mean",
    "std": "test_chosen_std",
    "runs": "n_repetitions",
    "seconds": "test_chosen_seconds",
}


class Claim(NamedTuple):
    """What the paper says, and what its table and our results give for it."""

    claim: str
    paper: str
    here: str


class Results(NamedTuple):
    """Of one experiment: a row per cell with the paper's numbers, and one with ours.

    Their columns are dataset, title, descriptor, accuracy, std, runs, seconds, and
    level: whether the cell is not significantly worse than the best of its data set.
    `screened` are the runs of the screening, `words` the cells of PBoW and sPBoW.
    """

    paper: pd.DataFrame
    here: pd.DataFrame
    screened: pd.DataFrame
    words: list[Cell]


def main() -> None:
    """Write the list."""
    claims = check_claims(read_results("exp_a"), read_results("exp_b"))
    with atomic_write(RESULTS / "claims.md") as file:
        file.write(to_markdown(claims).encode())


def read_results(name: str, results: Path = RESULTS) -> Results:
    """Return what a folder of results has on the paper's cells."""
    folder = Folder(results / name)
    return results_of(folder.read_declaration(), folder.read())


def results_of(experiment: Experiment, runs: RunsTable) -> Results:
    """Return the paper's cells, without variants of data sets.

    Raises
    ------
    ValueError
        If one of them is not complete.
    """
    runs = planned(experiment, runs)
    summary = summarize(experiment, runs)
    rows = summary[
        summary.paper_accuracy.notna()
        & (summary.variant_of == "")
        & (summary.classifier == CLASSIFIER)
    ]
    missing = rows[~rows.status.str.startswith("complete")]
    if len(missing):
        names = ", ".join(missing.dataset + "/" + missing.descriptor)
        msg = f"{experiment.name} is not complete: {names}."
        raise ValueError(msg)
    title = rows.stand_in_for.where(rows.stand_in_for != "", rows.dataset_title)
    paper = rows.assign(
        title=title,
        level=rows.paper_best,
        **{to: rows[f"paper_{to}"].astype(float) for to in NUMBERS},
    )
    here = rows.assign(
        title=title.where(rows.stand_in_for == "", title + f" {STAND_IN}"),
        level=_is_level(rows, choose(experiment, runs)),
        **{to: rows[name] for to, name in NUMBERS.items()},
    )
    frame = runs.frame
    screened = frame[(frame.stage == "screen") & (frame.classifier == CLASSIFIER)]
    words = [
        cell
        for cell in experiment.cells
        if cell.descriptor.name in WORDS and cell.dataset.name in set(rows.dataset)
    ]
    return Results(paper, here, screened, words)


def check_claims(exp_a: Results, exp_b: Results) -> list[Claim]:
    """Return all claims, in the order of the paper."""
    of_both = [
        pd.concat([one, other.assign(title=other.title + " (EXP-B)")])
        for one, other in ((exp_a.paper, exp_b.paper), (exp_a.here, exp_b.here))
    ]
    of_a = [exp_a.paper, exp_a.here]
    return [
        Claim(
            '"For all experiments in EXP-A and EXP-B, PBoW or sPBoW achieve '
            'state-of-the-art performance or even above."',
            *map(words_are_level_with_the_best, of_both),
        ),
        Claim(
            'EXP-A: "vectorized representations (including the proposed ones) in all '
            'cases outperform kernel-based approaches."',
            *map(vectors_against_kernels, of_a),
        ),
        Claim(
            '"PBoW in most cases outperforms its stable equivalent."',
            *map(plain_words_ahead, of_both),
        ),
        Claim(
            '"(s)PBoW outperform almost all state of the art approaches in runtime for '
            "all datasets (in EXP-A and EXP-B). The gain in runtime efficiency ranges "
            'from one to up to four orders of magnitude."',
            *map(times_against_words, of_both),
        ),
        Claim(
            'Synthetic: "larger codebook sizes are better than small ones but also '
            '[...] with already 20 words a high performance can already be achieved"; '
            'Reddit-5k: "no recognizable increase in performance for larger codebook '
            'sizes."',
            papers_optima(exp_a, "n_words", SIZED),
            accuracies_by_size(exp_a),
        ),
        Claim(
            '"The benefit of weighting is dataset dependent and [...] no general '
            'recommendation can be derived."',
            papers_optima(exp_a, "weighting", set(exp_a.here.dataset)),
            gains_of_weighting(exp_a),
        ),
        Claim(
            '"The stable formulation of PBoW, however, performs equally well or even '
            'better than the unstable one in 4/6 datasets."',
            *map(stable_words_level, of_a),
        ),
    ]


def words_are_level_with_the_best(rows: pd.DataFrame) -> str:
    """Count where PBoW or sPBoW is not significantly worse than the best method."""
    holds, listed, notes = {}, [], []
    for title, column in rows.groupby("title", sort=False):
        words, n = column[column.descriptor.isin(WORDS)], int(column.runs.max())
        listed.append(f"{title} {_best(words)}, best {_best(column)}")
        if smallest_p(n) > ALPHA:
            notes.append(
                f" {title} does not count: {n} splits cannot show a difference."
            )
        else:
            holds[title] = words.level.any()
    return (
        f"{_count(holds)} (Wilcoxon test, p > {ALPHA}).{''.join(notes)} "
        f"{'; '.join(listed)}."
    )


def vectors_against_kernels(rows: pd.DataFrame) -> str:
    """Compare the best vectorized method with the best kernel."""
    holds, listed = {}, []
    for title, column in rows.groupby("title", sort=False):
        is_kernel = column.descriptor.isin(KERNELS)
        vectors, kernels = column[~is_kernel], column[is_kernel]
        holds[title] = vectors.accuracy.max() > kernels.accuracy.max()
        listed.append(f"{title} {_best(vectors)} and {_best(kernels)}")
    return (
        f"{_count(holds)}. Best vectorized method and best kernel: {'; '.join(listed)}."
    )


def plain_words_ahead(rows: pd.DataFrame) -> str:
    """Count where PBoW has the higher mean."""
    lead = {title: one.accuracy - two.accuracy for title, one, two in _words(rows)}
    listed = ", ".join(f"{title} {value:+.1f}" for title, value in lead.items())
    holds = {title: value > 0 for title, value in lead.items()}
    return f"{_count(holds)}. PBoW minus sPBoW: {listed}."


def stable_words_level(rows: pd.DataFrame) -> str:
    """Count where sPBoW is better than PBoW, or level by the rule of the verdicts."""
    holds = {}
    for title, plain, stable in _words(rows):
        difference, _, verdict = compare(
            *(tuple(row[["accuracy", "std", "runs"]]) for row in (stable, plain))
        )
        holds[title] = difference > 0 or verdict != "differs"
    level = ", ".join(title for title, is_level in holds.items() if is_level) or "none"
    return (
        f"{_count(holds)} ({level}); equally well is within two standard errors or 1.5 "
        "points."
    )


def times_against_words(rows: pd.DataFrame) -> str:
    """Divide the times of the other methods by that of PBoW."""
    words = rows[rows.descriptor == "PBoW"].set_index("title").seconds
    others = rows[~rows.descriptor.isin(WORDS)]
    others = others.assign(ratio=others.seconds / others.title.map(words))
    keys = others.title.str.contains(STAND_IN), others.descriptor.isin(KERNELS)
    parts = []
    for (is_stand_in, is_kernel), ratios in others.ratio.groupby(list(keys)):
        low, middle, high = (
            f"{value:,.0f}" if value >= 10 else f"{value:.1f}"
            for value in (ratios.min(), ratios.median(), ratios.max())
        )
        parts.append(
            f"{'kernels' if is_kernel else 'PI and RM'}{' on stand-ins' * is_stand_in} "
            f"{low} to {high}, median {middle}, at least 10 in "
            f"{(ratios >= 10.0).sum()} of {len(ratios)}"
        )
    return f"Time divided by that of PBoW: {'; '.join(parts)}."


def papers_optima(exp_a: Results, param: str, datasets: Container[str]) -> str:
    """List the best values of a parameter by the paper's supplement."""
    listed = [
        f"{cell.descriptor.name} on {stand_in_for(cell.dataset) or cell.dataset.title} "
        f"{cell.optimum[param]}"
        for cell in exp_a.words
        if cell.optimum is not None and cell.dataset.name in datasets
    ]
    return f"Not in the table; optima of the supplement: {', '.join(listed)}."


def accuracies_by_size(exp_a: Results) -> str:
    """List accuracies by the number of words, with the best of the other parameters."""
    listed = []
    for cell in exp_a.words:
        if cell.dataset.name in SIZED:
            means = _screened(exp_a, cell, "n_words")
            shown = (f"{means[n]:.1f} ({n})" for n in SIZES if n in means.index)
            listed.append(
                f"{cell.descriptor.name} on {cell.dataset.title} {', '.join(shown)}; "
                f"best {means.max():.1f} ({means.idxmax()})"
            )
    return f"Accuracy (number of words) in the screening: {'. '.join(listed)}."


def gains_of_weighting(exp_a: Results) -> str:
    """Compare weighted with uniform sampling, each with its best other parameters."""
    gains = {}
    for cell in exp_a.words:
        means = _screened(exp_a, cell, "weighting")
        stands_for = stand_in_for(cell.dataset)
        title = f"{stands_for} {STAND_IN}" if stands_for else cell.dataset.title
        gains[f"{cell.descriptor.name} on {title}"] = means["ramp"] - means["uniform"]
    better = {title: gain > GAIN for title, gain in gains.items()}
    worse = {title: gain < -GAIN for title, gain in gains.items()}
    listed = ", ".join(f"{title} {gain:+.1f}" for title, gain in gains.items())
    return (
        f"Better with weighting by more than {GAIN:g} point: {_count(better)}; worse: "
        f"{_count(worse)}. Gains in the screening: {listed}."
    )


def to_markdown(claims: list[Claim]) -> str:
    """Return the claims as a table."""
    frame = pd.DataFrame(claims)
    frame.columns = ["The paper", "The paper's table", "Here"]
    return f"{frame.to_markdown(index=False, disable_numparse=True)}\n"


def _is_level(rows: pd.DataFrame, chosen: pd.DataFrame) -> list[bool]:
    """Return for each cell whether it is not significantly worse than the best."""
    chosen = chosen[
        (chosen.classifier == CLASSIFIER) & (chosen.selection == TEST_CHOSEN)
    ].sort_values("repetition")
    accuracies = {
        place: group.accuracy.to_numpy()
        for place, group in chosen.groupby(["dataset", "descriptor"])
    }
    best = {
        dataset: column.descriptor[column.test_chosen_mean.idxmax()]
        for dataset, column in rows.groupby("dataset")
    }
    return [
        wilcoxon(accuracies[data, best[data]], accuracies[data, method]) > ALPHA
        for data, method in zip(rows.dataset, rows.descriptor, strict=True)
    ]


def _screened(results: Results, cell: Cell, param: str) -> pd.Series:
    """Return the best mean test accuracy of the screening for each value of one."""
    runs = results.screened
    runs = runs[
        (runs.dataset == cell.dataset.name) & (runs.descriptor == cell.descriptor.name)
    ]
    means = 100.0 * runs.groupby("params").accuracy.mean()
    values = [json.loads(params)[param] for params in means.index]
    return means.groupby(values).max()


def _words(rows: pd.DataFrame) -> list[tuple[str, Any, Any]]:
    """Return PBoW and sPBoW of each data set."""
    return [
        (str(title), *(column[column.descriptor == name].iloc[0] for name in WORDS))
        for title, column in rows.groupby("title", sort=False)
    ]


def _best(rows: pd.DataFrame) -> str:
    best = rows.loc[rows.accuracy.idxmax()]
    return f"{best.descriptor} {best.accuracy:.1f}"


def _count(holds: dict[str, bool]) -> str:
    """Say in how many data sets something holds, stand-ins apart."""
    own = [value for title, value in holds.items() if STAND_IN not in title]
    others = [value for title, value in holds.items() if STAND_IN in title]
    text = f"{sum(own)} of {len(own)}"
    return f"{text}, stand-ins {sum(others)} of {len(others)}" if others else text


if __name__ == "__main__":
    main()
