"""Diagrams in many files: read in blocks, by whoever it is, after whatever happened."""

import errno
import json
import os
import random
import resource
import shutil
import signal
import subprocess
import sys
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from pbow import Diagrams, distributed
from pbow.cli import fit, streaming, transform
from pbow.io import read_diagrams, write_diagrams

pa = pytest.importorskip("pyarrow")
parquet = pytest.importorskip("pyarrow.parquet")

# Files in natural order, which is not that of the alphabet; each is a block.
SIZES = {"1": 5, "2": 8, "10": 3, "11": 10}
N_SAMPLES = sum(SIZES.values())
TRANSFORM = "transform model.pbow data -o "


def make_diagrams(n_samples, seed=1):
    rng = np.random.default_rng(seed)
    samples = []
    for n in rng.integers(2, 15, size=n_samples):
        births = rng.uniform(size=n)
        loops = np.c_[births, births + rng.exponential(0.3, size=n)]
        components = np.c_[np.zeros(n), [*rng.uniform(0.1, 1.0, size=n - 1), np.inf]]
        samples.append({"H0": components, "H1": loops})
    return Diagrams.from_list(samples)


@pytest.fixture(scope="module")
def whole():
    return make_diagrams(N_SAMPLES)


@pytest.fixture
def data(folder, whole):
    """A folder of Parquet files, and the same in one Arrow and one .pbow file."""
    (folder / "data").mkdir()
    first = 0
    for name, size in SIZES.items():
        write_diagrams(whole[first : first + size], folder / f"data/{name}.parquet")
        first += size
    (folder / "data" / "_ignored.txt").write_text("nothing")
    write_diagrams(whole, folder / "all.arrow")
    write_diagrams(whole, folder / "all.pbow")
    return folder / "data"


def content_of(folder):
    """All files by name, except what begins with a dot, of which there is none."""
    content = {path.name: path.read_bytes() for path in folder.iterdir()}
    assert not [name for name in content if name.startswith(".")]
    return content


def features_in(folder):
    tables = [parquet.read_table(path) for path in sorted(folder.glob("*.parquet"))]
    table = pa.concat_tables(tables)
    names = table["sample"].to_pylist()
    return names, np.column_stack([table[k] for k in table.column_names[1:]])


INPUTS = ["data", "'data/*.parquet'", "all.arrow", "all.pbow"]


@pytest.mark.parametrize("given", INPUTS)
@pytest.mark.parametrize("options", ["", "--descriptor spbow --set weighting=ramp"])
def test_the_model_is_the_same_file_wherever_diagrams_are(
    run, data, folder, given, options
):
    run(f"fit all.pbow --no-stream --words 4 {options} -o m.pbow")
    expected = (folder / "m.pbow").read_bytes()
    for stream in ("--stream", "--no-stream", ""):
        (folder / "m.pbow").unlink()
        run(f"fit {given} --words 4 {options} {stream} -o m.pbow")
        assert (folder / "m.pbow").read_bytes() == expected


@pytest.mark.parametrize("given", INPUTS)
def test_vectors_are_the_same_bits_wherever_diagrams_are(
    run, data, folder, bow, whole, given
):
    expected = bow.transform(whole)
    for stream in ("--stream", "--no-stream", ""):
        run(f"transform model.pbow {given} {stream} -o v.npy")
        assert_array_equal(np.load("v.npy"), expected)
        (folder / "v.npy").unlink()
    run(f"transform model.pbow {given} -o vectors/")
    names, found = features_in(folder / "vectors")
    assert_array_equal(found, expected)
    if "data" in given:
        expected_names = [
            f"{k}.parquet:{i}" for k, n in SIZES.items() for i in range(n)
        ]
        assert names == expected_names
        n_blocks = len(list((folder / "vectors").glob("block-*")))
        assert n_blocks == len(SIZES)


def test_a_column_of_names_is_carried_over(run, data, folder):
    names = [f"scan {i}" for i in range(SIZES["1"])]
    for path in data.glob("*.parquet"):
        if path.stem != "1":
            path.unlink()
    table = parquet.read_table(data / "1.parquet")
    parquet.write_table(table.append_column("sample", [names]), data / "1.parquet")
    run(TRANSFORM + "vectors")
    assert features_in(folder / "vectors")[0] == names


def test_a_link_gives_samples_its_own_name(run, data, folder):
    (folder / "links").mkdir()
    (folder / "links" / "scans.parquet").symlink_to(data / "1.parquet")
    run("transform model.pbow links -o vectors")
    names, _ = features_in(folder / "vectors")
    assert names == [f"scans.parquet:{i}" for i in range(SIZES["1"])]


