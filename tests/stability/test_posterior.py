"""Posteriors of words that share a covariance are attacked where their slopes are."""

import math
import time
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings, target
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from tests.stability.definitions import (
    CORNERS,
    births_only,
    distances,
    encode,
    encode_each,
    make_codebook,
    make_mixture,
    make_tied,
    steepest_pairs,
    wasserstein,
)

from pbow.codebook import GaussianCodebook
from pbow.stability.certificate import DIRECTIONS, METRICS, component_constants
from pbow.stability.posterior import euclidean_constant, is_tied
from pbow.weighting import Ramp

each_metric = pytest.mark.parametrize("metric", METRICS)
# A root of a linear ramp has no constant.
FEATURES = [
    (None, 1),
    ("smooth-sqrt", 1),
    ("sqrt", 2),
    (None, 2),
    ("smooth-sqrt", 2),
]
each_feature = pytest.mark.parametrize(("normalize", "power"), FEATURES)
each_temperature = pytest.mark.parametrize("temperature", [1.0, 1.7])


@each_metric
@each_feature
@each_temperature
@pytest.mark.parametrize(
    ("seed", "correlation", "low", "high"),
    [(0, 0.0, 0.0, 0.8), (1, 0.7, 0.2, 0.3)],
)
def test_pairs_of_points_reach_the_bound_of_every_word(
    seed, correlation, low, high, temperature, normalize, power, metric
):
    words = make_tied(seed, correlation=correlation, temperature=temperature)
    ramp = Ramp(low, high, power)
    options = {"scale": "posterior", "normalize": normalize, "metric": metric}
    constants = component_constants(words, ramp, **options)
    found = steepest_pairs(words, ramp, **options)
    assert (found <= constants * (1 + 1e-4)).all()  # far away, points are rounded
    assert (found >= 0.9 * constants).all()


@each_metric
@each_feature
@settings(max_examples=15)
@given(
    seed=st.integers(0, 10_000),
    n_words=st.integers(1, 9),
    log_width=st.floats(-3, 1),
    correlation=st.just(0.0) | st.floats(-0.98, 0.98),
    low=st.just(0.0) | st.floats(0, 1),
    log_length=st.floats(-5, 2),
    is_grid=st.booleans(),
)
def test_no_pair_of_points_exceeds_the_constant(
    *,
    normalize,
    power,
    metric,
    seed,
    n_words,
    log_width,
    correlation,
    low,
    log_length,
    is_grid,
):
    words = make_tied(seed, n_words, correlation=correlation, width=math.exp(log_width))
    if is_grid:  # words on lines, and in one place
        means = np.round(words.means, 0 if seed % 2 else 1)
        words = GaussianCodebook(words.weights, means, words.covariances, words.scale)
    ramp = Ramp(low, low + math.exp(log_length), power)
    options = {"scale": "posterior", "normalize": normalize}
    constants = component_constants(words, ramp, **options, metric=metric)
    assert np.isfinite(constants).all()
    rng = np.random.default_rng(seed)
    x = rng.normal(0.5, rng.choice([0.3, 1, 10, 100], (400, 1)), (400, 2))
    x[:, 1] = np.abs(x[:, 1])
    x[:200, 1] = low + (ramp.high - low) * rng.random(200)
    step = 10.0 ** rng.uniform(-5, 1, (400, 1))
    y = x + step * rng.choice(CORNERS[metric], 400)
    x, y = x[y[:, 1] >= 0.0], y[y[:, 1] >= 0.0]
    first, second = (
        encode_each(words, ramp, "posterior", t, normalize) for t in (x, y)
    )
    allowed = constants * distances(x, y, metric)[:, np.newaxis]
    size = (np.abs(x).max() / math.exp(log_width)) ** 2 / (1 - correlation**2)
    noise = 1e-15 * (size + 10)
    ratio = np.abs(first - second) / (allowed + noise)
    target(float(ratio.max()))
    assert (ratio <= 1.0).all()


@each_metric
@each_feature
@settings(max_examples=40)
@given(
    seed=st.integers(0, 5),
    n_points=st.tuples(st.integers(0, 4), st.integers(0, 4)),
    e=st.integers(0, 6),
    draw=st.integers(0, 10_000),
)
def test_vectors_are_never_farther_apart_than_the_constants_allow(
    *, normalize, power, metric, seed, n_points, e, draw
):
    words = make_tied(seed, correlation=0.5, temperature=1.5)
    ramp = Ramp(0.0, 0.4, power)
    options = {"scale": "posterior", "normalize": normalize}
    constants = component_constants(words, ramp, **options, metric=metric)
    rng = np.random.default_rng(draw)
    B = np.c_[rng.normal(0.5, 1, n_points[0]), rng.exponential(0.4, n_points[0])]
    D = np.c_[rng.normal(0.5, 1, n_points[1]), rng.exponential(0.4, n_points[1])]
    n = min(n_points)
    D[:n] = B[:n] + rng.normal(0, 10.0**-e, (n, 2))
    D[:, 1] = np.abs(D[:, 1])
    D[n:, 1] *= 10.0**-e
    first, second = (encode(words, ramp, "posterior", X, normalize) for X in (B, D))
    apart = np.abs(first - second)
    allowed = constants * wasserstein(B, D, metric) + 1e-13
    target(float((apart / allowed).max()))
    assert (apart <= allowed).all()
    if normalize == "sqrt":
        # In the Euclidean norm, and for the smaller distance.
        length = euclidean_constant(words, ramp, DIRECTIONS[metric])
        allowed = length * wasserstein(B, D, metric, order=2)
        assert np.linalg.norm(apart) <= allowed + 1e-13


