"""Whatever goes wrong: one sentence, code 1 or 2, and no file that was not there."""

import shlex
import shutil
from unittest.mock import ANY

import numpy as np
import pytest

from pbow import PersistenceBoW, save
from pbow.io import write_diagrams

# Files of the folder are inputs, and what begins with "out" is written.
COMMANDS = [
    "homology clouds.npy --kind clouds -o out.pbow",
    "homology clouds.npy --kind clouds --names-out out.txt -o out.pbow",
    "homology images.npy --kind images -o out.csv",
    "homology graph.txt --kind graphs -o out.pbow",
    "homology mesh.off -o out.pbow",
    "convert diagrams.pbow out.csv",
    "info diagrams.pbow",
    "info model.pbow",
    "info arrays.npz",
    "fit diagrams.pbow -o out.pbow",
    "transform model.pbow diagrams.pbow --names labels.txt -o out.csv",
    "evaluate diagrams.pbow --labels labels.txt --folds 3",
    "plot diagram diagrams.pbow -o out.png",
    "plot barcode diagrams.pbow -o out.png",
    "plot codebook model.pbow diagrams.pbow --part H1 -o out.png",
    "plot classes model.pbow diagrams.pbow --labels labels.txt --part H1 -o out.png",
    "plot difference model.pbow diagrams.pbow --labels labels.txt --part H1 "
    "--between 'few points' many -o out.png",
    "explore model.pbow diagrams.pbow --labels labels.txt -o out.html",
    "demo --per-class 8 --points 20 --jobs 1 --output out.png",
    "datasets shapes out.npy --labels out.txt",
    "datasets import mutag --from release.zip --to out",
    "experiment run declared.toml --out out",
    "experiment table results",
    "experiment report results",
]
INPUTS = (
    *("clouds.npy", "images.npy", "graph.txt", "mesh.off"),
    *("diagrams.pbow", "model.pbow", "arrays.npz", "labels.txt"),
    *("release.zip", "declared.toml", "results"),
)
# Where Ctrl-C comes: while a file is written, or else in the midst of the work.
INTERRUPTED_AT = {
    "info diagrams.pbow": "pbow.io.read_diagrams",
    "info model.pbow": "pbow.load",
    "info arrays.npz": "pbow.io.npz.opened",
    "evaluate": "pbow.evaluation.evaluate",
    "demo": "pbow.demo.make_diagrams",
    "datasets import": "pbow.datasets.import_dataset",
    "experiment run": "pbow.experiment.run_experiment",
    "experiment table": "pbow.experiment.tables.make_tables",
    "experiment report": "pbow.experiment.report.write_report",
}
# Messages of commands that cannot work; what comes by a pipe is the line "a,b".
ONE = "Pass --kind: one of clouds, images, graphs, meshes, as .npy files may be "
FIT = "fit diagrams.pbow -o out.pbow "
CLOUDS = "homology clouds.npy --kind clouds -o out.pbow "
EVALUATE = "evaluate diagrams.pbow --folds 3 --labels "
CLASSES = "model.pbow diagrams.pbow --labels labels.txt -o out.png "
REFUSED = [
    ("convert --parts H7 diagrams.pbow x.csv", 1, "There is no part 'H7';"),
    ("convert --to hera diagrams.pbow x", 1, "there are H0, H1. Select one"),
    ("convert labels.txt x.csv", 1, "Name it: `pbow convert labels.txt --from hera"),
    ("convert model.pbow x.csv", 1, "it holds a model; expected diagrams."),
    ("convert --from docx a x.csv", 2, "'docx' is not one of 'pbow', 'csv', 'parquet'"),
    ("convert --to dipha diagrams.pbow -", 2, "The standard output takes csv, not"),
    ("convert - diagrams.pbow x.csv", 2, "cannot be read together with other files"),
    ("convert diagrams.pbow x.docx", 2, "Cannot infer the format of x.docx; known "),
    ("convert diagrams.pbow - --json", 2, "--json prints to the standard output, and"),
    ("convert - x.csv", 1, "Cannot read the standard input: its first line must"),
    ("convert --from perseus - x.csv", 1, "the standard input: it is not named as Per"),
    ("info b.npz", 1, "Cannot read b.npz: "),
    ("info model.pbow --descriptor pbow", 2, "without a path or .py; got 'pbow'."),
    ("info model.pbow --descriptor a:B", 2, "Invalid value for '--descriptor': cannot"),
    (FIT + "--descriptor pbows", 2, "expected one of pbow, "),
    (FIT + "--descriptor image --words 4", 2, "image has no parameter n_words; known"),
    (FIT + "--set ramp", 2, "expected NAME=VALUE, as in weighting=ramp; got 'ramp'."),
    (FIT + "--set 'a b=1'", 2, "expected NAME=VALUE, as in weighting=ramp; got 'a b="),
    (FIT + "--set bins=3", 2, "pbow has no parameter bins; known are essential, n_ini"),
    (FIT + "--set n_init=0", 1, "Error: Expected --set n_init=... to be "),
    (FIT + "--set n_words=none", 1, "Error: Pass --words: "),
    (FIT + "--set 'n_words=()'", 1, "Error: Expected --words to be an int >= 1, a tup"),
    (FIT + "--words 30,10", 2, "Invalid value for '--words': expected a number, incre"),
    (FIT + "--words 0", 2, "increasing numbers separated by commas, as in 10,30,100, "),
    (FIT + "--words ,", 2, "separated by commas, as in 10,30,100, or auto; got ','."),
    (FIT + "--words ten", 2, "or auto; got 'ten'."),
    (FIT + "--words 9,99999999", 1, "small enough for 10"),
    (FIT + "--set weighting=5", 1, "Error: Expected --set weighting=... to be "),
    (FIT + "--descriptor image --set resolution=1e4", 1, "--set resolution=... to be"),
    (FIT + "--descriptor image --set resolution=10000", 1, "small enough for 10"),
    ("fit labels.txt -o m.pbow", 1, "Name it: `pbow convert labels.txt --from hera"),
    ("fit below.csv -o m.pbow", 1, "Of point clouds, compute the diagrams first."),
    ("fit diagrams.pbow -o circle", 1, "Error: circle: Too many levels of symbolic li"),
    ("transform model.pbow diagrams.pbow -o v.xls", 2, "Expected a .npy, .csv, .parqu"),
    ("transform model.pbow diagrams.pbow -o - --json", 2, "--json prints to the stand"),
    ("transform diagrams.pbow model.pbow -o v.csv", 1, "expected a model."),
    ("transform rescale.pbow diagrams.pbow -o v.csv", 1, "diagrams and not vectors"),
    ("transform model.pbow h1.csv -o v.csv", 1, "H0 is missing"),
    ("transform h1.pbow diagrams.pbow -o v.csv", 1, "Select the parts that were"),
    (
        "transform nine.pbow late.csv -o v.npy",
        1,
        "Diagram 7 has an essential point born",
    ),
    (
        "transform model.pbow diagrams.pbow --names two.txt -o v.csv",
        1,
        "two.txt: expected one name for each of the 12 samples; it has 2.",
    ),
    (
        "transform model.pbow diagrams.pbow --names names.txt -o v.npy",
        2,
        "A .npy file holds numbers only",
    ),
    (EVALUATE + "one.txt", 1, "at least two labels to separate; got 1."),
    (EVALUATE + "few.txt", 1, "are 2 of 'b b'. Take fewer folds, or"),
    (
        EVALUATE + "two.txt",
        1,
        "two.txt: expected one label for each of the 12 samples; it has 2.",
    ),
    (EVALUATE + "labels.txt --set bins=3", 2, "pbow and spbow have no parameter bins;"),
    ("plot diagram diagrams.pbow --sample 12 -o x.png", 1, "There is no sample 12 in"),
    ("plot diagram diagrams.pbow -o x.docx", 1, "Expected the file name of a figure, "),
    ("plot codebook statistics.pbow -o x.png", 1, "a fitted PersistenceBoW or Stable"),
    (
        "plot codebook model.pbow diagrams.pbow -o x.png",
        1,
        "Pass --part: one of 'H0', 'H1', the parts that have words in the plane.",
    ),
    (
        "plot codebook several.pbow --part H1 --resolution 3 -o x.png",
        1,
        "Expected --resolution to be one of 2, 5, the numbers of words that part H1 "
        "has; got 3.",
    ),
    (f"plot classes {CLASSES} --part H1 --resolution 4", 1, "--resolution to be 3, th"),
    ("plot codebook soft.pbow --resolution 0 -o x.png", 2, "0 is not in the range"),
    (
        f"plot difference {CLASSES} --part H1 --between many none",
        1,
        "Expected --between to be two different labels of ['few points', 'many']; got "
        "('many', 'none').",
    ),
    ("explore diagrams.pbow diagrams.pbow -o x", 1, "holds diagrams; expected a model"),
    ("explore statistics.pbow diagrams.pbow -o x", 1, "statistics.pbow: "),
    (
        "explore model.pbow diagrams.pbow -o x --names two.txt",
        1,
        "two.txt: expected one name for each of the 12 samples; it",
    ),
    (
        "explore model.pbow diagrams.pbow -o x --labels labels.csv",
        1,
        "Pass --names: a file with the names",
    ),
    ("homology - -o x.csv", 2, "Pass --kind: what comes by the standard input has no "),
    (
        "homology - --kind clouds -o x.csv",
        1,
        "Cannot read the standard input: it has no numb",
    ),
    ("homology - a.csv --kind clouds -o x.csv", 2, "cannot be read together with othe"),
    ("homology - --kind clouds --names-out n.txt -o x.csv", 2, "no name for --names-o"),
    ("homology nowhere.pbow -o x.csv", 1, "nowhere.pbow: No such file or directory."),
    ("homology clouds.npy -o x.csv", 1, "as .npy files may be clouds or images."),
    ("homology ' a.csv' --names-out n -o x.csv --kind clouds", 1, "of a text file. Re"),
    (
        "homology clouds.npy space.csv --kind clouds -o x.csv",
        1,
        "those of clouds.npy:0 have 2, and those of space.csv 3.",
    ),
    (CLOUDS + "--json -o -", 2, "--json prints to the standard output, and so would -"),
    (
        CLOUDS + "--method sublevel",
        2,
        "--method sublevel is not for clouds; take rip",
    ),
    (CLOUDS + "--method alpha --max-edge 1", 2, "alpha has no parameter max_edge;"),
    (CLOUDS + "--heat 1", 2, "rips has no parameter heat; it has dims, metric, max_ed"),
    (CLOUDS + "--sources 1", 2, "rips has no parameter sources;"),
    (CLOUDS + "--set n_jobs=3", 2, "rips has no parameter n_jobs;"),
    (CLOUDS + "--set clouds=3", 2, "rips has no parameter clouds;"),
    (CLOUDS + "--set max_edge=3", 2, "Pass --max-edge, not --set max_edge."),
    (CLOUDS + "--method dtm-rips", 2, "dtm-rips needs the number of neighbors, as in"),
    (CLOUDS + "--dims one", 2, "expected dimensions separated by commas, as in"),
    ("demo --output results", 1, "Cannot write results: it is a folder"),
    ("demo --per-class 7 --output x.docx", 1, "Expected the file name of a figure, as"),
    ("demo --per-class 7", 1, "Expected --per-class to be at least 8; got 7."),
    ("demo --points 3", 1, "Expected --points to be at least 20; got 3."),
    ("datasets list --data-home nowhere", 1, "Error: Data home is "),
    ("datasets import mutag", 2, "Missing option '--from'."),
    ("datasets shapes c.csv --labels y.txt", 2, "Expected CLOUDS to be a .npy file; g"),
]


