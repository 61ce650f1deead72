"""What tests of figures share."""

import sys

import pytest


@pytest.fixture(autouse=True)
def _close_figures():
    yield
    # Absent, or None, in tests of what happens without it.
    if plt := sys.modules.get("matplotlib.pyplot"):
        plt.close("all")
