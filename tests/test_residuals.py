from itertools import pairwise

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from pbow import Diagrams
from pbow.codebook import GaussianCodebook, KMeansCodebook
from pbow.residuals import (
    FISHER_NORMALIZATIONS,
    SOFT_NORMALIZATIONS,
    VLAD_NORMALIZATIONS,
    encode_gradients,
    encode_residuals,
    encode_soft_residuals,
    residuals_with,
)
from pbow.weighting import Ramp

HARD = KMeansCodebook([[0.0, 1.0]], np.ones(2))
SOFT = GaussianCodebook([1.0], [[0.0, 1.0]], [np.eye(2)], np.ones(2))
ENCODERS = [
    (encode_residuals, HARD),
    (encode_soft_residuals, SOFT),
    (encode_gradients, SOFT),
]
each_encoder = pytest.mark.parametrize(("encode", "book"), ENCODERS)


def words_of(rng, sizes=(5,), n_dims=2):
    """A k-means codebook with coordinates of different scales."""
    words = rng.uniform(0, 1, size=(sum(sizes), n_dims))
    return KMeansCodebook(words, [1.0, 0.3][:n_dims], tuple(sizes))


def mixture_of(rng, sizes=(5,), n_dims=2):
    """A mixture of axis-parallel components."""
    n = sum(sizes)
    deviations = rng.uniform(0.1, 0.4, size=(n, n_dims))
    return GaussianCodebook(
        np.concatenate([rng.dirichlet(np.ones(size)) for size in sizes]),
        rng.uniform(0, 1, size=(n, n_dims)),
        deviations[:, :, None] ** 2 * np.eye(n_dims),
        [1.0, 0.3][:n_dims],
        tuple(sizes),
    )


def coordinates(X):
    return np.column_stack((X.points[:, 0], X.points[:, 1] - X.points[:, 0]))


def log_density(points, weights, means, variances):
    """The mixture's log density at each point."""
    squares = ((points[:, None] - means) ** 2 / variances).sum(axis=2)
    logs = np.log(weights) - 0.5 * (squares + np.log(2 * np.pi * variances).sum(axis=1))
    return np.logaddexp.reduce(logs, axis=1), logs


def test_vlad_is_the_sum_of_residuals_to_the_nearest_word(ragged, rng):
    book = words_of(rng)
    points, words = coordinates(ragged) / book.scale, book.words / book.scale
    nearest = np.linalg.norm(points[:, None] - words, axis=2).argmin(axis=1)
    expected = np.zeros((len(ragged), 5, 2))
    for d, (i, j) in enumerate(pairwise(ragged.offsets)):
        np.add.at(expected[d], nearest[i:j], points[i:j] - words[nearest[i:j]])
    features = encode_residuals(ragged, book)
    assert_allclose(features, expected.reshape(-1, 10), rtol=1e-10, atol=1e-12)


def test_soft_vlad_is_the_sum_of_residuals_times_posteriors(ragged, rng):
    book, points = mixture_of(rng), coordinates(ragged)
    variances = np.diagonal(book.covariances, axis1=1, axis2=2)
    total, logs = log_density(points, book.weights, book.means, variances)
    posteriors = np.exp(logs - total[:, None])
    terms = posteriors[:, :, None] * (points[:, None] - book.means) / book.scale
    expected = [terms[i:j].sum(axis=0).ravel() for i, j in pairwise(ragged.offsets)]
    features = encode_soft_residuals(ragged, book)
    assert_allclose(features, expected, rtol=1e-10, atol=1e-11)


def test_a_fisher_vector_is_the_definition_of_perronnin(ragged, rng):
    book, points = mixture_of(rng), coordinates(ragged)
    variances = np.diagonal(book.covariances, axis1=1, axis2=2)
    total, logs = log_density(points, book.weights, book.means, variances)
    posteriors = np.exp(logs - total[:, None])[:, :, None]
    apart = (points[:, None] - book.means) / np.sqrt(variances)
    by_mean = posteriors * apart / np.sqrt(book.weights)[:, None]
    by_variance = posteriors * (apart**2 - 1.0) / np.sqrt(2.0 * book.weights)[:, None]
    terms = np.concatenate((by_mean, by_variance), axis=2)
    expected = [terms[i:j].sum(axis=0).ravel() for i, j in pairwise(ragged.offsets)]
    features = encode_gradients(ragged, book)
    assert_allclose(features, expected, rtol=1e-10, atol=1e-10)


