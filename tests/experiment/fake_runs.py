"""Experiments that nobody ran: declarations, and results that a test makes up."""

from dataclasses import replace

from pbow.experiment.declaration import read_experiment
from pbow.experiment.plan import over_budget_key, plan_cell
from pbow.experiment.runs import MATRIX, OVER_BUDGET, SCREEN, Run


def declared(tmp_path, text):
    """Read an experiment from its text."""
    path = tmp_path / "declared.toml"
    path.write_text(text, encoding="utf-8")
    return read_experiment(path)


def made_up(experiment, accuracy_of, *, without=(), **fields):
    """Return all runs of an experiment.

    accuracy_of : called with the cell's name, parameters and repetition.
    without : names of cells that have no run.
    fields : what else every run has.
    """
    runs = {}
    for cell in experiment.cells:
        if cell.name in without:
            continue
        while tasks := [
            task for task in plan_cell(experiment, cell, runs) if task.key not in runs
        ]:
            for task in tasks:
                run = Run(
                    key=task.key,
                    stage=task.stage,
                    dataset=cell.dataset.name,
                    descriptor=cell.descriptor.name,
                    params=task.params,
                    repetition=task.repetition,
                    seconds={"fit": 1.0, "encode": 0.5, "classify": 9.0},
                )
                if task.stage != MATRIX:
                    accuracy = accuracy_of(cell.name, task.params, task.repetition)
                    run = replace(
                        run,
                        accuracy=accuracy,
                        validation=accuracy,
                        cost=10.0,
                        n_train=80,
                        n_test=20,
                        n_features=50,
                        n_fits=6 if task.stage == SCREEN else 26,
                        n_capped=1,
                    )
                runs[task.key] = replace(run, **fields)
    return runs


def over_budget(experiment, cell, note):
    """Return the note of a cell that has used up its time, by its key."""
    key = over_budget_key(experiment, cell)
    run = Run(
        key=key,
        stage=OVER_BUDGET,
        dataset=cell.dataset.name,
        descriptor=cell.descriptor.name,
        params={},
        note=note,
    )
    return {key: run}
