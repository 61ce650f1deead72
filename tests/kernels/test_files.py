"""Matrices on disk: whole, interrupted in every way, damaged, shared."""

import errno
import os
import resource
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from pbow.kernels import _files
from pbow.kernels._files import TileFile

SHAPE = (7, 5)
ROWS = [slice(0, 3), slice(3, 6), slice(6, 7)]
WHOLE = slice(0, 5)

# Writes a matrix of 40 tiles, a row each, and says which it computes. The module alone
# is imported in no time.
PROGRAM = """
import importlib.util, sys, time
import numpy as np

spec = importlib.util.spec_from_file_location("files", sys.argv[1])
files = importlib.util.module_from_spec(spec)
spec.loader.exec_module(files)
files.SECONDS_BETWEEN_SYNCS = 0.03
with files.TileFile(sys.argv[2], (40, 1000), "key", 40) as file:
    for tile in np.flatnonzero(~file.done):
        row = np.random.default_rng(tile).normal(size=(1, 1000))
        print(tile, flush=True)
        for half in (slice(0, 500), slice(500, 1000)):
            file.write(slice(tile, tile + 1), half, row[:, half])
        file.mark(tile)
        time.sleep(float(sys.argv[3]))
    file.finish()
"""


@pytest.fixture
def matrix(rng):
    return rng.normal(size=SHAPE)


@pytest.fixture
def path(tmp_path):
    return tmp_path / "matrix.npy"


def fill(file, matrix, tiles=(0, 1, 2)):
    for tile in tiles:
        file.write(ROWS[tile], WHOLE, matrix[ROWS[tile]])
        file.mark(tile)


def leave_partial(path, matrix, tiles=(0,), key="key"):
    with TileFile(path, SHAPE, key, 3) as file:
        fill(file, matrix, tiles)


def names(path):
    return sorted(entry.name for entry in path.parent.iterdir())


def start(path, *, sleep=0.0):
    # What a shell has put into the background ignores Ctrl-C, and so would this.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        return subprocess.Popen(
            [sys.executable, "-c", PROGRAM, _files.__file__, path, str(sleep)],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
    finally:
        signal.signal(signal.SIGINT, before)


def test_a_whole_matrix_is_an_npy_file(path, matrix):
    with TileFile(path, SHAPE, "key", 3) as file:
        assert not file.done.any()
        fill(file, matrix)
        assert not path.exists()
        result = file.finish()
    assert_array_equal(result, matrix)
    assert isinstance(result, np.memmap)
    assert not result.flags.writeable
    assert_array_equal(np.load(path), matrix)
    assert names(path) == ["matrix.npy"]


def test_blocks_go_where_they_belong(path, matrix):
    with TileFile(path, SHAPE, "key", 2) as file:
        for columns in (slice(3, 5), slice(0, 3)):
            file.write(slice(2, 7), columns, matrix[2:, columns])
            file.write(slice(0, 2), columns, np.asfortranarray(matrix[:2, columns]))
        file.mark(0)
        file.mark(1)
        assert_array_equal(file.finish(), matrix)


def test_a_block_of_another_shape_is_refused(path):
    with (
        pytest.raises(ValueError, match=r"block of shape \(2, 2\) does not fit"),
        TileFile(path, SHAPE, "key", 3) as file,
    ):
        file.write(slice(0, 2), slice(0, 5), np.zeros((2, 2)))


@pytest.mark.parametrize("shape", [(0, 5), (5, 0), (0, 0)])
def test_a_matrix_may_be_empty(path, shape):
    with TileFile(path, shape, "key", 0) as file:
        assert file.finish().shape == shape
    assert np.load(path).shape == shape


def test_an_interrupted_matrix_goes_on_with_what_is_done(path, matrix):
    leave_partial(path, matrix, tiles=(1,))
    assert names(path) == ["matrix.npy.journal", "matrix.npy.partial"]
    with TileFile(path, SHAPE, "key", 3) as file:
        assert_array_equal(file.done, [False, True, False])
        fill(file, matrix, tiles=(0, 2))
        assert_array_equal(file.finish(), matrix)
    assert names(path) == ["matrix.npy"]


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt, SystemExit])
def test_an_error_keeps_what_is_done(path, matrix, error):
    def fail():
        with TileFile(path, SHAPE, "key", 3) as file:
            fill(file, matrix, tiles=(2,))
            raise error

    with pytest.raises(error):
        fail()
    with TileFile(path, SHAPE, "key", 3) as file:
        assert_array_equal(file.done, [False, False, True])


def test_a_matrix_with_missing_tiles_cannot_be_finished(path, matrix):
    with TileFile(path, SHAPE, "key", 3) as file:
        fill(file, matrix, tiles=(0,))
        with pytest.raises(ValueError, match=r"2 tiles of .* are missing"):
            file.finish()
    assert not path.exists()


