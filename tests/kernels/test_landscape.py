import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy.integrate import quad

from pbow import Diagrams
from pbow.kernels import LandscapeKernel


@st.composite
def diagrams(draw, largest=1e100, max_size=8):
    coordinate = st.floats(-largest, largest, allow_subnormal=False)
    pairs = draw(st.lists(st.tuples(coordinate, coordinate), max_size=max_size))
    return [sorted(pair) for pair in pairs]


def norm(tent):
    return np.sqrt(2 / 3 * ((tent[1] - tent[0]) / 2) ** 3)


def test_one_tent_against_nothing():
    X = [[[-1.0, 4.0]], []]
    kernel = LandscapeKernel().fit(X)
    length = norm([-1.0, 4.0])
    assert_allclose(kernel.distances(X), [[0, length], [length, 0]], rtol=1e-15)
    assert_allclose(kernel.transform(X), [[length**2, 0], [0, 0]], rtol=1e-15)


def test_tents_apart_are_orthogonal():
    X = [[[0.0, 1.0], [5.0, 6.0]], [[1.0, 5.0]]]
    assert LandscapeKernel().fit(X).transform(X)[0, 1] == 0.0
    distance = LandscapeKernel().distances(X)[0, 1]
    assert_allclose(distance**2, 2 * norm([0, 1]) ** 2 + norm([1, 5]) ** 2, rtol=1e-15)


def test_levels_are_compared_with_levels_and_not_tents_with_tents():
    # Both have the tent (0, 4). In the first it is inside another, on the second level.
    X = [[[0.0, 4.0], [-1.0, 5.0]], [[0.0, 4.0], [1.0, 3.0]]]

    def difference(t):
        tents = [[max(0.0, min(t - b, d - t)) for b, d in diagram] for diagram in X]
        one, other = (sorted(heights, reverse=True) for heights in tents)
        return sum((a - b) ** 2 for a, b in zip(one, other, strict=True))

    integral, _ = quad(difference, -1.0, 5.0, points=[0, 1, 2, 3, 4], epsabs=1e-13)
    assert_allclose(LandscapeKernel().distances(X)[0, 1], np.sqrt(integral), rtol=1e-12)


def test_the_order_of_the_points_and_points_on_the_diagonal_do_not_matter(ragged, rng):
    shuffled = [rng.permutation(np.r_[d, [[0.3, 0.3]]]) for d in ragged]
    D = LandscapeKernel().distances(ragged, shuffled)
    assert_array_equal(np.diagonal(D), 0.0)
    assert_array_equal(D, LandscapeKernel().distances(ragged))


def test_the_distance_belongs_to_the_kernel(ragged):
    kernel = LandscapeKernel().fit(ragged)
    K, D = kernel.transform(ragged), kernel.distances(ragged)
    squares = np.diagonal(K)
    assert_allclose(D**2, squares[:, None] + squares - 2 * K, atol=1e-13)


def test_diagrams_that_are_nearly_the_same_keep_their_digits():
    # By way of the kernel, the square of this distance would be rounding error.
    X = [[[0.0, 2.0]], [[1e-9, 2.0 + 1e-9]]]
    assert_allclose(LandscapeKernel().distances(X)[0, 1], np.sqrt(2) * 1e-9, rtol=1e-6)


def test_small_diagrams_have_distances_although_their_cubes_are_0():
    X = [[[0.0, 2.0]], [[0.0, 1e-120]], [], [[0.0, 3e-120], [1e-120, 2e-120]]]
    D = LandscapeKernel().distances(X)
    scaled = [[[0.0, 1.0]], [], [[0.0, 3.0], [1.0, 2.0]]]
    expected = 1e-180 * LandscapeKernel().distances(scaled)
    assert_allclose(D[1:, 1:], expected, rtol=1e-12)
    assert_allclose(D[0, 1:], norm([0.0, 2.0]), rtol=1e-15)
    assert_array_equal(LandscapeKernel().distances(X[1:2], X), D[1:2])
    assert_array_equal(LandscapeKernel().distances(X[2:], X), D[2:])


