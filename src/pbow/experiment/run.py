"""Run an experiment: any number of processes, stopped and started at any moment."""

from __future__ import annotations

import json
import os
import time
import warnings
from collections.abc import Callable, Collection, Iterable, Iterator
from itertools import chain, groupby, islice
from pathlib import Path
from typing import Any, NamedTuple

from joblib import Parallel, delayed
from sklearn.base import clone
from threadpoolctl import threadpool_limits

from pbow._utils.checks import is_integer
from pbow._utils.files import AnyPath, atomic_write, claim
from pbow._utils.progress import progress_bar
from pbow._utils.warn import warn_user
from pbow.diagrams import Diagrams
from pbow.errors import FewerWordsWarning, ParameterError
from pbow.evaluation import evaluate_split
from pbow.evaluation.classification import spread_rows
from pbow.experiment.data import (
    Draw,
    draw,
    fingerprint,
    inner_groups,
    locate,
    open_dataset,
)
from pbow.experiment.declaration import (
    Cell,
    DatasetEntry,
    DeclarationError,
    Experiment,
    read_experiment,
)
from pbow.experiment.descriptors import make_descriptor
from pbow.experiment.environment import code_digest, machine, versions
from pbow.experiment.estimate import core_time, estimate_seconds
from pbow.experiment.results import Folder
from pbow.experiment.surfaces import diagrams_like_surfaces
from pbow.experiment.tasks import FINAL, Record, Runs, Task, expected_finals, plan

__all__ = ["MissingDataWarning", "run_experiment"]

SECONDS_BETWEEN_LOOKS = 1.0
# They share what it takes to open a data set.
TASKS_PER_JOB = 10


class MissingDataWarning(UserWarning):
    """A data set is not available; the rest of the experiment is run."""


class _Source(NamedTuple):
    """What every process needs to open the same data set."""

    entry: DatasetEntry
    seed: int
    n_wanted: int
    data_home: str | None
    digest: str


def run_experiment(
    path: AnyPath,
    out: AnyPath,
    *,
    data_home: AnyPath | None = None,
    only: Collection[str] = (),
    n_jobs: int = 1,
    progress: bool = False,
    report: Callable[[str], object] = lambda _: None,
) -> dict[str, Record]:
    """Run what is missing of an experiment, and return all of its runs.

    Every run is written atomically to a file of its own when it is finished. Stop it at
    any moment, kill it, start it again, or start several on one folder: finished runs
    are kept, and none is made twice. At the end the runs are gathered into one table,
    ``runs.parquet``, from which a later call goes on as well.

    Processes are those of ``joblib.Parallel``: inside
    ``joblib.parallel_config(backend="dask")`` they are the workers of a Dask cluster,
    which must see the folder of results and the data.

    Parameters
    ----------
    path : str or path-like
        The declaration, a TOML file.
    out : str or path-like
        Folder for the results.
    data_home : str or path-like, optional
        Folder of the data sets; by default the one that the variable PBOW_DATA names.
    only : collection of str, optional
        Names of data sets, of descriptors, or of cells as ``"synthetic/PBoW"``: what to
        run. By default everything.
    n_jobs : int, default=1
        Number of processes.
    progress : bool, default=False
        Whether to show a progress bar on stderr.
    report : callable, optional
        Is called with one line of text before each round of work: how many runs are
        missing, and an estimate of the time.

    Returns
    -------
    runs : dict of str to dict
        All runs by key, of this call and of earlier ones.

    Warns
    -----
    MissingDataWarning
        Names a data set that is not available; the rest is run.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from pbow.experiment import choose, read_experiment, run_experiment
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
    ...     chosen = choose(read_experiment(path), runs)
    >>> len(runs), sorted(set(chosen.classifier))
    (4, ['distance', 'linear'])
    """
    experiment = read_experiment(path).only(only)
    if not is_integer(n_jobs, 1):
        raise ParameterError("n_jobs", "an int >= 1", n_jobs)
    _check_descriptors(path, experiment.cells)
    folder = Folder(out)
    runs = folder.read()
    folder.check(experiment)
    # Workers on other machines may have another variable PBOW_DATA.
    home = os.environ.get("PBOW_DATA") if data_home is None else os.fspath(data_home)
    home = str(Path(home).expanduser().resolve()) if home else None
    sources, sizes = _look_at_data(experiment, home, runs)
    cells = [cell for cell in experiment.cells if cell.dataset.name in sources]
    folder.make(experiment)
    there = Folder(folder.path.resolve())  # processes may work in other folders
    n_made = 1
    try:
        while todo := _missing(experiment, cells, runs):
            if n_made:
                finals = (expected_finals(experiment, c, runs) for c in cells)
                expected = [*todo, *chain.from_iterable(finals)]
                needed = core_time(estimate_seconds(expected, sizes, runs))
                report(
                    f"{len(expected):,} runs to do, by estimate in {needed}; "
                    f"{len(runs):,} done"
                )
            jobs = (
                delayed(_make_runs)(batch, sources[batch[0].cell.dataset.name], there)
                for batch in _batches(todo)
            )
            made = Parallel(n_jobs, return_as="generator_unordered")(jobs)
            n_made = 0
            with progress_bar(show=progress, total=len(todo), unit="runs") as advance:
                for n_tasks, n_new in made:
                    n_made += n_new
                    advance(n_tasks)
            if n_made == 0:  # other processes are at work on all of them
                time.sleep(SECONDS_BETWEEN_LOOKS)
            runs = folder.read()
    finally:
        folder.gather()
    return folder.read()


