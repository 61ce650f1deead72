"""No output takes the place of an input, and one that cannot be written is named."""

import os
import shlex
import sys
from contextlib import suppress
from pathlib import Path

import click
import numpy as np
import pytest

from pbow.cli import inputs, main

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