def test_the_kernel_is_positive_semidefinite(rng):
    births = rng.normal(size=(100, 30))
    deaths = births + rng.exponential(size=(100, 30))
    X = [np.c_[b, d][: rng.integers(31)] for b, d in zip(births, deaths, strict=True)]
    eigenvalues = np.linalg.eigvalsh(LandscapeKernel().fit_transform(X))
    assert eigenvalues.min() >= -1e-13 * eigenvalues.max()


@given(st.lists(diagrams(largest=10.0), min_size=3, max_size=3))
def test_distances_are_a_metric_of_landscapes(X):
    D = LandscapeKernel().distances(X)
    assert_array_equal(D, D.T)
    assert_array_equal(np.diagonal(D), 0.0)
    assert (D >= 0.0).all()
    assert D[0, 2] <= (D[0, 1] + D[1, 2]) * (1 + 1e-12) + 1e-12


@settings(max_examples=200)
@given(diagrams(), diagrams())
def test_nothing_overflows(one, other):
    X = [one, other, [[0.0, 1.0]]]
    kernel = LandscapeKernel().fit(X)
    assert np.isfinite(kernel.transform(X)).all()
    assert np.isfinite(kernel.distances(X)).all()


def test_parts_are_added(ragged):
    one, other = ragged[:10], ragged[10:20]
    X = Diagrams.from_parts({"H0": one, "H1": other})
    kernel = LandscapeKernel()
    D = np.hypot(kernel.distances(one), kernel.distances(other))
    assert_allclose(kernel.distances(X), D, rtol=1e-14)
    K = kernel.fit_transform(one) + kernel.fit_transform(other)
    assert_array_equal(kernel.fit_transform(X), K)


def test_a_row_depends_on_its_diagram_alone(ragged):
    X = Diagrams.concatenate([ragged, ragged[::-1], ragged])  # several tiles
    kernel = LandscapeKernel().fit(X)
    for output in ("kernel", "distance"):
        K = kernel.set_params(output=output).transform(X)
        assert_array_equal(K, K.T)
        for rows in (slice(7, 9), slice(0, 1), slice(3, 70)):
            assert_array_equal(kernel.transform(X[rows]), K[rows])


def test_the_number_of_threads_changes_no_bit(ragged):
    X = Diagrams.concatenate([ragged] * 4)
    one, two = (LandscapeKernel(n_jobs=n).fit(X) for n in (1, 2))
    assert_array_equal(one.transform(ragged), two.transform(ragged))
    assert_array_equal(one.distances(X), two.distances(X))


def test_classes_that_never_die_do_so_at_the_last_time_of_training():
    X = Diagrams.from_list([[[0.0, np.inf], [1.0, 3.0]], [[1.0, np.inf]]], name="H0")
    kernel = LandscapeKernel(essential="separate").fit(X)
    closed = LandscapeKernel().distances([[[0.0, 3.0]], [[1.0, 3.0]]])
    finite = LandscapeKernel().distances([[[1.0, 3.0]], []])
    assert_allclose(kernel.distances(X), np.hypot(closed, finite), rtol=1e-15)


def test_real_diagrams_match_a_fine_grid(data_home):
    file = data_home / "synthetic_pcodebooks_gauss_0_1_h1.npz"
    with np.load(file, allow_pickle=False) as data:
        X = Diagrams(data["points"], data["offsets"]).finite()[[0, 60, 120, 299]]
    times = np.linspace(X.points[:, 0].min(), X.points[:, 1].max(), 20_001)
    step = times[1] - times[0]
    levels = []
    for diagram in X:
        tents = np.zeros((X.sizes.max(), len(times)))
        tents[: len(diagram)] = np.minimum(
            times - diagram[:, :1], diagram[:, 1:] - times
        ).clip(0)
        levels.append(np.sort(tents, axis=0)[::-1])
    expected = [[np.sqrt(((a - b) ** 2).sum() * step) for b in levels] for a in levels]
    assert_allclose(LandscapeKernel().distances(X), expected, rtol=1e-4)