def _missing(
    experiment: Experiment, cells: Iterable[Cell], records: dict[str, Record]
) -> list[Task]:
    """Return the tasks to do; those of one repetition together share its data."""
    tasks = [
        task
        for cell in cells
        for task in plan(experiment, cell, records)
        if task.key not in records
    ]
    # Two cells may be the same by their effective parameters.
    unique = {task.key: task for task in tasks}.values()
    order = {entry.name: k for k, entry in enumerate(experiment.datasets)}
    return sorted(unique, key=lambda t: (order[t.cell.dataset.name], t.repetition))


def _check_descriptors(path: AnyPath, cells: Iterable[Cell]) -> None:
    """Find wrong parameters before the first hour of work, not after it."""
    for cell in cells:
        also = cell.descriptor.also
        first = cell.combinations()[0]
        try:
            for params in (*cell.combinations(), *(first | more for more in also)):
                make_descriptor(cell.descriptor.make, params, seed=0)
        except DeclarationError as error:
            msg = f"{path}: in [descriptors.{cell.descriptor.name}]: {error}"
            raise DeclarationError(msg) from error


def _look_at_data(
    experiment: Experiment, data_home: str | None, runs: Runs
) -> tuple[dict[str, _Source], dict[str, int]]:
    """Open every data set once: name those that are missing, refuse others' runs."""
    found, sizes, missing = {}, {}, []
    seed = experiment.seed
    earlier = {(record["dataset"], record["data"]) for record in runs.values()}
    for entry in experiment.datasets:
        try:
            located = locate(entry, data_home)
            dataset = open_dataset(located, seed=seed, data_home=data_home)
        except (FileNotFoundError, ImportError) as error:
            missing.append(str(error))
            msg = f"Data set {entry.name} is left out: {error}"
            warn_user(msg, MissingDataWarning)
            continue
        digest = fingerprint(dataset)
        if {data for name, data in earlier if name == entry.name} - {digest}:
            msg = (
                f"The data of {entry.name} are not those of the runs that the folder "
                "of results holds. Pass another folder, or restore the data."
            )
            raise ValueError(msg)
        n_wanted = experiment.n_repetitions(entry)
        drawn = draw(dataset, entry, 0, seed=seed, n_wanted=n_wanted)
        found[entry.name] = _Source(located, seed, n_wanted, data_home, digest)
        sizes[entry.name] = len(drawn.dataset)
    if not found:
        raise FileNotFoundError(" ".join(missing))
    return found, sizes


