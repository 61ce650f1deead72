"""No module of pbow keeps state: what a call returns depends on its arguments alone.

Constants may be lists and dicts, as long as no function changes them. What numpy may
still compute before a loop is compiled is kept: it decides when results come, and never
which.
"""

import ast
from pathlib import Path

import pytest

import pbow

FOLDER = Path(pbow.__file__).parent
MODULES = sorted(FOLDER.rglob("*.py"))

# Values that are there to change, whoever changes them.
STATEFUL = {
    *("count", "cycle", "deque", "defaultdict", "Counter", "ContextVar", "local"),
    *("WeakKeyDictionary", "WeakValueDictionary", "WeakSet", "TemporaryDirectory"),
    "Allowance",
}
MAY_KEEP = {"compute/kmeans.py": ["IN_NUMPY"], "encoding.py": ["IN_NUMPY"]}
CHANGES = {
    *("append", "appendleft", "extend", "insert", "remove", "pop", "popleft", "clear"),
    *("popitem", "setdefault", "update", "add", "discard", "sort", "reverse", "fill"),
    *("intersection_update", "difference_update", "symmetric_difference_update"),
}
CACHES = {"cache", "lru_cache"}


def sins_of(source):
    """Return what keeps or changes state in a module, as line and reason."""
    tree = ast.parse(source)
    globals_ = set()
    for node in tree.body:
        globals_ |= bound_by(node)
    found = [(node.lineno, reason) for node in tree.body for reason in holds(node)]
    for function in ast.walk(tree):
        if isinstance(function, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)):
            shared = globals_ - locals_of(function)
            # A class may be finished while it is made.
            if getattr(function, "name", "") != "__init_subclass__":
                shared.add("cls")
            found += [
                (node.lineno, reason)
                for node in ast.walk(function)
                for reason in changes(node, shared)
            ]
    return sorted(set(found))


def bound_by(statement):
    """Return the names that a statement binds, those of pbow's own included."""
    if isinstance(statement, ast.ImportFrom) and statement.module.startswith("pbow"):
        return {alias.asname or alias.name for alias in statement.names}
    if isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        return {statement.name}
    return {
        node.id
        for node in ast.walk(statement)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
    }


def locals_of(function):
    """Return the names that are a function's own; those of inner functions too."""
    names = {node.arg for node in ast.walk(function) if isinstance(node, ast.arg)}
    declared = set()
    for node in ast.walk(function):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            names.add(node.id)
        if isinstance(node, ast.Global):
            declared.update(node.names)
    return names - declared


def holds(statement):
    """Yield why what a statement at the top of a module makes is state."""
    if isinstance(statement, (ast.Assign, ast.AnnAssign)):
        value = statement.value
        if isinstance(value, ast.Call) and name_of(value.func) in STATEFUL:
            yield f"{name_of(value.func)} for all calls: {target_of(statement)}"
    for node in ast.walk(statement):
        for decorator in getattr(node, "decorator_list", ()):
            called = decorator.func if isinstance(decorator, ast.Call) else decorator
            if name_of(called) in CACHES and node.args.args:
                yield f"{node.name} keeps the results of all calls"


def target_of(statement):
    targets = getattr(statement, "targets", None) or [statement.target]
    return ast.unparse(targets[0])


def changes(node, shared):
    """Yield why a node of a function changes what the module has."""
    if isinstance(node, ast.Global):
        yield f"global {', '.join(node.names)}"
    if isinstance(node, (ast.Subscript, ast.Attribute)) and not isinstance(
        node.ctx, ast.Load
    ):
        owner = root_of(node.value)
        if owner in shared:
            yield f"{ast.unparse(node)} is changed"
    if isinstance(node, ast.Call):
        if isinstance(node.func, ast.Attribute) and node.func.attr in CHANGES:
            if root_of(node.func.value) in shared:
                yield f"{ast.unparse(node.func)}() changes it"
        elif name_of(node.func) == "next" and root_of(node.args[0]) in shared:
            yield f"{ast.unparse(node)} changes it"


def root_of(node):
    """Return the name that an expression starts from: x for ``x.y[0]``."""
    while isinstance(node, (ast.Subscript, ast.Attribute)):
        node = node.value
    return node.id if isinstance(node, ast.Name) else None


def name_of(node):
    return node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", None)


@pytest.mark.parametrize(
    "path", MODULES, ids=lambda path: path.relative_to(FOLDER).as_posix()
)
def test_a_module_keeps_no_state(path):
    may_keep = MAY_KEEP.get(path.relative_to(FOLDER).as_posix(), [])
    sins = sins_of(path.read_text(encoding="utf-8"))
    found = [reason.removeprefix("Allowance for all calls: ") for _, reason in sins]
    assert found == may_keep


@pytest.mark.parametrize(
    "source",
    [
        "n = 0\ndef f():\n    global n\n    n += 1",
        "seen = []\ndef f(x):\n    seen.append(x)",
        "seen = {}\ndef f(x):\n    seen[x] = 1",
        "seen = {}\ndef f(x):\n    del seen[x]",
        "seen = {'a': []}\ndef f(x):\n    seen['a'].append(x)",
        "seen = {}\nclass A:\n    def f(self, x):\n        seen.setdefault(x, 1)",
        "seen: dict[str, int] = {}\nf = lambda x: seen.update(x)",
        "import itertools\nids = itertools.count()",
        "from weakref import WeakKeyDictionary\ngrids = WeakKeyDictionary()",
        "ids = iter(range(9))\ndef f():\n    return next(ids)",
        "class A:\n    n = 0\ndef f():\n    A.n += 1",
        "class A:\n    n = 0\n    @classmethod\n    def f(cls):\n        cls.n = 1",
        "from functools import cache\n@cache\ndef f(x):\n    return x",
        "import functools\n@functools.lru_cache(maxsize=9)\ndef f(x):\n    return x",
        "def f():\n    f.calls = 1",
        "from pbow.a import seen\ndef f(x):\n    seen.add(x)",
    ],
)
def test_state_is_found(source):
    assert len(sins_of(source)) == 1


@pytest.mark.parametrize(
    "source",
    [
        "SIZES = {'a': 1}\ndef f(x):\n    return SIZES[x]",
        "names = []\nnames.append('a')\nfor x in names:\n    names[0] = x",
        "names = []\ndef f():\n    names = []\n    names.append(1)",
        "names = []\ndef f(names):\n    names[0] = 1",
        "class A:\n    def f(self):\n        self.x = []\n        self.x.append(1)",
        "from functools import cache\n@cache\ndef f():\n    return 1",
        "def f(x):\n    def g():\n        x.append(1)\n    return g",
    ],
)
def test_constants_and_what_is_local_are_no_state(source):
    assert sins_of(source) == []
