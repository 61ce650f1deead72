"""All of an experiment as one HTML page, which needs no network and no script."""

from __future__ import annotations

import base64
import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from html import escape
from typing import TYPE_CHECKING

from pbow._utils.files import AnyPath, atomic_write
from pbow.experiment.caption import counted
from pbow.experiment.comparison import Compared, column_title
from pbow.experiment.declaration import DatasetEntry, Experiment, Params
from pbow.experiment.plan import plan
from pbow.experiment.runs import Run
from pbow.experiment.sheets import (
    Block,
    Entry,
    Sheet,
    Table,
    is_powered,
    paper_table,
    powered_table,
)

if TYPE_CHECKING:
    from pbow.experiment.figures.figure import Saved

__all__ = ["write_report"]

Runs = Mapping[str, Run]


def write_report(
    experiment: Experiment, runs: Runs, figures: Sequence[Saved], path: AnyPath
) -> None:
    """Write the report of an experiment: tables, what was chosen, figures, versions.

    Parameters
    ----------
    experiment : Experiment
        The declaration. With more than 5 repetitions of every data set, its table has
        p-values of the corrected resampled t-test, otherwise it is the paper's.
    runs : mapping of str to Run
        By key, as :meth:`Folder.load` returns them.
    figures : sequence of Saved
        Figures that were drawn; their PNG files become part of the page.
    path : str or path-like
        The HTML file. It is replaced only when it is complete.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from pbow.experiment.declaration import read_experiment
    >>> from pbow.experiment.report import write_report
    >>> text = '''
    ... title = "Small"
    ... [datasets.shapes]
    ... shapes = {}
    ... [descriptors.PBoW]
    ... make = "PersistenceBoW"
    ... '''
    >>> with TemporaryDirectory() as folder:
    ...     declared, page = Path(folder, "small.toml"), Path(folder, "small.html")
    ...     _ = declared.write_text(text)
    ...     write_report(read_experiment(declared), {}, [], page)
    ...     "<h1>Small</h1>" in page.read_text(encoding="utf-8")
    True
    """
    make = powered_table if is_powered(experiment) else paper_table
    page = "\n".join(_page(experiment, runs, make(experiment, runs), figures))
    with atomic_write(path) as file:
        file.write(page.encode())


# Wide things scroll in a box of their own, so that the page never does.
STYLE = """
:root { color-scheme: light dark; --ink: #1c1c1e; --soft: #5c5c66; --paper: #fff;
  --band: #f3f3f6; --rule: #d4d4dc; }
@media (prefers-color-scheme: dark) { :root { --ink: #e8e8ec; --soft: #a4a4b0;
  --paper: #17171a; --band: #222228; --rule: #3c3c46; } }
body { margin: 0 auto; max-width: 78rem; padding: 1rem; color: var(--ink);
  background: var(--paper); font: 1rem/1.5 system-ui, sans-serif; }
h1 { font-size: 1.5rem; line-height: 1.25; } h2 { font-size: 1.2rem; margin-top: 2rem; }
p, li, figcaption { max-width: 46rem; } .soft, figcaption { color: var(--soft); }
.scroll { overflow-x: auto; border: 1px solid var(--rule); border-radius: .4rem; }
table { border-collapse: collapse; font-size: .875rem;
  font-variant-numeric: tabular-nums; }
th, td { padding: .2rem .6rem; text-align: left; vertical-align: top; }
td { min-width: 5.5rem; } td.kind { min-width: 0; white-space: nowrap; }
thead th { border-bottom: 2px solid var(--rule); }
tbody th:first-child, thead th:first-child { position: sticky; left: 0;
  background: var(--paper); }
tbody tr.first > * { border-top: 1px solid var(--rule); }
tbody + tbody tr.first:first-child > * { border-top: 2px solid var(--soft); }
tr.paper td, tr.test-chosen td { color: var(--soft); }
td.long { min-width: 13rem; }
details { margin: .5rem 0; } summary { cursor: pointer; padding: .3rem 0; }
figure { margin: 1.5rem 0; }
img { max-width: 100%; height: auto; background: #fff; border-radius: .4rem; }
pre { overflow-x: auto; background: var(--band); padding: .8rem; font-size: .8rem;
  border-radius: .4rem; }
"""


