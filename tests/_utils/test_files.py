import errno
import os
import stat
import subprocess
import sys
import threading
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from pbow._utils import files
from pbow._utils.files import atomic_folder, atomic_write, claim, naming

posix = pytest.mark.skipif(os.name != "posix", reason="locks and pipes of POSIX")


@contextmanager
def writing_file(path):
    with atomic_write(path) as file:
        file.write(b"new")
        yield


@contextmanager
def writing_folder(path):
    with atomic_folder(path) as draft:
        (draft / "a").write_bytes(b"new")
        yield


BOTH = pytest.mark.parametrize("writing", [writing_file, writing_folder])


@BOTH
def test_what_is_written_appears_when_it_is_complete(tmp_path, writing):
    path = tmp_path / "it"
    with writing(path):
        assert not path.exists()
    assert (path / "a" if path.is_dir() else path).read_bytes() == b"new"
    assert list(tmp_path.iterdir()) == [path]


@BOTH
def test_an_error_leaves_nothing(tmp_path, writing):
    with pytest.raises(KeyboardInterrupt), writing(tmp_path / "it"):
        raise KeyboardInterrupt
    assert list(tmp_path.iterdir()) == []


def test_an_error_leaves_the_old_file(tmp_path):
    path = tmp_path / "a"
    path.write_bytes(b"old")
    with pytest.raises(KeyboardInterrupt), writing_file(path):
        raise KeyboardInterrupt
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]


@posix
def test_a_replaced_file_keeps_its_permissions_and_links(tmp_path):
    path, link = tmp_path / "a", tmp_path / "link"
    path.write_bytes(b"old")
    path.chmod(0o604)
    link.symlink_to(path)
    with writing_file(link):
        pass
    assert path.read_bytes() == b"new"
    assert link.is_symlink()
    assert stat.S_IMODE(path.stat().st_mode) == 0o604


@BOTH
@pytest.mark.parametrize("shown", [None, "draft", "target"])
def test_a_full_disk_names_the_file(tmp_path, writing, shown):
    path = tmp_path / "it"

    def fill():
        names = {"draft": next(tmp_path.iterdir()), "target": path}
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), names.get(shown))

    with pytest.raises(OSError, match="No space") as caught, writing(path):
        fill()
    assert caught.value.filename == str(path)


def test_an_error_about_another_file_names_that_one(tmp_path):
    with pytest.raises(FileNotFoundError, match="other"), naming(tmp_path / "a"):
        (tmp_path / "other").open()


@pytest.mark.parametrize("writing", [writing_file, writing_folder])
def test_a_missing_folder_is_named_as_the_caller_named_the_file(tmp_path, writing):
    with (
        pytest.raises(FileNotFoundError, match=r"missing.it'"),
        writing(tmp_path / "missing" / "it"),
    ):
        pass


def test_a_folder_is_no_file_and_only_an_empty_one_is_replaced(tmp_path):
    with pytest.raises(IsADirectoryError), writing_file(tmp_path):
        pass
    (tmp_path / "empty").mkdir()
    with writing_folder(tmp_path / "empty"):
        pass
    for name in ("empty", "empty/a"):
        with (
            pytest.raises(FileExistsError, match=f"{name} is there already"),
            writing_folder(tmp_path / name),
        ):
            pass


@pytest.mark.parametrize("fails", [False, True])
def test_without_locks_a_draft_is_closed_before_it_is_moved_or_removed(
    tmp_path, monkeypatch, fails
):
    # Windows has neither locks nor moves or removes a file that is open.
    monkeypatch.setattr(files, "fcntl", None)
    is_closed = []

    def spy_on(name):
        original = getattr(Path, name)

        def spy(path, *args, **kwargs):
            is_closed.append(file.closed)
            return original(path, *args, **kwargs)

        monkeypatch.setattr(Path, name, spy)

    for name in ("replace", "unlink", "chmod"):
        spy_on(name)
    path = tmp_path / "it"
    path.write_bytes(b"old")
    with suppress(StopIteration), atomic_write(path) as file:
        file.write(b"new")
        if fails:
            raise StopIteration
    assert is_closed == ([True] if fails else [True, True])
    assert path.read_bytes() == (b"old" if fails else b"new")
    assert list(tmp_path.iterdir()) == [path]


@posix
def test_a_planted_draft_is_neither_written_to_nor_gives_its_permissions(tmp_path):
    path, other = tmp_path / "it", tmp_path / "other"
    other.write_bytes(b"precious")
    expected = stat.S_IMODE(other.stat().st_mode)
    other.chmod(0o606)
    names = [".it.tmp", ".it.backup.tmp", f".it.{'0' * 16}.tmp"]
    for name in names:
        (tmp_path / name).hardlink_to(other)
    (tmp_path / f".it.{'1' * 16}.tmp").symlink_to(other)
    with writing_file(path):
        pass
    assert other.read_bytes() == b"precious"
    assert stat.S_IMODE(path.stat().st_mode) == expected
    # Only the last one has the name of a draft, and nobody holds it.
    assert [(tmp_path / name).exists() for name in names] == [True, True, False]


