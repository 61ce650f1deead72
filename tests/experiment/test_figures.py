from dataclasses import replace

import numpy as np
import pytest
from tests.experiment.fake_runs import declared, made_up

from pbow.experiment.figures import make_figures
from pbow.experiment.runs import FINAL

pytest.importorskip("matplotlib")

SHAPES = """
[datasets.noisy-shapes]
title = "Noisy shapes"
shapes = { n_per_class = 3, n_points = 40, random_state = 0 }
"""

DESCRIPTORS = """
[descriptors.PI]
make = "PersistenceImage.paper"
grid = { resolution = [5, 10] }
[descriptors.PBoW]
make = "PersistenceBoW.paper"
grid = { n_words = [5, 10], weighting = ["ramp", "uniform"] }
"""

# Most often the second class is taken for the fifth.
CONFUSION = 5 * np.eye(6, dtype=int)
CONFUSION[1, 4] = 3


def results(experiment, **options):
    """Return made-up runs whose final ones have a confusion matrix."""
    runs = made_up(experiment, lambda *_: 0.7, **options)
    for key, run in runs.items():
        if run.stage == FINAL:
            runs[key] = replace(run, confusion=CONFUSION.tolist())
    return runs


def names_of(made):
    return [figure.name for figure in made.figures]


def test_an_experiment_on_shapes_has_all_figures_but_the_one_of_sizes(tmp_path):
    pytest.importorskip("gudhi")
    experiment = declared(tmp_path, SHAPES + DESCRIPTORS)
    made = make_figures(experiment, results(experiment))
    assert names_of(made) == [
        "pipeline",
        "rips_stages",
        "shapes",
        "accuracy_by_codebook_size",
        "class_histograms_noisy-shapes",
        "confusion_noisy-shapes",
        "class_differences_noisy-shapes",
        "accuracy_against_time",
    ]
    assert set(made.left_out) == {"time against size"}
    assert "circle" in made.figures[6].caption
    assert "clusters of clusters" in made.figures[6].caption


def test_data_that_are_not_there_leave_out_what_needs_them_only(tmp_path, monkeypatch):
    monkeypatch.delenv("PBOW_DATA", raising=False)
    monkeypatch.setenv("PBOW_CACHE", str(tmp_path / "cache"))
    text = '[datasets.synthetic]\nload = "synthetic-authors"\n' + DESCRIPTORS
    experiment = declared(tmp_path, text)
    made = make_figures(experiment, results(experiment), data_home=tmp_path)
    assert set(made.left_out) == {
        "the pipeline",
        "average histograms of classes",
        "confusion matrices",
        "differences of classes",
        "time against size",
    }
    made.left_out.pop("time against size")
    assert all("synthetic" in reason for reason in made.left_out.values())
    assert "accuracy_by_codebook_size" in names_of(made)
    assert "shapes" in names_of(made)


def test_without_runs_the_figures_of_results_are_left_out(tmp_path):
    pytest.importorskip("gudhi")
    experiment = declared(tmp_path, SHAPES + DESCRIPTORS)
    made = make_figures(experiment, {})
    assert set(made.left_out) == {
        "accuracy by codebook size",
        "confusion matrices",
        "differences of classes",
        "accuracy against time",
        "time against size",
    }
    assert "needs runs" in made.left_out["accuracy against time"]


TWO_SETS = """
[datasets.first]
surfaces = { n_diagrams = 12, n_points = 30 }
[datasets.geomat-like]
surfaces = { n_diagrams = 12, n_points = 30, random_state = 1 }
"""


@pytest.mark.parametrize(
    ("without", "expected"),
    [([], "geomat-like"), (["geomat-like/PI"], "first")],
)
def test_confusions_are_of_geomat_or_else_of_what_is_done(tmp_path, without, expected):
    experiment = declared(tmp_path, TWO_SETS + DESCRIPTORS)
    runs = results(experiment, without=without)
    for key, run in runs.items():
        if run.confusion is not None:
            runs[key] = replace(run, confusion=[[2, 1], [0, 3]])
    names = names_of(make_figures(experiment, runs))
    assert [name for name in names if "conf" in name] == [f"confusion_{expected}"]
    assert f"class_differences_{expected}" in names


def test_an_experiment_of_sizes_has_the_figure_of_times_alone(tmp_path):
    text = TWO_SETS + '[descriptors.PBoW]\nmake = "PersistenceBoW.paper"\n'
    experiment = declared(tmp_path, text)
    made = make_figures(experiment, results(experiment))
    assert names_of(made) == ["time_against_size"]


def test_figures_go_by_what_a_descriptor_is_and_not_by_its_name(tmp_path):
    other = DESCRIPTORS.replace("descriptors.PI", "descriptors.pixels").replace(
        "descriptors.PBoW", "descriptors.words"
    )
    experiment = declared(tmp_path, TWO_SETS + other)
    runs = results(experiment)
    for key, run in runs.items():
        if run.confusion is not None:
            runs[key] = replace(run, confusion=[[2, 1], [0, 3]])
    made = make_figures(experiment, runs)
    captions = {figure.name: figure.caption for figure in made.figures}
    assert list(captions) == [
        "accuracy_by_codebook_size",
        "confusion_geomat-like",
        "class_differences_geomat-like",
        "accuracy_against_time",
        "time_against_size",
    ]
    assert captions["accuracy_by_codebook_size"].endswith("PBoW is the row 'words'.")
    assert captions["time_against_size"].endswith("PBoW is the row 'words'.")
    assert captions["accuracy_against_time"].endswith(
        "PI is the row 'pixels', PBoW is the row 'words'."
    )
    for figure in made.figures:
        figure.draw()


def test_an_experiment_without_any_figure_says_so_of_each(tmp_path):
    text = """
    [datasets.own]
    diagrams = "own.pbow"
    labels = "own.txt"
    [descriptors.Statistics]
    make = "PersistenceStatistics"
    """
    made = make_figures(declared(tmp_path, text), {})
    assert made.figures == []
    assert len(made.left_out) == 9
    assert "data set of shapes" in made.left_out["the six shapes"]
    assert "PersistenceImage" in made.left_out["confusion matrices"]
    assert "PersistenceBoW" in made.left_out["accuracy by codebook size"]
    assert "surfaces" in made.left_out["time against size"]
