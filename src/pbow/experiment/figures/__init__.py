"""The figures of an experiment. They need the extra ``plot`` (matplotlib)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import cache
from typing import NamedTuple

from pbow._utils.files import AnyPath
from pbow.datasets import Dataset
from pbow.experiment.comparison import column_title
from pbow.experiment.data import open_dataset
from pbow.experiment.declaration import DatasetEntry, Experiment
from pbow.experiment.figures.confusions import confusion_of, confusion_pair
from pbow.experiment.figures.curves import (
    accuracy_against_time,
    accuracy_by_codebook_size,
)
from pbow.experiment.figures.figure import CannotDraw, Figure, Saved, save
from pbow.experiment.figures.histograms import class_differences, class_histograms
from pbow.experiment.figures.illustrations import pipeline, rips_stages, shapes
from pbow.experiment.figures.kinds import IMAGES, WORDS, row_of
from pbow.experiment.figures.times import time_against_size
from pbow.experiment.runs import Run
from pbow.experiment.selection import Outcome, summarize

__all__ = ["CannotDraw", "Figure", "Made", "Saved", "make_figures", "save"]

Runs = Mapping[str, Run]
Candidate = tuple[str, Callable[[], Figure]]

# The paper shows what is confused by PI and PBoW on a data set of this name.
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
    PI, PBoW and sPBoW are rows of PersistenceImage, PersistenceBoW and
    StablePersistenceBoW, whatever their names: of several, the one that is called so,
    or else the first.

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
        ``made.figures``, not drawn yet, and ``made.left_out``: why a figure is missing
        (nothing to show, no runs, no data, no gudhi), by what it shows.

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
    """Give what there is to show, and how: in the order of the paper."""

    # Several figures are of the same data.
    @cache
    def open_named(name: str) -> Dataset:
        [entry] = [entry for entry in experiment.datasets if entry.name == name]
        return open_dataset(entry, seed=experiment.seed, data_home=data_home)

    def of_shapes() -> tuple[Dataset, str]:
        entry = _first_of_shapes(experiment)
        return open_named(entry.name), column_title(entry)

    def confusions() -> Figure:
        left, right = _compared(experiment, runs)
        return confusion_pair(left, right, open_named(right.cell.dataset.name))

    def differences() -> Figure:
        _, right = _compared(experiment, runs)
        entry = right.cell.dataset
        return class_differences(
            open_named(entry.name), confusion_of(right), column_title(entry)
        )

    def beside_shapes(make: Callable[[], Figure]) -> Figure:
        _first_of_shapes(experiment)
        return make()

    def circles() -> Figure:
        _compared(experiment, runs)
        return accuracy_against_time(experiment, runs)

    yield "the pipeline", lambda: pipeline(*of_shapes())
    yield "stages of a Rips complex", lambda: beside_shapes(rips_stages)
    yield "the six shapes", lambda: beside_shapes(shapes)
    yield (
        "accuracy by codebook size",
        lambda: accuracy_by_codebook_size(experiment, runs),
    )
    yield "average histograms of classes", lambda: class_histograms(*of_shapes())
    yield "confusion matrices", confusions
    yield "differences of classes", differences
    yield "accuracy against time", circles
    yield "time against size", lambda: time_against_size(experiment, runs)


def _first_of_shapes(experiment: Experiment) -> DatasetEntry:
    found = next(filter(_has_shapes, experiment.datasets), None)
    if found is None:
        msg = "It is of a data set of shapes, which this experiment does not have."
        raise CannotDraw(msg)
    return found


def _has_shapes(entry: DatasetEntry) -> bool:
    return "shapes" in entry.source or entry.name.startswith(("synthetic", "shapes"))


def _compared(experiment: Experiment, runs: Runs) -> tuple[Outcome, Outcome]:
    """Return PI and PBoW where the paper compares them, or else where both are done."""
    outcomes = summarize(experiment, runs)
    names = [
        row.name
        for kind in (IMAGES, WORDS)
        if (row := row_of(experiment, kind)) is not None
    ]
    pairs = [
        (outcomes[of.name, names[0]], outcomes[of.name, names[1]])
        for of in experiment.datasets
        if len(names) == 2 and all((of.name, name) in outcomes for name in names)
    ]
    if not pairs:
        msg = (
            "It compares PI with PBoW (PersistenceImage, PersistenceBoW) on a data "
            "set, and this experiment does not have both."
        )
        raise CannotDraw(msg)
    # min keeps the first of equals.
    return min(pairs, key=_rank)


def _rank(pair: tuple[Outcome, Outcome]) -> tuple[bool, bool]:
    is_done = all(outcome.is_complete for outcome in pair)
    return not is_done, not pair[0].cell.dataset.name.startswith(COMPARED_ON)
