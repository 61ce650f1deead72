from io import BytesIO

import h5py
import numpy as np
import pytest
from numpy.testing import assert_array_equal

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
    stream = BytesIO()
    with h5py.File(stream, "w") as file:
        for name, array in arrays.items():
            if array is not None:
                file[name] = array
        file.create_group("meta_data")
    return stream.getvalue()


@pytest.fixture(autouse=True)
def four_graphs(monkeypatch):
    monkeypatch.setattr(hofer, "KNOWN_COUNTS", {"reddit_5k": (4, 2)})


def test_finite_and_essential_points_are_joined_in_the_order_of_graphs(
    tmp_path, write_folder, write_zip, load
):
    folder = write_folder({"data/dgm_provider/reddit_5K.h5": provider()})
    releases = (
        folder,
        folder / "data" / "dgm_provider" / "reddit_5K.h5",
        write_zip({"reddit_5K.h5": provider()}),
    )
    for release in releases:
        path = import_dataset("reddit-5k-hofer", release, to=tmp_path)
        assert path.name == "hofer_reddit_5k_diagrams.npz"
        arrays = load(path)
        assert_array_equal(arrays["label_names"], ["1", "10"])
        assert_array_equal(arrays["labels"], [1, 0, 1, 1])
        assert_array_equal(arrays["offsets"], [0, 3, 6, 7, 8])
        assert_array_equal(
            arrays["points"],
            [
                [0.0, 0.5],
                [0.25, 1.0],
                [0.0, np.inf],
                [0.0, 0.75],
                [0.0, np.inf],
                [0.5, np.inf],
                [0.0, 1.0],
                [0.0, np.inf],
            ],
        )


def test_what_was_imported_is_loaded(write_folder):
    import_dataset("reddit-5k-hofer", write_folder({"reddit_5K.h5": provider()}))
    data = load_dataset("reddit-5k-hofer")
    assert data.diagrams.parts == ("H0",)
    assert data.diagrams.sizes.tolist() == [3, 3, 1, 1]
    assert data.diagrams.essential().sizes.tolist() == [1, 2, 0, 1]


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
def test_what_is_wrong_is_named(write_folder, changes, message):
    release = write_folder({"reddit_5K.h5": provider(changes)})
    with pytest.raises(FileFormatError, match=message):
        import_dataset("reddit-5k-hofer", release)


def test_other_files_are_refused(write_folder):
    release = write_folder({"reddit_12K.h5": provider(), "x.h5": b"hello"})
    with pytest.raises(
        FileFormatError, match=r"expected one file reddit_5K\.h5; found 0"
    ):
        import_dataset("reddit-5k-hofer", release)
    with pytest.raises(FileFormatError, match=r"Cannot read .*x\.h5: "):
        import_dataset("reddit-5k-hofer", release / "x.h5")
