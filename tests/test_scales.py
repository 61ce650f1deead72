"""Every descriptor at every scale of doubles: finite features, and no warnings."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone

from pbow.kernels import (
    LandscapeKernel,
    MultiScaleKernel,
    SlicedWassersteinKernel,
    WassersteinKernel,
)
from pbow.vectorizers import (
    PersistenceBoW,
    PersistenceImage,
    PersistenceLandscape,
    PersistenceStatistics,
    RiemannianHeatMap,
    StablePersistenceBoW,
)

WORDS = {
    "n_words": [1, 2, 3],
    "whiten": [True, False],
    "weighting": ["uniform", "ramp"],
    "point_weight": [None, "ramp"],
    "normalize": [None, "sqrt", "sqrt-l2", "lipschitz"],
    "random_state": [0],
}
MIXTURE = WORDS | {
    "covariance": ["diag", "full"],
    "scale": ["density", "peak", "posterior"],
    "dtype": ["float64", "float32"],
}
IMAGE = {
    "resolution": [5],
    "bandwidth": [None, 5e-324, 7.5e-166, 1.0, 1.7e308],
    "bandwidth_unit": ["diagram", "pixel", "paper"],
    "weight": [None, "ramp", "linear"],
    "box": ["data", "zero"],
}
ESTIMATORS = {
    PersistenceBoW(): WORDS,
    StablePersistenceBoW(): MIXTURE,
    StablePersistenceBoW.certified(): {"n_words": [1, 2], "random_state": [0]},
    PersistenceImage(): IMAGE,
    PersistenceLandscape(): {},
    PersistenceStatistics(): {},
    RiemannianHeatMap(): {"bandwidth": [None, 5e-324, 1.0, 1.7e308]},
    LandscapeKernel(): {},
    MultiScaleKernel(): {},
    SlicedWassersteinKernel(n_directions=5): {"bandwidth": [None, 5e-324, 1.7e308]},
    WassersteinKernel(): {"order": [1.0, 2.0, 1e300, np.inf]},
}

scales = st.sampled_from(
    [0.0, -0.0, 5e-324, -5e-324, 3.6e-162, 1.0, 1e100]
) | st.builds(
    lambda sign, exponent: sign * 10.0**exponent,
    st.sampled_from([-1.0, 1.0]),
    st.floats(-323.0, 100.0),
)


@st.composite
def collections(draw):
    """Two lists of diagrams whose coordinates are of one scale, of few, or of any."""
    units = draw(st.lists(scales, min_size=1, max_size=3))
    factors = st.floats(-1.0, 1.0) | st.sampled_from([0.0, 0.5, 1.0])
    coordinates = st.sampled_from(units) | st.builds(
        float.__mul__, factors, st.sampled_from(units)
    )
    point = st.tuples(coordinates, coordinates).map(sorted)
    point |= coordinates.map(lambda birth: [birth, np.inf])
    diagrams = st.lists(st.lists(point, max_size=6), min_size=1, max_size=4)
    return draw(diagrams), draw(diagrams)


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=lambda e: type(e).__name__)
@settings(max_examples=60, derandomize=True)
@given(
    pair=collections(), essential=st.sampled_from(["drop", "separate"]), data=st.data()
)
def test_features_are_finite_at_every_scale(estimator, pair, essential, data):
    train, test = pair
    train = [*train, [[0.0, 0.0]]]
    choices = {
        name: data.draw(st.sampled_from(values), name)
        for name, values in ESTIMATORS[estimator].items()
    }
    model = clone(estimator).set_params(essential=essential, **choices)
    try:
        model.fit(train)
    except ValueError as error:
        # Fewer points than words, or so near that squares cannot tell them apart.
        assert "told apart" in str(error)  # noqa: PT017
        return
    features = model.transform([*train, *test])
    assert np.isfinite(features).all()


@pytest.mark.parametrize("covariance", ["diag", "full"])
def test_a_mixture_of_births_whose_squares_vanish_is_learnt(covariance):
    model = StablePersistenceBoW(2, covariance=covariance, essential="separate")
    births = [[0.0, np.inf], [3.6e-162, np.inf]]
    H = model.fit_transform([[[0.0, 1.0], [0.0, 2.0], *births]])
    assert np.isfinite(H).all()


@pytest.mark.parametrize("unit", ["diagram", "pixel", "paper"])
@pytest.mark.parametrize("bandwidth", [5e-324, 7.5e-166, 1.7e308])
@pytest.mark.parametrize("size", [2.7e-244, 1.0, 1e100])
def test_an_image_has_any_bandwidth(bandwidth, unit, size):
    image = PersistenceImage(3, bandwidth=bandwidth, bandwidth_unit=unit)
    H = image.fit_transform([[[0.0, size], [0.5 * size, size]]])
    assert (H >= 0.0).all()
    assert H.sum() <= 2.0
    if bandwidth < 1e-100 and size >= 1.0 and unit != "paper":
        # Of a point on a corner of the box a quarter is inside, on a side a half.
        assert H.sum() == 0.75


def test_a_sample_follows_the_shortest_ramp():
    X = [[[0.0, 0.0], [0.0, 5e-324], [1.0, 1.0]]]
    bow = PersistenceBoW(1, weighting="ramp", quantiles=(0.0, 1.0)).fit(X)
    assert bow.codebooks_["H1"].words.tolist() == [[0.0, 5e-324]]