def _page(
    experiment: Experiment, runs: Runs, table: Table, figures: Sequence[Saved]
) -> Iterator[str]:
    yield "<!DOCTYPE html>"
    yield '<html lang="en">'
    yield "<head>"
    yield '<meta charset="utf-8">'
    yield '<meta name="viewport" content="width=device-width, initial-scale=1">'
    yield f"<title>{escape(experiment.title)}</title>"
    yield f"<style>{STYLE}</style>"
    yield "</head>"
    yield "<body>"
    yield f"<h1>{escape(experiment.title)}</h1>"
    yield from _what_was_run(experiment, runs, table)
    for sheet in table.sheets:
        yield f"<h2>{escape(sheet.title)}</h2>"
        yield from _sheet(sheet)
    yield "<h2>How to read the tables</h2>"
    for paragraph in table.caption.split("\n\n"):
        yield f"<p>{escape(paragraph)}</p>"
    yield "<h2>Chosen parameters</h2>"
    for dataset in experiment.datasets:
        yield from _choices(experiment, dataset, table)
    if figures:
        yield "<h2>Figures</h2>"
    for figure in figures:
        yield from _figure(figure)
    yield from _versions(experiment, runs)
    yield "</body>"
    yield "</html>"


def _what_was_run(experiment: Experiment, runs: Runs, table: Table) -> Iterator[str]:
    keys = {task.key for task in plan(experiment, runs)}
    n_done = sum(key in runs for key in keys)
    n_complete = sum(cell.outcome.is_complete for cell in table.cells.values())
    titles = [escape(column_title(dataset)) for dataset in experiment.datasets]
    methods = [escape(entry.title) for entry in experiment.descriptors]
    yield (
        f"<p>{counted(len(methods), 'method')} ({'; '.join(methods)}) on "
        f"{counted(len(titles), 'data set')} ({'; '.join(titles)}). Complete: "
        f"{n_complete:,} of {counted(len(table.cells), 'cell')}; done: {n_done:,} of "
        f"the {counted(len(keys), 'run')} known to be needed. Seed "
        f"{experiment.seed}.</p>"
    )
    yield "<details><summary>The declaration of the experiment</summary>"
    yield f"<pre>{escape(experiment.text)}</pre></details>"


def _sheet(sheet: Sheet) -> Iterator[str]:
    yield from _open_table(sheet.title, ("Method", "Number", *sheet.columns))
    for section in sheet.sections:
        yield "<tbody>"
        for block in section:
            yield from _block(block)
        yield "</tbody>"
    yield "</table></div>"


def _block(block: Block) -> Iterator[str]:
    for index, line in enumerate(block.lines):
        first = " first" if index == 0 else ""
        yield f'<tr class="{escape(line.kind)}{first}">'
        if index == 0:
            rows = f' rowspan="{len(block.lines)}"'
            yield f'<th scope="rowgroup"{rows}>{escape(block.title)}</th>'
        yield f'<td class="kind">{escape(line.kind)}</td>'
        yield from map(_entry, line.entries)
        yield "</tr>"


def _entry(entry: Entry) -> str:
    # A number stays in one piece, however narrow the column is.
    text = escape(entry.text).replace(" ± ", "&nbsp;±&nbsp;").replace(" †", "&nbsp;†")
    return f"<td><strong>{text}</strong></td>" if entry.is_bold else f"<td>{text}</td>"


