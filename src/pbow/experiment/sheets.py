"""From the cells of an experiment to a table of texts, which any format is made of."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from pbow.experiment.caption import caption, powered_caption
from pbow.experiment.comparison import (
    Compared,
    Spread,
    by_corrected_t_test,
    by_wilcoxon,
    column_title,
    compare,
    is_other_data,
)
from pbow.experiment.declaration import Experiment, Reported
from pbow.experiment.plan import n_repetitions
from pbow.experiment.runs import Run

__all__ = [
    "STATE_OF_THE_ART",
    "Block",
    "Entry",
    "Line",
    "Sheet",
    "Table",
    "is_powered",
    "paper_table",
    "powered_table",
]

Runs = Mapping[str, Run]
Cells = Mapping[tuple[str, str], Compared]

STATE_OF_THE_ART = "SoA"
# The number of repetitions of the paper; a Wilcoxon test of so few shows little.
FEW = 5


@dataclass(frozen=True)
class Entry:
    """A text in a table."""

    text: str
    is_bold: bool = False


@dataclass(frozen=True)
class Line:
    """One kind of number of a method, an entry a data set."""

    kind: str
    entries: tuple[Entry, ...]


@dataclass(frozen=True)
class Block:
    """All lines of a method."""

    title: str
    lines: tuple[Line, ...]


@dataclass(frozen=True)
class Sheet:
    """A table that any format can be made of.

    Attributes
    ----------
    title : str
        What its numbers are.
    columns : tuple of str
        Titles of the data sets.
    sections : tuple of tuple of Block
        The paper's methods, ours, and what the paper cites, those that there are.
    """

    title: str
    columns: tuple[str, ...]
    sections: tuple[tuple[Block, ...], ...]


@dataclass(frozen=True)
class Table:
    """All that a table says, in any format.

    Attributes
    ----------
    title : str
        Of the experiment.
    cells : mapping
        Every number, by names of data set and descriptor.
    test : str
        The test that p-values are of.
    sheets : tuple of Sheet
        Scores, seconds.
    caption : str
        Paragraphs, with an empty line between them.
    """

    title: str
    cells: Cells
    test: str
    sheets: tuple[Sheet, ...]
    caption: str


ABSENT = Entry("-")


def paper_table(experiment: Experiment, runs: Runs) -> Table:
    """Return the paper's table: ours, as the authors choose, and what is reported.

    Parameters
    ----------
    experiment : Experiment
        The declaration.
    runs : mapping of str to Run
        By key.
    """
    cells = compare(experiment, runs, by_wilcoxon)
    scores = _sheet("Scores", experiment, cells, _scores, _cited(experiment))
    seconds = _sheet("Seconds", experiment, cells, _seconds)
    return Table(
        title=experiment.title,
        cells=cells,
        test="Wilcoxon signed-rank",
        sheets=(scores, seconds),
        caption=caption(experiment, runs),
    )


def powered_table(experiment: Experiment, runs: Runs) -> Table:
    """Return the table of many repetitions: the paper's, and p-values of another test.

    Parameters
    ----------
    experiment : Experiment
        The declaration.
    runs : mapping of str to Run
        By key.
    """
    cells = compare(experiment, runs, by_corrected_t_test)
    scores = _sheet("Scores", experiment, cells, _scores_and_p, _cited(experiment))
    seconds = _sheet("Seconds", experiment, cells, _seconds)
    return Table(
        title=experiment.title,
        cells=cells,
        test="corrected resampled t",
        sheets=(scores, seconds),
        caption=powered_caption(experiment, runs),
    )


def is_powered(experiment: Experiment) -> bool:
    """Say whether all data sets are divided more often than in the paper."""
    return all(n_repetitions(experiment, entry) > FEW for entry in experiment.datasets)


# The cells of a method, None where it is left out -> its lines.
_Lines = Callable[[Sequence[Compared | None]], Iterator[Line]]


def _sheet(
    title: str,
    experiment: Experiment,
    cells: Cells,
    lines: _Lines,
    last: tuple[Block, ...] = (),
) -> Sheet:
    datasets = experiment.datasets
    sections = []
    for ours in (False, True):
        blocks = []
        for entry in experiment.descriptors:
            if entry.ours == ours:
                row = [cells.get((dataset.name, entry.name)) for dataset in datasets]
                blocks.append(Block(entry.title, tuple(lines(row))))
        sections.append(tuple(blocks))
    sections.append(last)
    columns = tuple(column_title(dataset) for dataset in datasets)
    return Sheet(title, columns, tuple(section for section in sections if section))


def _scores(row: Sequence[Compared | None]) -> Iterator[Line]:
    yield _here(row)
    yield from _beside(row)


def _scores_and_p(row: Sequence[Compared | None]) -> Iterator[Line]:
    yield _here(row)
    yield _line(
        row, "p", lambda c: Entry("best" if c.is_best else _p(c.p_value)), ABSENT
    )
    yield from _beside(row)


def _here(row: Sequence[Compared | None]) -> Line:
    return _line(row, "here", lambda c: Entry(_percent(c.nested), c.is_marked))


def _beside(row: Sequence[Compared | None]) -> Iterator[Line]:
    if any(c is not None and len(c.outcome.cell.combinations()) > 1 for c in row):
        yield _line(row, "test-chosen", lambda c: Entry(_percent(c.authors)), ABSENT)
    yield from _of_paper(row, lambda paper: Entry(_as_printed(paper), paper.best))


def _seconds(row: Sequence[Compared | None]) -> Iterator[Line]:
    yield _line(
        row, "here", lambda c: Entry(_duration(c.outcome.seconds), c.is_fastest)
    )
    yield from _of_paper(
        row,
        lambda paper: (
            ABSENT
            if paper.seconds is None
            else Entry(f"{paper.seconds:,}", paper.fastest)
        ),
    )


def _line(
    row: Sequence[Compared | None],
    kind: str,
    entry: Callable[[Compared], Entry],
    incomplete: Entry | None = None,
) -> Line:
    entries = []
    for cell in row:
        if cell is None:
            entries.append(ABSENT)
        elif cell.outcome.is_complete:
            entries.append(entry(cell))
        else:
            entries.append(incomplete or Entry(cell.status))
    return Line(kind, tuple(entries))


def _of_paper(
    row: Sequence[Compared | None], entry: Callable[[Reported], Entry]
) -> Iterator[Line]:
    entries = []
    for cell in row:
        paper = None if cell is None else cell.outcome.cell.reported
        made = ABSENT if paper is None else entry(paper)
        if cell is not None and made is not ABSENT:
            other = is_other_data(cell.outcome.cell.dataset)
            made = _on_other_data(made) if other else made
        entries.append(made)
    if any(made is not ABSENT for made in entries):
        yield Line("paper", tuple(entries))


def _cited(experiment: Experiment) -> tuple[Block, ...]:
    entries = []
    for dataset in experiment.datasets:
        cited = dataset.state_of_the_art
        if cited is None:
            entries.append(ABSENT)
            continue
        entry = Entry(f"{_as_printed(cited)} {cited.source}".rstrip())
        entries.append(_on_other_data(entry) if is_other_data(dataset) else entry)
    if all(entry is ABSENT for entry in entries):
        return ()
    return (Block(STATE_OF_THE_ART, (Line("cited", tuple(entries)),)),)


def _on_other_data(entry: Entry) -> Entry:
    return replace(entry, text=f"{entry.text} †")


def _percent(spread: Spread | None) -> str:
    if spread is None:
        return ABSENT.text
    if spread.std is None:
        return f"{spread.mean:.1f}"
    return f"{spread.mean:.1f} ± {spread.std:.1f}"


def _as_printed(reported: Reported) -> str:
    # Python writes a float with as many decimals as the declaration has, one at least.
    if reported.std is None:
        return f"{reported.score}"
    return f"{reported.score} ± {reported.std}"


def _duration(seconds: float | None) -> str:
    if seconds is None:
        return ABSENT.text
    if seconds >= 100.0:
        return f"{seconds:,.0f}"
    if seconds >= 1.0:
        return f"{seconds:.1f}"
    return f"{seconds:.2f}" if seconds >= 0.1 else f"{seconds:.2g}"


def _p(p_value: float | None) -> str:
    if p_value is None:
        return ABSENT.text
    return "< 0.001" if p_value < 0.001 else f"{p_value:.3f}"
