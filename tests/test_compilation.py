"""After a warm-up nothing is left to compile."""

import importlib
import os
import pkgutil
import subprocess
import sys

import pytest

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
    """Return all loops, and what they call, as modules and names."""
    found = set()
    for module in pkgutil.iter_modules(compute.__path__):
        content = vars(importlib.import_module(f"pbow.compute.{module.name}"))
        for loop in content.values():
            options = getattr(loop, "targetoptions", None)
            # What is put into others is compiled with them.
            if options is not None and options.get("inline") != "always":
                found.add((loop.__module__.split(".")[-1], loop.__name__))
    return found


@pytest.mark.long
def test_the_command_compiles_every_loop(tmp_path):
    pytest.importorskip("gudhi")
    variables = {"NUMBA_CACHE_DIR": str(tmp_path), "PBOW_VERBOSE": "1"}

    def run_python(*words):
        command = [sys.executable, *words]
        options = {"env": os.environ | variables, "text": True}
        return subprocess.run(command, capture_output=True, check=True, **options)

    run = run_python("-m", "pbow", "warm-up")
    assert str(tmp_path) in run.stdout
    assert run.stderr.startswith("pbow: compiling")
    names = [path.name.split("-")[0] for path in tmp_path.glob("*/*.nbi")]
    assert loops() - {tuple(name.split(".")) for name in names} == set()
    assert run_python("-c", CODE).stderr == ""
