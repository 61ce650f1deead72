from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from pbow import Diagrams
from pbow.sampling import draw_sample, persistence_ramp
from pbow.weighting import Ramp


def in_birth_persistence(X):
    return np.column_stack((X.points[:, 0], X.points[:, 1] - X.points[:, 0]))


def cut(X, rows):
    """The collection in blocks that end at the given rows."""
    ends = [0, *sorted(rows), len(X)]
    return [X[i:j] for i, j in pairwise(ends)]


@given(st.lists(st.integers(0, 30), max_size=6), st.integers(0, 2**31), st.booleans())
def test_the_draw_does_not_depend_on_where_blocks_are_cut(rows, seed, weighted):
    rng = np.random.default_rng(0)
    births = rng.uniform(size=(30, 20))
    points = np.stack((births, births + rng.exponential(size=births.shape)), axis=-1)
    X = Diagrams.from_list(points)
    ramp = persistence_ramp([X], (0.05, 0.95)) if weighted else None
    whole = draw_sample([X], 57, ramp=ramp, seed=seed)
    assert whole.shape == (57, 2)
    blocks = cut(X, rows)
    assert_array_equal(draw_sample(blocks, 57, ramp=ramp, seed=seed), whole)
    assert persistence_ramp(blocks, (0.05, 0.95)) == persistence_ramp([X], (0.05, 0.95))


def test_a_uniform_draw_is_without_replacement_and_in_order(ragged):
    everything = in_birth_persistence(ragged).tolist()
    sample = draw_sample([ragged], 100, ramp=None, seed=3).tolist()
    places = [everything.index(point) for point in sample]
    assert len(set(places)) == 100
    assert places == sorted(places)


@pytest.mark.parametrize("size", [None, 10**9])
def test_a_draw_of_all_points_is_the_consolidated_diagram(ragged, size):
    sample = draw_sample([ragged], size, ramp=None, seed=0)
    assert_array_equal(sample, in_birth_persistence(ragged))


def test_every_point_is_drawn_equally_often():
    X = Diagrams.from_list([np.column_stack((np.arange(20.0), np.arange(20.0) + 1))])
    drawn = [draw_sample([X], 5, ramp=None, seed=s)[:, 0] for s in range(4000)]
    counts = np.bincount(np.concatenate(drawn).astype(int), minlength=20)
    # Each count has mean 1000 and standard deviation 27.
    assert np.abs(counts - 1000).max() < 5 * 27


def test_a_weighted_draw_follows_the_ramp():
    X = Diagrams.from_list([[[0.0, 1.0], [1.0, 3.0], [2.0, 5.0], [3.0, 9.0]]])
    ramp = Ramp(1.0, 5.0)
    drawn = [draw_sample([X], 4, ramp=ramp, seed=s)[:, 0] for s in range(4000)]
    counts = np.bincount(np.concatenate(drawn).astype(int), minlength=4)
    expected = 16_000 * np.array([0.0, 0.25, 0.5, 1.0]) / 1.75
    assert counts[0] == 0
    assert np.abs(counts - expected).max() < 5 * np.sqrt(16_000 / 4)


def test_a_weighted_draw_may_repeat_a_point():
    X = Diagrams.from_list([[[0, 1], [0, 1], [0, 1], [0, 9]]])
    sample = draw_sample([X], 4, ramp=Ramp(2.0, 3.0), seed=0)
    assert_array_equal(sample, [[0.0, 9.0]] * 4)


def test_equal_persistences_are_drawn_uniformly():
    X = Diagrams.from_list([[[b, b + 1.0] for b in range(50)]])
    ramp = persistence_ramp([X], (0.05, 0.95))
    assert ramp == Ramp(1.0, 1.0)
    births = draw_sample([X], 50, ramp=ramp, seed=1)[:, 0]
    assert len(np.unique(births)) > 25


@pytest.mark.parametrize("quantiles", [(0.05, 0.95), (0.0, 1.0), (0.3, 0.31)])
@pytest.mark.parametrize("n", [1, 2, 3, 7, 100, 12_345])
def test_limits_are_hazen_quantiles(rng, quantiles, n):
    births = rng.uniform(-1, 1, size=n)
    persistence = rng.exponential(10.0 ** rng.integers(-9, 9, size=n))
    X = Diagrams(np.column_stack((births, births + persistence)), [0, n])
    ramp = persistence_ramp([X], quantiles)
    expected = np.quantile(in_birth_persistence(X)[:, 1], quantiles, method="hazen")
    assert_allclose([ramp.low, ramp.high], expected, rtol=1e-12)


@given(st.lists(st.floats(0, 1e100) | st.sampled_from([0.0, 1.0]), min_size=1))
def test_limits_of_any_persistences_are_hazen_quantiles(persistence):
    points = np.column_stack((np.zeros(len(persistence)), persistence))
    ramp = persistence_ramp([Diagrams(points, [0, len(points)])], (0.05, 0.95))
    expected = np.quantile(persistence, (0.05, 0.95), method="hazen")
    assert_allclose([ramp.low, ramp.high], expected, rtol=1e-12)


def test_another_seed_draws_other_points(ragged):
    samples = [draw_sample([ragged], 30, ramp=None, seed=s) for s in (0, 1)]
    assert not np.array_equal(*samples)


def test_a_sample_follows_the_shortest_ramp():
    X = Diagrams.from_list([[[0.0, 0.0], [0.0, 5e-324], [1.0, 1.0]]])
    ramp = persistence_ramp([X], (0.0, 1.0))
    assert ramp == Ramp(0.0, 5e-324)
    assert_array_equal(draw_sample([X], 3, ramp=ramp, seed=0), [[0.0, 5e-324]] * 3)
