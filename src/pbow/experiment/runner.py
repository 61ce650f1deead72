"""Run an experiment: any number of processes, stopped and started at any moment."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import closing
from dataclasses import replace
from itertools import chain

from threadpoolctl import threadpool_limits

from pbow._utils.checks import is_integer
from pbow._utils.files import AnyPath
from pbow.experiment.children import run_children
from pbow.experiment.declaration import (
    Cell,
    DeclarationError,
    Experiment,
    read_experiment,
)
from pbow.experiment.descriptors import is_kernel, make_descriptor
from pbow.experiment.estimate import progress_of
from pbow.experiment.plan import Task, plan_cell
from pbow.experiment.runs import Folder, Run
from pbow.experiment.worker import BusyElsewhere, OutOfTime, Worker

__all__ = ["run_experiment"]

Runs = dict[str, Run]
# Is told how many runs are done, how many are known to be needed, and the seconds left.
Report = Callable[[int, int, float | None], object]

SECONDS_BETWEEN_LOOKS = 1.0


def run_experiment(
    path: AnyPath,
    out: AnyPath,
    *,
    data_home: AnyPath | None = None,
    only: Collection[str] = (),
    n_jobs: int = 1,
    minutes_per_cell: float | None = None,
    report: Report | None = None,
) -> dict[str, Run]:
    """Run what is missing of an experiment, and return all of its runs.

    Every run is written to a file of its own when it is finished. Stop it at any
    moment, kill it, start it again, or several at once on one folder: finished runs
    are kept, and none is made twice.

    Parameters
    ----------
    path : str or path-like
        The declaration, a TOML file.
    out : str or path-like
        Folder for the results.
    data_home : str or path-like, optional
        Folder of the data sets; by default what the variable PBOW_DATA names.
    only : collection of str, optional
        Names of data sets, of descriptors, or of cells as ``"synthetic/PBoW"``: what to
        run. By default everything.
    n_jobs : int, default=1
        Number of processes.
    minutes_per_cell : float, optional
        What a cell may take in all; by default what the declaration says. A cell that
        needs more is left where it is, and the table says so.
    report : callable, optional
        Is called now and then with the number of runs that are done, of those that are
        known to be needed, and the seconds that are left by estimate, or None.

    Returns
    -------
    runs : dict of str to Run
        By key.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from pbow.experiment import read_experiment, run_experiment, summarize
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
    ...     outcome = summarize(read_experiment(path), runs)["surfaces", "PBoW"]
    >>> len(runs), len(outcome.accuracies)
    (4, 2)
    """
    experiment = read_experiment(path)
    if minutes_per_cell is not None:
        experiment = replace(experiment, minutes_per_cell=minutes_per_cell)
    if not is_integer(n_jobs, 1):
        msg = f"Expected n_jobs to be an int >= 1; got {n_jobs!r}."
        raise ValueError(msg)
    cells = list(experiment.only(only).cells)
    _check_descriptors(path, cells)
    folder = Folder(out)
    is_new = not folder.path.exists()
    folder.make(experiment.text)
    try:
        if n_jobs == 1:
            _work(experiment, cells, folder, data_home, report)
        else:
            _work_in_processes(experiment, cells, folder, data_home, n_jobs, report)
    except Exception:
        # A start that fails, as without the data, leaves nothing behind.
        if is_new:
            folder.remove_unused()
        raise
    return folder.load()


def _check_descriptors(path: AnyPath, cells: Iterable[Cell]) -> None:
    """Find wrong parameters before the first hour of work, not after it."""
    for cell in cells:
        entry = cell.descriptor
        try:
            for params in cell.combinations():
                make_descriptor(entry.make, params, seed=0)
            if entry.similarity == "max-distance" and not is_kernel(entry.make):
                msg = (
                    f"{entry.make} gives vectors, which have no similarity "
                    f"{entry.similarity!r}; leave it out."
                )
                raise DeclarationError(msg)
        except DeclarationError as error:
            msg = f"{path}: in [descriptors.{entry.name}]: {error}"
            raise DeclarationError(msg) from error


def _work_in_processes(
    experiment: Experiment,
    cells: list[Cell],
    folder: Folder,
    data_home: AnyPath | None,
    n_jobs: int,
    report: Report | None,
) -> None:
    runs: Runs | None = None
    arguments = (experiment, cells, folder, data_home, None)
    children = run_children(_work, arguments, n_jobs, SECONDS_BETWEEN_LOOKS)
    with closing(children):
        for _ in children:
            if report is not None:
                runs = folder.load(runs)
                report(*progress_of(experiment, cells, runs, n_jobs))


def _work(
    experiment: Experiment,
    cells: list[Cell],
    folder: Folder,
    data_home: AnyPath | None,
    report: Report | None,
) -> None:
    """Take what nobody else is working on, until all is done or out of time."""
    worker = Worker(experiment, folder, data_home)
    # One run a core: more threads would only get in the way.
    with folder.in_use(), threadpool_limits(1):
        runs = folder.load()
        others_work = worked = True
        next_report = 0.0
        while worked or others_work:
            if not worked:
                time.sleep(SECONDS_BETWEEN_LOOKS)
            others_work = worked = False
            for task in chain.from_iterable(
                _open_tasks(experiment, cell, folder, runs, worker) for cell in cells
            ):
                with folder.claim(task.key) as mine:
                    if mine:
                        worked |= _execute(task, folder, runs, worker)
                    others_work |= not folder.is_done(task.key)
                if report is not None and time.monotonic() > next_report:
                    report(*progress_of(experiment, cells, runs, 1))
                    next_report = time.monotonic() + SECONDS_BETWEEN_LOOKS


def _execute(task: Task, folder: Folder, runs: Runs, worker: Worker) -> bool:
    """Make a run and say whether it is done."""
    try:
        run = worker.execute(task)
    except BusyElsewhere:
        return False
    except OutOfTime:
        worker.note_over_budget(task.cell, runs)
        return True
    folder.write(run)
    runs[task.key] = run
    return True


def _open_tasks(
    experiment: Experiment,
    cell: Cell,
    folder: Folder,
    runs: Runs,
    worker: Worker,
) -> Iterator[Task]:
    """Give the tasks of a cell that are not done, the finalists once known."""
    given: set[str] = set()
    while True:
        runs.update(folder.load(runs))
        tasks = [
            task
            for task in plan_cell(experiment, cell, runs)
            if task.key not in runs and task.key not in given
        ]
        if not tasks:
            return
        for task in tasks:
            if worker.is_over_budget(cell, runs):
                return
            given.add(task.key)
            yield task
