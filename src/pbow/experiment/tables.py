"""Tables of an experiment, ours beside the paper's: Markdown, LaTeX, CSV, HTML."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from pbow._utils.checks import check_option
from pbow.datasets.catalog import CATALOG
from pbow.experiment.declaration import DatasetEntry, Experiment
from pbow.experiment.results import (
    NESTED,
    TEST_CHOSEN,
    RunsTable,
    choose,
    pandas,
    planned,
    progress,
)
from pbow.experiment.significance import corrected_t_test, wilcoxon

if TYPE_CHECKING:
    import pandas as pd
    from pandas.io.formats.style import Styler

__all__ = ["FORMATS", "Table", "facts", "make_tables", "stand_in_for", "summarize"]

FORMATS = ("markdown", "latex", "csv")
# The paper's level, at which it corrects nothing for the number of tests.
ALPHA = 0.1
# The signed-rank test of more repetitions than the paper's would take them for
# independent: then there is the corrected t-test.
PAPER_REPETITIONS = 5
PAPER = "paper"


def summarize(experiment: Experiment, runs: RunsTable) -> pd.DataFrame:
    """Return one row per cell and classifier: accuracies, times, and the paper's.

    Parameters
    ----------
    experiment : Experiment
        The declaration.
    runs : RunsTable
        Finished runs.

    Returns
    -------
    summary : pandas.DataFrame
        Accuracies are in percent. ``p_value`` is of the difference from the best
        nested mean of the data set, ``marked`` says whether it exceeds 0.1, and
        ``status`` how far the cell is.
    """
    pd = pandas()
    status = progress(experiment, runs)
    cells = {cell.name: cell for cell in experiment.cells}
    chosen = choose(experiment, runs)
    rows = []
    for found in status.itertuples():
        cell = cells[f"{found.dataset}/{found.descriptor}"]
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
            "paper_accuracy": None if cell.paper is None else cell.paper.accuracy,
            "paper_std": None if cell.paper is None else cell.paper.std,
            "paper_seconds": None if cell.paper is None else cell.paper.seconds,
            "paper_runs": None if cell.paper is None else cell.paper.runs,
            "paper_best": cell.paper is not None and cell.paper.best,
            "paper_fastest": cell.paper is not None and cell.paper.fastest,
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
        text: str = (
            self._styled()
            .format(lambda entry: entry.replace("±", r"$\pm$"), escape="latex")
            .format_index(escape="latex", axis=0)
            .format_index(escape="latex", axis=1)
            .to_latex(hrules=True, convert_css=True)
        )
        return f"% {self.title}\n\\resizebox{{\\linewidth}}{{!}}{{%\n{text}}}"

    def to_html(self) -> str:
        """Return it for a page."""
        text: str = (
            self._styled()
            .format(escape="html")
            .format_index(escape="html", axis=0)
            .format_index(escape="html", axis=1)
            .to_html()
        )
        return text

    def _styled(self) -> Styler:
        return self.entries.style.apply(
            lambda _: self.bold.map(lambda is_bold: "font-weight: bold" * is_bold),
            axis=None,
        )


def make_tables(
    experiment: Experiment, runs: RunsTable, format: str = "markdown"
) -> str:
    """Return the tables of an experiment: accuracies by both selections, and times.

    Parameters
    ----------
    experiment : Experiment
        The declaration.
    runs : RunsTable
        Finished runs.
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
    made = facts(planned(experiment, runs))
    parts += [text for text in (experiment.caption.strip(), made) if text]
    return "\n\n".join(parts) + "\n"


def readable_tables(experiment: Experiment, runs: RunsTable) -> list[Table]:
    """Return the tables that readers see; without anything reported, two of them."""
    summary = summarize(experiment, runs)
    is_reported = summary.paper_accuracy.notna().any()
    tables = [_pivot(experiment, summary, "Accuracy (%), nested selection", _nested)]
    if is_reported:
        title = "Accuracy (%), test-chosen as in the paper"
        reported = summary[~summary.ours.astype(bool)]
        tables.append(
            _pivot(experiment, reported, title, _tested, also=_paper_accuracy)
        )
    title = "Seconds to construct the representation, median over the splits, nested"
    once = summary.drop_duplicates(["dataset", "descriptor"]).assign(classifier="here")
    also = _paper_seconds if is_reported else None
    tables.append(_pivot(experiment, once, title, _seconds, also=also))
    return tables


