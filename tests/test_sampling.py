from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from pbow import Diagrams
from pbow.compute.random import (
    FIRST_MULTIPLIER,
    SECOND_MULTIPLIER,
    STEP,
    fill_bits,
    stream_of,
)
from pbow.compute.select import OFFSET_BITS
from pbow.sampling import (
    FINE_SHIFT,
    FOR_SAMPLING,
    Candidates,
    Draw,
    FineBins,
    FineSearch,
    Histogram,
    QuantileSearch,
    Reservoir,
    Values,
    ValuesIn,
    draw_sample,
    merged,
    persistence_ramp,
    total_weight,
)
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
    drawn = [draw_sample([X], 4, ramp=ramp, seed=s)[:, 0] for s in range(2000)]
    counts = np.bincount(np.concatenate(drawn).astype(int), minlength=4)
    expected = 8_000 * np.array([0.0, 0.25, 0.5, 1.0]) / 1.75
    assert counts[0] == 0
    assert np.abs(counts - expected).max() < 5 * np.sqrt(8_000 / 4)


def test_draws_by_weight_are_independent_of_each_other():
    X = Diagrams.from_list([[[0.0, 1.0], [0.0, 3.0]]])
    drawn = [draw_sample([X], 2, ramp=Ramp(0.0, 3.0), seed=s) for s in range(2000)]
    n_long = [int((sample[:, 1] == 3.0).sum()) for sample in drawn]
    # Weights 1/3 and 1: of two draws 0, 1 or 2 are the long one.
    expected = 2000 * np.array([1, 6, 9]) / 16
    counts = np.bincount(n_long, minlength=3)
    # Chi-square with 2 degrees of freedom: 20 is a chance of 5e-5.
    assert ((counts - expected) ** 2 / expected).sum() < 20


def test_one_point_may_have_all_the_weight():
    persistences = np.ones(20_000)
    persistences[777] = 9.0
    points = np.column_stack((np.arange(20_000.0), np.arange(20_000.0) + persistences))
    X = Diagrams(points, [0, 20_000])
    sample = draw_sample([X], 10_000, ramp=Ramp(2.0, 3.0), seed=0)
    assert_array_equal(sample, [[777.0, 9.0]] * 10_000)


def test_a_ramp_above_all_points_is_refused(ragged):
    with pytest.raises(ValueError, match=r"above 0 by Ramp\(low=9\.0, .* Lower its li"):
        draw_sample([ragged], 5, ramp=Ramp(9.0, 10.0), seed=0)


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


def test_a_ramp_may_start_at_zero(ragged):
    low, high = (persistence_ramp([ragged], (q, 0.9)) for q in (None, 0.1))
    assert low == Ramp(0.0, high.high)


@given(st.integers(1, 40))
def test_summaries_are_added_in_their_order(n):
    letters = [chr(ord("A") + i) for i in range(n)]
    assert merged(letters) == "".join(letters)
    assert merged(iter(letters)) == "".join(letters)


def test_what_has_grown_is_added_to_seldom():
    copied = []

    class Text(str):
        def __add__(self, other):
            copied.append(len(self) + len(other))
            return Text(str(self) + other)

    assert merged([Text("x")] * 1024) == "x" * 1024
    assert sum(copied) == 10 * 1024


@pytest.mark.parametrize("size", [1, 50, 10**6, None])
def test_a_reservoir_has_the_sample_of_all_points_so_far(ragged, size):
    reservoir = Reservoir(size, seed=5)
    for i in range(0, 30, 3):
        reservoir.add(ragged[i : i + 3].points)
        expected = draw_sample([ragged[: i + 3]], size, ramp=None, seed=5)
        assert_array_equal(reservoir.sample(), expected)
    assert reservoir.n_points == len(ragged.points)


