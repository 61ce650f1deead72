"""Processes that work together and end together."""

import math
import multiprocessing
import os
import signal
import subprocess
import sys
import time
from contextlib import closing
from multiprocessing.context import SpawnProcess
from pathlib import Path

import pytest

from pbow.experiment.children import _portable, run_children

SLEEPING = """
import multiprocessing, time
from pbow.experiment.children import run_children

if __name__ == "__main__":
    for _ in run_children(time.sleep, (600,), 1, 0.1):
        [child] = multiprocessing.active_children()
        print(child.pid, flush=True)
        time.sleep(600)
"""


def is_running(pid):
    """Tell a process from none, and from what is left of one until it is asked for."""
    try:
        os.kill(pid, 0)
        status = Path(f"/proc/{pid}/stat").read_text(encoding="ascii")
    except (ProcessLookupError, FileNotFoundError):
        return False
    return status.rpartition(")")[2].split()[0] != "Z"


def own_children():
    """Return what runs of these; other tests of the same process have their own."""
    return [
        child
        for child in multiprocessing.active_children()
        if isinstance(child, SpawnProcess)
    ]


def test_the_caller_is_woken_meanwhile_and_ends_them_when_it_goes():
    with closing(run_children(time.sleep, (600,), 1, 0.1)) as children:
        next(children)
        next(children)
        [child] = own_children()
    assert not child.is_alive()


def test_one_that_ends_without_a_word_is_an_error():
    with pytest.raises(ChildProcessError, match=r"ended with code 9 .* start again"):
        list(run_children(os._exit, (9,), 1, 1.0))
    assert own_children() == []


def test_an_error_of_one_is_raised_here_and_ends_the_others():
    with pytest.raises(TypeError, match="must be real number") as caught:
        list(run_children(math.sqrt, ("four",), 2, 1.0))
    assert "in _child" in "".join(caught.value.__notes__)
    assert own_children() == []


@pytest.mark.skipif(not Path("/proc/self").exists(), reason="looks at /proc")
def test_they_end_when_the_caller_is_killed(tmp_path):
    script = tmp_path / "sleeping.py"
    script.write_text(SLEEPING)
    parent = subprocess.Popen(
        [sys.executable, script], stdout=subprocess.PIPE, text=True
    )
    try:
        child = int(parent.stdout.readline())
        assert is_running(child)
        parent.send_signal(signal.SIGKILL)
        parent.wait()
        stop = time.monotonic() + 60.0
        while is_running(child) and time.monotonic() < stop:
            time.sleep(0.05)
        assert not is_running(child)
    finally:
        parent.kill()
        parent.stdout.close()
        parent.wait()


def test_an_error_that_cannot_be_sent_sends_its_words():
    class LocalError(Exception):
        pass

    error = _portable(LocalError("no way"))
    assert type(error) is RuntimeError
    assert str(error) == "LocalError: no way"
    known = ValueError("some value")
    assert _portable(known) is known
