"""Matrices on disk: whole, interrupted in every way, damaged, shared."""

import io
import os
import resource
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from pbow._utils import matrix_file
from pbow._utils.matrix_file import fill_file

SHAPE = (7, 5)
TILES = (3, 1)
ROWS = [slice(0, 3), slice(3, 6), slice(6, 7)]

# Writes a matrix of 40 tiles, one row each, and prints which it computes. The module
# alone is imported in no time.
PROGRAM = """
import importlib.util, sys, time
import numpy as np

spec = importlib.util.spec_from_file_location("files", sys.argv[3])
files = importlib.util.module_from_spec(spec)
spec.loader.exec_module(files)

def fill(matrix, done, mark):
    for row in np.flatnonzero(~done):
        print(row, flush=True)
        values = np.random.default_rng(row).normal(size=1000)
        for half in (slice(0, 500), slice(500, 1000)):
            matrix[row, half] = values[half]
        mark(row, 0)
        time.sleep(float(sys.argv[2]))

files.fill_file(sys.argv[1], (40, 1000), "key", (40, 1), fill, seconds_to_flush=0.03)
"""


class StopError(Exception):
    pass


@pytest.fixture
def matrix(rng):
    return rng.normal(size=SHAPE)


@pytest.fixture
def path(tmp_path):
    return tmp_path / "matrix.npy"


def make(path, matrix, *, shape=SHAPE, key="key", tiles=TILES, stop_after=None):
    """Write a matrix, or some of its tiles; return it and the tiles it lacked."""
    computed = []

    def fill(values, done, mark):
        for tile in np.flatnonzero(~done):
            if len(computed) == stop_after:
                raise StopError
            values[ROWS[tile]] = matrix[ROWS[tile]]
            mark(tile, 0)
            computed.append(int(tile))

    return fill_file(path, shape, key, tiles, fill), computed


def leave_partial(path, matrix, n_tiles=1):
    with pytest.raises(StopError):
        make(path, matrix, stop_after=n_tiles)


def contents(path):
    return {p.name: p.read_bytes() for p in path.parent.iterdir() if p.is_file()}


def npy(array):
    file = io.BytesIO()
    np.save(file, array)
    return file.getvalue()


def start(path, *, sleep=0.0):
    # What a shell has put into the background ignores Ctrl-C, and so would this.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        return subprocess.Popen(
            [sys.executable, "-c", PROGRAM, path, str(sleep), matrix_file.__file__],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
    finally:
        signal.signal(signal.SIGINT, before)


