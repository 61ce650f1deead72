import _thread
import multiprocessing
import threading
import time
import warnings
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from multiprocessing.pool import ThreadPool

import numpy as np
import pytest
from joblib import Parallel, cpu_count, delayed, parallel_config
from joblib.parallel import ThreadingBackend, register_parallel_backend

from pbow._utils.threads import (
    NANOSECONDS_PER_BLOCK,
    WORTH_A_THREAD,
    count_threads,
    for_each,
    for_each_block,
    map_tasks,
    steps_per_call,
)

BACKENDS = ["loky", "multiprocessing", "threading"]


class ClusterBackend(ThreadingBackend):
    """Counts workers on other machines by default, as the backend of Dask does."""

    default_n_jobs = -1


def count_without_warnings(n_jobs):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        return count_threads(n_jobs)


def count_in_inner_loop(n_jobs):
    loop = Parallel(n_jobs=2, backend="threading")
    return loop(delayed(count_without_warnings)(n_jobs) for _ in range(2))


def blocks_of(sizes, n_jobs, nanoseconds_per_point=WORTH_A_THREAD):
    offsets = np.concatenate(([0], np.cumsum(sizes))).astype(np.int64)
    seen, lock = [], threading.Lock()

    def run(first, last):
        with lock:
            seen.append((first, last))

    for_each_block(
        run, offsets, nanoseconds_per_point=nanoseconds_per_point, n_jobs=n_jobs
    )
    return sorted(seen)


@pytest.mark.parametrize("n_jobs", [None, 1, 2, 4, -1])
@pytest.mark.parametrize(
    "sizes", [[], [5], [0] * 50, [1] * 100, [1000] + [0] * 20, [0, 0, 7, 100, 3]]
)
def test_blocks_cover_every_diagram_once(sizes, n_jobs):
    blocks = blocks_of(sizes, n_jobs)
    assert blocks[0][0] == 0
    assert blocks[-1][1] == len(sizes)
    assert all(a[1] == b[0] for a, b in pairwise(blocks))


def test_small_work_stays_on_one_thread():
    assert len(blocks_of([10] * 100, 4, nanoseconds_per_point=10.0)) == 1
    assert len(blocks_of([10] * 100, 4)) > 4


def test_long_work_is_cut_on_one_thread_too():
    blocks = blocks_of([1] * 100, 1, nanoseconds_per_point=NANOSECONDS_PER_BLOCK / 10)
    assert len(blocks) > 10
    assert len(blocks_of([100], 1, nanoseconds_per_point=NANOSECONDS_PER_BLOCK)) == 1


def test_blocks_are_balanced_by_points():
    blocks = blocks_of([1000, *[1] * 1000], 2)
    assert (0, 1) in blocks


def test_an_error_reaches_the_caller_and_stops_the_other_threads():
    seen = []

    def run(first, last):
        if first == 0:
            raise KeyError
        seen.append(first)
        time.sleep(0.05)

    with pytest.raises(KeyError):
        for_each_block(
            run, np.arange(1000), nanoseconds_per_point=WORTH_A_THREAD, n_jobs=8
        )
    # Of 32 blocks, no thread got as far as a third.
    assert len(seen) <= 14


@pytest.mark.parametrize("n_jobs", [None, 1, 2, 5])
@pytest.mark.parametrize("cost", [1.0, WORTH_A_THREAD])
def test_results_of_tasks_are_in_their_order(n_jobs, cost):
    tasks = [3, 1, 2, 0]
    costs = [cost * task for task in tasks]
    assert map_tasks(lambda task: task**2, tasks, costs, n_jobs) == [9, 1, 4, 0]


@pytest.fixture(params=["new threads", "a pool"])
def pool(request):
    if request.param == "new threads":
        yield None
        return
    with ThreadPoolExecutor(1) as threads:
        yield threads


def test_tasks_that_cost_enough_are_run_at_the_same_time(pool):
    both = threading.Barrier(2, timeout=60)
    costs = [WORTH_A_THREAD] * 2
    for _ in range(3):
        results = map_tasks(lambda _: both.wait(), "ab", costs, 2, pool)
        assert sorted(results) == [0, 1]


