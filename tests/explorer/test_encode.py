"""Vectors that the page computes, against Python's."""

import json

import numpy as np
import pytest
from tests.explorer.driving import csv_of, visit
from tests.explorer.models import diagrams, make_models, odd_diagrams

from pbow import Diagrams, PersistenceBoW, StablePersistenceBoW
from pbow.codebook import KMeansCodebook
from pbow.explorer.content import describe_model
from pbow.explorer.page import _asset
from pbow.weighting import Ramp

ENCODE = """
    const done = arguments[arguments.length - 1];
    const [model, text] = arguments;
    Csv.readSamples(text, model, async () => {}).then(
        (samples) => done(samples.map((s) => [...Encode.encodeSample(model, s)])),
        (error) => done(error.message),
    );
"""


@pytest.fixture(scope="module")
def encode(browser):
    """Return what the page computes for a model and diagrams, as an array."""
    visit(browser, "about:blank")
    programs = _asset("encode.js") + _asset("csv.js")

    def encoded(model, X):
        described = json.loads(json.dumps(describe_model(model)))
        rows = browser.execute_async_script(programs + ENCODE, described, csv_of(X))
        assert isinstance(rows, list), rows
        return np.array(rows)

    return encoded


def worst(found, expected):
    assert found.shape == expected.shape
    return (np.abs(found - expected) / np.maximum(1.0, np.abs(expected))).max()


@pytest.mark.parametrize("name", make_models())
def test_vectors_are_those_of_transform(encode, name):
    model = make_models()[name].fit(diagrams(40))
    X = odd_diagrams()
    assert worst(encode(model, X), model.transform(X)) < 1e-9


@pytest.mark.parametrize(
    "normalize", [None, "sqrt", "sqrt-l2", "smooth-sqrt", "lipschitz"]
)
@pytest.mark.parametrize("scale", ["density", "peak", "posterior"])
def test_far_apart_scales_agree(encode, scale, normalize):
    rng = np.random.default_rng(3)
    births = rng.uniform(0.0, 1e-6, (30, 20))
    lists = [np.c_[b, b + rng.exponential(1e-7, 20)] for b in births]
    model = StablePersistenceBoW(
        7, scale=scale, normalize=normalize, whiten=False, random_state=0
    ).fit(lists)
    # Densities of such narrow Gaussians are larger than 1e10.
    X = Diagrams.from_list([*lists, [[0.0, 1.0]], [[1e-6, 1.0001e-6]] * 500])
    assert worst(encode(model, X), model.transform(X)) < 1e-9


@pytest.mark.filterwarnings("ignore::pbow.errors.OutOfRangeWarning")
@pytest.mark.parametrize("covariance", ["diag", "full", "tied"])
def test_a_point_too_far_for_logarithms_is_shared_out_as_in_python(encode, covariance):
    rng = np.random.default_rng(4)
    lists = [1e-80 * np.c_[b, b + 1.0] for b in rng.uniform(0.0, 9.0, (5, 40))]
    model = StablePersistenceBoW(
        4, covariance=covariance, normalize=None, random_state=0
    ).fit(lists)
    X = Diagrams.from_list([[[0.0, 1e99]], [[0.0, 1e-75]]])
    expected = model.transform(X)
    assert len(set(expected[0].tolist())) > 2  # not all to one word
    assert worst(encode(model, X), expected) < 1e-9


def test_points_between_words_go_to_the_first_of_them(encode):
    model = PersistenceBoW(4, whiten=False, normalize=None, random_state=0)
    model.fit([[[0, 1], [1, 2], [0, 2], [1, 3]]])
    words = np.array([[0.0, 1.0], [1.0, 1.0], [0.0, 2.0], [1.0, 2.0]])
    model.codebooks_[""] = KMeansCodebook(words, np.array([0.3, 0.3]))
    X = Diagrams.from_list([[[0.5, 1.5]], [[0.5, 2.0]], [[1.0, 2.5]]])
    expected = [[1, 0, 0, 0], [1, 0, 0, 0], [0, 1, 0, 0]]
    assert model.transform(X).tolist() == expected
    assert encode(model, X).tolist() == expected


def test_nearest_words_are_the_same_for_many_points(encode):
    # Coordinates on a coarse grid make ties frequent.
    rng = np.random.default_rng(5)
    births = rng.integers(0, 12, (20, 200)) / 8.0
    lists = [np.c_[b, b + rng.integers(0, 12, 200) / 8.0] for b in births]
    model = PersistenceBoW(30, normalize=None, whiten=False, random_state=0).fit(lists)
    X = Diagrams.from_list(lists)
    assert (encode(model, X) == model.transform(X)).all()


@pytest.mark.parametrize("power", [1, 2])
def test_a_ramp_without_slope_is_a_step(encode, power):
    X = diagrams(10)
    model = PersistenceBoW(3, point_weight="ramp", normalize=None, random_state=0)
    model.fit(X)
    model.fitted_.ramps_ = {name: Ramp(0.25, 0.25, power) for name in model.ramps_}
    step = Diagrams.from_parts({"H0": [[[0, 0.25], [0, 0.2]]], "H1": [[[0, 0.25]]]})
    assert model.transform(step).sum() == 2.0
    assert (encode(model, step) == model.transform(step)).all()


def test_single_precision_agrees_to_six_digits(encode):
    model = StablePersistenceBoW(9, dtype="float32", random_state=0).fit(diagrams(40))
    X = odd_diagrams()
    found = encode(model, X)
    assert (found == found.astype(np.float32)).all()
    assert worst(found, model.transform(X).astype(np.float64)) < 1e-5
