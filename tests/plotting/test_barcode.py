"""Barcodes are tested by where bars start, end and lie."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from tests.plotting.doubles import legend

from pbow.plotting import plot_barcode

plt = pytest.importorskip("matplotlib.pyplot")
LineCollection = pytest.importorskip("matplotlib.collections").LineCollection


def bars(ax):
    """Return (start, end, height) of every bar, part after part."""
    groups = [lines for lines in ax.collections if isinstance(lines, LineCollection)]
    segments = [segment for lines in groups for segment in lines.get_segments()]
    return [(start[0], end[0], start[1]) for start, end in segments]


def test_bars_go_from_birth_to_death_in_the_order_of_births_then_deaths():
    ax = plot_barcode([[1, 2], [0, 4], [1, 1.5]])
    assert bars(ax) == [(0, 4, 0), (1, 1.5, 1), (1, 2, 2)]
    assert ax.get_legend() is None
    assert list(ax.get_yticks()) == []
    assert len(ax.collections[1].get_offsets()) == 0


def test_parts_are_above_each_other_with_a_legend():
    ax = plot_barcode({"H0": [[0, 1], [0, 2]], "H1": [[1, 3]]})
    assert bars(ax) == [(0, 1, 0), (0, 2, 1), (1, 3, 2)]
    # The upper part is named above the lower one.
    assert legend(ax) == ["H1", "H0"]


def test_an_essential_bar_ends_in_an_arrow_beyond_all_others():
    ax = plot_barcode([[0, np.inf], [0, 2]])
    (_, longest, height) = bars(ax)[1]
    assert 2 < longest < ax.get_xlim()[1]
    _, arrows = ax.collections
    assert_array_equal(arrows.get_offsets(), [[longest, height]])


@pytest.mark.parametrize(
    "sample",
    [[], [[2, 2]], [[3, np.inf]], {"H0": [], "H1": [[0, 1]]}],
    ids=["empty", "no length", "essential", "empty part"],
)
def test_everything_is_in_view(sample):
    ax = plot_barcode(sample)
    for start, end, height in bars(ax):
        assert ax.get_xlim()[0] < start <= end < ax.get_xlim()[1]
        assert ax.get_ylim()[0] < height < ax.get_ylim()[1]
    ax.figure.draw_without_rendering()


def test_many_bars_are_thin():
    few, many = (plot_barcode([[0, 1]] * n).collections[0] for n in (5, 500))
    assert many.get_linewidths()[0] < few.get_linewidths()[0]
