import csv
import io
import json
import sys

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from pbow import PersistenceBoW, save
from pbow.cli import main
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


def test_a_npy_file_in_blocks_has_the_same_numbers(run, folder):
    pytest.importorskip("pyarrow")
    whole = run("transform model.pbow diagrams.pbow -o whole.npy")
    in_blocks = run("transform model.pbow diagrams.pbow --stream -o blocks.npy --json")
    expected, found = np.load("whole.npy"), np.load("blocks.npy")
    assert found.dtype == expected.dtype
    assert_array_equal(found, expected)
    assert in_blocks.stderr == whole.stderr.replace("whole", "blocks")
    facts = json.loads(in_blocks.stdout)
    assert facts.pop("seconds") > 0.0
    counts = {"samples": 12, "features": 6, "skipped": 0, "skipped_files": 0}
    assert facts == {"output": "blocks.npy"} | counts
    assert json.loads((folder / "blocks.npy.json").read_text())["columns"] == NAMES


def test_an_output_without_extension_is_a_folder(run, folder, X, bow):
    parquet = pytest.importorskip("pyarrow.parquet")
    result = run("transform model.pbow diagrams.pbow -o vectors")
    assert (result.stdout, result.stderr) == ("", "vectors: 12 rows, 6 columns\n")
    names = [path.name for path in sorted((folder / "vectors").iterdir())]
    assert names == ["_manifest.json", "block-00000.parquet"]
    table = parquet.read_table(folder / "vectors" / names[1])
    assert table.column_names == ["sample", *NAMES]
    assert table["sample"].to_pylist() == [f"diagrams.pbow:{i}" for i in range(12)]
    found = np.column_stack([table[name] for name in NAMES])
    assert_array_equal(found, bow.transform(X))


def test_a_folder_that_is_there_may_have_a_dot_in_its_name(run, folder):
    pytest.importorskip("pyarrow")
    (folder / "vectors.v1").mkdir()
    run("transform model.pbow diagrams.pbow -o vectors.v1")
    assert (folder / "vectors.v1" / "block-00000.parquet").is_file()


def test_a_kernel_gives_similarities_in_blocks_too(run, folder, X):
    pytest.importorskip("pyarrow")
    kernel = SlicedWassersteinKernel().fit(X)
    save(kernel, folder / "kernel.pbow")
    run("transform kernel.pbow diagrams.pbow --stream -o v.npy")
    assert_array_equal(np.load("v.npy"), kernel.transform(X))


@pytest.mark.parametrize(("jobs", "n_jobs"), [("", -1), ("--jobs 3", 3)])
def test_the_number_of_threads_is_that_of_the_option(
    run, folder, monkeypatch, jobs, n_jobs
):
    pytest.importorskip("pyarrow")
    seen = set()
    encode = PersistenceBoW._encode_rows

    def watched(self, X):
        seen.add(self.n_jobs)
        return encode(self, X)

    monkeypatch.setattr(PersistenceBoW, "_encode_rows", watched)
    run(f"transform model.pbow diagrams.pbow {jobs} --stream -o v.npy")
    assert seen == {n_jobs}


TO = "transform model.pbow diagrams.pbow -o "
OPTIONS = ["--stream", "--resume", "--scheduler tcp://nowhere:1"]
SKIPS = "--on-error skip needs a folder for the vectors, as in -o vectors/."
FOLDER = "take a folder for them, as in -o vectors, or a .npy file; got "
REFUSED = [
    *[(f"{TO} v.{e} {o}", FOLDER) for e in ("csv", "parquet") for o in OPTIONS],
    (f"{TO} - --stream", FOLDER),
    *[(f"{TO} v.{e} --on-error skip", SKIPS) for e in ("csv", "parquet", "npy")],
    (f"{TO} v.xls --stream", "file for the vectors, or a folder, without an extension"),
    (f"{TO} v --names names.txt", "--names is for all at once. Put the names into a t"),
    (f"{TO} v --no-stream", "A folder for the vectors reads the diagrams in blocks; l"),
    (f"{TO} v.npy --resume --no-stream", "--resume reads the diagrams in blocks; leav"),
    ("transform model.pbow - -o v", "A folder for the vectors reads the diagrams in b"),
    ("transform model.pbow - --resume -o v.npy", "in blocks; name a file of them, not"),
]


