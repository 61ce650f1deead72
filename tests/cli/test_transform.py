import csv
import io

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from pbow import PersistenceBoW, save
from pbow.io import write_diagrams
from pbow.kernels import SlicedWassersteinKernel

NAMES = ["h0_word0", "h0_word1", "h0_word2", "h1_word0", "h1_word1", "h1_word2"]


def table_of(text):
    head, *rows = csv.reader(io.StringIO(text))
    return head, rows


def test_the_whole_collection_is_given_to_the_model_at_once(
    run, folder, X, bow, monkeypatch
):
    seen = []
    transform = PersistenceBoW.transform

    def watched(self, X, **options):
        seen.append(len(X))
        return transform(self, X, **options)

    monkeypatch.setattr(PersistenceBoW, "transform", watched)
    result = run("transform model.pbow diagrams.pbow -o v.npy")
    assert seen == [12]
    assert_array_equal(np.load("v.npy"), bow.transform(X))
    assert (result.stdout, result.stderr) == ("", "v.npy: 12 rows, 6 columns\n")


def test_columns_name_the_resolution_where_there_are_several(run, folder):
    result = run("transform several.pbow diagrams.pbow -o -")
    head, rows = table_of(result.stdout)
    several = ["h1_n2_word0", "h1_n2_word1", *(f"h1_n5_word{k}" for k in range(5))]
    assert head == [*NAMES[:3], *several]
    assert len(rows) == 12


def test_diagrams_come_and_vectors_go_by_pipes(run, folder, X, bow):
    printed = run("convert diagrams.pbow -").stdout_bytes
    result = run("transform model.pbow - -o -", input=printed)
    head, rows = table_of(result.stdout)
    assert head == NAMES
    assert_array_equal(np.array(rows, dtype=float), bow.transform(X))
    assert result.stderr == ""


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_samples_may_have_names(run, folder, ending):
    run(f"transform model.pbow diagrams.pbow --names names.txt -o v.{ending}")
    if ending == "csv":
        head, rows = table_of((folder / "v.csv").read_text())
        found = [row[0] for row in rows]
    else:
        table = pytest.importorskip("pyarrow.parquet").read_table("v.parquet")
        head, found = table.column_names, table["sample"].to_pylist()
    assert head == ["sample", *NAMES]
    assert found == (folder / "names.txt").read_text().split()


def test_a_kernel_gives_similarities(run, folder, X):
    kernel = SlicedWassersteinKernel().fit(X)
    save(kernel, folder / "kernel.pbow")
    run("transform kernel.pbow diagrams.pbow -o v.csv")
    head, rows = table_of((folder / "v.csv").read_text())
    assert len(head) == 12
    assert_array_equal(np.array(rows, dtype=float), kernel.transform(X))


def test_no_diagrams_give_no_rows(run, folder, X):
    write_diagrams(X[:0], folder / "x.pbow")
    run("transform model.pbow x.pbow -o v.npy")
    assert np.load("v.npy").shape == (0, 6)
