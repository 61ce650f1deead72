"""Every writer of the library, and ways to disturb it; processes import this module.

A writer runs in a process of its own, forked from one that has imported this module.
There it is killed or interrupted before or after one of its calls that touch files, or
after some time; or it writes with a full disk, into a folder that is read-only, or
while the clock jumps.
"""

import contextlib
import ctypes
import io
import itertools
import json
import os
import re
import resource
import select
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd
import tqdm

import pbow
from pbow import Diagrams, PersistenceBoW, distributed
from pbow.cli import main
from pbow.datasets.cache import cached
from pbow.datasets.importing.output import Converted, write_npz
from pbow.datasets.importing.release import open_release
from pbow.demo import draw_words
from pbow.experiment import read_experiment, run_experiment
from pbow.experiment.report import write_report
from pbow.explorer import write_explorer
from pbow.io import write_diagrams, write_vectors
from pbow.io.formats import FORMATS
from pbow.kernels import SlicedWassersteinKernel

__all__ = [
    "WRITERS",
    "Fault",
    "Writer",
    "check",
    "content",
    "disturbing",
    "make_inputs",
]

# What may stay beside a target until the next call: drafts, a matrix that is not
# complete with its mask of tiles, the locks of claims, lists of what was skipped.
LEFT = re.compile(
    r"\..+\.[0-9a-f]{16}\.tmp|.+\.(partial|tiles|lock)|_skipped-\d+\.json"
)
# The names that pandas gives to tables of a page are random.
RANDOM = re.compile(rb"T_[0-9a-f]{5}")
# Calls that change files, or are next to one.
TOUCHES = {
    *("write", "tofile", "flush", "fsync", "close", "flock", "posix_fallocate"),
    *("mkdir", "chmod", "link", "replace", "rename", "unlink", "rmdir", "lseek"),
}
IN_MEMORY = (str, bytes, io.StringIO, io.BytesIO)
SECONDS = 60.0
# Long after the time of any test.
FUTURE = 4_102_444_800


@dataclass(frozen=True)
class Writer:
    """How something is written; `version` 0 is the old content, and 1 the new.

    `modules` are those of pbow that open the files. Where `replaces` is False, there
    must be nothing before. With `at_once`, several files appear together.
    """

    write: Callable[[Path, int], object]
    modules: tuple[str, ...]
    replaces: bool = True
    at_once: bool = False


class Fault(NamedTuple):
    """What happens to a writer: a signal at a moment, or after seconds; or the rest."""

    number: int = 0  # of the signal
    moment: int = 0
    seconds: float | None = None
    largest_file: int | None = None
    is_read_only: bool = False
    clock_jumps: bool = False


class Outcome(NamedTuple):
    """How a writer ended: by itself, by an error, or killed."""

    exit_code: int | None
    error: str
    message: str
    moments: int


# -------------------------------------------------------------------------------------
# Writers


def make_inputs(folder):
    """Make the files that writers read; their folders are beside this one."""
    for version in (0, 1):
        write_diagrams(X[version], folder / f"{version}.csv")
        text = EXPERIMENT.replace("NAME", f"small-{version}")
        (folder / f"small-{version}.toml").write_text(text)
        graphs = folder / f"graphs-{version}"
        graphs.mkdir()
        for k in range(3):
            edges = [f"{i} {i + 1}\n" for i in range(2 + k + version)]
            (graphs / f"{k}.txt").write_text("".join(edges))


def _inputs(path, name):
    return path.parent.with_name("inputs") / name


def _diagrams(seed):
    rng = np.random.default_rng(seed)
    births = [rng.uniform(size=n) for n in rng.integers(2, 12, size=14)]
    points = [np.c_[b, b + rng.exponential(0.3, size=len(b))] for b in births]
    return Diagrams.from_parts({"H0": points[:7], "H1": points[7:]})


X = [_diagrams(seed) for seed in (0, 1)]
MODELS = [PersistenceBoW(3, random_state=0).fit(one) for one in X]
ROWS = [model.transform(one) for model, one in zip(MODELS, X, strict=True)]
KERNEL = SlicedWassersteinKernel(n_directions=3, bandwidth=1.0).fit(X[0])
LABELS = np.arange(7) % 6  # as many as there are shapes

EXPERIMENT = """
name = "NAME"
repetitions = 1
[classifier]
c_values = [1.0]
[datasets.surfaces]
surfaces = { n_diagrams = 20, n_points = 12 }
[descriptors.Statistics]
make = "PersistenceStatistics"
"""


OF_ONE_PART = {"npz", "npy", "hera"}


def _write_collection(path, version):
    one_part = path.suffix[1:] in OF_ONE_PART
    write_diagrams(X[version]["H1"] if one_part else X[version], path)


def _write_sample(path, version):
    kind = path.stem.partition("-")[0]
    one = X[version][:1]
    write_diagrams(one["H1"] if kind in OF_ONE_PART else one, path, kind)


def _write_folder(path, version):
    some = X[version]
    write_diagrams(some["H1"] if path.name in OF_ONE_PART else some, path, path.name)


