import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.svm import SVC

from pbow import Diagrams
from pbow.kernels.multiscale import MultiScaleKernel


def by_definition(F, G, s):
    """The closed form of Reininghaus et al. in terms of the standard deviation."""
    apart = ((F[:, None] - G) ** 2).sum(axis=2)
    mirrored = ((F[:, None] - G[:, ::-1]) ** 2).sum(axis=2)
    heat = np.exp(-apart / (4 * s**2)) - np.exp(-mirrored / (4 * s**2))
    return heat.sum() / (4 * np.pi * s**2)


@pytest.fixture
def many(rng):
    """Two hundred diagrams of all sizes, also large ones and an empty one."""
    sizes = np.concatenate(([0, 200, 150], rng.integers(1, 41, size=197)))
    births = [rng.normal(size=n) for n in sizes]
    return Diagrams.from_list(
        [np.c_[b, b + rng.exponential(0.5, size=len(b))] for b in births]
    )


@pytest.mark.parametrize("s", [0.05, 0.4, 5.0])
def test_the_kernel_is_the_published_formula(many, s):
    X = many[:20]
    expected = [[by_definition(F, G, s) for G in X] for F in X]
    out = MultiScaleKernel(s).fit_transform(X)
    assert_allclose(out, expected, rtol=1e-10, atol=1e-13 * np.max(expected))


def test_it_is_the_integral_of_the_product_of_temperatures():
    s, X = 0.5, [np.array([[0.0, 1.0], [0.2, 0.5]]), np.array([[0.1, 1.2]])]
    grid = np.linspace(-5, 6, 441)
    birth, death = np.meshgrid(grid, grid)

    def temperature(F):
        def gauss(x, y):
            squares = (birth - x) ** 2 + (death - y) ** 2
            return np.exp(-squares / (2 * s**2)) / (2 * np.pi * s**2)

        return sum(gauss(b, d) - gauss(d, b) for b, d in F)

    # Mirrored temperatures have mirrored products: half of the plane is half of it.
    cell = 0.5 * (grid[1] - grid[0]) ** 2
    F, G = (temperature(A) for A in X)
    kernel = MultiScaleKernel(s).fit(X)
    expected = [[(F * F).sum() * cell, (F * G).sum() * cell]]
    assert_allclose(kernel.transform(X[:1]), expected, rtol=1e-10)
    distance = np.sqrt(((F - G) ** 2).sum() * cell)
    assert_allclose(kernel.distances(X)[0, 1], distance, rtol=1e-10)


@pytest.mark.parametrize("s", [None, 0.05, 1.0])
def test_it_is_positive_semidefinite(many, s):
    K = MultiScaleKernel(s).fit_transform(many)
    assert np.linalg.eigvalsh(K).min() >= -1e-12 * K.max()


def test_the_distance_belongs_to_the_kernel(many):
    kernel = MultiScaleKernel().fit(many)
    K, D = kernel.transform(many), kernel.distances(many)
    squares = np.diagonal(K)
    belonging = np.sqrt(np.maximum(squares + squares[:, None] - 2 * K, 0.0))
    assert_allclose(D, belonging, atol=1e-7 * np.sqrt(K.max()))
    assert_array_equal(np.diagonal(D), 0.0)


def test_the_same_diagram_in_another_place_is_at_distance_0(many):
    X = Diagrams.concatenate([many[:40], many[:40]])
    D = MultiScaleKernel(0.3).distances(X)
    assert_array_equal(np.diagonal(D, 40), 0.0)


@pytest.mark.parametrize("factor", [1e-30, 1e-3, 1e4, 1e60])
def test_scaled_diagrams_have_scaled_kernels(many, factor):
    X = many[:30]
    scaled = Diagrams(X.points * factor, X.offsets)
    kernel, other = MultiScaleKernel().fit(X), MultiScaleKernel().fit(scaled)
    s = kernel.bandwidths_[""]
    assert_allclose(other.bandwidths_[""], factor * s, rtol=1e-12)
    K = kernel.transform(X)
    tiny = 1e-13 * K.max()
    assert_allclose(other.transform(scaled) * factor**2, K, rtol=1e-9, atol=tiny)
    D = kernel.distances(X)
    assert_allclose(other.distances(scaled) * factor, D, rtol=1e-6)


