"""Kernels on distances against their definitions, and scikit-learn's use of them."""

import itertools
import tracemalloc

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from sklearn.decomposition import KernelPCA
from sklearn.kernel_approximation import Nystroem
from sklearn.kernel_ridge import KernelRidge
from sklearn.metrics.pairwise import pairwise_kernels
from sklearn.pipeline import make_pipeline, make_union
from sklearn.preprocessing import FunctionTransformer, StandardScaler
from sklearn.svm import SVC
from sklearn.utils.estimator_checks import parametrize_with_checks

from pbow import StablePersistenceBoW
from pbow.errors import ParameterError
from pbow.features import (
    TILE,
    DistanceScaler,
    centered_distance_kernel,
    distance_kernel,
)
from pbow.preprocessing import SelectParts
from pbow.vectorizers import PersistenceStatistics

values = st.floats(-1e3, 1e3, width=32)
matrices = st.tuples(st.integers(1, 5), st.integers(1, 5), st.integers(1, 4)).flatmap(
    lambda n: st.tuples(*(arrays(float, (k, n[2]), elements=values) for k in n[:2]))
)


def negative_distances(U, V):
    """The definition, for each pair."""
    return np.array([[-np.sqrt(np.sum((u - v) ** 2)) for v in V] for u in U])


@pytest.fixture
def histograms(rng):
    """Short histograms of two classes: 60 rows to learn from, 30 to test."""
    y = np.arange(90) % 2
    H = np.sqrt(rng.poisson(3.0 + 2.0 * y[:, np.newaxis], size=(90, 8)))
    return H[:60], y[:60], H[60:], y[60:]


@given(matrices)
def test_it_is_the_negative_distance_of_each_pair(pair):
    U, V = pair
    np.testing.assert_allclose(
        distance_kernel(U, V), negative_distances(U, V), rtol=1e-8, atol=1e-300
    )
    np.testing.assert_allclose(
        distance_kernel(V, V), negative_distances(V, V), rtol=1e-8, atol=1e-300
    )
    K = [[distance_kernel(u, v) for v in V] for u in U]
    np.testing.assert_allclose(K, negative_distances(U, V), rtol=1e-14)
    assert isinstance(K[0][0], float)


def test_more_rows_than_a_tile_are_compared_as_well(rng):
    V = rng.normal(size=(2 * TILE + 7, 3))
    U = V[: TILE + 5].copy()
    K = distance_kernel(V, V)
    np.testing.assert_array_equal(K, K.T)
    picked = rng.choice(len(V), 60)
    np.testing.assert_allclose(
        K[np.ix_(picked, picked)], negative_distances(V[picked], V[picked]), rtol=1e-8
    )
    np.testing.assert_allclose(distance_kernel(U, V), K[: len(U)], rtol=1e-8)


def test_a_row_has_similarity_zero_to_an_equal_row(rng):
    H = rng.normal(size=(40, 100)) + 1e3
    for K in (distance_kernel(H, H), distance_kernel(H, H.copy())):
        assert np.all(np.diag(K) == 0.0)
        assert not np.signbit(np.diag(K)).any()
        assert np.sum(K == 0.0) == 40


@pytest.mark.parametrize("offset", [0.0, 1.0, 1e6])
@pytest.mark.parametrize("step", [1e-2, 1e-3, 1e-5, 1e-9])
def test_rows_that_almost_coincide_keep_their_digits(rng, offset, step):
    U = rng.normal(size=(50, 140)) + offset
    V = U + step * rng.normal(size=U.shape)
    found, expected = distance_kernel(U, V), negative_distances(U, V)
    assert np.max(np.abs(found / expected - 1.0)) < 1e-8
    # The plain formula has lost them.
    squares = np.sum(U**2, axis=1) + np.sum(V**2, axis=1) - 2 * np.sum(U * V, axis=1)
    plain = -np.sqrt(np.maximum(squares, 0.0))
    assert step > 1e-4 or np.max(np.abs(plain / np.diag(expected) - 1.0)) > 1e-8


@pytest.mark.parametrize("n_equal", [3, 30, 300])
def test_few_or_many_rows_may_be_equal(rng, n_equal):
    V = rng.normal(size=(300, 20))
    V[rng.permutation(300)[:n_equal]] = V[0]
    for U in (V, V.copy()):
        K = distance_kernel(U, V)
        np.testing.assert_allclose(K, negative_distances(V, V), rtol=1e-8)
        np.testing.assert_array_equal(K == 0.0, negative_distances(V, V) == 0.0)


def test_all_rows_may_be_equal():
    assert np.all(distance_kernel(np.full((9, 3), 0.1), np.full((4, 3), 0.1)) == 0.0)


def test_little_is_held_beside_the_matrix(rng):
    H = rng.normal(size=(3 * TILE, 4))
    tracemalloc.start()
    K = distance_kernel(H, H)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert K.nbytes <= peak < 1.5 * K.nbytes


