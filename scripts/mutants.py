"""Change the source in one place at a time, and see whether the tests notice.

    python scripts/mutants.py trace          which test runs which lines
    python scripts/mutants.py run            the mutants, in the order of a seed
    python scripts/mutants.py run --again    those that survived
    python scripts/mutants.py report         docs/testing/mutants.json

A mutant is killed if a test fails, or takes far longer than it took to trace it. Only
tests that run the changed statement are run, the fastest first. Numba is switched off,
so that the loops are run as they are written.

Why not cosmic-ray or mutmut: both start an interpreter per mutant, which imports numba,
scikit-learn and scipy for seconds; mutmut skips functions that have a decorator, which
are all loops; and neither chooses tests by statement. Here each mutant is a fork of one
process that has collected all tests; in it, functions get the bytecode of the changed
module. Tests of a file that runs the statement when it is imported may have kept what
came of it, so they are collected in the fork, after the change; likewise for statements
that run when pbow is imported. Afterwards every test that killed a mutant is run
without a change. Interrupt it at any moment: `run` goes on where it stopped.
"""

from __future__ import annotations

import argparse
import ast
import gc
import importlib.util
import json
import math
import os
import platform
import resource
import shutil
import signal
import subprocess
import sys
import time
import traceback
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from hashlib import sha256
from importlib.machinery import ModuleSpec, SourceFileLoader
from importlib.metadata import version
from itertools import islice
from pathlib import Path
from types import CodeType, FrameType, FunctionType
from typing import Any, NoReturn

import pytest
from hypothesis import Phase, settings
from mutations import Mutation, mutated, mutations

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src" / "pbow"
CACHE = ROOT / ".cache" / "mutants"
OUTPUT = CACHE / "out"
REPORT = ROOT / "docs" / "testing" / "mutants.json"
SCOPE = (
    *("compute/*", "stability/*", "diagrams", "encoding", "sampling"),
    *("io/container", "io/csv", "io/models", "io/native", "io/npy", "io/npz"),
    *("io/npz_diagrams", "io/text", "_utils/files", "_utils/records"),
    *("_utils/tables", "_utils/text", "_utils/unpacking"),
)
# Tests that may run lines of the scope, but those that start processes or take long.
TESTS = (
    *("_utils", "compute", "homology", "io", "kernels", "stability", "vectorizers"),
    *("test_blocks", "test_codebook", "test_codebook_size", "test_conversion"),
    *("test_corpus", "test_diagrams", "test_distances", "test_encoding"),
    *("test_errors", "test_essential", "test_explain", "test_features"),
    *("test_golden", "test_learning", "test_preprocessing", "test_residuals"),
    *("test_sampling", "test_scales", "test_state", "test_weighting"),
)
# Seconds of processor time of one test in `trace`, which slows it down.
LONGEST = 2.0
# Seconds after which a process that waits for what never comes is ended.
PATIENCE = 120
MEMORY = 4 << 30
KILLED, SURVIVED, TIMEOUT = "killed", "survived", "timeout"
# The statuses of forks: of one whose functions cannot be changed in place, and of one
# that has failed itself.
UNCHANGEABLE, BROKEN = 77, 70


class Selection:
    """A pytest plugin: some tests in some order, each with a limit of its time.

    It writes which test has failed.
    """

    def __init__(self, seconds: dict[str, float], key: str) -> None:
        self.seconds, self.key = seconds, key
        self.failed = False

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        """Keep the chosen tests, the fastest first."""
        items[:] = [item for item in items if item.nodeid in self.seconds]
        items.sort(key=lambda item: self.seconds[item.nodeid])

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Any:
        """Let the system end the process if the test takes far longer than usual."""
        limit_time(3 + 3 * self.seconds[item.nodeid])
        return (yield)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Note that a test has failed."""
        if report.failed:
            self.failed = True
            killer_of(self.key).write_text(report.nodeid, "utf-8")


class Trace:
    """A pytest plugin: which lines each test runs, and how long it takes."""

    def __init__(self, tracer: Any) -> None:
        self.tracer = tracer
        self.passed: dict[str, float] = {}

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Any:
        """Record the lines of a test under its name."""
        self.tracer.switch_context(item.nodeid)
        self.before = time.process_time()
        signal.setitimer(signal.ITIMER_PROF, LONGEST)
        try:
            return (yield)
        finally:
            signal.setitimer(signal.ITIMER_PROF, 0)
            self.tracer.switch_context("")

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Note the time of a test that passed."""
        if report.when == "call" and report.passed:
            self.passed[report.nodeid] = time.process_time() - self.before


