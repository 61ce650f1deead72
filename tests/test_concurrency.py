"""Threads and processes of every kind compute the same bits, also at the same time."""

import multiprocessing
import sys
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor

import pytest
from joblib import Parallel, delayed
from tests.concurrency import MODELS, fit_and_transform, in_threads

STARTS = multiprocessing.get_all_start_methods()
if sys.platform == "darwin":
    STARTS.remove("fork")  # which libraries of macOS do not survive
# From Python 3.12 on, a fork of a process with threads warns. What must hold is that
# it works for pbow, whose threads hold no lock when they wait.
forks_with_threads = pytest.mark.filterwarnings(
    r"ignore:This process .* is multi-threaded, use of fork:DeprecationWarning"
)
SECONDS = 300


@pytest.fixture(scope="module")
def alone():
    """The bits of each model in one thread; fitted and called before any fork."""
    return [{fit_and_transform(model, n_jobs=1)} for model in MODELS.values()]


def in_pool(context):
    with ProcessPoolExecutor(2, mp_context=context) as pool:
        calls = [pool.submit(in_threads, [*MODELS]) for _ in range(2)]
        return [call.result(SECONDS) for call in calls]


def test_threads_give_the_bits_of_one(alone):
    assert in_threads([*MODELS]) == alone


@forks_with_threads
@pytest.mark.parametrize(
    "method",
    [pytest.param(m, marks=[pytest.mark.long] * (m == "forkserver")) for m in STARTS],
)
def test_threads_in_processes_give_the_bits_of_one(method, alone):
    assert in_threads([*MODELS]) == alone  # threads have been used before a fork
    context = multiprocessing.get_context(method)
    assert in_pool(context) == [alone, alone]


@forks_with_threads
@pytest.mark.skipif("fork" not in STARTS, reason="only Linux has safe forks")
def test_a_fork_while_threads_are_at_work_gives_the_same_bits(alone):
    context = multiprocessing.get_context("fork")
    with ThreadPoolExecutor(1) as pool:
        meanwhile = pool.submit(in_threads, [*MODELS] * 4)
        for _ in range(3):
            with context.Pool(1) as processes:
                call = processes.apply_async(fit_and_transform, [MODELS["PBoW"]])
                assert {call.get(SECONDS)} == alone[0]
        assert meanwhile.result(SECONDS) == alone * 4


@forks_with_threads
@pytest.mark.parametrize("backend", ["loky", "multiprocessing", "threading"])
def test_the_processes_of_joblib_give_the_bits_of_one(backend, alone):
    loop = Parallel(n_jobs=2, backend=backend)
    found = loop(delayed(in_threads)([*MODELS]) for _ in range(2))
    assert found == [alone, alone]


@pytest.mark.long
@pytest.mark.parametrize("processes", [True, False])
def test_the_workers_of_dask_give_the_bits_of_one(processes, alone, tmp_path):
    dask = pytest.importorskip("distributed")
    with (
        dask.LocalCluster(
            n_workers=2,
            threads_per_worker=2,
            processes=processes,
            dashboard_address=":0",
            memory_limit=None,
            local_directory=tmp_path,
        ) as cluster,
        dask.Client(cluster) as client,
    ):
        calls = [client.submit(in_threads, [*MODELS], pure=False) for _ in range(4)]
        assert client.gather(calls) == [alone] * 4
