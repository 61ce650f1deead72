import numpy as np
import pytest

from pbow import Diagrams
from pbow.io import PartDescription, describe
from pbow.io.description import HUGE


def test_points_are_counted_part_by_part():
    X = Diagrams.from_parts(
        {
            "H0": [[[0, 2], [0, np.inf]], [[0, np.inf]]],
            "H1": [[], [[1, 1.5], [2, 2]]],
        }
    )
    found = describe(X)
    assert found.samples == 2
    assert found.parts == {
        "H0": PartDescription(3, 2, 0, 0, (1, 2), (0, 0), (2, 2), (2, 2), 2.0, False),
        "H1": PartDescription(
            2, 0, 1, 1, (0, 2), (1, 2), (1.5, 2), (0, 0.5), 1.75, False
        ),
    }


@pytest.mark.parametrize(
    ("diagrams", "warning"),
    [
        ([[[0, np.inf]]], "all points of H1 are essential; descriptors leave such"),
        ([[[0, 1]], []], "H1 has no point in 1 of 2 diagrams."),
        ([[[0, 1], [1, 1], [2, 2]]], "H1 has 2 points on the diagonal, with"),
        (
            [[[0, 0.5], [0, 0.5], [0, 2 * HUGE]]],
            "H1 has a death of size 2e+06, and half of them are below 0.5.",
        ),
        (
            [[[-3, -1], [-2, -1], [-9 * HUGE, -2 * HUGE]]],
            "H1 has a death of size 2e+06, and half of them are below 1.",
        ),
        ([], "there is no sample."),
    ],
    ids=["essential", "empty", "diagonal", "huge", "huge below 0", "none"],
)
def test_it_warns_of_what_users_may_not_expect(diagrams, warning):
    [found] = describe({"H1": diagrams}).warnings
    assert found.startswith(warning)
    [found] = describe(diagrams).warnings
    assert found.startswith(warning.replace("H1", "the collection"))


def test_usual_diagrams_give_no_warning(rng):
    births = rng.uniform(size=(5, 9))
    X = np.stack((births, births + rng.uniform(0.1, 1.0, size=births.shape)), axis=-1)
    assert describe(X).warnings == []
