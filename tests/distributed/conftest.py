"""A collection of diagrams, in memory and in files, and processes to work on it."""

import multiprocessing
import signal
from concurrent.futures import ProcessPoolExecutor

import pytest
from sklearn.base import clone
from tests.distributed.examples import (
    MODELS,
    SIZES,
    Watched,
    die_at_sync,
    make_diagrams,
    write_files,
)


@pytest.fixture(scope="session", name="X")
def diagrams():
    """Return all diagrams of :func:`files`."""
    return make_diagrams(sum(SIZES))


@pytest.fixture
def files(X, tmp_path):
    """Return a folder of seven files, each with another number of samples."""
    return write_files(X, tmp_path / "files", SIZES)


@pytest.fixture(scope="session")
def fitted(X):
    """Return the models by name, fitted in memory."""
    return {name: clone(model).fit(X) for name, model in MODELS.items()}


@pytest.fixture(scope="session")
def model(fitted):
    return fitted["PBoW"]


@pytest.fixture
def watch(tmp_path):
    """Return a function that makes :class:`Watched` with a new log."""

    def make(**options):
        log = tmp_path / "log"
        log.mkdir()
        return Watched(log, **options)

    return make


@pytest.fixture(scope="session")
def processes():
    """Return how processes are started: from one that has imported pbow already."""
    if "forkserver" not in multiprocessing.get_all_start_methods():
        pytest.skip("Unix alone has forks")
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["tests.distributed.examples"])
    return context


@pytest.fixture
def pool(processes):
    """Return a function that makes a pool of processes."""
    pools = []

    def make(n_processes=1):
        pools.append(ProcessPoolExecutor(n_processes, mp_context=processes))
        return pools[-1]

    yield make
    for one in pools:
        one.shutdown()


@pytest.fixture
def kill(processes):
    """Return a function that runs another one in a process that gets killed."""

    def run(function, *args, **options):
        process = processes.Process(target=function, args=args, kwargs=options)
        process.start()
        process.join()
        assert process.exitcode == -signal.SIGKILL

    return run


@pytest.fixture
def kill_in_turn(kill):
    """Return a function that has a job killed again and again, each time resumed."""

    def run(steps, job, out, **options):
        """Kill `job` when a file is nearly written, of which there are then so many.

        Blocks that were finished before are never written again.
        """
        written = {}
        for n_syncs, n_done in steps:
            kill(die_at_sync, n_syncs, *job, out, resume=True, **options)
            assert list(out.glob(".*.tmp"))  # it was killed while it wrote
            inodes = {path: path.stat().st_ino for path in out.glob("block-*")}
            assert len(inodes) == n_done
            assert written.items() <= inodes.items()
            written = inodes

    return run