@pytest.fixture
def faulty(folder, X):
    """A folder with what commands cannot use, too."""
    (folder / "one.txt").write_text("a\n" * 12)
    (folder / "few.txt").write_text("a\n" * 10 + "b b\n" * 2)
    (folder / "below.csv").write_text("sample,part,birth,death\n0,H1,1,0\n")
    (folder / "space.csv").write_text("0,0,1\n")
    (folder / " a.csv").write_text("0,0\n")
    (folder / "circle").symlink_to("circle")
    shutil.copy(folder / "clouds.npy", folder / "b.npz")
    bow = PersistenceBoW(2, essential=9.0, random_state=0)
    save(bow.fit([[[0, 1], [0, 2], [0, np.inf]]]), folder / "nine.pbow")
    write_diagrams([[[0, 1]]] * 7 + [[[10, np.inf]]], folder / "late.csv")
    return folder


@pytest.mark.parametrize(("command", "code", "message"), REFUSED)
def test_what_cannot_be_done_is_said_in_one_sentence(
    run, faulty, command, code, message
):
    before = content_of(faulty)
    result = run(command, code=code, input="a,b\n")
    assert_one_sentence(result, faulty, before)
    assert message in result.stderr.splitlines()[-1]


def content_of(folder):
    return {
        path.relative_to(folder): path.read_bytes() if path.is_file() else None
        for path in folder.rglob("*")
    }


