import json

import numpy as np
import pytest

from pbow.cli.descriptors import Descriptor

WORDS = ["evaluate", "diagrams.pbow", "--labels", "labels.txt", "--folds", "3"]


def test_a_table_has_one_row_per_descriptor(run, folder):
    result = run(*WORDS, "--words", "3")
    assert result.exit_code == 0, result.output
    caption, table = result.stdout.split("\n\n")
    assert caption.startswith("12 diagrams of 2 classes; linear SVM")
    head, *rows = table.splitlines()
    assert head.split() == ["descriptor", "accuracy,", "%", "features", "seconds"]
    assert [row.split()[:5] for row in rows] == [
        ["pbow", "100.0", "±", "0.0", "6"],
        ["spbow", "100.0", "±", "0.0", "6"],
    ]
    assert result.stderr == ""


@pytest.mark.parametrize("name", Descriptor("vectorizers", "kernels").classes())
def test_every_descriptor_separates_few_points_from_many(run, folder, name):
    # Components of a heat map are fewer than samples in training, and it says so.
    few = ["--set", "n_components=2"] if name == "riemannian" else []
    result = run(*WORDS, "--descriptor", name, "--json", *few)
    assert result.exit_code == 0, result.output
    [record] = json.loads(result.stdout)
    assert record["descriptor"] == name
    assert len(record["folds"]) == 3
    assert record["accuracy"] == pytest.approx(np.mean(record["folds"]))
    assert record["accuracy"] > 0.6
    assert (record["features"] == 0) == (name in Descriptor("kernels").classes())


def test_a_setting_is_of_those_that_have_it(run, folder):
    both = ["--descriptor", "pbow", "--descriptor", "image", "--json"]
    result = run(*WORDS, *both, "--words", "2", "--set", "resolution=4")
    bow, image = json.loads(result.stdout)
    assert (bow["features"], image["features"]) == (4, 32)
    result = run(*WORDS, "--descriptor", "image", "--words", "2")
    assert result.exit_code == 2
    assert "image has no parameter n_words" in result.stderr
    result = run(*WORDS, "--set", "bins=3")
    assert "Error: pbow and spbow have no parameter bins; known" in result.stderr


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        (["a"] * 12, "at least two classes to separate; got 1."),
        (["a"] * 10 + ["b b"] * 2, "are 2 of 'b b'. Take fewer folds, or"),
        (["a"] * 6, "one label for each of the 12 samples; y.txt has 6."),
    ],
)
def test_labels_must_be_of_use(run, folder, labels, message):
    (folder / "y.txt").write_text("\n".join(labels))
    result = run("evaluate", "diagrams.pbow", "--labels", "y.txt", "--folds", "3")
    assert result.exit_code == 1
    assert message in result.stderr


def test_labels_go_by_name_whatever_their_order(run, folder, rng):
    labels = (folder / "labels.txt").read_text().splitlines()
    names = [f"c{i}.csv" for i in range(12)]
    rows = [f"{name},{label}" for name, label in zip(names, labels, strict=True)]
    (folder / "names.txt").write_text("\n".join(names))
    (folder / "y.csv").write_text("\n".join(["file,label", *rng.permutation(rows)]))
    words = ["evaluate", "diagrams.pbow", "--folds", "3", "--words", "3", "--json"]
    named = json.loads(run(*words, "--labels", "y.csv", "--names", "names.txt").stdout)
    plain = json.loads(run(*words, "--labels", "labels.txt").stdout)
    assert [r["folds"] for r in named] == [r["folds"] for r in plain]
