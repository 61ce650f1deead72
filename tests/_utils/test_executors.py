"""Tasks on executors: their order, their number, and how they end."""

import multiprocessing
import os
import signal
import threading
from concurrent.futures import (
    BrokenExecutor,
    Executor,
    Future,
    ProcessPoolExecutor,
    ThreadPoolExecutor,
)
from concurrent.futures.thread import BrokenThreadPool

import pytest

from pbow._utils.executors import run_in_order


class Deferred(Executor):
    """Does a task when its result is asked for, and notes what it was given."""

    def __init__(self):
        self.submitted = []
        self.done = []

    def submit(self, task, /, *given):
        self.submitted.append(given)
        executor = self

        class Later(Future):
            def result(self, timeout=None):
                executor.done.append(given)
                return task(*given)

        future = Later()
        self.futures = [*getattr(self, "futures", []), future]
        return future


def run(executor, task, arguments, **options):
    return run_in_order(
        executor, task, arguments, name_of=lambda g: f"task {g[0]}", **options
    )


def die(number):
    if number == 2:
        os.kill(os.getpid(), signal.SIGKILL)
    return number


def test_results_come_in_the_order_of_the_arguments():
    started = threading.Barrier(3)

    def task(number, other):
        if number < 3:
            started.wait()  # all three at once, so the order of their ends is open
        return number + other

    with ThreadPoolExecutor(3) as pool:
        results = run(pool, task, ((i, 100) for i in range(20)))
        assert list(results) == list(range(100, 120))


def test_without_arguments_there_is_no_result():
    with ThreadPoolExecutor(1) as pool:
        assert list(run(pool, die, [])) == []


def test_only_some_tasks_wait_at_a_time():
    executor = Deferred()
    asked = []

    def arguments():
        for i in range(10):
            asked.append(i)
            yield (i,)

    results = run(executor, str, arguments(), in_flight=3)
    assert next(results) == "0"
    assert len(executor.submitted) == len(asked) == 3
    assert next(results) == "1"
    assert len(executor.submitted) == len(asked) == 4
    assert list(results) == list("23456789")
    assert [args[-1] for args in executor.done] == [(i,) for i in range(10)]


def test_the_first_error_cancels_what_has_not_begun():
    executor = Deferred()
    results = run(executor, lambda i: 1 // (i - 2), ((i,) for i in range(5)))
    assert [next(results), next(results)] == [-1, -1]
    with pytest.raises(ZeroDivisionError):
        next(results)
    assert [args[-1] for args in executor.done] == [(0,), (1,), (2,)]
    assert [f.cancelled() for f in executor.futures] == [False, False, True, True, True]


def test_so_does_the_end_of_whoever_asks_for_results():
    executor = Deferred()
    results = run(executor, str, ((i,) for i in range(5)))
    next(results)
    results.close()
    assert [f.cancelled() for f in executor.futures] == [False, *[True] * 4]


def test_an_error_in_the_arguments_cancels_as_well():
    executor = Deferred()

    def arguments():
        yield (0,)
        yield (1,)
        msg = "no third one"
        raise ValueError(msg)

    with pytest.raises(ValueError, match="no third one"):
        list(run(executor, str, arguments()))
    assert [f.cancelled() for f in executor.futures] == [True, True]


def test_an_executor_that_is_shut_down_is_named():
    pool = ThreadPoolExecutor(1)
    pool.shutdown()
    with pytest.raises(RuntimeError, match="ThreadPoolExecutor is shut down"):
        list(run(pool, str, [(0,)]))


def test_other_errors_of_an_executor_stay_as_they_are():
    class Refusing(Executor):
        def submit(self, task, /, *given):
            msg = "no license"
            raise RuntimeError(msg)

    with pytest.raises(RuntimeError, match=r"^no license$"):
        list(run(Refusing(), str, [(0,)]))


def test_a_killed_process_is_an_error_that_names_its_task_and_the_pool_is_useless():
    if "forkserver" not in multiprocessing.get_all_start_methods():
        pytest.skip("needs a server to fork from, as this process may have threads")
    context = multiprocessing.get_context("forkserver")
    with ProcessPoolExecutor(1, mp_context=context) as pool:
        results = run(pool, die, ((i,) for i in range(5)))
        assert [next(results), next(results)] == [0, 1]
        with pytest.raises(BrokenExecutor, match="it had finished task 2"):
            next(results)
        with pytest.raises(BrokenExecutor, match=r"is broken \(.*\)\. Make a new one"):
            list(run(pool, die, [(0,)]))


def test_a_pool_that_breaks_while_it_is_given_tasks_names_the_unfinished_one():
    class Breaking(Deferred):
        def submit(self, task, /, *given):
            if len(self.submitted) == 3:
                msg = "gone"
                raise BrokenThreadPool(msg)
            return super().submit(task, *given)

    def task(number):
        if number == 1:
            msg = "gone"
            raise BrokenThreadPool(msg)
        return number

    executor = Breaking()
    results = run(executor, task, ((i,) for i in range(5)))
    assert next(results) == 0
    with pytest.raises(BrokenThreadPool, match="before it had finished task 1"):
        next(results)
    # Where all that was given to it is finished, there is nothing to name.
    with pytest.raises(BrokenThreadPool, match=r"Breaking is broken \(gone\)\. Make"):
        list(run(Breaking(), str, ((i,) for i in range(5))))
