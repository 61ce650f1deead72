"""Pictures are tested by what is drawn, and not by pixels."""

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose
from tests.experiment.fake_runs import declared, made_up

from pbow.experiment.figures.curves import (
    COLOURS,
    accuracy_against_time,
    accuracy_by_codebook_size,
)
from pbow.experiment.figures.figure import CannotDraw

pytest.importorskip("matplotlib")

TEXT = """
repetitions = 3
[classifier]
screen_rows = 700
screen_iterations = 4000
[datasets.first]
title = "First"
shapes = {}
[datasets.second]
title = "Second stand-in"
shapes = { random_state = 1 }
repetitions = 2

[descriptors.PI]
make = "PersistenceImage.paper"
grid = { resolution = [10, 20], sigma = [0.5, 1.0] }

[descriptors.PBoW]
make = "PersistenceBoW.paper"
[descriptors.PBoW.grid]
n_words = [40, 10, 20]
weighting = ["ramp", "uniform"]
sample_size = [1000, 2000, 5000]
[descriptors.PBoW.on.first]
optimum = { n_words = 10, weighting = "ramp", sample_size = 5000 }

[descriptors.sPBoW]
make = "StablePersistenceBoW.paper"
only = ["first"]
grid = { n_words = [10, 20], weighting = ["ramp", "uniform"] }

[descriptors.Statistics]
make = "PersistenceStatistics"
"""


def score(name, params, repetition):
    """Made up, so that what each parameter adds can be seen."""
    if name.endswith("PI"):
        return 0.5 + 0.1 * params["sigma"] + 0.001 * params["resolution"]
    return (
        0.3
        + 0.002 * params.get("n_words", 0)
        + 0.1 * (params.get("weighting") == "ramp")
        + 0.00001 * params.get("sample_size", 0)
        + 0.04 * (repetition - 1)
    )


@pytest.fixture
def experiment(tmp_path):
    return declared(tmp_path, TEXT)


@pytest.fixture
def runs(experiment):
    """Give runs whose time and dimension follow from their parameters."""
    made = made_up(experiment, score)
    for key, run in made.items():
        size = run.params.get("n_words") or run.params.get("resolution", 0) ** 2
        fit = 0.01 * size * (1 + run.params.get("sigma", 0)) * (1 + run.repetition)
        seconds = {"fit": fit, "encode": 2.0, "gram": 50.0, "classify": 60.0}
        made[key] = replace(run, n_features=size, seconds=seconds)
    return made


def axes_of(figure):
    return {ax.get_title(): ax for ax in figure.draw().axes}


def lines_of(ax):
    return {line.get_label(): line for line in ax.lines}


def circles_of(ax):
    return {circles.get_label(): circles for circles in ax.collections}


def legend_of(figure):
    [legend] = figure.legends
    return [text.get_text() for text in legend.get_texts()]


def test_each_data_set_has_a_panel_and_a_stand_in_is_named_so(experiment, runs):
    axes = axes_of(accuracy_by_codebook_size(experiment, runs))
    assert list(axes) == ["First", "Second stand-in"]


def test_a_line_goes_through_the_means_in_the_order_of_the_numbers_of_words(
    experiment, runs
):
    axes = axes_of(accuracy_by_codebook_size(experiment, runs))
    line = lines_of(axes["First"])["PBoW"]
    # At 5000 points, which the paper found best there; repetitions cancel out.
    assert_allclose(line.get_xdata(), [10, 20, 40])
    assert_allclose(line.get_ydata(), [37, 39, 43])


def test_without_an_optimum_the_middle_sample_size_is_shown(experiment, runs):
    axes = axes_of(accuracy_by_codebook_size(experiment, runs))
    line = lines_of(axes["Second stand-in"])["PBoW"]
    # Of two repetitions, the mean is 2 percent below.
    assert_allclose(line.get_ydata(), [32, 34, 38])


def test_lines_are_solid_without_weighting_and_dashed_with_it(experiment, runs):
    axes = axes_of(accuracy_by_codebook_size(experiment, runs))
    styles = {
        label: (line.get_linestyle(), line.get_color())
        for label, line in lines_of(axes["First"]).items()
    }
    assert styles == {
        "PBoW": ("-", COLOURS["PBoW"]),
        "PBoW, weighted": ("--", COLOURS["PBoW"]),
        "sPBoW": ("-", COLOURS["sPBoW"]),
        "sPBoW, weighted": ("--", COLOURS["sPBoW"]),
    }
    weighted = lines_of(axes["First"])["PBoW, weighted"]
    assert_allclose(weighted.get_ydata(), [47, 49, 53])


def test_a_band_is_one_standard_deviation_to_each_side(experiment, runs):
    figure = accuracy_by_codebook_size(experiment, runs).draw()
    [path] = figure.axes[1].collections[0].get_paths()
    heights = path.vertices[path.vertices[:, 0] == 10][:, 1]
    # Two values, 4 percent apart.
    assert_allclose(heights.max() - heights.min(), 2 * 4 / np.sqrt(2))


