"""One run: which samples, which folds, which times."""

from dataclasses import replace

import numpy as np
import pytest
from tests.experiment.fake_runs import declared

from pbow.experiment import worker as worker_module
from pbow.experiment.classification import (
    classify,
    make_folds,
    screening_rows,
)
from pbow.experiment.data import open_dataset
from pbow.experiment.descriptors import from_distances, represent
from pbow.experiment.plan import plan_cell
from pbow.experiment.runs import FINAL, MATRIX, SCREEN, Folder
from pbow.experiment.worker import BusyElsewhere, Worker, _inner_groups, _splits
from pbow.kernels import WassersteinKernel

TEXT = """
seed = 5
repetitions = 2
[classifier]
finalists = 1
folds = 3
costs = [1.0, 10.0]
screen_rows = 12
[datasets.few]
surfaces = { n_diagrams = 30, n_points = 15 }
[descriptors.PBoW]
make = "PersistenceBoW"
grid = { n_words = [2, 4] }
[descriptors.2Wd]
make = "WassersteinKernel"
similarity = "max-distance"
"""


@pytest.fixture
def experiment(tmp_path):
    return declared(tmp_path, TEXT)


@pytest.fixture
def worker(experiment, tmp_path):
    folder = Folder(tmp_path / "results")
    folder.make(experiment.text)
    return Worker(experiment, folder, None)


@pytest.fixture
def dataset(experiment):
    return open_dataset(experiment.datasets[0], seed=5)


def test_a_screening_is_one_division_of_some_training_rows(experiment, worker, dataset):
    cell = experiment.cell("few", "PBoW")
    task = plan_cell(experiment, cell, {})[-1]
    assert (task.stage, task.repetition) == (SCREEN, 1)
    run = worker.execute(task)
    train, test = dataset.splits("80/20", seed=5, repetitions=2)[1]
    y = dataset.labels
    some = train[screening_rows(y[train], 12, seed=5, repetition=1)]
    similarities = represent(
        cell.descriptor, {"n_words": 4}, dataset.diagrams, some, test, seed=6
    )
    folds = make_folds(y[some], None, 3, seed=5, repetition=1)[:1]
    verdict = classify(
        similarities,
        y[some],
        y[test],
        folds,
        costs=(1.0, 10.0),
        max_iterations=5000,
        n_classes=2,
    )
    assert (run.n_train, run.n_test, run.n_features) == (12, 6, 4)
    assert (run.accuracy, run.validation) == (verdict.accuracy, verdict.validation)
    assert (run.cost, run.by_cost) == (verdict.cost, verdict.by_cost)
    assert run.confusion is None
    assert run.n_fits == 3
    assert set(run.seconds) == {"fit", "encode", "gram", "classify"}
    assert {"pbow", "python", "numpy"} <= set(run.versions)
    assert run.machine.endswith("cores")


def test_what_distances_need_is_compiled_before_their_time_is_taken(
    experiment, worker, monkeypatch, tmp_path
):
    events = []
    distances, clock = WassersteinKernel.distances, worker_module._Stopwatch

    def compare(kernel, X, **options):
        events.append(len(X))
        return distances(kernel, X, **options)

    def start(*arguments):
        events.append("the clock starts")
        return clock(*arguments)

    monkeypatch.setattr(WassersteinKernel, "distances", compare)
    monkeypatch.setattr(worker_module, "_Stopwatch", start)
    worker_module._compile.cache_clear()
    matrix, *_ = plan_cell(experiment, experiment.cell("few", "2Wd"), {})
    worker.execute(matrix)
    assert events == [2, "the clock starts", 30]
    # Once in a process is enough.
    events.clear()
    folder = Folder(tmp_path / "others")
    folder.make(experiment.text)
    Worker(experiment, folder, None).execute(matrix)
    assert events == ["the clock starts", 30]


