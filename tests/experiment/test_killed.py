"""The runner is killed, ten times, and several runners work at once."""

import json
import os
import random
import signal
import subprocess
import sys
import time
from collections import Counter

import numpy as np
import pytest

from pbow.experiment.declaration import read_experiment
from pbow.experiment.plan import plan
from pbow.experiment.runner import run_experiment
from pbow.experiment.runs import Folder
from pbow.experiment.table import make_table

pytestmark = pytest.mark.skipif(
    not hasattr(os, "fork"), reason="kills groups of processes, as Unix has them"
)

N_KILLS = 10
TEXT = """
repetitions = 4
[classifier]
finalists = 1
folds = 3
costs = [1.0, 10.0]
screen_rows = 16
[datasets.surfaces]
surfaces = { n_diagrams = 48, n_points = 30 }
[descriptors.2Wd]
make = "WassersteinKernel"
similarity = "max-distance"
[descriptors.SWK]
make = "SlicedWassersteinKernel"
similarity = "max-distance"
grid.n_directions = [10, 20]
[descriptors.PBoW]
make = "PersistenceBoW"
grid = { n_words = [2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13] }
[descriptors.sPBoW]
make = "StablePersistenceBoW"
grid = { n_words = [2, 3, 4, 5, 6, 7, 8] }
"""

# A Python with everything loaded, which forks: runners start at once, and ten starts
# cost no more than one. It is told how many to start, and notes all that they execute.
NURSERY = """
import os, sys, tempfile
from pbow.experiment.runner import run_experiment
from pbow.experiment.worker import Worker

declaration, warm_up, out, log = sys.argv[1:]
with tempfile.TemporaryDirectory() as folder:
    run_experiment(warm_up, folder)
execute = Worker.execute
notes = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND)

def noting(worker, task):
    run = execute(worker, task)
    os.write(notes, f"{task.key}\\n".encode())
    return run

Worker.execute = noting
print("ready", flush=True)
for line in sys.stdin:
    leader = os.fork()
    if leader == 0:
        os.setsid()
        for _ in range(int(line) - 1):
            if os.fork() == 0:
                break
        else:
            print(os.getpid(), flush=True)
        run_experiment(declaration, out)
        os._exit(0)
    os.waitpid(leader, 0)
    print("ended", flush=True)
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    made = tmp_path_factory.mktemp("killed")
    (made / "small.toml").write_text(TEXT)
    few = TEXT.replace("repetitions = 4", "repetitions = 1").replace("= 48", "= 10")
    (made / "warm-up.toml").write_text(few)
    return made


@pytest.fixture(scope="module")
def undisturbed(folder):
    run_experiment(folder / "small.toml", folder / "undisturbed")
    return Folder(folder / "undisturbed")


class Nursery:
    """Starts runners on a folder, and kills them."""

    def __init__(self, folder, name):
        self.out = folder / name
        self.log = folder / f"{name}.log"
        files = [folder / "small.toml", folder / "warm-up.toml", self.out, self.log]
        self._process = subprocess.Popen(
            [sys.executable, "-c", NURSERY, *map(str, files)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        assert self._process.stdout.readline() == "ready\n"

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._process.stdin.close()
        self._process.wait()
        self._process.stdout.close()

    def start(self, n):
        """Return the number of a group of `n` runners."""
        self._process.stdin.write(f"{n}\n")
        self._process.stdin.flush()
        return int(self._process.stdout.readline())

    def wait(self):
        assert self._process.stdout.readline() == "ended\n"

    def n_signs(self):
        """Return how much can be seen of the work: runs, and distances begun."""
        names = ("runs/*.json", "matrices/*.partial", "matrices/*.npy")
        return sum(len(list(self.out.glob(name))) for name in names)

    def unfinished(self):
        """Return the keys that are claimed, or were when the claimant was killed."""
        claimed = {path.name for path in self.out.glob("locks/*")} - {"in-use"}
        return {key for key in claimed if not Folder(self.out).is_done(key)}


def without_times(run_file):
    content = json.loads(run_file.read_bytes())
    content.pop("seconds")
    return content


def table_of(folder):
    """Return the table without times, as lines of cells."""
    experiment = read_experiment(folder.declaration)
    head, *rows = [
        line.split(",")
        for line in make_table(experiment, folder.load(), "csv").splitlines()
    ]
    timed = {head.index(name) for name in ("seconds", "fastest")}
    return [
        [cell for n, cell in enumerate(row) if n not in timed] for row in [head, *rows]
    ]


def assert_same(one, other):
    assert table_of(one) == table_of(other)
    names = [
        sorted(path.name for path in folder.path.glob("runs/*.json"))
        for folder in (one, other)
    ]
    assert names[0] == names[1]
    for name in names[0]:
        files = [folder.path / "runs" / name for folder in (one, other)]
        assert without_times(files[0]) == without_times(files[1])
    for file in one.path.glob("matrices/*.npy"):
        theirs = np.load(other.path / "matrices" / file.name)
        np.testing.assert_array_equal(np.load(file), theirs)
    for name in ("*.partial", "*.tiles"):
        assert list(other.path.glob(f"matrices/{name}")) == []


def run_command(folder, out):
    return [
        *(sys.executable, "-m", "pbow", "experiment", "run"),
        *(str(folder / "small.toml"), "--out", str(out), "--jobs", "2"),
    ]


def test_after_ten_kills_the_table_is_that_of_an_undisturbed_run(folder, undisturbed):
    chance = random.Random(20190810)
    n_half_done = 0
    n_done = []
    with Nursery(folder, "killed") as nursery:
        for _ in range(N_KILLS):
            goal = nursery.n_signs() + chance.randint(1, 4)
            group = nursery.start(2)
            while nursery.n_signs() < goal:
                time.sleep(0.002)
            time.sleep(chance.uniform(0.0, 0.03))
            os.killpg(group, signal.SIGKILL)
            nursery.wait()
            n_done.append(len(Folder(nursery.out).load()))
            n_half_done += bool(nursery.unfinished())
        n_all = len(undisturbed.load())
        assert max(n_done) < n_all  # all of them had something left to do
        assert n_half_done >= N_KILLS // 2
        nursery.start(1)
        nursery.wait()
    assert_same(undisturbed, Folder(nursery.out))


def test_runners_at_work_at_once_make_no_run_twice(folder, undisturbed):
    with Nursery(folder, "at-once") as nursery:
        nursery.start(3)
        nursery.wait()
        # The leader waits for the others, but not for their very end.
        executed = Counter(nursery.log.read_text().split())
    experiment = read_experiment(folder / "small.toml")
    planned = {task.key for task in plan(experiment, Folder(nursery.out).load())}
    assert set(executed) == planned
    assert set(executed.values()) == {1}
    assert_same(undisturbed, Folder(nursery.out))


@pytest.mark.long
def test_the_command_may_be_killed_as_often(folder, undisturbed):
    chance = random.Random(1)
    out = folder / "command"
    for _ in range(N_KILLS):
        n_before = len(list(out.glob("runs/*.json")))
        process = subprocess.Popen(
            run_command(folder, out),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        while len(list(out.glob("runs/*.json"))) == n_before:
            assert process.poll() is None
            time.sleep(0.002)
        time.sleep(chance.uniform(0.0, 0.05))
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
    assert len(Folder(out).load()) < len(undisturbed.load())
    subprocess.run(run_command(folder, out), check=True, capture_output=True)
    assert_same(undisturbed, Folder(out))