@pytest.mark.parametrize("ramp", [None, Ramp(0.1, 0.5)])
def test_too_few_candidates_are_looked_for_again(ragged, ramp):
    draws = []

    def candidates(draw):
        draws.append(draw)
        return draw.candidates(ragged.points, 0)

    sample = Draw(100, 3, 0.01, ramp).sample(candidates)
    shares = [draw.share for draw in draws]
    assert len(shares) > 3
    assert_array_equal(shares, 0.01 * 2.0 ** np.arange(len(shares)))
    n_found = [len(draw.candidates(ragged.points, 0).keys) for draw in draws]
    assert max(n_found[:-1]) < 100 <= n_found[-1]
    assert len(sample) == 100
    if ramp is None:
        assert_array_equal(sample, draw_sample([ragged], 100, ramp=None, seed=3))


@pytest.mark.parametrize("ramp", [None, Ramp(0.0, 0.01), Ramp(0.1, 0.5)])
@pytest.mark.parametrize("share", [0.001, 0.9, 40.0])
def test_candidates_beyond_the_expected_number_are_found_as_well(ragged, ramp, share):
    # A size of 1 lets expect few.
    few, many = (
        Draw(size, 0, share, ramp).candidates(ragged.points, 7) for size in (1, 10**6)
    )
    assert_array_equal(few.keys, many.keys)
    assert_array_equal(few.points, many.points)


@pytest.mark.parametrize("ramp", [None, Ramp(0.0, 1.0)])
def test_about_the_share_of_points_that_is_drawn_are_candidates(ramp):
    points = np.column_stack((np.zeros(5000), np.ones(5000)))
    found = Draw(500, 4, 0.1, ramp).candidates(points, 0)
    assert abs(len(found.keys) - 500) < 5 * np.sqrt(500)


def test_the_smallest_keys_are_kept_in_the_order_of_their_points():
    found = Candidates(np.array([5, 1, 9, 2], np.uint64), np.eye(4)[:, :2])
    assert_array_equal(found.smallest(2).keys, [1, 2])
    assert_array_equal(found.smallest(3).points, found.points[[0, 1, 3]])
    assert found.smallest(4) is found