@posix
@BOTH
def test_what_a_killed_process_left_is_gone_after_the_next_write(tmp_path, writing):
    program = (
        "import os, sys\nfrom pbow._utils import files\n"
        "write, path = getattr(files, sys.argv[1]), sys.argv[2]\n"
        "with write(path), write(path):\n    os._exit(9)\n"
    )
    name = "atomic_write" if writing is writing_file else "atomic_folder"
    path = tmp_path / "it"
    command = [sys.executable, "-c", program, name, path]
    assert subprocess.run(command, check=False).returncode == 9
    assert [left.suffix for left in tmp_path.iterdir()] == [".tmp", ".tmp"]
    with writing(path):
        pass
    assert list(tmp_path.iterdir()) == [path]


@BOTH
def test_two_writers_at_a_time_do_not_mix(tmp_path, writing):
    path = tmp_path / "it"
    if writing is writing_file:
        with writing(path), writing(path):
            assert len(list(tmp_path.iterdir())) == 2
    else:
        with pytest.raises(OSError, match="it"), writing(path), writing(path):
            assert len(list(tmp_path.iterdir())) == 2
    assert list(tmp_path.iterdir()) == [path]
    assert (path if path.is_file() else path / "a").read_bytes() == b"new"


@posix
def test_a_pipe_is_written_to_as_it_is(tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    found = []
    reader = threading.Thread(target=lambda: found.append(pipe.read_bytes()))
    reader.start()
    with writing_file(pipe):
        pass
    reader.join()
    assert found == [b"new"]
    assert stat.S_ISFIFO(pipe.stat().st_mode)


@posix
def test_one_process_has_the_claim_until_it_ends(tmp_path):
    path = tmp_path / "result"
    with claim(path) as mine:
        assert mine
        with claim(path) as other:
            assert not other
    assert list(tmp_path.iterdir()) == []
    with claim(path) as again:
        assert again


@posix
def test_a_claim_of_a_process_that_was_killed_is_free(tmp_path):
    code = (
        "import os, sys\nfrom pbow._utils.files import claim\n"
        "with claim(sys.argv[1]) as mine:\n    assert mine\n    os._exit(9)"
    )
    path = tmp_path / "result"
    subprocess.run([sys.executable, "-c", code, str(path)], check=False)
    assert [p.name for p in tmp_path.iterdir()] == ["result.lock"]
    with claim(path) as mine:
        assert mine


@posix
def test_a_lock_that_its_owner_has_removed_is_no_claim(tmp_path, monkeypatch):
    path = tmp_path / "result"
    flock, calls = files.fcntl.flock, []

    def remove_first(owner, how):
        # The owner ends between the opening and the locking of its file.
        if not calls:
            path.with_name("result.lock").unlink()
        calls.append(how)
        flock(owner, how)

    monkeypatch.setattr(files.fcntl, "flock", remove_first)
    with claim(path) as mine:
        assert mine
        assert path.with_name("result.lock").exists()
    assert len(calls) == 2


def test_a_file_that_must_be_new_is_made_once(tmp_path):
    path = tmp_path / "a"
    with atomic_write(path, new=True) as file:
        file.write(b"first")
    with (
        pytest.raises(FileExistsError) as caught,
        atomic_write(path, new=True) as file,
    ):
        file.write(b"second")
    assert caught.value.filename == str(path)
    assert path.read_bytes() == b"first"
    assert [one.name for one in tmp_path.iterdir()] == ["a"]


def test_a_disk_without_links_makes_it_once_as_well(tmp_path, monkeypatch):
    def refuse(*_):
        raise OSError(errno.EPERM, "no links")

    monkeypatch.setattr(os, "link", refuse)
    test_a_file_that_must_be_new_is_made_once(tmp_path)


@posix
def test_a_lock_that_somebody_removed_is_no_error(tmp_path):
    with claim(tmp_path / "it") as is_ours:
        assert is_ours
        (tmp_path / "it.lock").unlink()
    assert not list(tmp_path.iterdir())


def test_the_error_within_is_raised_also_if_the_draft_is_gone(tmp_path):
    def fail_without_draft():
        with atomic_folder(tmp_path / "it") as draft:
            draft.rmdir()
            raise KeyError

    with pytest.raises(KeyError):
        fail_without_draft()
    assert not list(tmp_path.iterdir())
