"""Diagrams are tested by the places of their dots and lines."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from pbow import Diagrams
from pbow.plotting import plot_diagram

plt = pytest.importorskip("matplotlib.pyplot")

PARTS = {"H0": [[0.0, 1.0], [0.0, np.inf]], "H1": [[1.0, 3.0], [2.0, 2.5]]}


def names(ax):
    return [text.get_text() for text in ax.get_legend().get_texts()]


def test_dots_are_at_births_and_deaths():
    ax = plot_diagram([[0, 1], [2, 5]])
    assert_array_equal(ax.collections[0].get_offsets(), [[0, 1], [2, 5]])
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("birth", "death")
    assert ax.get_legend() is None


def test_dots_are_at_births_and_persistences():
    ax = plot_diagram([[0, 1], [2, 5]], coordinates="birth-persistence")
    assert_array_equal(ax.collections[0].get_offsets(), [[0, 1], [2, 3]])
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("birth", "persistence")


@pytest.mark.parametrize("coordinates", ["birth-death", "birth-persistence"])
def test_all_parts_are_in_one_picture_with_a_legend(coordinates):
    ax = plot_diagram(PARTS, coordinates=coordinates)
    assert names(ax) == ["H0", "H1"]
    assert_array_equal(ax.collections[1].get_offsets()[:, 0], [1, 2])
    colors = {tuple(dots.get_edgecolor()[0]) for dots in ax.collections}
    assert len(colors) == 2


@pytest.mark.parametrize("coordinates", ["birth-death", "birth-persistence"])
def test_points_that_never_die_are_on_a_dashed_line_above_all_others(coordinates):
    ax = plot_diagram(PARTS, coordinates=coordinates)
    (dashed,) = (line for line in ax.lines if line.get_linestyle() == "--")
    height = dashed.get_ydata()[0]
    assert_array_equal(ax.collections[0].get_offsets()[1], [0, height])
    others = np.concatenate([dots.get_offsets()[:, 1] for dots in ax.collections])
    assert np.sum(others >= height) == 1
    assert height < ax.get_ylim()[1]
    assert [(text.get_text(), text.xy[1]) for text in ax.texts] == [("∞", height)]


def test_without_points_that_never_die_there_is_no_such_line():
    ax = plot_diagram([[0, 1]])
    assert [line.get_linestyle() for line in ax.lines] == [":"]
    assert len(ax.texts) == 0


def test_the_diagonal_is_where_birth_is_death():
    (line,) = plot_diagram([[-2, 1], [2, 5]]).lines
    assert_array_equal(line.get_xdata(), line.get_ydata())
    assert min(line.get_xdata()) < -2
    assert max(line.get_xdata()) > 5
    flat = plot_diagram([[0, 1]], coordinates="birth-persistence").lines[0]
    assert_array_equal(flat.get_ydata(), [0, 0])


@pytest.mark.parametrize("coordinates", ["birth-death", "birth-persistence"])
@pytest.mark.parametrize(
    "sample",
    [PARTS, [[3, 3]], [[0, np.inf]], [], [[-5, -4], [1e6, 2e6]]],
    ids=["parts", "one point", "never dies", "empty", "far apart"],
)
def test_everything_is_in_view(sample, coordinates):
    ax = plot_diagram(sample, coordinates=coordinates)
    low, high = np.array([ax.get_xlim(), ax.get_ylim()]).T
    for dots in ax.collections:
        assert (dots.get_offsets() > low).all()
        assert (dots.get_offsets() < high).all()
    ax.figure.draw_without_rendering()


def test_the_points_of_all_samples_of_a_collection_are_drawn(ragged):
    ax = plot_diagram(ragged)
    assert_array_equal(ax.collections[0].get_offsets(), ragged.points)


def test_a_sample_of_a_collection_of_parts_is_drawn_by_part():
    X = Diagrams.from_parts({name: [points, []] for name, points in PARTS.items()})
    ax = plot_diagram(X[0])
    assert names(ax) == ["H0", "H1"]
    assert_allclose(ax.collections[1].get_offsets(), PARTS["H1"])


@pytest.mark.parametrize(
    ("sample", "options", "message"),
    [
        ([[1, 0]], {}, "dies before it is born"),
        ([1, 2], {}, r"Expected one sample: .* got \[1, 2\]"),
        ([[[0, 1]], [[0, 2], [0, 3]]], {}, "Of a list of diagrams take one"),
        ([[[0, 1]]], {}, "Of a list of diagrams take one"),
        ("H1", {}, "Expected one sample"),
        ({"H1": [[1, 0]]}, {}, "dies before it is born"),
        ([[0, 1]], {"coordinates": "death-birth"}, "coordinates"),
        ([[0, 1]], {"ax": "here"}, "Expected ax to be matplotlib Axes"),
    ],
    ids=str,
)
def test_bad_input_is_named(sample, options, message):
    with pytest.raises(ValueError, match=message):
        plot_diagram(sample, **options)
