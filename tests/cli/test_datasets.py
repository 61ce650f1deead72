import json
import os
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from tests.datasets.layouts import graph_arrays, write

from pbow.datasets import SHAPE_NAMES, load_dataset, make_shapes


@pytest.fixture(autouse=True)
def data(tmp_path, monkeypatch):
    """A folder of data sets that no variable names."""
    monkeypatch.delenv("PBOW_DATA", raising=False)
    data = tmp_path / "data"
    write(data, "graphs_MUTAG", graph_arrays())
    (data / "graphs_PROTEINS.npz").write_bytes(b"no zip")
    return data


def test_the_list_says_what_is_available_and_how_to_get_the_rest(run):
    result = run("datasets list --data-home data")
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


def test_the_list_can_be_printed_as_json(run, data, monkeypatch):
    monkeypatch.setenv("PBOW_DATA", str(data))
    found = json.loads(run("datasets list --json").stdout)
    records = {record["name"]: record for record in found}
    assert records["mutag"]["n_samples"] == 8
    assert records["mutag"]["path"] == str(data / "graphs_MUTAG.npz")
    assert records["geomat"]["is_here"] is False
    assert records["geomat-standin"]["stand_in_for"] == "GeoMat"


def test_what_is_imported_is_listed_and_loaded_and_its_file_is_printed(run, tmp_path):
    (tmp_path / "TINY").mkdir()
    for kind, text in {
        "A": "1, 2\n2, 1\n3, 4\n4, 3\n",
        "graph_indicator": "1\n1\n2\n2\n",
        "graph_labels": "0\n1\n",
    }.items():
        (tmp_path / "TINY" / f"TINY_{kind}.txt").write_text(text)
    result = run("datasets import tiny --from TINY")
    path = Path(os.environ["PBOW_CACHE"], "imported", "graphs_TINY.npz")
    assert result.stdout == f"{path}\n"
    assert path.is_file()
    records = json.loads(run("datasets list --json").stdout)
    assert (records[-1]["name"], records[-1]["n_samples"]) == ("tiny", 2)
    assert len(load_dataset("TINY")) == 2
    result = run("datasets import tiny --from TINY --to x")
    assert result.stdout == "x/graphs_TINY.npz\n"


def test_clouds_and_labels_are_those_of_the_function(run, tmp_path):
    words = "--labels y.txt --per-class 2 --points 30 --seed 4"
    result = run(f"datasets shapes c.npy {words}")
    clouds, labels = make_shapes(2, 30, random_state=4)
    assert_array_equal(np.load("c.npy"), clouds)
    names = (tmp_path / "y.txt").read_text().splitlines()
    assert names == [SHAPE_NAMES[label] for label in labels]
    assert (result.stdout, result.stderr) == ("", "c.npy: 12 clouds of 30 points\n")
