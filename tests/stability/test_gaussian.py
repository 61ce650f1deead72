"""Gaussian words are attacked: by grids, random words, matchings solved exactly."""

import math
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings, target
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.testing import assert_allclose
from tests.stability.definitions import (
    births_only,
    distances,
    encode,
    encode_each,
    heights,
    make_codebook,
    make_mixture,
    steepest_pairs,
    wasserstein,
)

from pbow.codebook import GaussianCodebook
from pbow.compute.normalize import NORMALIZATIONS, normalize_row
from pbow.stability.certificate import METRICS, component_constants
from pbow.weighting import Ramp

SCALES = ("density", "peak")
each_metric = pytest.mark.parametrize("metric", METRICS)
each_scale = pytest.mark.parametrize("scale", SCALES)


ROOTS = [("smooth-sqrt", 1), ("sqrt", 2), (None, 2), ("smooth-sqrt", 2)]


def gradient(codebook, word, ramp, scale, births, persistences, *, below):
    """Return the derivatives by birth and persistence, one-sided at the kinks."""
    (bb, bp), (_, pp) = np.linalg.inv(codebook.covariances[word])
    db = births - codebook.means[word, 0]
    dp = persistences - codebook.means[word, 1]
    value = heights(codebook, scale)[word] * np.exp(
        -(bb * db**2 + 2 * bp * db * dp + pp * dp**2) / 2
    )
    if below:
        weight = (persistences - ramp.low) / (ramp.high - ramp.low)
        slope = 1 / (ramp.high - ramp.low)
    else:
        weight, slope = 1.0, 0.0
    by_birth = -weight * value * (bb * db + bp * dp)
    by_persistence = value * (slope - weight * (bp * db + pp * dp))
    return by_birth, by_persistence


def dual_norm(by_birth, by_persistence, metric):
    if metric == "birth-death":
        by_birth = by_birth - by_persistence
    return np.abs(by_birth) + np.abs(by_persistence)


def steepest(codebook, word, ramp, scale, metric):
    """Return the steepest (slope, birth, persistence, below) of a zooming grid."""
    (bb, bp), (_, pp) = codebook.covariances[word]
    mean_b, mean_p = codebook.means[word]
    far = 7 * math.sqrt(pp)
    best = (0.0, mean_b, mean_p, False)
    for below, first, last in ((True, ramp.low, ramp.high), (False, ramp.high, np.inf)):
        low = max(first, min(mean_p - far, last - far))
        high = min(last, max(mean_p + far, first + far))
        z_low, z_high = -5.0, 5.0
        for _ in range(3):
            p = np.linspace(low, high, 101)[:, np.newaxis]
            z = np.linspace(z_low, z_high, 101)
            b = mean_b + bp / pp * (p - mean_p) + z * math.sqrt(bb - bp**2 / pp)
            slopes = gradient(codebook, word, ramp, scale, b, p, below=below)
            values = dual_norm(*slopes, metric)
            i, j = np.unravel_index(values.argmax(), values.shape)
            best = max(best, (values[i, j], b[i, j], p[i, 0], below))
            low, high = p[max(i - 2, 0), 0], p[min(i + 2, 100), 0]
            z_low, z_high = z[max(j - 2, 0)], z[min(j + 2, 100)]
    return best


@each_metric
@each_scale
@pytest.mark.parametrize(
    "ramp",
    [Ramp(0.0, 0.8), Ramp(0.0, 9.0), Ramp(0.2, 0.3), Ramp(1.5, 4.0)],
    ids=["from-diagonal", "long", "steep", "above-most-words"],
)
@pytest.mark.parametrize("full", [False, True], ids=["diag", "full"])
def test_a_constant_is_at_least_the_steepest_slope_and_at_most_a_little_more(
    full, ramp, scale, metric
):
    codebook = make_mixture(7, full=full)
    found = [steepest(codebook, i, ramp, scale, metric)[0] for i in range(5)]
    excess = component_constants(codebook, ramp, scale=scale, metric=metric) / found
    assert (excess >= 1.0).all()
    assert (excess <= 1.002).all()


