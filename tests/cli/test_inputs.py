"""No output takes the place of an input, and one that cannot be written is named."""

import os
import re
import shlex
import sys
from contextlib import suppress
from pathlib import Path

import click
import numpy as np
import pytest

from pbow import PersistenceBoW, save
from pbow.cli import inputs, main
from pbow.io import read_diagrams

SAME = [
    "fit diagrams.pbow -o diagrams.pbow",
    "fit diagrams.pbow -o link.pbow",
    "fit link.pbow -o diagrams.pbow",
    "fit diagrams.pbow -o ./../{folder}/diagrams.pbow",
    "fit folder -o folder/old.csv",
    "transform model.pbow old.csv -o old.csv",
    "transform model.pbow diagrams.pbow --names names.csv -o names.csv",
    "explore model.pbow diagrams.pbow -o model.pbow",
    "explore model.pbow diagrams.pbow --labels labels.txt -o labels.txt",
    "explore model.pbow diagrams.pbow --names labels.txt -o labels.txt",
    "homology cloud.csv --kind clouds -o cloud.csv",
    "homology folder --kind clouds -o folder/old.csv",
    "homology cloud.csv --kind clouds --names-out x.csv -o x.csv",
    "homology cloud.csv --kind clouds --names-out cloud.csv -o x.csv",
    "plot diagram diagrams.png -o diagrams.png",
    "plot classes model.pbow diagrams.pbow --labels labels.txt --names labels.svg "
    "-o labels.svg",
    "plot classes model.pbow diagrams.pbow --labels labels.svg -o labels.svg",
    "experiment report results --out results/declared.toml",
    "datasets shapes new.npy --labels new.npy",
    "datasets shapes cloud.npy --labels link.npy",
]


@pytest.fixture
def inputs_of_all(folder):
    """Files of every kind, and links to some."""
    for name in ("diagrams.png", "names.csv", "labels.svg", "cloud.npy"):
        (folder / name).write_bytes((folder / "diagrams.pbow").read_bytes())
    (folder / "folder").mkdir()
    for name in ("cloud.csv", "old.csv", "folder/old.csv"):
        np.savetxt(folder / name, np.eye(3), delimiter=",")
    (folder / "link.pbow").symlink_to("diagrams.pbow")
    (folder / "link.npy").symlink_to("cloud.npy")
    return folder


@pytest.mark.parametrize("command", SAME)
def test_an_output_that_is_an_input_is_refused(run, inputs_of_all, command):
    before = {path: path.read_bytes() for path in inputs_of_all.rglob("*.*")}
    result = run(command.format(folder=inputs_of_all.name), code=2)
    last = result.stderr.splitlines()[-1]
    assert last.startswith("Error: Cannot write ")
    assert last.endswith(
        "it is an input, or another output, of the same command. Name another file."
    )
    assert before == {path: path.read_bytes() for path in inputs_of_all.rglob("*.*")}


def test_diagrams_may_be_converted_in_their_place(run, folder):
    run("convert --parts H1 diagrams.pbow diagrams.pbow")


def test_a_new_file_may_lie_among_the_inputs(run, inputs_of_all):
    run("homology folder --kind clouds -o folder/x.pbow")


FULL = Path("/dev/full")
full_disk = pytest.mark.skipif(not FULL.exists(), reason="needs the device /dev/full")


@full_disk
@pytest.mark.parametrize(
    "command",
    [
        "fit diagrams.pbow --words 2 -o /dev/full",
        "convert --to csv diagrams.pbow /dev/full",
        "convert --to pbow diagrams.pbow /dev/full",
    ],
)
def test_a_full_disk_is_told_with_the_name_of_the_file(run, folder, command):
    result = run(command, code=1)
    assert result.stderr == "Error: /dev/full: No space left on device.\n"


