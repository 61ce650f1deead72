"""Make one run after another: open the data, represent, classify, and take the time."""

from __future__ import annotations

import json
import os
import platform
import time
from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from pbow._utils.files import AnyPath, atomic_write
from pbow.datasets import Dataset
from pbow.datasets.splits import FOLDS, N_FOLDS, OF_GROUPS, ORIGINAL
from pbow.diagrams import Diagrams
from pbow.experiment.classification import (
    SCREENING_PARTS,
    classify,
    make_folds,
    screening_rows,
)
from pbow.experiment.data import fingerprint, open_dataset
from pbow.experiment.declaration import (
    Cell,
    DatasetEntry,
    Experiment,
    Params,
    describe,
)
from pbow.experiment.descriptors import (
    Similarities,
    from_distances,
    make_descriptor,
    represent,
)
from pbow.experiment.plan import (
    Task,
    chooses,
    is_shared,
    matrix_key,
    n_repetitions,
    over_budget_key,
    plan_cell,
)
from pbow.experiment.runs import OVER_BUDGET, SCREEN, Folder, Run
from pbow.experiment.surfaces import diagrams_like_surfaces

__all__ = ["BusyElsewhere", "OutOfTime", "Worker"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

SECONDS_BETWEEN_NOTES = 5.0
PACKAGES = ("pbow", "numpy", "scipy", "scikit-learn", "numba", "gudhi")


class OutOfTime(Exception):  # noqa: N818  it is not an error
    """The distances of a cell take longer than the cell may take."""


class BusyElsewhere(Exception):  # noqa: N818
    """Another process computes the distances that a run needs."""


class Worker:
    """Makes runs; keeps the data set that was used last.

    Parameters
    ----------
    experiment : Experiment
        What is run.
    folder : Folder
        Where results lie.
    data_home : str or path-like or None
        Where data lie.
    """

    def __init__(
        self, experiment: Experiment, folder: Folder, data_home: AnyPath | None
    ) -> None:
        self._experiment = experiment
        self._folder = folder
        self._data_home = data_home
        self._opened: tuple[str, Dataset, list[tuple[Ints, Ints]]] | None = None

    def execute(self, task: Task) -> Run:
        """Make a run.

        Raises
        ------
        OutOfTime
            Where it would take the cell over its budget. What is done is kept.
        BusyElsewhere
            Where another process is at work on what it needs.
        """
        entry = task.cell.dataset
        dataset, splits = self._open(entry)
        run = Run(
            key=task.key,
            stage=task.stage,
            dataset=entry.name,
            descriptor=task.cell.descriptor.name,
            params=task.params,
            repetition=task.repetition,
            versions=_versions(),
            machine=_machine(),
        )
        if task.repetition is None:
            _, seconds = self._distances(task.cell, task.params, dataset)
            return replace(run, n_train=len(dataset), seconds={"encode": seconds})
        train, test = splits[task.repetition]
        return self._classified(run, task, dataset, train, test)

    def is_over_budget(self, cell: Cell, runs: Mapping[str, Run]) -> bool:
        """Say whether a cell has used up its time; if so, a note is left."""
        limit = self._experiment.minutes_per_cell
        if limit is None or self._spent(cell, runs) < 60.0 * limit:
            return False
        self.note_over_budget(cell, runs)
        return True

    def note_over_budget(self, cell: Cell, runs: Mapping[str, Run]) -> None:
        """Write down that a cell has used up its time, and how far it came."""
        tasks = plan_cell(self._experiment, cell, runs)
        n_done = sum(task.key in runs for task in tasks)
        limit = self._experiment.minutes_per_cell
        note = f"over {limit:g} minutes after {n_done} of {len(tasks)} runs"
        for _, share in self._unfinished(cell):
            note += f" and {share:.0%} of the distances for another"
        self._folder.write(
            Run(
                key=over_budget_key(self._experiment, cell),
                stage=OVER_BUDGET,
                dataset=cell.dataset.name,
                descriptor=cell.descriptor.name,
                params={},
                seconds={"spent": self._spent(cell, runs)},
                versions=_versions(),
                machine=_machine(),
                note=note,
            )
        )

    def _open(self, entry: DatasetEntry) -> tuple[Dataset, list[tuple[Ints, Ints]]]:
        if self._opened is None or self._opened[0] != entry.name:
            seed = self._experiment.seed
            dataset = open_dataset(entry, seed=seed, data_home=self._data_home)
            self._folder.check_data(entry.name, fingerprint(dataset))
            wanted = n_repetitions(self._experiment, entry)
            splits = _splits(dataset, entry.protocol, wanted, seed)
            self._opened = entry.name, dataset, splits
        return self._opened[1:]

    def _classified(
        self, run: Run, task: Task, dataset: Dataset, train: Ints, test: Ints
    ) -> Run:
        experiment, repetition = self._experiment, task.repetition or 0
        classifier, seed = experiment.classifier, experiment.seed
        n_folds = classifier.folds
        max_iterations = classifier.max_iterations
        if task.stage == SCREEN:
            max_iterations = classifier.screen_iterations
            rows = screening_rows(
                dataset.labels[train],
                classifier.screen_rows,
                seed=seed,
                repetition=repetition,
            )
            train, n_folds = train[rows], SCREENING_PARTS
        try:
            similarities = self._similarities(task, dataset, train, test)
        except ValueError as error:
            msg = f"{task.cell.name} with {describe(task.params)}: {error}"
            raise ValueError(msg) from error
        groups = _inner_groups(dataset, task.cell.dataset.protocol)
        folds = make_folds(
            dataset.labels[train],
            None if groups is None else groups[train],
            n_folds,
            seed=seed,
            repetition=repetition,
        )
        if task.stage == SCREEN:
            folds = folds[:1]
        elif not chooses(self._experiment, task.cell):
            folds = []
        verdict = classify(
            similarities,
            dataset.labels[train],
            dataset.labels[test],
            folds,
            costs=classifier.costs,
            max_iterations=max_iterations,
            n_classes=len(dataset.label_names),
        )
        return replace(
            run,
            accuracy=verdict.accuracy,
            validation=verdict.validation,
            cost=verdict.cost,
            by_cost=verdict.by_cost,
            # Thousands of screenings would fill megabytes with theirs.
            confusion=None if task.stage == SCREEN else verdict.confusion,
            n_train=len(train),
            n_test=len(test),
            n_features=similarities.n_features,
            seconds=similarities.seconds | {"classify": verdict.seconds},
            n_fits=verdict.n_fits,
            n_capped=verdict.n_capped,
        )

    def _similarities(
        self, task: Task, dataset: Dataset, train: Ints, test: Ints
    ) -> Similarities:
        if is_shared(task.cell):
            D, _ = self._distances(task.cell, task.params, dataset)
            return from_distances(D, train, test)
        return represent(
            task.cell.descriptor,
            task.params,
            dataset.diagrams,
            train,
            test,
            seed=self._experiment.seed + (task.repetition or 0),
        )

    def _distances(
        self, cell: Cell, params: Params, dataset: Dataset
    ) -> tuple[Floats, float]:
        """Return distances between all diagrams and the seconds they took in all.

        Those that are done already are read. What an interrupted work has spent is in a
        file of its own, so that the time is the whole one.
        """
        file = self._matrix_file(cell, params)
        is_finished = file.exists()
        make, seed = cell.descriptor.make, self._experiment.seed
        if not is_finished:
            _compile(make, describe(params), dataset.diagrams.parts)
        kernel = make_descriptor(make, params, seed=seed)
        clock = _Stopwatch(file, None if is_finished else self._seconds_left(cell))
        try:
            D = kernel.distances(dataset.diagrams, out=file, progress=clock.tick)
        except BlockingIOError as error:
            raise BusyElsewhere from error
        return D, clock.stop()

    def _seconds_left(self, cell: Cell) -> float | None:
        limit = self._experiment.minutes_per_cell
        if limit is None:
            return None
        runs = self._folder.load()
        return 60.0 * limit - self._spent(cell, runs)

    def _spent(self, cell: Cell, runs: Mapping[str, Run]) -> float:
        """Return the seconds of work of a cell, unfinished distances included."""
        keys = [task.key for task in plan_cell(self._experiment, cell, runs)]
        spent = sum(sum(runs[key].seconds.values()) for key in keys if key in runs)
        return spent + sum(seconds for seconds, _ in self._unfinished(cell))

    def _unfinished(self, cell: Cell) -> list[tuple[float, float]]:
        """Return seconds and shares of matrices that were begun and not finished."""
        if not is_shared(cell):
            return []
        files = [self._matrix_file(cell, params) for params in cell.combinations()]
        begun = [_Stopwatch.read(file) for file in files if not file.exists()]
        return [(seconds, share) for seconds, share in begun if share > 0.0]

    def _matrix_file(self, cell: Cell, params: Params) -> Path:
        key = matrix_key(self._experiment, cell, params)
        return self._folder.matrices / f"{key}.npy"


@cache
def _compile(make: str, params: str, parts: tuple[str, ...]) -> None:
    """Compare two small diagrams, once in a process: this compiles what distances need.

    They are computed once, so no median over repetitions would leave that time out.
    """
    X, _ = diagrams_like_surfaces(n_diagrams=2, n_points=5)
    kernel = make_descriptor(make, json.loads(params), seed=0)
    kernel.distances(Diagrams.from_parts(dict.fromkeys(parts, X)))


class _Stopwatch:
    """The time that a matrix takes, over all processes that have worked on it."""

    def __init__(self, matrix: Path, seconds_left: float | None) -> None:
        self._matrix = matrix
        self._before, self._share = self.read(matrix)
        self._limit = seconds_left
        self._start = self._noted = time.perf_counter()

    @staticmethod
    def read(matrix: Path) -> tuple[float, float]:
        """Return the seconds that were spent on a matrix, and the share of it."""
        try:
            seconds, share = matrix.with_suffix(".progress").read_text().split()
            return float(seconds), float(share)
        except (FileNotFoundError, ValueError):
            return 0.0, 0.0

    def tick(self, done: int, total: int) -> None:
        now = time.perf_counter()
        self._share = done / max(total, 1)
        is_late = self._limit is not None and now - self._start > self._limit
        if is_late or now - self._noted > SECONDS_BETWEEN_NOTES:
            self._noted = now
            self.stop()
        if is_late:
            raise OutOfTime

    def stop(self) -> float:
        """Write down what was spent, and return it."""
        seconds = self._before + time.perf_counter() - self._start
        with atomic_write(self._matrix.with_suffix(".progress")) as file:
            file.write(f"{seconds} {self._share}\n".encode())
        return seconds


def _splits(
    dataset: Dataset, protocol: str | None, wanted: int, seed: int
) -> list[tuple[Ints, Ints]]:
    """Return as many divisions as wanted; four folds are drawn as often as needed."""
    chosen = protocol or dataset.protocol
    draws = -(-wanted // N_FOLDS) if chosen == FOLDS else wanted
    if chosen == ORIGINAL:
        draws = 1
    splits = dataset.splits(chosen, seed=seed, repetitions=draws)
    if len(splits) < wanted:
        msg = (
            f"Data set {dataset.name} has {len(splits)} divisions by the protocol "
            f"{chosen!r}; {wanted} repetitions were asked for. Say `repetitions = "
            f"{len(splits)}` in its table."
        )
        raise ValueError(msg)
    return splits[:wanted]


def _inner_groups(dataset: Dataset, protocol: str | None) -> Ints | None:
    """Return what inner folds must not divide: what the outer ones do not divide."""
    keeps_groups = (protocol or dataset.protocol) in (*OF_GROUPS, FOLDS)
    return dataset.groups if keeps_groups else None


@cache
def _versions() -> dict[str, str]:
    found = {"python": platform.python_version()}
    for package in PACKAGES:
        try:
            found[package] = version(package)
        except PackageNotFoundError:  # an extra that is not installed
            continue
    return found


@cache
def _machine() -> str:
    name = platform.processor() or platform.machine()
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:  # another system
        lines = []
    for line in lines:
        if line.startswith("model name"):
            name = line.partition(":")[2].strip()
            break
    return f"{name}, {os.cpu_count()} cores"
