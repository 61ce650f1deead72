"""Matchings are tested by the lines drawn: what they join, and what they cost."""

import math

import numpy as np
import pytest
from numpy.testing import assert_allclose
from tests.plotting.doubles import legend

from pbow.kernels import WassersteinKernel
from pbow.plotting import plot_matching

plt = pytest.importorskip("matplotlib.pyplot")

ORDERS = [1, 1.5, 2, 7.0, 60.0, math.inf]


def make(rng, n, spread=0.2):
    births = rng.uniform(0, 1, size=n)
    return np.column_stack((births, births + rng.exponential(spread, size=n)))


def pairs_of(ax):
    return np.array(ax.collections[-2].get_segments()).reshape(-1, 2, 2)


def left_of(ax):
    """Lines to the diagonal."""
    return np.array(ax.collections[-1].get_segments()).reshape(-1, 2, 2)


def cost_of(ax, order):
    lines = np.concatenate((pairs_of(ax), left_of(ax)))
    lengths = np.abs(lines[:, 0] - lines[:, 1]).max(axis=1)
    return np.linalg.norm(lengths, order)


def sorted_rows(points):
    return points[np.lexsort(points.T)]


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("sizes", [(1, 1), (12, 12), (30, 7), (3, 40)], ids=str)
def test_lines_cost_the_distance_of_the_kernel(rng, sizes, order):
    first, second = (make(rng, n) for n in sizes)
    ax = plot_matching(first, second, order=order)
    [[distance]] = WassersteinKernel(order).distances([first], [second])
    assert_allclose(cost_of(ax, order), distance, rtol=1e-9)
    assert ax.get_title().endswith(f": {distance:.4g}")


@pytest.mark.parametrize("order", [1, 2, math.inf])
def test_every_point_has_one_line(rng, order):
    first, second = make(rng, 20), make(rng, 15)
    ax = plot_matching(first, second, order=order)
    pairs, left = pairs_of(ax), left_of(ax)
    assert len(pairs) > 0
    assert len(left) > 0
    drawn = np.concatenate((pairs[:, 0], pairs[:, 1], left[:, 0]))
    both = np.concatenate((first, second))
    assert_allclose(sorted_rows(drawn), sorted_rows(both))
    assert np.isin(pairs[:, 0], first).all()
    assert np.isin(pairs[:, 1], second).all()


def test_who_is_left_goes_to_the_middle_of_birth_and_death():
    ax = plot_matching([[0, 1], [4, 5]], [[0, 1.1], [2, 2.4]])
    assert_allclose(pairs_of(ax), [[[0, 1], [0, 1.1]]])
    assert_allclose(left_of(ax), [[[4, 5], [4.5, 4.5]], [[2, 2.4], [2.2, 2.2]]])


def test_the_order_decides_who_is_paired():
    # Together 1.0, or each alone 0.6: together at order 1, and alone at order 2.
    first, second = [[0, 1.2]], [[1, 2.2]]
    assert len(pairs_of(plot_matching(first, second, order=1))) == 1
    assert len(pairs_of(plot_matching(first, second, order=2))) == 0


def test_the_bottleneck_is_the_longest_line_and_others_are_short():
    first = [[0, 10], [20, 21]]
    second = [[0, 13], [20, 21.1]]
    ax = plot_matching(first, second, order=math.inf)
    assert ax.get_title() == "bottleneck distance: 3"
    assert_allclose(cost_of(ax, 1), 3.1)


def test_equal_diagrams_are_matched_point_by_point(rng):
    points = make(rng, 10)
    for order in (1, 2, math.inf):
        ax = plot_matching(points, points[::-1], order=order)
        assert len(pairs_of(ax)) == 10
        assert cost_of(ax, order) == 0
        assert ax.get_title().endswith(": 0")


@pytest.mark.parametrize("scale", [1e-90, 1e90], ids=str)
def test_the_unit_does_not_matter(rng, scale):
    first, second = make(rng, 9), make(rng, 9)
    expected = pairs_of(plot_matching(first, second, order=3))
    drawn = pairs_of(plot_matching(scale * first, scale * second, order=3))
    assert_allclose(drawn, scale * expected)


def test_short_lines_count_beside_long_lives_at_a_high_order():
    first, second = [[0, 1000], [0, 2]], [[0, 1000], [0, 2.25]]
    ax = plot_matching(first, second, order=200)
    assert len(pairs_of(ax)) == 2
    assert ax.get_title() == "Wasserstein distance of order 200: 0.25"


def test_essential_points_are_left_out():
    ax = plot_matching([[0, 1], [0, np.inf]], [[0, 2]])
    assert_allclose(pairs_of(ax), [[[0, 1], [0, 2]]])
    assert ax.get_title() == "Wasserstein distance of order 2: 1"


def test_with_an_empty_diagram_all_go_to_the_diagonal():
    ax = plot_matching([[0, 2], [3, 5]], [], order=1)
    assert len(pairs_of(ax)) == 0
    assert len(left_of(ax)) == 2
    assert ax.get_title() == "Wasserstein distance of order 1: 2"
    assert plot_matching([], []).get_title() == "Wasserstein distance of order 2: 0"


def test_points_are_drawn_and_named_over_the_lines():
    ax = plot_matching([[0, 1], [1, 3]], [[0, 2]])
    assert_allclose(ax.collections[0].get_offsets(), [[0, 1], [1, 3]])
    assert_allclose(ax.collections[1].get_offsets(), [[0, 2]])
    assert legend(ax) == ["first", "second"]
    points, _, lines, _ = ax.collections
    assert points.zorder > lines.zorder
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("birth", "death")


@pytest.mark.parametrize("order", [0.5, 0, -1, np.nan, -math.inf, "2", None, True])
def test_a_bad_order_is_named(order):
    with pytest.raises(ValueError, match="Expected order to be a number >= 1, or inf"):
        plot_matching([[0, 1]], [[0, 2]], order=order)


def test_several_parts_are_refused_with_advice():
    sample = {"H0": [[0, 1]], "H1": [[1, 2]]}
    message = r"second to be a diagram of one part; got H0, H1.*\[\"H0\"\]"
    with pytest.raises(ValueError, match=message):
        plot_matching([[0, 1]], sample)


def test_too_many_points_are_refused_with_advice(rng):
    message = "first to have at most 2000 finite points; got 2001"
    with pytest.raises(ValueError, match=message):
        plot_matching(make(rng, 2001), [[0, 1]])
    assert plt.get_fignums() == []
