from dataclasses import replace

import pytest
from numpy.testing import assert_allclose
from tests.experiment.fake_runs import declared, made_up

from pbow.experiment.figures.figure import CannotDraw
from pbow.experiment.figures.times import STEPS, time_against_size

matplotlib = pytest.importorskip("matplotlib")

TEXT = """
repetitions = 2
[datasets.large]
surfaces = { n_diagrams = 2000 }
[datasets.small]
surfaces = { n_diagrams = 100 }
[datasets.others]
shapes = {}
[descriptors.PBoW]
make = "PersistenceBoW.paper"
params = { n_words = 50 }
[descriptors.sPBoW]
make = "StablePersistenceBoW.paper"
params = { n_words = 50 }
[descriptors.Statistics]
make = "PersistenceStatistics"
"""

SECONDS = {"fit": 1.0, "encode": 2.0, "gram": 3.0, "classify": 4.0}


@pytest.fixture
def experiment(tmp_path):
    return declared(tmp_path, TEXT)


@pytest.fixture
def runs(experiment):
    """Give runs on twenty times as many diagrams, the second taking twice as long."""
    made = made_up(experiment, lambda *_: 0.8, machine="A machine, 4 cores")
    for key, run in made.items():
        times = 20 if run.dataset == "large" else 1
        factor = times * (1 + run.repetition)
        made[key] = replace(
            run,
            n_train=80 * times,
            n_test=20 * times,
            seconds={name: factor * seconds for name, seconds in SECONDS.items()},
        )
    return made


def bars_of(ax):
    return [
        (bar.get_y(), bar.get_height(), bar.get_facecolor(), bool(bar.get_hatch()))
        for bar in ax.patches
    ]


def colour(step):
    return matplotlib.colors.to_rgba(STEPS[step][1])


def test_a_bar_is_a_stack_of_codebook_assignment_and_classification(experiment, runs):
    whole, _ = time_against_size(experiment, runs).draw().axes
    bars = bars_of(whole)
    assert len(bars) == 2 * 2 * 3
    # Means over the repetitions of the smaller set, by PBoW.
    assert_allclose([bar[0] for bar in bars[:3]], [0, 1.5, 4.5])
    assert_allclose([bar[1] for bar in bars[:3]], [1.5, 3.0, 10.5])
    assert [bar[2] for bar in bars[:3]] == [colour(step) for step in STEPS]
    assert_allclose([bar[1] for bar in bars[6:9]], [30, 60, 210])


def test_the_second_bar_of_a_pair_is_hatched_and_on_the_right(experiment, runs):
    whole, _ = time_against_size(experiment, runs).draw().axes
    assert [bar[3] for bar in bars_of(whole)[:6]] == [False] * 3 + [True] * 3
    left, right = whole.patches[0], whole.patches[3]
    assert left.get_x() + left.get_width() < right.get_x()


def test_the_right_panel_is_without_classification(experiment, runs):
    _, construction = time_against_size(experiment, runs).draw().axes
    bars = bars_of(construction)
    assert len(bars) == 2 * 2 * 2
    assert colour("classification") not in [bar[2] for bar in bars]


def test_pairs_are_in_the_order_of_the_numbers_of_diagrams(experiment, runs):
    for ax in time_against_size(experiment, runs).draw().axes:
        assert [text.get_text() for text in ax.get_xticklabels()] == ["100", "2,000"]


def test_a_descriptor_that_is_not_done_leaves_its_place_empty(experiment, runs):
    runs = {
        key: run
        for key, run in runs.items()
        if (run.dataset, run.descriptor) != ("small", "PBoW")
    }
    figure = time_against_size(experiment, runs).draw()
    assert len(figure.axes[0].patches) == 9
    assert figure.axes[0].patches[0].get_hatch()


def test_the_caption_names_words_division_and_machine(experiment, runs):
    caption = time_against_size(experiment, runs).caption
    assert "with 50 words" in caption
    assert "80% of the diagrams are for training" in caption
    assert "A machine, 4 cores" in caption


def test_the_legend_names_steps_and_descriptors(experiment, runs):
    [legend] = time_against_size(experiment, runs).draw().legends
    assert [text.get_text() for text in legend.get_texts()] == [
        "codebook",
        "assignment",
        "classification",
        "PBoW",
        "sPBoW",
    ]


def test_without_complete_cells_there_is_nothing_to_draw(experiment, runs):
    others = {key: run for key, run in runs.items() if run.dataset == "others"}
    with pytest.raises(CannotDraw, match="source 'surfaces'"):
        time_against_size(experiment, others)
