"""The figures of an experiment. They need the extra ``plot`` (matplotlib)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import cache
from typing import NamedTuple

from pbow.datasets import Dataset
from pbow.experiment.comparison import column_title
from pbow.experiment.data import open_dataset
from pbow.experiment.declaration import Cell, DatasetEntry, Experiment
from pbow.experiment.figures.confusions import confusion_of, confusion_pair
from pbow.experiment.figures.curves import (
    WORDS,
    accuracy_against_time,
    accuracy_by_codebook_size,
)
from pbow.experiment.figures.figure import CannotDraw, Figure, Saved, save
from pbow.experiment.figures.histograms import class_differences, class_histograms
from pbow.experiment.figures.illustrations import pipeline, rips_stages, shapes
from pbow.experiment.figures.times import time_against_size
from pbow.experiment.runs import Run
from pbow.experiment.selection import Outcome, summarize
from pbow.io.archive import AnyPath

__all__ = ["CannotDraw", "Figure", "Made", "Saved", "make_figures", "save"]

Runs = Mapping[str, Run]
Candidate = tuple[str, Callable[[], Figure]]

# The paper shows what is confused by these two, on a data set of this name.
PAIR = ("PI", "PBoW")
COMPARED_ON = "geomat"


class Made(NamedTuple):
    """The figures of an experiment, and what is not among them for which reason."""

    figures: list[Figure]
    left_out: dict[str, str]


def make_figures(
    experiment: Experiment, runs: Runs, *, data_home: AnyPath | None = None
) -> Made:
    """Return all figures of the paper and its supplement that an experiment has.

    Those of results need runs only. Those of diagrams need the data: average histograms
    and the pipeline of the first data set of shapes, and the two classes that are
    confused most on GeoMat, or else on the first data set where PI and PBoW are done.

    Parameters
    ----------
    experiment : Experiment
        The declaration.
    runs : mapping of str to Run
        By key, as :meth:`pbow.experiment.Folder.load` returns them.
    data_home : str or path-like, optional
        Folder of the data sets; by default what the variable PBOW_DATA names.

    Returns
    -------
    made : Made
        ``made.figures``, not drawn yet, and ``made.left_out``: why a figure that this
        experiment could have is missing (no runs, no data, no gudhi), by what it shows.

    See Also
    --------
    save : Draw a figure and write its files.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from pbow.experiment import read_experiment, run_experiment
    >>> from pbow.experiment.figures import make_figures
    >>> text = '''
    ... repetitions = 2
    ... [datasets.surfaces]
    ... surfaces = { n_diagrams = 40, n_points = 50 }
    ... [descriptors.PBoW]
    ... make = "PersistenceBoW"
    ... grid = { n_words = [5, 10] }
    ... '''
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder, "small.toml")
    ...     _ = path.write_text(text)
    ...     runs = run_experiment(path, Path(folder, "results"))
    ...     made = make_figures(read_experiment(path), runs)
    >>> [figure.name for figure in made.figures]
    ['accuracy_by_codebook_size', 'time_against_size']
    """
    made = Made([], {})
    for shows, make in _candidates(experiment, runs, data_home):
        try:
            made.figures.append(make())
        except (CannotDraw, FileNotFoundError, ImportError) as error:
            made.left_out[shows] = str(error)
    return made


def _candidates(
    experiment: Experiment, runs: Runs, data_home: AnyPath | None
) -> Iterator[Candidate]:
    """Give what this experiment could show, and how: in the order of the paper."""

    # Several figures are of the same data.
    @cache
    def open_named(name: str) -> Dataset:
        [entry] = [entry for entry in experiment.datasets if entry.name == name]
        return open_dataset(entry, seed=experiment.seed, data_home=data_home)

    of_shapes = next(filter(_has_shapes, experiment.datasets), None)
    if of_shapes is not None:
        name, title = of_shapes.name, column_title(of_shapes)
        yield "the pipeline", lambda: pipeline(open_named(name), title)
        yield "stages of a Rips complex", rips_stages
        yield "the six shapes", shapes
    if any(_has_sizes(cell) for cell in experiment.cells):
        yield (
            "accuracy by codebook size",
            lambda: accuracy_by_codebook_size(experiment, runs),
        )
    if of_shapes is not None:
        yield (
            "average histograms of classes",
            lambda: class_histograms(open_named(name), title),
        )
    pair = _compared(experiment, runs)
    if pair is not None:
        left, right = pair
        entry = right.cell.dataset
        yield (
            "confusion matrices",
            lambda: confusion_pair(left, right, open_named(entry.name)),
        )
        yield (
            "differences of classes",
            lambda: class_differences(
                open_named(entry.name), confusion_of(right), column_title(entry)
            ),
        )
        yield "accuracy against time", lambda: accuracy_against_time(experiment, runs)
    if any("surfaces" in entry.source for entry in experiment.datasets):
        yield "time against size", lambda: time_against_size(experiment, runs)


def _has_shapes(entry: DatasetEntry) -> bool:
    return "shapes" in entry.source or entry.name.startswith(("synthetic", "shapes"))


def _has_sizes(cell: Cell) -> bool:
    return cell.descriptor.name in WORDS and len(cell.grid.get("n_words", ())) > 1


def _compared(experiment: Experiment, runs: Runs) -> tuple[Outcome, Outcome] | None:
    """Return PI and PBoW where the paper compares them, or else where both are done."""
    outcomes = summarize(experiment, runs)
    pairs = [
        (outcomes[of.name, PAIR[0]], outcomes[of.name, PAIR[1]])
        for of in experiment.datasets
        if all((of.name, name) in outcomes for name in PAIR)
    ]
    # min keeps the first of equals.
    return min(pairs, key=_rank, default=None)


def _rank(pair: tuple[Outcome, Outcome]) -> tuple[bool, bool]:
    is_done = all(outcome.is_complete for outcome in pair)
    return not is_done, not pair[0].cell.dataset.name.startswith(COMPARED_ON)
