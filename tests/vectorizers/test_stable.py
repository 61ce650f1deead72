import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.stats import multivariate_normal

from pbow import Diagrams, StablePersistenceBoW
from pbow.codebook import GaussianCodebook
from pbow.encoding import encode_likelihoods


def sums_by_scipy(X, book):
    """w_i times the sum of the points' densities, as the paper defines the vector."""
    points = np.column_stack((X.points[:, 0], X.points[:, 1] - X.points[:, 0]))
    densities = np.column_stack(
        [
            weight * multivariate_normal(mean, covariance).pdf(points).reshape(-1)
            for weight, mean, covariance in zip(
                book.weights, book.means, book.covariances, strict=True
            )
        ]
    )
    pairs = zip(X.offsets[:-1], X.offsets[1:], strict=True)
    return np.array([densities[i:j].sum(axis=0) for i, j in pairs])


@pytest.mark.parametrize("covariance", ["diag", "full"])
@pytest.mark.parametrize("whiten", [True, False])
def test_the_raw_vector_is_the_papers_sum_of_densities(ragged, covariance, whiten):
    fitted = StablePersistenceBoW(
        6,
        covariance=covariance,
        whiten=whiten,
        scale="density",
        normalize=None,
        random_state=0,
    ).fit(ragged)
    expected = sums_by_scipy(ragged, fitted.codebooks_["H1"])
    assert_allclose(fitted.transform(ragged), expected, rtol=1e-11, atol=1e-300)


def mixture(rng, n_words, covariance):
    roots = rng.uniform(0.5, 1.5, size=(n_words, 2, 2)) * [[1, 0], [0.5, 1]]
    if covariance == "diag":
        roots[:, 1, 0] = 0.0
    return GaussianCodebook(
        rng.dirichlet(np.ones(n_words)),
        rng.uniform(0, 3, size=(n_words, 2)),
        roots @ roots.transpose(0, 2, 1),
        np.ones(2),
    )


@pytest.mark.parametrize("covariance", ["diag", "full"])
@pytest.mark.parametrize(
    ("deviations", "tolerance"), [((0, 6), 1e-12), ((6, 25), 1e-9)]
)
def test_likelihoods_equal_scipy_near_and_far(rng, covariance, deviations, tolerance):
    # One point a diagram, at a given number of standard deviations from one component.
    book = mixture(rng, 1, covariance)
    angle, radius = rng.uniform(0, 2 * np.pi, 4000), rng.uniform(*deviations, 4000)
    ball = radius[:, None] * np.column_stack((np.cos(angle), np.sin(angle)))
    points = book.means[0] + ball @ np.linalg.cholesky(book.covariances[0]).T
    points = points[points[:, 1] >= 0]
    points[:, 1] += points[:, 0]
    X = Diagrams(points, np.arange(len(points) + 1))
    H = encode_likelihoods(X, book)
    assert_allclose(H, sums_by_scipy(X, book), rtol=tolerance, atol=0)


def test_peak_scaling_gives_at_most_one_a_point(ragged, rng):
    book = mixture(rng, 5, "full")
    H = encode_likelihoods(ragged, book, scale="peak")
    peaks = [
        w * multivariate_normal(m, c).pdf(m)
        for w, m, c in zip(book.weights, book.means, book.covariances, strict=True)
    ]
    assert_allclose(H, sums_by_scipy(ragged, book) / peaks, rtol=1e-11)
    assert (ragged.sizes[:, None] >= H).all()


def test_posterior_scaling_shares_every_point_out(ragged, rng):
    book = mixture(rng, 5, "full")
    H = encode_likelihoods(ragged, book, scale="posterior")
    assert_allclose(H.sum(axis=1), ragged.sizes, rtol=1e-12)
    one_each = Diagrams(ragged.points, np.arange(len(ragged.points) + 1))
    shares = sums_by_scipy(one_each, book)
    shares /= shares.sum(axis=1, keepdims=True)
    H = encode_likelihoods(one_each, book, scale="posterior")
    assert_allclose(H, shares, rtol=1e-10, atol=1e-14)


def test_births_alone_have_the_density_of_the_line():
    book = GaussianCodebook(
        np.array([0.25, 0.75]),
        np.array([[0.0], [2.0]]),
        np.array([[[0.04]], [[9.0]]]),
        np.ones(1),
    )
    X = Diagrams.from_list([[[0.1, 0.1]], [[1.5, 1.5], [0.0, 0.0]]])
    births = np.array([0.1, 1.5, 0.0])[:, None]
    terms = [0.25, 0.75] * np.column_stack(
        [
            multivariate_normal(0, 0.04).pdf(births),
            multivariate_normal(2, 9).pdf(births),
        ]
    )
    expected = [terms[0], terms[1] + terms[2]]
    assert_allclose(encode_likelihoods(X, book), expected, rtol=1e-13)


@pytest.mark.parametrize("scale", ["density", "peak", "posterior"])
@pytest.mark.parametrize("offset", [0.0, 1e6])
def test_single_precision_has_six_digits_wherever_the_data_are(ragged, scale, offset):
    X = Diagrams(ragged.points + offset, ragged.offsets)
    double, single = (
        StablePersistenceBoW(5, scale=scale, dtype=dtype, random_state=0).fit_transform(
            X
        )
        for dtype in ("float64", "float32")
    )
    assert single.dtype == np.float32
    assert_allclose(single, double, rtol=2e-5, atol=2e-6 * double.max())


@pytest.mark.parametrize("scale", ["peak", "posterior"])
def test_single_precision_keeps_its_digits_over_many_points(rng, scale):
    births = rng.uniform(size=300_000)
    points = np.column_stack((births, births + rng.exponential(size=births.shape)))
    X = Diagrams(points, [0, len(points)])
    book = mixture(rng, 5, "full")
    double, single = (
        encode_likelihoods(X, book, scale=scale, dtype=dtype)
        for dtype in ("float64", "float32")
    )
    assert_allclose(single, double, rtol=2e-6)


def test_far_points_belong_to_the_same_words_in_single_precision(rng):
    book = mixture(rng, 5, "full")
    unit = np.array([100.0, 1.0])
    book = GaussianCodebook(
        book.weights,
        book.means * unit,
        book.covariances * np.outer(unit, unit),
        np.ones(2),
    )
    angles, far = rng.uniform(0, np.pi, size=200), 10.0 ** rng.uniform(1, 3, size=200)
    births, persistences = far * np.cos(angles) * unit[0], far * np.sin(angles)
    points = np.column_stack((births, births + persistences))
    X = Diagrams.from_list(list(points[:, np.newaxis]))
    double, single = (
        encode_likelihoods(X, book, scale="posterior", dtype=dtype)
        for dtype in ("float64", "float32")
    )
    assert (double.max(axis=0) > 0.9).sum() > 1
    assert_allclose(single, double, atol=0.02)


def test_single_precision_is_normalised_before_it_overflows(ragged):
    X = Diagrams(ragged.points * 1e-20, ragged.offsets)
    double, single = (
        StablePersistenceBoW.paper(4, dtype=dtype, random_state=0).fit_transform(X)
        for dtype in ("float64", "float32")
    )
    assert_allclose(single, double, rtol=1e-4, atol=1e-6)


@pytest.mark.parametrize("covariance", ["diag", "full"])
def test_a_mixture_of_births_whose_squares_vanish_is_learnt(covariance):
    model = StablePersistenceBoW(2, covariance=covariance, essential="separate")
    births = [[0.0, np.inf], [3.6e-162, np.inf]]
    H = model.fit_transform([[[0.0, 1.0], [0.0, 2.0], *births]])
    assert np.isfinite(H).all()
