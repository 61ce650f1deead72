"""Experiments that take no time: small declarations, and runs that a test makes up."""

import pytest

from pbow.experiment import RunsTable, read_experiment
from pbow.experiment.tasks import plan


@pytest.fixture
def declare(tmp_path):
    """Write a declaration, and return its path."""

    def write(text, name="small"):
        path = tmp_path / f"{name}.toml"
        path.write_text(text, encoding="utf-8")
        return path

    return write


@pytest.fixture
def read(declare):
    """Return the experiment that a text declares."""
    return lambda text, name="small": read_experiment(declare(text, name))


@pytest.fixture
def make_up():
    """Return all runs of an experiment, without running it.

    `score_of` is called with a task and the name of a classifier; it returns validation
    and accuracy, or None for a run that fails.
    """

    def make(experiment, score_of):
        records = {}
        for cell in experiment.cells:
            while tasks := [
                task
                for task in plan(experiment, cell, records)
                if task.key not in records
            ]:
                records |= {task.key: _record(task, score_of) for task in tasks}
        return RunsTable(records)

    return make


def _record(task, score_of):
    given = {name: score_of(task, name) for name in task.classifiers}
    failed = None in given.values()
    return {
        "key": task.key,
        "stage": task.stage,
        "dataset": task.cell.dataset.name,
        "descriptor": task.cell.descriptor.name,
        "params": task.params,
        "repetition": task.repetition,
        "n_train": 80,
        "n_test": 20,
        "n_features": 0 if failed else 50,
        "seconds": {} if failed else {"fit": 1.0, "encode": 0.5},
        "scores": {}
        if failed
        else {
            name: {
                "accuracy": accuracy,
                "validation": validation,
                "C": 10.0,
                "confusion": [[9, 1], [2, 8]],
                "n_fits": 26,
                "n_capped": 1,
                "seconds": 9.0,
            }
            for name, (validation, accuracy) in given.items()
        },
        "error": "too few samples" if failed else "",
        "code": "0123456789ab",
        "data": "ab" * 32,
        "machine": "A quick one, 2 cores",
        "versions": "python 3.11",
    }