def _write_vectors(path, version):
    columns = [f"word{k}" for k in range(ROWS[version].shape[1])]
    write_vectors(ROWS[version], path, columns)


def _explore(path, version, **options):
    write_explorer(MODELS[version], X[version], path, **options)


def _explore_two_files(path, version):
    path.mkdir(exist_ok=True)
    _explore(path / "page.html", version, plotlyjs="directory")


def _blocks(version):
    return [X[version][:3], X[version][3:5], X[version][5:]]


def _transform(path, version):
    distributed.transform(MODELS[version], _blocks(version), path, resume=True)


def _homology(path, version):
    distributed.homology(
        *("graph_sublevel", _inputs(path, f"graphs-{version}"), path),
        files_per_block=1,
        resume=True,
        on_error="skip",
    )


def _kernel(path, version):
    KERNEL.transform(X[version], out=path)


def _experiment(path, version):
    run_experiment(_inputs(path, "small-0.toml"), path)


def _report(path, version):
    experiment = read_experiment(_inputs(path, f"small-{version}.toml"))
    write_report(experiment, {}, path)


def _cache(path, version):
    os.environ["PBOW_CACHE"] = str(path)
    cached("some", {"version": version}, lambda: X[version])


def _import(path, version):
    arrays = {"points": X[version]["H1"].points}
    with open_release(_inputs(path, "0.csv")) as release:
        write_npz(path, Converted("some", arrays, "nothing"), "some", release)


def _plot(path, version):
    _call("plot", "diagram", _inputs(path, f"{version}.csv"), "-o", path)


def _convert(path, version):
    _call("convert", _inputs(path, f"{version}.csv"), "-o", path)


def _call(*arguments):
    """Run a command; its errors are raised, as those of functions are."""
    said = io.StringIO()
    try:
        with contextlib.redirect_stderr(said), contextlib.redirect_stdout(said):
            main([str(one) for one in arguments])
    except SystemExit as end:
        if end.code == 130:
            raise KeyboardInterrupt from end
        if end.code:
            raise OSError(said.getvalue()) from end


def _demo(path, version):
    draw_words(X[version]["H1"], LABELS, path, seed=0)


# By the name of the target.
WRITERS = {
    "model.pbow": Writer(lambda path, v: pbow.save(MODELS[v], path), ("io.container",)),
    **{
        f"diagrams{known.extensions[0]}": Writer(_write_collection, ("io.files",))
        for known in FORMATS.values()
        if known.write and known.holds == "collection"
    },
    **{
        f"{name}-sample{''.join(known.extensions[:1]) or '.txt'}": Writer(
            _write_sample, ("io.files",)
        )
        for name, known in FORMATS.items()
        if known.write and known.holds == "sample"
    },
    **{
        name: Writer(_write_folder, ("io.folders",), replaces=False, at_once=True)
        for name, known in FORMATS.items()
        if known.write and known.holds != "collection"
    },
    **{
        f"vectors{extension}": Writer(_write_vectors, ("io.vectors",))
        for extension in (".npy", ".csv", ".parquet")
    },
    "page.html": Writer(_explore, ("explorer.page",)),
    "pages": Writer(_explore_two_files, ("explorer.page",)),
    "features": Writer(
        _transform, ("distributed._transform", "io.output_folder"), replaces=False
    ),
    "features.npy": Writer(
        _transform, ("_utils.matrix_file", "io.output_folder"), replaces=False
    ),
    "homology": Writer(
        _homology, ("distributed._homology", "io.output_folder"), replaces=False
    ),
    "kernel.npy": Writer(_kernel, ("_utils.matrix_file",), replaces=False),
    "results": Writer(
        _experiment, ("experiment.run", "experiment.results"), replaces=False
    ),
    "report.html": Writer(_report, ("experiment.report",)),
    "cache": Writer(_cache, ("io.container",)),
    "imported": Writer(_import, ("datasets.importing.output",)),
    "figure.png": Writer(_plot, ("cli.inputs",)),
    "converted.csv": Writer(_convert, ("cli.inputs",)),
    "demo.png": Writer(_demo, ("demo",)),
}

# -------------------------------------------------------------------------------------
# Faults


@contextlib.contextmanager
def disturbing():
    """Give a function that runs the writer of a target in a process that is hit."""
    # The threads of libraries are known to live through a fork.
    command = [sys.executable, "-W", "ignore::DeprecationWarning"]
    command += ["-c", "from tests.faults import serve; serve()"]
    with subprocess.Popen(
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        cwd=Path(__file__).parents[1],
        text=True,
    ) as server:

        def disturb(path, version, **fault):
            request = json.dumps([str(path), version, Fault(**fault)])
            print(request, file=server.stdin, flush=True)
            return Outcome(*json.loads(server.stdout.readline()))

        yield disturb
        server.stdin.close()


