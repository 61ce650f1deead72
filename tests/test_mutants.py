"""Changes of the source that tests should notice: those that are made, and outcomes."""

import ast
import importlib.util
import json
import os
import signal
import sys
import time
from pathlib import Path

import pytest

SCRIPTS = Path(__file__).parents[1] / "scripts"


@pytest.fixture(scope="module")
def mutants():
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(SCRIPTS)
        yield importlib.import_module("mutants")


@pytest.fixture(scope="module")
def mutations(mutants):
    return sys.modules["mutations"]


def changes(mutations, source):
    return [mutation.change for mutation in mutations.mutations(source)]


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("a < b", ["a < b -> a <= b", "a < b -> a >= b"]),
        ("a is b", ["a is b -> a is not b"]),
        ("a < b == c", ["<= b ==", ">= b ==", "< b !="]),
        ("a and not b", ["a or not b", "not b -> b"]),
        ("x += y", ["x += y -> x -= y", "x += y -> pass"]),
        ("x = 7", ["7 -> 8", "7 -> 6"]),
        ("x = True", ["True -> False"]),
        ("x = min(a, -b)", ["min -> max", "-b -> b"]),
        ("if f(a):\n  a.x = b", ["-> if not f(a):", "a.x = b -> pass"]),
        ("while a:\n  break", ["-> while not a:", "break -> continue"]),
        ("raise a", ["raise a -> pass"]),
        ("a(b)", ["a(b) -> pass"]),
    ],
)
def test_one_thing_is_changed_at_a_time(mutations, source, expected):
    found = changes(mutations, source)
    assert len(found) == len(expected)
    assert all(part in change for part, change in zip(expected, found, strict=True))


@pytest.mark.parametrize(
    "source",
    [
        "def f(a: int | None) -> int | None:\n  'Text.'",
        "x: list[1 | 2]",
        "if TYPE_CHECKING:\n  f(1 + 2)",
        "__all__ = [1]",
        "f'{a + 1}'",
        "@decorator(1)\nclass A(B[1]):\n  pass",
    ],
)
def test_what_has_no_effect_on_results_stays(mutations, source):
    assert changes(mutations, source) == []


def test_each_change_is_made_where_it_is_said(mutations):
    source = "def f(x=1):\n    if x < 2:\n        return (x +\n            3)\n"
    for mutation in mutations.mutations(source):
        tree = mutations.mutated(source, mutation)
        old, new = mutation.change.split(" -> ")
        assert new in ast.unparse(tree)
        assert old in ast.unparse(mutations.mutated(source, None))
        assert ast.unparse(tree) != ast.unparse(ast.parse(source))
        compile(tree, "f.py", "exec")


def test_a_change_knows_the_lines_of_its_statement(mutations):
    source = "y = 0\ndef f(x=1):\n    if x < 2:\n        return (x +\n            z)\n"
    lines = {one.change: one.lines for one in mutations.mutations(source)}
    assert lines["0 -> 1"] == lines["1 -> 2"] == ()
    assert lines["x < 2 -> x <= 2"] == (3,)
    assert lines["x + z -> x - z"] == (4, 5)


def test_a_changed_module_is_imported_instead_of_the_one_in_the_file(
    mutants, mutations, tmp_path, monkeypatch
):
    source = "x = 1 + 2\n"
    (tmp_path / "changed.py").write_text(source)
    first = mutations.mutations(source)[0]
    finder = mutants.Mutant("changed", str(tmp_path / "changed.py"), first)
    monkeypatch.setattr(sys, "meta_path", [finder, *sys.meta_path])
    assert importlib.import_module("changed").x == -1
    monkeypatch.delitem(sys.modules, "changed")
    assert importlib.util.find_spec("json").origin != "changed"


NESTED = """
def outer(x):
    def inner(y):
        return x + y
    return inner

def alone(x):
    return x - 1

kept = outer(1)
"""


def in_place(mutants, mutations, folder, change):
    """Return a module, changed after its import, and whether it could be."""
    path = folder / "nested.py"
    path.write_text(NESTED)
    names = {}
    exec(compile(NESTED, str(path), "exec"), names)
    found = mutants.functions_by_file()[str(path)]
    assert {one.__name__ for one in found} == {"outer", "inner", "alone"}
    (wanted,) = (m for m in mutations.mutations(NESTED) if m.change == change)
    return names, mutants.change_functions(path, wanted, found)


def test_functions_are_changed_where_they_are_already(mutants, mutations, tmp_path):
    names, is_changed = in_place(mutants, mutations, tmp_path, "x + y -> x - y")
    assert is_changed
    assert (names["kept"](5), names["outer"](1)(5), names["alone"](3)) == (-4, -4, 2)