@each_metric
@settings(max_examples=120)
@given(
    mean=st.floats(-3, 6),
    log_deviations=st.tuples(st.floats(-5, 5), st.floats(-5, 5)),
    correlation=st.floats(-0.999, 0.999),
    low=st.just(0.0) | st.floats(0, 5),
    log_width=st.floats(-8, 5),
    z=arrays(float, 60, elements=st.floats(-3, 3)),
    share=arrays(float, 60, elements=st.floats(0, 1)),
)
def test_no_slope_of_any_word_exceeds_its_constant(
    metric, mean, log_deviations, correlation, low, log_width, z, share
):
    deviations = np.exp(log_deviations)
    codebook = make_codebook([[0.0, mean]], [deviations], correlation)
    ramp = Ramp(low, low + math.exp(log_width))
    [constant] = component_constants(codebook, ramp, scale="peak", metric=metric)
    # On the whole ramp, and on the part of it (or above it) that the word reaches.
    near = np.clip(mean + deviations[1] * (6 * share - 3), ramp.low, ramp.high)
    whole = ramp.low + share * (ramp.high - ramp.low)
    above = np.maximum(ramp.high, mean + deviations[1] * (6 * share - 3))
    largest = 0.0
    for p, below in ((near, True), (whole, True), (above, False)):
        b = correlation * deviations[0] / deviations[1] * (p - mean)
        b = b + z * deviations[0] * math.sqrt(1 - correlation**2)
        slopes = gradient(codebook, 0, ramp, "peak", b, p, below=below)
        largest = max(largest, dual_norm(*slopes, metric).max())
    target(largest / constant)
    assert largest <= constant * (1 + 1e-7)  # gradient() is rounded, too


CASES = [
    (make_mixture(seed, full=full), ramp)
    for seed, (full, ramp) in enumerate(
        product([False, True], [Ramp(0.0, 0.8), Ramp(0.2, 0.3)])
    )
]
persistences = st.just(0.0) | st.floats(0, 1e-6) | st.floats(0, 2)
free_points = st.tuples(st.floats(-1, 2), persistences)
points_near_words = st.tuples(st.integers(0, 4), st.floats(-3, 3), st.floats(-3, 3))
steps = st.tuples(st.floats(-1, 1), st.floats(-1, 1), st.integers(0, 8))


@each_metric
@each_scale
@settings(max_examples=80)
@given(
    case=st.sampled_from(CASES),
    free=st.lists(free_points, max_size=3),
    near=st.lists(points_near_words, max_size=3),
    moves=st.lists(st.none() | steps, max_size=6),
    added=st.lists(free_points, max_size=2),
)
def test_vectors_are_never_farther_apart_than_the_constant_allows(
    scale, metric, case, free, near, moves, added
):
    codebook, ramp = case
    deviations = np.sqrt(np.diagonal(codebook.covariances, axis1=1, axis2=2))
    B = free + [tuple(codebook.means[i] + deviations[i] * (b, p)) for i, b, p in near]
    B = [(b, max(p, 0.0)) for b, p in B]
    # Its points move a little or a lot, or go (None); others come.
    D = [
        (b + db * 10.0**-e, max(p + dp * 10.0**-e, 0.0))
        for (b, p), (db, dp, e) in (
            (point, move) for point, move in zip(B, moves, strict=False) if move
        )
    ] + added
    constants = component_constants(codebook, ramp, scale=scale, metric=metric)
    distance = wasserstein(B, D, metric)
    apart = np.abs(encode(codebook, ramp, scale, B) - encode(codebook, ramp, scale, D))
    noise = 1e-14 * heights(codebook, scale) * (len(B) + len(D))
    target(float((apart / (constants * distance + noise + 1e-300)).max()))
    assert (apart <= constants * distance + noise).all()