# ---- when


@pytest.fixture
def seen(monkeypatch):
    """Which functions of pbow.distributed are called."""
    names = []

    def watched(name, function, *args, **options):
        names.append(name)
        return function(*args, **options)

    for name in ("fit", "transform"):
        function = partial(watched, name, getattr(distributed, name))
        monkeypatch.setattr(distributed, name, function)
    return names


@pytest.mark.parametrize("given", INPUTS)
def test_files_larger_than_a_quarter_of_the_memory_are_read_in_blocks(
    run, data, monkeypatch, seen, given
):
    paths = data.glob("*.parquet") if "data" in given else [Path(given)]
    n_bytes = sum(path.stat().st_size for path in paths)
    for memory, expected in (
        (4 * n_bytes, []),
        (4 * n_bytes - 1, ["fit", "transform"]),
    ):
        monkeypatch.setattr(streaming, "available_memory", lambda m=memory: float(m))
        run(f"fit {given} -o m.pbow")
        run(f"transform m.pbow {given} -o v{memory}.npy")
        assert seen == expected
    seen.clear()
    run(f"fit {given} --no-stream -o m.pbow")
    run(f"transform m.pbow {given} --no-stream -o v.csv")
    assert seen == []


def test_files_that_are_large_in_memory_alone_are_read_in_blocks(
    run, folder, monkeypatch, seen
):
    points = np.tile([[0.0, 1.0], [0.0, 2.0]], (20_000, 1))
    X = Diagrams(points, np.arange(0, 40_001, 10))
    write_diagrams(X, folder / "repeated.parquet")
    assert (folder / "repeated.parquet").stat().st_size < points.nbytes / 20
    for memory, expected in ((4 * points.nbytes, []), (3.9 * points.nbytes, ["fit"])):
        monkeypatch.setattr(streaming, "available_memory", lambda m=memory: float(m))
        run("fit repeated.parquet -o m.pbow")
        assert seen == expected


def test_large_diagrams_for_a_csv_file_are_refused_with_what_to_take(
    run, data, folder, monkeypatch
):
    monkeypatch.setattr(streaming, "available_memory", lambda: 100.0)
    result = run(TRANSFORM + "v.csv", code=2)
    assert "take a folder for them, as in -o vectors, or a .npy fi" in result.stderr
    assert not (folder / "v.csv").exists()


def test_formats_without_blocks_are_read_at_once_however_large(
    run, folder, monkeypatch, seen
):
    run("convert diagrams.pbow large.csv")
    monkeypatch.setattr(streaming, "available_memory", lambda: 1.0)
    run("fit large.csv -o m.pbow")
    run("transform m.pbow large.csv -o v.csv")
    assert seen == []


def test_a_large_file_for_what_cannot_learn_from_blocks_is_refused(
    run, folder, monkeypatch
):
    monkeypatch.setattr(streaming, "available_memory", lambda: 1.0)
    result = run("fit diagrams.pbow --descriptor riemannian -o m.pbow", code=1)
    assert result.stderr.startswith("Error: Expected a vectorizer that learns from poi")


# ---- what is wrong with the data


def spoil(path, row, points):
    """Write other points into part H1 of one row."""
    table = parquet.read_table(path)
    rows = table.to_pylist()
    rows[row]["H1"] = [{"birth": b, "death": d} for b, d in points]
    parquet.write_table(pa.Table.from_pylist(rows, schema=table.schema), path)