def test_a_band_stays_within_what_accuracies_can_be(experiment):
    made = made_up(experiment, lambda _name, _params, r: [1.0, 0.9, 1.0][r])
    low = made_up(experiment, lambda _name, _params, r: [0.0, 0.1, 0.0][r])
    for runs, limit in ((made, 100.0), (low, 0.0)):
        for ax in axes_of(accuracy_by_codebook_size(experiment, runs)).values():
            heights = [band.get_paths()[0].vertices[:, 1] for band in ax.collections]
            assert all(np.any(band == limit) for band in heights)
            assert all(band.min() >= 0.0 for band in heights)
            assert all(band.max() <= 100.0 for band in heights)


def test_a_line_is_in_the_legend_once(experiment, runs):
    figure = accuracy_by_codebook_size(experiment, runs).draw()
    expected = ["PBoW", "PBoW, weighted", "sPBoW", "sPBoW, weighted"]
    assert legend_of(figure) == expected


def test_the_caption_says_what_the_numbers_are_of(experiment, runs):
    caption = accuracy_by_codebook_size(experiment, runs).caption
    assert "screening" in caption
    assert "at most 700 training samples" in caption
    assert "after 4,000 iterations" in caption
    assert "sample_size = 5000 (PBoW on First)" in caption
    assert "sample_size = 2000 (PBoW on Second stand-in)" in caption
    assert "not done" not in caption
    assert "whole training part" not in caption


def test_cells_that_were_not_screened_are_drawn_from_their_final_runs(tmp_path):
    text = """
    repetitions = 2
    [datasets.only]
    shapes = {}
    [descriptors.PBoW]
    make = "PersistenceBoW.paper"
    grid = { n_words = [10, 20, 40] }
    """
    experiment = declared(tmp_path, text)
    figure = accuracy_by_codebook_size(experiment, made_up(experiment, score))
    [ax] = figure.draw().axes
    assert_allclose(lines_of(ax)["PBoW"].get_ydata(), [30, 32, 36])
    assert "trained on the whole training part" in figure.caption
    assert "screening" not in figure.caption
    assert "Other parameters" not in figure.caption


def test_a_combination_that_is_not_done_is_not_drawn_and_told_of(experiment, runs):
    key, _ = next(
        (key, run)
        for key, run in runs.items()
        if (run.dataset, run.descriptor, run.stage) == ("first", "PBoW", "screen")
        and run.params == {"n_words": 20, "weighting": "uniform", "sample_size": 5000}
    )
    del runs[key]
    figure = accuracy_by_codebook_size(experiment, runs)
    line = lines_of(axes_of(figure)["First"])["PBoW"]
    assert_allclose(line.get_xdata(), [10, 40])
    assert "1 combination is not done in all repetitions yet" in figure.caption


def test_a_single_size_makes_no_curve(tmp_path):
    experiment = declared(tmp_path, TEXT.replace("[40, 10, 20]", "[40]"))
    figure = accuracy_by_codebook_size(experiment, made_up(experiment, score))
    assert list(lines_of(axes_of(figure)["First"])) == ["sPBoW, weighted", "sPBoW"]


def test_without_runs_there_is_nothing_to_draw(experiment):
    with pytest.raises(CannotDraw, match="needs runs of PBoW or sPBoW"):
        accuracy_by_codebook_size(experiment, {})
    with pytest.raises(CannotDraw, match="needs runs of two of PI, PBoW and sPBoW"):
        accuracy_against_time(experiment, {})


def test_a_circle_is_the_best_of_the_other_parameters(experiment, runs):
    axes = axes_of(accuracy_against_time(experiment, runs))
    circles = circles_of(axes["First"])
    # Sigma 1 is better than 0.5, and takes longer: (1 + 1) 0.01 size, twice on average.
    assert_allclose(circles["PI"].get_offsets(), [[6, 61], [18, 62]])
    # Weighted, from 5000 points.
    assert_allclose(circles["PBoW"].get_offsets(), [[2.2, 47], [2.4, 49], [2.8, 53]])


def test_the_area_of_a_circle_is_the_dimension(experiment, runs):
    for ax in accuracy_against_time(experiment, runs).draw().axes:
        circles = circles_of(ax)
        sizes = np.concatenate([circles[name].get_sizes() for name in ("PI", "PBoW")])
        assert_allclose(sizes / sizes.max(), np.array([100, 400, 10, 20, 40]) / 400)


def test_descriptors_are_told_apart_by_colour_and_named(experiment, runs):
    figure = accuracy_against_time(experiment, runs).draw()
    assert set(circles_of(figure.axes[0])) == {"PI", "PBoW", "sPBoW"}
    assert set(circles_of(figure.axes[1])) == {"PI", "PBoW"}
    assert legend_of(figure) == [
        "PI",
        "PBoW",
        "sPBoW",
        "10 dimensions",
        "100 dimensions",
    ]
    assert {ax.get_xscale() for ax in figure.axes} == {"log"}


def test_a_data_set_with_one_descriptor_has_no_panel(experiment):
    runs = made_up(experiment, score, without=["second/PI"])
    assert list(axes_of(accuracy_against_time(experiment, runs))) == ["First"]


def test_the_caption_says_what_the_screening_encodes(experiment, runs):
    caption = accuracy_against_time(experiment, runs).caption
    assert "encodes them and the test part only" in caption
    assert "chosen by its accuracy on the test parts" in caption
