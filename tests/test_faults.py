"""Signals, full disks, read-only folders and clocks that jump: files stay whole.

Every writer is hit at seeded moments; `scripts/faults.py` hits each at all moments, and
many times in between.
"""

import os
import re
import signal
import sys
import zlib
from pathlib import Path

import numpy as np
import pytest

import pbow
from pbow.io.formats import FORMATS

if sys.platform != "linux":
    reason = "processes with threads of libraries are forked, which only Linux survives"
    pytest.skip(reason, allow_module_level=True)

from tests.faults import FUTURE, WRITERS, check, content, disturbing, make_inputs

HITS = 3  # of each signal
each_writer = pytest.mark.parametrize(
    "name",
    # The demo draws for a second, and writes as other figures are written.
    [pytest.param(n, marks=[pytest.mark.long] * (n == "demo.png")) for n in WRITERS],
)


@pytest.fixture(scope="module")
def workspace(tmp_path_factory):
    """Return a folder with the inputs of all writers."""
    folder = tmp_path_factory.mktemp("faults")
    (folder / "inputs").mkdir()
    make_inputs(folder / "inputs")
    return folder


@pytest.fixture(scope="module")
def disturb():
    with disturbing() as function:
        yield function


@pytest.fixture(scope="module")
def new_target(workspace, disturb):
    """Return a function that gives the path of a target with its old content."""

    def make(name):
        folder = workspace / f"{len([*workspace.iterdir()])}"
        folder.mkdir()
        if WRITERS[name].replaces:
            assert disturb(folder / name, 0).exit_code == 0
        return folder / name

    return make


@pytest.fixture(scope="module")
def reference(new_target, disturb):
    """Return a function that gives old and new content, and the number of moments."""
    known = {}

    def make(name):
        if name not in known:
            path = new_target(name)
            old = content(path.parent)
            outcome = disturb(path, 1)
            assert outcome[:3] == (0, "", "")
            known[name] = old, content(path.parent), outcome.moments
            assert old != known[name][1]
        return known[name]

    return make


@pytest.fixture
def check_that_it_ends(disturb):
    """The next call must complete what is there, and leave nothing beside it."""

    def run(path, new, **fault):
        if WRITERS[path.name].at_once and content(path.parent, left=True) == new:
            return  # a whole folder is never written to again
        outcome = disturb(path, 1, **fault)
        assert outcome[:3] == (0, "", "")
        assert content(path.parent, left=True) == new

    return run


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGINT])
@each_writer
def test_after_a_signal_a_target_is_old_or_new(
    name, number, new_target, reference, disturb, check_that_it_ends
):
    old, new, n_moments = reference(name)
    rng = np.random.default_rng(zlib.crc32(f"{name} {number}".encode()))
    ends = set()
    for moment in rng.integers(1, n_moments + 1, HITS).tolist():
        path = new_target(name)
        outcome = disturb(path, 1, number=number, moment=moment)
        ends.add(outcome.error or outcome.exit_code)
        check(path.parent, WRITERS[name], old, new)
        check_that_it_ends(path, new)
    if number == signal.SIGKILL:
        assert ends == {-signal.SIGKILL}
    else:  # at the very end it may come too late
        assert ends <= {"KeyboardInterrupt", 0}


@pytest.mark.parametrize("share", [0.0, 0.5])
@each_writer
def test_a_full_disk_is_an_error_and_leaves_the_old_target(
    name, share, new_target, reference, disturb, check_that_it_ends
):
    old, new, _ = reference(name)
    path = new_target(name)
    largest = int(share * max(len(x) for items in new.values() for x in items))
    outcome = disturb(path, 1, largest_file=largest)
    if name == "cache":  # which warns, and gives the diagrams
        assert outcome.error == ""
    else:
        assert outcome.error == "OSError"
        assert "File too large" in outcome.message
        assert str(path) in outcome.message
    check(path.parent, WRITERS[name], old, new)
    check_that_it_ends(path, new)


@each_writer
def test_a_read_only_folder_is_an_error_and_leaves_the_old_target(
    name, new_target, reference, disturb, check_that_it_ends
):
    old, new, _ = reference(name)
    path = new_target(name)
    folders = [path.parent, *(p for p in path.parent.rglob("*") if p.is_dir())]
    for folder in folders:
        folder.chmod(0o555)
    outcome = disturb(path, 1, is_read_only=True)
    for folder in folders:
        folder.chmod(0o755)
    assert ("Permission denied" in outcome.message) == (name != "cache")
    assert content(path.parent, left=True) == old
    check_that_it_ends(path, new)


@each_writer
def test_a_clock_that_jumps_changes_nothing(
    name, new_target, reference, disturb, check_that_it_ends
):
    old, new, n_moments = reference(name)
    path = new_target(name)
    disturb(path, 1, number=signal.SIGKILL, moment=n_moments // 2)
    for file in path.parent.rglob("*"):
        os.utime(file, (FUTURE, FUTURE))
    check(path.parent, WRITERS[name], old, new)
    check_that_it_ends(path, new, clock_jumps=True)


@pytest.mark.parametrize(
    "name", ["model.pbow", "diagrams.csv", "vectors.parquet", "page.html", "figure.png"]
)
def test_a_disk_without_space_is_named(name, workspace, disturb):
    path = workspace / f"full-{name}" / name
    path.parent.mkdir()
    path.symlink_to("/dev/full")
    outcome = disturb(path, 1)
    assert "No space left on device" in outcome.message
    assert str(path) in outcome.message


def test_the_list_has_every_writer_and_format():
    package = Path(pbow.__file__).parent
    opens = re.compile(r"\b(atomic_write|atomic_folder|claim|fill_file)\(")
    found = {
        ".".join(file.relative_to(package).with_suffix("").parts)
        for file in package.rglob("*.py")
        if opens.search(file.read_text(encoding="utf-8"))
    }
    covered = {module for writer in WRITERS.values() for module in writer.modules}
    # Kernels fill matrices; files.py has the functions themselves.
    assert found - {"_utils.files", "kernels._tiles"} == covered
    written = {name for name, known in FORMATS.items() if known.write}
    assert written <= {name.partition("-")[0].rpartition(".")[2] for name in WRITERS}
