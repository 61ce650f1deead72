import json
from dataclasses import asdict

import numpy as np
import pytest
from tests.datasets.layouts import graph_arrays, write

from pbow import Diagrams, save
from pbow.io import describe, write_diagrams
from pbow.kernels import MultiScaleKernel
from pbow.preprocessing import Rescale


def look(run, path, **kwargs):
    return json.loads(run("info --json", path, **kwargs).stdout)


def test_people_get_a_table_and_warnings_and_programs_json(run, tmp_path):
    X = Diagrams.from_list([[[0, 2], [1, np.inf]], []])
    write_diagrams(X, tmp_path / "x.pbow")
    head, columns, row, warning = run("info x.pbow").stdout.splitlines()
    assert head.startswith("x.pbow: diagrams, 2 samples, ")
    assert columns.split()[:4] == ["part", "points", "essential", "empty"]
    assert " ".join(row.split()) == "(unnamed) 2 1 1 0 to 2 0 to 1 2 2"
    assert warning == "Warning: the collection has no point in 1 of 2 diagrams."
    found = look(run, "x.pbow")
    assert (found["kind"], found["file"]) == ("diagrams", "x.pbow")
    assert found["bytes"] == (tmp_path / "x.pbow").stat().st_size
    facts = json.loads(json.dumps(asdict(describe(X))))
    assert {name: found[name] for name in facts} == facts


def test_parts_with_locations_are_located(run, tmp_path):
    X = Diagrams([[0, 1]], [0, 1], name="H0", locations=[[[4], [7]]])
    write_diagrams(X, tmp_path / "x.pbow")
    assert " 1 located " in run("info x.pbow").stdout
    assert look(run, "x.pbow")["parts"]["H0"]["located"] is True


def test_a_collection_without_samples_is_shown(run, tmp_path):
    write_diagrams(Diagrams.from_list([]), tmp_path / "x.pbow")
    assert "Warning: there is no sample." in run("info x.pbow").stdout


def test_diagrams_may_come_by_a_pipe(run, tmp_path):
    found = look(run, "-", input="sample,part,birth,death\n0,H1,0,1\n")
    assert (found["samples"], found["bytes"]) == (1, None)


def test_a_model_is_named_with_parameters_and_features(run, folder):
    found = look(run, "model.pbow")
    assert (found["kind"], found["class"]) == ("model", "PersistenceBoW")
    assert found["parts"] == ["H0", "H1"]
    assert found["features"] == 6
    assert found["features_by_part"] == {"H0": 3, "H1": 3}
    assert found["parameters"]["n_words"] == 3
    lines = run("info", "model.pbow").stdout.splitlines()
    assert lines[0].startswith("model.pbow: a fitted PersistenceBoW, ")
    shown = [" ".join(line.split()) for line in lines]
    assert shown[1:5] == [
        "parts H0, H1",
        "features 6",
        "features of H0 3",
        "features of H1 3",
    ]


def test_the_words_of_each_resolution_are_shown(run, folder):
    assert look(run, "several.pbow")["words_by_part"] == {"H0": [3], "H1": [2, 5]}
    lines = run("info several.pbow").stdout.splitlines()
    shown = [" ".join(line.split()) for line in lines]
    assert shown[3:7] == [
        "features of H0 3",
        "features of H1 7",
        "words of H0 3",
        "words of H1 2, 5",
    ]


def test_models_without_words_have_features_too(run, folder):
    found = look(run, "statistics.pbow")
    assert found["features"] == sum(found["features_by_part"].values()) > 0
    assert found["words_by_part"] == {}
    text = run("info", "statistics.pbow").stdout
    assert "features of H1 " in text
    assert "words of" not in text


@pytest.mark.parametrize(
    ("model", "features"), [(Rescale(), None), (MultiScaleKernel(), 12)]
)
def test_models_whose_features_are_of_no_part_are_shown_too(run, X, model, features):
    save(model.fit(X), "other.pbow")
    found = look(run, "other.pbow")
    assert (found["features"], found["features_by_part"]) == (features, {})
    assert "features of" not in run("info", "other.pbow").stdout


def test_the_arrays_of_a_data_set_are_listed_with_its_classes(run, tmp_path):
    write(tmp_path, "graphs_TINY", graph_arrays())
    found = look(run, "graphs_TINY.npz")
    assert found["kind"] == "arrays"
    assert found["arrays"]["num_nodes"] == {"dtype": "int32", "shape": [8]}
    assert found["classes"] == {"class 0": 4, "class 1": 4}
    text = run("info", "graphs_TINY.npz").stdout
    assert text.endswith("Labels: 4 class 0, 4 class 1\n")


def test_of_arrays_only_the_labels_are_read(run, tmp_path):
    arrays = {
        "objects": np.array([{}]),  # never unpickled
        "labels": np.array(["b", "a", "b"]),
        "label_names": np.zeros((2, 2)),
        "number": np.float32(1.0),
    }
    np.savez(tmp_path / "x.npz", **arrays)
    found = look(run, "x.npz")
    assert {name: tuple(facts["shape"]) for name, facts in found["arrays"].items()} == {
        name: array.shape for name, array in arrays.items()
    }
    assert found["arrays"]["objects"]["dtype"] == "object"
    assert found["classes"] == {"a": 1, "b": 2}
    np.savez(tmp_path / "y.npz", labels=np.zeros((2, 2)))
    assert look(run, "y.npz")["classes"] == {}


def test_arrays_that_unfold_into_far_more_than_the_file_are_refused(run, tmp_path):
    np.savez_compressed(tmp_path / "x.npz", labels=np.zeros(20_000_000, np.int64))
    message = run("info x.npz", code=1).stderr
    assert "Cannot read x.npz: its member 'labels.npy' claims to unfold" in message


def test_the_results_of_an_experiment_are_counted(run, folder):
    found = look(run, "results")
    assert (found["kind"], found["title"], found["runs"]) == ("results", "Tiny", 0)
    assert [cell["complete"] for cell in found["cells"]] == [False]
    lines = run("info", "results").stdout.splitlines()
    assert lines[0] == "results: results of Tiny"
    assert lines[-1].endswith("no")
