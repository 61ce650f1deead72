import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from pbow import Diagrams
from pbow.kernels.sliced import SlicedWassersteinKernel


def by_sorting(F, G, n_directions):
    """The definition of Carrière et al., Section 3.1, line by line."""
    F, G = np.reshape(F, (-1, 2)), np.reshape(G, (-1, 2))
    feet = [np.repeat(A.mean(axis=1, keepdims=True), 2, axis=1) for A in (F, G)]
    one, other = np.concatenate((F, feet[1])), np.concatenate((G, feet[0]))
    sums = []
    for i in range(n_directions):
        angle = -np.pi / 2 + i * np.pi / n_directions
        line = [np.cos(angle), np.sin(angle)]
        sums.append(np.abs(np.sort(one @ line) - np.sort(other @ line)).sum())
    return np.mean(sums)


@pytest.mark.parametrize("n_directions", [1, 4, 7, 50])
def test_distances_are_the_mean_over_the_documented_lines(ragged, n_directions):
    X = ragged[:12]
    expected = [[by_sorting(F, G, n_directions) for G in X] for F in X]
    D = SlicedWassersteinKernel(n_directions).distances(X)
    assert_allclose(D, expected, rtol=1e-12, atol=1e-14)


def test_a_point_against_nothing_is_its_mean_way_to_the_diagonal():
    # On a line at angle a, (b, d) is (d - b) / 2 |sin a - cos a| away from its foot,
    # and the mean of |sin a - cos a| over the half circle is 2 sqrt(2) / pi.
    D = SlicedWassersteinKernel(n_directions=2000).distances([[[1.0, 3.0]], []])
    assert_allclose(D[0, 1], 2 * np.sqrt(2) / np.pi, rtol=1e-6)


def test_the_kernel_is_the_exponential_of_minus_the_distance(ragged):
    kernel = SlicedWassersteinKernel(6, bandwidth=0.7).fit(ragged)
    expected = np.exp(-kernel.distances(ragged) / (2 * 0.7**2))
    assert_allclose(kernel.transform(ragged), expected, rtol=1e-14)


@pytest.mark.parametrize("n_directions", [1, 3, 50])
@pytest.mark.parametrize("bandwidth", [None, 0.1, 2.0])
def test_it_is_positive_semidefinite(rng, n_directions, bandwidth):
    sizes = np.concatenate(([0], rng.integers(1, 21, size=199)))
    births = [rng.normal(size=n) for n in sizes]
    X = [np.c_[b, b + rng.exponential(0.5, size=len(b))] for b in births]
    K = SlicedWassersteinKernel(n_directions, bandwidth=bandwidth).fit_transform(X)
    assert np.linalg.eigvalsh(K).min() >= -1e-11


def test_the_default_bandwidth_halves_the_median_distance(ragged):
    X = Diagrams.from_parts({"H0": ragged, "H1": [4.0 * F for F in ragged]})
    bandwidths = SlicedWassersteinKernel(5).fit(X).bandwidths_
    D = SlicedWassersteinKernel(5).distances(ragged)
    median = np.median(D[np.triu_indices(30, 1)])
    assert_allclose(2 * bandwidths["H0"] ** 2, median, rtol=1e-12)
    assert_allclose(bandwidths["H1"], 2.0 * bandwidths["H0"], rtol=1e-12)


def test_the_default_bandwidth_looks_at_a_hundred_evenly_spaced_diagrams(rng):
    births = rng.normal(size=(250, 3))
    X = [np.c_[b, b + rng.exponential(size=3)] for b in births]
    some = [X[i] for i in np.linspace(0, 249, 100).round().astype(int)]
    fitted = [SlicedWassersteinKernel(3).fit(A).bandwidths_ for A in (X, some)]
    assert fitted[0] == fitted[1]


def test_equal_diagrams_have_a_bandwidth_of_their_own():
    X = [[[0.0, 1.0]], [[0.0, 1.0]]]
    assert_array_equal(SlicedWassersteinKernel().fit_transform(X), np.ones((2, 2)))