@contextmanager
def largest_file(n_bytes):
    """Let writing beyond so many bytes fail, as on a full disk."""
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (n_bytes, limits[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)


def test_a_whole_matrix_is_an_npy_file_which_is_not_computed_again(path, matrix):
    for expected in ([0, 1, 2], []):
        result, computed = make(path, matrix)
        assert computed == expected
        assert isinstance(result, np.memmap)
        assert not result.flags.writeable
        assert_array_equal(result, matrix)
        assert_array_equal(np.load(path), matrix)
        assert list(contents(path)) == ["matrix.npy"]


@pytest.mark.parametrize("shape", [(0, 5), (5, 0), (0, 0)])
def test_a_matrix_may_be_empty(path, shape):
    result = fill_file(path, shape, "key", (0, 0), lambda *_: None)
    assert result.shape == np.load(path).shape == shape


def test_an_interrupted_matrix_is_resumed(path, matrix):
    leave_partial(path, matrix, n_tiles=1)
    assert sorted(contents(path)) == ["matrix.npy.partial", "matrix.npy.tiles"]
    leave_partial(path, matrix, n_tiles=1)
    result, computed = make(path, matrix)
    assert computed == [2]
    assert_array_equal(result, matrix)
    assert list(contents(path)) == ["matrix.npy"]


@pytest.mark.parametrize(
    "other", [{"key": "yek"}, {"shape": (7, 6)}, {"tiles": (4, 1)}], ids=str
)
def test_another_matrix_is_neither_overwritten_nor_resumed(path, matrix, other):
    leave_partial(path, matrix)
    before = contents(path)
    message = (
        r"Cannot go on with .*matrix\.npy: matrix\.npy\.partial is part of another "
        r"matrix\. Delete matrix\.npy\.partial and matrix\.npy\.tiles to start anew"
    )
    with pytest.raises(ValueError, match=message):
        make(path, matrix, **other)
    assert contents(path) == before
    make(path, matrix)
    before = contents(path)
    with pytest.raises(FileExistsError, match="Delete it, or choose another name"):
        make(path, matrix, **other)
    assert contents(path) == before


@pytest.mark.parametrize("content", [b"", b"hello", bytes(1000)], ids=len)
def test_a_file_of_something_else_is_never_replaced(path, matrix, content):
    path.write_bytes(content)
    with pytest.raises(FileExistsError, match="exists and is not this matrix"):
        make(path, matrix)
    assert contents(path) == {"matrix.npy": content}


@pytest.mark.parametrize("create", [os.mkfifo, os.mkdir])
def test_a_folder_or_a_pipe_is_never_replaced(path, matrix, create):
    create(path)
    with pytest.raises(FileExistsError, match="or something else"):
        make(path, matrix)
    assert list(path.parent.iterdir()) == [path]


def test_a_link_is_followed(tmp_path, matrix):
    link, target = tmp_path / "link.npy", tmp_path / "target.npy"
    link.symlink_to(target)
    make(link, matrix)
    assert link.is_symlink()
    assert_array_equal(np.load(target), matrix)


def test_the_name_must_be_that_of_an_npy_file_in_a_folder(tmp_path, matrix):
    with pytest.raises(ValueError, match=r"Expected out to be the name of a \.npy"):
        make(tmp_path / "matrix.csv", matrix)
    with pytest.raises(FileNotFoundError, match="There is no folder"):
        make(tmp_path / "nowhere" / "matrix.npy", matrix)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("suffix", "damage", "message"),
    [
        ("tiles", lambda old: b"hello", "is missing or damaged"),
        ("tiles", lambda old: bytes(len(old)), "is missing or damaged"),
        ("tiles", lambda old: old[:-1], "is missing or damaged"),
        ("tiles", lambda old: b"", "is missing or damaged"),
        ("tiles", lambda old: npy(np.ones((2, 1), bool)), "is missing or damaged"),
        ("tiles", lambda old: npy(np.ones(TILES)), "is missing or damaged"),
        ("tiles", lambda old: npy(np.full(TILES, "a")), "is missing or damaged"),
        ("tiles", lambda old: b"PK\x03\x04", "is missing or damaged"),
        ("partial", lambda old: b"", "is part of another matrix"),
        ("partial", lambda old: old[:-1], "is part of another matrix"),
    ],
)
def test_damaged_files_are_refused(path, matrix, suffix, damage, message):
    leave_partial(path, matrix)
    victim = path.with_name(f"matrix.npy.{suffix}")
    victim.write_bytes(damage(victim.read_bytes()))
    message = f"{victim.name}.*{message}.*Delete matrix.npy.partial"
    with pytest.raises(ValueError, match=message):
        make(path, matrix)
    assert not path.exists()


def test_what_was_killed_before_its_first_tile_starts_anew(path, matrix):
    partial, mask = (path.with_name(f"matrix.npy.{s}") for s in ("partial", "tiles"))
    leave_partial(path, matrix, n_tiles=0)
    partial.write_bytes(b"torn")
    leave_partial(path, matrix, n_tiles=0)
    partial.unlink()
    mask.write_bytes(b"")
    assert_array_equal(make(path, matrix)[0], matrix)


def test_the_mask_of_a_process_that_was_killed_at_the_very_end_is_removed(path, matrix):
    make(path, matrix)
    path.with_name("matrix.npy.tiles").write_bytes(npy(np.ones(TILES, bool)))
    assert make(path, matrix)[1] == []
    assert list(contents(path)) == ["matrix.npy"]