class Forks:
    """A pytest plugin: forks of a process that has collected the tests try mutants."""

    def __init__(
        self, tasks: list[Any], jobs: int, report: Callable[[Any, int], None]
    ) -> None:
        self.tasks, self.jobs, self.report = tasks, jobs, report

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """Try the mutants instead of running all tests."""
        self.items = {item.nodeid: item for item in session.items}
        self.functions = functions_by_file()
        gc.freeze()
        for task, status in in_processes(self.work, self.tasks, self.jobs, OUTPUT):
            self.report(task, status)
        return True

    def work(self, task: Any) -> int:
        """Change functions in place and run tests; return 0 if they pass."""
        module, mutation, tests, key = task
        if mutation is not None:
            path = SOURCE / f"{module}.py"
            if not change_functions(path, mutation, self.functions.get(str(path), [])):
                return UNCHANGEABLE
        resource.setrlimit(resource.RLIMIT_DATA, (MEMORY, MEMORY))
        folder = CACHE / "tmp" / str(os.getpid())
        folder.mkdir(exist_ok=True)
        os.environ["PYTEST_DEBUG_TEMPROOT"] = str(folder)
        selection, items = Selection(tests, key), [self.items[name] for name in tests]
        hook = items[0].config.hook
        items[0].config.pluginmanager.register(selection)
        for item, after in zip(items, [*items[1:], None], strict=True):
            hook.pytest_runtest_protocol(item=item, nextitem=after)
            if selection.failed:
                break
        shutil.rmtree(folder, ignore_errors=True)
        return int(selection.failed)


def functions_by_file() -> dict[str, list[FunctionType]]:
    """Return all functions there are, by the path of their file."""
    found: dict[str, list[FunctionType]] = {}
    for one in gc.get_objects():
        # Of a weak reference, isinstance would ask what it refers to.
        if type(one) is FunctionType:
            found.setdefault(one.__code__.co_filename, []).append(one)
    return found


def change_functions(
    path: Path, mutation: Mutation, functions: list[FunctionType]
) -> bool:
    """Give functions of a module the bytecode of the changed module, if possible."""
    old, new = (
        code_by_place(compile(mutated(path.read_text("utf-8"), m), str(path), "exec"))
        for m in (None, mutation)
    )
    if not functions:
        return False
    for function in functions:
        place = place_of(function.__code__)
        if not len(old.get(place, [])) == len(new.get(place, [])) == 1:
            return False
        try:
            function.__code__ = new[place][0]
        except ValueError:
            # It uses fewer variables of the function around it.
            return False
    return True


def code_by_place(code: CodeType) -> dict[tuple[str, int], list[CodeType]]:
    """Return the bytecode of all functions of a module, by name and line."""
    found: dict[tuple[str, int], list[CodeType]] = {place_of(code): [code]}
    for one in code.co_consts:
        if isinstance(one, CodeType):
            for place, codes in code_by_place(one).items():
                found.setdefault(place, []).extend(codes)
    return found


def place_of(code: CodeType) -> tuple[str, int]:
    """Return the name and the line of a function."""
    return code.co_qualname, code.co_firstlineno


class Mutant(SourceFileLoader):
    """Loads a module with a change."""

    def __init__(self, name: str, path: str, mutation: Mutation | None) -> None:
        super().__init__(name, path)
        self.mutation = mutation

    def find_spec(self, name: str, *_: object) -> ModuleSpec | None:
        """Find this module only."""
        if name != self.name:
            return None
        return importlib.util.spec_from_file_location(name, self.path, loader=self)

    def get_code(self, _: str) -> CodeType:
        """Return the changed code."""
        tree = mutated(Path(self.path).read_text("utf-8"), self.mutation)
        return compile(tree, self.path, "exec")


def killer_of(key: str) -> Path:
    """Return the file that says which test noticed a change."""
    return CACHE / "killers" / key.replace("/", "-")


def limit_time(seconds: float) -> None:
    """Let the system end this process after so much time of the processor."""
    signal.signal(signal.SIGPROF, signal.SIG_DFL)
    signal.setitimer(signal.ITIMER_PROF, seconds)