def serve():
    """Fork a process for each line of the standard input, and print its outcome."""
    with (
        tempfile.TemporaryDirectory() as folder
    ):  # what is compiled or imported, is now
        targets = Path(folder, "targets")
        for path in (targets, Path(folder, "inputs")):
            path.mkdir()
        make_inputs(path)
        for name, writer in WRITERS.items():
            writer.write(targets / name, 1)
    for line in sys.stdin:
        path, version, fault = json.loads(line)
        ours, theirs = os.pipe()
        process = os.fork()
        if process == 0:
            os.close(ours)
            with os.fdopen(theirs, "w") as pipe:
                _work(pipe, Path(path), version, Fault(*fault))
            os._exit(0)
        os.close(theirs)
        with os.fdopen(ours) as pipe:
            outcome = _watch(pipe, process, Fault(*fault))
        sys.stdout.write(f"{json.dumps(outcome)}\n")
        sys.stdout.flush()


def _watch(pipe, process, fault):
    """Return how a process ends; hit it after some seconds, or at last."""
    pipe.readline()  # it is about to begin
    if fault.seconds is not None:
        time.sleep(fault.seconds)
        os.kill(process, fault.number)
    if not select.select([pipe], [], [], SECONDS)[0]:
        os.kill(process, signal.SIGKILL)
    report = pipe.readline() or '["", "", 0]'
    _, status = os.waitpid(process, 0)
    return os.waitstatus_to_exitcode(status), *json.loads(report)


def _work(pipe, path, version, fault):
    """Run a writer, and say how it ended."""
    with Path(os.devnull).open("r+b") as nothing:
        for stream in (0, 1, 2):
            os.dup2(nothing.fileno(), stream)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    count = itertools.count(1)
    moments = 0

    def watch(frame, event, function):
        nonlocal moments
        if event in {"c_call", "c_return"} and function.__name__ in TOUCHES:
            if isinstance(getattr(function, "__self__", None), IN_MEMORY):
                return  # as str.replace
            moments = next(count)
            if moments == fault.moment:
                os.kill(os.getpid(), fault.number)

    if fault.largest_file is not None:
        hard = resource.getrlimit(resource.RLIMIT_FSIZE)[1]
        resource.setrlimit(resource.RLIMIT_FSIZE, (fault.largest_file, hard))
    if fault.is_read_only:
        _obey_permissions()
    if fault.clock_jumps:
        _let_the_clock_jump()
    print(file=pipe, flush=True)
    error = message = ""
    try:
        sys.setprofile(watch)
        try:
            WRITERS[path.name].write(path, version)
        finally:
            sys.setprofile(None)
    except BaseException as raised:
        error, message = type(raised).__name__, str(raised)
    print(json.dumps([error, message, moments]), file=pipe, flush=True)


def _obey_permissions():
    """Let the permissions of folders hold for the superuser, too."""
    if os.geteuid() != 0:
        return
    libc = ctypes.CDLL(None, use_errno=True)
    header = (ctypes.c_uint32 * 2)(0x20080522, 0)  # the version of the interface
    sets = (ctypes.c_uint32 * 6)()
    override = 1 << 1  # CAP_DAC_OVERRIDE
    if libc.capget(header, sets) == 0:
        sets[0] &= ~override  # of those that are in effect
        libc.capset(header, sets)


def _let_the_clock_jump():
    """Let the time of day go back and forth by years."""
    now = time.time
    jumps = itertools.cycle([0.0, -4e7, 1.0, 4e7, -3600.0])
    time.time = tqdm.std.time = lambda: now() + next(jumps)
    time.time_ns = lambda: int(1e9 * time.time())


# -------------------------------------------------------------------------------------
# What is there afterwards


def content(folder, left=False):
    """Return what the files of a folder hold, without what may stay beside them."""
    found = {}
    for path in sorted(folder.rglob("*")):
        name = path.relative_to(folder)
        is_left = any(LEFT.fullmatch(part) for part in name.parts)
        if path.is_file() and (left or not is_left):
            found[name.as_posix()] = _items(path)
    return found


def _items(path):
    """Return what must be in a file, as a set: a table may have some of its rows."""
    if path.suffix == ".lock":
        return {path.read_bytes()}
    if path.name == "_manifest.json":  # of a job that is begun, or complete
        job = json.loads(path.read_bytes())
        return {json.dumps([job[k] for k in sorted(job.keys() & JOB)])}
    if path.parent.name == "runs":
        record = json.loads(path.read_bytes())
        return {json.dumps([record["key"], record["params"], record["n_features"]])}
    if path.name == "runs.parquet":
        return {*pd.read_parquet(path)["key"]}
    return {RANDOM.sub(b"", path.read_bytes())}


JOB = {"model", "input", "columns", "homology"}


def check(folder, writer, old, new):
    """Raise unless every file is the old or the new one, from end to end."""
    found = content(folder)
    for name, items in found.items():
        assert items in (old.get(name), new.get(name)) or (
            name.endswith("runs.parquet") and items <= new[name]
        ), f"{name} is neither the old nor the new one"
    if writer.at_once:
        assert found.keys() in (old.keys(), new.keys())
    else:
        assert old.keys() <= found.keys(), "an old file is gone"
