"""Experiments that take no time: small declarations, and runs that a test makes up."""

import pytest

from pbow.experiment import read_experiment
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
                for task in tasks:
                    scores = {name: score_of(task, name) for name in task.classifiers}
                    same = ("key", "stage", "params", "repetition")
                    records[task.key] = make_record(
                        {} if None in scores.values() else scores,
                        dataset=task.cell.dataset.name,
                        descriptor=task.cell.descriptor.name,
                        **{name: getattr(task, name) for name in same},
                    )
        return records

    return make


def make_record(scores, **given):
    """Return what a run writes down; without scores, it has failed.

    `scores` are validation and accuracy by classifier.
    """
    same = {"C": 10.0, "confusion": [[9, 1], [2, 8]], "n_fits": 26, "n_capped": 1}
    return {
        "key": "a" * 24,
        "stage": "final",
        "dataset": "shapes",
        "descriptor": "PBoW",
        "params": {"n_words": 20},
        "repetition": 0,
        "n_train": 80,
        "n_test": 20,
        "n_features": 50 if scores else 0,
        "seconds": {"fit": 1.0, "encode": 0.5} if scores else {},
        "scores": {
            name: same | {"validation": inside, "accuracy": tested, "seconds": 9.0}
            for name, (inside, tested) in scores.items()
        },
        "error": "" if scores else "too few samples",
        "code": "0123456789ab",
        "data": "ab" * 32,
        "machine": "A quick one, 2 cores",
        "versions": "python 3.11",
        **given,
    }