def assert_one_sentence(result, folder, before):
    assert result.stdout == ""
    *before_it, line = result.stderr.splitlines()
    # Where the command cannot be understood, how to call it stands above.
    usage = [words.split()[0] for words in before_it if words]
    assert usage == (["Usage:", "Try"] if result.exit_code == 2 else [])
    assert line.startswith("Error: ")
    assert line.endswith((".", ")"))
    assert "Errno" not in line
    assert content_of(folder) == before


def replaced(command, old, new):
    words = [new if word == old else word for word in shlex.split(command)]
    return shlex.join(words)


BAD_INPUTS = {
    "a bad path": None,
    "a wrong file": b"\x89PNG\r\n\x1a\n\x00\xff",
    "an empty file": b"",
}
WORDS = [(command, word) for command in COMMANDS for word in shlex.split(command)]
WITH_INPUT = [(command, word) for command, word in WORDS if word in INPUTS]
WITH_OUTPUT = [(command, word) for command, word in WORDS if word[:3] == "out"]


@pytest.mark.parametrize("content", BAD_INPUTS.values(), ids=BAD_INPUTS)
@pytest.mark.parametrize(("command", "name"), WITH_INPUT)
def test_an_input_of_something_else_is_refused(run, folder, command, name, content):
    bad = f"bad.{name.partition('.')[2]}".rstrip(".")
    if content is not None:
        (folder / bad).write_bytes(content)
    before = content_of(folder)
    assert_one_sentence(run(replaced(command, name, bad), code=ANY), folder, before)


@pytest.mark.parametrize("command", COMMANDS)
def test_ctrl_c_ends_a_command_without_a_file(run, folder, monkeypatch, command):
    def interrupted(*_, **__):
        raise KeyboardInterrupt

    begins = [start for start in INTERRUPTED_AT if command.startswith(start)]
    target = INTERRUPTED_AT[begins[0]] if begins else "os.fsync"
    monkeypatch.setattr(target, interrupted)
    before = content_of(folder)
    result = run(command, code=130)
    assert result.stdout == ""
    assert result.stderr.startswith("Interrupted.")
    assert len(result.stderr.splitlines()) == 1
    assert content_of(folder) == before


@pytest.mark.parametrize(("command", "name"), WITH_OUTPUT)
def test_an_output_that_cannot_be_written_is_told_before_the_work(
    run, folder, command, name
):
    """No input is there either, and nobody has looked yet."""
    for path in folder.glob("*.pbow"):
        path.unlink()
    before = content_of(folder)
    result = run(replaced(command, name, f"labels.txt/{name}"), code=1)
    assert_one_sentence(result, folder, before)
    if not command.startswith(("datasets import", "experiment")):
        message = "Cannot write to the folder labels.txt: Not a directory."
        assert message in result.stderr
