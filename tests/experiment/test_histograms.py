"""Pictures are tested by what is drawn: offsets, sizes, titles and limits."""

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from pbow import Diagrams, PersistenceBoW
from pbow.datasets import Dataset, Provenance
from pbow.experiment.figures.figure import CannotDraw, save
from pbow.experiment.figures.histograms import (
    class_differences,
    class_histograms,
    most_confused,
    title_of,
)

pytest.importorskip("matplotlib")

NAMES = ("brick", "cement", "grass")


def make(stand_in_for=None, parts=("H1",), label_names=NAMES, **options):
    rng = np.random.default_rng(0)
    labels = np.repeat(np.arange(3), 4)
    diagrams = {}
    for part in parts:
        births = [rng.uniform(0, 1 + label, size=40) for label in labels]
        diagrams[part] = [
            np.column_stack((b, b + rng.exponential(0.3, size=40))) for b in births
        ]
    return Dataset(
        name="made",
        diagrams=Diagrams.from_parts(diagrams),
        labels=labels,
        label_names=label_names,
        protocol="80/20",
        provenance=Provenance(origin="Made up.", stand_in_for=stand_in_for, **options),
    )


@pytest.fixture
def dataset():
    return make()


CONFUSION = np.array([[8, 0, 2], [1, 9, 0], [3, 0, 7]])


def circles(ax):
    return ax.collections[-1]


def test_histograms_have_a_panel_a_class_with_the_words_of_the_paper(dataset):
    drawn = class_histograms(dataset).draw()
    assert [ax.get_title() for ax in drawn.axes] == list(NAMES)
    bow = PersistenceBoW.paper(20, random_state=0).fit(dataset.diagrams)
    for ax in drawn.axes:
        assert_array_equal(circles(ax).get_offsets(), bow.codebooks_["H1"].words)
    assert drawn.get_supxlabel() == "birth"
    assert drawn.get_supylabel() == "persistence"


def test_areas_are_the_points_of_a_class(dataset):
    drawn = class_histograms(dataset).draw()
    # Every diagram has 40 points, and areas have one scale.
    totals = [circles(ax).get_sizes().sum() for ax in drawn.axes]
    assert_allclose(totals, totals[0])


def test_a_class_without_samples_has_no_panel():
    drawn = class_histograms(make(label_names=(*NAMES, "wood"))).draw()
    assert [ax.get_title() for ax in drawn.axes] == list(NAMES)


def test_the_two_most_confused_classes_are_compared(dataset):
    figure = class_differences(dataset, CONFUSION)
    titles = [ax.get_title() for ax in figure.draw().axes]
    assert titles == ["brick", "difference", "grass", *[""] * 6]
    assert "“brick” (left, red) and “grass” (right, blue)" in figure.caption


@pytest.mark.parametrize(
    ("confusion", "expected"),
    [
        (CONFUSION, (0, 2)),
        # Shares and not counts: the second class is small.
        ([[90, 0, 10], [0, 1, 1], [0, 0, 100]], (1, 2)),
        # Both ways together: 0.2 + 0.2 is more than 0.3.
        ([[8, 2, 0], [2, 8, 0], [3, 0, 7]], (0, 1)),
        ([[1, 1, 1], [1, 1, 1], [1, 1, 1]], (0, 1)),
    ],
    ids=["plain", "small class", "both ways", "equal"],
)
def test_most_confused_are_the_largest_shares_taken_for_each_other(confusion, expected):
    assert most_confused(confusion) == expected


def test_without_confusion_there_is_nothing_to_compare(dataset):
    with pytest.raises(CannotDraw, match="two classes that are confused"):
        class_differences(dataset, np.eye(3))


