"""Constants are attacked: by grids, by random words, by matchings solved exactly."""

import math
import re
from itertools import product
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings, target
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.testing import assert_allclose
from scipy.optimize import linear_sum_assignment
from sklearn.base import BaseEstimator
from sklearn.exceptions import NotFittedError

from pbow.codebook import GaussianCodebook
from pbow.compute.normalize import NORMALIZATIONS, normalize_row
from pbow.stability import (
    METRICS,
    SCALES,
    component_constants,
    lipschitz_constant,
    obstacle,
)
from pbow.vectorizers import PersistenceBoW, StablePersistenceBoW
from pbow.weighting import Ramp

each_metric = pytest.mark.parametrize("metric", METRICS)
each_scale = pytest.mark.parametrize("scale", SCALES)


def make_codebook(means, deviations, correlations, weights=None):
    n_words = len(means)
    deviations = np.asarray(deviations, dtype=float)
    covariances = deviations[:, :, np.newaxis] * deviations[:, np.newaxis, :]
    covariances[:, 0, 1] *= correlations
    covariances[:, 1, 0] *= correlations
    return GaussianCodebook(
        weights=np.full(n_words, 1 / n_words) if weights is None else weights,
        means=np.asarray(means, dtype=float),
        covariances=covariances,
        scale=np.ones(2),
    )


def make_mixture(seed, n_words=5, *, full):
    """Random words, the first one on the diagonal, the second one narrow in birth."""
    rng = np.random.default_rng(seed)
    means = np.c_[rng.uniform(0, 1, n_words), rng.exponential(0.5, n_words)]
    means[:2, 1] = 0.0, 1.0
    deviations = np.exp(rng.uniform(-2.5, 0.0, (n_words, 2)))
    deviations[1] = 0.02, 0.3
    correlations = rng.uniform(-0.98, 0.98, n_words) if full else 0.0
    weights = rng.dirichlet(np.ones(n_words))
    return make_codebook(means, deviations, correlations, weights)


def births_only(weights, deviations):
    n_words = len(weights)
    covariances = np.reshape(deviations, (-1, 1, 1)) ** 2
    return GaussianCodebook(weights, np.zeros((n_words, 1)), covariances, np.ones(1))


def heights(codebook, scale):
    if scale == "peak":
        return np.ones(codebook.n_words)
    volumes = 2 * np.pi * np.sqrt(np.linalg.det(codebook.covariances))
    return codebook.weights / volumes


def encode(codebook, ramp, scale, points):
    """Return the definition: the sum over points (birth, persistence) of the words."""
    offset = np.reshape(points, (-1, 1, 2)) - codebook.means
    precisions = np.linalg.inv(codebook.covariances)
    distances = np.einsum("tki,kij,tkj->tk", offset, precisions, offset)
    counts = 1.0 if ramp is None else ramp(np.reshape(points, (-1, 2))[:, 1:])
    return heights(codebook, scale) * (counts * np.exp(-distances / 2)).sum(axis=0)


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


def wasserstein_1(B, D, metric):
    """Return W1 of points (birth, persistence): an assignment problem, exactly."""
    B, D = np.reshape(B, (-1, 2)), np.reshape(D, (-1, 2))
    removal = 0.5 if metric == "birth-death" else 1.0
    in_plane = (
        np.array([[1.0, 1.0], [0.0, 1.0]]) if metric == "birth-death" else np.eye(2)
    )
    difference = (B @ in_plane)[:, np.newaxis] - D @ in_plane
    cost = np.zeros((len(B) + len(D),) * 2)
    cost[: len(B), : len(D)] = np.abs(difference).max(axis=2, initial=0.0)
    cost[: len(B), len(D) :] = removal * B[:, 1:]
    cost[len(B) :, : len(D)] = removal * D[:, 1]
    return cost[linear_sum_assignment(cost)].sum()


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
    distance = wasserstein_1(B, D, metric)
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
                ratios.append(abs(rows[0] - rows[1]) / wasserstein_1(B, D, metric))
        assert 0.99 * constant <= max(ratios) <= constant


@each_metric
def test_removing_one_point_reaches_the_bound_at_the_foot_of_a_ramp(metric):
    codebook = make_codebook([[0.0, 0.0]], [[10.0, 10.0]], 0.0)
    ramp = Ramp(0.0, 0.1)
    [constant] = component_constants(codebook, ramp, metric=metric)
    B, empty = [(0.0, 0.05)], []
    [feature] = encode(codebook, ramp, "density", B)
    assert 0.99 * constant <= feature / wasserstein_1(B, empty, metric) <= constant


