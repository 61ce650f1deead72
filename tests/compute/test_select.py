import numpy as np
import pytest
from numpy.testing import assert_array_equal

from pbow.compute.assign import BLOCK
from pbow.compute.random import fill_bits, stream_of
from pbow.compute.select import (
    FULL_WEIGHT,
    N_BINS,
    add_bins,
    keep_bins,
    keep_small_keys,
    pick,
    total_weight,
)
from pbow.weighting import Ramp


def births_and_deaths(persistences):
    return np.column_stack((np.zeros(len(persistences)), persistences))


def test_bins_ascend_with_persistence_and_hold_every_point(rng):
    persistences = np.sort(10.0 ** rng.uniform(-320, 100, size=5000))
    persistences[:2] = 0.0, -0.0
    counts = np.zeros(N_BINS, np.int64)
    add_bins(births_and_deaths(persistences), counts)
    assert counts.sum() == 5000
    kept = []
    for b in np.flatnonzero(counts):
        wanted = np.zeros(N_BINS, np.bool_)
        wanted[b] = True
        out = np.empty(5000)
        n = keep_bins(births_and_deaths(persistences), wanted, out)
        assert n == counts[b]
        kept.append(out[:n])
    assert_array_equal(np.concatenate(kept), persistences)


def test_small_keys_are_those_of_the_whole_stream_for_any_cut():
    stream, limit = stream_of(3, 0), np.uint64(2**62)
    bits = np.empty(1000, np.uint64)
    fill_bits(stream, bits)
    keys, rows = np.empty(1000, np.uint64), np.empty(1000, np.int64)
    found = []
    for first, n in ((0, 400), (400, 600)):
        size = keep_small_keys(stream, first, n, limit, keys, rows)
        assert_array_equal(keys[:size], bits[first + rows[:size]])
        found.extend(first + rows[:size])
    assert_array_equal(found, np.flatnonzero(bits < limit))
    # Those without room are counted.
    assert keep_small_keys(stream, 0, 1000, limit, keys[:5], rows[:5]) == len(found)


@pytest.mark.parametrize(
    ("low", "high", "unit"),
    [
        (0.2, 1.0, 1.0),
        (0.5, 0.5, 1.0),
        (0.0, 0.3, 1e-200),
        (0.1, 0.9, 1e99),
        (0.0, 1.0, 5e-324),
        (0.0, 3.0, 1e-310),
    ],
)
def test_draws_meet_the_point_at_which_the_running_weight_passes_them(
    rng, low, high, unit
):
    # Several blocks, some without weight.
    n = 5 * BLOCK + 17
    persistences = rng.uniform(0.0, 1.5, size=n)
    persistences[BLOCK : 2 * BLOCK] = 0.0
    persistences, low, high = persistences * unit, low * unit, high * unit
    weights = np.rint(Ramp(low, high)(persistences) * FULL_WEIGHT).astype(np.int64)
    reached = np.cumsum(weights)
    points = births_and_deaths(persistences)
    total = total_weight(points, low, high)
    # A weight is rounded after a product here, and after a quotient there.
    assert abs(total - reached[-1]) <= n
    if low == high or unit <= 1e-310:
        assert total == reached[-1]
        draws = np.sort(rng.integers(0, total, size=300))
        rows = np.empty(300, np.int64)
        pick(points, low, high, 7, draws + 7, rows)
        assert_array_equal(rows, np.searchsorted(reached, draws, side="right"))