@pytest.mark.parametrize("other", [np.ones(3), np.zeros(SHAPE)], ids=["small", "same"])
def test_a_file_of_something_else_is_never_replaced(path, other):
    np.save(path, other)
    with pytest.raises(FileExistsError, match="is there already, and is not this"):
        TileFile(path, SHAPE, "key", 3).__enter__()
    assert_array_equal(np.load(path), other)
    assert names(path) == ["matrix.npy"]


def test_a_finished_matrix_is_found_again(path, matrix):
    with TileFile(path, SHAPE, "key", 3) as file:
        fill(file, matrix)
        file.finish()
    with TileFile(path, SHAPE, "key", 3) as file:
        assert file.done.all()
        assert_array_equal(file.finish(), matrix)
    assert_array_equal(np.load(path), matrix)
    for shape, key, n_tiles in (
        (SHAPE, "yek", 3),
        (SHAPE, "key", 4),
        ((7, 6), "key", 3),
    ):
        with pytest.raises(FileExistsError, match="Delete it, or choose another name"):
            TileFile(path, shape, key, n_tiles).__enter__()
    assert names(path) == ["matrix.npy"]


def test_a_matrix_that_was_finished_meanwhile_is_found(path, matrix, monkeypatch):
    other = TileFile(path, SHAPE, "key", 3)
    open_journal = other._open_journal

    def finish_first():
        with TileFile(path, SHAPE, "key", 3) as file:
            fill(file, matrix)
            file.finish()
        return open_journal()

    monkeypatch.setattr(other, "_open_journal", finish_first)
    with other as file:
        assert_array_equal(file.finish(), matrix)
    assert names(path) == ["matrix.npy"]


def test_a_process_that_ended_before_the_name_was_given_loses_nothing(path, matrix):
    file = TileFile(path, SHAPE, "key", 3).__enter__()
    fill(file, matrix)
    file._sync()
    file._data.seek(0, 2)
    file._data.write(file._title)
    file.__exit__(None, None, None)
    with TileFile(path, SHAPE, "key", 3) as again:
        assert again.done.all()
        assert_array_equal(again.finish(), matrix)


@pytest.mark.parametrize("name", ["matrix.csv", "matrix"])
def test_the_name_says_what_it_is(tmp_path, name):
    with pytest.raises(ValueError, match=r"Expected the name of a \.npy file"):
        TileFile(tmp_path / name, SHAPE, "key", 3)


def test_a_folder_that_is_not_there_is_named(tmp_path):
    with pytest.raises(FileNotFoundError, match="There is no folder"):
        TileFile(tmp_path / "nowhere" / "m.npy", SHAPE, "key", 3).__enter__()


@pytest.mark.parametrize(
    ("shape", "key", "n_tiles"),
    [(SHAPE, "other", 3), ((7, 6), "key", 3), (SHAPE, "key", 4), (SHAPE, "ke", 3)],
)
def test_something_else_does_not_go_on(path, matrix, shape, key, n_tiles):
    leave_partial(path, matrix)
    before = {name: (path.parent / name).read_bytes() for name in names(path)}
    message = (
        "is part of another matrix: of other diagrams, other parameters or another "
        "shape. Delete matrix.npy.partial and matrix.npy.journal to start anew, or "
        "choose another name."
    )
    with pytest.raises(ValueError, match=message):
        TileFile(path, shape, key, n_tiles).__enter__()
    assert {name: (path.parent / name).read_bytes() for name in names(path)} == before
    # The lock is gone, too.
    with TileFile(path, SHAPE, "key", 3) as file:
        assert file.done.any()


@pytest.mark.parametrize(
    ("suffix", "damage", "message"),
    [
        ("journal", lambda old: b"", "is not a journal"),
        ("journal", lambda old: b"\0" * len(old), "is not a journal"),
        ("journal", lambda old: b"hello\n", "is not a journal"),
        ("journal", lambda old: old.replace(b"1,", b"2,", 1), "is not a journal"),
        ("journal", lambda old: old[:-1], "journal is damaged"),
        ("journal", lambda old: old + b".", "journal is damaged"),
        ("journal", lambda old: old[:-1] + b"?", "journal is damaged"),
        ("journal", lambda old: old[:40], "part of another matrix"),
        ("partial", lambda old: b"", "partial is damaged"),
        ("partial", lambda old: old[:-1], "partial is damaged"),
        ("partial", lambda old: old + b"\0", "partial is damaged"),
        ("partial", lambda old: b"?" + old[1:], "partial is damaged"),
    ],
)
def test_damaged_files_are_refused(path, matrix, suffix, damage, message):
    leave_partial(path, matrix)
    victim = path.with_name(f"matrix.npy.{suffix}")
    victim.write_bytes(damage(victim.read_bytes()))
    with pytest.raises(ValueError, match=f"{message}.*Delete matrix.npy.partial"):
        TileFile(path, SHAPE, "key", 3).__enter__()
    assert len(names(path)) == 2