def _batches(tasks: list[Task]) -> Iterator[list[Task]]:
    """Give tasks of one repetition of a data set, which is then opened once for all."""
    same = groupby(tasks, key=lambda t: (t.cell.dataset.name, t.repetition))
    for _, group in same:
        while batch := list(islice(group, TASKS_PER_JOB)):
            yield batch


def _make_runs(tasks: list[Task], source: _Source, folder: Folder) -> tuple[int, int]:
    """Make the runs that are not done and that no other process makes.

    Returns the number of tasks, and how many of them were made.
    """
    entry, seed, n_wanted, data_home, digest = source
    repetition = tasks[0].repetition
    drawn: Draw | None = None
    n_made = 0
    for task in tasks:
        path = folder.run_file(task.key)
        with claim(path) as is_mine, threadpool_limits(1):
            if not is_mine or folder.has(task.key):
                continue
            if drawn is None:  # others may have done all of it
                dataset = open_dataset(entry, seed=seed, data_home=data_home)
                if fingerprint(dataset) != digest:
                    msg = f"The data of {entry.name} have changed since the start."
                    raise ValueError(msg)
                drawn = draw(dataset, entry, repetition, seed=seed, n_wanted=n_wanted)
            record = _measure(task, drawn, seed + repetition) | {"data": digest}
            with atomic_write(path) as file:
                file.write(json.dumps(record).encode())
            n_made += 1
    return len(tasks), n_made


def _measure(task: Task, drawn: Draw, seed: int) -> Record:
    entry, descriptor = task.cell.dataset, task.cell.descriptor
    dataset, labels = drawn.dataset, drawn.dataset.labels
    rows = spread_rows(labels[drawn.train], task.rows, seed=seed)
    train, test = drawn.train[rows], drawn.test
    made = make_descriptor(descriptor.make, task.params, seed=seed)
    record: Record = {
        "key": task.key,
        "stage": task.stage,
        "dataset": entry.name,
        "descriptor": descriptor.name,
        "params": task.params,
        "repetition": task.repetition,
        "n_train": len(train),
        "n_test": len(test),
        "n_features": 0,
        "seconds": {},
        "scores": {},
        "error": "",
        "code": code_digest(type(made).__module__),
        "machine": machine(),
        "versions": versions(),
    }
    _compile(made, dataset.diagrams.parts)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", FewerWordsWarning)
            found = evaluate_split(
                made,
                dataset.diagrams,
                labels,
                (train, test),
                task.classifiers,
                search=task.search,
                groups=inner_groups(dataset, entry),
                standardize=descriptor.standardize,
                fit_on_all=descriptor.fit_on_all,
                rescale=descriptor.rescale,
                factor=descriptor.factor,
                seed=seed,
            )
    except ValueError as error:  # parameters that these samples do not allow
        return record | {"error": str(error) or repr(error)}
    for name, score in found.scores.items():
        # Confusion matrices of thousands of screenings would fill megabytes.
        confusion = score.confusion.tolist() if task.stage == FINAL else None
        record["scores"][name] = vars(score) | {"confusion": confusion}
    return record | {"n_features": found.n_features, "seconds": found.seconds}


def _compile(descriptor: Any, parts: tuple[str, ...]) -> None:
    """Use a descriptor on a few small diagrams, so that no run's time has compiling."""
    X, _ = diagrams_like_surfaces(n_diagrams=4, n_points=20)
    small = Diagrams.from_parts(dict.fromkeys(parts, X))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            clone(descriptor).fit(small).transform(small)
        except ValueError:  # too many components for four diagrams
            return