def _open_table(label: str, columns: Iterable[str]) -> Iterator[str]:
    # Who has no mouse can reach and scroll the box by the keyboard.
    name = escape(label)
    yield f'<div class="scroll" tabindex="0" role="region" aria-label="{name}">'
    yield "<table>"
    headings = (f'<th scope="col">{escape(column)}</th>' for column in columns)
    yield f"<thead><tr>{''.join(headings)}</tr></thead>"


# Characters of an entry that is given a wide column.
LONG = 24

_CHOICES = (
    "Method",
    "Inside the training parts",
    "C",
    "By the test parts",
    "Paper's optimum",
    "Features",
    "Percent right, each repetition",
    "p",
    "Fits at the cap",
)


def _choices(
    experiment: Experiment, dataset: DatasetEntry, table: Table
) -> Iterator[str]:
    title = column_title(dataset)
    yield f"<details><summary>{escape(title)}</summary>"
    yield from _open_table(f"Chosen parameters, {title}", _CHOICES)
    yield "<tbody>"
    for entry in experiment.descriptors:
        cell = table.cells.get((dataset.name, entry.name))
        if cell is not None:
            texts = "".join(map(_choice_entry, _choice(cell)))
            heading = f'<th scope="row">{escape(entry.title)}</th>'
            yield f'<tr class="first">{heading}{texts}</tr>'
    yield "</tbody></table></div></details>"


def _choice_entry(text: str) -> str:
    kind = ' class="long"' if len(text) > LONG else ""
    return f"<td{kind}>{escape(text)}</td>"


def _choice(cell: Compared) -> Iterator[str]:
    outcome = cell.outcome
    optimum = outcome.cell.optimum
    nested, authors = outcome.nested, outcome.authors
    yield (
        _counted(_listed(run.params) for run in nested)
        if outcome.is_complete
        else cell.note or cell.status
    )
    yield _counted("-" if run.cost is None else f"{run.cost:g}" for run in nested)
    yield _listed(authors[0].params) if authors else "-"
    yield "-" if optimum is None else _listed(optimum)
    yield _counted(f"{run.n_features:,}" if run.n_features else "-" for run in nested)
    yield ", ".join(f"{accuracy:.1f}" for accuracy in outcome.accuracies) or "-"
    yield "-" if cell.p_value is None else f"{cell.p_value:.3g}"
    yield f"{cell.n_capped:,} of {cell.n_fits:,}"


def _listed(params: Params) -> str:
    return ", ".join(f"{name} = {_value(params[name])}" for name in params) or "-"


def _value(value: object) -> str:
    if isinstance(value, float):
        return f"{value:.6g}"
    return value if isinstance(value, str) else json.dumps(value)


def _counted(texts: Iterable[str]) -> str:
    """Return each text once, the most frequent first, with how often it was there."""
    counts = Counter(texts).most_common()
    if len(counts) < 2:
        return counts[0][0] if counts else "-"
    return "; ".join(f"{text} ({n} times)" if n > 1 else text for text, n in counts)


def _figure(figure: Saved) -> Iterator[str]:
    data = base64.b64encode(figure.png.read_bytes()).decode("ascii")
    title, caption = escape(figure.title), escape(figure.caption)
    yield f'<figure id="{escape(figure.name)}">'
    yield f'<img src="data:image/png;base64,{data}" alt="{title}">'
    yield f"<figcaption><strong>{title}.</strong> {caption}</figcaption>"
    yield "</figure>"


def _versions(experiment: Experiment, runs: Runs) -> Iterator[str]:
    keys = {task.key for task in plan(experiment, runs)}
    used = Counter(
        (run.machine, tuple(sorted(run.versions.items())))
        for key, run in runs.items()
        if key in keys
    )
    yield "<h2>Versions and machines</h2>"
    if not used:
        yield "<p>Nothing was run yet.</p>"
        return
    yield "<ul>"
    for (machine, versions), n in used.most_common():
        listed = ", ".join(f"{name} {version}" for name, version in versions)
        yield f"<li>{counted(n, 'run')}: {escape(machine)}; {escape(listed)}</li>"
    yield "</ul>"
