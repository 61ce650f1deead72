import csv

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from pbow.errors import ParameterError
from pbow.io import write_vectors

COLUMNS = ["h1_word0", "h1_word1", "ü, x"]
NAMES = ['a "1", left', "b", *map(str, range(2000))]


@pytest.fixture(name="H")
def vectors():
    return np.random.default_rng(0).normal(size=(len(NAMES), 3)) ** 9


@pytest.mark.parametrize("names", [None, NAMES])
def test_csv_has_names_and_every_digit(tmp_path, H, names):
    write_vectors(H, tmp_path / "v.csv", COLUMNS, names)
    with (tmp_path / "v.csv").open(encoding="utf-8", newline="") as file:
        head, *rows = csv.reader(file)
    n_names = 0 if names is None else 1
    assert head == ["sample"][:n_names] + COLUMNS
    assert_array_equal(np.array([row[n_names:] for row in rows], float), H)
    assert [row[0] for row in rows] == names or names is None


@pytest.mark.parametrize("names", [None, NAMES])
def test_parquet_has_names_and_every_digit(tmp_path, H, names):
    parquet = pytest.importorskip("pyarrow.parquet")
    write_vectors(H, tmp_path / "v.PARQUET", COLUMNS, names)
    table = parquet.read_table(tmp_path / "v.PARQUET")
    assert table.column_names[-3:] == COLUMNS
    assert_array_equal(np.column_stack(table.columns[-3:]), H)
    if names is not None:
        assert table["sample"].to_pylist() == names


def test_npy_has_numbers_only(tmp_path, H):
    write_vectors(H, tmp_path / "v.npy", COLUMNS)
    assert_array_equal(np.load(tmp_path / "v.npy"), H)
    with pytest.raises(ParameterError, match=r"names to be None for a \.npy file"):
        write_vectors(H, tmp_path / "v.npy", COLUMNS, NAMES)


def test_a_name_is_no_formula(tmp_path):
    path = tmp_path / "v.csv"
    write_vectors(np.zeros((1, 2)), path, ["=1+1_word0", "h1_word0"], ["@a"])
    assert path.read_text() == "sample,'=1+1_word0,h1_word0\n'@a,0.0,0.0\n"


def test_another_extension_is_refused(tmp_path, H):
    with pytest.raises(ParameterError, match=r"a \.npy, \.csv, \.parquet file; got"):
        write_vectors(H, tmp_path / "v.xls", COLUMNS)
    assert list(tmp_path.iterdir()) == []