def run_pytest(files: Iterable[str], folder: Path, plugin: object, *more: str) -> int:
    """Return the exit code of pytest for some files."""
    arguments = ["-q", "-p", "no:cacheprovider", f"--basetemp={folder}", *more]
    arguments += ["--hypothesis-profile=mutants", "-m", "not long and not browser"]
    # This process has imported Hypothesis before pytest looks for plugins.
    arguments += ["-W", "ignore::pytest.PytestAssertRewriteWarning"]
    # Scalars of numpy warn where compiled ones do not.
    arguments += ["-W", "ignore::RuntimeWarning"]
    return pytest.main([*arguments, *files], plugins=[plugin] if plugin else [])


def prepare() -> None:
    """Make folders, and the settings of Hypothesis."""
    for folder in ("tmp", "traces", "killers"):
        (CACHE / folder).mkdir(parents=True, exist_ok=True)
    settings.register_profile(
        "mutants",
        deadline=None,
        derandomize=True,
        database=None,
        phases=[Phase.explicit, Phase.generate],
    )


def preload(files: list[str], plugin: Forks | None = None) -> None:
    """Import what the tests import, let forks use it, and forget what may change."""
    if plugin:
        run_pytest(files, CACHE / "none", plugin, "--capture=sys", "--tb=no")
    else:
        run_pytest(files, CACHE / "none", None, "--collect-only", "-qqq")
    for name in [*sys.modules]:
        if name.partition(".")[0] in ("pbow", "tests", "conftest"):
            del sys.modules[name]


def in_processes(
    work: Callable[[Any], int], tasks: list[Any], jobs: int, log: Path
) -> Iterator[tuple[Any, int]]:
    """Yield each task with the status of a fork of this process that has done it."""
    running: dict[int, Any] = {}
    rest = iter(tasks)
    while True:
        while len(running) < jobs and (task := next(rest, None)) is not None:
            pid = os.fork()
            if not pid:
                os.setsid()
                os.dup2(os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND), 1)
                os.dup2(1, 2)
                end_with(work, task)
            running[pid] = [task, time.monotonic(), 0]
        if not running:
            return
        pid, status = os.waitpid(-1, os.WNOHANG)
        if pid:
            yield running.pop(pid)[0], status
            continue
        for pid, entry in running.items():
            if time.monotonic() - entry[1] > PATIENCE:
                # On a busy machine it may only have had little time of the processor.
                used = used_by(pid)
                if used == entry[2]:
                    os.killpg(pid, signal.SIGPROF)
                entry[1:] = [time.monotonic(), used]
        time.sleep(0.05)


def end_with(work: Callable[[Any], int], task: Any) -> NoReturn:
    """End this fork, whatever happens: it must not go on as its parent."""
    code = BROKEN
    try:
        code = work(task)
    except BaseException:
        traceback.print_exc()
    finally:
        os._exit(code)