def test_a_partial_file_without_journal_is_refused(path, matrix):
    leave_partial(path, matrix)
    path.with_name("matrix.npy.journal").unlink()
    with pytest.raises(ValueError, match="has no journal"):
        TileFile(path, SHAPE, "key", 3).__enter__()
    assert names(path) == ["matrix.npy.partial"]


@pytest.mark.parametrize("content", [b"", b'{"pbow', b'{"pbow tiles": 1, "shape'])
def test_a_journal_without_partial_file_starts_anew(path, matrix, content):
    # So a crash may leave it, just begun or just finished.
    path.with_name("matrix.npy.journal").write_bytes(content)
    with TileFile(path, SHAPE, "key", 3) as file:
        assert not file.done.any()
        fill(file, matrix)
        assert_array_equal(file.finish(), matrix)
    assert names(path) == ["matrix.npy"]


def test_a_crash_before_the_first_tile_starts_anew(path, matrix):
    leave_partial(path, matrix, tiles=())
    path.with_name("matrix.npy.partial").write_bytes(b"torn")
    with TileFile(path, SHAPE, "key", 3) as file:
        fill(file, matrix)
        assert_array_equal(file.finish(), matrix)


def test_one_name_is_for_one_at_a_time(path, matrix):
    with TileFile(path, SHAPE, "key", 3) as file:
        with pytest.raises(BlockingIOError, match=r"is being written by another"):
            TileFile(path, SHAPE, "key", 3).__enter__()
        fill(file, matrix)
        file.finish()
    # The lock is gone.
    path.unlink()
    leave_partial(path, matrix)


def test_the_lock_ends_with_its_process(path):
    with start(path, sleep=60.0) as process:
        assert process.stdout.readline() == "0\n"
        with pytest.raises(BlockingIOError):
            TileFile(path, (40, 1000), "key", 40).__enter__()
        process.kill()
    TileFile(path, (40, 1000), "key", 40).__enter__().__exit__(None, None, None)


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGINT])
def test_a_matrix_survives_signals_at_any_moment(path, rng, number):
    journal = path.with_name("matrix.npy.journal")
    done, n_ended = set(), 0
    while not path.exists():
        # 40 tiles take at least 0.16 s.
        with start(path, sleep=0.004) as process:
            first = process.stdout.readline()
            time.sleep(rng.uniform(0.0, 0.15))
            process.send_signal(number)
            rest, _ = process.communicate()
        computed = {int(line) for line in (first + rest).split()}
        assert computed
        assert not computed & done
        marks = journal.read_bytes()[-40:] if journal.exists() else b"x" * 40
        done = {tile for tile in range(40) if marks[tile : tile + 1] == b"x"}
        n_ended += process.returncode != 0
    assert n_ended > 0
    rows = [np.random.default_rng(tile).normal(size=(1, 1000)) for tile in range(40)]
    assert_array_equal(np.load(path), np.concatenate(rows))
    undisturbed = path.with_name("undisturbed.npy")
    with start(undisturbed) as process:
        process.communicate()
    assert path.read_bytes() == undisturbed.read_bytes()
    assert names(path) == ["matrix.npy", "undisturbed.npy"]


def test_a_tile_is_in_the_journal_only_after_a_sync(path, matrix, monkeypatch):
    events = []
    fsync, write_at = os.fsync, _files._write_at

    def record_sync(descriptor):
        events.append(("sync", names[descriptor]))
        fsync(descriptor)

    def record_write(file, position, content):
        events.append(("write", names[file.fileno()]))
        write_at(file, position, content)

    with TileFile(path, SHAPE, "key", 3) as file:
        names = {file._data.fileno(): "partial", file._marks.fileno(): "journal"}
        monkeypatch.setattr(os, "fsync", record_sync)
        monkeypatch.setattr(_files, "_write_at", record_write)
        fill(file, matrix, tiles=(0, 2))
    n_rows = 4
    assert events == [
        *([("write", "partial")] * n_rows),
        ("sync", "partial"),
        *([("write", "journal")] * 2),
        ("sync", "journal"),
    ]


