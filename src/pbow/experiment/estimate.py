"""How much work an experiment is: support vector machines to fit, and time left."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from pbow._utils.files import AnyPath
from pbow.datasets import Dataset
from pbow.experiment.classification import classify, make_folds, screening_rows
from pbow.experiment.data import open_dataset
from pbow.experiment.declaration import Cell, DatasetEntry, DescriptorEntry, Experiment
from pbow.experiment.descriptors import represent
from pbow.experiment.plan import n_repetitions, plan_cell
from pbow.experiment.runs import FINAL, SCREEN, Run

__all__ = ["Estimate", "Work", "count_work", "estimate_work", "progress_of"]

# What the time of a fit is tried on: of middling size among all that is compared.
PROBE = DescriptorEntry(name="probe", title="probe", make="PersistenceBoW.paper")
PROBE_WORDS = 50


@dataclass(frozen=True)
class Work:
    """Numbers of support vector machines.

    Attributes
    ----------
    n_combinations : int
        Combinations of parameters, over all cells.
    whole_grid : int
        Machines to fit if every combination went through the whole protocol in every
        repetition: all costs times all folds, and one for the test part.
    screening, finals : int
        Machines to fit by the declared reduction, at most: one inner division and all
        costs for every combination; the whole protocol for the finalists.
    """

    n_combinations: int
    whole_grid: int
    screening: int
    finals: int


def count_work(experiment: Experiment) -> Work:
    """Count what an experiment has to do, before anything is run.

    Parameters
    ----------
    experiment : Experiment
        The declaration.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from pbow.experiment import count_work, read_experiment
    >>> text = '''
    ... [datasets.shapes]
    ... shapes = { n_per_class = 5 }
    ... [descriptors.PBoW]
    ... make = "PersistenceBoW"
    ... grid = { n_words = [10, 20, 30, 40, 50, 60] }
    ... '''
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder, "small.toml")
    ...     _ = path.write_text(text)
    ...     count_work(read_experiment(path))
    Work(n_combinations=6, whole_grid=780, screening=180, finals=520)
    """
    classifier = experiment.classifier
    n_costs = len(classifier.costs)
    whole = n_costs * classifier.folds + 1
    total = Work(0, 0, 0, 0)
    for cell in experiment.cells:
        n = len(cell.combinations())
        repetitions = n_repetitions(experiment, cell.dataset)
        is_screened = n > classifier.finalists
        # One more than the finalists: the combination that is best on the test parts.
        n_finals = min(n, classifier.finalists + 1) if is_screened else n
        total = Work(
            total.n_combinations + n,
            total.whole_grid + n * repetitions * whole,
            total.screening + is_screened * n * repetitions * (n_costs + 1),
            total.finals + n_finals * repetitions * whole,
        )
    return total


@dataclass(frozen=True)
class Estimate:
    """Work on a data set, and the seconds of a core that it takes by estimate."""

    dataset: DatasetEntry
    work: Work
    whole_grid_seconds: float
    reduced_seconds: float


def estimate_work(
    experiment: Experiment, data_home: AnyPath | None = None
) -> Iterator[Estimate]:
    """Estimate the time of all fits, from a few of them on each data set.

    One inner division is tried with all costs, on the whole training part and on the
    rows of the screening, for PBoW with 50 words. Fits are what an experiment spends
    its time on; representations are not counted.

    Parameters
    ----------
    experiment : Experiment
        The declaration.
    data_home : str or path-like, optional
        Folder of the data sets.
    """
    classifier = experiment.classifier
    for entry in experiment.datasets:
        cells = tuple(cell for cell in experiment.cells if cell.dataset == entry)
        work = count_work(replace(experiment, cells=cells))
        dataset = open_dataset(entry, seed=experiment.seed, data_home=data_home)
        large = _seconds_a_fit(
            experiment, entry, dataset, len(dataset), classifier.max_iterations
        )
        small = _seconds_a_fit(
            experiment,
            entry,
            dataset,
            classifier.screen_rows,
            classifier.screen_iterations,
        )
        yield Estimate(
            entry,
            work,
            work.whole_grid * large,
            work.screening * small + work.finals * large,
        )


def _seconds_a_fit(
    experiment: Experiment,
    entry: DatasetEntry,
    dataset: Dataset,
    n_rows: int,
    max_iterations: int,
) -> float:
    seed, classifier = experiment.seed, experiment.classifier
    train, test = dataset.splits(entry.protocol, seed=seed)[0]
    rows = screening_rows(dataset.labels[train], n_rows, seed=seed, repetition=0)
    train = train[rows]
    similarities = represent(
        PROBE, {"n_words": PROBE_WORDS}, dataset.diagrams, train, test, seed=seed
    )
    labels = dataset.labels
    folds = make_folds(labels[train], None, classifier.folds, seed=seed, repetition=0)
    verdict = classify(
        similarities,
        labels[train],
        labels[test],
        folds[:1],
        costs=classifier.costs,
        max_iterations=max_iterations,
        n_classes=len(dataset.label_names),
    )
    return verdict.seconds / verdict.n_fits


def progress_of(
    experiment: Experiment,
    cells: Sequence[Cell],
    runs: Mapping[str, Run],
    n_jobs: int,
) -> tuple[int, int, float | None]:
    """Return runs that are done, runs that are needed, and the seconds that are left.

    Finalists that are not known yet are counted as if none of them coincided. A run
    is taken to last as long as those of its cell and stage did on average, else of its
    data set and stage, else of its stage; None where no run of a stage is finished.
    """
    known: dict[tuple[str, ...], list[float]] = defaultdict(list)
    for run in runs.values():
        seconds = sum(run.seconds.values())
        known[run.stage, run.dataset, run.descriptor].append(seconds)
        known[run.stage, run.dataset].append(seconds)
        known[run.stage,].append(seconds)
    means = {key: float(np.mean(values)) for key, values in known.items()}
    done = total = 0
    left: float | None = 0.0
    for cell in cells:
        tasks = plan_cell(experiment, cell, runs)
        open_stages = [task.stage for task in tasks if task.key not in runs]
        done += len(tasks) - len(open_stages)
        if SCREEN in open_stages:
            n_finals = (experiment.classifier.finalists + 1) * n_repetitions(
                experiment, cell.dataset
            )
            open_stages += [FINAL] * n_finals
        total += len(tasks) + open_stages.count(FINAL) * (SCREEN in open_stages)
        names = cell.dataset.name, cell.descriptor.name
        for stage in open_stages:
            keys = [(stage, *names), (stage, names[0]), (stage,)]
            found = [means[key] for key in keys if key in means]
            left = left + found[0] if left is not None and found else None
    return done, total, None if left is None else left / n_jobs
