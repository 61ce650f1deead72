"""Check what the paper concludes against our results.

``python -m experiments.claims`` reads the results of EXP-A and EXP-B and writes
``results/claims.md``, one line per claim with the numbers that decide on it. They are
test-chosen, with the classifier on distances, as in the authors' program.
"""

import json
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd

from pbow._utils.files import atomic_write
from pbow.experiment import Folder, choose
from pbow.experiment.significance import wilcoxon
from pbow.experiment.tables import summarize

RESULTS = Path(__file__).parent / "results"
CLASSIFIER = "distance"
KERNELS = ("2Wd", "MK", "SWK", "PL")
VECTORS = ("PI", "RM", "PBoW", "sPBoW")
# Of the paper's test.
ALPHA = 0.1
# What a difference of accuracies must exceed to count, in points.
LEVEL = 1.0
FEW_WORDS = 50


class Claim(NamedTuple):
    """What the paper says, whether it holds here, and the numbers."""

    claim: str
    holds: str
    numbers: str


class Results(NamedTuple):
    """Of one experiment: a row per cell, the chosen runs, and all runs."""

    summary: pd.DataFrame
    chosen: pd.DataFrame
    runs: pd.DataFrame
    titles: dict[str, str]


def main() -> None:
    """Write the list."""
    claims = check_claims(read_results("exp_a"), read_results("exp_b"))
    with atomic_write(RESULTS / "claims.md") as file:
        file.write(to_markdown(claims).encode())


def read_results(name: str, results: Path = RESULTS) -> Results:
    """Return the paper's rows of an experiment, on the paper's data sets."""
    folder = Folder(results / name)
    experiment, runs = folder.read_declaration(), folder.read()
    summary = summarize(experiment, runs)
    summary = summary[
        summary.paper_accuracy.notna() & (summary.classifier == CLASSIFIER)
    ]
    chosen = choose(experiment, runs)
    chosen = chosen[
        (chosen.classifier == CLASSIFIER) & (chosen.selection == "test-chosen")
    ]
    titles = {
        entry.name: entry.title
        for entry in experiment.datasets
        if entry.name in set(summary.dataset)
    }
    return Results(summary, chosen, runs.frame, titles)


def check_claims(exp_a: Results, exp_b: Results) -> list[Claim]:
    """Return all claims, in the order of the paper."""
    return [
        vectors_beat_kernels(exp_a),
        words_are_first(exp_a, exp_b),
        orders_of_magnitude(exp_a, exp_b),
        stable_is_level(exp_a),
        few_words_suffice(exp_a),
        weighting_depends_on_data(exp_a),
    ]


def vectors_beat_kernels(exp_a: Results) -> Claim:
    """Compare the best vectorized method with the best kernel, per data set."""
    best = {
        dataset: tuple(
            column[column.descriptor.isin(names)].test_chosen_mean.max()
            for names in (VECTORS, KERNELS)
        )
        for dataset, column in exp_a.summary.groupby("dataset", sort=False)
    }
    n_ahead = sum(vector > kernel for vector, kernel in best.values())
    numbers = _listed(
        exp_a,
        {name: f"{one:.1f} and {other:.1f}" for name, (one, other) in best.items()},
    )
    return Claim(
        "In EXP-A the best vectorized method is ahead of the best kernel on every data "
        "set.",
        _verdict(n_ahead, len(best)),
        f"Best vectorized method and best kernel: {numbers}.",
    )


def words_are_first(*experiments: Results) -> Claim:
    """Count the columns in which PBoW or sPBoW is level with the best."""
    level = [
        title
        for results in experiments
        for dataset, title in _titles(results, experiments).items()
        if {"PBoW", "sPBoW"} & set(_level_with_best(results, dataset))
    ]
    n = sum(len(results.titles) for results in experiments)
    return Claim(
        "PBoW or sPBoW is not significantly worse than the best method in every column "
        "of EXP-A and EXP-B.",
        _verdict(len(level), n),
        f"Level with the best (Wilcoxon test, p > {ALPHA}): {', '.join(level)}.",
    )


def orders_of_magnitude(*experiments: Results) -> Claim:
    """Compare the times of other methods with those of PBoW."""
    ratios = []
    for results in experiments:
        for _, column in results.summary.groupby("dataset"):
            seconds = column.set_index("descriptor").seconds
            words = seconds["PBoW"]
            ratios += [
                (seconds[name] / words, name)
                for name in seconds.index
                if name not in {"PBoW", "sPBoW"}
            ]
    kernels = [ratio for ratio, name in ratios if name in KERNELS]
    vectors = [ratio for ratio, name in ratios if name not in KERNELS]
    holds = _verdict(sum(ratio >= 10.0 for ratio, _ in ratios), len(ratios))
    return Claim(
        "PBoW is one to four orders of magnitude faster than the other methods.",
        holds,
        "Time of the other method divided by that of PBoW: kernels "
        f"{min(kernels):,.1f} to {max(kernels):,.0f} (median "
        f"{np.median(kernels):,.0f}), PI and RM {min(vectors):,.1f} to "
        f"{max(vectors):,.0f} (median {np.median(vectors):,.1f}). The other methods "
        "are pbow's own implementations, many times faster than those of the paper.",
    )