@pytest.mark.parametrize("factor", [1e-30, 0.1, 1e50])
def test_scaled_diagrams_have_scaled_distances_and_the_same_kernel(ragged, factor):
    scaled = Diagrams(ragged.points * factor, ragged.offsets)
    kernel, other = (SlicedWassersteinKernel(5).fit(A) for A in (ragged, scaled))
    D = kernel.distances(ragged)
    assert_allclose(other.distances(scaled), factor * D, rtol=1e-10)
    assert_allclose(other.transform(scaled), kernel.transform(ragged), rtol=1e-10)


@pytest.mark.parametrize("shift", [-3.0, 0.25, 1000.0])
def test_a_shift_along_the_diagonal_changes_nothing(ragged, shift):
    shifted = Diagrams(ragged.points + shift, ragged.offsets)
    kernel = SlicedWassersteinKernel()
    D = kernel.distances(ragged)
    assert_allclose(kernel.distances(shifted), D, rtol=1e-9, atol=1e-11)


def test_a_row_depends_on_its_diagram_alone(ragged):
    X = Diagrams.concatenate([ragged, ragged[::-1], ragged])  # several tiles
    kernel = SlicedWassersteinKernel(7).fit(X)
    for output in ("kernel", "distance"):
        K = kernel.set_params(output=output).transform(X)
        assert_array_equal(K, K.T)
        for rows in (slice(7, 9), slice(0, 1), slice(3, 70)):
            assert_array_equal(kernel.transform(X[rows]), K[rows])


@pytest.mark.parametrize("bandwidth", [1e-200, 1e-300, 1e300])
def test_extreme_bandwidths_give_0_and_1(bandwidth):
    kernel = SlicedWassersteinKernel(bandwidth=bandwidth).fit([[[0.0, 1.0]]])
    K = kernel.transform([[[0.0, 1.0]], [[0.0, 2.0]]])
    assert_array_equal(K, [[1.0], [float(bandwidth > 1.0)]])


coordinate = st.floats(-100, 100)
diagram = st.lists(st.tuples(coordinate, coordinate).map(sorted), max_size=6)


@given(diagram, diagram, diagram)
def test_it_is_a_pseudometric(F, G, H):
    D = SlicedWassersteinKernel(4).distances([F, G, H])
    assert_array_equal(D, D.T)
    assert_array_equal(np.diagonal(D), 0.0)
    assert (D >= 0.0).all()
    assert D[0, 2] <= D[0, 1] + D[1, 2] + 1e-11


@given(diagram, diagram)
def test_moving_a_point_moves_the_distance_by_no_more(F, G):
    # Carrière et al., Section 3: SW is at most 2 sqrt(2) W1, here at most 0.01 of it.
    moved = [[0.0, 1.0], *F]
    D = SlicedWassersteinKernel(8).distances([[[0.0, 1.01], *F], moved], [moved, G])
    assert D[0, 0] <= 2 * np.sqrt(2) * 0.01 + 1e-12
    assert abs(D[0, 1] - D[1, 1]) <= D[0, 0] + 1e-11


def test_gudhi_agrees_on_the_lines_that_it_has(ragged):
    pytest.importorskip("gudhi")
    pytest.importorskip("gudhi.representations")
    from gudhi.representations import SlicedWassersteinDistance  # noqa: PLC0415

    X, n = list(ragged)[1:], 10
    theirs = SlicedWassersteinDistance(num_directions=n).fit(X).transform(X)
    # It leaves out the last line, at 72 degrees: the mean is over nine.
    angle = -np.pi / 2 + (n - 1) * np.pi / n
    line = np.array([np.cos(angle), np.sin(angle)])

    def on_last(F, G):
        feet = [np.repeat(A.mean(axis=1, keepdims=True), 2, axis=1) for A in (F, G)]
        one, other = np.concatenate((F, feet[1])), np.concatenate((G, feet[0]))
        return np.abs(np.sort(one @ line) - np.sort(other @ line)).sum()

    last = np.array([[on_last(F, G) for G in X] for F in X])
    ours = SlicedWassersteinKernel(n).distances(X)
    assert_allclose(ours * n, theirs * (n - 1) + last, rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize("n_directions", [0, -1, 2.5, "many", True])
def test_directions_are_counted(ragged, n_directions):
    with pytest.raises(ValueError, match=r"'n_directions' .* an int >= 1"):
        SlicedWassersteinKernel(n_directions).fit(ragged)