@full_disk
@pytest.mark.parametrize(
    "command",
    [
        "convert diagrams.pbow -",
        "transform model.pbow diagrams.pbow -o -",
        "info diagrams.pbow",
        "info model.pbow --json",
        "fit diagrams.pbow --words 2 -o m.pbow --json",
        "datasets list",
    ],
)
def test_a_full_standard_output_is_called_so(folder, monkeypatch, command):
    monkeypatch.chdir(folder)
    full = FULL.open("w")
    monkeypatch.setattr(sys, "stdout", full)
    with pytest.raises(click.ClickException) as caught:
        main(shlex.split(command), standalone_mode=False)
    with suppress(OSError):  # what could not be written then cannot be now
        full.close()
    message = caught.value.message
    assert message == "the standard output: No space left on device."


def test_it_is_known_before_the_work_that_a_file_cannot_be_written(tmp_path):
    inputs.check_output(tmp_path / "new.txt")
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(IsADirectoryError, match="it is a folder"):
        inputs.check_output(tmp_path)
    with pytest.raises(OSError, match=r"to the folder .*nowhere: No such file"):
        inputs.check_output(tmp_path / "nowhere" / "new.txt")
    with pytest.raises(click.UsageError, match="to the standard output; name a file"):
        inputs.check_output(Path("-"))
    # A device may be written to by two names.
    inputs.check_output(Path(os.devnull), keep=[Path(os.devnull)])


@pytest.fixture
def labeled(tmp_path, X):
    """Diagrams in a .npz file with labels, and a model."""
    part = X["H1"]
    names = ["few", "many"]
    arrays = {"points": part.points, "offsets": part.offsets, "label_names": names}
    np.savez_compressed(tmp_path / "a.npz", **arrays, labels=[0] * 6 + [1] * 6)
    np.savez(tmp_path / "bare.npz", points=part.points, offsets=part.offsets)
    save(PersistenceBoW(3, random_state=0).fit(part), tmp_path / "model.pbow")
    return part


EVALUATE = "evaluate a.npz --folds 3 --words 2"


def test_labels_in_a_file_of_diagrams_are_used(run, labeled):
    result = run(EVALUATE)
    assert "12 diagrams with 2 labels" in result.stdout
    assert result.stderr == "Labels of a.npz\n"
    same = run("evaluate bare.npz --folds 3 --words 2 --labels a.npz")
    without_seconds = [
        re.sub(r"[0-9.]+$", "", output.stdout, flags=re.MULTILINE)
        for output in (result, same)
    ]
    assert without_seconds[0] == without_seconds[1]
    error = run("evaluate bare.npz --folds 3", code=2).stderr
    assert "Missing option '--labels': a file with one label per line" in error


def test_arrays_of_diagrams_are_read_by_every_command(run, labeled, tmp_path):
    run("fit a.npz --words 2 -o m.pbow")
    run("transform m.pbow a.npz -o v.npy")
    run("convert a.npz --name H1 -o b.pbow")
    assert read_diagrams("b.pbow") == labeled
    run("plot diagram a.npz -o d.png")
    run("plot classes m.pbow a.npz -o c.png")
    run("plot difference m.pbow a.npz --between few many -o c.png")
    run("explore m.pbow a.npz -o page.html")
    assert "many" in (tmp_path / "page.html").read_text(encoding="utf-8")
    found = run("info a.npz").stdout
    assert "diagrams, 12 samples" in found
    assert found.endswith("Labels: 6 few, 6 many\n")


@pytest.mark.parametrize(
    "command",
    [
        "transform a.npz model.pbow -o v.npy",
        "explore a.npz model.pbow -o p.html",
        "plot codebook a.npz -o c.png",
        "plot classes a.npz model.pbow --labels a.npz -o c.png",
    ],
)
def test_diagrams_in_the_place_of_a_model_are_told_so(run, labeled, command):
    error = run(command, code=1).stderr
    assert "The first argument is a model, which pbow fit writes" in error


def test_a_model_in_the_place_of_diagrams_is_told_so(run, labeled):
    for command in ("fit model.pbow -o m.pbow", "evaluate model.pbow --labels a.npz"):
        assert "it holds a model; expected diagrams" in run(command, code=1).stderr
