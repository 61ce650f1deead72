"""Fixtures shared by all tests: small, seeded, and named after what they are."""

import os
import signal
import warnings
from pathlib import Path

import numpy as np
import pytest
from hypothesis import settings

from pbow import Diagrams

# Tests of Ctrl-C send it to themselves, and shells start background jobs deaf to it.
signal.signal(signal.SIGINT, signal.default_int_handler)

# No window may open, also where there is a screen.
os.environ["MPLBACKEND"] = "Agg"

# The same examples in every run, none kept from earlier ones: a test passes always
# or never. `make test-random` looks for new examples. A first call compiles for
# seconds, so there is no deadline.
settings.register_profile(
    "pbow", deadline=None, derandomize=True, database=None, print_blob=True
)
settings.register_profile("random", settings.get_profile("pbow"), derandomize=False)
settings.load_profile("pbow")


@pytest.fixture(autouse=True)
def nothing_was_said(monkeypatch):
    """What a test warns of does not depend on the tests before it."""
    monkeypatch.setattr(warnings, "onceregistry", {})


@pytest.fixture
def rng():
    return np.random.default_rng(20190810)


@pytest.fixture
def ragged(rng):
    """Thirty diagrams of 0 to 40 points; the first one is empty."""
    sizes = np.concatenate(([0], rng.integers(1, 41, size=29)))
    births = [rng.uniform(0, 1, size=n) for n in sizes]
    return Diagrams.from_list(
        [np.c_[b, b + rng.exponential(0.3, size=len(b))] for b in births], name="H1"
    )


@pytest.fixture(scope="session")
def data_home():
    """Folder of the real data sets."""
    folder = os.environ.get("PBOW_DATA")
    if not folder:
        pytest.skip("needs the real data sets: set PBOW_DATA to their folder")
    path = Path(folder)
    # A misspelt folder must not look like a run that passed.
    if not path.is_dir():
        pytest.fail(f"PBOW_DATA={folder} is not a folder; correct it or unset it.")
    return path