def stable_is_level(exp_a: Results) -> Claim:
    """Compare sPBoW with PBoW, per data set."""
    means = exp_a.summary.pivot(
        index="dataset", columns="descriptor", values="test_chosen_mean"
    )
    gains = (means["sPBoW"] - means["PBoW"]).reindex(list(exp_a.titles))
    n = int((gains > -LEVEL).sum())
    numbers = _listed(exp_a, {name: f"{gain:+.1f}" for name, gain in gains.items()})
    return Claim(
        "sPBoW is as good as PBoW or better in 4 of 6 data sets of EXP-A.",
        f"{n} of {len(gains)}",
        f"sPBoW minus PBoW: {numbers}.",
    )


def few_words_suffice(exp_a: Results) -> Claim:
    """Compare at most 50 words with the best number of words, per data set."""
    losses = {}
    for dataset in exp_a.titles:
        by_words = _screened(exp_a, dataset, "PBoW", "n_words")
        few = by_words[by_words.index <= FEW_WORDS].max()
        losses[dataset] = float(by_words.max() - few)
    n = sum(loss <= LEVEL for loss in losses.values())
    numbers = _listed(exp_a, {name: f"{loss:.1f}" for name, loss in losses.items()})
    return Claim(
        f"Few words suffice: PBoW with at most {FEW_WORDS} words is within a point of "
        "the best number of words.",
        _verdict(n, len(losses)),
        f"Points lost: {numbers}.",
    )


def weighting_depends_on_data(exp_a: Results) -> Claim:
    """Compare weighted with uniform sampling, per data set and method."""
    gains = {}
    for name in ("PBoW", "sPBoW"):
        for dataset, title in exp_a.titles.items():
            by_weighting = _screened(exp_a, dataset, name, "weighting")
            gains[f"{name} on {title}"] = by_weighting["ramp"] - by_weighting["uniform"]
    values = np.array(list(gains.values()))
    better, worse = int((values > LEVEL).sum()), int((values < -LEVEL).sum())
    numbers = ", ".join(f"{name} {gain:+.1f}" for name, gain in gains.items())
    return Claim(
        "Whether weighted sampling helps depends on the data set.",
        "holds" if better and worse else "not seen",
        f"It is better by more than a point in {better} of {len(values)} cases, worse "
        f"in {worse}. Weighted minus uniform: {numbers}.",
    )


def to_markdown(claims: list[Claim]) -> str:
    """Return the claims as a table."""
    frame = pd.DataFrame(claims).rename(
        columns={"claim": "The paper", "holds": "Here", "numbers": "Numbers"}
    )
    return f"{frame.to_markdown(index=False, disable_numparse=True)}\n"


def _verdict(n: int, of: int) -> str:
    return f"{'holds' if n == of else 'in part' if n else 'does not hold'}: {n} of {of}"


def _listed(results: Results, values: dict[str, str]) -> str:
    return ", ".join(f"{results.titles[name]} {text}" for name, text in values.items())


def _titles(results: Results, experiments: tuple[Results, ...]) -> dict[str, str]:
    experiment = "A" if results is experiments[0] else "B"
    return {
        name: f"{title} (EXP-{experiment})" for name, title in results.titles.items()
    }


def _level_with_best(results: Results, dataset: str) -> list[str]:
    """Return the methods that are not significantly worse than the best."""
    column = results.chosen[results.chosen.dataset == dataset]
    names = set(results.summary.descriptor)
    accuracies = {
        name: group.sort_values("repetition").accuracy.to_numpy()
        for name, group in column.groupby("descriptor")
        if name in names
    }
    best = max(accuracies, key=lambda name: accuracies[name].mean())
    return [
        name
        for name, values in accuracies.items()
        if name == best or wilcoxon(accuracies[best], values) > ALPHA
    ]


def _screened(results: Results, dataset: str, name: str, param: str) -> pd.Series:
    """Return the best mean test accuracy of the screening for each value of one."""
    runs = results.runs
    runs = runs[
        (runs.dataset == dataset)
        & (runs.descriptor == name)
        & (runs.stage == "screen")
        & (runs.classifier == CLASSIFIER)
    ]
    means = 100.0 * runs.groupby("params").accuracy.mean()
    values = [json.loads(params)[param] for params in means.index]
    return means.groupby(values).max()


if __name__ == "__main__":
    main()
