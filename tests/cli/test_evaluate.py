import json

import numpy as np
import pytest

from pbow import evaluation
from pbow.cli.descriptors import Descriptor
from pbow.cli.evaluate import CLASSIFIERS

FOLDS = "evaluate diagrams.pbow --folds 3 "
LABELED = FOLDS + "--labels labels.txt "


def test_a_table_has_one_row_per_descriptor(run, folder):
    result = run(LABELED + "--words 3")
    caption, table = result.stdout.split("\n\n")
    assert caption.startswith("12 diagrams with 2 labels; linear SVM")
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
    few = "--set n_components=2" if name == "riemannian" else ""
    [record] = json.loads(run(f"{LABELED} --descriptor {name} --json {few}").stdout)
    assert record["descriptor"] == name
    assert len(record["folds"]) == 3
    assert record["accuracy"] == pytest.approx(np.mean(record["folds"]))
    # Residuals to words that are the points themselves are zero, however many.
    assert record["accuracy"] > 0.6 or "vlad" in name or name == "fisher"
    assert (record["features"] == 0) == (name in Descriptor("kernels").classes())


def test_a_setting_is_of_those_that_have_it(run, folder):
    both = "--descriptor pbow --descriptor image --words 2 --set resolution=4"
    bow, image = json.loads(run(LABELED + both, "--json").stdout)
    assert (bow["features"], image["features"]) == (4, 32)


@pytest.mark.parametrize("classifier", CLASSIFIERS)
def test_the_output_names_the_classifier(run, folder, classifier):
    chosen = f"{LABELED} --words 3 --classifier {classifier}"
    result = run(chosen)
    caption = result.stdout.split("\n\n")[0]
    assert f"2 labels; {CLASSIFIERS[classifier]}, mean and" in caption
    assert "of 3 stratified folds. Descriptor and C (0.1 to 1000, by 5-fold" in caption
    assert result.stderr == ""
    records = json.loads(run(chosen, "--json").stdout)
    assert [record["classifier"] for record in records] == [classifier] * 2
    assert all(record["accuracy"] > 0.9 for record in records)


def test_the_classifiers_are_those_of_the_library():
    assert tuple(CLASSIFIERS) == evaluation.CLASSIFIERS


def test_a_kernel_keeps_its_similarity_and_says_so(run, folder):
    both = LABELED + "--words 3 --descriptor pbow --descriptor swk "
    plain = json.loads(run(both, "--json").stdout)
    result = run(both + "--classifier distance", "--json")
    records = json.loads(result.stdout)
    assert [record["classifier"] for record in plain] == ["linear", "kernel"]
    assert [record["classifier"] for record in records] == ["distance", "kernel"]
    assert plain[1]["folds"] == records[1]["folds"]
    assert result.stderr == "swk: own similarity, --classifier does not apply\n"
    caption = run(both).stdout.split("\n\n")[0]
    assert "; linear SVM (for kernels, SVM with that kernel), mean and" in caption


def test_kernels_alone_take_no_classifier(run, folder):
    kernel = LABELED + "--descriptor swk "
    caption = run(kernel).stdout.split("\n\n")[0]
    assert "; SVM with the descriptor's kernel, mean and" in caption
    error = run(kernel + "--classifier rbf", code=2).stderr
    assert "swk compares diagrams by its own similarity. Leave --classifier" in error


def test_labels_go_by_name_whatever_their_order(run, folder):
    named = "--labels labels.csv --names names.txt"
    results = [
        json.loads(run(FOLDS + labels, "--words", 3, "--json").stdout)
        for labels in (named, "--labels labels.txt")
    ]
    first, second = ([record["folds"] for record in found] for found in results)
    assert first == second
