import numpy as np
import pytest
from numpy.testing import assert_array_equal
from tests.datasets.layouts import hdf5

from pbow.datasets import load_dataset
from pbow.datasets.importing import carriere

NAME = "shape-segmentation-carriere"
CSV = ",part\n0,3.0\n1,1.0\n2,1.0\n3,2.0\n"


DIAGRAMS = {
    "geodesic/0/0": np.array([[0.0, np.inf]]),
    "geodesic/1/0": np.array([[0.5, 1.0], [0.25, 0.75]]),
    "geodesic/1/1": np.array([]),
    "geodesic/1/2": np.array([[0.5, 0.75]]),
    "geodesic/1/3": np.array([[1.0, 1.5]]),
}


def release(changes=(), table=CSV, top=""):
    content = hdf5(lambda file: file.update(DIAGRAMS | dict(changes)))
    return {f"{top}train_diag.hdf5": content, f"{top}train.csv": table}


@pytest.fixture(autouse=True)
def four_points(monkeypatch):
    monkeypatch.setattr(carriere, "N_POINTS", 4)
    monkeypatch.setattr(carriere, "N_POINTS_A_MESH", 2)


def test_diagrams_and_parts_are_joined_and_loaded(tmp_path, imported):
    stem = "carriere_segmentation_diagrams"
    arrays = imported(NAME, release(top="3DSeg/"), stem)
    assert_array_equal(arrays["labels"], [2, 0, 0, 1])
    assert_array_equal(arrays["label_names"], ["1", "2", "3"])
    assert_array_equal(arrays["offsets"], [0, 2, 2, 3, 4])
    assert_array_equal(arrays["points"][:2], [[0.5, 1.0], [0.25, 0.75]])
    assert_array_equal(arrays["groups"], [61, 61, 62, 62])
    assert_array_equal(arrays["vertex_ids"], [0, 10, 0, 10])
    assert "exchanged" not in str(arrays["provenance"])
    data = load_dataset(NAME, tmp_path / "out")
    assert data.diagrams.sizes.tolist() == [2, 0, 1, 1]
    assert data.groups.tolist() == [61, 61, 62, 62]


def test_deaths_that_all_come_first_are_exchanged_and_the_record_says_so(imported):
    swapped = {name: array[..., ::-1] for name, array in DIAGRAMS.items()}
    arrays = imported(NAME, release(swapped))
    assert_array_equal(arrays["points"][:2], [[0.5, 1.0], [0.25, 0.75]])
    assert "exchanged" in str(arrays["provenance"])


def test_a_point_on_the_diagonal_says_nothing_about_the_order(imported):
    arrays = imported(NAME, release({"geodesic/1/3": [[1.0, 1.0]]}))
    assert_array_equal(arrays["points"][[0, -1]], [[0.5, 1.0], [1.0, 1.0]])


@pytest.mark.parametrize(
    ("changes", "table", "message"),
    [
        ({}, CSV.replace("part", "parameter"), "first line with a column part"),
        ({}, "", "first line with a column part"),
        ({}, CSV.replace("2.0", "wing"), "line 5 is '3,wing'"),
        ({}, CSV.replace("2.0", "2.5"), "line 5 is '3,2.5'"),
        ({}, CSV.replace("2.0", "nan"), "line 5 is '3,nan'"),
        ({}, CSV.replace("2.0", "1e300"), "line 5 is '3,1e300'"),
        ({}, CSV.replace("3,2.0", "3"), "line 5 is '3'"),
        ({}, b"\xff\xfe,part", "not a table of comma-separated values"),
        ({}, CSV + '"3', "not a table of comma-separated values"),
        ({}, CSV + "4,1.0\n", "has 4 diagrams, and train.csv has 5 parts"),
        ({"geodesic/1/4": [[0.0, 1.0]]}, CSV, "has 5 diagrams"),
        ({"geodesic/1/3": [[2.0, 1.0]]}, CSV, "dies before it is born"),
    ],
)
def test_what_is_wrong_is_named(refused, changes, table, message):
    refused(NAME, release(changes, table), message)


def test_both_files_are_needed_and_the_place_to_get_them_is_named(refused):
    files = release()
    del files["train.csv"]
    refused(NAME, files, r"one file train\.csv; found 0\. Get it")
