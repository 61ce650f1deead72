"""What becomes of diagrams in other units, from 1e-90 to 1e98, and beyond."""

import warnings

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.base import clone
from tests.compute.awkward import KINDS
from tests.estimators import ESTIMATORS, one_per_class

from pbow import Diagrams
from pbow.errors import DiagramError, FewerWordsWarning

SCALES = [2.0**-300, 2.0**-30, 2.0**30, 2.0**325]
# Parameters in the units of the diagrams, and the power of these that they have.
UNITS = {"bandwidth": 1.0, "min_persistence": 1.0}
SKETCHED = {"SlicedWassersteinKernel": 0.5, "PersistenceImage": 0.0}
each_class = pytest.mark.parametrize(
    "estimator", one_per_class(ESTIMATORS), ids=lambda e: type(e).__name__
)


def in_units(estimator, scale):
    """Return the estimator with parameters that fit the scaled diagrams."""
    power = SKETCHED.get(type(estimator).__name__, 1.0)
    params = estimator.get_params(deep=False)
    changed = {
        name: params[name] * scale**power
        for name in UNITS.keys() & params.keys()
        if params[name] is not None
    }
    return clone(estimator).set_params(**changed)


def result_of(estimator, X):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FewerWordsWarning)
        out = estimator.fit_transform(X)
    return out.points if isinstance(out, Diagrams) else np.asarray(out, float)


def expected_at(estimator, out, scale):
    """Return a result at scale 1 as it must be at another one."""
    name = type(estimator).__name__
    power = {
        "PersistenceLandscape": 1,
        "LandscapeKernel": 3,
        "MultiScaleKernel": -2,
        "PersistenceThreshold": 1,
        "MostPersistent": 1,
        "SelectParts": 1,
    }.get(name, 0)
    factors = np.full(out.shape[1], scale**power if abs(power) < 3 else 0.0)
    if name == "LandscapeKernel":
        # Not scale**3, which is no number.
        return ((out * scale) * scale) * scale
    if name == "PersistenceStatistics":
        factors[:-2] = scale
    return out * factors


@each_class
@pytest.mark.parametrize("scale", SCALES)
def test_units_change_features_as_they_should(estimator, scale, rng):
    for kind in ("cloud", "ties", "duplicates", "collinear"):
        X = [KINDS[kind](rng, n) for n in (0, 1, 5, 9, 7)]
        expected = expected_at(estimator, result_of(clone(estimator), label(X)), scale)
        found = result_of(in_units(estimator, scale), label([scale * F for F in X]))
        assert np.isfinite(found).all()
        size = np.abs(expected).max(axis=0)
        assert (np.abs(found - expected) <= 1e-9 * size + 1e-290).all(), kind


def label(X):
    return Diagrams.from_list(X, name="H1")


@pytest.mark.parametrize("scale", [1e-300, 1e-150, 1e-99, 1e98])
@pytest.mark.parametrize("kind", KINDS)
def test_features_are_numbers_at_every_scale(kind, scale, rng):
    unit = 1.0 if kind == "denormal" else scale
    X = label([unit * KINDS[kind](rng, n) for n in (0, 1, 5, 9)])
    for estimator in ESTIMATORS:
        assert np.isfinite(result_of(clone(estimator), X)).all(), estimator


@each_class
@pytest.mark.parametrize("scale", [1e101, 1e150, 1e300])
def test_larger_diagrams_are_refused(estimator, scale, rng):
    X = [scale * F for F in (KINDS["born_together"](rng, 3) + 1.0, np.empty((0, 2)))]
    with pytest.raises(DiagramError, match=r"a point beyond 1e\+100"):
        clone(estimator).fit(X)
    if hasattr(estimator, "distances"):
        with pytest.raises(DiagramError, match=r"a point beyond 1e\+100"):
            clone(estimator).distances(X)


def test_refusals_match_what_is_taken():
    assert Diagrams.from_list([np.array([[0.0, 1e100]])]).points.max() == 1e100
    with pytest.raises(DiagramError):
        Diagrams.from_list([[[0.0, np.nextafter(1e100, np.inf)]]])
    assert_allclose(Diagrams.from_list([[[-1e100, 1e100]]])[0], [[-1e100, 1e100]])