def test_syncs_are_seconds_apart(path, matrix, monkeypatch):
    now = [0.0]
    monkeypatch.setattr(_files.time, "monotonic", lambda: now[0])
    journal = path.with_name("matrix.npy.journal")
    with TileFile(path, SHAPE, "key", 3) as file:
        fill(file, matrix, tiles=(0,))
        assert journal.read_bytes().endswith(b"...")
        now[0] += 6.0
        fill(file, matrix, tiles=(1,))
        assert journal.read_bytes().endswith(b"xx.")
        fill(file, matrix, tiles=(2,))
        assert journal.read_bytes().endswith(b"xx.")
    assert journal.read_bytes().endswith(b"xxx")


def test_after_a_sync_that_failed_nothing_counts_as_done(path, matrix, monkeypatch):
    fsync = os.fsync
    calls = []

    def fail_once(descriptor):
        calls.append(descriptor)
        if len(calls) == 1:
            raise OSError(errno.EIO, os.strerror(errno.EIO))
        fsync(descriptor)

    def finish():
        with TileFile(path, SHAPE, "key", 3) as file:
            fill(file, matrix)
            monkeypatch.setattr(os, "fsync", fail_once)
            file.finish()

    with pytest.raises(OSError, match=os.strerror(errno.EIO)):
        finish()
    assert path.with_name("matrix.npy.journal").read_bytes().endswith(b"...")
    assert not path.exists()


def test_a_full_disk_is_an_error_and_what_is_done_is_kept(tmp_path):
    path = tmp_path / "matrix.npy"
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)

    def fill_disk():
        with TileFile(path, (100, 1000), "key", 100) as file:
            # From now on, writing beyond so many bytes fails, as on a full disk.
            resource.setrlimit(resource.RLIMIT_FSIZE, (400_000, limits[1]))
            for tile in range(100):
                file.write(slice(tile, tile + 1), slice(0, 1000), np.ones((1, 1000)))
                file.mark(tile)

    try:
        with pytest.raises(OSError, match=os.strerror(errno.EFBIG)):
            fill_disk()
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert names(path) == ["matrix.npy.journal", "matrix.npy.partial"]
    with TileFile(path, (100, 1000), "key", 100) as file:
        assert_array_equal(np.flatnonzero(file.done), np.arange(file.done.sum()))
        assert 40 < file.done.sum() < 60


def test_what_does_not_fit_at_all_leaves_nothing(tmp_path):
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, limits[1]))
    try:
        with pytest.raises(OSError, match=os.strerror(errno.EFBIG)):
            TileFile(tmp_path / "matrix.npy", (1000, 1000), "key", 1).__enter__()
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert not list(tmp_path.iterdir())


def test_space_is_taken_by_tiles_not_beforehand(path, matrix):
    with TileFile(path, (100_000, 100_000), "key", 2) as file:
        file.write(slice(99_999, 100_000), slice(99_998, 100_000), np.ones((1, 2)))
        file.mark(1)
    partial = path.with_name("matrix.npy.partial")
    assert partial.stat().st_size > 8 * 10**10
    assert partial.stat().st_blocks * 512 < 10**6


def test_a_folder_that_is_not_there_is_an_error(tmp_path):
    with pytest.raises(FileNotFoundError):
        TileFile(tmp_path / "missing" / "matrix.npy", SHAPE, "key", 3).__enter__()


def test_a_folder_or_a_pipe_is_not_written_over(tmp_path):
    pipe, folder = tmp_path / "pipe.npy", tmp_path / "folder.npy"
    os.mkfifo(pipe)
    folder.mkdir()
    for path in (folder, pipe):
        with pytest.raises(FileExistsError, match="or something else"):
            TileFile(path, SHAPE, "key", 3).__enter__()
    assert sorted(tmp_path.iterdir()) == [folder, pipe]


@pytest.mark.skipif(
    not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may write everywhere"
)
def test_a_folder_that_may_not_be_written_to_is_an_error(tmp_path):
    tmp_path.chmod(0o500)
    try:
        with pytest.raises(PermissionError):
            TileFile(tmp_path / "matrix.npy", SHAPE, "key", 3).__enter__()
    finally:
        tmp_path.chmod(0o700)


def test_a_link_is_followed(tmp_path, matrix):
    link, target = tmp_path / "link.npy", tmp_path / "target.npy"
    link.symlink_to(target)
    with TileFile(link, SHAPE, "key", 3) as file:
        fill(file, matrix)
        file.finish()
    assert link.is_symlink()
    assert_array_equal(np.load(target), matrix)


def test_threads_share_a_file(path, rng):
    matrix = rng.normal(size=(400, 300))
    with TileFile(path, matrix.shape, "key", 400) as file:

        def write(tiles):
            for tile in tiles:
                row = slice(tile, tile + 1)
                file.write(row, slice(0, 300), matrix[row])
                file.mark(tile)

        threads = [
            threading.Thread(target=write, args=(range(k, 400, 4),)) for k in range(4)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert_array_equal(file.finish(), matrix)
