import json

import numpy as np
import pytest
from tests.datasets.layouts import graph_arrays, write

from pbow import Diagrams, save
from pbow.io import write_diagrams
from pbow.preprocessing import Rescale
from pbow.vectorizers import PersistenceStatistics

DECLARATION = """
title = "Tiny"
repetitions = 1

[datasets.shapes]
shapes = { n_per_class = 12, n_points = 20, random_state = 0 }
protocol = "50/50"

[descriptors.PBoW]
make = "PersistenceBoW"
"""


def look(run, path, **kwargs):
    result = run("info", path, "--json", **kwargs)
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)


def test_diagrams_are_counted_part_by_part(run, tmp_path):
    X = Diagrams.from_parts(
        {
            "H0": [[[0, 2], [0, np.inf]], [[0, np.inf]]],
            "H1": [[], [[1, 1.5], [2, 2]]],
        }
    )
    write_diagrams(X, tmp_path / "x.csv")
    found = look(run, "x.csv")
    assert (found["kind"], found["samples"]) == ("diagrams", 2)
    assert found["bytes"] == (tmp_path / "x.csv").stat().st_size
    assert found["parts"]["H0"] == {
        "points": 3,
        "essential": 2,
        "empty": 0,
        "on_diagonal": 0,
        "sizes": [1, 2],
        "births": [0.0, 0.0],
        "deaths": [2.0, 2.0],
        "persistences": [2.0, 2.0],
        "median_death": 2.0,
    }
    assert found["parts"]["H1"]["empty"] == 1
    assert found["parts"]["H1"]["persistences"] == [0.0, 0.5]
    assert found["warnings"] == [
        "H1 has no point in 1 of 2 diagrams.",
        "H1 has 1 point on the diagonal, with persistence 0.",
    ]


def test_people_get_a_table_and_warnings(run, tmp_path):
    write_diagrams([[[0, 2], [1, np.inf]], []], tmp_path / "x.pbow")
    head, columns, row, warning = run("info", "x.pbow").stdout.splitlines()
    assert head.startswith("x.pbow: diagrams, 2 samples, ")
    assert columns.split()[:4] == ["part", "points", "essential", "empty"]
    assert " ".join(row.split()) == "H1 2 1 1 0 to 2 0 to 1 2 2"
    assert warning == "Warning: H1 has no point in 1 of 2 diagrams."


def test_good_diagrams_give_no_warning(run, folder):
    assert look(run, "diagrams.pbow")["warnings"] == []


def test_a_collection_without_samples_is_shown(run, tmp_path):
    write_diagrams(Diagrams.from_list([]), tmp_path / "x.pbow")
    assert "Warning: there is no sample." in run("info", "x.pbow").stdout


def test_diagrams_may_come_by_a_pipe(run, tmp_path):
    found = look(run, "-", input="sample,part,birth,death\n0,H1,0,1\n")
    assert (found["samples"], found["bytes"]) == (1, None)


def test_a_model_is_named_with_parameters_and_words(run, folder):
    found = look(run, "model.pbow")
    assert (found["kind"], found["class"]) == ("model", "PersistenceBoW")
    assert found["parts"] == ["H0", "H1"]
    assert found["words"] == {"H0": 3, "H1": 3}
    assert found["features"] == 6
    assert found["parameters"]["n_words"] == 3
    lines = run("info", "model.pbow").stdout.splitlines()
    assert lines[0].startswith("model.pbow: a fitted PersistenceBoW, ")
    assert "words         3 for H0, 3 for H1" in lines


@pytest.mark.parametrize("cls", [PersistenceStatistics, Rescale])
def test_models_without_words_are_shown_too(run, tmp_path, X, cls):
    save(cls().fit(X), tmp_path / "m.pbow")
    assert look(run, "m.pbow")["words"] == {}
    assert "words" not in run("info", "m.pbow").stdout


def test_the_arrays_of_a_data_set_are_listed_with_its_classes(run, tmp_path):
    write(tmp_path, "graphs_TINY", graph_arrays())
    found = look(run, "graphs_TINY.npz")
    assert found["kind"] == "arrays"
    assert found["arrays"]["num_nodes"] == {"dtype": "int32", "shape": [8]}
    assert found["classes"] == {"class 0": 4, "class 1": 4}
    text = run("info", "graphs_TINY.npz").stdout
    assert text.endswith("Classes: 4 class 0, 4 class 1\n")


def test_what_is_not_text_is_one_sentence(run, tmp_path):
    (tmp_path / "a.csv").write_bytes(b"\xf3\x28\x00" * 50)
    result = run("info", "a.csv")
    assert result.exit_code == 1
    assert result.stderr.startswith("Error: Cannot read a.csv: ")


def test_a_damaged_data_set_is_one_sentence(run, tmp_path):
    (tmp_path / "a.npz").write_bytes(b"no zip")
    np.save(tmp_path / "b.npy", np.zeros(3))
    (tmp_path / "b.npy").rename(tmp_path / "b.npz")
    for name in ("a.npz", "b.npz"):
        result = run("info", name)
        assert result.exit_code == 1
        assert result.stderr.startswith(f"Error: Cannot read {name}: ")


def test_the_results_of_an_experiment_are_counted(run, tmp_path):
    pytest.importorskip("gudhi")
    (tmp_path / "results").mkdir()
    (tmp_path / "results" / "experiment.toml").write_text(DECLARATION)
    found = look(run, "results")
    assert (found["kind"], found["title"], found["runs"]) == ("results", "Tiny", 0)
    assert [cell["is_complete"] for cell in found["cells"]] == [False]
    lines = run("info", "results").stdout.splitlines()
    assert lines[0] == "results: results of Tiny"
    assert lines[-1].endswith("no")