def test_weights_with_sum_zero_see_it_as_positive_semidefinite(histograms):
    H = histograms[0]
    center = np.eye(len(H)) - 1.0 / len(H)
    eigenvalues = np.linalg.eigvalsh(center @ distance_kernel(H, H) @ center)
    assert eigenvalues.min() > -1e-10
    assert np.linalg.eigvalsh(distance_kernel(H, H)).min() < -1.0


@pytest.mark.parametrize("C", [0.1, 1.0, 10.0])
def test_a_machine_is_the_same_with_every_form_of_the_kernel(histograms, C):
    H, y, H_test, _ = histograms
    by_distance = SVC(kernel=distance_kernel, C=C, tol=1e-8).fit(H, y)
    expected = by_distance.decision_function(H_test)
    D, D_test = -distance_kernel(H, H), -distance_kernel(H_test, H)
    for K, K_test, cost in [
        (D.max() - D, D.max() - D_test, C),  # the authors' program
        (centered_distance_kernel(H, H), centered_distance_kernel(H_test, H), C),
        (-7.0 * D, -7.0 * D_test, C / 7.0),  # a scale is a value of C
    ]:
        machine = SVC(kernel="precomputed", C=cost, tol=1e-8).fit(K, y)
        found = machine.decision_function(K_test)
        np.testing.assert_allclose(found, expected, atol=1e-5)


def test_a_machine_learns_from_distances(histograms):
    H, y, H_test, y_test = histograms
    machine = SVC(kernel=distance_kernel, C=10.0).fit(H, y)
    assert machine.score(H_test, y_test) > 0.7


@given(matrices, st.booleans())
def test_the_centered_kernel_is_that_of_each_pair(pair, is_shifted):
    U, V = pair
    origin = V.mean(axis=0) if is_shifted else None
    o = np.zeros(V.shape[1]) if origin is None else origin
    expected = -negative_distances(U, [o]) - negative_distances([o], V)
    expected += negative_distances(U, V)
    found = centered_distance_kernel(U, V, origin)
    np.testing.assert_allclose(found, expected, rtol=1e-8, atol=1e-5)
    by_pair = [[centered_distance_kernel(u, v, origin=o) for v in V] for u in U]
    np.testing.assert_allclose(by_pair, expected, rtol=1e-12, atol=1e-9)


@pytest.mark.parametrize("origin", [None, np.full(8, 1.5), np.full(8, -100.0)])
def test_the_centered_kernel_is_positive_semidefinite(histograms, origin):
    H = histograms[0]
    K = centered_distance_kernel(H, H, origin)
    np.testing.assert_array_equal(K, K.T)
    assert np.linalg.eigvalsh(K).min() > -1e-9 * np.trace(K)


def test_scikit_learn_may_call_them_pair_by_pair(histograms):
    H, y, H_test, _ = histograms
    for kernel, pair in itertools.product(
        [distance_kernel, centered_distance_kernel], [(H, H), (H_test, H)]
    ):
        by_pair = pairwise_kernels(*pair, metric=kernel)
        np.testing.assert_allclose(by_pair, kernel(*pair), rtol=1e-8, atol=1e-12)
    origin = H.mean(axis=0)
    K, K_test = (centered_distance_kernel(rows, H, origin) for rows in (H, H_test))
    by_pair = KernelRidge(
        kernel=centered_distance_kernel, kernel_params={"origin": origin}
    )
    at_once = KernelRidge(kernel="precomputed").fit(K, y)
    np.testing.assert_allclose(
        by_pair.fit(H, y).predict(H_test), at_once.predict(K_test), atol=1e-8
    )


def test_landmarks_give_the_features_of_nystroem_up_to_their_mean(histograms):
    H, _, H_test, _ = histograms
    slow = Nystroem(centered_distance_kernel, n_components=20, random_state=0).fit(H)
    landmarks = slow.components_
    K = centered_distance_kernel(landmarks, landmarks)
    fast = KernelPCA(kernel="precomputed").fit(K)
    Z = fast.transform(centered_distance_kernel(H_test, landmarks))
    # Distances between mapped rows do not depend on the mean that is subtracted.
    found = distance_kernel(Z, Z)
    expected = slow.transform(H_test) - slow.transform(landmarks).mean(axis=0)
    # The mean is one direction less in which rows can differ.
    span = slow.transform(landmarks) - slow.transform(landmarks).mean(axis=0)
    basis = np.linalg.svd(span, full_matrices=False)[2][:19]
    expected = expected @ basis.T
    np.testing.assert_allclose(found, distance_kernel(expected, expected), atol=1e-6)
    # Double centering removes what the two kernels differ by.
    plain = KernelPCA(kernel="precomputed").fit(distance_kernel(landmarks, landmarks))
    Z_plain = plain.transform(distance_kernel(H_test, landmarks))
    np.testing.assert_allclose(np.abs(Z_plain), np.abs(Z), atol=1e-6)


