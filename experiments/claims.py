"""Check what the paper concludes, against its own table and against our results.

``python -m experiments.claims`` reads the results of EXP-A and EXP-B and writes
``results/claims.md``: what the paper says, what its table gives for it, and what was
found here. Our accuracies and times are test-chosen, with the classifier on distances,
as in the authors' program. Stand-ins are counted apart.
"""

import json
from collections.abc import Container
from typing import Any, NamedTuple

import pandas as pd
from experiments.verdicts import CLASSIFIER, RESULTS, compare

from pbow.experiment import Experiment, Folder, choose, planned, to_frame
from pbow.experiment.results import TEST_CHOSEN
from pbow.experiment.significance import wilcoxon
from pbow.experiment.tables import summarize
from pbow.experiment.tasks import Runs

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


class Results(NamedTuple):
    """Of one experiment: a row per cell with the paper's numbers, and one with ours.

    Their columns are dataset, title, descriptor, accuracy, std, runs, seconds, optimum
    of the paper's supplement, and level: whether the cell is not significantly worse
    than the best of its data set. `screened` are the runs of the screening.
    """

    paper: pd.DataFrame
    here: pd.DataFrame
    screened: pd.DataFrame


def main() -> None:
    """Write the list."""
    folders = [Folder(RESULTS / name) for name in ("exp_a", "exp_b")]
    read = (results_of(folder.read_declaration(), folder.read()) for folder in folders)
    (RESULTS / "claims.md").write_text(check_claims(*read), encoding="utf-8")


def results_of(experiment: Experiment, runs: Runs) -> Results:
    """Return the paper's cells, without variants of data sets; raise if some miss."""
    runs = planned(experiment, runs)
    summary = summarize(experiment, runs)
    rows = summary[
        summary.paper_accuracy.notna()
        & (summary.variant_of == "")
        & (summary.classifier == CLASSIFIER)
    ]
    names = rows.dataset + "/" + rows.descriptor
    if not (is_complete := rows.status.str.startswith("complete")).all():
        msg = f"{experiment.name} is not complete: {', '.join(names[~is_complete])}."
        raise ValueError(msg)
    optima = {cell.name: cell.optimum for cell in experiment.cells}
    is_own = rows.stand_in_for == ""
    title = rows.dataset_title.where(is_own, rows.stand_in_for)
    paper = rows.assign(
        title=title,
        level=rows.paper_best,
        optimum=[optima[name] for name in names],
        **{to: rows[f"paper_{to}"].astype(float) for to in NUMBERS},
    )
    here = rows.assign(
        title=title.where(is_own, title + f" {STAND_IN}"),
        level=_is_level(rows, choose(experiment, runs)),
        **{to: rows[name] for to, name in NUMBERS.items()},
    )
    frame = to_frame(runs)
    screened = frame[(frame.stage == "screen") & (frame.classifier == CLASSIFIER)]
    return Results(paper, here, screened)


def check_claims(exp_a: Results, exp_b: Results) -> str:
    """Return all claims as a table, in the order of the paper."""
    of_both = [
        pd.concat([one, other.assign(title=other.title + " (EXP-B)")])
        for one, other in ((exp_a.paper, exp_b.paper), (exp_a.here, exp_b.here))
    ]
    of_a = [exp_a.paper, exp_a.here]
    claims = [
        (
            '"For all experiments in EXP-A and EXP-B, PBoW or sPBoW achieve '
            'state-of-the-art performance or even above."',
            *map(words_are_level_with_the_best, of_both),
        ),
        (
            'EXP-A: "vectorized representations (including the proposed ones) in all '
            'cases outperform kernel-based approaches."',
            *map(vectors_against_kernels, of_a),
        ),
        (
            '"PBoW in most cases outperforms its stable equivalent."',
            *map(plain_words_ahead, of_both),
        ),
        (
            '"(s)PBoW outperform almost all state of the art approaches in runtime for '
            "all datasets (in EXP-A and EXP-B). The gain in runtime efficiency ranges "
            'from one to up to four orders of magnitude."',
            *map(times_against_words, of_both),
        ),
        (
            'Synthetic: "larger codebook sizes are better than small ones but also '
            '[...] with already 20 words a high performance can already be achieved"; '
            'Reddit-5k: "no recognizable increase in performance for larger codebook '
            'sizes."',
            papers_optima(exp_a, "n_words", SIZED),
            accuracies_by_size(exp_a),
        ),
        (
            '"The benefit of weighting is dataset dependent and [...] no general '
            'recommendation can be derived."',
            papers_optima(exp_a, "weighting", set(exp_a.here.dataset)),
            gains_of_weighting(exp_a),
        ),
        (
            '"The stable formulation of PBoW, however, performs equally well or even '
            'better than the unstable one in 4/6 datasets."',
            *map(stable_words_level, of_a),
        ),
    ]
    frame = pd.DataFrame(claims, columns=["The paper", "The paper's table", "Here"])
    return f"{frame.to_markdown(index=False, disable_numparse=True)}\n"


