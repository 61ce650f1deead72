import numpy as np
import pytest

from pbow import Diagrams


@pytest.fixture(name="X")
def three_samples():
    """Three samples; one diagram of each part is empty, and some are essential."""
    return Diagrams.from_parts(
        {
            "H0": [[[0.1, 0.3], [0.0, np.inf]], [[0.0, np.inf]], []],
            "H1": [[], [[0.5, 0.7], [0.25, 1 / 3]], [[0.25, 0.25]]],
        }
    )
