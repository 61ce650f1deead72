import csv
import io
import json

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from pbow import PersistenceBoW, save
from pbow.io import write_diagrams
from pbow.kernels import SlicedWassersteinKernel
from pbow.preprocessing import Rescale

NAMES = ["h0_word0", "h0_word1", "h0_word2", "h1_word0", "h1_word1", "h1_word2"]


def table_of(text):
    head, *rows = csv.reader(io.StringIO(text))
    return head, rows


def test_vectors_are_those_of_the_model(run, folder, X, bow):
    result = run("transform", "model.pbow", "diagrams.pbow", "-o", "v.npy")
    assert result.exit_code == 0, result.output
    assert_array_equal(np.load("v.npy"), bow.transform(X))
    assert (result.stdout, result.stderr) == ("", "v.npy: 12 rows, 6 columns\n")


def test_diagrams_come_and_vectors_go_by_pipes(run, folder, X, bow):
    printed = run("convert", "diagrams.pbow", "-").stdout_bytes
    result = run("transform", "model.pbow", "-", "-o", "-", input=printed)
    head, rows = table_of(result.stdout)
    assert head == NAMES
    assert_array_equal(np.array(rows, dtype=float), bow.transform(X))
    assert result.stderr == ""


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_samples_may_have_names(run, folder, ending):
    names = [f'scan "{i}", left' for i in range(12)]
    (folder / "names.txt").write_text("\n".join(names))
    words = ["model.pbow", "diagrams.pbow", "--names", "names.txt"]
    result = run("transform", *words, "-o", f"v.{ending}")
    assert result.exit_code == 0, result.output
    if ending == "csv":
        head, rows = table_of((folder / "v.csv").read_text())
        found = [row[0] for row in rows]
    else:
        table = pytest.importorskip("pyarrow.parquet").read_table("v.parquet")
        head, found = table.column_names, table["sample"].to_pylist()
    assert head == ["sample", *NAMES]
    assert found == names


def test_names_must_fit(run, folder):
    (folder / "names.txt").write_text("only one\n")
    words = ["model.pbow", "diagrams.pbow", "--names", "names.txt"]
    result = run("transform", *words, "-o", "v.csv")
    assert result.exit_code == 1
    assert "one name for each of the 12 samples; names.txt has 1." in result.stderr
    result = run("transform", *words, "-o", "v.npy")
    assert result.exit_code == 2
    assert "A .npy file holds numbers only" in result.stderr


def test_a_kernel_gives_similarities(run, folder, X):
    kernel = SlicedWassersteinKernel().fit(X)
    save(kernel, "kernel.pbow")
    run("transform", "kernel.pbow", "diagrams.pbow", "-o", "v.csv")
    head, rows = table_of((folder / "v.csv").read_text())
    assert len(head) == 12
    assert_array_equal(np.array(rows, dtype=float), kernel.transform(X))


def test_the_vectorizer_is_given_the_whole_collection_at_once(run, folder, monkeypatch):
    seen = []
    transform = PersistenceBoW.transform

    def watched(self, X):
        seen.append(len(X))
        return transform(self, X)

    monkeypatch.setattr(PersistenceBoW, "transform", watched)
    run("transform", "model.pbow", "diagrams.pbow", "-o", "v.npy")
    assert seen == [12]


def test_no_diagrams_give_no_rows(run, folder, X):
    write_diagrams(X[:0], "x.pbow")
    result = run("transform", "model.pbow", "x.pbow", "-o", "v.npy")
    assert result.exit_code == 0, result.output
    assert np.load("v.npy").shape == (0, 6)


def test_a_sample_is_blamed_by_its_own_number(run, folder):
    bow = PersistenceBoW(2, essential=9.0, random_state=0)
    save(bow.fit([[[0, 1], [0, 2], [0, np.inf]]]), "m.pbow")
    write_diagrams([[[0, 1]]] * 7 + [[[10, np.inf]]], "late.csv")
    result = run("transform", "m.pbow", "late.csv", "-o", "v.npy")
    assert result.exit_code == 1
    assert "Diagram 7 of part H1 has an essential point" in result.stderr


def test_the_result_is_reported_as_json(run, folder):
    words = ["transform", "model.pbow", "diagrams.pbow"]
    report = json.loads(run(*words, "-o", "v.npy", "--json").stdout)
    assert report.pop("seconds") > 0.0
    assert report == {"output": "v.npy", "samples": 12, "features": 6}
    assert run(*words, "-o", "-", "--json").exit_code == 2


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        (
            ["model.pbow", "diagrams.pbow", "-o", "v.xls"],
            2,
            "Expected a .npy, .csv",
        ),
        (["diagrams.pbow", "model.pbow", "-o", "v.csv"], 1, "expected a model."),
        (
            ["rescale.pbow", "diagrams.pbow", "-o", "v.csv"],
            1,
            "diagrams and not vectors",
        ),
        (["model.pbow", "h1.csv", "-o", "v.csv"], 1, "H0 is missing"),
        (
            ["h1.pbow", "diagrams.pbow", "-o", "v.csv"],
            1,
            "Select the parts that were",
        ),
    ],
    ids=["another ending", "in the wrong order", "no vectorizer", "fewer", "more"],
)
def test_other_files_are_refused(run, folder, X, words, code, message):
    save(Rescale().fit(X), "rescale.pbow")
    save(PersistenceBoW(2, random_state=0).fit(X["H1"]), "h1.pbow")
    run("convert", "--parts", "H1", "diagrams.pbow", "h1.csv")
    result = run("transform", *words)
    assert result.exit_code == code
    assert message in result.stderr
    assert not (folder / "v.csv").exists()
