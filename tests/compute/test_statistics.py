import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from pbow import Diagrams
from pbow.compute.statistics import N_STATISTICS, summarize, summarize_births

EXACT = [2, 3, 4, 5, 6, 7, 8]  # all but mean and standard deviation


def by_numpy(values):
    low, first, third, high = np.quantile(values, [0.1, 0.25, 0.75, 0.9])
    unit = np.ptp(values) or 1.0  # the squares of tiny numbers are 0
    return [
        np.mean(values),
        np.std((values - values.min()) / unit) * unit,
        np.median(values),
        third - first,
        np.ptp(values),
        low,
        first,
        third,
        high,
    ]


def entropy_by_definition(lifetimes):
    shares = lifetimes[lifetimes > 0] / lifetimes.sum()
    return -(shares * np.log(shares)).sum()


def rows_of(X):
    out = np.full((len(X), 4 * N_STATISTICS + 2), np.nan)
    summarize(X.points, X.offsets, out)
    return out


def check_row(row, points):
    births, deaths = points.T
    quantities = [births, deaths, (births + deaths) / 2, deaths - births]
    for k, values in enumerate(quantities):
        found = row[k * N_STATISTICS : (k + 1) * N_STATISTICS]
        expected = np.array(by_numpy(values))
        assert_array_equal(found[EXACT], expected[EXACT])
        size = np.abs(values).max()
        assert_allclose(found[:2], expected[:2], rtol=1e-12, atol=1e-14 * size)
    assert row[-2] == len(points)
    assert_allclose(row[-1], entropy_by_definition(deaths - births), atol=1e-14)


coordinate = st.floats(-1e100, 1e100) | st.floats(-1, 1) | st.sampled_from([0.0, 0.5])
# Lifetimes so short that their shares are subnormal numbers lose digits.
point = st.tuples(coordinate, coordinate).map(sorted)


@given(st.lists(point, min_size=1, max_size=30))
@example([[0.0, 0.0]])
@example([[0.1, 0.3]] * 7)
@example([[-1e100, 1e100], [1e100, 1e100]])
# The median is half of a sum, which is not quite the quantile between two births.
@example([[-53.566937316111094, 0.0], [0.10490011715303971, 1.0]])
def test_statistics_of_any_points_are_those_of_numpy(points):
    points = np.array(points)
    points[:, 1] = np.where(
        points[:, 1] - points[:, 0] < 1e-200, points[:, 0], points[:, 1]
    )
    X = Diagrams.from_list([points])
    (row,) = rows_of(X)
    assert np.isfinite(row).all()
    check_row(row, X.points)


def test_the_order_of_points_does_not_change_a_bit(ragged, rng):
    shuffled = Diagrams.from_list([rng.permutation(d) for d in ragged])
    assert_array_equal(rows_of(shuffled), rows_of(ragged))


def test_equal_points_have_no_deviation_by_rounding():
    (row,) = rows_of(Diagrams.from_list([[[0.1, 0.4]] * 10]))
    assert_array_equal(row[[1, 3, 4, 10, 12, 13, 19, 28]], 0.0)
    assert row[0] == 0.1
    assert_allclose(row[-1], np.log(10))


@pytest.mark.parametrize("scale", [2.0**-1000, 2.0**-500, 2.0**-460, 2.0**330])
def test_powers_of_two_scale_all_but_the_number_and_the_entropy(ragged, scale):
    scaled = rows_of(Diagrams.from_list([scale * d for d in ragged]))
    expected = rows_of(ragged)
    expected[:, :-2] *= scale
    assert_allclose(scaled, expected, rtol=1e-13, atol=0)


def test_points_of_no_lifetime_add_nothing_to_the_entropy():
    X = Diagrams.from_list([[[0, 1], [0, 3], [2, 2]], [[2, 2], [3, 3]], [[0, 5]]])
    rows = rows_of(X)
    shares = np.array([0.25, 0.75])
    assert_allclose(rows[0, -1], -(shares * np.log(shares)).sum())
    assert_array_equal(rows[1:, -1], 0.0)
    assert not np.signbit(rows[2, -1])


def test_births_alone_have_the_same_statistics(ragged):
    out = np.full((len(ragged), N_STATISTICS + 1), np.nan)
    summarize_births(ragged.points, ragged.offsets, out)
    rows = rows_of(ragged)
    assert_array_equal(out[:, :-1], rows[:, :N_STATISTICS])
    assert_array_equal(out[:, -1], rows[:, -2])