def test_a_fisher_vector_is_a_numerical_gradient_of_the_log_likelihood(ragged, rng):
    book = mixture_of(rng, (4,))
    variances = np.diagonal(book.covariances, axis1=1, axis2=2).copy()

    def log_likelihoods(parameters):
        means, spreads = parameters.reshape(2, 4, 2)
        each, _ = log_density(coordinates(ragged), book.weights, means, spreads)
        return np.array([each[i:j].sum() for i, j in pairwise(ragged.offsets)])

    at = np.array([book.means, variances]).ravel()
    gradient = np.empty((len(ragged), len(at)))
    for k, step in enumerate(1e-5 * np.eye(len(at))):
        # Two central differences; their errors of third order cancel.
        near = log_likelihoods(at + step) - log_likelihoods(at - step)
        wide = log_likelihoods(at + 2 * step) - log_likelihoods(at - 2 * step)
        gradient[:, k] = (8.0 * near - wide) / 12e-5
    # The Fisher information of a mean is w / v, of a variance w / (2 v v).
    weights = book.weights[:, None]
    information = np.array([weights / variances, weights / (2.0 * variances**2)])
    by_word = (gradient / np.sqrt(information).ravel()).reshape(-1, 2, 4, 2)
    expected = by_word.transpose(0, 2, 1, 3).reshape(-1, 16)
    features = encode_gradients(ragged, book)
    assert_allclose(features, expected, rtol=1e-6, atol=1e-6)


def test_the_training_points_of_a_mixture_at_its_maximum_have_gradient_zero():
    points = np.array([[0.0, 1.0], [1.0, 3.0], [2.0, 5.0], [3.0, 3.5]])
    X = Diagrams(points, [0, 4])
    at = coordinates(X)
    covariance = np.diag(at.var(axis=0))
    book = GaussianCodebook([1.0], [at.mean(axis=0)], [covariance], np.ones(2))
    assert_allclose(encode_gradients(X, book), 0.0, atol=1e-13)


@pytest.mark.parametrize("normalize", VLAD_NORMALIZATIONS)
@pytest.mark.parametrize("ramp", [None, Ramp(0.1, 0.6)], ids=["plain", "weighted"])
@pytest.mark.parametrize(("sizes", "n_dims"), [((1,), 2), ((2, 9), 1), ((3, 70), 2)])
def test_every_loop_gives_the_same_bits(rng, sizes, n_dims, ramp, normalize):
    births = rng.normal(size=20_000)
    points = np.column_stack((births, births + rng.exponential(size=20_000)))
    many = Diagrams(points, np.linspace(0, 20_000, 101).astype(np.int64))
    book = words_of(rng, sizes, n_dims)
    by_loop = [
        residuals_with([loop] * len(sizes), many, book, ramp, normalize, n_jobs=2)
        for loop in ("numpy", "brute", "grid")
    ]
    assert by_loop[0].shape == (100, n_dims * sum(sizes))
    assert_array_equal(by_loop[1], by_loop[0])
    assert_array_equal(by_loop[2], by_loop[0])


@pytest.mark.parametrize("n_dims", [1, 2])
@pytest.mark.parametrize(
    ("encode", "make", "normalize"),
    [
        (encode_residuals, words_of, "sqrt-intra-l2"),
        (encode_soft_residuals, mixture_of, "sqrt-l2-twice"),
        (encode_gradients, mixture_of, "sqrt-l2"),
    ],
)
def test_resolutions_stand_side_by_side(ragged, rng, encode, make, normalize, n_dims):
    book = make(rng, (2, 3, 8), n_dims)
    together = encode(ragged, book, normalize=normalize)
    alone = [encode(ragged, each, normalize=normalize) for each in book.resolutions]
    assert_array_equal(together, np.hstack(alone))