def test_a_path_has_one_writer_at_a_time(path, matrix):
    def fill(*_):
        with pytest.raises(BlockingIOError, match="is being written by another"):
            make(path, matrix)
        raise StopError

    with pytest.raises(StopError):
        fill_file(path, SHAPE, "key", TILES, fill)
    assert_array_equal(make(path, matrix)[0], matrix)


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGINT])
def test_a_matrix_survives_signals_at_any_moment(path, rng, number):
    mask = path.with_name("matrix.npy.tiles")
    done, n_ended = set(), 0
    while not path.exists():
        # 40 tiles take at least 0.16 s.
        with start(path, sleep=0.004) as process:
            first = process.stdout.readline()
            time.sleep(rng.uniform(0.0, 0.15))
            process.send_signal(number)
            rest, _ = process.communicate()
        computed = {int(line) for line in (first + rest).split()}
        # All tiles may be done, and only the name of the matrix be missing.
        assert computed or len(done) == 40
        assert not computed & done
        if mask.exists():
            done = set(np.flatnonzero(np.load(mask)).tolist())
        n_ended += process.returncode != 0
    assert n_ended > 0
    rows = [np.random.default_rng(row).normal(size=(1, 1000)) for row in range(40)]
    assert_array_equal(np.load(path), np.concatenate(rows))
    undisturbed = path.with_name("undisturbed.npy")
    with start(undisturbed) as process:
        process.communicate()
    assert path.read_bytes() == undisturbed.read_bytes()
    assert sorted(contents(path)) == ["matrix.npy", "undisturbed.npy"]


def test_a_tile_is_marked_only_after_its_numbers_are_on_disk(path, monkeypatch):
    events = []
    flush = np.memmap.flush

    def record(array):
        events.append((array.filename.suffix, int(np.count_nonzero(array))))
        flush(array)

    def fill(matrix, done, mark):
        matrix[:2] = 1.0
        mark(0, 0)
        mark(1, 0)
        monkeypatch.setattr(np.memmap, "flush", record)

    fill_file(path, (2, 3), "key", (2, 1), fill)
    assert events == [(".partial", 6), (".tiles", 2)]


def test_after_a_flush_that_failed_nothing_counts_as_done(path, matrix, monkeypatch):
    def fail(array):
        raise OSError(5, "Input/output error")

    def fill(values, done, mark):
        values[ROWS[0]] = matrix[ROWS[0]]
        mark(0, 0)
        monkeypatch.setattr(np.memmap, "flush", fail)

    with pytest.raises(OSError, match="Input/output error"):
        fill_file(path, SHAPE, "key", TILES, fill)
    monkeypatch.undo()
    assert make(path, matrix)[1] == [0, 1, 2]


def test_what_does_not_fit_is_an_error_that_names_the_file_and_leaves_nothing(path):
    with (
        largest_file(100_000),
        pytest.raises(OSError, match=r"File too large: .*matrix\.npy"),
    ):
        fill_file(path, (1000, 1000), "key", (1, 1), lambda *_: None)
    assert contents(path) == {}


def test_all_blocks_are_taken_before_the_first_tile(path):
    def fill(values, done, mark):
        n_blocks = path.with_name("matrix.npy.partial").stat().st_blocks
        assert n_blocks * 512 >= 8_000_000
        mark(0, 0)

    fill_file(path, (1000, 1000), "key", (1, 1), fill)


def test_threads_share_a_file(path, rng):
    matrix = rng.normal(size=(400, 300))

    def fill(values, done, mark):
        def write(row):
            values[row] = matrix[row]
            mark(row, 0)

        with ThreadPoolExecutor(4) as pool:
            list(pool.map(write, range(400)))

    assert_array_equal(fill_file(path, (400, 300), "key", (400, 1), fill), matrix)
