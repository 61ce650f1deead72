"""After a warm-up nothing is left to compile."""

import importlib
import os
import pkgutil
import subprocess
import sys

import pytest

import pbow
from pbow import compute

# A fit and a transform in a process that says so if it compiles.
CODE = """
import numpy as np
from pbow import PersistenceBoW, StablePersistenceBoW
from pbow.kernels import WassersteinKernel
X = np.random.default_rng(0).uniform(size=(30, 50, 2)).cumsum(axis=2)
for model in (PersistenceBoW(), StablePersistenceBoW(), WassersteinKernel()):
    model.fit_transform(list(X))
"""


def loops():
    """Return all loops that Python calls, by name."""
    found = {}
    for module in pkgutil.iter_modules(compute.__path__):
        content = vars(importlib.import_module(f"pbow.compute.{module.name}"))
        for name, loop in content.items():
            options = getattr(loop, "targetoptions", {})
            # What other loops call is compiled with them.
            if options and not options.keys() & {"no_cpython_wrapper", "inline"}:
                found[f"{loop.py_func.__module__}.{name}"] = loop
    return found


# Called by other loops as well as by Python, or by Python in tests alone.
WITHIN_OTHERS = {"diagonal_factor", "find", "normalize_row", "residual", "sum_between"}


@pytest.mark.long
def test_every_loop_is_compiled():
    pytest.importorskip("gudhi")
    folder = pbow.warm_up()
    assert any(folder.glob("matching*.nbc"))
    left = [name for name, loop in loops().items() if not loop.signatures]
    assert {name.split(".")[-1] for name in left} <= WITHIN_OTHERS


@pytest.mark.long
def test_a_process_compiles_nothing_after_the_command(tmp_path):
    variables = {"NUMBA_CACHE_DIR": str(tmp_path), "PBOW_VERBOSE": "1"}

    def run_python(*words):
        command = [sys.executable, *words]
        options = {"env": os.environ | variables, "text": True}
        return subprocess.run(command, capture_output=True, check=True, **options)

    run = run_python("-m", "pbow", "warm-up")
    assert str(tmp_path) in run.stdout
    assert run.stderr.startswith("pbow: compiling")
    assert run_python("-c", CODE).stderr == ""