@pytest.mark.parametrize(("command", "message"), REFUSED)
def test_options_that_do_not_go_with_blocks_are_refused(run, folder, command, message):
    before = sorted(folder.iterdir())
    error = run(command, code=2, input="").stderr.splitlines()[-1]
    assert message in error
    assert sorted(folder.iterdir()) == before


@pytest.mark.parametrize(
    ("command", "message"),
    [
        (
            f"{TO} labels --stream",
            "labels is a file. Name a folder, or a file that end",
        ),
        (
            f"{TO} results",
            "results has other files. Name a folder that is new or empty",
        ),
        (f"{TO} old", "old has results already. Resume that job, or name another fold"),
        (
            f"{TO} old.npy --stream",
            "old.npy is there already, or has been begun. Resum",
        ),
        (
            "transform h1.pbow h1.parquet -o old --resume",
            "old has results of another job: its model is different. See _manifest.js",
        ),
        (
            "transform h1.pbow h1.parquet -o old.npy --resume",
            "old.npy exists and is no",
        ),
        ("transform model.pbow h1.parquet -o v", "H0 is missing"),
        (
            "transform model.pbow h1.csv -o v",
            "h1.csv: a file of the format csv cannot ",
        ),
        (
            "transform rescale.pbow diagrams.pbow -o v",
            "makes diagrams and not vectors.",
        ),
        ("transform model.pbow empty -o v", "The folder empty has no files."),
        ("transform model.pbow 'x/*.parquet' -o v", "No file matches x/*.parquet."),
    ],
)
def test_what_cannot_be_written_in_blocks_is_said_in_one_sentence(
    run, folder, X, command, message
):
    pytest.importorskip("pyarrow")
    write_diagrams(X["H1"], folder / "h1.parquet")
    (folder / "labels").write_text("a")
    (folder / "empty").mkdir()
    run(f"{TO} old")
    run(f"{TO} old.npy --stream")
    before = {p: p.is_file() and p.read_bytes() for p in folder.rglob("*")}
    result = run(command, code=1)
    assert result.stdout == ""
    [line] = result.stderr.splitlines()
    assert line.startswith("Error: ")
    assert message in line
    assert before == {p: p.is_file() and p.read_bytes() for p in folder.rglob("*")}


@pytest.mark.parametrize("output", ["v", "v.npy"])
def test_what_is_finished_is_resumed_by_doing_nothing(run, folder, output, monkeypatch):
    pytest.importorskip("pyarrow")
    first = run(f"{TO} {output} --stream")
    made = [*folder.glob("v/block-*"), *folder.glob("v.npy")]
    written = [path.stat().st_mtime_ns for path in made]
    # Somebody may go on from another folder.
    monkeypatch.chdir(folder / "results")
    again = run("transform ../model.pbow ../diagrams.pbow --resume -o", f"../{output}")
    assert again.stderr == f"../{first.stderr}"
    assert len(written) == 1
    assert written == [path.stat().st_mtime_ns for path in made]


class Terminal(io.StringIO):
    def isatty(self):
        return True


def test_a_terminal_sees_a_bar_of_the_diagrams(folder, monkeypatch):
    pytest.importorskip("pyarrow")
    monkeypatch.chdir(folder)
    monkeypatch.setattr(sys, "stderr", Terminal())
    main([*TO.split(), "vectors"], standalone_mode=False)
    shown = sys.stderr.getvalue()
    assert "| 0/12 [" in shown
    assert " diagrams/s]" in shown
    assert shown.splitlines()[-1].endswith("vectors: 12 rows, 6 columns")