@each_metric
@each_scale
@pytest.mark.parametrize("case", CASES, ids=["0", "1", "2", "3"])
def test_moving_one_point_reaches_the_bound(case, scale, metric):
    codebook, ramp = case
    constants = component_constants(codebook, ramp, scale=scale, metric=metric)
    for word, constant in enumerate(constants):
        _, b, p, below = steepest(codebook, word, ramp, scale, metric)
        by_b, by_p = gradient(codebook, word, ramp, scale, b, p, below=below)
        step = 1e-5 * math.sqrt(np.linalg.eigvalsh(codebook.covariances[word])[0])
        if metric == "birth-death":
            up_b, up_d = np.sign(by_b - by_p), np.sign(by_p)
            direction = np.array([up_b, up_d - up_b])
        else:
            direction = np.array([np.sign(by_b), np.sign(by_p)])
        B = np.array([b, p])
        ratios = [0.0]
        for D in (B + step * direction, B - step * direction):
            if D[1] >= 0.0:
                rows = [encode(codebook, ramp, scale, x)[word] for x in (B, D)]
                ratios.append(abs(rows[0] - rows[1]) / wasserstein(B, D, metric))
        assert 0.99 * constant <= max(ratios) <= constant


@each_metric
def test_removing_one_point_reaches_the_bound_at_the_foot_of_a_ramp(metric):
    codebook = make_codebook([[0.0, 0.0]], [[10.0, 10.0]], 0.0)
    ramp = Ramp(0.0, 0.1)
    [constant] = component_constants(codebook, ramp, metric=metric)
    B, empty = [(0.0, 0.05)], []
    [feature] = encode(codebook, ramp, "density", B)
    assert 0.99 * constant <= feature / wasserstein(B, empty, metric) <= constant


@each_metric
def test_without_a_point_weight_one_vanishing_point_moves_the_vector_for_nothing(
    metric,
):
    codebook = make_mixture(0, full=True)
    ratios = [
        encode(codebook, None, "density", [(0.5, p)]).max()
        / wasserstein([(0.5, p)], [], metric)
        for p in (1e-2, 1e-4, 1e-6, 1e-8)
    ]
    assert_allclose(np.diff(np.log10(ratios))[1:], 2.0, atol=1e-2)
    with pytest.raises(
        ValueError, match="a point at the diagonal comes and goes at no"
    ):
        component_constants(codebook, None, metric=metric)


@pytest.mark.parametrize("normalize", ["sqrt", "sqrt-l2"])
def test_a_square_root_has_no_constant_at_the_empty_diagram(normalize):
    codebook, ramp = CASES[0]
    ratios = []
    for p in (1e-3, 1e-5, 1e-7):
        row = encode(codebook, ramp, "peak", [(0.5, p)])
        normalize_row(row, NORMALIZATIONS[normalize])
        ratios.append(row.max() / wasserstein([(0.5, p)], [], "birth-death"))
    assert (np.diff(np.log10(ratios)) > 0.9).all()


vectors = arrays(float, 4, elements=st.floats(0, 1e3) | st.floats(0, 1e-3))


@given(v=vectors, w=vectors)
def test_the_lipschitz_normalisation_brings_vectors_nearer(v, w):
    apart = np.linalg.norm(v - w)
    for row in (v, w):
        normalize_row(row, NORMALIZATIONS["lipschitz"])
    assert np.linalg.norm(v - w) <= apart * (1 + 1e-12) + 1e-15
    assert np.linalg.norm(v) < 1.0


@each_metric
@pytest.mark.parametrize(("scale", "power"), [("density", 3), ("peak", 1)])
@pytest.mark.parametrize("unit", [1e-50, 1e-9, 1e50])
def test_the_unit_of_length_only_changes_the_unit_of_the_constant(
    unit, scale, power, metric
):
    codebook = make_mixture(3, full=True)
    scaled = GaussianCodebook(
        codebook.weights,
        codebook.means * unit,
        codebook.covariances * unit**2,
        np.ones(2),
    )
    expected = component_constants(codebook, Ramp(0.1, 0.5), scale=scale, metric=metric)
    got = component_constants(
        scaled, Ramp(0.1 * unit, 0.5 * unit), scale=scale, metric=metric
    )
    assert_allclose(np.log(got) + power * math.log(unit), np.log(expected), atol=1e-8)


@each_metric
def test_a_narrow_ridge_keeps_its_width(metric):
    # Consecutive Fibonacci numbers: the determinant is 1, in the last digits.
    f31, f32, f33 = 1346269, 2178309, 3524578
    assert f33 * f31 - f32**2 == 1
    shape = [[[f33, f32], [f32, f31]]]
    ridge = GaussianCodebook([1.0], [[0.0, 1e6]], shape, np.ones(2))
    rho, tau = f32 / f31, f31**-0.5
    form = 1 + (2 if metric == "birth-death" else 1) * rho
    [constant] = component_constants(ridge, Ramp(0.0, 1.0), scale="peak", metric=metric)
    assert constant == pytest.approx(form / tau * math.exp(-0.5), rel=1e-6)


