"""Curves are tested by their lines and bands."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from tests.plotting.doubles import legend

from pbow.plotting import plot_accuracy_by_size

plt = pytest.importorskip("matplotlib.pyplot")

ACCURACIES = [[0.5, 0.7], [0.8, 0.8], [0.9, 0.6]]


@pytest.mark.parametrize(
    ("sizes", "means"), [([10, 20, 50], [60, 80, 75]), ([50, 10, 20], [80, 75, 60])]
)
def test_the_line_goes_through_the_means_in_percent_by_size(sizes, means):
    [line] = plot_accuracy_by_size(sizes, ACCURACIES).lines
    assert_allclose(line.get_xdata(), [10, 20, 50])
    assert_allclose(line.get_ydata(), means)


def band_at(ax, size):
    [path] = ax.collections[-1].get_paths()
    heights = path.vertices[path.vertices[:, 0] == size][:, 1]
    return heights.min(), heights.max()


def test_the_band_is_one_sample_standard_deviation_to_each_side():
    ax = plot_accuracy_by_size([10, 20, 50], ACCURACIES)
    deviation = 20 / np.sqrt(2)
    assert_allclose(band_at(ax, 10), (60 - deviation, 60 + deviation))
    assert_allclose(band_at(ax, 20), (80, 80))
    once = plot_accuracy_by_size([10, 20], [[0.5], [0.75]])
    assert_allclose(band_at(once, 20), (75, 75))


def test_lines_in_the_same_axes_differ_and_are_named():
    ax = plot_accuracy_by_size([10, 20, 50], ACCURACIES, label="PBoW")
    assert plot_accuracy_by_size([10, 20, 50], ACCURACIES, label="sPBoW", ax=ax) is ax
    one, other = ax.lines
    assert one.get_color() != other.get_color()
    assert one.get_marker() != other.get_marker()
    for line, band in zip(ax.lines, ax.collections, strict=True):
        expected = plt.matplotlib.colors.to_rgb(line.get_color())
        assert_allclose(band.get_facecolor()[0, :3], expected)
    assert legend(ax) == ["PBoW", "sPBoW"]
    assert len(plt.get_fignums()) == 1


def test_without_a_label_there_is_no_legend():
    ax = plot_accuracy_by_size([10, 20, 50], ACCURACIES)
    assert ax.get_legend() is None
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("number of words", "accuracy (%)")


@pytest.mark.parametrize(
    ("sizes", "accuracies", "message"),
    [
        ([], np.empty((0, 2)), "Expected sizes to be numbers of words"),
        ([[10]], [[0.5]], "Expected sizes to be numbers of words"),
        ([0, 10], [[0.5], [0.5]], "all above 0"),
        ([np.nan], [[0.5]], "all above 0"),
        ([10, 10], [[0.5], [0.5]], "Expected each size once"),
        ([10, 20], [0.5, 0.5], r"\(2, n_repetitions\), one row per size; got"),
        ([10, 20], [[0.5, 0.5]], r"got shape \(1, 2\)"),
        ([10], [[]], r"got shape \(1, 0\)"),
        ([10], [[50.0]], "from 0 to 1; .* from 50 to 50. Divide percentages by"),
        ([10], [[np.nan]], "Expected accuracies from 0 to 1"),
    ],
)
def test_bad_input_is_named(sizes, accuracies, message):
    with pytest.raises(ValueError, match=message):
        plot_accuracy_by_size(sizes, accuracies)
    assert plt.get_fignums() == []
