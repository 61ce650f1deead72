import numpy as np
import pytest
from numpy.testing import assert_array_equal

from pbow.datasets.importing import simba
from pbow.datasets.importing.simba import SHAPES
from pbow.datasets.imports import import_dataset

# As the authors' files are, but for their number and length.
FILE = "0 0 0.00022127\n0 0 inf\n1 0.0145124 0.0154318\n2 0.02 0.03\n"
NAME = "data/pd_gauss_0_1/{}/{}.h5.pc.simba.1.00001_3.persistence"


@pytest.fixture
def authors(monkeypatch):
    """Files of two clouds a shape, whose checksums pass for the authors'."""
    files = {NAME.format(shape, number): FILE for shape in SHAPES for number in (10, 2)}
    files[NAME.format("Circle", 2)] = "0 0 inf\n1 0.1 0.5\n\n1 0.25 0.5\r\n"
    files[NAME.format("Circle", 2).replace("0_1", "0_05")] = "1 7 8\n"
    files["rawdata/Circle/readme.txt"] = "not read"
    monkeypatch.setattr(simba, "digest_of", lambda *_: "known")
    monkeypatch.setattr(simba, "KNOWN_DIGESTS", ("known", "known"))
    return files


STEM = "synthetic_pcodebooks_gauss_0_1_h{}"


def test_dimensions_become_a_file_each_in_the_authors_order(
    tmp_path, imported, load, authors
):
    h1 = imported("synthetic-authors", authors, STEM.format(1))
    h0 = load(tmp_path / "out" / f"{STEM.format(0)}.npz")
    for arrays in (h0, h1):
        assert_array_equal(arrays["labels"], np.repeat(range(7), 2))
        assert_array_equal(arrays["label_names"], SHAPES)
        assert_array_equal(arrays["file_ids"], [2, 10] * 7)
    assert_array_equal(h1["offsets"], [0, 1, 2, 4, *range(5, 16)])
    loop = [0.0145124, 0.0154318]
    assert_array_equal(h1["points"][1:5], [loop, [0.1, 0.5], [0.25, 0.5], loop])
    assert_array_equal(h0["points"][4], [0.0, np.inf])


def test_the_folder_of_the_noise_itself_will_do(tmp_path, write_folder, authors):
    folder = write_folder(authors) / "data" / "pd_gauss_0_1"
    assert import_dataset("synthetic-authors", folder, to=tmp_path).exists()


def test_the_real_diagrams_written_as_text_come_back(
    data_home, tmp_path, write_zip, load
):
    expected = [load(data_home / f"{STEM.format(dim)}.npz") for dim in (0, 1)]
    files = {}
    for i, (label, number) in enumerate(
        zip(expected[0]["labels"], expected[0]["file_ids"], strict=True)
    ):
        files[NAME.format(SHAPES[label], number)] = "".join(
            f"{dim} {birth:.6g} {death:.6g}\n"
            for dim, arrays in enumerate(expected)
            for birth, death in arrays["points"][slice(*arrays["offsets"][i : i + 2])]
        )
    import_dataset("synthetic-authors", write_zip(files), to=tmp_path)
    for dim, arrays in enumerate(expected):
        found = load(tmp_path / f"{STEM.format(dim)}.npz")
        for key, array in arrays.items():
            assert_array_equal(found[key], array)


def test_other_diagrams_than_the_authors_are_refused(refused):
    files = {NAME.format(shape, 2): FILE for shape in SHAPES}
    refused("synthetic-authors", files, r"its 7 diagrams .*checksum differs. Get")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("1 0.1\n", "line 1 is '1 0.1'; expected 3 numbers"),
        ("0 0 inf\n1 a 2\n", "line 2 is '1 a 2'"),
        ("1 2 1\n", "dies before it is born"),
        ("1 nan 1\n", "nan"),
    ],
)
def test_a_line_that_is_no_point_is_named(refused, authors, text, message):
    authors[NAME.format("Torus", 2)] = text
    refused("synthetic-authors", authors, message)


def test_a_missing_shape_is_named(refused, authors):
    files = {name: text for name, text in authors.items() if "Torus" not in name}
    refused("synthetic-authors", files, r"of the shape 'Torus'. Get them from the")