def test_distances_are_shared_and_their_time_is_taken_once(experiment, worker, dataset):
    cell = experiment.cell("few", "2Wd")
    matrix, first, _ = plan_cell(experiment, cell, {})
    run = worker.execute(matrix)
    assert (run.stage, run.repetition, run.n_train) == (MATRIX, None, 30)
    assert run.seconds["encode"] > 0.0
    assert run.accuracy is None
    final = worker.execute(first)
    assert (final.stage, final.repetition, final.n_features) == (FINAL, 0, 0)
    assert set(final.seconds) == {"classify"}
    D = WassersteinKernel().distances(dataset.diagrams)
    train, test = dataset.splits("80/20", seed=5, repetitions=2)[0]
    y = dataset.labels
    verdict = classify(
        from_distances(D, train, test),
        y[train],
        y[test],
        make_folds(y[train], None, 3, seed=5, repetition=0),
        costs=(1.0, 10.0),
        max_iterations=20_000,
        n_classes=2,
    )
    assert (final.accuracy, final.by_cost) == (verdict.accuracy, verdict.by_cost)
    assert final.confusion == verdict.confusion
    assert final.n_fits == 7


def test_where_there_is_nothing_to_choose_no_fold_is_tried(experiment, worker):
    one_cost = replace(experiment.classifier, costs=(1.0,))
    worker._experiment = replace(experiment, classifier=one_cost)
    run = worker.execute(plan_cell(experiment, experiment.cell("few", "2Wd"), {})[1])
    assert (run.n_fits, run.by_cost, run.validation) == (1, [], None)


def test_distances_that_another_process_computes_are_waited_for(
    experiment, worker, monkeypatch
):
    def locked(*_, **__):
        raise BlockingIOError

    monkeypatch.setattr(WassersteinKernel, "distances", locked)
    for task in plan_cell(experiment, experiment.cell("few", "2Wd"), {}):
        with pytest.raises(BusyElsewhere):
            worker.execute(task)


def test_a_damaged_note_of_the_time_is_no_obstacle(experiment, worker):
    cell = experiment.cell("few", "2Wd")
    matrix, *_ = plan_cell(experiment, cell, {})
    file = worker._matrix_file(cell, {}).with_suffix(".progress")
    file.write_text("half of a")
    assert worker.execute(matrix).seconds["encode"] > 0.0
    seconds, share = map(float, file.read_text().split())
    assert seconds > 0.0
    assert share == 1.0


@pytest.mark.parametrize(
    ("protocol", "wanted", "n_test"),
    [("80/20", 7, 6), ("4 folds", 4, None), ("4 folds", 6, None), ("original", 1, 3)],
)
def test_there_are_as_many_divisions_as_asked_for(dataset, protocol, wanted, n_test):
    in_test = np.arange(30) < 3
    # Of one class each, as are the folds' groups in the paper.
    grouped = replace(dataset, groups=np.arange(30) % 10, in_test=in_test)
    splits = _splits(grouped, protocol, wanted, 5)
    assert len(splits) == wanted
    for train, test in splits:
        assert sorted([*train, *test]) == list(range(30))
        assert n_test in {None, len(test)}


def test_too_many_repetitions_of_the_only_division_are_refused(dataset):
    own = replace(dataset, in_test=np.arange(30) < 3)
    with pytest.raises(ValueError, match=r"has 1 divisions .* Say `repetitions = 1`"):
        _splits(own, "original", 2, 5)


def test_inner_folds_keep_the_groups_that_outer_ones_keep(dataset):
    grouped = replace(dataset, groups=np.arange(30) % 10)
    for protocol in ("groups", "50/50 groups", "4 folds"):
        assert _inner_groups(grouped, protocol) is grouped.groups
    for protocol in ("80/20", "50/50", "original", None):
        assert _inner_groups(grouped, protocol) is None
    own = replace(grouped, protocol="groups")
    np.testing.assert_array_equal(_inner_groups(own, None), own.groups)
