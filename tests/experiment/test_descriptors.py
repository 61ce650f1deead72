"""Descriptors by name; what they see of the test part: nothing."""

import numpy as np
import pytest
from sklearn.base import BaseEstimator
from sklearn.preprocessing import StandardScaler

from pbow import Diagrams, PersistenceBoW
from pbow.experiment.declaration import DeclarationError, DescriptorEntry
from pbow.experiment.descriptors import (
    find_maker,
    from_distances,
    is_kernel,
    make_descriptor,
    represent,
)
from pbow.kernels import SlicedWassersteinKernel
from pbow.vectorizers import PersistenceImage, PersistenceStatistics

TRAIN, TEST = np.arange(0, 20), np.arange(20, 30)
BOW = {"n_words": 5}


def entry(make, **said):
    return DescriptorEntry(name="x", title="x", make=make, **said)


@pytest.fixture
def elsewhere(ragged):
    """The same training diagrams, and others to test."""
    points = [ragged[row] for row in TRAIN] + [ragged[row] + 9.0 for row in TEST]
    return Diagrams.from_list(points, name="H1")


def test_makers_are_found_by_name():
    assert find_maker("PersistenceBoW") is PersistenceBoW
    assert find_maker("PersistenceImage") is PersistenceImage
    assert find_maker("SlicedWassersteinKernel") is SlicedWassersteinKernel
    assert find_maker("PersistenceBoW.paper") == PersistenceBoW.paper
    assert find_maker("sklearn.preprocessing:StandardScaler") is StandardScaler
    assert find_maker("pbow.vectorizers:PersistenceBoW.paper") == PersistenceBoW.paper


@pytest.mark.parametrize(
    ("name", "message"),
    [
        (
            "PersistanceImage",
            r"no 'PersistanceImage' \(did you mean 'PersistenceImage'\?\)\.$",
        ),
        (
            "PersistenceBoW.papers",
            r"no 'PersistenceBoW.papers' \(did you mean 'PersistenceBoW.paper'\?\)",
        ),
        (
            "sklearn.preprocessing:StandartScaler",
            r"\(did you mean 'sklearn.preprocessing:StandardScaler'\?\)",
        ),
        ("Horse", r"there is no 'Horse'\.$"),
        ("vectorizers", "there is no 'vectorizers'"),
        ("", "there is no ''"),
        ("sklearn.preprocessing:Scaler", "there is no 'sklearn.preprocessing:Scaler'"),
        ("no_such_package:Thing", "No module named .* Is its package installed?"),
        (".relative:Thing", "cannot be imported"),
    ],
)
def test_a_wrong_name_is_an_error_of_the_declaration(name, message):
    with pytest.raises(DeclarationError, match=message):
        find_maker(name)


@pytest.mark.parametrize(
    ("name", "params", "message"),
    [
        (
            "PersistenceBoW",
            {"n_wrods": 3, "weighting": "ramp"},
            r"^PersistenceBoW does not take 'n_wrods' \(did you mean 'n_words'\?\): it "
            "takes n_words, ",
        ),
        (
            "PersistenceBoW.paper",
            {"wheighting": 3},
            r"paper does not take 'wheighting' \(did you mean 'weighting'\?\): it",
        ),
        ("PersistenceBoW", {"horse": 3}, "does not take 'horse': it takes n_words, "),
        ("builtins:range", {"start": 3}, r"does not take {'start': 3}: range\(\) "),
        ("builtins:dict", {}, "Expected builtins:dict to make an estimator"),
    ],
)
def test_wrong_parameters_are_an_error_of_the_declaration(name, params, message):
    with pytest.raises(DeclarationError, match=message):
        make_descriptor(name, params, seed=0)


def test_what_draws_is_seeded():
    made = make_descriptor("PersistenceBoW.paper", BOW, seed=7)
    assert made.random_state == 7
    assert made.n_words == 5
    statistics = make_descriptor("PersistenceStatistics", {}, seed=7)
    assert isinstance(statistics, PersistenceStatistics)


def test_kernels_are_told_from_vectors():
    for name in ("WassersteinKernel", "pbow.kernels:LandscapeKernel"):
        assert is_kernel(name)
    for name in ("PersistenceBoW", "PersistenceImage.paper", "builtins:len"):
        assert not is_kernel(name)


def test_vectors_become_their_scalar_products(ragged):
    made = represent(entry("PersistenceBoW"), BOW, ragged, TRAIN, TEST, seed=3)
    bow = PersistenceBoW(5, random_state=3).fit(ragged[TRAIN])
    H, H_test = bow.transform(ragged[TRAIN]), bow.transform(ragged[TEST])
    np.testing.assert_array_equal(made.train, H @ H.T)
    np.testing.assert_array_equal(made.test, H_test @ H.T)
    assert made.n_features == 5
    assert list(made.seconds) == ["fit", "encode", "gram"]
    assert all(seconds >= 0.0 for seconds in made.seconds.values())
    other = represent(entry("PersistenceBoW"), BOW, ragged, TRAIN, TEST, seed=4)
    assert not np.array_equal(made.train, other.train)


