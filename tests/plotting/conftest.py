"""What tests of pictures share."""

import pytest


@pytest.fixture(autouse=True)
def _close_figures():
    yield
    plt = pytest.importorskip("matplotlib.pyplot")
    plt.close("all")
