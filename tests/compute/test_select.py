"""Passes over points, against slow sentences that define what they give."""

import math
import struct
from itertools import pairwise

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from scipy.special import pdtr

from pbow.compute.random import fill_bits, stream_of
from pbow.compute.select import (
    FEW,
    LARGEST_MEAN,
    N_BINS,
    OFFSET_BITS,
    SHIFT,
    add_bins,
    keep_bins,
    keep_small_keys,
    thin,
)
from pbow.weighting import Ramp

MASK = (1 << 64) - 1


def births_and_deaths(persistences):
    return np.column_stack((np.zeros(len(persistences)), persistences))


def bits_of(persistence):
    return int.from_bytes(struct.pack("<d", abs(persistence)), "little")


def bits(stream, i):
    """Draw i of a stream: SplitMix64 in whole numbers."""
    z = (stream + (i + 1) * 0x9E3779B97F4A7C15) & MASK
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & MASK
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK
    return z ^ (z >> 31)


def unit(stream, i):
    return (bits(stream, i) >> 11) * 2.0**-53


def inverted(u, mean):
    """The number of copies at which the Poisson distribution function passes u."""
    return int(np.searchsorted(pdtr(np.arange(200), mean), u, side="right"))


def thin_slowly(points, first, ramp, rate, stream):
    """Every point in a Poisson number of copies, with the keys of these."""
    keys, rows = [], []
    for row, weight in enumerate(ramp(points[:, 1] - points[:, 0])):
        i = first + row
        own = bits(~stream & MASK, i)
        mean = rate * float(weight)
        n_terms = max(1, math.ceil(mean / LARGEST_MEAN))
        draws = [unit(stream, i)]
        draws += [unit(own, MASK - k) for k in range(1, n_terms)]
        copies = sum(inverted(u, mean / n_terms) for u in draws)
        keys += [bits(own, c) for c in range(copies)]
        rows += [row] * copies
    return np.array(keys, np.uint64), np.array(rows, np.int64)


def thinned(points, ramp, rate, stream, *, first=0, room=200_000):
    keys, rows = np.empty(room, np.uint64), np.empty(room, np.int64)
    n = thin(points, first, ramp.low, ramp.high, rate, stream, keys, rows)
    return keys[:n], rows[:n]


def test_bins_ascend_with_persistence_and_hold_every_point(rng):
    persistences = np.sort(10.0 ** rng.uniform(-320, 100, size=2000))
    persistences[:2] = 0.0, -0.0
    bins = np.zeros((N_BINS, 2), np.int64)
    add_bins(births_and_deaths(persistences), bins)
    counts = bins[:, 0]
    assert counts.sum() == 2000
    kept = []
    for b in np.flatnonzero(counts):
        wanted = np.zeros(N_BINS, np.bool_)
        wanted[b] = True
        out = np.empty(2000)
        n = keep_bins(births_and_deaths(persistences), wanted, out)
        assert n == counts[b]
        kept.append(out[:n])
    assert_array_equal(np.concatenate(kept), persistences)


def test_a_bin_adds_up_the_bits_that_follow_its_own(rng):
    persistences = rng.exponential(size=500)
    persistences[:3] = 0.0, -0.0, 5e-324
    expected = np.zeros((N_BINS, 2), np.int64)
    for persistence in persistences:
        k, rest = divmod(bits_of(persistence), 1 << SHIFT)
        expected[k] += 1, rest >> (SHIFT - OFFSET_BITS)
    bins = np.zeros((N_BINS, 2), np.int64)
    # Blocks add to what is there.
    add_bins(births_and_deaths(persistences[:100]), bins)
    add_bins(births_and_deaths(persistences[100:]), bins)
    assert_array_equal(bins, expected)


def test_what_has_no_room_in_a_list_of_persistences_is_counted():
    points = births_and_deaths(np.arange(10.0))
    out = np.full(4, -1.0)
    assert keep_bins(points, np.ones(N_BINS, np.bool_), out[:3]) == 10
    assert_array_equal(out, [0.0, 1.0, 2.0, -1.0])
    assert keep_bins(points, np.zeros(N_BINS, np.bool_), out) == 0


def test_small_keys_are_those_of_the_whole_stream_for_any_cut():
    stream, limit = stream_of(3, 0), np.uint64(2**62)
    every = np.empty(1000, np.uint64)
    fill_bits(stream, every)
    keys, rows = np.empty(1000, np.uint64), np.empty(1000, np.int64)
    found = []
    for first, n in ((0, 400), (400, 600)):
        size = keep_small_keys(stream, first, n, limit, keys, rows)
        assert_array_equal(keys[:size], every[first + rows[:size]])
        found.extend(first + rows[:size])
    assert_array_equal(found, np.flatnonzero(every <= limit))
    # Those without room are counted.
    keys[5] = 0
    assert keep_small_keys(stream, 0, 1000, limit, keys[:5], rows[:5]) == len(found)
    assert keys[5] == 0


def test_many_keys_are_those_of_few():
    stream, limit, n = stream_of(3, 0), np.uint64(1 << 57), FEW + 1
    keys, rows = np.empty((2, n), np.uint64), np.empty((2, n), np.int64)
    size = keep_small_keys(stream, 5, n, limit, keys[0], rows[0])
    assert keep_small_keys(stream, 5, FEW, limit, keys[1], rows[1]) == size
    assert keep_small_keys(stream, 5, n, limit, keys[1, :3], rows[1, :3]) == size
    assert_array_equal(keys[0, :size], keys[1, :size])
    assert_array_equal(rows[0, :size], rows[1, :size])