@each_metric
@each_scale
def test_words_of_any_size_have_positive_constants(scale, metric):
    sizes = [1e-50, 1e-20, 1.0, 1e20, 1e50]
    deviations = list(product(sizes, sizes))
    correlations = np.resize([0.0, 0.9, -0.9, 1 - 1e-12, -0.5], 25)
    for mean, ramp in product(
        [-1e100, 0.0, 1e-30, 1.0, 1e100],
        [Ramp(0.0, 1.0), Ramp(1.0, 1.0 + 1e-15), Ramp(0, 1e-300), Ramp(1e99, 1e100)],
    ):
        codebook = make_codebook(np.full((25, 2), mean), deviations, correlations)
        constants = component_constants(codebook, ramp, scale=scale, metric=metric)
        assert (constants > 0.0).all()
        assert np.isfinite(constants).all() or ramp.high == 1e-300


def test_no_constant_is_rounded_to_0():
    far_below_the_ramp = make_codebook([[0.0, 0.0]], [[1e-3, 1e-3]], 0.0)
    assert 0.0 < component_constants(far_below_the_ramp, Ramp(1.0, 2.0))[0] < 1e-300
    hardly_any_weight = births_only([1e-300], [1e50])
    assert 0.0 < component_constants(hardly_any_weight, None)[0] < 1e-300


@each_metric
@pytest.mark.parametrize(
    ("mean", "deviations", "ramp"),
    [
        (1e100, [1.0, 1e-109], Ramp(0, 1)),
        (1.0, [1e-109, 1e100], Ramp(0, 1)),
        (1.0, [1.0, 1.0], Ramp(0.3, 0.3)),
    ],
    ids=["far", "thin", "step"],
)
def test_what_overflows_or_jumps_is_not_certified(mean, deviations, ramp, metric):
    codebook = make_codebook([[0.0, mean]], [deviations], 0.0)
    constants = component_constants(codebook, ramp, scale="peak", metric=metric)
    assert constants == np.inf


@each_metric
@each_scale
def test_essential_classes_have_the_constant_of_a_bell(scale, metric):
    deviations, weights = np.array([0.2, 1e-50, 1e50]), np.array([0.5, 0.3, 0.2])
    births = births_only(weights, deviations)
    z = np.linspace(0, 3, 3001)
    steepest_bell = (z * np.exp(-(z**2) / 2)).max() / deviations
    if scale == "density":
        steepest_bell *= weights / (math.sqrt(2 * math.pi) * deviations)
    constants = component_constants(births, None, scale=scale, metric=metric)
    assert_allclose(constants / steepest_bell, 1.0, rtol=1e-6)
    assert (constants >= steepest_bell).all()


@each_metric
@each_scale
@pytest.mark.parametrize(("normalize", "power"), ROOTS)
@pytest.mark.parametrize(
    ("seed", "low", "high"),
    [(0, 0.0, 0.8), (1, 0.2, 0.3), (3, 1.5, 4.0), (4, 0.0, 9.0)],
)
def test_roots_and_squared_ramps_reach_their_bound(
    seed, low, high, normalize, power, scale, metric
):
    codebook = make_mixture(seed, full=seed % 2 == 1)
    ramp = Ramp(low, high, power)
    options = {"scale": scale, "normalize": normalize, "metric": metric}
    constants = component_constants(codebook, ramp, **options)
    found = steepest_pairs(codebook, ramp, **options)
    assert (found <= constants * (1 + 1e-5)).all()
    assert (found >= 0.95 * constants).all()