def used_by(pid: int) -> int:
    """Return the time of the processor that a process has had."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return int(fields[11]) + int(fields[12])


def trace(file: str) -> int:
    """Write which lines of the scope the tests of a file run."""
    import coverage  # noqa: PLC0415 (the only one that needs it)

    tracer = coverage.Coverage(
        data_file=str(trace_of(file).with_suffix(".coverage")),
        branch=True,
        include=[f"{SOURCE}/*"],
        config_file=False,
        messages=False,
    )
    plugin = Trace(tracer)

    def stop(_: int, frame: FrameType | None) -> None:
        if frame and "/coverage/" in frame.f_code.co_filename:
            # An error would leave its lock closed.
            signal.setitimer(signal.ITIMER_PROF, 0.01)
        else:
            pytest.fail("too slow without the compiler", pytrace=False)

    signal.signal(signal.SIGPROF, stop)
    tracer.start()
    folder = CACHE / "tmp" / str(os.getpid())
    run_pytest([file], folder, plugin)
    tracer.stop()
    tracer.save()
    shutil.rmtree(folder, ignore_errors=True)
    tests: dict[str, Any] = {
        name: {"seconds": round(seconds, 3), "lines": {}}
        for name, seconds in plugin.passed.items()
    }
    # What runs outside of tests, when they are collected.
    tests[""] = {"seconds": 0.0, "lines": {}}
    data = tracer.get_data()
    for path in data.measured_files():
        module = Path(path).relative_to(SOURCE).with_suffix("").as_posix()
        for line, names in data.contexts_by_lineno(path).items():
            for name in tests.keys() & set(names):
                tests[name]["lines"].setdefault(module, []).append(line)
    trace_of(file).write_text(json.dumps(tests))
    return 0


def trace_of(file: str) -> Path:
    """Return where it is written what the tests of a file run."""
    return CACHE / "traces" / f"{file.replace('/', '-')}.json"


class Tests:
    """The tests that run a statement."""

    def __init__(self) -> None:
        self.all: dict[str, Any] = {}
        self.outside: dict[str, dict[str, list[int]]] = {}
        for path in sorted((CACHE / "traces").glob("*.json")):
            tests = json.loads(path.read_text())
            outside = tests.pop("")["lines"]
            self.all |= tests
            self.outside |= {file_of(name): outside for name in tests}

    def of(self, module: str, mutation: Mutation, budget: float) -> dict[str, float]:
        """Return tests with their seconds, the fastest first, up to a budget."""
        wanted = set(mutation.lines)
        reach = {
            name: test["seconds"]
            for name, test in self.all.items()
            if module in test["lines"]
            and (not wanted or wanted & set(test["lines"][module]))
        }
        chosen, total = {}, 0.0
        # The test file of the module itself first: it may be the only one that looks.
        own = f"tests/{own_tests(module)}::"
        for name in sorted(reach, key=lambda n: (not n.startswith(own), reach[n])):
            total += reach[name]
            if total > budget and chosen:
                break
            chosen[name] = reach[name]
        return chosen

    def independent(
        self, module: str, mutation: Mutation, tests: dict[str, float]
    ) -> dict[str, float]:
        """Return the tests that may be collected before the change is made."""
        if not mutation.lines:
            return {}
        files = {
            file: not set(mutation.lines) & set(self.outside[file].get(module, []))
            for file in map(file_of, tests)
        }
        return {name: tests[name] for name in tests if files[file_of(name)]}


def file_of(test: str) -> str:
    """Return the file of a test.

    >>> file_of("tests/test_a.py::test_b[1]")
    'tests/test_a.py'
    """
    return test.partition("::")[0]


def own_tests(module: str) -> str:
    """Return the test file of a module."""
    path = Path(module)
    return (path.parent / f"test_{path.name}.py").as_posix()


def try_mutant(task: tuple[str, Mutation | None, dict[str, float], str]) -> int:
    """Run tests with a changed module; return 0 if they pass."""
    module, mutation, tests, key = task
    resource.setrlimit(resource.RLIMIT_DATA, (MEMORY, MEMORY))
    limit_time(30)
    name = "pbow." + module.replace("/", ".")
    sys.meta_path.insert(0, Mutant(name, f"{SOURCE / module}.py", mutation))
    folder = CACHE / "tmp" / str(os.getpid())
    files = dict.fromkeys(map(file_of, tests))
    own = f"tests/{own_tests(module)}"
    code = 0
    for group in ([f for f in files if f == own], [f for f in files if f != own]):
        if group and not code:
            code = run_pytest(group, folder, Selection(tests, key), "-x", "--tb=no")
    shutil.rmtree(folder, ignore_errors=True)
    return int(code)


def all_mutants(seed: int) -> dict[str, tuple[str, Mutation]]:
    """Return all changes of all modules of the scope, in the order of a seed.

    Each under a name that says what the module was. A change of one module replaces its
    mutants, and leaves those of others in their order.
    """
    found = {}
    for path in (path for name in SCOPE for path in SOURCE.glob(f"{name}.py")):
        module = path.relative_to(SOURCE).with_suffix("").as_posix()
        source = path.read_text("utf-8")
        # Comments may change.
        version_of = sha256(ast.unparse(ast.parse(source)).encode()).hexdigest()[:8]
        for one in mutations(source):
            key = f"{module}:{version_of}:{one.index}:{one.choice}"
            found[key] = module, one
    order = sorted(found, key=lambda key: sha256(f"{seed} {key}".encode()).digest())
    return {key: found[key] for key in order}


def sample(arguments: argparse.Namespace) -> dict[str, tuple[str, Mutation]]:
    """Return the first mutants in the order of the seed."""
    return dict(islice(all_mutants(arguments.seed).items(), arguments.count))


def run(arguments: argparse.Namespace) -> None:
    """Try the mutants of the sample, or those that survived again."""
    outcomes = read_log(arguments.seed)
    if arguments.again:
        wanted = {key for key, lines in outcomes.items() if survived(lines[-1])}
    else:
        wanted = all_mutants(arguments.seed).keys() - outcomes.keys()
    tests = Tests()
    changes = {
        key: (module, mutation, tests.of(module, mutation, arguments.budget))
        for key, (module, mutation) in sample(arguments).items()
        # Others wait until the tests of their module are traced.
        if key in wanted and trace_of(f"tests/{own_tests(module)}").exists()
    }
    early: list[Any] = []
    late = {key: change[2] for key, change in changes.items()}
    for key, (module, mutation, chosen) in changes.items():
        first = tests.independent(module, mutation, chosen)
        if first:
            early.append((module, mutation, first, key))

    def note(task: Any, status: int) -> None:
        module, mutation, used, key = task
        code = os.waitstatus_to_exitcode(status)
        if code == UNCHANGEABLE:
            return
        if code == BROKEN:
            print(f"not tried, see {OUTPUT}: {key}", flush=True)
            del late[key]
            return
        chosen = changes[key][2]
        if not status and task in early and len(used) < len(chosen):
            late[key] = {name: chosen[name] for name in chosen if name not in used}
            return
        del late[key]
        outcome = KILLED if status else SURVIVED
        if os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGPROF:
            outcome = TIMEOUT
        lines = (SOURCE / f"{module}.py").read_text("utf-8").splitlines()
        killer = killer_of(key).read_text("utf-8") if killer_of(key).exists() else ""
        entry = {
            "key": key,
            "status": outcome,
            "module": module,
            "line": mutation.line,
            "source": lines[mutation.line - 1].strip(),
            "change": mutation.change,
            "tests": len(chosen),
            "killer": killer if outcome == KILLED else "",
        }
        with log_of(arguments.seed).open("a", encoding="utf-8") as file:
            file.write(json.dumps(entry) + "\n")
        place = f"{module}:{mutation.line}"
        done = len(changes) - len(late)
        print(f"{done}/{len(changes)} {outcome} {place} {mutation.change}", flush=True)

    files = sorted({file_of(name) for name in tests.all})
    preload(files, Forks(early, arguments.jobs, note))
    rest = [(*changes[key][:2], chosen, key) for key, chosen in late.items()]
    for task, status in in_processes(try_mutant, rest, arguments.jobs, OUTPUT):
        note(task, status)
    # Without a change they must pass.
    entries = (lines[-1] for lines in read_log(arguments.seed).values())
    killers = {one["killer"] for one in entries if one["key"] in changes} - {""}
    seconds = {name: tests.all[name]["seconds"] for name in sorted(killers)}

    if seconds:
        task, codes = ("", None, seconds, "unchanged"), []
        forks = Forks([task], 1, lambda _, status: codes.append(status))
        preload([*{file_of(name) for name in killers}], forks)
        if codes != [0]:
            sys.exit(f"Without a change a test fails; see {killer_of('unchanged')}.")


def log_of(seed: int) -> Path:
    """Return the file of all outcomes."""
    return CACHE / f"seed-{seed}.jsonl"


def read_log(seed: int) -> dict[str, list[dict[str, Any]]]:
    """Return all outcomes of each mutant, the last one last."""
    log = log_of(seed)
    outcomes: dict[str, list[dict[str, Any]]] = {}
    for line in log.read_text("utf-8").splitlines() if log.exists() else []:
        entry = json.loads(line)
        outcomes.setdefault(entry["key"], []).append(entry)
    return outcomes


def survived(entry: dict[str, Any]) -> bool:
    """Return whether no test noticed."""
    return bool(entry["status"] == SURVIVED)


def report(arguments: argparse.Namespace) -> None:
    """Write what became of the mutants, with the reasons that are given already.

    The effect of a survivor is written into the file by hand: "none" if every result is
    the same, "speed" if only time or room differ, "results" if a test could notice.
    """
    outcomes = read_log(arguments.seed)
    tried = [outcomes[key] for key in sample(arguments) if key in outcomes]
    entries = [lines[-1] for lines in tried]
    old = json.loads(REPORT.read_text("utf-8")) if REPORT.exists() else {}
    known = {name(one): one for one in old.get("survivors", [])}
    survivors = [
        {
            **{key: entry[key] for key in ("module", "line", "source", "change")},
            "effect": known.get(name(entry), {}).get("effect", ""),
            "reason": known.get(name(entry), {}).get("reason", ""),
        }
        for entry in sorted(entries, key=lambda e: (e["module"], e["line"]))
        if survived(entry)
    ]
    counts = Counter(entry["status"] for entry in entries)
    effects = Counter(one["effect"] for one in survivors)
    killed = counts[KILLED] + counts[TIMEOUT]
    n_with_effect = len(entries) - effects["none"] - effects["speed"]
    modules = Counter((entry["module"], entry["status"]) for entry in entries)
    git = ["git", "rev-parse", "--short", "HEAD"]
    figures = {
        "command": f"make mutants SEED={arguments.seed} COUNT={arguments.count}",
        "seed": arguments.seed,
        "commit": subprocess.check_output(git, text=True).strip(),
        "all_mutants": len(all_mutants(arguments.seed)),
        "mutants": len(entries),
        "killed_by_a_test": counts[KILLED],
        "killed_by_the_time_limit": counts[TIMEOUT],
        "survived": counts[SURVIVED],
        "killed_percent": round(100 * killed / len(entries), 1),
        "interval_95_percent": percents(interval(killed, len(entries))),
        "survived_without_effect": effects["none"],
        "survived_with_an_effect_on_speed_alone": effects["speed"],
        "killed_percent_of_others": round(100 * killed / n_with_effect, 1),
        "interval_95_percent_of_others": percents(interval(killed, n_with_effect)),
        "survived_the_first_run": sum(survived(lines[0]) for lines in tried),
        "versions": {
            "python": platform.python_version(),
            **{name: version(name) for name in ("numpy", "numba", "pytest")},
        },
        "modules": {
            module: {
                status: modules[module, status]
                for status in (KILLED, TIMEOUT, SURVIVED)
            }
            for module in sorted({entry["module"] for entry in entries})
        },
        "survivors": survivors,
    }
    REPORT.write_text(json.dumps(figures, indent=1, ensure_ascii=False) + "\n", "utf-8")


def name(entry: dict[str, Any]) -> tuple[str, str, str]:
    """Return what identifies a mutant, also after lines have moved."""
    return entry["module"], entry["source"], entry["change"]


def percents(bounds: tuple[float, float]) -> list[float]:
    """Return the bounds of a proportion in percent."""
    return [round(100 * bound, 1) for bound in bounds]


def interval(killed: int, count: int) -> tuple[float, float]:
    """Return Wilson's 95 % interval of a proportion.

    >>> [round(bound, 3) for bound in interval(900, 1000)]
    [0.88, 0.917]
    """
    z = 1.959963984540054
    p = killed / count
    middle = p + z * z / (2 * count)
    half = z * math.sqrt(p * (1 - p) / count + z * z / (4 * count * count))
    return (middle - half) / (1 + z * z / count), (middle + half) / (1 + z * z / count)


def main() -> None:
    """Run a command."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("command", choices=["trace", "run", "report"])
    parser.add_argument("files", nargs="*", help="test files to trace; default: all")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument(
        "--budget",
        type=float,
        default=8.0,
        help="seconds of all tests of a mutant",
    )
    parser.add_argument("--again", action="store_true", help="those that survived")
    arguments = parser.parse_args()
    os.chdir(ROOT)
    # Read by Numba when it is imported, which it is by the tests.
    os.environ |= {"NUMBA_DISABLE_JIT": "1", "OMP_NUM_THREADS": "1"}
    prepare()
    if arguments.command == "trace":
        files = arguments.files or [
            path.relative_to(ROOT).as_posix()
            for name in TESTS
            for pattern in (f"{name}.py", f"{name}/test_*.py")
            for path in sorted((ROOT / "tests").glob(pattern))
        ]
        preload(files)
        for file, status in in_processes(trace, files, arguments.jobs, OUTPUT):
            print(file, status, flush=True)
    else:
        {"run": run, "report": report}[arguments.command](arguments)


if __name__ == "__main__":
    main()