def test_the_default_bandwidth_is_half_the_rms_persistence_of_a_part(many):
    X = Diagrams.from_parts({"H0": many, "H1": [3.0 * F for F in many]})
    persistences = many.points[:, 1] - many.points[:, 0]
    expected = 0.5 * np.sqrt((persistences**2).mean())
    bandwidths = MultiScaleKernel().fit(X).bandwidths_
    assert_allclose(bandwidths["H0"], expected, rtol=1e-12)
    assert_allclose(bandwidths["H1"], 3.0 * expected, rtol=1e-12)


def test_points_on_the_diagonal_alone_are_nothing():
    X = [[[1.0, 1.0]], [[2.0, 2.0], [3.0, 3.0]]]
    kernel = MultiScaleKernel().fit(X)
    assert kernel.bandwidths_ == {"": 1.0}
    assert_array_equal(kernel.transform([*X, [[0.0, 1.0]]]), np.zeros((3, 2)))


@pytest.mark.parametrize("bandwidth", [1e-101, 1e101])
def test_a_bandwidth_whose_square_is_no_number_is_refused(bandwidth):
    with pytest.raises(ValueError, match=r"'bandwidth' .* >= 1e-100 and <= 1e\+100"):
        MultiScaleKernel(bandwidth).fit([[[0.0, 1.0]]])


def test_distances_with_a_learnt_bandwidth_are_those_of_fit(many):
    kernel = MultiScaleKernel().fit(many)
    fixed = MultiScaleKernel(kernel.bandwidths_[""])
    assert_array_equal(kernel.distances(many[:9]), fixed.distances(many[:9]))


def test_what_was_fitted_stays_until_the_next_fit(many):
    kernel = MultiScaleKernel(0.3).fit(many[:5])
    expected = kernel.transform(many[5:10])
    assert_array_equal(kernel.set_params(bandwidth=2.0).transform(many[5:10]), expected)


def test_only_distances_without_a_bandwidth_need_a_fit(many):
    assert MultiScaleKernel(0.5).distances(many[:3]).shape == (3, 3)
    with pytest.raises(NotFittedError, match="bandwidth if none is given"):
        MultiScaleKernel().distances(many[:3])


@pytest.mark.parametrize("bandwidth", [0.05, 2.0])
def test_a_row_depends_on_its_diagram_alone(rng, bandwidth):
    # Equally many points, compared point by point or by nodes, in several tiles.
    births = rng.uniform(size=(80, 6))
    X = [np.c_[b, b + rng.exponential(size=6)] for b in births] + [[]]
    X += [np.repeat(F, 8, axis=0) for F in X[:20]]
    kernel = MultiScaleKernel(bandwidth).fit(X)
    for output in ("kernel", "distance"):
        K = kernel.set_params(output=output).transform(X)
        assert_array_equal(K, K.T)
        for rows in (slice(7, 9), slice(0, 1), slice(3, 90)):
            assert_array_equal(kernel.transform(X[rows]), K[rows])


def test_a_part_without_training_points_adds_nothing_to_distances(many):
    X = Diagrams.from_parts({"H0": [[]] * 10, "H1": many[:10]})
    with pytest.warns(UserWarning, match="Part H0 has no finite point"):
        kernel = MultiScaleKernel().fit(X)
    Y = Diagrams.from_parts({"H0": many[10:20], "H1": many[:10]})
    assert_allclose(kernel.distances(Y), kernel.distances(X), rtol=1e-12)


def test_gudhi_agrees_up_to_its_constant(many):
    pytest.importorskip("gudhi")
    pytest.importorskip("gudhi.representations")
    from gudhi.representations import PersistenceScaleSpaceKernel  # noqa: PLC0415

    X, s = many[1:12], 0.4
    theirs = PersistenceScaleSpaceKernel(bandwidth=s * np.sqrt(2.0))
    expected = theirs.fit(list(X)).transform(list(X))
    ours = MultiScaleKernel(s).fit_transform(X) * s * np.sqrt(4.0 * np.pi)
    assert_allclose(ours, expected, rtol=1e-10)


def test_the_default_bandwidth_tells_the_authors_shapes_apart(data_home):
    with np.load(data_home / "synthetic_pcodebooks_gauss_0_1_h1.npz") as data:
        labels = data["labels"]
        X = Diagrams(data["points"], data["offsets"])[labels < 6].finite()
    pipeline = make_pipeline(MultiScaleKernel(), SVC(kernel="precomputed", C=1.0))
    assert cross_val_score(pipeline, X, labels[labels < 6], cv=5).mean() > 0.93