@each_metric
@pytest.mark.parametrize(("normalize", "power"), ROOTS)
@settings(max_examples=60)
@given(
    mean=st.floats(-3, 6),
    log_deviations=st.tuples(st.floats(-5, 5), st.floats(-5, 5)),
    correlation=st.floats(-0.999, 0.999),
    low=st.just(0.0) | st.floats(0, 5),
    log_width=st.floats(-8, 5),
    log_weight=st.floats(-30, 0),
    z=arrays(float, 60, elements=st.floats(-3, 3)),
    share=arrays(float, 60, elements=st.floats(0, 1)),
)
def test_no_pair_of_points_exceeds_the_constant_of_a_root(
    *,
    normalize,
    power,
    metric,
    mean,
    log_deviations,
    correlation,
    low,
    log_width,
    log_weight,
    z,
    share,
):
    deviations = np.exp(log_deviations)
    weights = np.array([math.exp(log_weight)])
    codebook = make_codebook([[0.0, mean]], [deviations], correlation, weights)
    ramp = Ramp(low, low + math.exp(log_width), power)
    options = {"scale": "density", "normalize": normalize}
    [constant] = component_constants(codebook, ramp, **options, metric=metric)
    p = np.concatenate(
        [
            np.clip(mean + deviations[1] * (6 * share - 3), ramp.low, ramp.high),
            ramp.low + share * (ramp.high - ramp.low),
            np.maximum(ramp.high, mean + deviations[1] * (6 * share - 3)),
        ]
    )
    b = correlation * deviations[0] / deviations[1] * (p - mean)
    b += np.tile(z, 3) * deviations[0] * math.sqrt(1 - correlation**2)
    x = np.c_[b, p]
    values = encode_each(codebook, ramp, "density", x, normalize)[:, 0]
    apart = np.abs(values[1:] - values[:-1])
    allowed = constant * distances(x[1:], x[:-1], metric)
    # The conditional deviation is computed from what is rounded, too.
    noise = 1e-11 * values.max() / (1 - correlation**2)
    target(float((apart / (allowed + noise + 1e-300)).max()))
    assert (apart <= allowed + noise).all()


@each_metric
@pytest.mark.parametrize("normalize", [None, "sqrt", "smooth-sqrt"])
@pytest.mark.parametrize("scale", [*SCALES, "posterior"])
def test_births_reach_their_bound_with_any_root(scale, normalize, metric):
    words = births_only([0.3, 0.3, 0.4], [0.2, 0.2, 0.2])
    means = np.array([[0.0], [0.5], [2.0]])
    words = GaussianCodebook(words.weights, means, words.covariances, words.scale)
    options = {"scale": scale, "normalize": normalize, "metric": metric}
    constants = component_constants(words, None, **options)
    found = steepest_pairs(words, None, **options)
    assert (found <= constants * (1 + 1e-5)).all()
    assert (found >= 0.95 * constants).all()


@each_metric
@each_scale
@pytest.mark.parametrize(("normalize", "power"), ROOTS)
def test_roots_of_words_of_any_size_have_positive_constants(
    normalize, power, scale, metric
):
    sizes = [1e-50, 1e-20, 1.0, 1e20, 1e50]
    deviations = list(product(sizes, sizes))
    correlations = np.resize([0.0, 0.9, -0.9, 1 - 1e-12, -0.5], 25)
    for mean, limits in product([-1e100, 0.0, 1.0], [(0.0, 1.0), (1.0, 1.0 + 1e-15)]):
        codebook = make_codebook(np.full((25, 2), mean), deviations, correlations)
        constants = component_constants(
            codebook,
            Ramp(*limits, power),
            scale=scale,
            normalize=normalize,
            metric=metric,
        )
        assert (constants > 0.0).all()


@each_metric
@pytest.mark.parametrize(("normalize", "power"), ROOTS)
@pytest.mark.parametrize("unit", [1e-50, 1e50])
def test_the_unit_of_length_changes_roots_of_peaks_likewise(
    unit, normalize, power, metric
):
    codebook = make_mixture(3, full=True)
    scaled = GaussianCodebook(
        codebook.weights,
        codebook.means * unit,
        codebook.covariances * unit**2,
        np.ones(2),
    )
    options = {"scale": "peak", "normalize": normalize, "metric": metric}
    expected = component_constants(codebook, Ramp(0.1, 0.5, power), **options)
    ramp = Ramp(0.1 * unit, 0.5 * unit, power)
    got = component_constants(scaled, ramp, **options)
    assert_allclose(got * unit, expected, rtol=1e-8)