def facts(runs: RunsTable) -> str:
    """Return one sentence on runs, solver, code and machine."""
    records = runs.records.values()
    scores = [one for record in records for one in record["scores"].values()]
    n_fits = sum(one["n_fits"] for one in scores)
    n_capped = sum(one["n_capped"] for one in scores)
    spent = sum(one["seconds"] for one in scores)
    spent += sum(sum(record["seconds"].values()) for record in records)

    def each(name: str) -> str:
        return "; ".join(sorted({str(record[name]) for record in records}))

    return (
        f"{len(records):,} runs of {spent / 3600:.1f} core-hours with {n_fits:,} "
        f"support vector machines, of which {n_capped / max(n_fits, 1):.1%} stopped at "
        f"the limit of iterations. Code: {each('code')}. {each('versions')}. "
        f"{each('machine')}."
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
        best = column.nested_mean.idxmax()
        powered = column.n_repetitions.max() > PAPER_REPETITIONS
        for row in column.itertuples():
            one, other = (
                accuracies[place.dataset, place.descriptor, place.classifier]
                for place in (summary.loc[best], row)
            )
            if row.Index == best:
                p_values[row.Index] = 1.0
            elif powered:
                p_values[row.Index] = corrected_t_test(
                    one, other, n_train=row.n_train, n_test=row.n_test
                )
            else:
                p_values[row.Index] = wilcoxon(one, other)
    return pandas().DataFrame({"p_value": p_values, "marked": p_values > ALPHA})


Entry = Callable[[Any], tuple[str, bool]]


def _pivot(
    experiment: Experiment,
    summary: pd.DataFrame,
    title: str,
    entry: Entry,
    also: Entry | None = None,
) -> Table:
    """Lay out one row per method and classifier, and one for the paper's."""
    rows = []
    for row in summary.itertuples():
        text, is_bold = entry(row)
        rows.append((row.descriptor_title, row.classifier, row.dataset, text, is_bold))
    if also is not None:
        for row in summary.drop_duplicates(["dataset", "descriptor"]).itertuples():
            text, is_bold = also(row)
            if text:
                place_of_paper = (row.descriptor_title, PAPER, row.dataset)
                rows.append((*place_of_paper, text, is_bold))
        for entry_of in experiment.datasets:
            cited = entry_of.state_of_the_art
            if cited is not None and also is _paper_accuracy:
                text = f"{_spread(cited.accuracy, cited.std)} ({cited.source})"
                rows.append(("State of the art", "cited", entry_of.name, text, False))
    methods = list(dict.fromkeys(method for method, *_ in rows))
    order = sorted(
        dict.fromkeys((method, classifier) for method, classifier, *_ in rows),
        key=lambda place: methods.index(place[0]),
    )
    pd = pandas()
    names = ["Method", "Classifier"]
    index = pd.MultiIndex.from_tuples(order, names=names)
    titles = [dataset.title for dataset in experiment.datasets]
    entries = pd.DataFrame("", index, titles, dtype=object)
    bold = pd.DataFrame(False, index, titles)  # noqa: FBT003
    title_of = {dataset.name: dataset.title for dataset in experiment.datasets}
    for method, classifier, dataset, text, is_bold in rows:
        place = (method, classifier), title_of[dataset]
        entries.loc[place], bold.loc[place] = text, is_bold
    return Table(title, entries, bold)


def _nested(row: Any) -> tuple[str, bool]:
    return _number(row, "nested"), bool(getattr(row, "marked", False))


def _tested(row: Any) -> tuple[str, bool]:
    return _number(row, "test_chosen"), False


def _number(row: Any, selection: str) -> str:
    mean = getattr(row, f"{selection}_mean", np.nan)
    if np.isnan(mean):
        return str(row.status)
    return _spread(mean, getattr(row, f"{selection}_std"))


def _paper_accuracy(row: Any) -> tuple[str, bool]:
    return _spread(row.paper_accuracy, row.paper_std), row.paper_best


def _seconds(row: Any) -> tuple[str, bool]:
    return _duration(getattr(row, "seconds", np.nan)), False


def _paper_seconds(row: Any) -> tuple[str, bool]:
    return _duration(row.paper_seconds), row.paper_fastest


def _spread(mean: float | None, std: float | None) -> str:
    if mean is None or np.isnan(mean):
        return ""
    spread = "" if std is None or np.isnan(std) else f" ± {std:.1f}"
    return f"{mean:.1f}{spread}"


def _duration(seconds: float | None) -> str:
    if seconds is None or np.isnan(seconds):
        return ""
    return f"{seconds:,.1f}" if seconds >= 1.0 else f"{seconds:.2g}"
