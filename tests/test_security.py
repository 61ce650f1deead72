"""No module of pbow runs code from a file, except where the user asks for it."""

import ast
from pathlib import Path

import pytest

import pbow

FOLDER = Path(pbow.__file__).parent
MODULES = sorted(FOLDER.rglob("*.py"))

# Modules that run what they read, or make it easy to.
FORBIDDEN_MODULES = {
    *("pickle", "cPickle", "_pickle", "dill", "cloudpickle", "marshal", "shelve"),
    *("yaml", "code", "codeop", "runpy", "pty", "ctypes", "xmlrpc", "telnetlib"),
    *("subprocess", "socket", "http", "urllib.request", "requests", "webbrowser"),
}
FORBIDDEN_CALLS = {"eval", "exec", "compile", "__import__", "system", "popen", "fork"}
FORBIDDEN_CALLS |= {"execv", "execve", "execvp", "spawnv", "startfile", "read_pickle"}
# What imports by a name that it is given.
IMPORTERS = {"import_module"}
# These joblib functions write and read pickles; Parallel and hash do neither to files.
JOBLIB = {"load", "dump", "Memory"}

# Where it is right, with the reason.
ALLOWED = {
    ("_utils/optional.py", "import_module"): "a name written in pbow's own source",
    ("cli/descriptors.py", "import_module"): "--descriptor module:Class, by the user",
    ("experiment/descriptors.py", "import_module"): "`make` in a TOML file that is run",
    ("blocks.py", "pickle"): "PicklingError, of a function that cannot be sent",
    ("cli/explore.py", "webbrowser"): "--open, for the page that was just written",
}


def dangers_in(source):
    """Return what may run code from outside, as line and reason."""
    return sorted(
        (node.lineno, reason)
        for node in ast.walk(ast.parse(source))
        for reason in dangers_of(node)
    )


def dangers_of(node):
    if isinstance(node, ast.Import):
        for alias in node.names:
            yield from filter(is_forbidden, [alias.name])
    if isinstance(node, ast.ImportFrom) and node.module:
        for alias in node.names:
            full = f"{node.module}.{alias.name}"
            if is_forbidden(node.module) or is_forbidden(full):
                yield node.module if is_forbidden(node.module) else full
            elif alias.name in {"joblib": JOBLIB, "os": FORBIDDEN_CALLS}.get(
                node.module, ()
            ):
                yield full
    if isinstance(node, ast.Call):
        yield from dangers_of_call(node)


def dangers_of_call(node):
    name = name_of(node.func)
    is_method = isinstance(node.func, ast.Attribute)
    owner = ast.unparse(node.func.value) if is_method else ""
    # A pattern or a compiled loop is no program.
    if name in FORBIDDEN_CALLS and not (name == "compile" and is_method):
        yield name
    if name in IMPORTERS:
        yield name
    if owner == "joblib" and name in JOBLIB:
        yield f"joblib.{name}"
    for keyword in node.keywords:
        value = getattr(keyword.value, "value", True)  # a variable may be True
        if keyword.arg in ("allow_pickle", "shell") and value is not False:
            yield f"{keyword.arg}={ast.unparse(keyword.value)}"
    if owner in ("np", "numpy") and name == "load":
        given = {keyword.arg for keyword in node.keywords}
        if "allow_pickle" not in given:
            yield "numpy.load without allow_pickle=False"


def is_forbidden(module):
    return any(
        module == one or module.startswith(f"{one}.") for one in FORBIDDEN_MODULES
    )


def name_of(node):
    return node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", None)


@pytest.mark.parametrize(
    "path", MODULES, ids=lambda path: path.relative_to(FOLDER).as_posix()
)
def test_a_module_runs_no_code_from_outside(path):
    module = path.relative_to(FOLDER).as_posix()
    found = {reason for _, reason in dangers_in(path.read_text(encoding="utf-8"))}
    assert found == {reason for name, reason in ALLOWED if name == module}


@pytest.mark.parametrize(
    "source",
    [
        "import pickle",
        "import pickle as p",
        "from pickle import loads",
        "import yaml",
        "from yaml import safe_load",
        "import marshal",
        "import urllib.request",
        "from urllib import request",
        "import subprocess",
        "from os import system",
        "os.system('ls')",
        "os.popen('ls')",
        "eval('1')",
        "exec('x = 1')",
        "compile('1', '', 'eval')",
        "__import__('os')",
        "importlib.import_module(name)",
        "import_module(name)",
        "run('ls', shell=True)",
        "run('ls', shell=wanted)",
        "np.load(path)",
        "np.load(path, allow_pickle=True)",
        "np.lib.format.read_array(file, allow_pickle=allow)",
        "joblib.load(path)",
        "from joblib import Memory",
        "pd.read_pickle(path)",
    ],
)
def test_a_danger_is_found(source):
    assert len(dangers_in(source)) == 1


@pytest.mark.parametrize(
    "source",
    [
        "import re\nre.compile('a')",
        "np.load(file, allow_pickle=False)",
        "np.lib.format.read_array(file, allow_pickle=False)",
        "from joblib import Parallel, hash",
        "ast.literal_eval(text)",
        "from urllib.parse import quote",
        "json.load(file)",
    ],
)
def test_what_runs_nothing_is_no_danger(source):
    assert dangers_in(source) == []


def test_every_exception_has_a_reason():
    assert all(ALLOWED.values())
    assert {name for name, _ in ALLOWED} <= {
        path.relative_to(FOLDER).as_posix() for path in MODULES
    }
