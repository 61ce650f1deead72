"""What classifiers see: vectors, distances and kernels, by their definitions."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import BaseEstimator
from sklearn.metrics import pairwise_distances

from pbow import Diagrams, PersistenceBoW, StablePersistenceBoW
from pbow.evaluation import CLASSIFIERS, Representation, compare, represent
from pbow.evaluation.representation import classifiers_for, is_kernel
from pbow.kernels import MultiScaleKernel, SlicedWassersteinKernel, WassersteinKernel
from pbow.vectorizers import PersistenceImage, PersistenceStatistics

TRAIN, TEST = np.arange(0, 20), np.arange(20, 30)
BOW = PersistenceBoW(5, random_state=3)
SLICED = SlicedWassersteinKernel(n_directions=10)


@pytest.fixture
def elsewhere(ragged):
    """The same training diagrams, and others to test."""
    points = [ragged[row] for row in TRAIN] + [ragged[row] + 9.0 for row in TEST]
    return Diagrams.from_list(points, name="H1")


def view(train, test, holds="vectors"):
    arrays = np.asarray(train, float), np.asarray(test, float)
    return Representation(train=arrays[0], test=arrays[1], holds=holds, seconds={})


@pytest.fixture
def vectors(rng):
    return view(rng.normal(3.0, 2.0, size=(12, 3)), rng.normal(3.0, 2.0, size=(5, 3)))


def test_vectors_are_those_of_a_descriptor_that_is_fitted_to_the_training_set(ragged):
    seen = represent(BOW, ragged, TRAIN, TEST)
    fitted = PersistenceBoW(5, random_state=3).fit(ragged[TRAIN])
    assert_array_equal(seen.train, fitted.transform(ragged[TRAIN]))
    assert_array_equal(seen.test, fitted.transform(ragged[TEST]))
    assert (seen.holds, seen.n_features) == ("vectors", 5)
    assert list(seen.seconds) == ["fit", "encode"]
    assert min(seen.seconds.values()) > 0.0
    assert not hasattr(BOW, "fitted_")


@pytest.mark.parametrize(
    ("descriptor", "standardize"),
    [
        (BOW, False),
        (StablePersistenceBoW.paper(n_words=3, random_state=0), True),
        (PersistenceImage(resolution=5), False),
        (PersistenceStatistics(), True),
        (SLICED, False),
        (MultiScaleKernel(output="distance"), True),
    ],
)
@pytest.mark.filterwarnings("ignore::pbow.errors.OutOfRangeWarning")
def test_the_test_set_changes_nothing_in_the_training_set(
    ragged, elsewhere, descriptor, standardize
):
    one, other = (
        represent(descriptor, X, TRAIN, TEST, standardize=standardize)
        for X in (ragged, elsewhere)
    )
    assert_array_equal(one.train, other.train)
    assert not np.array_equal(one.test, other.test)


def test_a_vectorizer_may_be_fitted_to_both_sets(ragged):
    seen = represent(BOW, ragged, TRAIN, TEST, fit_on_all=True)
    fitted = PersistenceBoW(5, random_state=3).fit(ragged)
    assert_array_equal(seen.train, fitted.transform(ragged[TRAIN]))
    assert not np.array_equal(seen.train, represent(BOW, ragged, TRAIN, TEST).train)


def test_a_kernel_compares_with_the_training_set_alone(ragged):
    seen = represent(SLICED, ragged, TRAIN, TEST, fit_on_all=True, standardize=True)
    assert_array_equal(seen.train, SLICED.fit_transform(ragged[TRAIN]))
    assert_array_equal(seen.test, SLICED.transform(ragged[TEST]))
    assert (seen.holds, seen.n_features) == ("similarities", 0)
    K, K_test = compare(seen, "kernel", rescale=False)
    assert_array_equal(K, seen.train)
    assert_array_equal(K_test, seen.test)


def test_a_kernel_may_have_distances_instead(ragged):
    kernel = WassersteinKernel(output="distance")
    seen = represent(kernel, ragged, TRAIN, TEST)
    assert (seen.holds, seen.n_features) == ("distances", 0)
    K, K_test = compare(seen, "distance", rescale=False)
    assert_array_equal(K, -WassersteinKernel().distances(ragged[TRAIN]))
    assert K_test.shape == (10, 20)
    scaled, _ = compare(seen, "distance")
    assert np.mean(scaled) == pytest.approx(-1.0)


def test_kernels_have_a_classifier_of_their_own():
    assert is_kernel(SLICED)
    assert not is_kernel(BOW)
    assert classifiers_for(BOW, ("rbf", "linear")) == ("rbf", "linear")
    assert classifiers_for(SLICED, ("rbf", "linear")) == ("kernel",)
    distances = SlicedWassersteinKernel(output="distance")
    assert classifiers_for(distances, ("linear",)) == ("distance",)


@pytest.mark.parametrize(
    ("holds", "classifier"),
    [
        ("vectors", "kernel"),
        *(("distances", name) for name in ("linear", "kernel")),
        *(("similarities", name) for name in CLASSIFIERS),
    ],
)
def test_matrices_are_not_taken_for_something_else(rng, holds, classifier):
    D = rng.uniform(size=(6, 6))
    with pytest.raises(ValueError, match=f"{holds}.* {classifier}"):
        compare(view(D + D.T, D[:2], holds), classifier)


def test_features_are_standardized_by_the_training_set(ragged):
    seen = represent(PersistenceStatistics(), ragged, TRAIN, TEST, standardize=True)
    fitted = PersistenceStatistics().fit(ragged[TRAIN])
    H, H_test = (fitted.transform(ragged[rows]) for rows in (TRAIN, TEST))
    spread = H.std(axis=0)
    spread[spread == 0.0] = 1.0
    assert_allclose(seen.train, (H - H.mean(axis=0)) / spread, atol=1e-9)
    assert_allclose(seen.test, (H_test - H.mean(axis=0)) / spread, atol=1e-9)


def test_vectors_are_compared_by_the_definition_of_each_classifier(vectors):
    H, H_test = vectors.train, vectors.test
    D, D_test = pairwise_distances(H), pairwise_distances(H_test, H)
    median = np.median([D[i, j] for i in range(len(H)) for j in range(i)])
    expected = {
        "linear": (H @ H.T, H_test @ H.T),
        "distance": (-D, -D_test),
        "rbf": tuple(np.exp(-(part**2) / (2 * median**2)) for part in (D, D_test)),
    }
    scales = {"linear": np.mean(np.sum(H**2, axis=1)), "distance": D.mean(), "rbf": 1}
    for name in CLASSIFIERS:
        for scale, settings in (
            (1.0, {"rescale": False}),
            (1.0 / scales[name], {}),
            (3.0 / scales[name], {"factor": 3.0}),
            (3.0, {"rescale": False, "factor": 3.0}),
        ):
            for found, part in zip(
                compare(vectors, name, **settings), expected[name], strict=True
            ):
                assert_allclose(found, scale * part, atol=1e-9)


def test_a_gaussian_is_as_wide_as_the_mean_distance_if_most_vectors_are_equal():
    H = [[0.0]] * 5 + [[6.0]]  # 5 of 15 distances are 6: their median is 0
    K, _ = compare(view(H, H), "rbf")
    assert K[0, 5] == pytest.approx(np.exp(-0.5 * (6 / 2) ** 2))


class Constant(BaseEstimator):
    """A descriptor that sees the same in all diagrams."""

    def __init__(self, value=0.0):
        self.value = value

    def fit(self, X):
        return self

    def transform(self, X):
        return np.full((len(X), 3), self.value)


@pytest.mark.parametrize("value", [0.0, 2.0])
@pytest.mark.parametrize("standardize", [False, True])
def test_vectors_that_are_all_equal_stay_finite(ragged, value, standardize):
    seen = represent(Constant(value), ragged, TRAIN, TEST, standardize=standardize)
    similarity = 1.0 if value and not standardize else 0.0  # rescaled
    for name, expected in {"linear": similarity, "distance": 0.0, "rbf": 1.0}.items():
        for found in compare(seen, name):
            assert_allclose(found, expected)


def test_one_training_sample_is_enough(vectors):
    alone = view(vectors.train[:1], vectors.test)
    for name in CLASSIFIERS:
        assert np.isfinite(compare(alone, name)[1]).all()
