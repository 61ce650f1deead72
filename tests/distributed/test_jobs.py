"""What jobs over blocks share: executors that are taken, order, progress."""

from concurrent.futures import Executor, Future, ThreadPoolExecutor
from pathlib import Path
from types import SimpleNamespace

import pytest
from sklearn.base import clone
from tests.distributed.examples import MODELS, saved

from pbow import distributed
from pbow.distributed._jobs import check_executor, run_tasks
from pbow.errors import ParameterError


class InThisThread(Executor):
    """The least that an executor can be; notes what it was given."""

    def __init__(self):
        self.tasks = []

    def submit(self, fn, /, *args, **kwargs):
        self.tasks.append(args)
        future = Future()
        try:
            future.set_result(fn(*args, **kwargs))
        except ValueError as error:
            future.set_exception(error)
        return future


class Client:
    """Has a method `submit`, as that of Dask, and is no executor."""

    def submit(self, function, *args):
        raise AssertionError


def named(*numbers):
    return [(SimpleNamespace(name=f"block {n}"), n) for n in numbers]


def double(block, n):
    return 2 * n


def test_an_executor_is_known_by_its_class():
    with ThreadPoolExecutor(1) as threads:
        for executor in (None, threads, InThisThread()):
            assert check_executor(executor) is executor


@pytest.mark.parametrize("other", [Client(), ThreadPoolExecutor, 4, "processes"])
def test_anything_else_is_refused_with_advice(model, files, tmp_path, other):
    expected = r"a concurrent\.futures\.Executor or None.*client\.get_executor\(\)"
    calls = [
        lambda: distributed.fit(clone(model), files, executor=other),
        lambda: distributed.transform(model, files, tmp_path / "H", executor=other),
        lambda: distributed.homology("alpha", files, tmp_path / "X", executor=other),
    ]
    for call in calls:
        with pytest.raises(ParameterError, match=expected):
            call()
    assert [path.name for path in tmp_path.iterdir()] == ["files"]


def test_an_executor_is_given_files_by_their_names_and_not_diagrams(
    files, fitted, tmp_path
):
    executor = InThisThread()
    model = distributed.fit(clone(MODELS["ramp"]), files, executor=executor)
    assert saved(model) == saved(fitted["ramp"])
    assert len(executor.tasks) == 3 * 7  # passes and files
    distributed.transform(model, files, tmp_path / "H", executor=executor)
    assert len(executor.tasks) == 4 * 7
    given = {Path(task[-1][0].file) for task in executor.tasks}
    assert given == set(files.iterdir())


@pytest.mark.parametrize("has_executor", [False, True])
def test_results_are_counted_as_they_are_completed(has_executor, capsys):
    counted = []
    with ThreadPoolExecutor(3) as threads:
        run_tasks(
            threads if has_executor else None,
            double,
            iter(named(5, 1, 3)),
            18,
            progress=True,
            unit="samples",
            after=counted.append,
        )
    assert sorted(n for _, n in counted) == [1, 3, 5]
    assert "/18 " in capsys.readouterr().err


def test_nothing_is_shown_unless_asked_for(capsys):
    run_tasks(None, double, iter(named(5)), 10, progress=False)
    assert capsys.readouterr() == ("", "")


@pytest.mark.parametrize("name", ["fit", "transform"])
def test_an_executor_that_is_shut_down_is_reported(model, files, tmp_path, name):
    executor = ThreadPoolExecutor(1)
    executor.shutdown()
    expected = r"ThreadPoolExecutor is shut down\. Pass an executor that runs"
    given = {"fit": (clone(model), files), "transform": (model, files, tmp_path / "H")}
    with pytest.raises(RuntimeError, match=expected):
        getattr(distributed, name)(*given[name], executor=executor)
