"""Ctrl-C, as the terminal sends it: from the first moment on it is one sentence."""

import os
import signal
import subprocess
import sys
import termios

import numpy as np
import pytest

from pbow.datasets import make_shapes
from pbow.io import write_diagrams

pty = pytest.importorskip("pty", reason="sends signals of Unix")

# Sends the signal to itself when a module is looked for.
EARLY = """
import os, signal, sys

class Interrupt:
    def find_spec(name, path=None, target=None):
        if name == "{module}":
            os.kill(os.getpid(), signal.SIGINT)

sys.meta_path.insert(0, Interrupt)
from pbow.__main__ import main
main()
"""


def start(*words, **options):
    # What a shell has put into the background ignores Ctrl-C, and so would this.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        return subprocess.Popen([sys.executable, *words], **options)
    finally:
        signal.signal(signal.SIGINT, before)


@pytest.mark.parametrize("module", ["click", "pbow.cli.transform", "numpy"])
def test_it_may_come_while_python_imports(tmp_path, module):
    write_diagrams([[[0.0, 1.0]]], tmp_path / "diagrams.pbow")
    words = ["fit", "diagrams.pbow", "-o", "out.pbow"]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    code = EARLY.format(module=module)
    with start("-c", code, *words, cwd=tmp_path, text=True, **pipes) as process:
        stdout, stderr = process.communicate(timeout=60)
    assert (process.returncode, stdout) == (130, "")
    assert stderr == "Interrupted.\n"
    assert not (tmp_path / "out.pbow").exists()


def homology_of_many_clouds(folder):
    np.save(folder / "clouds.npy", make_shapes(50, 400, random_state=0)[0])
    return ["homology", "clouds.npy", "--kind", "clouds", "-o", "out.pbow"]


def evaluation_of_many_folds(folder):
    births = np.random.default_rng(0).uniform(size=(100, 10))
    write_diagrams(np.stack((births, births + 1), axis=-1), folder / "x.pbow")
    np.save(folder / "y.npy", np.arange(100) % 2)
    return ["evaluate", "x.pbow", "--labels", "y.npy", "--folds", "50"]


@pytest.mark.parametrize("work", [homology_of_many_clouds, evaluation_of_many_folds])
def test_it_ends_the_work_within_seconds(tmp_path, work):
    pytest.importorskip("gudhi")
    words = work(tmp_path)
    before = sorted(tmp_path.iterdir())
    leader, follower = pty.openpty()
    termios.tcsetwinsize(leader, (24, 80))  # no bar is drawn on a window of no size
    with os.fdopen(leader, "rb", buffering=0) as terminal:
        pipes = {"stdout": subprocess.PIPE, "stderr": follower}
        with start("-m", "pbow", *words, cwd=tmp_path, **pipes) as process:
            os.close(follower)
            shown = b""
            # The bar is drawn anew: a step is done.
            while shown.count(b"\r") < 2:
                shown += terminal.read(4096)
            process.send_signal(signal.SIGINT)
            stdout, _ = process.communicate(timeout=60)
        shown += rest_of(terminal)
    assert (process.returncode, stdout) == (130, b"")
    assert shown.splitlines()[-1] == b"Interrupted."
    assert b"Traceback" not in shown
    assert sorted(tmp_path.iterdir()) == before


@pytest.mark.parametrize("descriptor", ["pbow", "spbow"])
def test_it_ends_a_compilation(tmp_path, descriptor):
    births = np.random.default_rng(0).uniform(size=(100, 150))
    write_diagrams(np.stack((births, births + 1), axis=-1), tmp_path / "x.pbow")
    words = ["fit", "x.pbow", "--descriptor", descriptor, "-o", "out.pbow"]
    cache = {"NUMBA_CACHE_DIR": str(tmp_path / "cache"), "PBOW_VERBOSE": "1"}
    options = {"cwd": tmp_path, "env": os.environ | cache, "text": True}
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with start("-m", "pbow", *words, **options, **pipes) as process:
        assert "compiling" in process.stderr.readline()
        process.send_signal(signal.SIGINT)
        stdout, stderr = process.communicate(timeout=60)
    assert (process.returncode, stdout) == (130, "")
    assert stderr == "Interrupted.\n"
    assert not (tmp_path / "out.pbow").exists()


def rest_of(terminal):
    read = b""
    try:
        while block := terminal.read(4096):
            read += block
    except OSError:  # as Linux says that nobody writes any more
        pass
    return read