def seed_with_first_key(key):
    """The seed of which draw 0 is a given key: all steps of the generator undone."""

    def undone(z, shift):
        x = z
        for _ in range(64 // shift):
            x = z ^ (x >> shift)
        return x

    mask = (1 << 64) - 1
    first, second = int(FIRST_MULTIPLIER), int(SECOND_MULTIPLIER)
    z = undone(key, 31) * pow(second, -1, 1 << 64) & mask
    z = undone(z, 27) * pow(first, -1, 1 << 64) & mask
    z = undone(undone(z, 30) - int(STEP) & mask, 31)
    for multiplier in (second, first):
        z = undone(z * pow(multiplier, -1, 1 << 64) & mask, 30)
    return z - (FOR_SAMPLING + 1) * second & mask


def test_the_largest_key_is_drawn_as_well(ragged):
    seed = seed_with_first_key(2**64 - 1)
    key = np.empty(1, np.uint64)
    fill_bits(stream_of(seed, FOR_SAMPLING), key)
    assert key[0] == 2**64 - 1
    sample = draw_sample([ragged], None, ramp=None, seed=seed)
    assert_array_equal(sample, in_birth_persistence(ragged))


@pytest.mark.parametrize(
    "ramp",
    [
        Ramp(0.1, 0.8),
        Ramp(0.0, 0.5),
        Ramp(0.3, 0.3),
        Ramp(0.0, 1e-300),
        Ramp(0.0, 1e50),
        Ramp(3e-5, 2e4),
    ],
    ids=str,
)
def test_the_sum_of_weights_follows_from_a_histogram(rng, ramp):
    persistences = rng.exponential(10.0 ** rng.integers(-6, 6, size=5000))
    persistences[:50] = 0.0
    points = np.column_stack((np.zeros(5000), persistences))

    def total(blocks):
        histogram = merged(map(Histogram.of, blocks))
        kept = merged(map(ValuesIn.bins_of(ramp, histogram).keep, blocks))
        return total_weight(ramp, histogram, kept)

    assert_allclose(total([points]), ramp(persistences).sum(), rtol=1e-5)
    # The last bit decides a draw, too.
    cuts = [points[i:j] for i, j in pairwise([0, 1, 1, 700, 4000, 5000])]
    assert total(cuts) == total([points])


def test_bins_beside_those_in_which_a_ramp_is_bent_may_be_kept_as_well(rng):
    points = np.column_stack((np.zeros(1000), rng.exponential(size=1000)))
    ramp, histogram = Ramp(0.1, 0.8), Histogram.of(points)
    bent = ValuesIn.bins_of(ramp, histogram).keep(points)
    every = ValuesIn(histogram.places, 1000).keep(points)
    assert len(bent.values) < len(every.values) / 2
    assert total_weight(ramp, histogram, every) == total_weight(ramp, histogram, bent)


def in_one_bin(rng, n):
    """Points whose persistences share their upper bits."""
    return np.column_stack((np.zeros(n), rng.uniform(1.0, 1.01, size=n)))


def test_more_persistences_than_may_be_collected_become_finer_bins(rng):
    points = in_one_bin(rng, 100_000)
    histogram = Histogram.of(points)
    assert len(histogram.places) == 1
    search = QuantileSearch.of(histogram, (0.05, 0.95), 1000)
    for blocks in ([points], np.array_split(points, 7), np.array_split(points, 500)):
        fine = merged(map(search.keep_or_count, blocks))
        assert isinstance(fine, FineBins)
        assert fine.bins[:, 0].sum() == len(points)
        finer = FineSearch.within(search, histogram, fine)
        kept = merged(map(finer.keep_or_count, blocks))
        assert len(kept.values) < 20  # of 100,000
        assert finer.ramp(kept) == search.ramp(search.keep(points))
        ramp, rounded = finer.ramp(kept), finer.rounded_ramp(fine)
        assert_allclose(rounded.low, ramp.low, rtol=1e-7)
        assert_allclose(rounded.high, ramp.high, rtol=1e-7)
        assert total_weight(rounded, histogram, fine) == total_weight(
            rounded, histogram, merged(map(search.keep_or_count, [points]))
        )


def test_the_sum_of_weights_follows_from_finer_bins(rng):
    points = np.concatenate(
        (in_one_bin(rng, 5000), np.c_[np.zeros(900), rng.exponential(size=900)])
    )
    histogram = Histogram.of(points)
    search = QuantileSearch.of(histogram, (0.3, 0.7), 1000)
    fine = search.keep_or_count(points)
    ramp = FineSearch.within(search, histogram, fine).rounded_ramp(fine)
    expected = ramp(points[:, 1]).sum()
    assert_allclose(total_weight(ramp, histogram, fine), expected, rtol=1e-5)


@pytest.mark.parametrize("n_blocks", [1, 3, 40])
def test_whether_they_are_too_many_does_not_depend_on_the_cut(rng, n_blocks):
    points = in_one_bin(rng, 60)
    blocks = np.array_split(np.concatenate((points, points)), n_blocks)
    for most, is_fine in ((59, True), (60, False)):
        search = QuantileSearch.of(Histogram.of(points), (0.05, 0.95), most)
        found = merged(map(search.keep_or_count, blocks))
        assert isinstance(found, FineBins) == is_fine


def test_finer_bins_have_counts_and_sums_of_the_bits_below(rng):
    values = np.sort(in_one_bin(rng, 3_000)[:, 1])
    counts = rng.integers(1, 5, size=len(values))
    fine = Values(values, counts).fine_bins()
    bits = values.view(np.int64) >> (FINE_SHIFT - OFFSET_BITS)
    assert len(np.unique(bits)) == len(values)
    places = bits >> OFFSET_BITS
    assert_array_equal(fine.places, np.unique(places))
    for place, found in zip(fine.places, fine.bins, strict=True):
        there = places == place
        below = bits[there] - (place << OFFSET_BITS)
        assert found.tolist() == [counts[there].sum(), (counts[there] * below).sum()]


def test_finer_bins_of_no_values_are_none():
    none = Values(np.empty(0), np.empty(0, np.int64)).fine_bins()
    some = Values(np.array([1.5, 2.5]), np.array([1, 3])).fine_bins()
    for fine in (none + some, some + none):
        assert_array_equal(fine.places, some.places)
        assert_array_equal(fine.bins, some.bins)
