"""A Dask cluster of processes: the bits of one process, also when workers die."""

from contextlib import suppress
from functools import partial

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from sklearn.base import clone
from tests.distributed.examples import (
    MODELS,
    contents,
    fail_while,
    make_diagrams,
    read_features,
    saved,
    write_files,
)

from pbow import distributed
from pbow.errors import ParameterError
from pbow.io import scan_diagrams

dask = pytest.importorskip("distributed")

N_SAMPLES = 128


@pytest.fixture(scope="module")
def cluster(tmp_path_factory):
    """Return a cluster with its client; tests change the number of its workers."""
    with (
        dask.LocalCluster(
            n_workers=1,
            threads_per_worker=1,
            processes=True,
            dashboard_address=":0",
            memory_limit=None,
            local_directory=tmp_path_factory.mktemp("dask"),
        ) as cluster,
        dask.Client(cluster) as client,
    ):
        yield cluster, client


@pytest.fixture
def workers(cluster):
    """Return a function that gives an executor with so many workers, or more."""
    cluster, client = cluster

    def executor(n_workers):
        # Never down: Dask fails at times where a worker that was killed is removed. And
        # on a busy machine it may not start that worker again: then one more.
        for more in range(5):
            cluster.scale(max(n_workers + more, len(cluster.worker_spec)))
            with suppress(TimeoutError):
                client.wait_for_workers(n_workers, timeout=20)
                return client.get_executor()
        return pytest.fail(f"Dask did not start {n_workers} workers.")

    return executor


@pytest.fixture(scope="module", name="many")
def many_diagrams():
    return make_diagrams(N_SAMPLES)


@pytest.fixture(scope="module")
def partitions(many, tmp_path_factory):
    """Return folders with the same diagrams in 1, 7 and 64 files."""
    folder = tmp_path_factory.mktemp("partitions")
    return [
        write_files(many, folder / str(n), [len(p) for p in np.array_split(many, n)])
        for n in (1, 7, 64)
    ]


@pytest.fixture(scope="module")
def in_memory(many):
    """Return models that one process has fitted, with their features."""
    # Without the other sPBoW, which would find nothing that this one does not.
    models = {
        name: clone(MODELS[name]).fit(many) for name in ("PBoW", "ramp", "essential")
    }
    return {name: (model, model.transform(many)) for name, model in models.items()}


@pytest.mark.parametrize("n_workers", [1, 2, 3])
def test_any_number_of_workers_and_partitions_gives_the_bits_of_one_process(
    cluster, workers, partitions, in_memory, tmp_path, n_workers
):
    executor = workers(n_workers)
    assert len(cluster[1].scheduler_info()["workers"]) == n_workers
    for files in partitions:
        for name, (expected, features) in in_memory.items():
            model = distributed.fit(clone(MODELS[name]), files, executor=executor)
            assert saved(model) == saved(expected)
            out = tmp_path / f"{files.name}-{name}"
            distributed.transform(model, files, out, executor=executor)
            H, _ = read_features(out)
            assert H.dtype == features.dtype
            assert_array_equal(H, features)


def test_workers_fill_one_npy_file(workers, partitions, in_memory, tmp_path):
    model, features = in_memory["essential"]
    out = tmp_path / "H.npy"
    distributed.transform(model, partitions[-1], out, executor=workers(3))
    assert np.load(out).dtype == features.dtype
    assert_array_equal(np.load(out), features)


def test_a_worker_that_is_killed_in_every_pass_of_a_fit_changes_nothing(
    workers, files, fitted, watch
):
    watched = watch(deadly=5, always=True)
    blocks = scan_diagrams(files).map(watched)
    model = distributed.fit(clone(MODELS["ramp"]), blocks, executor=workers(3))
    assert saved(model) == saved(fitted["ramp"])
    assert watched.visits(5) == 2 * 3  # three passes, and each came twice


@pytest.mark.parametrize("kind", ["features", "features.npy"])
def test_a_worker_that_is_killed_in_a_transform_changes_nothing(
    workers, files, model, X, tmp_path, watch, kind
):
    watched, out = watch(deadly=5), tmp_path / kind
    blocks = scan_diagrams(files).map(watched)
    summary = distributed.transform(model, blocks, out, executor=workers(3))
    assert watched.visits(5) == 2
    assert summary == (37, model.n_features_out_, [])
    if out.is_file():
        assert_array_equal(np.load(out), model.transform(X))
    else:
        assert_array_equal(read_features(out)[0], model.transform(X))
        undisturbed = tmp_path / "undisturbed"
        distributed.transform(model, blocks, undisturbed)
        assert contents(out) == contents(undisturbed)


def test_a_client_is_refused_and_its_executor_named(cluster, files, model, tmp_path):
    _, client = cluster
    expected = r"For a Dask client, pass client\.get_executor\(\)"
    with pytest.raises(ParameterError, match=expected):
        distributed.fit(clone(model), files, executor=client)
    with pytest.raises(ParameterError, match=expected):
        distributed.transform(model, files, tmp_path / "H", executor=client)


def test_an_executor_that_is_shut_down_is_reported(workers, files, model):
    executor = workers(1)
    executor.shutdown()
    with pytest.raises(RuntimeError, match="ClientExecutor is shut down"):
        distributed.fit(clone(model), files, executor=executor)


def test_a_block_that_has_failed_runs_again_when_the_cause_is_gone(
    workers, partitions, in_memory, tmp_path
):
    model, H = in_memory["PBoW"]
    marker, out = tmp_path / "marker", tmp_path / "features"
    blocks = scan_diagrams(partitions[1]).map(partial(fail_while, marker))
    assert blocks.parts == model.parts_
    marker.touch()
    with pytest.raises(RuntimeError, match="there is a marker") as caught:
        distributed.transform(model, blocks, out, executor=workers(1))
    marker.unlink()
    distributed.transform(model, blocks, out, executor=workers(1), resume=True)
    assert_array_equal(read_features(out)[0], H)
    assert caught.value  # while someone still holds the error
