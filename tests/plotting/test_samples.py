import numpy as np
import pytest
from numpy.testing import assert_array_equal

from pbow import Diagrams
from pbow.plotting._samples import points_by_part

POINTS = [[0.0, 1.0], [0.5, np.inf]]


@pytest.mark.parametrize(
    "sample",
    [POINTS, np.array(POINTS), {"H1": POINTS}, Diagrams.from_list([POINTS])],
    ids=["list", "array", "dict", "diagrams"],
)
def test_a_sample_has_one_of_several_forms(sample):
    parts = points_by_part(sample)
    assert list(parts) == ["H1"]
    assert_array_equal(parts["H1"], POINTS)


def test_samples_of_a_collection_are_drawn_together():
    X = Diagrams.from_parts({"H0": [POINTS, POINTS], "H1": [[], POINTS]})
    parts = points_by_part(X)
    assert_array_equal(parts["H0"], POINTS + POINTS)
    assert_array_equal(parts["H1"], POINTS)


def test_a_diagram_may_be_empty():
    assert points_by_part([])["H1"].shape == (0, 2)


@pytest.mark.parametrize(
    "sample", [[1, 2], "H1", [[[0, 1]], [[0, 2], [0, 3]]], [[[0, 1]]]]
)
def test_what_is_no_sample_is_refused_with_advice(sample):
    message = "Expected one sample: .* Of a list of diagrams take one"
    with pytest.raises(ValueError, match=message):
        points_by_part(sample)
