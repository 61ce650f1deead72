"""Diagrams are tested by the places of their dots and lines."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from tests.plotting.doubles import legend, view

from pbow.plotting import plot_diagram

plt = pytest.importorskip("matplotlib.pyplot")

PARTS = {"H0": [[0.0, 1.0], [0.0, np.inf]], "H1": [[1.0, 3.0], [2.0, 2.5]]}


both_coordinates = pytest.mark.parametrize(
    "coordinates", ["birth-death", "birth-persistence"]
)


@both_coordinates
def test_dots_of_all_parts_are_at_their_coordinates(coordinates):
    ax = plot_diagram(PARTS, coordinates=coordinates)
    upwards = [3, 2.5] if coordinates == "birth-death" else [2, 0.5]
    assert_array_equal(ax.collections[1].get_offsets(), np.c_[[1, 2], upwards])
    assert [ax.get_xlabel(), ax.get_ylabel()] == coordinates.split("-")
    assert legend(ax) == ["H0", "H1"]
    assert len({tuple(dots.get_edgecolor()[0]) for dots in ax.collections}) == 2


@both_coordinates
def test_essential_points_are_on_a_dashed_line_above_all_others(coordinates):
    ax = plot_diagram(PARTS, coordinates=coordinates)
    (dashed,) = (line for line in ax.lines if line.get_linestyle() == "--")
    height = dashed.get_ydata()[0]
    assert_array_equal(ax.collections[0].get_offsets()[1], [0, height])
    others = np.concatenate([dots.get_offsets()[:, 1] for dots in ax.collections])
    assert np.sum(others >= height) == 1
    assert height < ax.get_ylim()[1]
    assert [(text.get_text(), text.xy[1]) for text in ax.texts] == [("∞", height)]


def test_without_essential_points_there_is_no_such_line():
    ax = plot_diagram([[0, 1]])
    assert [line.get_linestyle() for line in ax.lines] == [":"]
    assert len(ax.texts) == 0
    assert ax.get_legend() is None


def test_the_diagonal_is_where_birth_is_death():
    (line,) = plot_diagram([[-2, 1], [2, 5]]).lines
    assert_array_equal(line.get_xdata(), line.get_ydata())
    assert min(line.get_xdata()) < -2
    assert max(line.get_xdata()) > 5
    flat = plot_diagram([[0, 1]], coordinates="birth-persistence").lines[0]
    assert_array_equal(flat.get_ydata(), [0, 0])


@both_coordinates
@pytest.mark.parametrize(
    "sample",
    [PARTS, [[3, 3]], [[0, np.inf]], [], [[-5, -4], [1e6, 2e6]]],
    ids=["parts", "one point", "essential", "empty", "far apart"],
)
def test_everything_is_in_view(sample, coordinates):
    ax = plot_diagram(sample, coordinates=coordinates)
    low, high = view(ax)
    for dots in ax.collections:
        assert (dots.get_offsets() > low).all()
        assert (dots.get_offsets() < high).all()
    ax.figure.draw_without_rendering()


def test_other_coordinates_are_refused():
    with pytest.raises(ValueError, match="Expected coordinates to be one of"):
        plot_diagram([[0, 1]], coordinates="death-birth")
