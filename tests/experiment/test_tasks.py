"""What there is to run, in which order, and by which key."""

from dataclasses import replace

import pytest
from sklearn.base import BaseEstimator

from pbow.experiment.tasks import FINAL, SCREEN, find_finalists, plan

TEXT = """
seed = 3
repetitions = 2
[classifier]
finalists = 2
screen_rows = 50
c_rows = 60
[datasets.shapes]
shapes = { n_per_class = 5 }
[descriptors.PBoW]
make = "PersistenceBoW"
grid = { n_words = [10, 20, 30] }
[descriptors.SWK]
make = "SlicedWassersteinKernel"
grid.n_directions = [20, 30, 40]
[descriptors.few]
make = "StablePersistenceBoW"
grid = { n_words = [10, 20] }
"""
WITH_ALSO = TEXT.replace("20, 30] }\n", "20, 30] }\nalso = [{ weighting = 'ramp' }]\n")


def n_words(tasks, stage=FINAL, repetition=0):
    return [
        task.params["n_words"]
        for task in tasks
        if (task.stage, task.repetition) == (stage, repetition)
    ]


def by_words(task, _):
    """More words are better in validation, and fewer on test sets."""
    share = task.params.get("n_words", 0) / 100
    return share, 1 - share


def test_many_combinations_are_screened_before_the_finalists_are_known(read, make_up):
    experiment = read(TEXT)
    cell = experiment.cells[0]
    tasks = plan(experiment, cell, {})
    assert [task.stage for task in tasks] == [SCREEN] * 6
    assert n_words(tasks, SCREEN, 0) == n_words(tasks, SCREEN, 1) == [10, 20, 30]
    assert {task.rows for task in tasks} == {50}
    assert {(task.search.folds, task.search.folds_used) for task in tasks} == {(3, 1)}
    assert {task.classifiers for task in tasks} == {("distance",)}
    records = make_up(experiment, by_words)
    screened = {key: one for key, one in records.items() if one["stage"] == SCREEN}
    finals = plan(experiment, cell, screened)[6:]
    assert {task.stage for task in finals} == {FINAL}
    # Inside 30 and 20, on the test sets 10 and 20.
    assert n_words(finals) == n_words(finals, repetition=1) == [30, 20, 10]
    assert {(task.rows, task.search.rows) for task in finals} == {(None, 60)}
    assert {task.classifiers for task in finals} == {("distance", "linear")}
    screened.pop(next(iter(screened)))
    assert plan(experiment, cell, screened) == tasks


# Validation and accuracy by words, in each repetition.
EQUAL = {10: [(0.5, 0.1), (0.9, 0.1)], 20: [(0.5, 0.1), (0.2, 0.1)]}
EQUAL[30] = [(0.4, 0.9), (0.1, 0.9)]
FAILED = {10: [None] * 2, 20: [(0.0, 0.0)] * 2, 30: [(0.0, 0.0)] * 2}


@pytest.mark.parametrize(
    ("scores", "inside", "tested"),
    [(EQUAL, [[10, 20], [10, 20]], [30, 10]), (FAILED, [[20, 30], [20, 30]], [20, 30])],
)
def test_the_best_of_each_repetition_go_on_the_first_of_equals_and_no_failed_ones(
    read, make_up, scores, inside, tested
):
    experiment = read(TEXT).only(["PBoW"])
    records = make_up(
        experiment, lambda task, _: scores[task.params["n_words"]][task.repetition]
    )
    found = find_finalists(experiment, experiment.cells[0], records)
    names = [[f'{{"n_words": {n}}}' for n in each] for each in (*inside, tested)]
    assert [*found.inside, found.tested] == names


@pytest.mark.parametrize(
    ("name", "n", "classifiers"),
    [("SWK", 3, ("kernel",)), ("few", 2, ("distance", "linear"))],
)
def test_kernels_and_few_combinations_are_never_screened(read, name, n, classifiers):
    experiment = read(TEXT).only([name])
    tasks = plan(experiment, experiment.cells[0], {})
    assert [task.stage for task in tasks] == [FINAL] * 2 * n
    assert {task.classifiers for task in tasks} == {classifiers}


def test_what_is_also_tried_is_tried_with_the_best_combination_only(read, make_up):
    experiment = read(WITH_ALSO).only(["PBoW"])
    records = make_up(experiment, by_words)
    tasks = plan(experiment, experiment.cells[0], records)
    assert {task.stage for task in tasks if "weighting" in task.params} == {FINAL}
    found = find_finalists(experiment, experiment.cells[0], records)
    assert found.tested[-1] == '{"n_words": 10, "weighting": "ramp"}'
    assert found.inside[0][-1] == '{"n_words": 30, "weighting": "ramp"}'
    assert len(found.tested) == len(found.inside[0]) == 3