def test_births_alone_have_the_features_of_the_line(rng):
    births = rng.normal(size=40)
    X = Diagrams(np.column_stack((births, births)), [0, 10, 10, 40])
    hard, soft = words_of(rng, (3,), 1), mixture_of(rng, (3,), 1)
    deviations = np.sqrt(soft.covariances[:, 0, 0])
    logs = -0.5 * ((births[:, None] - soft.means[:, 0]) / deviations) ** 2
    shares = soft.weights / deviations * np.exp(logs)
    shares /= shares.sum(axis=1, keepdims=True)
    nearest = np.abs(births[:, None] - hard.words[:, 0]).argmin(axis=1)
    apart = births[:, None] - soft.means[:, 0]
    unit = apart / deviations
    by_variance = shares * (unit**2 - 1) / np.sqrt(2 * soft.weights)
    gradients = np.stack((shares * unit / np.sqrt(soft.weights), by_variance), axis=2)
    residuals = (births[:, None] - hard.words[:, 0]) * (nearest[:, None] == range(3))
    for features, terms in [
        (encode_residuals(X, hard), residuals),
        (encode_soft_residuals(X, soft), shares * apart),
        (encode_gradients(X, soft), gradients.reshape(40, 6)),
    ]:
        expected = [terms[i:j].sum(axis=0) for i, j in pairwise(X.offsets)]
        assert_allclose(features, expected, rtol=1e-10, atol=1e-12)


def signed_roots(rows):
    return np.sign(rows) * np.sqrt(np.abs(rows))


def with_norm_one(rows):
    return rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-12)


@pytest.mark.parametrize(
    ("encode", "make", "options"),
    [
        (encode_residuals, words_of, VLAD_NORMALIZATIONS),
        (encode_soft_residuals, mixture_of, SOFT_NORMALIZATIONS),
        (encode_gradients, mixture_of, FISHER_NORMALIZATIONS),
    ],
)
def test_normalizations_are_what_they_are_called(ragged, rng, encode, make, options):
    book = make(rng)
    rows = {option: encode(ragged, book, normalize=option) for option in options}
    roots = signed_roots(rows[None])
    assert_allclose(rows["sqrt"], roots, rtol=1e-14)
    once = with_norm_one(roots)
    assert_allclose(rows["sqrt-l2"], once, rtol=1e-12, atol=1e-15)
    if "sqrt-l2-twice" in rows:
        twice = with_norm_one(signed_roots(once))
        assert_allclose(rows["sqrt-l2-twice"], twice, rtol=1e-12, atol=1e-15)
        fourth = with_norm_one(signed_roots(roots))
        assert_allclose(rows["sqrt-l2-twice"], fourth, rtol=1e-12, atol=1e-15)
    if "sqrt-intra-l2" in rows:
        per_word = with_norm_one(roots.reshape(-1, 2)).reshape(roots.shape)
        intra = with_norm_one(per_word)
        assert_allclose(rows["sqrt-intra-l2"], intra, rtol=1e-12, atol=1e-15)
    assert all(not features[0].any() for features in rows.values())


@pytest.mark.parametrize("far", [1e30, 1e100])
@each_encoder
def test_features_are_finite_however_far_a_point_is(encode, book, far):
    X = Diagrams.from_list([[[-far, far], [far, far], [0.0, 1.0]]])
    for normalize in FISHER_NORMALIZATIONS:
        assert np.isfinite(encode(X, book, normalize=normalize)).all()


@each_encoder
def test_an_unknown_normalization_is_refused(encode, book):
    X = Diagrams.from_list([[[0.0, 1.0]]])
    with pytest.raises(ValueError, match=r"normalize .* got 'lipschitz'"):
        encode(X, book, normalize="lipschitz")


@each_encoder
def test_essential_points_are_refused(encode, book):
    with pytest.raises(ValueError, match=r"without essential points.*X\.finite"):
        encode(Diagrams.from_list([[[0.0, np.inf]]]), book)


def test_a_fisher_vector_needs_diagonal_covariances():
    tilted = [np.eye(2), [[1.0, 0.5], [0.5, 1.0]]]
    book = GaussianCodebook([0.5, 0.5], np.eye(2), tilted, np.ones(2))
    with pytest.raises(
        ValueError, match=r"word 1 is \[\[1.0, 0.5\].*covariance='diag'"
    ):
        encode_gradients(Diagrams.from_list([[[0.0, 1.0]]]), book)
