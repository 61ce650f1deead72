"""What there is to run: screening first, which decides on the finalists."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from pbow.evaluation import Search
from pbow.evaluation.representation import classifiers_for, is_kernel
from pbow.experiment.declaration import SOURCES, Cell, Experiment, Params, describe
from pbow.experiment.descriptors import make_descriptor

__all__ = [
    "FINAL",
    "SCREEN",
    "Finalists",
    "Record",
    "Runs",
    "Task",
    "expected_finals",
    "find_finalists",
    "plan",
]

# Grows when the same declaration no longer means the same result.
FORMAT = 3
SCREEN, FINAL = "screen", "final"
# Of a screening, one of three inner folds is predicted.
SCREENING_FOLDS = 3
# What decides on the samples of a data set.
OF_DATASETS = (*SOURCES, "labels", "per_label", "protocol")
# What changes how a descriptor is used.
OF_DESCRIPTORS = ("standardize", "rescale", "factor", "fit_on_all")
# They change how long a result takes, or are set by the repetition.
NO_EFFECT = ("n_jobs", "random_state")

# What a run has written down, see `pbow.experiment.run`; by key.
Record = dict[str, Any]
Runs = Mapping[str, Record]


@dataclass(frozen=True, kw_only=True)
class Task:
    """One run to be made.

    Attributes
    ----------
    cell : Cell
        Of what.
    stage : {"screen", "final"}
        Whether it screens a combination of parameters, or tests a finalist.
    params : dict
        The combination.
    repetition : int
        Counted from 0.
    search : Search
        How C is chosen.
    rows : int or None
        At most so many training samples.
    classifiers : tuple of str
        Those that share the representation.
    key : str
        A digest of all that the result depends on, the effective parameters of the
        descriptor included: changed defaults are run anew.
    """

    cell: Cell
    stage: str
    params: Params
    repetition: int
    search: Search
    rows: int | None
    classifiers: tuple[str, ...]
    key: str


class Finalists(NamedTuple):
    """Combinations, as :func:`describe` writes them, that may be chosen.

    `inside` are the best by validation inside the training set of each repetition;
    `tested` by mean accuracy on the test sets, which is how the authors choose.
    """

    inside: list[list[str]]
    tested: list[str]


def plan(experiment: Experiment, cell: Cell, records: Runs) -> list[Task]:
    """Return the tasks of a cell, the finalists once their screening is done."""
    screening = _screening(experiment, cell)
    if any(task.key not in records for task in screening):
        return screening
    finalists = find_finalists(experiment, cell, records)
    wanted = [
        (json.loads(params), repetition)
        for repetition in range(experiment.n_repetitions(cell.dataset))
        for params in dict.fromkeys((*finalists.inside[repetition], *finalists.tested))
    ]
    return screening + _tasks(experiment, cell, FINAL, wanted)


def expected_finals(experiment: Experiment, cell: Cell, records: Runs) -> list[Task]:
    """Return about as many finals as a cell will have, if they are not known yet."""
    if all(task.key in records for task in _screening(experiment, cell)):
        return []
    # The best inside and the best by test sets, of which some are the same.
    n = experiment.classifier.finalists + 1 + len(cell.descriptor.also)
    params = cell.combinations()[0]
    repetitions = range(experiment.n_repetitions(cell.dataset))
    return _tasks(experiment, cell, FINAL, [(params, r) for r in repetitions] * n)


def find_finalists(experiment: Experiment, cell: Cell, records: Runs) -> Finalists:
    """Return the combinations that go on from the screening, all of which is done."""
    repetitions = range(experiment.n_repetitions(cell.dataset))
    screening = _screening(experiment, cell)
    if not screening:
        params = _with_also(cell, cell.combinations())
        return Finalists([params for _ in repetitions], params)
    scores = {
        (describe(task.params), task.repetition): _scores(records, task)
        for task in screening
    }
    params = list(dict.fromkeys(name for name, _ in scores))

    def going_on(each: Sequence[Any]) -> list[str]:
        best = _best(params, each, experiment.classifier.finalists)
        also = _with_also(cell, [json.loads(best[0])])
        return list(dict.fromkeys(best + also))

    inside = [going_on([scores[name, r][0] for name in params]) for r in repetitions]
    means = [np.mean([scores[name, r][1] for r in repetitions]) for name in params]
    return Finalists(inside, going_on(means))


def _best(params: list[str], scores: Sequence[Any], n: int) -> list[str]:
    # A stable sort: of equals the first of the grid is preferred.
    order = np.argsort(-np.asarray(scores), kind="stable")
    return [params[k] for k in order[:n]]


def _scores(records: Runs, task: Task) -> tuple[float, float]:
    """Return validation and accuracy; of a run that failed, less than any other's."""
    for scores in records[task.key]["scores"].values():
        return scores["validation"] or 0.0, scores["accuracy"]
    return -1.0, -1.0