def test_what_is_also_tried_is_chosen_by_folds(read):
    one = TEXT.replace("[10, 20, 30]", "[10]").replace("= 60", "= 60\nc_values = [1]")
    alone = read(one)
    [first, *_] = plan(alone, alone.cells[0], {})
    assert first.search.folds == 0  # nothing to choose
    two = read(one.replace("10] }", "10] }\nalso = [{ weighting = 'ramp' }]"))
    tasks = plan(two, two.cells[0], {})
    assert [len(task.params) for task in tasks] == [1, 2, 1, 2]
    assert {task.search.folds for task in tasks} == {5}


def keys(read, make_up, text):
    experiment = read(text)
    records = make_up(experiment, lambda *_: (0.5, 0.5)).values()
    return {
        (one["descriptor"], one["stage"], one["repetition"], value): one["key"]
        for one in records
        for name, value in one["params"].items()
        if name in {"n_words", "n_directions"}
    }


FINALS = {("PBoW", FINAL), ("SWK", FINAL), ("few", FINAL)}
PBOW = {("PBoW", SCREEN), ("PBoW", FINAL)}
ALL = FINALS | PBOW
FLAGS = ("standardize", "rescale", "fit_on_all")
# Lines after which another is put.
CLASSIFIER, DATASET = "finalists = 2", "shapes = { n_per_class = 5 }"
MAKE = 'make = "PersistenceBoW"'


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("seed = 3", "seed = 4", ALL),
        ("n_per_class = 5", "n_per_class = 6", ALL),
        (DATASET, "protocol = '50/50'", ALL),
        (DATASET, "per_label = 4", ALL),
        (DATASET, "title = 'x'", set()),
        (CLASSIFIER, "c_values = [1, 2]", ALL),
        (CLASSIFIER, "max_iterations = 9", ALL),
        (CLASSIFIER, "folds = 3", FINALS),
        ("c_rows = 60", "c_rows = 61", FINALS),
        ("screen_rows = 50", "screen_rows = 51", {("PBoW", SCREEN)}),
        # Kernels have their own classifier; the first one screens.
        (CLASSIFIER, "names = ['rbf']", ALL - {("SWK", FINAL)}),
        (CLASSIFIER, "names = ['distance']", FINALS - {("SWK", FINAL)}),
        *((MAKE, f"{flag} = true", PBOW) for flag in FLAGS),
        (MAKE, "factor = 2", PBOW),
        (MAKE, "params = { weighting = 'ramp' }", PBOW),
        (MAKE, "title = 'Words'\nours = true", set()),
        ('"PersistenceBoW"', '"PersistenceBoW.paper"', PBOW),
        ('"PersistenceBoW"', '"pbow.vectorizers:PersistenceBoW"', set()),
        ("repetitions = 2", "repetitions = 3\ntitle = 'x'", set()),
    ],
)
def test_a_key_changes_with_what_the_result_depends_on(
    read, make_up, old, new, expected
):
    new = f"{old}\n{new}" if old in (CLASSIFIER, DATASET, MAKE) else new
    before, after = (keys(read, make_up, TEXT.replace(old, n)) for n in (old, new))
    both = before.keys() & after.keys()
    assert {place[:2] for place in both} == ALL
    changed = {place[:2] for place in both if before[place] != after[place]}
    assert changed == expected


class Words(BaseEstimator):
    """A descriptor of another package."""

    def __init__(self, size=5, n_jobs=None, random_state=None):
        self.size = size
        self.n_jobs = n_jobs
        self.random_state = random_state

    def fit(self, X):
        return self

    def transform(self, X):
        return X


def test_a_key_is_the_same_in_every_version_unless_a_default_changes(read, monkeypatch):
    experiment = read(TEXT.replace('"PersistenceBoW"', f'"{__name__}:Words"', 1))
    cell = replace(experiment.cells[0], grid={})

    def key(**params):
        entry = replace(cell.descriptor, params=params)
        return plan(experiment, replace(cell, descriptor=entry), {})[0].key

    # Changes with FORMAT: else results that were committed would be run again.
    usual = "5d7179eb2420234e1d36c444"
    assert key() == key(size=5) == key(n_jobs=2) == key(random_state=9) == usual
    assert key(size=6) != usual
    monkeypatch.setattr(Words.__init__, "__defaults__", (6, None, None))
    assert key() != usual
    assert key(size=5) == usual
