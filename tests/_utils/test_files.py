import errno
import os
import stat
import subprocess
import sys
import threading
from contextlib import contextmanager

import pytest

from pbow._utils.files import atomic_folder, atomic_write, naming

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


@posix
@BOTH
def test_what_a_killed_process_left_is_gone_after_the_next_write(tmp_path, writing):
    program = (
        "import os, sys\nfrom pbow._utils import files\n"
        "with getattr(files, sys.argv[1])(sys.argv[2]):\n    os._exit(9)\n"
    )
    name = "atomic_write" if writing is writing_file else "atomic_folder"
    path = tmp_path / "it"
    command = [sys.executable, "-c", program, name, path]
    assert subprocess.run(command, check=False).returncode == 9
    assert [left.suffix for left in tmp_path.iterdir()] == [".tmp"]
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
