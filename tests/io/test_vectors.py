import csv
import sys
from functools import partial

import numpy as np
import pyarrow as pa
import pytest
from numpy.testing import assert_array_equal
from pyarrow import parquet

from pbow.errors import ParameterError
from pbow.io import write_vectors
from pbow.io.vectors import ParquetVectors

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


@pytest.mark.parametrize("as_names", [list, partial(pa.array, type=pa.string())])
def test_parquet_may_be_written_some_rows_at_a_time(tmp_path, H, as_names):
    path = tmp_path / "v.parquet"
    with path.open("wb") as file, ParquetVectors(file, COLUMNS) as vectors:
        for rows in (slice(0, 700), slice(700, 700), slice(700, None)):
            vectors.write(H[rows], as_names(NAMES[rows]))
    table = parquet.read_table(path)
    assert table.column_names == ["sample", *COLUMNS]
    assert table["sample"].to_pylist() == NAMES
    assert_array_equal(np.column_stack(table.columns[1:]), H)


def test_rows_keep_their_dtype_in_parquet(tmp_path, H):
    path = tmp_path / "v.parquet"
    with path.open("wb") as file, ParquetVectors(file, COLUMNS) as vectors:
        vectors.write(H.astype(np.float32))
    table = parquet.read_table(path)
    assert set(table.schema.types) == {pa.float32()}
    assert_array_equal(np.column_stack(table.columns), H.astype(np.float32))


def test_rows_of_another_width_are_refused(tmp_path, H):
    path = tmp_path / "v.parquet"
    with path.open("wb") as file, ParquetVectors(file, COLUMNS) as vectors:
        vectors.write(H[:5])
        with pytest.raises(ValueError, match="zip"):
            vectors.write(H[5:, :2])
    assert parquet.read_table(path).num_rows == 5


def test_parquet_without_pyarrow_names_the_extra(tmp_path, H, monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow.parquet", None)
    with pytest.raises(ImportError, match=r"Writing Parquet files .* the extra arrow"):
        write_vectors(H, tmp_path / "v.parquet", COLUMNS)
    assert list(tmp_path.iterdir()) == []
