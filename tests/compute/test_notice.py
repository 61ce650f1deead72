"""A process that compiles says so once, where somebody reads it."""

import os
import subprocess
import sys
from types import SimpleNamespace

import pytest

from pbow.compute import notice

# Two loops, in a process of its own: here all is compiled already. With numpy 2.0 the
# import of scipy.linalg, which numba needs, looks for stderr.
CODE = """
import numpy as np
import scipy.linalg
from pbow.compute.union_find import count_neighbors
{before}
edges, ends = np.zeros((1, 2), np.int32), np.array([0, 1])
count_neighbors(edges, ends, ends, np.zeros(1))
count_neighbors(edges.astype(np.int64), ends, ends, np.zeros(1))
"""


def said(cache, before="", **options):
    variables = os.environ | {"NUMBA_CACHE_DIR": str(cache)}
    variables.pop("PBOW_VERBOSE", None)
    variables |= options.pop("env", {})
    code = CODE.format(before=before)
    run = subprocess.run(
        [sys.executable, "-c", code], env=variables, check=True, **options
    )
    return run.stderr


def test_it_is_said_once_if_asked_for_and_not_if_the_cache_has_it(tmp_path):
    asked = {"env": {"PBOW_VERBOSE": "1"}, "stderr": subprocess.PIPE, "text": True}
    assert said(tmp_path, **asked) == notice.TEXT
    assert said(tmp_path, **asked) == ""


def test_it_is_not_said_into_a_file(tmp_path):
    assert said(tmp_path, stderr=subprocess.PIPE, text=True) == ""


def test_it_is_said_on_a_terminal(tmp_path):
    pty = pytest.importorskip("pty", reason="opens a terminal of Unix")
    leader, follower = pty.openpty()
    said(tmp_path, stderr=follower)
    os.close(follower)
    with os.fdopen(leader, "rb", buffering=0) as terminal:
        assert terminal.read(4096).decode().split() == notice.TEXT.split()


@pytest.mark.parametrize("stderr", ["None", "open('nowhere', 'w'); sys.stderr.close()"])
def test_nothing_fails_without_stderr(tmp_path, stderr):
    before = f"import sys; sys.stderr = {stderr}"
    env = {"PBOW_VERBOSE": "1"}
    said(tmp_path, before, env=env, cwd=tmp_path)


def test_loops_of_others_are_their_own_business(tmp_path):
    # Made by exec, a function may be of no module.
    others = """
import sys, numba
import pbow.compute
namespace = {}
exec("def f(x): return x", namespace)
numba.njit(namespace["f"])(1)
print("compiled", file=sys.stderr)
"""
    env = {"PBOW_VERBOSE": "1"}
    options = {"stderr": subprocess.PIPE, "text": True, "env": env}
    assert said(tmp_path, others, **options) == f"compiled\n{notice.TEXT}"


@pytest.mark.parametrize("module", ["pbow.compute.grid", "others.pbow.", None])
def test_only_loops_of_pbow_are_announced_and_once(module, monkeypatch, capsys):
    monkeypatch.setenv("PBOW_VERBOSE", "1")
    loop = SimpleNamespace(py_func=SimpleNamespace(__module__=module))
    compilation, listener = (
        SimpleNamespace(data={"dispatcher": loop}),
        notice.CompilationNotice(),
    )
    for _ in range(2):
        listener.on_start(compilation)
        listener.on_end(compilation)
    is_ours = module == "pbow.compute.grid"
    assert capsys.readouterr().err == (notice.TEXT if is_ours else "")