def _with_also(cell: Cell, combinations: Iterable[Params]) -> list[str]:
    """Return combinations, each followed by what is also tried with it."""
    more = ({}, *cell.descriptor.also)
    each = (params | variant for params in combinations for variant in more)
    return list(dict.fromkeys(map(describe, each)))


def _screening(experiment: Experiment, cell: Cell) -> list[Task]:
    combinations = cell.combinations()
    made = make_descriptor(cell.descriptor.make, combinations[0], seed=0)
    # The few distances of a kernel take longer than what is done with them.
    if len(combinations) <= experiment.classifier.finalists or is_kernel(made):
        return []
    wanted = [
        (params, repetition)
        for repetition in range(experiment.n_repetitions(cell.dataset))
        for params in combinations
    ]
    return _tasks(experiment, cell, SCREEN, wanted)


def _tasks(
    experiment: Experiment, cell: Cell, stage: str, wanted: Sequence[tuple[Params, int]]
) -> list[Task]:
    asked = experiment.classifier
    made = make_descriptor(cell.descriptor.make, cell.combinations()[0], seed=0)
    classifiers = classifiers_for(made, asked.names)
    search = Search(c_values=asked.c_values, max_iterations=asked.max_iterations)
    rows = None
    if stage == SCREEN:
        classifiers, rows = classifiers[:1], asked.screen_rows
        search = replace(search, folds=SCREENING_FOLDS, folds_used=1)
    else:
        n_combinations = len(cell.combinations()) + len(cell.descriptor.also)
        chooses = n_combinations * len(asked.c_values) > 1
        folds = asked.folds if chooses else 0
        search = replace(search, folds=folds, rows=asked.c_rows)
    how = {"search": asdict(search), "rows": rows, "classifiers": classifiers}
    digests = {
        name: _digest(_content(experiment, cell, json.loads(name), how))
        for name in {describe(params) for params, _ in wanted}
    }
    return [
        Task(
            cell=cell,
            stage=stage,
            params=params,
            repetition=repetition,
            search=search,
            rows=rows,
            classifiers=classifiers,
            key=_digest(f"{digests[describe(params)]} {repetition}")[:24],
        )
        for params, repetition in wanted
    ]


def _content(
    experiment: Experiment, cell: Cell, params: Params, how: dict[str, Any]
) -> str:
    """Return all that the results of a task depend on in any repetition."""
    dataset, descriptor = asdict(cell.dataset), cell.descriptor
    made = make_descriptor(descriptor.make, params, seed=0)
    content = how | {
        "format": FORMAT,
        "seed": experiment.seed,
        "dataset": {name: dataset[name] for name in OF_DATASETS},
        "class": f"{type(made).__module__}:{type(made).__qualname__}",
        "params": {k: v for k, v in made.get_params().items() if k not in NO_EFFECT},
        **{name: getattr(descriptor, name) for name in OF_DESCRIPTORS},
    }
    return json.dumps(content, sort_keys=True, default=repr)


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