@each_metric
@each_temperature
@pytest.mark.parametrize("seed", [0, 1, 2])
def test_roots_of_posteriors_reach_the_bound_of_their_norm(seed, temperature, metric):
    words = make_tied(seed, correlation=0.3 * seed, temperature=temperature)
    ramp = Ramp(0.0, 0.5, 2)
    constant = euclidean_constant(words, ramp, DIRECTIONS[metric])
    rng = np.random.default_rng(seed)
    x = rng.normal(0.5, rng.choice([0.5, 2, 8], (60_000, 1)), (60_000, 2))
    x[:, 1] = np.abs(x[:, 1])
    largest = 0.0
    for _ in range(4):
        y = x + 1e-6 * rng.choice(CORNERS[metric], len(x))
        inside = y[:, 1] >= 0.0
        x, y = x[inside], y[inside]
        first, second = (
            encode_each(words, ramp, "posterior", t, "sqrt") for t in (x, y)
        )
        length = np.linalg.norm(first - second, axis=1) / distances(x, y, metric)
        largest = max(largest, length.max())
        best = x[np.argsort(length)[-200:]]
        x = np.repeat(best, 50, axis=0) + rng.normal(0, 0.02, (50 * len(best), 2))
        x[:, 1] = np.abs(x[:, 1])
    assert 0.93 * constant <= largest <= constant * (1 + 1e-4)


@each_metric
def test_the_norm_of_all_roots_is_at_most_that_of_their_constants(metric):
    words, ramp = make_tied(4, 20), Ramp(0.0, 0.5, 2)
    options = {"scale": "posterior", "normalize": "sqrt", "metric": metric}
    constants = component_constants(words, ramp, **options)
    length = euclidean_constant(words, ramp, DIRECTIONS[metric])
    assert constants.max() < 1.04 * length
    assert length < 0.7 * np.linalg.norm(constants)


def test_two_words_have_a_quarter_of_the_difference_of_their_logits():
    # Far above a ramp that is nearly flat; the logits differ by 4 b in all.
    words = make_codebook([[-1.0, 0.0], [1.0, 0.0]], [[0.7071, 9.0]] * 2, 0.0)
    ramp = Ramp(0.0, 1e9)
    expected = (2.0 / 0.7071**2) / 4
    constants = component_constants(words, ramp, scale="posterior")
    assert_allclose(constants, expected, rtol=0.03)
    assert (constants >= expected).all()


def test_births_and_deaths_that_move_apart_change_posteriors_the_most():
    # Logits differ by birth minus persistence, which is 2 birth minus death.
    words = make_codebook([[0.0, 1.0], [1.0, 0.0]], [[1.0, 1.0]] * 2, 0.0)
    ramp = Ramp(0.0, 1e9)
    for metric, expected in (("birth-death", 3 / 4), ("birth-persistence", 2 / 4)):
        constants = component_constants(words, ramp, scale="posterior", metric=metric)
        assert_allclose(constants, expected, rtol=0.03)
        assert (constants >= expected).all()


@each_feature
@each_metric
def test_a_word_alone_has_the_slope_of_the_ramp(metric, normalize, power):
    alone = make_tied(0, 1)
    doubled = make_codebook(np.tile(alone.means, (3, 1)), [[0.3, 0.3]] * 3, 0.0)
    steep = 2.0 if metric == "birth-death" else 1.0
    options = {"scale": "posterior", "normalize": normalize, "metric": metric}
    ramp = Ramp(0.0, 0.5, power)
    r = np.linspace(0, 1, 100_001)
    values = r**power
    if normalize == "sqrt":
        values = np.sqrt(values)
    elif normalize == "smooth-sqrt":
        values = np.sqrt(values + 0.1)
    expected = steep * np.diff(values).max() * 100_000 / 0.5
    assert_allclose(component_constants(alone, ramp, **options), expected, rtol=1e-3)
    if normalize is None:
        thirds = component_constants(doubled, ramp, **options)
        assert_allclose(thirds, expected / 3, rtol=0.03)


