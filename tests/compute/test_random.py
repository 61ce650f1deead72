import numpy as np
from numba import njit
from numpy.testing import assert_array_equal

from pbow.compute.random import draw_bits, draw_unit, fill_bits, fill_units, stream_of


@njit
def units(stream, n):
    return np.array([draw_unit(stream, np.uint64(i)) for i in range(n)])


def test_the_generator_is_splitmix64():
    # Published first outputs of SplitMix64 from seed 1234567.
    out = np.empty(3, np.uint64)
    fill_bits(np.uint64(1234567), out)
    expected = [6457827717110365317, 3203168211198807973, 9817491932198370423]
    assert_array_equal(out, np.array(expected, dtype=np.uint64))


def test_a_draw_does_not_depend_on_the_draws_before_it():
    out = np.empty(100, np.uint64)
    fill_bits(stream_of(7, 0), out)
    assert draw_bits(stream_of(7, 0), np.uint64(57)) == out[57]


def test_units_are_uniform():
    u = units(stream_of(0, 3), 100_000)
    assert 0.0 <= u.min() < u.max() < 1.0
    counts, _ = np.histogram(u, bins=50, range=(0, 1))
    # Chi-square with 49 degrees of freedom: 99 is a chance of 3e-5.
    assert ((counts - 2000) ** 2 / 2000).sum() < 99


def test_seeds_and_purposes_have_streams_of_their_own():
    streams = {
        int(stream_of(seed, purpose)) for seed in range(99) for purpose in range(9)
    }
    assert len(streams) == 99 * 9
    assert stream_of(2**64 + 5, 1) == stream_of(5, 1)


def test_draws_in_numpy_are_those_of_the_loops_from_any_first_one():
    stream, out = stream_of(1, 2), np.empty(9)
    fill_units(stream, out)
    assert_array_equal(out, units(stream, 9))
    fill_units(stream, out[:4], 5)
    assert_array_equal(out[:4], units(stream, 9)[5:])


def test_a_seed_means_the_same_in_all_versions():
    streams = [int(stream_of(seed, purpose)) for seed in (0, 7) for purpose in (0, 3)]
    assert streams == [
        5654030504471252045,
        4149616671247602446,
        16189653687381654991,
        4698214476034941678,
    ]