def test_the_limit_of_keys_is_one_of_them():
    stream = stream_of(3, 0)
    every = np.empty(100, np.uint64)
    fill_bits(stream, every)
    keys, rows = np.empty(100, np.uint64), np.empty(100, np.int64)
    for limit, n in ((every.min(), 1), (every.min() - 1, 0), (~np.uint64(0), 100)):
        assert keep_small_keys(stream, 0, 100, np.uint64(limit), keys, rows) == n


@pytest.mark.parametrize(
    ("low", "high", "length"),
    [
        (0.2, 1.0, 1.0),
        (0.5, 0.5, 1.0),
        (0.0, 0.3, 1e-200),
        (0.1, 0.9, 1e99),
        (0.0, 1.0, 5e-324),
        (0.0, 3.0, 1e-310),
        (1.0, 1.0, 5e-324),
        (0.0, 0.0, 1.0),
    ],
)
@pytest.mark.parametrize("rate", [0.01, 0.9, 1.5, 100.0])
def test_points_are_copied_as_a_poisson_variable_says(rng, low, high, length, rate):
    persistences = rng.uniform(0.0, 1.5, size=300) * length
    persistences[:10] = 0.0
    persistences[10:20] = high * length
    ramp = Ramp(low * length, high * length)
    points = births_and_deaths(persistences)
    stream = stream_of(7, 0)
    expected = thin_slowly(points, 1000, ramp, rate, int(stream))
    assert rate < 1 or len(expected[0]) > 5
    found = thinned(points, ramp, rate, stream, first=1000)
    assert_array_equal(found[0], expected[0])
    assert_array_equal(found[1], expected[1])


def test_none_of_the_few_copies_of_many_points_is_lost():
    points, ramp, stream = births_and_deaths(np.ones(5000)), Ramp(0.5, 1.0), 11
    keys, rows = thin_slowly(points, 0, ramp, 0.05, stream)
    assert 150 < len(keys) < 350
    found = thinned(points, ramp, 0.05, np.uint64(stream))
    assert_array_equal(found[0], keys)
    assert_array_equal(found[1], rows)


def test_copies_do_not_depend_on_where_points_are_cut(rng):
    points = births_and_deaths(rng.exponential(size=1000))
    ramp, stream = Ramp(0.1, 2.0), stream_of(1, 0)
    keys, rows = thinned(points, ramp, 3.0, stream)
    blocks = [
        thinned(points[i:j], ramp, 3.0, stream, first=i)
        for i, j in pairwise([0, 0, 1, 500, 998, 1000])
    ]
    assert_array_equal(np.concatenate([b[0] for b in blocks]), keys)
    starts = [0, 0, 1, 500, 998]
    found = [b[1] + start for b, start in zip(blocks, starts, strict=True)]
    assert_array_equal(np.concatenate(found), rows)


@pytest.mark.parametrize("mean", [0.02, 0.9, 7.0, 16.0, 16.5, 300.0])
def test_numbers_of_copies_have_the_mean_and_variance_of_a_poisson_variable(mean):
    n = 20_000
    points = births_and_deaths(np.ones(n))
    _, rows = thinned(points, Ramp(0.5, 0.5), mean, stream_of(4, 0), room=10_000_000)
    copies = np.bincount(rows, minlength=n)
    assert abs(copies.mean() - mean) < 5 * math.sqrt(mean / n)
    # The fourth moment of a Poisson variable about its mean is mean + 3 mean**2.
    deviation = math.sqrt((mean + 2 * mean**2) / n)
    assert abs(copies.var() - mean) < 5 * deviation
    # Neighbors know nothing of each other.
    assert abs(np.corrcoef(copies[1:], copies[:-1])[0, 1]) < 5 / math.sqrt(n)


def test_keys_of_copies_are_uniform_and_all_different():
    points = births_and_deaths(np.ones(100))
    keys, _ = thinned(points, Ramp(0.0, 1.0), 1000.0, stream_of(2, 0))
    assert len(np.unique(keys)) == len(keys)
    counts, _ = np.histogram(keys / 2.0**64, bins=50, range=(0, 1))
    expected = len(keys) / 50
    # Chi-square with 49 degrees of freedom: 99 is a chance of 3e-5.
    assert ((counts - expected) ** 2 / expected).sum() < 99


def test_a_point_may_have_a_million_copies():
    points = births_and_deaths([1.0])
    _, rows = thinned(points, Ramp(0.0, 1.0), 1e6, stream_of(0, 0), room=2_000_000)
    assert abs(len(rows) - 1e6) < 5e3


def test_copies_without_room_are_counted():
    points = births_and_deaths(np.ones(50))
    keys, rows = np.zeros(60, np.uint64), np.zeros(60, np.int64)
    ramp, stream = Ramp(0.0, 1.0), stream_of(0, 0)
    expected = thinned(points, ramp, 4.0, stream)
    n = thin(points, 0, 0.0, 1.0, 4.0, stream, keys[:7], rows[:7])
    assert n == len(expected[0]) > 100
    assert_array_equal(keys, [*expected[0][:7], *[0] * 53])
    assert_array_equal(rows[:7], expected[1][:7])