@pytest.mark.parametrize("kernel", [distance_kernel, centered_distance_kernel])
@pytest.mark.parametrize(
    ("U", "V", "message"),
    [
        ([[1.0, 2.0]], [[1.0]], "Incompatible dimension"),
        ([1.0, 2.0], [1.0], "vectors of equal length; got 2 and 1 features"),
        ([[1.0, np.nan]], [[1.0, 2.0]], "contains NaN"),
        ([1.0, 2.0], [[1.0, 2.0]], "Expected 2D array, got 1D array"),
        ([[1e200]], [[-1e200]], r"squared distances are finite .* 1e\+200. Scale them"),
        (np.empty((0, 2)), [[1.0, 2.0]], "0 sample"),
    ],
)
@pytest.mark.filterwarnings("ignore:overflow")
def test_vectors_must_be_finite_and_of_one_length(kernel, U, V, message):
    with pytest.raises(ValueError, match=message):
        kernel(U, V)


@pytest.mark.parametrize("origin", [[1.0], [[1.0, 2.0]], [1.0, np.inf], 0.0])
def test_the_origin_has_one_number_per_feature(origin):
    for U in ([[1.0, 2.0]], [1.0, 2.0]):
        with pytest.raises(ParameterError, match="origin to be 2 finite numbers"):
            centered_distance_kernel(U, U, origin)


@parametrize_with_checks([DistanceScaler()])
def test_scikit_learn_accepts_the_scaler(estimator, check):
    check(estimator)


@given(arrays(float, (6, 3), elements=values))
def test_the_scale_is_the_root_mean_square_distance_of_training_rows(X):
    scaler = DistanceScaler().fit(X)
    squares = [np.sum((u - v) ** 2) for u in X for v in X]
    if np.all(X[0] == X):
        assert scaler.scale_ == 1.0
    else:
        assert scaler.scale_ == pytest.approx(np.sqrt(np.mean(squares)), rel=1e-6)
    np.testing.assert_allclose(scaler.mean_, X.mean(axis=0))
    Z = scaler.transform(X[:2])
    np.testing.assert_array_equal(Z, (X[:2] - scaler.mean_) / scaler.scale_)


@pytest.mark.parametrize("unit", [1e-200, 1.0, 1e200])
def test_the_scale_is_right_for_any_unit(unit, rng):
    X = rng.normal(size=(50, 4))
    Z = DistanceScaler().fit_transform(unit * X)
    np.testing.assert_allclose(Z, DistanceScaler().fit_transform(X), rtol=1e-12)
    assert np.mean(distance_kernel(Z, Z) ** 2) == pytest.approx(1.0)


@pytest.mark.parametrize("X", [np.full((7, 3), 0.1), [[5.0, 6.0]]])
def test_equal_rows_are_centered_only(X):
    scaler = DistanceScaler().fit(X)
    assert scaler.scale_ == 1.0
    np.testing.assert_allclose(scaler.transform(X), 0.0, atol=1e-15)
    np.testing.assert_allclose(scaler.transform(np.add(X, 2.0)), 2.0)


def test_columns_keep_their_names(rng):
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame(rng.normal(size=(5, 2)), columns=["h0_word0", "h1_word0"])
    scaler = DistanceScaler().set_output(transform="pandas").fit(frame)
    assert scaler.get_feature_names_out().tolist() == list(frame.columns)
    assert scaler.transform(frame).columns.tolist() == list(frame.columns)


def test_blocks_weigh_the_same_whatever_their_units(rng):
    small, large = rng.normal(size=(30, 2)), 1e4 * rng.normal(size=(30, 50))
    X = np.hstack((small, large))
    union = make_union(
        *(
            make_pipeline(
                FunctionTransformer(np.take, kw_args={"indices": columns, "axis": 1}),
                DistanceScaler(),
            )
            for columns in (range(2), range(2, 52))
        )
    )
    Z = union.fit_transform(X)
    squares = [np.mean(distance_kernel(B, B) ** 2) for B in (Z[:, :2], Z[:, 2:])]
    assert squares == pytest.approx([1.0, 1.0])


def test_parts_and_statistics_are_joined_by_a_union(ragged):
    def words(part):
        bow = StablePersistenceBoW(3, random_state=0)
        return make_pipeline(SelectParts(part), bow, DistanceScaler())

    statistics = make_pipeline(
        PersistenceStatistics(), StandardScaler(), DistanceScaler()
    )
    blocks = make_union(words(ragged.parts[0]), statistics)
    y = np.arange(len(ragged)) % 2
    model = make_pipeline(blocks, SVC(kernel=distance_kernel)).fit(ragged, y)
    Z, names = blocks.transform(ragged), blocks.get_feature_names_out()
    assert Z.shape == (len(ragged), len(names))
    squares = [np.mean(distance_kernel(B, B) ** 2) for B in (Z[:, :3], Z[:, 3:])]
    assert squares == pytest.approx([1.0, 1.0])
    assert model.predict(ragged).shape == y.shape