def test_each_row_is_inside_the_view_of_the_one_before(dataset):
    drawn = class_differences(dataset, CONFUSION).draw()
    views = [(ax.get_xlim(), ax.get_ylim()) for ax in drawn.axes]
    rows = [views[k : k + 3] for k in (0, 3, 6)]
    for row in rows:
        assert row[0] == row[1] == row[2]
    for (outer, *_), (inner, *_) in pairwise(rows):
        for (low, high), (inner_low, inner_high) in zip(outer, inner, strict=True):
            assert low < inner_low < inner_high < high
        # Persistence 0 is always in view.
        assert inner[1][0] < 0 < inner[1][1]


def test_all_words_are_in_the_first_row_and_fewer_in_the_next(dataset):
    drawn = class_differences(dataset, CONFUSION).draw()
    seen = [len(circles(ax).get_offsets()) for ax in drawn.axes[::3]]
    assert seen[0] == 100
    assert 100 > seen[1] > seen[2] > 0


def test_a_box_shows_the_view_of_the_next_row(dataset):
    axes = class_differences(dataset, CONFUSION).draw().axes
    for k in range(6):
        (box,) = axes[k].patches
        following = axes[k + 3]
        assert_allclose(box.get_bbox().intervalx, following.get_xlim())
        assert_allclose(box.get_bbox().intervaly, following.get_ylim())
    assert not any(ax.patches for ax in axes[6:])


def test_axes_are_named_at_the_left_and_at_the_bottom(dataset):
    axes = class_differences(dataset, CONFUSION).draw().axes
    assert [ax.get_xlabel() for ax in axes] == [*[""] * 6, *["birth"] * 3]
    views = [ax.get_ylabel().partition("\n")[0] for ax in axes]
    assert views[::3] == ["all words", "zoomed in", "further zoomed in"]
    assert not any(views[1::3] + views[2::3])


def test_circles_at_the_edge_of_a_view_are_whole(dataset):
    axes = class_differences(dataset, CONFUSION).draw().axes
    assert not any(circles(ax).get_clip_on() for ax in axes)


def test_a_stand_in_is_named_so_in_title_and_caption():
    dataset = make(stand_in_for="GeoMat")
    for figure in (class_histograms(dataset), class_differences(dataset, CONFUSION)):
        assert "made (stand-in for GeoMat)" in figure.title
        assert "made (stand-in for GeoMat)" in figure.caption


@pytest.mark.parametrize(
    ("stand_in_for", "title", "expected"),
    [
        (None, None, "made"),
        (None, "Made up", "Made up"),
        ("GeoMat", None, "made (stand-in for GeoMat)"),
        ("GeoMat", "GeoMat", "GeoMat (stand-in for GeoMat)"),
        (
            "GeoMat",
            "Surfaces, a stand-in",
            "Surfaces, a stand-in (stand-in for GeoMat)",
        ),
        ("GeoMat", "GeoMat stand-in", "GeoMat stand-in"),
    ],
)
def test_titles_say_what_a_data_set_stands_in_for(stand_in_for, title, expected):
    assert title_of(make(stand_in_for), title) == expected


@pytest.mark.filterwarnings("ignore::pbow.errors.FewerWordsWarning")
def test_few_points_have_few_words(dataset):
    few = replace(dataset, diagrams=Diagrams.from_list([[[0, 1], [0, 2]]] * 12))
    assert class_histograms(few).name == class_histograms(dataset).name


def test_a_data_set_may_be_called_anything(dataset):
    assert class_histograms(replace(dataset, name="a b/ü")).name == (
        "class_histograms_a-b-"
    )


def test_captions_say_what_was_taken_and_which_part():
    dataset = make(parts=("H0", "H1"), selection="every other one")
    figure = class_histograms(dataset, "Made up")
    assert "20 words" in figure.caption
    assert "All 12 diagrams, part H1. Taken: every other one." in figure.caption
    assert len(figure.draw().axes) == 3


def test_files_have_the_name_of_the_data_set(dataset, tmp_path):
    assert class_differences(dataset, CONFUSION).name == "class_differences_made"
    saved = save(class_histograms(dataset), tmp_path)
    assert saved.svg.name == "class_histograms_made.svg"