@pytest.mark.parametrize("tasks", [[1, 0], [0, 1]])
def test_an_error_in_a_task_reaches_the_caller(pool, tasks):
    with pytest.raises(ZeroDivisionError):
        map_tasks(lambda task: 1 / task, tasks, [WORTH_A_THREAD] * 2, 2, pool)


@pytest.mark.parametrize("n_threads", [1, 3])
def test_ctrl_c_does_not_wait_for_a_long_call(n_threads):
    go_on = threading.Event()
    started = []

    def run(task):
        started.append(task)
        go_on.wait(60)

    timer = threading.Timer(0.3, _thread.interrupt_main)
    timer.start()
    start = time.monotonic()
    try:
        with pytest.raises(KeyboardInterrupt):
            for_each(run, range(100), n_threads)
        assert time.monotonic() - start < 10
    finally:
        go_on.set()
        timer.join()
    assert started == list(range(n_threads))


@pytest.mark.parametrize("nanoseconds", [1.0, 1e12])
def test_threads_keep_what_numpy_is_told_to_ignore(nanoseconds):
    settings = []
    with np.errstate(over="ignore", divide="raise"):
        for_each(lambda _: settings.append(np.geterr()), range(4), 2, nanoseconds)
        assert settings == [np.geterr()] * 4


def test_short_work_is_shared_by_the_calling_thread():
    seen = []
    for_each(lambda _: seen.append(threading.get_ident()), range(5), 1, 1.0)
    for_each(lambda _: seen.append(threading.get_ident()), range(5), 0)
    assert seen == [threading.get_ident()] * 10


def test_a_call_takes_a_fraction_of_a_second():
    assert steps_per_call(1.0) == NANOSECONDS_PER_BLOCK
    assert steps_per_call(1e30) == 1


@pytest.mark.parametrize(
    ("n_jobs", "expected"),
    [
        (None, 1),
        (1, 1),
        (3, 3),
        (-1, cpu_count()),
        (-2, max(1, cpu_count() - 1)),
        (-1000, 1),
    ],
)
def test_threads_are_counted_as_joblib_does(n_jobs, expected):
    assert count_threads(n_jobs) == expected
    with ThreadPool(1) as pool:
        assert pool.apply(count_without_warnings, (n_jobs,)) == expected


@pytest.mark.parametrize("n_jobs", [0, 2.0, "2", True])
def test_what_is_no_number_of_threads_is_refused(n_jobs):
    with pytest.raises(ValueError, match="n_jobs to be an int other than 0, or None"):
        count_threads(n_jobs)


@pytest.mark.parametrize("backend", BACKENDS)
def test_without_a_number_the_joblib_context_decides(backend):
    with parallel_config(backend=backend, n_jobs=3):
        assert count_without_warnings(None) == 3
        assert count_without_warnings(2) == 2


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize(("n_jobs", "expected"), [(None, 1), (2, 2)])
def test_threads_of_a_joblib_worker(backend, n_jobs, expected):
    loop = Parallel(n_jobs=2, backend=backend)
    counts = loop(delayed(count_without_warnings)(n_jobs) for _ in range(2))
    assert counts == [expected, expected]


@pytest.mark.parametrize(("n_jobs", "expected"), [(None, 1), (2, 2)])
def test_threads_of_a_daemonic_process(n_jobs, expected):
    # joblib's effective_n_jobs warns here: such a process can start no other.
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        assert pool.apply(count_without_warnings, (n_jobs,)) == expected


def test_two_levels_of_parallel_loops_leave_one_thread():
    loop = Parallel(n_jobs=2, backend="threading")
    assert loop(delayed(count_in_inner_loop)(2) for _ in range(2)) == [[1, 1], [1, 1]]


def test_the_size_of_a_cluster_is_no_number_of_threads():
    register_parallel_backend("cluster", ClusterBackend)
    with parallel_config(backend="cluster", n_jobs=-1):
        assert count_threads(None) == 1
        assert count_threads(3) == 3
