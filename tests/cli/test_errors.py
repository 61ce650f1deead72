"""Whatever goes wrong: one sentence, code 1 or 2, and no file that was not there."""

import shlex

import numpy as np
import pytest

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
    "experiment estimate declared.toml",
    "experiment table results",
    "experiment figures results",
    "experiment report results",
    "experiment pack results",
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
    "info arrays.npz": "numpy.load",
    "evaluate": "pbow.experiment.cross_validate",
    "demo": "pbow.demo.make_diagrams",
    "datasets import": "pbow.datasets.import_dataset",
    "experiment run": "pbow.experiment.run_experiment",
    "experiment estimate": "pbow.experiment.estimate_work",
    "experiment table": "pbow.experiment.make_table",
    "experiment figures": "pbow.experiment.figures.make_figures",
    "experiment report": "pbow.experiment.figures.make_figures",
    "experiment pack": "pbow.experiment.Folder.pack",
}
DECLARATION = """
title = "Tiny"
repetitions = 1

[datasets.shapes]
shapes = { n_per_class = 12, n_points = 20, random_state = 0 }
protocol = "50/50"

[descriptors.PBoW]
make = "PersistenceBoW"
"""
TRIANGLE = "OFF 3 1 3\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n"


@pytest.fixture
def full(folder, square, monkeypatch):
    """A folder with every input; what is in it must stay as it is."""
    for module in ("gudhi", "matplotlib", "plotly"):
        pytest.importorskip(module)
    monkeypatch.setenv("PBOW_CACHE", str(folder.parent / "cache"))
    np.save(folder / "clouds.npy", [square])
    np.save(folder / "images.npy", [square])
    np.savez(folder / "arrays.npz", points=square)
    (folder / "graph.txt").write_text("0 1\n")
    (folder / "mesh.off").write_text(TRIANGLE)
    (folder / "declared.toml").write_text(DECLARATION)
    (folder / "results").mkdir()
    (folder / "results" / "experiment.toml").write_text(DECLARATION)
    return folder


def content_of(folder):
    return {
        path.relative_to(folder): path.read_bytes() if path.is_file() else None
        for path in folder.rglob("*")
    }


def assert_one_sentence(result, folder, before):
    assert result.exit_code in {1, 2}, result.output
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
    return [new if word == old else word for word in shlex.split(command)]


BAD_INPUTS = {
    "a bad path": None,
    "a wrong file": b"\x89PNG\r\n\x1a\n\x00\xff",
    "an empty file": b"",
}
WITH_INPUT = [
    (command, name)
    for command in COMMANDS
    for name in shlex.split(command)
    if name in INPUTS
]
WITH_OUTPUT = [
    (command, name)
    for command in COMMANDS
    for name in shlex.split(command)
    if name.startswith("out")
]
CASES = [
    *((command, name, kind) for command, name in WITH_INPUT for kind in BAD_INPUTS),
    *((command, name, "no folder to write to") for command, name in WITH_OUTPUT),
    *((command, "", "Ctrl-C") for command in COMMANDS),
]


@pytest.mark.parametrize(("command", "name", "trouble"), CASES)
def test_trouble_is_one_sentence_and_leaves_no_file(
    run, full, monkeypatch, command, name, trouble
):
    words = shlex.split(command)
    if trouble == "Ctrl-C":
        interrupt(monkeypatch, command)
    elif trouble == "no folder to write to":
        words = replaced(command, name, f"labels.txt/{name}")
    else:
        ending = name.partition(".")[2]
        bad = f"bad.{ending}" if ending else "bad"
        if BAD_INPUTS[trouble] is not None:
            (full / bad).write_bytes(BAD_INPUTS[trouble])
        words = replaced(command, name, bad)
    before = content_of(full)
    result = run(*words)
    if trouble == "Ctrl-C":
        assert (result.exit_code, result.stdout) == (130, "")
        assert result.stderr == "Interrupted.\n"
        assert content_of(full) == before
    else:
        assert_one_sentence(result, full, before)


def interrupt(monkeypatch, command):
    def interrupted(*_, **__):
        raise KeyboardInterrupt

    begins = [start for start in INTERRUPTED_AT if command.startswith(start)]
    target = INTERRUPTED_AT[begins[0]] if begins else "os.fsync"
    monkeypatch.setattr(target, interrupted)


@pytest.mark.parametrize(
    ("command", "name"),
    [
        (command, name)
        for command, name in WITH_OUTPUT
        if not command.startswith(("datasets import", "experiment"))
    ],
)
def test_an_output_that_cannot_be_written_is_told_before_the_work(
    run, folder, command, name
):
    """No input is there either, and nobody has looked yet."""
    for path in folder.glob("*.pbow"):
        path.unlink()
    result = run(*replaced(command, name, f"labels.txt/{name}"))
    assert result.exit_code == 1
    assert "Cannot write to the folder labels.txt: Not a directory." in result.stderr