def words_are_level_with_the_best(rows: pd.DataFrame) -> str:
    """Count where PBoW or sPBoW is not significantly worse than the best method."""
    holds, listed, notes = {}, [], ""
    for title, column in rows.groupby("title", sort=False):
        words, n = column[column.descriptor.isin(WORDS)], int(column.runs.max())
        listed.append(f"{title} {_best(words)}, best {_best(column)}")
        if wilcoxon(range(1, n + 1), [0] * n) > ALPHA:  # even if it is always ahead
            notes += f" {title} does not count: {n} splits cannot show a difference."
        else:
            holds[title] = words.level.any()
    return f"{_count(holds)} (Wilcoxon test, p > {ALPHA}).{notes} {'; '.join(listed)}."


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
    holds = {title: value > 0 for title, value in lead.items()}
    return f"{_count(holds)}. PBoW minus sPBoW: {_signed(lead)}."


def stable_words_level(rows: pd.DataFrame) -> str:
    """Count where sPBoW is better than PBoW, or level by the rule of the verdicts."""
    holds = {}
    for title, *both in _words(rows):
        plain, stable = (tuple(row[["accuracy", "std", "runs"]]) for row in both)
        difference, _, verdict = compare(stable, plain)
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
        where = " on stand-ins" if is_stand_in else ""
        parts.append(
            f"{'kernels' if is_kernel else 'PI and RM'}{where} "
            f"{low} to {high}, median {middle}, at least 10 in "
            f"{(ratios >= 10.0).sum()} of {len(ratios)}"
        )
    return f"Time divided by that of PBoW: {'; '.join(parts)}."


def papers_optima(exp_a: Results, param: str, datasets: Container[str]) -> str:
    """List the best values of a parameter by the paper's supplement."""
    listed = [
        f"{row.descriptor} on {row.title} {row.optimum[param]}"
        for row in _cells_of_words(exp_a.paper)
        if row.optimum is not None and row.dataset in datasets
    ]
    return f"Not in the table; optima of the supplement: {', '.join(listed)}."


def accuracies_by_size(exp_a: Results) -> str:
    """List accuracies by the number of words, with the best of the other parameters."""
    listed = []
    for row in _cells_of_words(exp_a.here):
        if row.dataset in SIZED:
            means = _screened(exp_a, row, "n_words")
            shown = (f"{means[n]:.1f} ({n})" for n in SIZES if n in means.index)
            listed.append(
                f"{row.descriptor} on {row.title} {', '.join(shown)}; "
                f"best {means.max():.1f} ({means.idxmax()})"
            )
    return f"Accuracy (number of words) in the screening: {'. '.join(listed)}."


def gains_of_weighting(exp_a: Results) -> str:
    """Compare weighted with uniform sampling, each with its best other parameters."""
    gains = {}
    for row in _cells_of_words(exp_a.here):
        means = _screened(exp_a, row, "weighting")
        gains[f"{row.descriptor} on {row.title}"] = means["ramp"] - means["uniform"]
    better = {title: gain > GAIN for title, gain in gains.items()}
    worse = {title: gain < -GAIN for title, gain in gains.items()}
    return (
        f"Better with weighting by more than {GAIN:g} point: {_count(better)}; worse: "
        f"{_count(worse)}. Gains in the screening: {_signed(gains)}."
    )


def _is_level(rows: pd.DataFrame, chosen: pd.DataFrame) -> list[bool]:
    """Return for each cell whether it is not significantly worse than the best."""
    chosen = chosen[
        (chosen.classifier == CLASSIFIER) & (chosen.selection == TEST_CHOSEN)
    ].sort_values("repetition")
    accuracies = chosen.groupby(["dataset", "descriptor"]).accuracy.agg(list)
    best = rows.loc[rows.groupby("dataset").test_chosen_mean.idxmax()]
    best = best.set_index("dataset").descriptor
    return [
        wilcoxon(accuracies[data, best[data]], accuracies[data, method]) > ALPHA
        for data, method in zip(rows.dataset, rows.descriptor, strict=True)
    ]


def _screened(results: Results, cell: Any, param: str) -> pd.Series:
    """Return the best mean test accuracy of the screening for each value of one."""
    runs = results.screened
    runs = runs[(runs.dataset == cell.dataset) & (runs.descriptor == cell.descriptor)]
    means = 100.0 * runs.groupby("params").accuracy.mean()
    values = [json.loads(params)[param] for params in means.index]
    return means.groupby(values).max()


def _cells_of_words(rows: pd.DataFrame) -> Any:
    return rows[rows.descriptor.isin(WORDS)].itertuples()


def _words(rows: pd.DataFrame) -> list[tuple[str, Any, Any]]:
    """Return PBoW and sPBoW of each data set."""
    return [
        (str(title), *(column[column.descriptor == name].iloc[0] for name in WORDS))
        for title, column in rows.groupby("title", sort=False)
    ]


def _best(rows: pd.DataFrame) -> str:
    best = rows.loc[rows.accuracy.idxmax()]
    return f"{best.descriptor} {best.accuracy:.1f}"


def _signed(values: dict[str, float]) -> str:
    # Adding 0 makes 0 of what is rounded to -0.
    rounded = {title: round(value, 1) + 0.0 for title, value in values.items()}
    return ", ".join(f"{title} {value:+.1f}" for title, value in rounded.items())


def _count(holds: dict[str, bool]) -> str:
    """Say in how many data sets something holds, stand-ins apart."""
    own = [value for title, value in holds.items() if STAND_IN not in title]
    others = [value for title, value in holds.items() if STAND_IN in title]
    text = f"{sum(own)} of {len(own)}"
    return f"{text}, stand-ins {sum(others)} of {len(others)}" if others else text


if __name__ == "__main__":
    main()