@each_metric
@each_feature
@pytest.mark.parametrize("unit", [1e-50, 1e-9, 1e50])
def test_the_unit_of_length_only_changes_the_unit_of_the_constant(
    unit, normalize, power, metric
):
    words = make_tied(3, correlation=0.4)
    scaled = GaussianCodebook(
        words.weights, words.means * unit, words.covariances * unit**2, words.scale
    )
    options = {"scale": "posterior", "normalize": normalize, "metric": metric}
    expected = component_constants(words, Ramp(0.1, 0.5, power), **options)
    ramp = Ramp(0.1 * unit, 0.5 * unit, power)
    got = component_constants(scaled, ramp, **options)
    assert_allclose(got * unit, expected, rtol=1e-6)


@each_metric
@each_feature
def test_no_constant_is_lost_at_extreme_scales(normalize, power, metric):
    options = {"scale": "posterior", "normalize": normalize, "metric": metric}
    sizes = [1e-100, 1.0, 1e100]
    for deviations, far in product(product(sizes, sizes), [1.0, 1e90]):
        means = np.array([[0.0, 0.0], [far, far], [far, 0.0], [0.0, far]])
        words = make_codebook(means, [deviations] * 4, 0.3)
        for limits in ((0.0, 1.0), (0.0, 1e-300), (1.0, 1.0 + 1e-15), (1e99, 1e100)):
            constants = component_constants(words, Ramp(*limits, power), **options)
            assert (constants > 0.0).all()  # infinite or not, but no NaN
    hardly = make_tied(0, 3)
    hardly = GaussianCodebook(
        np.array([1e-300, 0.5, 0.5]), hardly.means, hardly.covariances, hardly.scale
    )
    constants = component_constants(hardly, Ramp(0.0, 1.0, power), **options)
    assert np.isfinite(constants).all()


def test_words_on_one_line_parallel_to_an_axis_keep_their_bound():
    for axis in (0, 1):
        means = np.full((6, 2), 0.5)
        means[:, axis] = np.arange(6) * 0.3
        words = make_codebook(means, [[0.2, 0.2]] * 6, 0.0)
        ramp = Ramp(0.0, 0.2)
        constants = component_constants(words, ramp, scale="posterior")
        found = steepest_pairs(words, ramp, "posterior", None, "birth-death")
        assert (found >= 0.9 * constants).all()


def test_words_on_a_slanted_line_have_a_bound_that_may_be_loose():
    means = np.c_[np.arange(6) * 0.3, 2.0 - np.arange(6) * 0.3]
    words = make_codebook(means, [[0.2, 0.2]] * 6, 0.0)
    ramp = Ramp(0.0, 0.2)
    constants = component_constants(words, ramp, scale="posterior")
    found = steepest_pairs(words, ramp, "posterior", None, "birth-death")
    assert (found <= constants * (1 + 1e-4)).all()
    assert (found >= 0.2 * constants).all()


def test_a_hundred_words_take_seconds():
    words, ramp = make_tied(0, 100, width=0.06), Ramp(0.0, 0.3)
    start = time.process_time()
    component_constants(words, ramp, scale="posterior", normalize="smooth-sqrt")
    assert time.process_time() - start < 30.0  # on slow and busy machines, too


def test_words_of_different_covariances_are_not_certified():
    mixture, ramp = make_mixture(0, full=True), Ramp(0.0, 1.0)
    assert not is_tied(mixture)
    assert (component_constants(mixture, ramp, scale="posterior") == np.inf).all()
    tied = make_tied(0)
    assert is_tied(tied)
    two = GaussianCodebook.join([make_tied(1, 3, width=0.1), tied])
    assert is_tied(two)  # each resolution has its own
    constants = component_constants(two, ramp, scale="posterior")
    each = [
        component_constants(book, ramp, scale="posterior") for book in two.resolutions
    ]
    assert_allclose(constants, np.concatenate(each), rtol=0.0)


def test_births_alone_need_no_ramp():
    words = births_only(np.full(4, 0.25), np.full(4, 0.3))
    words = GaussianCodebook(
        words.weights, np.array([[0.0], [0.4], [1.0], [1.0]]), words.covariances, [1.0]
    )
    for normalize in (None, "sqrt", "smooth-sqrt"):
        options = {"scale": "posterior", "normalize": normalize}
        constants = component_constants(words, None, **options)
        found = steepest_pairs(words, None, **options, metric="birth-death")
        assert (found <= constants * (1 + 1e-5)).all()
        assert (found >= 0.9 * constants).all()
    length = euclidean_constant(words, None, DIRECTIONS["birth-death"])
    x = np.linspace(-3, 4, 200_001)
    roots = encode_each(words, None, "posterior", x[:, np.newaxis], "sqrt")
    steepest = np.linalg.norm(np.diff(roots, axis=0), axis=1).max() / (x[1] - x[0])
    assert 0.95 * length <= steepest <= length * (1 + 1e-6)
