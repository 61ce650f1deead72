"""Constants of fitted vectorizers are attacked; without one there is a reason."""

import math
import re
from itertools import product
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import BaseEstimator
from sklearn.exceptions import NotFittedError
from tests.stability.definitions import (
    births_only,
    make_mixture,
    make_tied,
    wasserstein,
)

from pbow.stability import component_constants, lipschitz_constant, obstacle
from pbow.stability.certificate import METRICS
from pbow.vectorizers import PersistenceBoW, StablePersistenceBoW
from pbow.weighting import Ramp

each_metric = pytest.mark.parametrize("metric", METRICS)
CASES = [
    (make_mixture(seed, full=full), ramp)
    for seed, (full, ramp) in enumerate(
        product([False, True], [Ramp(0.0, 0.8), Ramp(0.2, 0.3)])
    )
]


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
        ({"normalize": "sqrt"}, Ramp(0, 1), "normalize='sqrt' .*='squared-ramp'"),
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
    for options in ({"metric": "l2"}, {"scale": "raw"}, {"normalize": "sqrt-l2"}):
        with pytest.raises(ValueError, match=r"Expected [a-z]+ to be one of"):
            component_constants(*CASES[0], **options)
    with pytest.raises(NotFittedError):
        lipschitz_constant(Fitted())
    with pytest.raises(TypeError, match="Expected a StablePersistenceBoW, got SimpleN"):
        lipschitz_constant(SimpleNamespace(normalize=None, point_weight=None))
    with pytest.raises(ValueError, match="metric to be one of"):
        lipschitz_constant(Fitted(), metric="euclidean")
    with pytest.raises(ValueError, match="norm to be one of"):
        lipschitz_constant(Fitted(), norm="l1")
    X = [[[0.0, 1.0], [0.0, 0.9], [0.5, 0.6]], [[0.5, 0.7]]]
    with pytest.raises(TypeError, match="got PersistenceBoW: only that one"):
        lipschitz_constant(PersistenceBoW(2, random_state=0).fit(X))


@pytest.fixture(scope="module")
def training():
    rng = np.random.default_rng(1)
    births = rng.normal(0.0, 0.2, (40, 12))
    return np.stack([births, births + rng.exponential(0.5, births.shape)], axis=2)


SETTINGS = [
    {"scale": "density"},
    {"scale": "peak", "normalize": "lipschitz"},
    {"scale": "peak", "normalize": "smooth-sqrt"},
    {"scale": "density", "normalize": "sqrt", "point_weight": "squared-ramp"},
    {"scale": "posterior", "normalize": None},
    {"scale": "posterior", "normalize": "lipschitz"},
    {"scale": "posterior", "normalize": "smooth-sqrt"},
    {"scale": "posterior", "normalize": "smooth-sqrt", "point_weight": "squared-ramp"},
    {"scale": "posterior", "normalize": "sqrt", "point_weight": "squared-ramp"},
]
points = st.tuples(
    st.floats(-1, 2), st.just(0.0) | st.floats(0, 1e-6) | st.floats(0, 2)
)


@pytest.fixture(scope="module")
def certified(training):
    """One fitted vectorizer for each way to a constant."""
    defaults = {"normalize": None, "point_weight": "ramp", "quantiles": (None, 0.5)}
    return [
        StablePersistenceBoW(
            (2, 4),
            covariance="tied" if settings["scale"] == "posterior" else "full",
            temperature=1.5,
            random_state=0,
            **defaults | settings,
        ).fit(list(training))
        for settings in SETTINGS
    ]


@each_metric
@settings(max_examples=30)
@given(B=st.lists(points, max_size=4), D=st.lists(points, max_size=4))
def test_a_certified_vectorizer_keeps_its_constants(certified, metric, B, D):
    B, D = np.reshape(B, (-1, 2)), np.reshape(D, (-1, 2))
    distance = wasserstein(B, D, metric)
    for model in certified:
        first, second = model.transform([np.c_[x[:, 0], x.sum(axis=1)] for x in (B, D)])
        apart = first - second
        noise = 1e-13 * (np.abs(first) + np.abs(second)).max()
        constant = lipschitz_constant(model, metric=metric)
        assert np.abs(apart).max() <= constant * distance + noise
        if model.normalize == "lipschitz":
            for resolution in np.split(apart, [2]):
                assert np.linalg.norm(resolution) <= constant * distance + noise
        length = lipschitz_constant(model, metric=metric, norm="euclidean")
        assert np.linalg.norm(apart) <= length * distance + noise
        if model.normalize == "sqrt":
            distance_2 = wasserstein(B, D, metric, order=2)
            assert np.linalg.norm(apart) <= length * distance_2 + noise


