"""The table of an experiment, ours beside the paper's: Markdown, LaTeX, CSV."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from pbow._utils.checks import check_option
from pbow.experiment.comparison import Compared, column_title, stand_in_for
from pbow.experiment.declaration import Experiment, Params
from pbow.experiment.runs import Run
from pbow.experiment.sheets import (
    STATE_OF_THE_ART,
    Entry,
    Sheet,
    Table,
    paper_table,
    powered_table,
)

__all__ = ["FORMATS", "make_powered_table", "make_table"]

Runs = Mapping[str, Run]

FORMATS = ("markdown", "latex", "csv")


def make_table(experiment: Experiment, runs: Runs, format: str = "markdown") -> str:
    """Return the table of an experiment, with the paper's numbers below each of ours.

    Parameters
    ----------
    experiment : Experiment
        The declaration.
    runs : mapping of str to Run
        By key, as :meth:`Folder.load` returns them.
    format : {"markdown", "latex", "csv"}, default="markdown"
        Markdown and LaTeX (which needs booktabs and graphicx) have a table of scores,
        one of seconds, and the caption. CSV has a line a cell, with every number, the
        parameters that were chosen in each repetition, and p-values.

    Returns
    -------
    table : str
        A cell that is not complete says how far it is, and has no number.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from pbow.experiment.declaration import read_experiment
    >>> from pbow.experiment.table import make_table
    >>> text = '''
    ... title = "Small"
    ... [datasets.shapes]
    ... shapes = {}
    ... [descriptors.PBoW]
    ... make = "PersistenceBoW"
    ... on.shapes.paper = { score = 98.0, std = 2.2 }
    ... '''
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder, "small.toml")
    ...     _ = path.write_text(text)
    ...     experiment = read_experiment(path)
    >>> print(make_table(experiment, {}).split("**Seconds**")[0].rstrip())
    # Small
    <BLANKLINE>
    **Scores**
    <BLANKLINE>
    | Method | Number | shapes      |
    |--------|--------|-------------|
    | PBoW   | here   | 0 of 5 runs |
    |        | paper  | 98.0 ± 2.2  |
    """
    return _written(paper_table(experiment, runs), experiment, format)


def make_powered_table(
    experiment: Experiment,
    runs: Runs,
    format: str = "markdown",
) -> str:
    """Return the table of an experiment that has many repetitions, with p-values.

    It has all that :func:`make_table` has. Bold goes by the corrected resampled t-test
    of the difference from the best of the column, whose p-values have lines of their
    own. ``pbow experiment table`` prints it where every data set has more than five
    repetitions.

    Parameters
    ----------
    experiment : Experiment
        The declaration.
    runs : mapping of str to Run
        By key.
    format : {"markdown", "latex", "csv"}, default="markdown"
        As in :func:`make_table`.

    Returns
    -------
    table : str
        A cell that is not complete says how far it is, and has no number.
    """
    return _written(powered_table(experiment, runs), experiment, format)


def _written(table: Table, experiment: Experiment, format: str) -> str:
    check_option("format", format, FORMATS)
    if format == "csv":
        return _csv(table, experiment)
    return _markdown(table) if format == "markdown" else _latex(table)


# Markdown: every column as wide as its widest entry, so that it reads as plain text.

# No more than Markdown would read as markup: a < b and n_words stay as they are.
_MARKDOWN_SPECIAL = re.compile(
    r"([\\`*\[\]|#~$]|<(?=[\w/!?])|&(?=#?\w+;)|(?<!\w)_|_(?!\w))"
)


def _markdown(table: Table) -> str:
    parts = [f"# {_escape_markdown(table.title)}"]
    for sheet in table.sheets:
        parts += [f"**{_escape_markdown(sheet.title)}**", _markdown_table(sheet)]
    parts.append(_escape_markdown(table.caption))
    return "\n\n".join(parts) + "\n"


def _markdown_table(sheet: Sheet) -> str:
    rows = [["Method", "Number", *map(_escape_markdown, sheet.columns)]]
    for section in sheet.sections:
        for block in section:
            for index, line in enumerate(block.lines):
                name = _escape_markdown(block.title) if index == 0 else ""
                texts = map(_markdown_entry, line.entries)
                rows.append([name, _escape_markdown(line.kind), *texts])
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = ["| " + " | ".join(map(str.ljust, row, widths)) + " |" for row in rows]
    lines.insert(1, "|" + "|".join("-" * (width + 2) for width in widths) + "|")
    return "\n".join(lines)


def _markdown_entry(entry: Entry) -> str:
    text = _escape_markdown(entry.text)
    return f"**{text}**" if entry.is_bold else text


def _escape_markdown(text: str) -> str:
    """Escape what Markdown would read as markup; paragraphs stay, other breaks go."""
    paragraphs = (" ".join(part.split()) for part in text.split("\n\n"))
    return "\n\n".join(_MARKDOWN_SPECIAL.sub(r"\\\1", part) for part in paragraphs)


# LaTeX.

_LATEX_SPECIAL = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "#": r"\#",
    "$": r"\$",
    "%": r"\%",
    "&": r"\&",
    "_": r"\_",
    "^": r"\textasciicircum{}",
    "~": r"\textasciitilde{}",
    "<": r"\ensuremath{<}",
    ">": r"\ensuremath{>}",
    "|": r"\ensuremath{|}",
    "±": r"\ensuremath{\pm}",
    "≥": r"\ensuremath{\geq}",
    "†": r"\ensuremath{^\dagger}",
    '"': "''",
}


def _latex(table: Table) -> str:
    lines = ["% Needs the packages booktabs and graphicx."]
    first, *others = table.sheets
    lines += _latex_table(first, f"{table.title}. {first.title}. {table.caption}")
    for sheet in others:
        lines += _latex_table(sheet, f"{table.title}. {sheet.title}.")
    return "\n".join(lines) + "\n"


def _latex_table(sheet: Sheet, heading: str) -> Iterator[str]:
    yield r"\begin{table*}"
    yield r"\centering\footnotesize\setlength{\tabcolsep}{3pt}"
    # Made smaller only where it is too wide.
    yield (r"\resizebox{\ifdim\width>\linewidth\linewidth\else\width\fi}{!}{%")
    yield rf"\begin{{tabular}}{{ll{'l' * len(sheet.columns)}}}"
    yield r"\toprule"
    yield _latex_row(["Method", "Number", *map(_escape_latex, sheet.columns)])
    for section in sheet.sections:
        yield r"\midrule"
        for block in section:
            for index, line in enumerate(block.lines):
                name = _escape_latex(block.title) if index == 0 else ""
                texts = map(_latex_entry, line.entries)
                yield _latex_row([name, _escape_latex(line.kind), *texts])
    yield r"\bottomrule"
    yield r"\end{tabular}}"
    yield rf"\caption{{\footnotesize {_escape_latex(heading)}}}"
    yield r"\end{table*}"


def _latex_row(texts: Sequence[str]) -> str:
    return " & ".join(texts) + r" \\"


def _latex_entry(entry: Entry) -> str:
    text = _escape_latex(entry.text)
    # Signs of mathematics are bold only with boldmath.
    return rf"\textbf{{\boldmath {text}}}" if entry.is_bold else text


def _escape_latex(text: str) -> str:
    joined = " ".join(text.split())
    return "".join(_LATEX_SPECIAL.get(character, character) for character in joined)


# CSV.


def _csv(table: Table, experiment: Experiment) -> str:
    rows = [_csv_row(cell, table.test) for cell in table.cells.values()]
    rows += [
        {
            "dataset": dataset.name,
            "dataset_title": column_title(dataset),
            "stand_in_for": stand_in_for(dataset),
            "descriptor": STATE_OF_THE_ART,
            "descriptor_title": f"{STATE_OF_THE_ART} {cited.source}".rstrip(),
            "status": "cited",
            "paper_score": cited.score,
            "paper_std": cited.std,
        }
        for dataset in experiment.datasets
        if (cited := dataset.state_of_the_art) is not None
    ]
    text = io.StringIO()
    writer = csv.DictWriter(text, CSV_COLUMNS, lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue()


CSV_COLUMNS = (
    "dataset",
    "dataset_title",
    "stand_in_for",
    "descriptor",
    "descriptor_title",
    "ours",
    "status",
    "note",
    "n_runs_done",
    "n_runs_planned",
    "n_repetitions",
    "accuracy_mean",
    "accuracy_std",
    "test_chosen_mean",
    "test_chosen_std",
    "paper_score",
    "paper_std",
    "paper_best",
    "best",
    "marked",
    "test",
    "p_value",
    "seconds",
    "fastest",
    "paper_seconds",
    "paper_fastest",
    "n_train",
    "n_test",
    "n_features",
    "n_fits",
    "n_capped",
    "accuracies",
    "test_chosen_accuracies",
    "params",
    "costs",
    "test_chosen_params",
    "test_chosen_costs",
    "paper_optimum",
)


def _csv_row(cell: Compared, test: str) -> dict[str, Any]:
    outcome = cell.outcome
    of, nested, authors = outcome.cell, outcome.nested, outcome.authors
    row: dict[str, Any] = {
        "dataset": of.dataset.name,
        "dataset_title": column_title(of.dataset),
        "stand_in_for": stand_in_for(of.dataset),
        "descriptor": of.descriptor.name,
        "descriptor_title": of.descriptor.title,
        "ours": of.descriptor.ours,
        "status": cell.status,
        "note": cell.note,
        "n_runs_done": outcome.n_done,
        "n_runs_planned": outcome.n_planned,
        "n_fits": cell.n_fits,
        "n_capped": cell.n_capped,
        "paper_optimum": None if of.optimum is None else _json(of.optimum),
    }
    if of.reported is not None:
        row |= {
            "paper_score": of.reported.score,
            "paper_std": of.reported.std,
            "paper_best": of.reported.best,
            "paper_seconds": of.reported.seconds,
            "paper_fastest": of.reported.fastest,
        }
    if cell.nested is None or cell.authors is None:
        return row
    return row | {
        "n_repetitions": len(nested),
        "accuracy_mean": cell.nested.mean,
        "accuracy_std": cell.nested.std,
        "test_chosen_mean": cell.authors.mean,
        "test_chosen_std": cell.authors.std,
        "best": cell.is_best,
        "marked": cell.is_marked,
        "test": test,
        "p_value": cell.p_value,
        "seconds": outcome.seconds,
        "fastest": cell.is_fastest,
        "n_train": _json([run.n_train for run in nested]),
        "n_test": _json([run.n_test for run in nested]),
        "n_features": _json([run.n_features for run in nested]),
        "accuracies": _json(outcome.accuracies),
        "test_chosen_accuracies": _json(outcome.authors_accuracies),
        "params": _json([run.params for run in nested]),
        "costs": _json([run.cost for run in nested]),
        "test_chosen_params": _json(authors[0].params),
        "test_chosen_costs": _json([run.cost for run in authors]),
    }


def _json(value: Params | list[Any]) -> str:
    return json.dumps(value, sort_keys=True, ensure_ascii=False)