def test_what_is_not_in_a_function_is_not_changed_in_place(mutants, tmp_path):
    path = tmp_path / "nested.py"
    path.write_text(NESTED)
    assert not mutants.change_functions(path, None, [])


def test_functions_of_one_name_on_one_line_are_not_changed_in_place(
    mutants, mutations, tmp_path
):
    path = tmp_path / "two.py"
    source = "def f():\n    return (lambda x: x + 1), (lambda x: x + 2)\n"
    path.write_text(source)
    names = {}
    exec(compile(source, str(path), "exec"), names)
    lambdas = names["f"]()
    found = mutants.functions_by_file()[str(path)]
    change = next(iter(mutations.mutations(source)))
    assert not mutants.change_functions(path, change, found)
    assert [one(1) for one in lambdas] == [2, 3]


@pytest.fixture
def tests(mutants, tmp_path):
    """Tests of two files, of which the second runs line 3 when it is collected."""
    usual, mutants.CACHE = mutants.CACHE, tmp_path
    mutants.prepare()
    for file, outside in (("test_a.py", []), ("test_b.py", [3])):
        path = f"tests/{file}"
        traced = {
            "": {"seconds": 0.0, "lines": {"a": outside}},
            f"{path}::test_slow": {"seconds": 3.0, "lines": {"a": [3, 4]}},
            f"{path}::test_fast": {"seconds": 0.5, "lines": {"a": [4]}},
        }
        mutants.trace_of(path).write_text(json.dumps(traced))
    yield mutants.Tests()
    mutants.CACHE = usual


def test_tests_of_a_changed_line_are_chosen_with_those_of_its_module_first(
    tests, mutations
):
    third, fourth = (mutations.Mutation(0, 0, n, "", (n,)) for n in (3, 4))
    slow = ["tests/test_a.py::test_slow", "tests/test_b.py::test_slow"]
    assert [*tests.of("a", third, 8.0)] == slow
    assert [*tests.of("a", third, 4.0)] == slow[:1]
    assert [*tests.of("a", fourth, 8.0)] == [
        *("tests/test_a.py::test_fast", "tests/test_a.py::test_slow"),
        *("tests/test_b.py::test_fast", "tests/test_b.py::test_slow"),
    ]
    assert tests.of("b", third, 8.0) == {}


def test_what_was_computed_before_the_change_is_not_compared_with(tests, mutations):
    third, outside = (mutations.Mutation(0, 0, 3, "", lines) for lines in ((3,), ()))
    chosen = tests.of("a", third, 8.0)
    assert [*tests.independent("a", third, chosen)] == ["tests/test_a.py::test_slow"]
    assert tests.independent("a", outside, chosen) == {}


def end(how):
    if how == "killed":
        os.kill(os.getpid(), signal.SIGKILL)
    if how == "out of time":
        signal.setitimer(signal.ITIMER_PROF, 0.01)
        signal.signal(signal.SIGPROF, signal.SIG_DFL)
        while True:
            pass
    time.sleep(0.01)
    return {"passed": 0, "failed": 1}[how]


def test_each_process_ends_as_its_task_does(mutants, tmp_path):
    tasks = ["passed", "failed", "killed", "out of time", "unknown", "passed"]
    log = tmp_path / "out"
    found = sorted(mutants.in_processes(end, tasks, 2, log))
    assert found == [
        ("failed", 256),
        ("killed", signal.SIGKILL),
        ("out of time", signal.SIGPROF),
        ("passed", 0),
        ("passed", 0),
        ("unknown", mutants.BROKEN << 8),
    ]


def test_the_interval_is_that_of_wilson(mutants):
    found = mutants.interval(81, 263)
    # Table I of Newcombe, "Two-sided confidence intervals for the single proportion".
    assert found == pytest.approx((0.2553, 0.3662), abs=5e-5)
    low, high = mutants.interval(1000, 1000)
    assert 0.99 < low < high == pytest.approx(1)


def test_the_order_of_mutants_follows_from_the_seed(mutants):
    first, second = mutants.all_mutants(0), mutants.all_mutants(1)
    assert [*first] == [*mutants.all_mutants(0)] != [*second]
    assert first == second
    modules = {module for module, _ in first.values()}
    assert {"compute/grid", "stability/plane", "io/native", "diagrams"} <= modules
    few = mutants.sample(mutants.argparse.Namespace(seed=0, count=10))
    assert [*few] == [*first][:10]