@each_metric
def test_norms_are_at_most_those_of_the_constants_of_all_words(certified, metric):
    for model in certified:
        words = component_constants(
            model.codebooks_[""],
            model.ramps_[""],
            scale=model.scale,
            normalize=model.normalize,
            metric=metric,
        )
        assert len(words) == 6
        length = lipschitz_constant(model, metric=metric, norm="euclidean")
        assert length <= np.linalg.norm(words) * (1 + 1e-9)
        largest = lipschitz_constant(model, metric=metric)
        if model.normalize == "lipschitz":
            each = [np.linalg.norm(words[:2]), np.linalg.norm(words[2:])]
            assert largest == pytest.approx(max(each))
        else:
            assert largest == pytest.approx(words.max(), rel=0.03)


def test_the_fitted_attribute_is_the_constant_of_the_birth_death_plane(
    certified, training
):
    papers = StablePersistenceBoW.paper(2, random_state=0).fit(list(training))
    assert papers.stability_constant_ is None
    for model in certified:
        assert model.stability_constant_ == lipschitz_constant(model)
        assert model.stability_constant_ > lipschitz_constant(model, metric=METRICS[1])


def test_temperature_widens_words_and_lowers_the_constant(training):
    for scale, covariance in (("posterior", "tied"), ("peak", "diag")):
        constants = [
            StablePersistenceBoW(
                4,
                covariance=covariance,
                scale=scale,
                temperature=temperature,
                point_weight="ramp",
                quantiles=(None, 0.1),
                normalize=None,
                random_state=0,
            )
            .fit(list(training))
            .stability_constant_
            for temperature in (0.2, 0.5)
        ]
        assert constants[0] > 1.5 * constants[1]


@pytest.mark.parametrize("normalize", [None, "sqrt", "smooth-sqrt"])
def test_essential_points_have_posteriors_with_a_constant(training, normalize):
    forever = training.copy()
    forever[:, :6, 1] = np.inf
    model = StablePersistenceBoW(
        4,
        covariance="tied",
        scale="posterior",
        essential="separate",
        point_weight="squared-ramp",
        quantiles=(None, 1.0),
        normalize=normalize,
        temperature=0.2,
        random_state=0,
    ).fit({"H0": forever})
    words = component_constants(
        model.codebooks_["H0_inf"], None, scale="posterior", normalize=normalize
    )
    births = np.linspace(-1, 1, 20_001)
    rows = model.transform({"H0": [[[b, np.inf]] for b in births]})
    of_essential = rows[:, -model.codebooks_["H0_inf"].n_words :]
    steepest = np.abs(np.diff(of_essential, axis=0)).max() / (births[1] - births[0])
    assert 0.9 * words.max() <= steepest <= words.max() * (1 + 1e-9)
    assert model.stability_constant_ >= words.max() / 1.03


def test_moving_an_essential_class_reaches_the_bound(training):
    forever = training.copy()
    forever[:, 0, 1] = np.inf
    model = StablePersistenceBoW(
        4,
        scale="peak",
        point_weight="ramp",
        normalize=None,
        essential="separate",
        random_state=0,
    )
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


def test_what_is_certified_has_no_obstacle():
    tied, mixture = make_tied(0), CASES[0][0]
    births = births_only([0.5, 0.5], [0.5, 0.5])
    for params, codebook, ramp in [
        ({"scale": "posterior"}, tied, Ramp(0, 1)),
        ({"scale": "posterior", "normalize": "smooth-sqrt"}, tied, Ramp(0, 1)),
        ({"scale": "posterior", "normalize": "sqrt"}, tied, Ramp(0, 1, 2)),
        ({"scale": "peak", "normalize": "sqrt"}, mixture, Ramp(0, 1, 2)),
        ({"scale": "peak", "normalize": "smooth-sqrt"}, mixture, Ramp(0, 1)),
        ({"scale": "posterior", "normalize": "sqrt"}, births, None),
    ]:
        model = fitted({"H1": codebook}, {"H1": ramp}, **params)
        assert obstacle(model) is None
        assert 0.0 < lipschitz_constant(model) < np.inf
        assert 0.0 < lipschitz_constant(model, norm="euclidean") < np.inf


def test_what_has_no_constant_has_infinite_ones():
    mixture, ramp = CASES[0]
    for options in ({"scale": "posterior"}, {"normalize": "sqrt"}):
        assert (component_constants(mixture, ramp, **options) == np.inf).all()
