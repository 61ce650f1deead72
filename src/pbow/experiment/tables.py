"""Tables of an experiment, ours beside the paper's: Markdown, LaTeX, CSV, HTML."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from pbow._utils.checks import check_option
from pbow.datasets.catalog import CATALOG
from pbow.experiment.declaration import DatasetEntry, Experiment
from pbow.experiment.estimate import core_time
from pbow.experiment.results import (
    NESTED,
    TEST_CHOSEN,
    choose,
    pandas,
    planned,
    progress,
    to_frame,
)
from pbow.experiment.significance import corrected_t_test, wilcoxon
from pbow.experiment.tasks import Runs

if TYPE_CHECKING:
    import pandas as pd
    from pandas.io.formats.style import Styler

__all__ = [
    "FORMATS",
    "Table",
    "facts",
    "make_tables",
    "spread",
    "stand_in_for",
    "summarize",
]

FORMATS = ("markdown", "latex", "csv")
# The paper's level, at which it corrects nothing for the number of tests.
ALPHA = 0.1
# The signed-rank test of more repetitions than the paper's would take them for
# independent: then there is the corrected t-test.
PAPER_REPETITIONS = 5
# What a publication reports for a cell.
NUMBERS = ("accuracy", "std", "seconds", "runs")
IS_BOLD = ("best", "fastest")


def summarize(experiment: Experiment, runs: Runs) -> pd.DataFrame:
    """Return one row per cell and classifier: accuracies, times, and the paper's.

    Parameters
    ----------
    experiment : Experiment
        The declaration.
    runs : dict of str to dict
        Finished runs by key.

    Returns
    -------
    summary : pandas.DataFrame
        Accuracies are in percent. ``p_value`` is of the difference from the best
        nested mean of the data set, ``marked`` says whether it exceeds 0.1, and
        ``status`` how far the cell is.
    """
    pd = pandas()
    status = progress(experiment, runs)
    chosen = choose(experiment, runs)
    rows = []
    for cell, found in zip(experiment.cells, status.itertuples(), strict=True):
        own = chosen[
            (chosen.dataset == found.dataset) & (chosen.descriptor == found.descriptor)
        ]
        base = {
            "dataset": found.dataset,
            "dataset_title": cell.dataset.title,
            "stand_in_for": stand_in_for(cell.dataset),
            "variant_of": cell.dataset.variant_of,
            "descriptor": found.descriptor,
            "descriptor_title": cell.descriptor.title,
            "ours": cell.descriptor.ours,
            "status": _status(found, is_chosen=len(own) > 0),
            **{f"paper_{name}": getattr(cell.paper, name, None) for name in NUMBERS},
            **{f"paper_{name}": getattr(cell.paper, name, False) for name in IS_BOLD},
        }
        if own.empty:
            rows += [base | {"classifier": name} for name in found.classifiers]
        for classifier, group in own.groupby("classifier", sort=False):
            nested = group[group.selection == NESTED]
            tested = group[group.selection == TEST_CHOSEN]
            rows.append(
                base
                | {
                    "classifier": classifier,
                    "n_repetitions": len(nested),
                    "nested_mean": nested.accuracy.mean(),
                    "nested_std": nested.accuracy.std(),
                    "test_chosen_mean": tested.accuracy.mean(),
                    "test_chosen_std": tested.accuracy.std(),
                    "test_chosen_params": "".join(tested.params.unique()),
                    "nested_params": " ".join(nested.params.unique()),
                    # The first run of a process may load compiled code.
                    "seconds": nested.seconds.median(),
                    "test_chosen_seconds": tested.seconds.median(),
                    "n_features": nested.n_features.median(),
                    "n_train": nested.n_train.mean(),
                    "n_test": nested.n_test.mean(),
                }
            )
    summary = pd.DataFrame(rows)
    if "nested_mean" in summary:
        summary = summary.join(_significance(summary, chosen))
    return summary


@dataclass(frozen=True)
class Table:
    """A table for readers.

    Attributes
    ----------
    title : str
        What the numbers are.
    entries : pandas.DataFrame
        Text, one column per data set.
    bold : pandas.DataFrame of bool
        Which entries are bold.
    """

    title: str
    entries: pd.DataFrame
    bold: pd.DataFrame

    def to_markdown(self) -> str:
        """Return it for Markdown."""
        shown = self.entries.where(~self.bold, "**" + self.entries + "**").reset_index()
        text: str = shown.to_markdown(index=False, disable_numparse=True)
        return f"**{self.title}**\n\n{text}"

    def to_latex(self) -> str:
        """Return it for LaTeX with the packages booktabs, graphicx and multirow."""
        text: str = self._styled("latex").to_latex(hrules=True, convert_css=True)
        text = text.replace("±", r"$\pm$")
        return f"% {self.title}\n\\resizebox{{\\linewidth}}{{!}}{{%\n{text}}}"

    def to_html(self) -> str:
        """Return it for a page."""
        text: str = self._styled("html").to_html()
        return text

    def _styled(self, escape: str) -> Styler:
        bold = self.bold.map(lambda is_bold: "font-weight: bold" * is_bold)
        styled = self.entries.style.apply(lambda _: bold, axis=None)
        for axis in (0, 1):
            styled = styled.format_index(escape=escape, axis=axis)
        return styled.format(escape=escape)


def make_tables(experiment: Experiment, runs: Runs, format: str = "markdown") -> str:
    """Return the tables of an experiment: accuracies by both selections, and times.

    Parameters
    ----------
    experiment : Experiment
        The declaration.
    runs : dict of str to dict
        Finished runs by key.
    format : {"markdown", "latex", "csv"}, default="markdown"
        CSV is :func:`summarize`, with every number.

    Returns
    -------
    text : str
        A cell that is not complete says how far it is, and has no number.
    """
    check_option("format", format, FORMATS)
    if format == "csv":
        text: str = summarize(experiment, runs).to_csv(index=False, lineterminator="\n")
        return text
    tables = readable_tables(experiment, runs)
    if format == "latex":
        return "\n\n".join(table.to_latex() for table in tables) + "\n"
    parts = [f"# {experiment.title}", *(table.to_markdown() for table in tables)]
    return "\n\n".join(parts + remarks(experiment, runs)) + "\n"


def readable_tables(experiment: Experiment, runs: Runs) -> list[Table]:
    """Return the tables that readers see; without anything reported, two of them."""
    summary = summarize(experiment, runs)
    once = summary.drop_duplicates(["dataset", "descriptor"])
    paper = once[once.paper_accuracy.notna()].assign(classifier="paper")
    entries = _entries(summary, _accuracies(summary, "nested_mean", "nested_std"))
    tables = [_lay_out(experiment, "Accuracy (%), nested selection", entries)]
    if len(paper):
        here, there = summary[~summary.ours], paper[~paper.ours]
        means = _accuracies(here, "test_chosen_mean", "test_chosen_std")
        entries = _entries(here, means, bold="")
        means = _accuracies(there, "paper_accuracy", "paper_std")
        entries += _entries(there, means, bold="paper_best")
        entries += [
            ("State of the art", "cited", data.title, f"{mean} ({cited.source})", False)
            for data in experiment.datasets
            if (cited := data.state_of_the_art)
            for mean in (spread(cited.accuracy, cited.std),)
        ]
        title = "Accuracy (%), test-chosen as in the paper"
        tables.append(_lay_out(experiment, title, entries))
    here, there = once.assign(classifier="here"), paper[paper.paper_seconds.notna()]
    entries = _entries(here, _durations(here, "seconds"), bold="")
    entries += _entries(there, _durations(there, "paper_seconds"), bold="paper_fastest")
    title = "Seconds to construct the representation, median over the splits, nested"
    return [*tables, _lay_out(experiment, title, entries)]


def remarks(experiment: Experiment, runs: Runs) -> list[str]:
    """Return what is said below the tables, by paragraph."""
    few = [
        dataset.title
        for dataset in experiment.datasets
        if experiment.n_repetitions(dataset) < PAPER_REPETITIONS
    ]
    all_bold = (
        f"With fewer than {PAPER_REPETITIONS} splits no difference can be significant: "
        f"every entry is bold ({', '.join(few)})."
    )
    made = facts(planned(experiment, runs))
    texts = (experiment.caption.strip(), all_bold if few else "", made)
    return [text for text in texts if text]


def facts(runs: Runs) -> str:
    """Return one sentence on runs, solver, code and machine."""
    frame = to_frame(runs)
    once = frame.drop_duplicates("key")
    n_fits, n_capped = int(frame.n_fits.sum()), frame.n_capped.sum()
    spent = frame.classify_seconds.sum()
    spent += once.fit_seconds.sum() + once.encode_seconds.sum()
    code, versions, machines = (
        "; ".join(sorted(once[name].unique()))
        for name in ("code", "versions", "machine")
    )
    return (
        f"{len(runs):,} runs in {core_time(spent)} with {n_fits:,} "
        f"support vector machines, of which {n_capped / max(n_fits, 1):.1%} stopped at "
        f"the limit of iterations. Code: {code}. {versions}. {machines}."
    )


def stand_in_for(dataset: DatasetEntry) -> str:
    """Return the data set that one stands in for; "" if it is no stand-in."""
    found = [entry.stand_in_for for entry in CATALOG if entry.name == dataset.load]
    return (found[0] or "") if found else ""


def _status(found: Any, *, is_chosen: bool) -> str:
    if found.complete and not is_chosen:
        return f"failed: {found.errors}"
    if found.complete:
        failed = f", {found.failed} runs failed: {found.errors}" if found.failed else ""
        return f"complete{failed}"
    return f"{found.done} of {found.planned} runs"


def _significance(summary: pd.DataFrame, chosen: pd.DataFrame) -> pd.DataFrame:
    """Return p-values against the best of each data set, and what is marked."""
    nested = chosen[chosen.selection == NESTED]
    accuracies = {
        place: group.sort_values("repetition").accuracy.to_numpy()
        for place, group in nested.groupby(["dataset", "descriptor", "classifier"])
    }
    p_values = np.full(len(summary), np.nan)
    for _, column in summary.dropna(subset="nested_mean").groupby("dataset"):
        best = column.loc[column.nested_mean.idxmax()]
        powered = column.n_repetitions.max() > PAPER_REPETITIONS
        for row in column.itertuples():
            pair = [
                accuracies[place.dataset, place.descriptor, place.classifier]
                for place in (best, row)
            ]
            p_values[row.Index] = (
                corrected_t_test(*pair, n_train=row.n_train, n_test=row.n_test)
                if powered
                else wilcoxon(*pair)
            )
    return pandas().DataFrame({"p_value": p_values, "marked": p_values > ALPHA})


# Method, classifier, title of the data set, text, and whether it is bold.
Entry = tuple[str, str, str, str, bool]


def _entries(
    summary: pd.DataFrame, texts: list[str], bold: str = "marked"
) -> list[Entry]:
    """Return an entry per row; `bold` is a column, without which none is bold."""
    titles = summary[["descriptor_title", "classifier", "dataset_title"]]
    are_bold = summary.get(bold, [False] * len(texts))
    rows = zip(titles.itertuples(index=False), texts, are_bold, strict=True)
    return [(*place, text, bool(is_bold)) for place, text, is_bold in rows]


def _lay_out(experiment: Experiment, title: str, given: list[Entry]) -> Table:
    """Return one row per method and classifier, those of a method together."""
    pd = pandas()
    methods = list(dict.fromkeys(method for method, *_ in given))
    given = sorted(given, key=lambda entry: methods.index(entry[0]))
    places = dict.fromkeys((method, classifier) for method, classifier, *_ in given)
    index = pd.MultiIndex.from_tuples(places, names=["Method", "Classifier"])
    columns = [dataset.title for dataset in experiment.datasets]
    entries = pd.DataFrame("", index, columns, dtype=object)
    bold = pd.DataFrame(False, index, columns)  # noqa: FBT003
    for method, classifier, dataset, text, is_bold in given:
        place = (method, classifier), dataset
        entries.loc[place], bold.loc[place] = text, is_bold
    return Table(title, entries, bold)


def _accuracies(summary: pd.DataFrame, mean: str, std: str) -> list[str]:
    """Return means and deviations; of a cell that has none, how far it is."""
    known = summary.reindex(columns=[mean, std, "status"]).itertuples(index=False)
    isna = pandas().isna
    return [status if isna(mean) else spread(mean, std) for mean, std, status in known]


def _durations(summary: pd.DataFrame, name: str) -> list[str]:
    known = summary.reindex(columns=[name])[name].astype(float)
    texts = known.map(lambda s: f"{s:,.1f}" if s >= 1.0 else f"{s:.2g}")
    return list(texts.where(known.notna(), ""))


def spread(mean: float, std: float | None) -> str:
    """Return a mean and its standard deviation, where there is one."""
    return f"{mean:.1f}" + ("" if pandas().isna(std) else f" ± {std:.1f}")
