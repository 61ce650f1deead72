"""An explanation is drawn by places, areas, colors and fillings of circles."""

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from tests.plotting.doubles import assert_key_has_the_scale_of, circles, legend, view

from pbow.explain import WordExplanation
from pbow.plotting import plot_explanation
from pbow.plotting._axes import BLUE, GRAY, ORANGE

plt = pytest.importorskip("matplotlib.pyplot")
Legend = pytest.importorskip("matplotlib.legend").Legend
to_rgba = pytest.importorskip("matplotlib.colors").to_rgba

# Mean effects on "a" of the four words of H1: 2, -1, 0.5 and 0; of "b" the negative.
EFFECTS = np.array([[3.0, -1.0, 1.5, 0.0, 7.0], [1.0, -1.0, -0.5, 0.0, 7.0]])
EXPLANATION = WordExplanation(
    names=np.array([f"word{k}" for k in range(5)], dtype=object),
    parts=np.array(["H1"] * 4 + ["H1_inf"], dtype=object),
    resolutions=np.array([4, 4, 4, 4, 1]),
    births=np.array([0.0, 1.0, 2.0, 3.0, 4.0]),
    persistences=np.array([1.0, 2.0, 1.0, 5.0, np.inf]),
    labels=np.array(["a", "b"]),
    effects=np.stack((EFFECTS, -EFFECTS), axis=1),
    differences=np.array([[1.0, -1.0, 1.0, 0.0, 1.0], [-1.0, 1.0, -1.0, 0.0, 1.0]]),
    accuracies=np.ones(2),
)


def test_orange_speaks_for_the_label_blue_against_and_gray_is_uncertain():
    ax = plot_explanation(EXPLANATION, "a", part="H1")
    drawn = circles(ax)
    assert drawn.get_offsets().tolist() == [[0, 1], [1, 2], [2, 1], [3, 5]]
    areas = drawn.get_sizes()
    assert_allclose(areas / areas.max(), [1.0, 0.5, 0.25, 0.0])
    edges = [tuple(color) for color in drawn.get_edgecolor()]
    assert edges == [to_rgba(color) for color in (ORANGE, BLUE, GRAY, GRAY)]
    assert ax.get_title() == "what words say for a"
    expected = ["for a", "against a", "uncertain", "more points", "fewer points"]
    assert legend(ax) == expected


def test_a_key_says_what_the_areas_mean():
    ax = plot_explanation(EXPLANATION, "a", part="H1")
    [key] = [child for child in ax.artists if isinstance(child, Legend)]
    assert key.get_title().get_text() == "mean effect,\nfor or against"
    assert [text.get_text() for text in key.get_texts()] == ["2", "0.5", "0.1"]
    assert_key_has_the_scale_of(ax, 2.0, key)
    # The two legends are below each other, and within the figure.
    ax.figure.draw_without_rendering()
    below, above = key.get_window_extent(), ax.get_legend().get_window_extent()
    assert below.y1 < above.y0
    assert below.x1 < ax.figure.bbox.x1


def test_words_without_any_effect_have_no_key():
    nothing = replace(EXPLANATION, effects=0.0 * EXPLANATION.effects)
    ax = plot_explanation(nothing, "a", part="H1")
    assert not list(ax.artists)
    assert len(legend(ax)) == 5


def test_names_of_labels_are_in_their_order():
    names = ("first", "second")
    ax = plot_explanation(EXPLANATION, "b", part="H1", label_names=names)
    assert ax.get_title() == "what words say for second"
    assert legend(ax)[:2] == ["for second", "against second"]


def test_full_circles_have_more_points_and_empty_ones_fewer():
    faces = circles(plot_explanation(EXPLANATION, "a", part="H1")).get_facecolor()
    assert_allclose(faces[:, 3], [0.4, 0.0, 0.4, 0.4])
    faces = circles(plot_explanation(EXPLANATION, "b", part="H1")).get_facecolor()
    assert_allclose(faces[:, 3], [0.0, 0.4, 0.0, 0.4])


def test_axes_that_are_given_are_drawn_in_and_hold_all_words():
    figure, ax = plt.subplots()
    assert plot_explanation(EXPLANATION, "b", part="H1", resolution=4, ax=ax) is ax
    assert plt.get_fignums() == [figure.number]
    assert (view(ax)[0] < [0, 0]).all()
    assert (view(ax)[1] > [3, 5]).all()
    assert_array_equal(ax.get_legend().get_frame_on(), False)


def test_words_of_essential_classes_are_on_a_line():
    ax = plot_explanation(EXPLANATION, "b", part="H1_inf")
    assert circles(ax).get_offsets().tolist() == [[4, 0]]
    assert [tuple(color) for color in circles(ax).get_edgecolor()] == [to_rgba(BLUE)]
    assert (ax.get_ylabel(), ax.get_yticks().tolist()) == ("", [])
    low, high = view(ax)
    assert (low < [4, 0]).all()
    assert (high > [4, 0]).all()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"explanation": None}, "Expected explanation to be a WordExplanation"),
        ({"label": "c"}, r"Expected label to be one of \['a', 'b'\]; got 'c'"),
        ({"part": None}, "part to be one of 'H1', 'H1_inf', the parts .*; got None"),
        ({"part": "H2"}, "Expected part to be one of 'H1', 'H1_inf', the parts with"),
        ({"label_names": ["a"]}, "a sequence of 2 names, one per label"),
        ({"resolution": 3}, "Expected resolution to be one of 4, the numbers of words"),
    ],
    ids=str,
)
def test_bad_input_is_named(options, message):
    with pytest.raises(ValueError, match=message):
        plot_explanation(
            **{"explanation": EXPLANATION, "label": "a", "part": "H1", **options}
        )