@each_metric
def test_without_a_point_weight_one_vanishing_point_moves_the_vector_for_nothing(
    metric,
):
    codebook = make_mixture(0, full=True)
    ratios = [
        encode(codebook, None, "density", [(0.5, p)]).max()
        / wasserstein_1([(0.5, p)], [], metric)
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
        ratios.append(row.max() / wasserstein_1([(0.5, p)], [], "birth-death"))
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


class Fitted(BaseEstimator):
    """What stability reads of a vectorizer, and nothing else."""

    def __init__(self, scale="density", normalize=None, point_weight="ramp"):
        self.scale = scale
        self.normalize = normalize
        self.point_weight = point_weight

    def fit(self, X, y=None):
        raise NotImplementedError


def fitted(codebooks, ramps, **params):
    model = Fitted(**params)
    model.codebooks_, model.ramps_ = codebooks, ramps
    return model


@each_metric
def test_of_several_parts_and_words_the_steepest_counts(metric):
    (low, ramp), (high, other) = CASES[0], CASES[3]
    codebooks = {"H0": low, "H0_inf": births_only([1.0], [0.5]), "H1": high}
    ramps = {"H0": ramp, "H0_inf": None, "H1": other}
    parts = [component_constants(codebooks[n], ramps[n], metric=metric) for n in ramps]
    for names in (list(codebooks), list(codebooks)[::-1]):
        ordered = {name: codebooks[name] for name in names}
        raw = lipschitz_constant(fitted(ordered, ramps), metric=metric)
        assert raw == max(constants.max() for constants in parts)
        model = fitted(ordered, ramps, normalize="lipschitz")
        assert lipschitz_constant(model, metric=metric) == pytest.approx(
            max(np.linalg.norm(constants) for constants in parts)
        )


@pytest.mark.parametrize(
    ("params", "ramp", "reason"),
    [
        ({"scale": "posterior"}, Ramp(0, 1), "scale='posterior' .* from the words"),
        ({"normalize": "sqrt-l2"}, Ramp(0, 1), "normalize='sqrt-l2' .* near 0"),
        ({"normalize": "sqrt"}, Ramp(0, 1), "normalize='sqrt' .* near 0"),
        ({"point_weight": None}, None, "comes and goes at no cost"),
        ({"point_weight": None}, Ramp(0, 1), "comes and goes at no cost"),
        ({}, Ramp(0.3, 0.3), "part H1 jumps"),
    ],
    ids=["posterior", "sqrt-l2", "sqrt", "no-weight", "unused-ramp", "step"],
)
def test_there_is_a_constant_or_a_reason_why_not(params, ramp, reason):
    codebook = CASES[0][0]
    model = fitted({"H1": codebook}, {"H1": ramp}, **params)
    assert lipschitz_constant(model) is None
    assert re.search(reason, obstacle(model))
    certified = fitted({"H1": codebook}, {"H1": Ramp(0, 1)})
    assert lipschitz_constant(certified) > 0.0
    assert obstacle(certified) is None


def test_only_a_fitted_stable_bag_of_words_is_asked():
    for options in ({"metric": "l2"}, {"scale": "posterior"}):
        with pytest.raises(ValueError, match=r"Expected (metric|scale) to be one of"):
            component_constants(*CASES[0], **options)
    with pytest.raises(NotFittedError):
        lipschitz_constant(Fitted())
    with pytest.raises(TypeError, match="Expected a StablePersistenceBoW, got SimpleN"):
        lipschitz_constant(SimpleNamespace(normalize=None, point_weight=None))
    with pytest.raises(ValueError, match="metric to be one of"):
        lipschitz_constant(Fitted(), metric="euclidean")
    X = [[[0.0, 1.0], [0.0, 0.9], [0.5, 0.6]], [[0.5, 0.7]]]
    with pytest.raises(TypeError, match="got PersistenceBoW: only that one"):
        lipschitz_constant(PersistenceBoW(2, random_state=0).fit(X))


@pytest.fixture(scope="module")
def training():
    rng = np.random.default_rng(1)
    births = rng.normal(0.0, 0.2, (40, 12))
    return np.stack([births, births + rng.exponential(0.5, births.shape)], axis=2)


@pytest.fixture(scope="module")
def certified(training):
    """One fitted vectorizer for each scale and normalisation that has a constant."""
    return [
        StablePersistenceBoW.certified(
            4, scale=scale, normalize=normalize, covariance="full", random_state=0
        ).fit(list(training))
        for scale, normalize in product(SCALES, [None, "lipschitz"])
    ]


@each_metric
@settings(max_examples=60)
@given(B=st.lists(free_points, max_size=4), D=st.lists(free_points, max_size=4))
def test_a_certified_vectorizer_keeps_its_constant(certified, metric, B, D):
    B, D = np.reshape(B, (-1, 2)), np.reshape(D, (-1, 2))
    distance = wasserstein_1(B, D, metric)
    for model in certified:
        first, second = model.transform([np.c_[x[:, 0], x.sum(axis=1)] for x in (B, D)])
        norm = 2 if model.normalize == "lipschitz" else np.inf
        constant = lipschitz_constant(model, metric=metric)
        noise = 1e-13 * (np.abs(first) + np.abs(second)).max()
        assert np.linalg.norm(first - second, norm) <= constant * distance + noise


def test_the_fitted_attribute_is_the_constant_of_the_birth_death_plane(
    certified, training
):
    papers = StablePersistenceBoW.paper(2, random_state=0).fit(list(training))
    assert papers.stability_constant_ is None
    for model in certified:
        assert model.stability_constant_ == lipschitz_constant(model)
        assert model.stability_constant_ > lipschitz_constant(model, metric=METRICS[1])


def test_moving_an_essential_class_reaches_the_bound(training):
    forever = training.copy()
    forever[:, 0, 1] = np.inf
    model = StablePersistenceBoW.certified(4, essential="separate", random_state=0)
    model.fit({"H0": forever, "H1": training})
    words = model.codebooks_["H0_inf"]
    # The narrowest word of all is one of these, and decides.
    narrowest = words.covariances[:, 0, 0].argmin()
    deviation = math.sqrt(words.covariances[narrowest, 0, 0])
    birth, step = words.means[narrowest, 0] + deviation, 1e-3 * deviation
    moved = [[[b, np.inf]] for b in (birth, birth + step)]
    first, second = model.transform({"H0": moved, "H1": [[], []]})
    ratio = np.abs(first - second).max() / step
    assert 0.99 * model.stability_constant_ <= ratio <= model.stability_constant_
