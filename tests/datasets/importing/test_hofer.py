import numpy as np
import pytest
from numpy.testing import assert_array_equal
from tests.datasets.layouts import hdf5

from pbow.datasets import load_dataset
from pbow.datasets.importing import hofer
from pbow.datasets.imports import import_dataset
from pbow.io import FileFormatError

FINITE = "data_views/DegreeVertexFiltration_dim_0/{}/{}"
ESSENTIAL = "data_views/DegreeVertexFiltration_dim_0_essential/{}/{}"


def provider(changes=()):
    """Four graphs of the classes 1 and 10, as the code of the paper writes them."""
    arrays = {
        FINITE.format(10, 0): [[0.0, 0.5], [0.25, 1.0]],
        FINITE.format(1, 2): [[0.0, 0.75]],
        FINITE.format(10, 10): np.array([]),
        FINITE.format(10, 3): [[0.0, 1.0]],
        ESSENTIAL.format(10, 0): [[0.0, 1.0]],
        ESSENTIAL.format(1, 2): [[0.0, 1.0], [0.5, 1.0]],
        ESSENTIAL.format(10, 10): [[0.0, 1.0]],
        ESSENTIAL.format(10, 3): np.array([]),
        "data_views/DegreeVertexFiltration_dim_1_essential/1/2": [[9.0, 1.0]],
        "str_2_int_label_map/1": (1,),
        "str_2_int_label_map/10": (10,),
    }
    arrays.update(changes)
    stored = {name: array for name, array in arrays.items() if array is not None}
    return hdf5(lambda file: file.update(stored))


@pytest.fixture(autouse=True)
def four_graphs(monkeypatch):
    monkeypatch.setattr(hofer, "KNOWN_COUNTS", {"reddit_5k": (4, 2)})


def test_finite_and_essential_points_are_joined_in_the_order_of_graphs(
    tmp_path, imported
):
    files = {"data/reddit_5K.h5": provider()}
    arrays = imported("reddit-5k-hofer", files, "hofer_reddit_5k_diagrams")
    assert_array_equal(arrays["label_names"], ["1", "10"])
    assert_array_equal(arrays["labels"], [1, 0, 1, 1])
    assert_array_equal(arrays["offsets"], [0, 3, 6, 7, 8])
    assert_array_equal(arrays["points"][:, 0], [0, 0.25, 0, 0, 0, 0.5, 0, 0])
    inf = np.inf
    assert_array_equal(arrays["points"][:, 1], [0.5, 1, inf, 0.75, inf, inf, 1, inf])
    data = load_dataset("reddit-5k-hofer", tmp_path / "out")
    assert data.diagrams.parts == ("H0",)
    assert data.diagrams.essential().sizes.tolist() == [1, 2, 0, 1]


def test_a_file_by_itself_may_have_any_name(tmp_path, write_folder, load):
    release = write_folder({"mine.h5": provider()}) / "mine.h5"
    path = import_dataset("reddit-5k-hofer", release, to=tmp_path)
    assert_array_equal(load(path)["labels"], [1, 0, 1, 1])


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({FINITE.format(1, 2): [[0.5, 0.25]]}, "dies before it is born"),
        ({FINITE.format(1, 2): [[np.nan, 1.0]]}, "nan"),
        ({FINITE.format(1, 2): [0.5, 0.25]}, r"in each row, not \(2,\)"),
        ({FINITE.format(1, "x"): [[0.0, 1.0]]}, "named 0, 1, ...; found 'x'"),
        ({FINITE.format(1, "02"): [[0.0, 1.0]]}, "named 0, 1, ...; found '02'"),
        (
            {FINITE.format(1, 7): [[0.0, 1.0]]},
            "has 5 diagrams of 2 classes; expected 4",
        ),
        ({ESSENTIAL.format(1, 2): None}, "dim_0_essential"),
        ({"str_2_int_label_map/1": None}, "expected '1' in '/str_2_int_label_map'"),
        ({"str_2_int_label_map/1": (1.5,)}, "label_map/1 is not a whole number"),
    ],
)
def test_what_is_wrong_is_named(refused, changes, message):
    refused("reddit-5k-hofer", {"reddit_5K.h5": provider(changes)}, message)


def test_other_files_are_refused(write_folder, refused):
    files = {"reddit_12K.h5": provider(), "x.h5": b"hello"}
    refused("reddit-5k-hofer", files, r"expected one file reddit_5K\.h5; found 0")
    with pytest.raises(FileFormatError, match=r"Cannot read .*x\.h5: "):
        import_dataset("reddit-5k-hofer", write_folder(files) / "x.h5")