def truncate(path):
    content = path.read_bytes()
    path.write_bytes(content[: len(content) // 2])


def drop_part(path):
    X = read_diagrams(path)
    write_diagrams(X["H1"], path)


DAMAGES = {
    "bad diagram": (
        lambda data: spoil(data / "11.parquet", 7, [(0.0, 1.0), (2.0, 1.0)]),
        "11.parquet, row 7: part H1 has a point",
    ),
    "truncated": (lambda data: truncate(data / "10.parquet"), "10.parquet: "),
    "missing part": (
        lambda data: drop_part(data / "2.parquet"),
        "2.parquet: it has parts H1, and ",
    ),
    "another format": (
        lambda data: (data / "3.csv").write_text("sample,part,birth,death\n0,H1,0,1\n"),
        "3.csv: a file of the format csv cannot be read in blocks. Convert it to Parq",
    ),
}


@pytest.mark.parametrize("damage", DAMAGES)
@pytest.mark.parametrize("output", ["out", "out.npy"])
def test_damage_is_told_with_file_row_and_reason(run, data, folder, damage, output):
    spoils, message = DAMAGES[damage]
    spoils(data)
    for command in ("fit data -o m.pbow", f"{TRANSFORM}{output}"):
        result = run(f"{command} --stream", code=1)
        [line] = result.stderr.splitlines()
        assert result.stdout == ""
        assert line.startswith("Error: ")
        assert message in line
    assert not (folder / "m.pbow").exists()
    # Blocks before a bad diagram are kept; a file that cannot be opened is known before
    # anything is written.
    made = {path.name for path in folder.glob("out*")}
    if damage != "bad diagram":
        assert made == set()
    elif output == "out":
        blocks = {f"block-0000{i}.parquet" for i in range(3)}
        assert set(content_of(folder / "out")) == {"_manifest.json", *blocks}
        assert not json.loads((folder / "out/_manifest.json").read_text())["complete"]
    else:
        assert made == {"out.npy.partial", "out.npy.tiles"}


@contextmanager
def largest_file(n_bytes):
    """Let writing beyond so many bytes fail, as on a full disk."""
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (n_bytes, limits[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)


def test_a_full_disk_is_told_with_the_file_and_one_goes_on_later(run, data, folder):
    command = "transform model.pbow all.pbow"
    run(f"{command} -o expected")
    run(f"{command} -o expected.npy --stream")
    expected = content_of(folder / "expected")
    n_bytes = len(expected["block-00000.parquet"]) - 1
    assert len(expected["_manifest.json"]) <= n_bytes
    with largest_file(n_bytes):
        result = run(f"{command} -o out", code=1)
    assert result.stderr.endswith("/out/block-00000.parquet: File too large.\n")
    assert set(content_of(folder / "out")) == {"_manifest.json"}
    with largest_file(N_SAMPLES * 8):
        result = run(f"{command} -o out.npy --stream", code=1)
    assert result.stderr.endswith("/out.npy: File too large.\n")
    assert [path.name for path in folder.glob("out.npy*")] == []

    run(f"{command} -o out --resume")
    assert content_of(folder / "out") == expected
    run(f"{command} -o out.npy --resume")
    assert (folder / "out.npy").read_bytes() == (folder / "expected.npy").read_bytes()


FULL = OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
STOPS = {
    "full disk": (FULL, 1, "out/block-00001.parquet: No space left on device."),
    "Ctrl-C": (KeyboardInterrupt(), 130, "Interrupted."),
}


@pytest.mark.parametrize(("error", "code", "message"), STOPS.values(), ids=STOPS)
def test_what_is_finished_is_kept_and_nothing_is_half_written(
    run, data, folder, monkeypatch, error, code, message
):
    n_left, sync = 2, os.fsync

    def stop(file):
        nonlocal n_left
        if not n_left:
            raise error
        n_left -= 1
        sync(file)

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", stop)
        result = run(TRANSFORM + "out", code=code)
    assert result.stderr.splitlines()[-1].endswith(message)
    assert set(content_of(folder / "out")) == {"_manifest.json", "block-00000.parquet"}
    run(TRANSFORM + "out --resume")
    run(TRANSFORM + "undisturbed")
    assert content_of(folder / "out") == content_of(folder / "undisturbed")


def test_bad_samples_may_be_skipped_and_are_counted(run, data, folder, bow, whole):
    spoil(data / "2.parquet", 7, [(1.0, np.nan)])
    spoil(data / "11.parquet", 0, [(1.0, 0.0)])
    truncate(data / "10.parquet")
    command = TRANSFORM + "out --on-error skip"
    result = run(command, "--json")
    message = f"Skipped 2 samples and 1 unreadable file: see {Path('out/_skipped.csv')}"
    assert result.stderr.splitlines() == [message, "out: 21 rows, 6 columns"]
    facts = json.loads(result.stdout)
    del facts["seconds"]
    counts = {"samples": 21, "features": 6, "skipped": 2, "skipped_files": 1}
    assert facts == {"output": "out"} | counts

    kept = [i for i in range(N_SAMPLES) if i not in {12, *range(13, 16), 16}]
    assert_array_equal(features_in(folder / "out")[1], bow.transform(whole[kept]))
    head, *lines = (folder / "out" / "_skipped.csv").read_text().splitlines()
    assert head == "file,row,n_rows,reason"
    places = [line.split("/")[-1].split(",")[:3] for line in lines]
    assert places == [
        ["2.parquet", "7", "1"],
        ["10.parquet", "0", "0"],
        ["11.parquet", "0", "1"],
    ]
    assert run(command, "--resume").stderr == result.stderr


def test_one_skipped_sample_is_counted_alone(run, data):
    spoil(data / "2.parquet", 7, [(1.0, np.nan)])
    result = run(TRANSFORM + "out --on-error skip")
    assert result.stderr.startswith("Skipped 1 sample: see ")


def test_a_file_that_changes_before_a_resume_is_another_job(run, data, folder):
    spoil(data / "11.parquet", 7, [(2.0, 1.0)])
    run(TRANSFORM + "out", code=1)
    before = content_of(folder / "out")
    spoil(data / "11.parquet", 7, [(1.0, 2.0)])
    result = run(TRANSFORM + "out --resume", code=1)
    assert "out has results of another job: its input is different" in result.stderr
    assert content_of(folder / "out") == before


# ---- killed


# Kills itself when it is about to open, rename or remove a file of the output for the
# n-th time, or some milliseconds after that.
KILLED = """
import os, signal, sys, threading

EVENTS = "open", "os.mkdir", "os.rename", "os.remove"
output, n_left, delay, *words = sys.argv[1:]
n_left, delay = int(n_left), float(delay)

def die():
    os.kill(os.getpid(), signal.SIGKILL)

def watch(event, args):
    global n_left
    if event in EVENTS and str(args[0]).startswith(output):
        n_left -= 1
        if n_left == 0:
            threading.Timer(delay, die).start() if delay else die()

from pbow.cli import main
sys.addaudithook(watch)
main(words, prog_name="pbow")
"""
N_FILES = 40
unix = pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGKILL")
to_folder_and_file = pytest.mark.parametrize(
    "command",
    [
        "transform model.pbow spoiled --on-error skip -o out",
        "transform model.pbow many --stream -o out.npy",
    ],
)


@pytest.fixture
def many(folder):
    """Two folders of many small files, of which one has a bad diagram."""
    (folder / "many").mkdir()
    X = make_diagrams(2 * N_FILES, seed=2)
    for i in range(N_FILES):
        write_diagrams(X[2 * i : 2 * i + 2], folder / "many" / f"{i}.parquet")
    shutil.copytree(folder / "many", folder / "spoiled")
    spoil(folder / "spoiled" / "7.parquet", 1, [(2.0, 1.0)])
    return folder


def kill(folder, command, n_events, delay=0.0):
    """Return the exit code of a process that kills itself."""
    output = str(folder.resolve() / "out")
    words = [output, str(n_events), str(delay), *command.split()]
    made = subprocess.run(
        [sys.executable, "-c", KILLED, *words],
        cwd=folder,
        capture_output=True,
        check=False,
    )
    return made.returncode


def taken_from(folder):
    """Return what is written, also drafts, and remove it."""
    paths = [p for p in folder.rglob("*out*/*") if p.is_file()]
    paths += [p for p in folder.glob("*out.npy*") if p.is_file()]
    content = {path.name: path.read_bytes() for path in paths}
    for path in paths:
        path.unlink()
    return content


@unix
@to_folder_and_file
def test_a_transform_that_is_killed_twice_goes_on(run, many, command):
    """Once when it has just begun, and once in the midst of the blocks."""
    run(command)
    expected = taken_from(many)
    for n_events in (3, 38):
        code = kill(many, f"{command} --resume", n_events)
        assert code == -signal.SIGKILL
        assert not [*many.glob("out.npy"), *many.glob("out/block-00039.*")]
    run(f"{command} --resume")
    assert taken_from(many) == expected


@unix
@pytest.mark.long
@to_folder_and_file
def test_a_transform_that_is_killed_at_any_moment_goes_on(run, many, command):
    run(command)
    expected = taken_from(many)
    draw = random.Random(20190810)
    codes = []
    for moment in range(10):
        n_events = draw.randint(1, 2 * N_FILES)
        # Every other one at once, the others while a file may be half written.
        delay = draw.uniform(0.0005, 0.01) * (moment % 2)
        codes.append(kill(many, command, n_events, delay))
        run(f"{command} --resume")
        assert taken_from(many) == expected
    # Others may have been finished just before.
    assert codes[::2] == [-signal.SIGKILL] * 5
    assert set(codes) <= {-signal.SIGKILL, 0}


# ---- on a cluster


@pytest.fixture(scope="module")
def address(tmp_path_factory):
    """Of a scheduler with two workers, processes in another folder than the data."""
    dask = pytest.importorskip("dask")
    distributed = pytest.importorskip("distributed")
    with (
        # A task whose worker dies is not tried again.
        dask.config.set({"distributed.scheduler.allowed-failures": 0}),
        distributed.LocalCluster(
            n_workers=2,
            threads_per_worker=1,
            processes=True,
            dashboard_address=":0",  # any port: other clusters may run here
            local_directory=str(tmp_path_factory.mktemp("dask")),
        ) as cluster,
    ):
        yield cluster.scheduler_address


def test_a_cluster_gives_the_same_model_and_the_same_files(run, data, folder, address):
    on_cluster = f"--scheduler {address}"
    run("fit data -o here.pbow --words 4")
    result = run(f"fit data -o there.pbow --words 4 {on_cluster}")
    assert (folder / "there.pbow").read_bytes() == (folder / "here.pbow").read_bytes()
    assert result.stderr.startswith("there.pbow: PersistenceBoW(")
    run("transform here.pbow data -o here")
    run(f"transform here.pbow data -o there {on_cluster}")
    assert content_of(folder / "there") == content_of(folder / "here")
    # What was begun on one may be finished by the other.
    (folder / "here" / "block-00002.parquet").unlink()
    run(f"transform here.pbow data -o here --resume {on_cluster}")
    assert content_of(folder / "there") == content_of(folder / "here")

    run("transform here.pbow data -o here.npy --stream")
    run(f"transform here.pbow data -o there.npy {on_cluster}")
    assert (folder / "there.npy").read_bytes() == (folder / "here.npy").read_bytes()

    spoil(data / "11.parquet", 7, [(2.0, 1.0)])
    for command in ("fit data -o m.pbow", "transform here.pbow data -o bad"):
        result = run(f"{command} {on_cluster}", code=1)
        [line] = result.stderr.splitlines()
        assert "11.parquet, row 7: part H1 has a point" in line


@pytest.mark.parametrize(
    ("address", "reason"),
    [
        (
            "tcp://127.0.0.1:1",
            "Timed out trying to connect to tcp://127.0.0.1:1 after ",
        ),
        ("nonsense", "missing port number in address 'nonsense'"),
        ("http://127.0.0.1:1", "unknown address scheme 'http'"),
        ("tls://127.0.0.1:1", "TLS expects a `ssl_context` argument"),
    ],
)
def test_a_scheduler_that_cannot_be_reached_is_told_soon(
    run, data, folder, monkeypatch, address, reason
):
    pytest.importorskip("distributed")
    briefly = partial(streaming.cluster, seconds=0.2)
    for module in (fit, transform):
        monkeypatch.setattr(sys.modules[module.callback.__module__], "cluster", briefly)
    for command in ("fit data -o m.pbow", TRANSFORM + "out", TRANSFORM + "out.npy"):
        result = run(f"{command} --scheduler {address}", code=1)
        message = f"Error: There is no Dask scheduler at '{address}': {reason}"
        assert result.stderr.startswith(message)
        assert len(result.stderr.splitlines()) == 1
    assert not [*folder.glob("m.pbow"), *folder.glob("out*")]


def test_an_unreachable_scheduler_leaves_no_traceback_at_the_end(data, folder):
    pytest.importorskip("distributed")
    command = [*TRANSFORM.split(), "out", "--scheduler", "nonsense"]
    made = subprocess.run(
        [sys.executable, "-m", "pbow", *command],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (made.returncode, made.stdout) == (1, "")
    [line] = made.stderr.splitlines()
    assert line.startswith("Error: There is no Dask scheduler at 'nonsense': ")


def test_a_cluster_that_loses_its_workers_is_one_sentence(address):
    message = f"The Dask cluster at {address} cannot go on: Attempted to run task "
    with (
        pytest.raises(OSError, match=message),
        streaming.cluster(address) as executor,
    ):
        executor.submit(os._exit, 1).result()


def test_without_dask_the_extra_is_named(run, data, monkeypatch):
    monkeypatch.setitem(sys.modules, "dask.distributed", None)
    result = run(TRANSFORM + "out --scheduler tcp://nowhere:1", code=1)
    message = "Error: --scheduler needs dask, which the extra dask of pbow installs: "
    assert result.stderr.startswith(message)


def test_tasks_of_a_cluster_have_one_thread_unless_told_otherwise(
    run, data, monkeypatch
):
    seen = []

    def watched(model, *args, **options):
        seen.append(model.n_jobs)
        return distributed.Summary(0, 0, [])

    @contextmanager
    def nobody(scheduler):
        yield None

    monkeypatch.setattr(distributed, "transform", watched)
    monkeypatch.setattr(sys.modules[transform.callback.__module__], "cluster", nobody)
    for jobs in ("", "--jobs 3"):
        run(f"{TRANSFORM}out --scheduler tcp://somewhere:1 {jobs}")
    assert seen == [1, 3]
