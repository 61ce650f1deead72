import numpy as np
import pytest
from numpy.testing import assert_array_equal

from pbow.datasets.importing.diagrams import pack_diagrams
from pbow.io import FileFormatError


def pack(diagrams):
    labels = [i % 2 for i in range(len(diagrams))]
    return pack_diagrams(diagrams, labels, ["a", "b"], part="H1", where="x.h5")


def test_points_of_all_diagrams_follow_one_another():
    arrays = pack([np.array([[0.0, 1.0], [2.0, np.inf]]), np.empty((0, 2)), [[3, 4]]])
    assert_array_equal(arrays["points"], [[0, 1], [2, np.inf], [3, 4]])
    assert_array_equal(arrays["offsets"], [0, 2, 2, 3])
    assert_array_equal(arrays["labels"], [0, 1, 0])
    assert_array_equal(arrays["label_names"], ["a", "b"])
    assert arrays["labels"].dtype == np.int32
    assert arrays.keys() == {"points", "offsets", "labels", "label_names"}


def test_no_diagrams_give_arrays_without_rows():
    arrays = pack([])
    assert arrays["points"].shape == (0, 2)
    assert_array_equal(arrays["offsets"], [0])


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ([[2.0, 1.0]], "dies before it is born"),
        ([[np.nan, 1.0]], "nan"),
        ([[-np.inf, 1.0]], "inf"),
        ([[1.0, 2.0, 3.0]], r"\(1, 3\)"),
        ([["a", "b"]], ""),
    ],
)
def test_what_is_no_diagram_is_named_with_its_file_and_place(wrong, message):
    with pytest.raises(FileFormatError, match=rf"^Cannot read x\.h5: .*{message}"):
        pack([np.array([[0.0, 1.0]]), wrong])


def test_the_diagram_and_the_part_are_in_the_message():
    with pytest.raises(FileFormatError, match="Diagram 1 of part H1"):
        pack([[[0.0, 1.0]], [[2.0, 1.0]]])
