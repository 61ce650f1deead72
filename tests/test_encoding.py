import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from pbow import Diagrams
from pbow.codebook import GaussianCodebook, KMeansCodebook, learn_gaussian
from pbow.compute.allowance import Allowance
from pbow.compute.normalize import NORMALIZATIONS
from pbow.encoding import (
    choose_loop,
    choose_loops,
    count_with,
    encode_counts,
    encode_likelihoods,
)
from pbow.weighting import Ramp

HARD = KMeansCodebook(np.array([[0.0, 1.0]]), np.ones(2))
SOFT = GaussianCodebook(
    np.ones(1), np.array([[0.0, 1.0]]), np.eye(2)[np.newaxis], np.ones(2)
)
X = Diagrams.from_list([[[0.0, 1.0]], []])


@pytest.mark.parametrize(
    ("encode", "message"),
    [
        (lambda: encode_counts(X, HARD, normalize="l2"), "normalize .* got 'l2'"),
        (lambda: encode_likelihoods(X, SOFT, normalize="l2"), "normalize .* got 'l2'"),
        (lambda: encode_likelihoods(X, SOFT, scale="log"), "scale .* got 'log'"),
        (lambda: encode_likelihoods(X, SOFT, dtype="int8"), "dtype .* got 'int8'"),
        (
            lambda: learn_gaussian(
                np.eye(2), 1, covariance="round", whiten=False, n_init=1, seed=0
            ),
            "covariance .* got 'round'",
        ),
    ],
)
def test_an_unknown_option_is_refused(encode, message):
    with pytest.raises(ValueError, match=message):
        encode()


@pytest.mark.parametrize(
    ("encode", "book"), [(encode_counts, HARD), (encode_likelihoods, SOFT)]
)
def test_essential_points_are_refused(encode, book):
    with pytest.raises(ValueError, match=r"without essential points.*X\.finite"):
        encode(Diagrams.from_list([[[0.0, np.inf]]]), book)


@pytest.mark.parametrize("normalization", NORMALIZATIONS.values(), ids=NORMALIZATIONS)
@pytest.mark.parametrize(
    "ramp",
    [None, Ramp(0.1, 0.6), Ramp(0.0, 0.6, 2)],
    ids=["counts", "weighted", "squared"],
)
@pytest.mark.parametrize(("n_words", "n_dims"), [(1, 2), (2, 1), (25, 2), (300, 2)])
def test_every_loop_gives_the_same_bits(rng, n_words, n_dims, ramp, normalization):
    births = rng.normal(size=20_000)
    points = np.column_stack((births, births + rng.exponential(size=20_000)))
    many = Diagrams(points, np.linspace(0, 20_000, 101).astype(np.int64))
    book = KMeansCodebook(rng.uniform(size=(n_words, n_dims)), [1.0, 0.3][:n_dims])
    by_loop = [
        count_with([loop], many, book, ramp, normalization, n_jobs=2)
        for loop in ("numpy", "brute", "grid")
    ]
    assert_array_equal(by_loop[1], by_loop[0])
    assert_array_equal(by_loop[2], by_loop[0])


def test_loops_may_differ_by_resolution(rng):
    births = rng.normal(size=9_000)
    points = np.column_stack((births, births + rng.exponential(size=9_000)))
    # More diagrams than are encoded at a time.
    many = Diagrams(points, np.linspace(0, 9_000, 4_501).astype(np.int64))
    book = KMeansCodebook(rng.uniform(size=(60, 2)), [1.0, 0.3], (3, 7, 50))
    expected = np.hstack([encode_counts(many, one) for one in book.resolutions])
    for loops in (["numpy", "brute", "grid"], ["grid", "numpy", "brute"]):
        assert_array_equal(count_with(loops, many, book, None, 0, 2), expected)


@pytest.mark.parametrize(
    ("size", "has_grid", "compiled", "loop"),
    [
        # Little work is not worth compiling for, and what is compiled is used.
        ((1_000, 50), False, (), "numpy"),
        ((1_000, 50), False, ("brute",), "brute"),
        ((1_000, 50), True, (), "numpy"),
        ((1_000, 50), True, ("brute",), "numpy"),
        ((1_000, 50), True, ("grid",), "grid"),
        # A grid has to be built, unless it is there.
        ((20_000, 50), False, (), "brute"),
        ((20_000, 50), True, (), "grid"),
        ((1_000_000, 50), False, (), "grid"),
        # Few words are compared faster than looked up; too many have no codes.
        ((10_000_000, 16), True, ("grid",), "brute"),
        ((10_000_000, 17), True, ("grid",), "grid"),
        ((10_000_000, 65_534), True, ("grid",), "grid"),
        ((10_000_000, 65_535), True, ("grid",), "brute"),
        ((0, 50), False, (), "numpy"),
    ],
)
def test_the_fastest_loop_is_chosen(size, has_grid, compiled, loop):
    assert choose_loop(*size, has_grid=has_grid, compiled=compiled) == loop


def test_first_calls_are_done_by_numpy_until_its_allowance_is_spent():
    allowance = Allowance(2_500_000)
    X = Diagrams.from_list([np.tile([0.0, 1.0], (40_000, 1))])
    book = KMeansCodebook(np.arange(60.0).reshape(30, 2), np.ones(2))
    assert choose_loops(X, book, [], allowance) == ["numpy"]
    assert choose_loops(X, book, ["brute"], allowance) == ["brute"]
    assert choose_loops(X, book, [], allowance) == ["numpy"]
    assert choose_loops(X, book, [], allowance) == ["brute"]


@pytest.mark.parametrize("scale", ["density", "peak", "posterior"])
@pytest.mark.parametrize("means", [[[0.3, 0.5]], [[0.3, 0.5], [0.3, 9.0], [7.0, 0.5]]])
def test_single_precision_is_near_to_double_wherever_words_are(ragged, scale, means):
    # One word, whose mean has no distance from others, and axes of different lengths.
    n = len(means)
    covariances = np.tile([[0.5, 0.1], [0.1, 2.0]], (n, 1, 1))
    book = GaussianCodebook(np.full(n, 1 / n), np.array(means), covariances, np.ones(2))
    double, single = (
        encode_likelihoods(ragged, book, scale=scale, dtype=dtype)
        for dtype in ("float64", "float32")
    )
    assert (double.max(axis=0) > 0.0).all()
    assert_allclose(single, double, rtol=1e-4, atol=1e-30)


@pytest.mark.parametrize("ramp", [None, Ramp(0.1, 0.5)])
@pytest.mark.parametrize("loop", ["brute", "numpy"])
def test_each_resolution_has_the_counts_that_it_has_alone(ragged, rng, loop, ramp):
    books = [KMeansCodebook(rng.uniform(size=(n, 2)), np.ones(2)) for n in (3, 5)]
    both = KMeansCodebook.join(books)
    alone = [count_with([loop], ragged, book, ramp, 0, 1) for book in books]
    found = count_with([loop] * 2, ragged, both, ramp, 0, 1)
    assert_array_equal(found, np.hstack(alone))
