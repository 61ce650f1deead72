import json

import numpy as np
import pytest
from click.testing import CliRunner
from numpy.testing import assert_array_equal
from tests.datasets.layouts import graph_arrays, write

from pbow.cli import main
from pbow.datasets import SHAPE_NAMES, load_dataset, make_shapes


@pytest.fixture
def run(tmp_path, monkeypatch):
    """Run the command with a cache of its own and no data folder."""
    monkeypatch.setenv("PBOW_CACHE", str(tmp_path / "cache"))
    monkeypatch.delenv("PBOW_DATA", raising=False)
    return lambda *arguments: CliRunner().invoke(
        main, ["datasets", *map(str, arguments)], prog_name="pbow"
    )


@pytest.fixture
def folder(tmp_path):
    data = tmp_path / "data"
    write(data, "graphs_MUTAG", graph_arrays())
    (data / "graphs_PROTEINS.npz").write_bytes(b"no zip")
    return data


def test_the_list_says_what_is_available_and_how_to_get_the_rest(run, folder):
    result = run("list", "--data-home", folder)
    assert result.exit_code == 0, result.output
    table, *notes = result.stdout.rstrip().split("\n\n")
    head, *rows = table.splitlines()
    assert head.split("  ")[0] == "data set"
    cells = {row.split()[0]: row.split()[1:] for row in rows}
    assert cells["mutag"][:2] == ["8", "2"]
    assert cells["mutag"][3] in {"kB", "MB"}
    assert cells["synthetic"][:2] == ["300", "6"]
    assert cells["geomat"][:2] == ["not", "available"]
    assert "Stand-in for GeoMat:" in " ".join(cells["geomat-standin"])
    by_name = dict(note.split(": ", 1) for note in notes)
    assert set(by_name) == {*cells} - {"mutag", "synthetic"}
    assert "pbow datasets import geomat --from PATH" in by_name["geomat"]
    assert "graphs_PROTEINS.npz: it is damaged" in by_name["proteins"]
    assert result.stderr == ""


def test_the_list_can_be_printed_as_json(run, folder, monkeypatch):
    monkeypatch.setenv("PBOW_DATA", str(folder))
    records = {
        record["name"]: record for record in json.loads(run("list", "--json").stdout)
    }
    assert records["mutag"]["n_samples"] == 8
    assert records["mutag"]["path"] == str(folder / "graphs_MUTAG.npz")
    assert records["geomat"]["is_here"] is False
    assert records["geomat-standin"]["stand_in_for"] == "GeoMat"


def test_a_folder_that_is_none_is_one_sentence(run, tmp_path):
    result = run("list", "--data-home", tmp_path / "nowhere")
    assert result.exit_code == 1
    assert result.stdout == ""
    [line] = result.stderr.splitlines()
    assert line.startswith("Error: Data home is ")


def write_tu(folder, name):
    folder.mkdir()
    for kind, text in {
        "A": "1, 2\n2, 1\n3, 4\n4, 3\n",
        "graph_indicator": "1\n1\n2\n2\n",
        "graph_labels": "0\n1\n",
    }.items():
        (folder / f"{name}_{kind}.txt").write_text(text)


def test_what_is_imported_is_listed_and_loaded_and_its_file_is_printed(run, tmp_path):
    write_tu(tmp_path / "TINY", "TINY")
    result = run("import", "tiny", "--from", tmp_path / "TINY")
    assert result.exit_code == 0, result.output
    path = tmp_path / "cache" / "imported" / "graphs_TINY.npz"
    assert result.stdout == f"{path}\n"
    assert path.is_file()
    records = json.loads(run("list", "--json").stdout)
    assert (records[-1]["name"], records[-1]["n_samples"]) == ("tiny", 2)
    assert len(load_dataset("TINY")) == 2


def test_it_can_be_imported_to_another_folder(run, tmp_path):
    write_tu(tmp_path / "TINY", "TINY")
    result = run("import", "tiny", "--from", tmp_path / "TINY", "--to", tmp_path / "x")
    assert result.stdout == f"{tmp_path / 'x' / 'graphs_TINY.npz'}\n"


def test_a_release_that_is_not_there_is_one_sentence(run, tmp_path):
    result = run("import", "mutag", "--from", tmp_path / "nowhere")
    assert result.exit_code == 1
    assert result.stdout == ""
    assert result.stderr.splitlines()[-1].startswith("Error: ")
    assert not (tmp_path / "cache").exists()


@pytest.mark.parametrize(
    "arguments", [["import"], ["import", "mutag"], ["list", "--x"]]
)
def test_wrong_arguments_end_with_code_2(run, arguments):
    result = run(*arguments)
    assert result.exit_code == 2
    assert "Usage: pbow datasets" in result.stderr


def test_clouds_and_labels_are_those_of_the_function(run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    words = ["--per-class", "2", "--points", "30", "--seed", "4"]
    result = run("shapes", "c.npy", "--labels", "y.txt", *words)
    assert result.exit_code == 0, result.output
    clouds, labels = make_shapes(2, 30, random_state=4)
    assert_array_equal(np.load("c.npy"), clouds)
    names = (tmp_path / "y.txt").read_text().splitlines()
    assert names == [SHAPE_NAMES[label] for label in labels]
    assert (result.stdout, result.stderr) == ("", "c.npy: 12 clouds of 30 points\n")


def test_only_arrays_are_written(run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    result = run("shapes", "c.csv", "--labels", "y.txt")
    assert result.exit_code == 2
    assert "Expected CLOUDS to be a .npy file; got c.csv." in result.stderr
    assert list(tmp_path.iterdir()) == []