@pytest.mark.parametrize("classifier", ["distance", "rbf"])
def test_vectors_are_compared_by_distances_in_the_unit_of_training(ragged, classifier):
    made = represent(
        entry("PersistenceBoW"), BOW, ragged, TRAIN, TEST, seed=3, classifier=classifier
    )
    bow = PersistenceBoW(5, random_state=3).fit(ragged[TRAIN])
    H, H_test = bow.transform(ragged[TRAIN]), bow.transform(ragged[TEST])
    D, D_test = (
        np.array([[np.linalg.norm(u - v) for v in H] for u in rows])
        for rows in (H, H_test)
    )
    if classifier == "distance":
        unit = np.sqrt(np.mean(D**2))
        expected, expected_test = -D / unit, -D_test / unit
    else:
        median = np.median([D[i, j] for i in range(len(H)) for j in range(i)])
        expected, expected_test = (
            np.exp(-(distances**2) / (2 * median**2)) for distances in (D, D_test)
        )
    np.testing.assert_allclose(made.train, expected, atol=1e-10)
    np.testing.assert_allclose(made.test, expected_test, atol=1e-10)
    assert made.n_features == 5
    assert list(made.seconds) == ["fit", "encode", "gram"]


@pytest.mark.parametrize(
    ("make", "params", "said"),
    [
        ("PersistenceBoW", BOW, {}),
        ("StablePersistenceBoW.paper", BOW, {}),
        ("PersistenceImage", {"resolution": 5}, {}),
        ("PersistenceStatistics", {}, {"standardize": True}),
        ("SlicedWassersteinKernel", {"n_directions": 10}, {}),
    ],
)
def test_the_test_part_changes_nothing_in_the_training_part(
    ragged, elsewhere, make, params, said
):
    one, other = (
        represent(entry(make, **said), params, X, TRAIN, TEST, seed=0)
        for X in (ragged, elsewhere)
    )
    np.testing.assert_array_equal(one.train, other.train)
    assert not np.array_equal(one.test, other.test)


def test_all_rows_are_seen_where_the_declaration_says_so(ragged, elsewhere):
    everything = entry("PersistenceBoW", on_all_rows=True)
    one, other = (
        represent(everything, BOW, X, TRAIN, TEST, seed=0) for X in (ragged, elsewhere)
    )
    assert not np.array_equal(one.train, other.train)
    bow = PersistenceBoW(5, random_state=0).fit(ragged)
    H = bow.transform(ragged[TRAIN])
    np.testing.assert_array_equal(one.train, H @ H.T)


def test_features_are_standardized_by_the_training_part(ragged):
    scaled = entry("PersistenceStatistics", standardize=True)
    made = represent(scaled, {}, ragged, TRAIN, TEST, seed=0)
    statistics = PersistenceStatistics().fit(ragged[TRAIN])
    H, H_test = (statistics.transform(ragged[rows]) for rows in (TRAIN, TEST))
    spread = H.std(axis=0)
    spread[spread == 0.0] = 1.0
    H, H_test = (H - H.mean(axis=0)) / spread, (H_test - H.mean(axis=0)) / spread
    np.testing.assert_allclose(made.train, H @ H.T, atol=1e-8)
    np.testing.assert_allclose(made.test, H_test @ H.T, atol=1e-8)


def test_similarities_are_rescaled_by_the_training_part(ragged):
    train, test = np.arange(20), np.arange(20, 30)
    plain, scaled = (
        represent(
            entry("PersistenceBoW", rescale=rescale),
            {"n_words": 5},
            ragged,
            train,
            test,
            seed=0,
        )
        for rescale in (False, True)
    )
    mean = np.mean(np.diag(plain.train))
    assert mean > 2.0
    assert np.mean(np.diag(scaled.train)) == pytest.approx(1.0)
    np.testing.assert_allclose(scaled.train * mean, plain.train)
    np.testing.assert_allclose(scaled.test * mean, plain.test)


class Zeros(BaseEstimator):
    """A descriptor that sees nothing."""

    def fit(self, X):
        return self

    def transform(self, X):
        return np.zeros((len(X), 3))


def test_vectors_of_zeros_are_all_equal_and_not_rescaled(ragged):
    rows = np.arange(4)
    made = entry(f"{__name__}:Zeros", rescale=True)
    similarities = represent(made, {}, ragged, rows, rows, seed=0)
    assert np.all(similarities.train == 0.0)
    for classifier, similarity in {"distance": 0.0, "rbf": 1.0}.items():
        equal = represent(made, {}, ragged, rows, rows, seed=0, classifier=classifier)
        assert np.all(equal.train == similarity)


def test_a_kernel_is_taken_as_it_is(ragged):
    params = {"n_directions": 10}
    made = represent(
        entry("SlicedWassersteinKernel"), params, ragged, TRAIN, TEST, seed=0
    )
    kernel = SlicedWassersteinKernel(n_directions=10)
    np.testing.assert_array_equal(made.train, kernel.fit_transform(ragged[TRAIN]))
    np.testing.assert_array_equal(made.test, kernel.transform(ragged[TEST]))
    assert made.n_features == 0
    assert list(made.seconds) == ["fit", "encode"]


def test_distances_are_taken_from_the_largest_of_the_training_part(rng):
    D = rng.uniform(size=(30, 30))
    D += D.T
    made = from_distances(D, TRAIN, TEST)
    largest = max(D[i, j] for i in TRAIN for j in TRAIN)
    expected = [[largest - D[i, j] for j in TRAIN] for i in TRAIN]
    np.testing.assert_array_equal(made.train, expected)
    expected = [[largest - D[i, j] for j in TRAIN] for i in TEST]
    np.testing.assert_array_equal(made.test, expected)
    assert (made.n_features, made.seconds) == (0, {})


def test_a_test_sample_far_away_does_not_change_the_largest_distance(rng):
    D = rng.uniform(size=(30, 30))
    far = D.copy()
    far[TEST, :] = far[:, TEST] = 1e6
    one, other = from_distances(D, TRAIN, TEST), from_distances(far, TRAIN, TEST)
    np.testing.assert_array_equal(one.train, other.train)
    assert other.test.max() < 0.0
